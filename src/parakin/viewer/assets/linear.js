// Small linear algebra: vectors of three numbers, rotations as nine (by rows), quaternions (w, x, y, z), frames
// [R | p] as twelve (by rows), as kernels give them.

/** @typedef {ArrayLike<number>} Numbers */
/** @typedef {[number, number, number]} Vector */

/** @param {Numbers} a @param {Numbers} b @returns {Vector} */
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

/** @param {Numbers} a @param {Numbers} b @returns {Vector} */
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** @param {Numbers} a @param {number} factor @returns {Vector} */
export const scale = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];

/** @param {Numbers} a @param {Numbers} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @param {Numbers} a @param {Numbers} b @returns {Vector} */
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** @param {Numbers} a */
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);

/** @param {Numbers} a @returns {Vector} */
export const unit = (a) => scale(a, 1 / (norm(a) || 1));

/** Two directions that make a right-handed frame with the unit vector z. @param {Numbers} z @returns {[Vector, Vector]} */
export function across(z) {
  const x = unit(Math.abs(z[0]) < 0.9 ? cross([1, 0, 0], z) : cross([0, 1, 0], z));
  return [x, cross(z, x)];
}

/** R v, R given by rows. @param {Numbers} R @param {Numbers} v @returns {Vector} */
export const turned = (R, v) => [
  R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
  R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
  R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
];

/** R^T v. @param {Numbers} R @param {Numbers} v @returns {Vector} */
export const turnedBack = (R, v) => [
  R[0] * v[0] + R[3] * v[1] + R[6] * v[2],
  R[1] * v[0] + R[4] * v[1] + R[7] * v[2],
  R[2] * v[0] + R[5] * v[1] + R[8] * v[2],
];

/** The rotation of a quaternion. @param {Numbers} q @returns {number[]} */
export function rotationOfQuaternion(q) {
  const [w, x, y, z] = [q[0], q[1], q[2], q[3]];
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ];
}

/** @param {Numbers} a @param {Numbers} b @returns {number[]} */
export const quaternionProduct = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

/** The quaternion of a rotation vector. @param {Numbers} r @returns {number[]} */
export function quaternionOfVector(r) {
  const angle = norm(r);
  const factor = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), r[0] * factor, r[1] * factor, r[2] * factor];
}

/** The shortest rotation vector of a quaternion. @param {Numbers} q @returns {Vector} */
export function vectorOfQuaternion(q) {
  const sign = q[0] < 0 ? -1 : 1;
  const sine = Math.hypot(q[1], q[2], q[3]);
  const factor = sine > 1e-12 ? (2 * Math.atan2(sine, sign * q[0])) / sine : 2;
  return [sign * q[1] * factor, sign * q[2] * factor, sign * q[3] * factor];
}

/** @param {number[]} q @returns {number[]} */
export function normalized(q) {
  const length = Math.hypot(...q);
  return q.map((value) => value / length);
}

/** The quaternion of a rotation given by rows. @param {Numbers} R @returns {number[]} */
export function quaternionOfRotation(R) {
  const trace = R[0] + R[4] + R[8];
  if (trace > 0) {
    const s = 2 * Math.sqrt(1 + trace);
    return normalized([s / 4, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s]);
  }
  if (R[0] > R[4] && R[0] > R[8]) {
    const s = 2 * Math.sqrt(1 + R[0] - R[4] - R[8]);
    return normalized([(R[7] - R[5]) / s, s / 4, (R[1] + R[3]) / s, (R[2] + R[6]) / s]);
  }
  if (R[4] > R[8]) {
    const s = 2 * Math.sqrt(1 + R[4] - R[0] - R[8]);
    return normalized([(R[2] - R[6]) / s, (R[1] + R[3]) / s, s / 4, (R[5] + R[7]) / s]);
  }
  const s = 2 * Math.sqrt(1 + R[8] - R[0] - R[4]);
  return normalized([(R[3] - R[1]) / s, (R[2] + R[6]) / s, (R[5] + R[7]) / s, s / 4]);
}

