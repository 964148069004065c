// Handles at the platform: arrows to move it along an axis, rings to turn it, and the platform itself to carry it.

import { across, add, cross, dot, frameOf, norm, originOf, rotationOf, scale, subtract, turnedBack, unit } from "./linear.js";
import { rod } from "./parts.js";

/** @typedef {import("./linear.js").Vector} Vector */
/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {import("./camera.js").Ray} Ray */
/** @typedef {import("./webgl_renderer.js").Instance} Instance */
/** @typedef {{ kind: "move" | "turn" | "carry", axis: Vector, base: Vector }} Handle axis in the upright world; base: the same in base axes */
/** @typedef {{ handle: Handle, origin: Vector, start: number | Vector }} Grip */

const SIZE = 0.11;
const GENEROUS = 1.2;
const COLOURS = [[0.84, 0.19, 0.15], [0.1, 0.6, 0.3], [0.12, 0.42, 0.85]];
const HELD = [0.98, 0.75, 0.1];

export class Handles {
  /**
   * @param {number[]} linear base axes along which the platform can be moved
   * @param {number[]} angular base axes about which it can be turned
   * @param {(p: number[]) => Vector} upright base axes to the world
   */
  constructor(linear, angular, upright) {
    /** @param {number} k @returns {Vector} */
    const axis = (k) => [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0];
    /** @type {Handle[]} */
    this.handles = [
      ...linear.map((k) => ({ kind: /** @type {"move"} */ ("move"), axis: upright(axis(k)), base: axis(k) })),
      ...angular.map((k) => ({ kind: /** @type {"turn"} */ ("turn"), axis: upright(axis(k)), base: axis(k) })),
    ];
    /** @type {Handle | null} */ this.near = null;
  }

  /** @param {Vector} origin of the platform in the world @param {Camera} camera @returns {Instance[]} */
  instances(origin, camera) {
    const size = camera.sizeAt(origin, SIZE);
    return this.handles.flatMap((handle) => {
      const k = handle.base.findIndex((value) => value !== 0);
      const colour = [...(handle === this.near ? HELD : COLOURS[k]), 1];
      return (handle.kind === "move" ? arrow(origin, handle.axis, size, colour) : [circle(origin, handle.axis, size, colour)])
        .map((instance) => ({ ...instance, above: true }));
    });
  }

  /** The handle under a ray, or none. @param {Ray} ray @param {Vector} origin @param {Camera} camera @returns {Handle | null} */
  under(ray, origin, camera) {
    const size = camera.sizeAt(origin, SIZE);
    let best = 0.12 * size;
    /** @type {Handle | null} */ let found = null;
    for (const handle of this.handles) {
      const distance = handle.kind === "move"
        ? distanceToArrow(ray, origin, handle.axis, size)
        : distanceToCircle(ray, origin, handle.axis, 0.8 * size);
      if (distance < best) [best, found] = [distance, handle];
    }
    return found;
  }

  /** @param {Handle} handle @param {Ray} ray @param {Vector} origin @param {Camera} camera @returns {Grip} */
  grip(handle, ray, origin, camera) {
    return { handle, origin, start: this.reading(handle, ray, origin, camera) };
  }

  /** How far a held handle was moved [m], or turned [rad]: a displacement and a turn in the world. @param {Grip} grip @param {Ray} ray @param {Camera} camera */
  moved({ handle, origin, start }, ray, camera) {
    const now = this.reading(handle, ray, origin, camera);
    if (handle.kind === "carry") return { move: subtract(/** @type {Vector} */ (now), /** @type {Vector} */ (start)), turn: /** @type {Vector} */ ([0, 0, 0]) };
    let change = /** @type {number} */ (now) - /** @type {number} */ (start);
    if (handle.kind === "move") return { move: scale(handle.axis, change), turn: /** @type {Vector} */ ([0, 0, 0]) };
    change -= 2 * Math.PI * Math.round(change / (2 * Math.PI));
    return { move: /** @type {Vector} */ ([0, 0, 0]), turn: scale(handle.axis, change) };
  }

