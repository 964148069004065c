// A camera that orbits a target, in a world whose z points up; and rays through its pixels.

import { add, cross, dot, product4, scale, subtract, unit } from "./linear.js";

/** @typedef {import("./linear.js").Vector} Vector */
/** @typedef {{ origin: Vector, direction: Vector }} Ray */

const FIELD_OF_VIEW = (32 * Math.PI) / 180;
const STEEPEST = (89.5 * Math.PI) / 180;

/** Where the named views look from: azimuth and elevation in degrees. @type {Record<string, [number, number]>} */
export const VIEWS = { iso: [-52, 22], front: [-90, 0], side: [0, 0], top: [-90, 89.5] };

export class Camera {
  /** @param {Vector} target @param {number} radius of what is to be seen [m] */
  constructor(target, radius) {
    this.middle = target;
    this.radius = radius;
    this.aspect = 1;
    /** @type {Vector} */ this.target = target;
    this.distance = 1;
    this.azimuth = 0;
    this.elevation = 0;
    this.look("iso");
  }

  /** Looks at everything from a named side. @param {string} name */
  look(name) {
    const [azimuth, elevation] = VIEWS[name];
    this.azimuth = (azimuth * Math.PI) / 180;
    this.elevation = (elevation * Math.PI) / 180;
    this.target = this.middle;
    this.fit();
  }

  /** Steps back until everything fits into the narrower side of the picture. */
  fit() {
    const half = Math.atan(Math.tan(FIELD_OF_VIEW / 2) * Math.min(1, this.aspect));
    this.distance = this.radius / Math.sin(half);
  }

  /** Unit vector from the target to the eye. @returns {Vector} */
  get outwards() {
    const c = Math.cos(this.elevation);
    return [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)];
  }

  /** @returns {Vector} */
  get eye() {
    return add(this.target, scale(this.outwards, this.distance));
  }

  /** Right, up and backwards of the picture. @returns {[Vector, Vector, Vector]} */
  get axes() {
    const back = this.outwards;
    const right = unit([-Math.sin(this.azimuth), Math.cos(this.azimuth), 0]);
    return [right, cross(back, right), back];
  }

  /** @param {number} across @param {number} upwards radians */
  orbit(across, upwards) {
    this.azimuth -= across;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + upwards));
  }

  /** @param {number} factor */
  zoom(factor) {
    this.distance = Math.min(40 * this.radius, Math.max(0.05 * this.radius, this.distance * factor));
  }

  /** Moves the target with the picture. @param {number} x @param {number} y parts of the picture's height */
  pan(x, y) {
    const [right, up] = this.axes;
    const height = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
    this.target = add(this.target, add(scale(right, -x * height), scale(up, y * height)));
  }

  /** Matrix from the world to clip coordinates, by columns. */
  get matrix() {
    const [right, up, back] = this.axes;
    const eye = this.eye;
    const view = [
      right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
    ];
    const near = Math.max(0.01 * this.radius, this.distance - 3 * this.radius);
    const far = this.distance + 12 * this.radius;
    const f = 1 / Math.tan(FIELD_OF_VIEW / 2);
    const lens = [
      f / this.aspect, 0, 0, 0, 0, f, 0, 0,
      0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
    ];
    return product4(lens, view);
  }

  /** The line of sight through a place of the picture. @param {number} x @param {number} y from -1 to 1, up @returns {Ray} */
  ray(x, y) {
    const [right, up, back] = this.axes;
    const half = Math.tan(FIELD_OF_VIEW / 2);
    const direction = add(scale(right, x * half * this.aspect), add(scale(up, y * half), scale(back, -1)));
    return { origin: this.eye, direction: unit(direction) };
  }

  /** Where a point is seen: x and y from -1 to 1 and its distance. @param {Vector} p @returns {Vector} */
  seen(p) {
    const [right, up, back] = this.axes;
    const d = subtract(p, this.eye);
    const depth = -dot(d, back);
    const half = Math.tan(FIELD_OF_VIEW / 2) * depth;
    return [dot(d, right) / (half * this.aspect), dot(d, up) / half, depth];
  }

  /** Size of a thing at p that fills this part of the picture's height [m]. @param {Vector} p @param {number} part */
  sizeAt(p, part) {
    return 2 * part * Math.tan(FIELD_OF_VIEW / 2) * Math.max(0.01 * this.radius, this.seen(p)[2]);
  }
}
