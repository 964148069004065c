// Unit shapes as triangles, each with its normals: what the renderer draws many times, stretched.

/** @typedef {{ positions: Float32Array, normals: Float32Array, indices: Uint16Array }} Mesh */

const AROUND = 28;

/** Gathers triangles with a normal at each corner. */
class MeshBuilder {
  constructor() {
    /** @type {number[]} */ this.positions = [];
    /** @type {number[]} */ this.normals = [];
    /** @type {number[]} */ this.indices = [];
  }

  /** @param {number[]} p @param {number[]} n */
  corner(p, n) {
    this.positions.push(...p);
    this.normals.push(...n);
    return this.positions.length / 3 - 1;
  }

  /** Joins two rows of corners by triangles. @param {number[]} a @param {number[]} b */
  strip(a, b) {
    for (let k = 0; k + 1 < a.length; k += 1) {
      this.indices.push(a[k], a[k + 1], b[k], b[k], a[k + 1], b[k + 1]);
    }
  }

  /** Fills a convex outline. @param {number[][]} outline @param {number[]} normal */
  fan(outline, normal) {
    const corners = outline.map((p) => this.corner(p, normal));
    for (let k = 1; k + 1 < corners.length; k += 1) this.indices.push(corners[0], corners[k], corners[k + 1]);
  }

  /** @returns {Mesh} */
  mesh() {
    return {
      positions: new Float32Array(this.positions),
      normals: new Float32Array(this.normals),
      indices: new Uint16Array(this.indices),
    };
  }
}

/** @param {number} k */
const onCircle = (k) => {
  const angle = (2 * Math.PI * k) / AROUND;
  return [Math.cos(angle), Math.sin(angle)];
};

const CIRCLE = Array.from({ length: AROUND + 1 }, (_, k) => onCircle(k));

/** A cylinder or cone along z from -1/2 to 1/2, with caps. @param {number} bottom @param {number} top radii */
function turnedBody(bottom, top) {
  const made = new MeshBuilder();
  const rise = bottom - top;
  const size = Math.hypot(1, rise);
  const rows = [[bottom, -0.5], [top, 0.5]].map(([radius, z]) =>
    CIRCLE.map(([c, s]) => made.corner([radius * c, radius * s, z], [c / size, s / size, rise / size])));
  made.strip(rows[0], rows[1]);
  for (const [radius, z] of [[bottom, -0.5], [top, 0.5]]) {
    if (radius > 0) made.fan(CIRCLE.slice(1).map(([c, s]) => [radius * c, radius * s, z]), [0, 0, Math.sign(z)]);
  }
  return made.mesh();
}

function sphere() {
  const made = new MeshBuilder();
  const rows = Array.from({ length: AROUND / 2 + 1 }, (_, i) => {
    const polar = (2 * Math.PI * i) / AROUND;
    return CIRCLE.map(([c, s]) => {
      const p = [c * Math.sin(polar), s * Math.sin(polar), Math.cos(polar)];
      return made.corner(p, p);
    });
  });
  for (let i = 0; i + 1 < rows.length; i += 1) made.strip(rows[i], rows[i + 1]);
  return made.mesh();
}

/** A thin ring of radius 1 about z, for handles. */
function ring() {
  const made = new MeshBuilder();
  const thickness = 0.03;
  const around = Array.from({ length: 65 }, (_, k) => (2 * Math.PI * k) / 64);
  const rows = Array.from({ length: 9 }, (_, i) => {
    const [c, s] = [Math.cos((2 * Math.PI * i) / 8), Math.sin((2 * Math.PI * i) / 8)];
    return around.map((angle) => {
      const out = [Math.cos(angle), Math.sin(angle)];
      const radius = 1 + thickness * c;
      return made.corner([radius * out[0], radius * out[1], thickness * s], [c * out[0], c * out[1], s]);
    });
  });
  for (let i = 0; i + 1 < rows.length; i += 1) made.strip(rows[i], rows[i + 1]);
  return made.mesh();
}

/** A plate between z = -1/2 and 1/2 whose outline, counter-clockwise and convex, lies in x and y. @param {number[][]} outline */
export function plate(outline) {
  const made = new MeshBuilder();
  made.fan(outline.map(([x, y]) => [x, y, 0.5]), [0, 0, 1]);
  made.fan(outline.map(([x, y]) => [x, y, -0.5]), [0, 0, -1]);
  outline.forEach(([x, y], k) => {
    const [u, v] = outline[(k + 1) % outline.length];
    const length = Math.hypot(u - x, v - y) || 1;
    const normal = [(v - y) / length, (x - u) / length, 0];
    const side = [[x, y, -0.5], [u, v, -0.5], [u, v, 0.5], [x, y, 0.5]];
    made.fan(side, normal);
  });
  return made.mesh();
}

/** @returns {Record<string, Mesh>} the shapes that every page has, by name */
export const unitShapes = () => ({
  cylinder: turnedBody(1, 1),
  cone: turnedBody(1, 0),
  sphere: sphere(),
  box: plate([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]),
  ring: ring(),
});