  /** @param {Handle} handle @param {Ray} ray @param {Vector} origin @param {Camera} camera @returns {number | Vector} */
  reading(handle, ray, origin, camera) {
    if (handle.kind === "carry") return onPlane(ray, origin, camera.outwards) ?? origin;
    if (handle.kind === "move") return alongLine(ray, origin, handle.axis);
    const p = onPlane(ray, origin, handle.axis) ?? origin;
    const [x, y] = across(handle.axis);
    const d = subtract(p, origin);
    return Math.atan2(dot(d, y), dot(d, x));
  }
}

/** @param {Vector} origin @param {Vector} axis @param {number} size @param {number[]} colour @returns {Instance[]} */
function arrow(origin, axis, size, colour) {
  const end = add(origin, scale(axis, size));
  const tip = rod(end, add(end, scale(axis, 0.3 * size)), 0.09 * size, colour);
  return [rod(add(origin, scale(axis, 0.25 * size)), end, 0.025 * size, colour), { ...tip, shape: "cone" }];
}

/** @param {Vector} origin @param {Vector} axis @param {number} size @param {number[]} colour @returns {Instance} */
function circle(origin, axis, size, colour) {
  const [x, y] = across(axis);
  const frame = frameOf([x[0], y[0], axis[0], x[1], y[1], axis[1], x[2], y[2], axis[2]], origin);
  return { shape: "ring", frame, size: [0.8 * size, 0.8 * size, 0.8 * size], colour };
}

/** Where on the line through origin along axis the ray passes nearest [m]. @param {Ray} ray @param {Vector} origin @param {Vector} axis */
function alongLine(ray, origin, axis) {
  const w = subtract(origin, ray.origin);
  const b = dot(axis, ray.direction);
  return (b * dot(w, ray.direction) - dot(w, axis)) / Math.max(1e-6, 1 - b * b);
}

/** @param {Ray} ray @param {Vector} origin @param {Vector} axis @param {number} size */
function distanceToArrow(ray, origin, axis, size) {
  const s = Math.min(1.3 * size, Math.max(0.25 * size, alongLine(ray, origin, axis)));
  const p = add(origin, scale(axis, s));
  return norm(cross(subtract(p, ray.origin), ray.direction));
}

/** @param {Ray} ray @param {Vector} origin @param {Vector} axis @param {number} radius */
function distanceToCircle(ray, origin, axis, radius) {
  const p = onPlane(ray, origin, axis);
  if (!p || Math.abs(dot(ray.direction, axis)) < 0.12) return Infinity;
  const nearest = add(origin, scale(unit(subtract(p, origin)), radius));
  return norm(cross(subtract(nearest, ray.origin), ray.direction));
}

/** Where a ray meets the plane through a point. @param {Ray} ray @param {Vector} point @param {Vector} normal @returns {Vector | null} */
function onPlane(ray, point, normal) {
  const along = dot(ray.direction, normal);
  if (Math.abs(along) < 1e-9) return null;
  const distance = dot(subtract(point, ray.origin), normal) / along;
  return distance > 0 ? add(ray.origin, scale(ray.direction, distance)) : null;
}

/** Whether a ray passes through the box around any of some parts, made a little larger. @param {Ray} ray @param {Instance[]} instances */
export function meets(ray, instances) {
  return instances.some(({ frame, half = [0, 0, 0] }) => {
    const R = rotationOf(frame);
    const from = turnedBack(R, subtract(ray.origin, originOf(frame)));
    const along = turnedBack(R, ray.direction).map((value) => value || Number.EPSILON);
    const sides = half.map((reach, k) => [-1, 1].map((side) => (side * GENEROUS * reach - from[k]) / along[k]));
    return Math.max(0, ...sides.map((pair) => Math.min(...pair))) <= Math.min(...sides.map((pair) => Math.max(...pair)));
  });
}
