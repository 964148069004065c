// A motion, a simulation or a log that came with the page: columns of numbers, read at any time.

import { bytesOf } from "./packing.js";

/**
 * @typedef {object} RecordingData
 * @property {string} name
 * @property {number} rows
 * @property {number} every how many rows of the original one row here stands for
 * @property {Record<string, { columns: number, data: string }>} quantities t, pose and, where they are known, velocity,
 *   acceleration, desired, tau: 32-bit numbers column by column, deflated, in base64; t in 64 bits
 */

export class Recording {
  /** @param {RecordingData} data @param {Record<string, { columns: number, values: Float64Array }>} quantities */
  constructor(data, quantities) {
    this.name = data.name;
    this.rows = data.rows;
    this.every = data.every;
    this.quantities = quantities;
  }

  /** @param {RecordingData} data */
  static async load(data) {
    /** @type {Record<string, { columns: number, values: Float64Array }>} */ const quantities = {};
    for (const [name, { columns, data: text }] of Object.entries(data.quantities)) {
      const bytes = await bytesOf(text);
      const values = name === "t" ? new Float64Array(bytes) : Float64Array.from(new Float32Array(bytes));
      quantities[name] = { columns, values };
    }
    return new Recording(data, quantities);
  }

  get t() {
    return this.quantities.t.values;
  }

  get start() {
    return this.t[0];
  }

  get end() {
    return this.t[this.rows - 1];
  }

  /** @param {string} name */
  has(name) {
    return name in this.quantities;
  }

  /** One column. @param {string} name @param {number} column */
  column(name, column) {
    return this.quantities[name].values.subarray(column * this.rows, (column + 1) * this.rows);
  }

  /** @param {string} name @param {number} k @returns {number[]} */
  row(name, k) {
    const { columns, values } = this.quantities[name];
    return Array.from({ length: columns }, (_, column) => values[column * this.rows + k]);
  }

  /** The row before a time and how far it is towards the next, 0 to 1. @param {number} time @returns {[number, number]} */
  at(time) {
    let [low, high] = [0, this.rows - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.t[middle] <= time) low = middle;
      else high = middle;
    }
    if (high === low) return [low, 0];
    const part = (time - this.t[low]) / (this.t[high] - this.t[low]);
    return [low, Math.min(1, Math.max(0, part))];
  }

  /** Numbers between two rows. @param {string} name @param {number} time */
  mixed(name, time) {
    const [k, part] = this.at(time);
    const [a, b] = [this.row(name, k), this.row(name, Math.min(k + 1, this.rows - 1))];
    return a.map((value, i) => value + part * (b[i] - value));
  }

  /** The pose between two rows. @param {"pose" | "desired"} name @param {number} time @param {import("./pose_space.js").PoseSpace} space */
  poseAt(name, time, space) {
    const [k, part] = this.at(time);
    return space.between(this.row(name, k), this.row(name, Math.min(k + 1, this.rows - 1)), part);
  }
}
