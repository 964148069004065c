// From scene data and frames to instances that a renderer draws: places, sizes and colours of parts.

import { add, across, composed, frameOf, norm, scale, subtract } from "./linear.js";
import { isKnown } from "./canvas_renderer.js";

/** @typedef {import("./webgl_renderer.js").Instance} Instance */
/** @typedef {import("./linear.js").Vector} Vector */
/**
 * @typedef {object} Part
 * @property {number} frame in which it is rigid
 * @property {string} shape cylinder, cone, sphere, box, or plate with an outline
 * @property {string} role
 * @property {number[]} at [R | p] of its own axes in the frame
 * @property {number[]} size along its own axes [m]
 * @property {number[]} [outline] x and y of a plate's corners, one after the other [m]
 */
/**
 * @typedef {object} SceneData as parakin.viewer.scene writes it
 * @property {{ name: string }[]} frames
 * @property {Part[]} parts
 * @property {{ frame: number, at: number[] }} output the frame by which the robot is taken hold of
 * @property {number[]} lower smallest coordinates of anything in the box [m]
 * @property {number[]} upper largest ones
 * @property {number[]} up
 * @property {number[] | null} normal of the plane of a planar robot
 * @property {Record<string, [string, string]>} colours of roles, on light and on dark ground
 * @property {(number | null)[]} actuators for each part the actuator that moves it, for colours by force
 * @property {{ frame: number, mass: number, p: number[] }[]} masses
 */
/** @typedef {{ colour?: number[], opacity?: number, loads?: number[] | null, wrong?: boolean[], moving?: boolean, hidden: Set<string> }} Style
 * loads: of each actuator, as a part of its largest force; wrong: which actuators are beyond their strokes; moving: leave the base out */

/** The frame that does not move. */
export const BASE = 0;
const LOADED = [0.835, 0.16, 0.0];

/** Red, green and blue from 0 to 1 of #rrggbb. @param {string} text @returns {number[]} */
export const colourOf = (text) => [1, 3, 5].map((k) => Number.parseInt(text.slice(k, k + 2), 16) / 255);

/** @param {number[]} a @param {number[]} b @param {number} part */
const mixed = (a, b, part) => a.map((value, k) => value + part * (b[k] - value));

export class Parts {
  /** @param {SceneData} scene */
  constructor(scene) {
    this.scene = scene;
    this.world = frameOf(uprightRotation(scene.up), [0, 0, 0]);
    this.dark = false;
  }

  /** Names of plates, whose meshes are their own. @param {number} k */
  static plateName(k) {
    return `plate ${k}`;
  }

  /**
   * Instances of all parts at given frames; those in frames that are not known are left out.
   * @param {ArrayLike<number>} frames @param {Style} style @returns {Instance[]}
   */
  instances(frames, style) {
    /** @type {Instance[]} */ const made = [];
    this.scene.parts.forEach((part, k) => {
      if (style.hidden.has(part.role) || (style.moving && part.frame === BASE)) return;
      const frame = Array.from({ length: 12 }, (_, i) => frames[12 * part.frame + i]);
      if (isKnown(frame)) made.push(this.instance(k, frame, style));
    });
    return made;
  }

  /** Instances of the parts in one frame. @param {number} which @param {number[]} frame @param {Style} style */
  instancesInFrame(which, frame, style) {
    return this.scene.parts.flatMap((part, k) =>
      (part.frame === which && !style.hidden.has(part.role) ? [this.instance(k, frame, style)] : []));
  }

