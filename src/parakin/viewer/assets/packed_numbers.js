// Arrays of numbers that Python packed into the page: their first bytes first, integers as differences of rows.

import { bytesOf } from "./packing.js";

/** The numbers' bytes in their own order, of 32 bits each. @param {string} text @returns {Promise<ArrayBuffer>} */
async function inOrder(text) {
  const bytes = new Uint8Array(await bytesOf(text));
  const count = bytes.length / 4;
  const ordered = new Uint8Array(bytes.length);
  for (let k = 0; k < bytes.length; k += 1) ordered[4 * (k % count) + Math.floor(k / count)] = bytes[k];
  return ordered.buffer;
}

/** Numbers of 32 bits. @param {string} text */
export const floatsOf = async (text) => new Float32Array(await inOrder(text));

/** Integers, row by row. @param {string} text @param {number} columns @returns {Promise<Int32Array>} */
export async function integersOf(text, columns) {
  const steps = new Int32Array(await inOrder(text));
  const rows = steps.length / columns;
  const values = new Int32Array(steps.length);
  for (let column = 0; column < columns; column += 1) {
    let sum = 0;
    for (let row = 0; row < rows; row += 1) {
      sum += steps[column * rows + row];
      values[row * columns + column] = sum;
    }
  }
  return values;
}
