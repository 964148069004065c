// The triangles of a layer in the upright world, and what a ray meets of them.

import { across, add, cross, dot, norm, scale, subtract } from "./linear.js";

/** @typedef {import("./linear.js").Vector} Vector */
/** @typedef {import("./layer.js").Layer} Layer */
/** @typedef {import("./camera.js").Ray} Ray */
/**
 * @typedef {object} LayerMesh
 * @property {Float32Array} corners of all triangles: place, normal, colour with opacity, level; eleven numbers each
 * @property {Uint32Array} indices three for each triangle, those of lines first
 * @property {number} ofLines how many of the indices are lines'
 * @property {number[]} sources the point of the layer that each corner comes from
 * @property {boolean} glass whether light and the angle of sight matter: not where colours are values
 */

export const CORNER = 11;
const TUBE_SIDES = 6;
const OUTLINE = 0.7;

/**
 * @param {Layer} layer @param {(p: Vector) => Vector} upright from base axes @param {number} radius of lines [m] @param {boolean} dark
 * @returns {LayerMesh}
 */
export function layerMesh(layer, upright, radius, dark) {
  const { faces, lines, values, data: { count } } = layer;
  const places = Array.from({ length: count }, (_, k) => upright(layer.point(k)));
  const colours = places.map((_, k) => layer.colour(k, dark));
  /** @type {number[]} */ const corners = [];
  /** @type {number[]} */ const sources = [];
  /** @type {number[]} */ const indices = [];
  const put = (/** @type {number} */ k, /** @type {Vector} */ p, /** @type {Vector} */ normal, /** @type {number[]} */ colour, level = -1) => {
    corners.push(...p, ...normal, ...colour, level);
    sources.push(k);
  };
  // Outlines are thinner than curves, so that a curve that runs along one is seen.
  const thickness = faces.length ? OUTLINE * radius : radius;
  for (let i = 0; i < lines.length; i += 2) {
    const [a, b] = [places[lines[i]], places[lines[i + 1]]];
    const [x, y] = across(scale(subtract(b, a), 1 / (norm(subtract(b, a)) || 1)));
    const first = sources.length;
    for (let turn = 0; turn < TUBE_SIDES; turn += 1) {
      const angle = (2 * Math.PI * turn) / TUBE_SIDES;
      const out = add(scale(x, Math.cos(angle)), scale(y, Math.sin(angle)));
      for (const [k, p] of /** @type {[number, Vector][]} */ ([[lines[i], a], [lines[i + 1], b]])) {
        put(k, add(p, scale(out, thickness)), out, [...colours[k].slice(0, 3), 1]);
      }
      const [now, next] = [first + 2 * turn, first + 2 * ((turn + 1) % TUBE_SIDES)];
      indices.push(now, next, now + 1, now + 1, next, next + 1);
    }
  }
  const ofLines = indices.length;
  const start = sources.length;
  const normals = faceNormals(faces, places);
  places.forEach((p, k) => put(k, p, normals[k], colours[k], layer.level(k)));
  for (let i = 0; i < faces.length; i += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((corner) => start + faces[i + corner]);
    indices.push(a, b, c);
    if (d !== c) indices.push(a, c, d);
  }
  return { corners: new Float32Array(corners), indices: new Uint32Array(indices), ofLines, sources, glass: !values };
}

/** Normals at points: those of all faces around each, weighted by area. @param {Int32Array} faces @param {Vector[]} places */
function faceNormals(faces, places) {
  /** @type {Vector[]} */ const normals = places.map(() => [0, 0, 0]);
  for (let i = 0; i < faces.length; i += 4) {
    const [a, b, c, d] = Array.from(faces.subarray(i, i + 4), (k) => places[k]);
    const normal = cross(subtract(c, a), subtract(d === c ? b : d, b));
    for (const k of faces.subarray(i, i + 4)) normals[k] = add(normals[k], normal);
  }
  return normals.map((normal) => scale(normal, 1 / (norm(normal) || 1)));
}

/**
 * The point of a layer nearest to where a ray first meets it, and how far along the ray that is; null where it does not.
 * @param {LayerMesh} mesh @param {Ray} ray @returns {{ point: number, distance: number } | null}
 */
export function met({ corners, indices, sources }, { origin, direction }) {
  /** @param {number} k @returns {Vector} */
  const place = (k) => [corners[CORNER * k], corners[CORNER * k + 1], corners[CORNER * k + 2]];
  let best = { distance: Infinity, triangle: -1 };
  for (let i = 0; i < indices.length; i += 3) {
    const a = place(indices[i]);
    const [u, v] = [subtract(place(indices[i + 1]), a), subtract(place(indices[i + 2]), a)];
    const p = cross(direction, v);
    const size = dot(u, p);
    if (size === 0) continue;
    const from = subtract(origin, a);
    const first = dot(from, p) / size;
    const q = cross(from, u);
    const second = dot(direction, q) / size;
    const distance = dot(v, q) / size;
    if (first >= 0 && second >= 0 && first + second <= 1 && distance > 0 && distance < best.distance) best = { distance, triangle: i };
  }
  if (best.triangle < 0) return null;
  const hit = add(origin, scale(direction, best.distance));
  const [nearest] = Array.from(indices.subarray(best.triangle, best.triangle + 3))
    .sort((a, b) => norm(subtract(place(a), hit)) - norm(subtract(place(b), hit)));
  return { point: sources[nearest], distance: best.distance };
}
