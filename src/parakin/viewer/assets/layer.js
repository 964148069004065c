// A layer: a result of analysis as points of the robot's space with values or words, faces and lines between them.

import { floatsOf, integersOf } from "./packed_numbers.js";
import { colourOf } from "./parts.js";
import { numberText } from "./quantities.js";

/** @typedef {import("./linear.js").Vector} Vector */
/** @typedef {{ name: string, unit: string, place: number, ends: [number, number], count: number }} Span */
/** @typedef {{ low: number, high: number, logarithmic: boolean, ticks: number[], colours: string[] }} Scale */
/**
 * @typedef {object} LayerData as parakin.viewer.layer_data writes it
 * @property {string} title
 * @property {string} note what it holds for
 * @property {string} group layers of one group are shown one at a time
 * @property {boolean} shown
 * @property {number} count of points
 * @property {number[]} low corner of its box [m]
 * @property {number[]} step of its points [m]
 * @property {string} points packed, three steps each
 * @property {string} faces packed, four corners each
 * @property {string} lines packed, two ends each
 * @property {string} codes packed: which of the words is said of each point
 * @property {string[]} words
 * @property {[string, string, string][]} tints words of a legend with their colours on light and on dark ground
 * @property {number[]} tintOf which of the tints points with each of the words have
 * @property {string | null} values packed
 * @property {string} unit of the values
 * @property {Scale | null} scale of the values
 * @property {boolean} infinite whether some values are infinite
 * @property {[Span[], Span[]] | null} grid coordinates that vary, the first quickest, and those that are held
 */

const SHADED = 0.88;
const SURFACE = 0.3;

export class Layer {
  /** @param {LayerData} data @param {Record<"points" | "faces" | "lines" | "codes", Int32Array>} arrays @param {Float32Array | null} values */
  constructor(data, arrays, values) {
    this.data = data;
    this.shown = data.shown;
    this.values = values;
    this.faces = arrays.faces;
    this.lines = arrays.lines;
    this.codes = arrays.codes;
    this.steps = arrays.points;
  }

  /** @param {LayerData} data */
  static async load(data) {
    const [points, faces, lines, codes] = await Promise.all([
      integersOf(data.points, 3), integersOf(data.faces, 4), integersOf(data.lines, 2), integersOf(data.codes, 1),
    ]);
    return new Layer(data, { points, faces, lines, codes }, data.values === null ? null : await floatsOf(data.values));
  }

  /** A point in base axes [m]. @param {number} k @returns {Vector} */
  point(k) {
    const { low, step } = this.data;
    const [x, y, z] = [0, 1, 2].map((axis) => low[axis] + step[axis] * this.steps[3 * k + axis]);
    return [x, y, z];
  }

  /** Red, green, blue and opacity of the faces at a point. @param {number} k @param {boolean} dark */
  colour(k, dark) {
    const { scale, tints, tintOf } = this.data;
    if (!this.values) return [...colourOf(tints[tintOf[this.codes[k]]][dark ? 2 : 1]), SURFACE];
    if (!scale || !Number.isFinite(this.values[k])) return [0, 0, 0, 0];
    const place = shareOf(scale, this.values[k]) * (scale.colours.length - 1);
    const first = Math.min(Math.floor(place), scale.colours.length - 2);
    const [a, b] = [first, first + 1].map((one) => colourOf(scale.colours[one]));
    return [...a.map((value, i) => value + (place - first) * (b[i] - value)), SHADED];
  }

  /** Where a point is between lines of equal value, which are at whole numbers; below 0 where there are none. @param {number} k */
  level(k) {
    const ticks = this.data.scale?.ticks;
    if (!this.values || !ticks || ticks.length < 2 || !Number.isFinite(this.values[k])) return -1;
    const at = (/** @type {number} */ value) => (this.data.scale?.logarithmic ? Math.log(value) : value);
    const value = this.values[k];
    const above = ticks.findIndex((tick) => tick > value);
    const next = above < 0 ? ticks.length - 1 : Math.max(1, above);
    return 1 + next + (at(value) - at(ticks[next])) / (at(ticks[next]) - at(ticks[next - 1]));
  }

  /** What is known at a point: its value, or words. @param {number} k */
  reading(k) {
    const word = this.data.words[this.codes[k]];
    if (!this.values) return word;
    return word ? `no value: ${word}` : valueText(this.values[k], this.data.unit);
  }

  /** Where a point is, as the coordinates that vary, or else in space. @param {number} k @param {number[]} home */
  whereabouts(k, home) {
    if (!this.data.grid) return `${this.point(k).map((value) => numberText(value, "m", 1)).join(", ")} mm`;
    let rest = k;
    return this.data.grid[0].map(({ name, unit, place, ends, count }) => {
      const at = rest % count;
      rest = Math.floor(rest / count);
      const offset = ends[0] + (at / (count - 1)) * (ends[1] - ends[0]);
      return `${name} ${coordinateText(offset + home[place], unit)}`;
    }).join(", ");
  }

  /**
   * The point that is nearest to a pose given as an offset from home, and what of the pose is not that of the layer; null
   * where it is beyond the layer.
   * @param {number[]} offset @returns {{ point: number, away: string[] } | null}
   */
  nearest(offset) {
    if (!this.data.grid) return null;
    const [spans, held] = this.data.grid;
    let [point, stride] = [0, 1];
    for (const { place, ends, count } of spans) {
      const at = Math.round(((offset[place] - ends[0]) / (ends[1] - ends[0])) * (count - 1));
      if (!(at >= 0 && at < count)) return null;
      point += stride * at;
      stride *= count;
    }
    const away = held.flatMap(({ name, unit, place, ends }) => {
      const text = coordinateText(Math.abs(offset[place] - ends[0]), unit);
      return text === coordinateText(0, unit) ? [] : [`${name} by ${text}`];
    });
    return { point, away };
  }
}

/** How far a value is along a scale, from 0 to 1. @param {Scale} scale @param {number} value */
export function shareOf(scale, value) {
  const [low, high, at] = [scale.low, scale.high, value].map((one) => (scale.logarithmic ? Math.log(one) : one));
  return high > low ? Math.min(1, Math.max(0, (at - low) / (high - low))) : 0.5;
}

/** @param {number} value in SI @param {string} unit m or rad */
const coordinateText = (value, unit) => (unit === "m" ? `${numberText(value, unit, 1)} mm` : `${numberText(value, unit, 1)}°`);

/** A value with its unit, to four digits. @param {number} value @param {string} unit */
export const valueText = (value, unit) =>
  `${Number.isFinite(value) ? Number(value.toPrecision(4)) : "∞"}${unit === "1" ? "" : ` ${unit}`}`;
