// Calls the robot's kernels, compiled to one WebAssembly module, by the names of their inputs and outputs.

import { bytesOf } from "./packing.js";

/** @typedef {{ name: string, shape: number[], type: "f64" | "i32", offset: number }} Socket offset: bytes from the start of memory */
/** @typedef {{ inputs: Socket[], outputs: Socket[], status: string }} KernelInterface status: the output that says how good a state is */
/** @typedef {Record<string, ArrayLike<number>>} Values */
/** @typedef {{ status: number, values: Record<string, Float64Array> }} Outcome */

export class Kernels {
  /** @param {WebAssembly.Instance} instance @param {Record<string, KernelInterface>} table */
  constructor(instance, table) {
    this.exports = /** @type {Record<string, any>} */ (instance.exports);
    this.memory = /** @type {WebAssembly.Memory} */ (this.exports.memory);
    this.table = table;
  }

  /** @param {string} text a module as `bytesOf` reads it @returns {Promise<Kernels>} */
  static async load(text) {
    const module = await WebAssembly.compile(await bytesOf(text));
    const [section] = WebAssembly.Module.customSections(module, "parakin");
    const description = JSON.parse(new TextDecoder().decode(section));
    return new Kernels(await WebAssembly.instantiate(module), description.kernels);
  }

  /** @param {string} name */
  has(name) {
    return name in this.table;
  }

  /**
   * Evaluates a kernel on one state. Inputs are looked up by name; numbers that are not given are an error of this page.
   * @param {string} name @param {Values} values @returns {Outcome}
   */
  call(name, values) {
    const kernel = this.table[name];
    for (const socket of kernel.inputs) {
      const given = values[socket.name];
      if (!given) throw new Error(`kernel ${name} needs ${socket.name}`);
      this.array(socket).set(given);
    }
    this.exports[name]();
    let status = 0;
    /** @type {Record<string, Float64Array>} */ const results = {};
    for (const socket of kernel.outputs) {
      if (socket.name === kernel.status) [status] = new Int32Array(this.memory.buffer, socket.offset, 1);
      else results[socket.name] = this.array(socket).slice();
    }
    return { status, values: results };
  }

  /** @param {Socket} socket */
  array(socket) {
    return new Float64Array(this.memory.buffer, socket.offset, socket.shape.reduce((product, side) => product * side, 1));
  }
}