  /** @param {number} k @param {number[]} frame @param {Style} style @returns {Instance} */
  instance(k, frame, style) {
    const part = this.scene.parts[k];
    const [light, dark] = this.scene.colours[part.role];
    const actuator = this.scene.actuators[k];
    let colour = style.colour ?? colourOf(this.dark ? dark : light);
    if (style.loads && actuator !== null) colour = mixed(colour, LOADED, Math.min(1, style.loads[actuator]));
    if (style.wrong && actuator !== null && style.wrong[actuator]) colour = LOADED;
    return {
      shape: part.outline ? Parts.plateName(k) : part.shape,
      frame: composed(this.world, composed(frame, part.at)),
      size: part.outline ? [1, 1, part.size[2]] : part.size,
      colour: [...colour, style.opacity ?? 1],
      half: halfOf(part),
    };
  }

  /** The line through points as thin rods. @param {number[][]} points of the base frame @param {number} radius @param {number[]} colour @returns {Instance[]} */
  trace(points, radius, colour) {
    return points.slice(1).map((p, k) => rod(this.upright(points[k]), this.upright(p), radius, colour));
  }

  /** A point of the base frame in the upright world. @param {number[]} p @returns {Vector} */
  upright(p) {
    const T = this.world;
    return [
      T[0] * p[0] + T[1] * p[1] + T[2] * p[2], T[4] * p[0] + T[5] * p[1] + T[6] * p[2], T[8] * p[0] + T[9] * p[1] + T[10] * p[2],
    ];
  }

  /** A direction of the upright world in base axes. @param {number[]} d @returns {Vector} */
  inBase(d) {
    const T = this.world;
    return [
      T[0] * d[0] + T[4] * d[1] + T[8] * d[2], T[1] * d[0] + T[5] * d[1] + T[9] * d[2], T[2] * d[0] + T[6] * d[1] + T[10] * d[2],
    ];
  }

  /** Centre of mass of everything that moves, in base axes. @param {ArrayLike<number>} frames @returns {Vector} */
  centreOfMass(frames) {
    let total = 0;
    /** @type {Vector} */ let sum = [0, 0, 0];
    for (const { frame, mass, p } of this.scene.masses) {
      const T = Array.from({ length: 12 }, (_, i) => frames[12 * frame + i]);
      const at = [0, 4, 8].map((row) => T[row] * p[0] + T[row + 1] * p[1] + T[row + 2] * p[2] + T[row + 3]);
      sum = add(sum, scale(at, mass));
      total += mass;
    }
    return scale(sum, 1 / total);
  }
}

/** Half of a part's extent along its own axes [m]. @param {Part} part */
function halfOf({ shape, size, outline }) {
  if (outline) return [0, 1].map((axis) => Math.max(...outline.filter((_, k) => k % 2 === axis).map(Math.abs))).concat(size[2] / 2);
  if (shape === "sphere") return size;
  return shape === "box" ? size.map((side) => side / 2) : [size[0], size[1], size[2] / 2];
}

/** A rod between two points. @param {Vector} a @param {Vector} b @param {number} radius @param {number[]} colour @returns {Instance} */
export function rod(a, b, radius, colour) {
  const along = subtract(b, a);
  const length = norm(along) || 1e-12;
  const z = scale(along, 1 / length);
  const [x, y] = across(z);
  return {
    shape: "cylinder",
    frame: frameOf([x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]], scale(add(a, b), 0.5)),
    size: [radius, radius, length],
    colour,
  };
}

/** The rotation that takes `up` to z and otherwise changes little. @param {number[]} up */
function uprightRotation(up) {
  const [x, y, z] = up;
  if (z > 0.999) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
  if (z < -0.999) return [1, 0, 0, 0, -1, 0, 0, 0, -1];
  // Gravity in the plane of the picture, such as of a five-bar that stands upright: its x stays to the right.
  const side = Math.abs(x) < 0.999 ? [1, 0, 0] : [0, 0, 1];
  const right = subtract(side, scale(up, side[0] * x + side[1] * y + side[2] * z));
  const size = norm(right);
  const X = scale(right, 1 / size);
  const Y = [y * X[2] - z * X[1], z * X[0] - x * X[2], x * X[1] - y * X[0]];
  return [...X, ...Y, ...up];
}