/** The frame [R | p]. @param {Numbers} R @param {Numbers} p @returns {number[]} */
export const frameOf = (R, p) => [R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1], R[6], R[7], R[8], p[2]];

/** @param {Numbers} T @returns {number[]} */
export const rotationOf = (T) => [T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]];

/** @param {Numbers} T @returns {Vector} */
export const originOf = (T) => [T[3], T[7], T[11]];

/** A B for frames. @param {Numbers} A @param {Numbers} B @returns {number[]} */
export function composed(A, B) {
  const C = new Array(12);
  for (let row = 0; row < 12; row += 4) {
    for (let column = 0; column < 4; column += 1) {
      C[row + column] = A[row] * B[column] + A[row + 1] * B[4 + column] + A[row + 2] * B[8 + column];
    }
    C[row + 3] += A[row + 3];
  }
  return C;
}

/** Product of 4 x 4 matrices as WebGL has them, by columns. @param {Numbers} A @param {Numbers} B */
export function product4(A, B) {
  const C = new Float32Array(16);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      let sum = 0;
      for (let k = 0; k < 4; k += 1) sum += A[4 * k + row] * B[4 * column + k];
      C[4 * column + row] = sum;
    }
  }
  return C;
}

/**
 * Condition number of a matrix given by rows: largest over smallest singular value, by one-sided Jacobi rotations of
 * its columns.
 * @param {Numbers} matrix @param {number} rows @param {number} columns
 */
export function condition(matrix, rows, columns) {
  const vectors = Array.from({ length: columns }, (_, k) => Array.from({ length: rows }, (_, i) => matrix[i * columns + k]));
  /** @param {number[]} a @param {number[]} b */
  const inner = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
  for (let sweep = 0; sweep < 30; sweep += 1) {
    let largest = 0;
    for (let i = 0; i < columns; i += 1) {
      for (let j = i + 1; j < columns; j += 1) {
        const [a, b] = [vectors[i], vectors[j]];
        const [aa, bb, ab] = [inner(a, a), inner(b, b), inner(a, b)];
        if (!(Math.abs(ab) > 1e-16 * Math.sqrt(aa * bb))) continue;
        largest = Math.max(largest, Math.abs(ab) / Math.sqrt(aa * bb));
        const zeta = (bb - aa) / (2 * ab);
        const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
        const c = 1 / Math.sqrt(1 + t * t);
        for (let k = 0; k < rows; k += 1) [a[k], b[k]] = [c * (a[k] - t * b[k]), c * (b[k] + t * a[k])];
      }
    }
    if (largest < 1e-14) break;
  }
  const values = vectors.map((vector) => Math.sqrt(inner(vector, vector)));
  return Math.max(...values) / Math.min(...values);
}

/**
 * The step x that brings A x nearest to b, short where A is nearly singular: (A^T A + damping I) x = A^T b.
 * @param {number[][]} A rows @param {number[]} b @param {number} damping
 */
export function dampedSolution(A, b, damping) {
  const n = A[0].length;
  const M = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n + 1 }, (_, j) =>
      A.reduce((sum, row, k) => sum + row[i] * (j < n ? row[j] : b[k]), i === j ? damping : 0)));
  for (let k = 0; k < n; k += 1) {
    for (let i = k + 1; i < n; i += 1) {
      const factor = M[i][k] / M[k][k];
      for (let j = k; j <= n; j += 1) M[i][j] -= factor * M[k][j];
    }
  }
  const x = new Array(n).fill(0);
  for (let i = n - 1; i >= 0; i -= 1) {
    x[i] = (M[i][n] - x.reduce((sum, value, j) => sum + (j > i ? M[i][j] * value : 0), 0)) / M[i][i];
  }
  return x;
}
