// Plays a recording: time, speed, loop, and charts of forces and errors with a cursor.

import { Chart, CURVE_COLOURS } from "./chart.js";
import { button, element, section, setText } from "./dom.js";
import { norm, originOf, subtract } from "./linear.js";

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./pose_space.js").PoseSpace} PoseSpace */
/** @typedef {import("./chart.js").Curve} Curve */

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5];

export class Player {
  /**
   * @param {Recording} recording @param {PoseSpace} space
   * @param {string[]} names of the actuators @param {string[]} units of their forces
   * @param {(k: number) => ArrayLike<number> | null} forces of a row that the recording has none of
   * @param {() => void} changed
   */
  constructor(recording, space, names, units, forces, changed) {
    this.recording = recording;
    this.space = space;
    this.changed = changed;
    this.time = recording.start;
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    this.active = true;
    /** @type {number | null} */ this.last = null;
    this.curves = this.forceCurves(names, forces);
    this.units = [...new Set(units)].join(", ");
    /** @type {Chart[]} */ this.charts = [];
  }

  /** @param {string[]} names @param {(k: number) => ArrayLike<number> | null} forces @returns {Curve[]} */
  forceCurves(names, forces) {
    const { recording } = this;
    const rows = recording.has("tau") ? null : Array.from({ length: recording.rows }, (_, k) => forces(k));
    return names.map((name, i) => ({
      name,
      colour: CURVE_COLOURS[i % CURVE_COLOURS.length],
      values: rows ? Float64Array.from(rows, (row) => (row ? row[i] : NaN)) : recording.column("tau", i),
    }));
  }

  /** Distance of the platform from where it should be [mm]. @returns {Float64Array | null} */
  errors() {
    const { recording, space } = this;
    if (!recording.has("desired") || !space.data.linear) return null;
    return Float64Array.from({ length: recording.rows }, (_, k) => {
      const [is, should] = [recording.row("pose", k), recording.row("desired", k)].map((pose) => originOf(/** @type {number[]} */ (space.platformFrame(pose))));
      return 1000 * norm(subtract(is, should));
    });
  }

  /** The forces of now. @returns {number[]} */
  get forces() {
    const [k] = this.recording.at(this.time);
    return this.curves.map((curve) => curve.values[k]);
  }

  panel() {
    const { recording } = this;
    this.toggle = button("▶ play", () => this.setPlaying(!this.playing), { id: "play", class: "main" });
    this.slider = element("input", {
      type: "range", id: "time", min: recording.start, max: recording.end, step: "any", "aria-label": "time in seconds",
      oninput: () => this.seek(Number(this.slider?.value)),
    });
    this.clock = element("output", { id: "clock" });
    const speed = element("select", { "aria-label": "speed", onchange: () => { this.speed = Number(speed.value); } },
      ...SPEEDS.map((factor) => element("option", { value: factor, selected: factor === 1 }, `${factor} ×`)));
    const loop = element("input", { type: "checkbox", checked: true, onchange: () => { this.loop = loop.checked; } });
    const thinned = recording.every > 1 ? `, every ${recording.every}th row shown` : "";
    const holder = section("Motion", element("p", { class: "hint" }, `${recording.name}: ${(recording.end - recording.start).toFixed(2)} s${thinned}`),
      element("div", { class: "row" }, this.toggle, speed, element("label", {}, loop, " loop"), this.clock), this.slider);
    this.addChart(holder, `forces [${this.units}]`, this.curves, this.units);
    const errors = this.errors();
    if (errors) this.addChart(holder, "distance from the desired pose [mm]", [{ name: "error", colour: CURVE_COLOURS[3], values: errors }], "mm");
    return holder;
  }

  /** @param {HTMLElement} holder @param {string} title @param {Curve[]} curves @param {string} unit */
  addChart(holder, title, curves, unit) {
    const canvas = element("canvas", { class: "chart", role: "img", "aria-label": `chart of ${title} over time` });
    const legend = curves.length > 1
      ? element("p", { class: "legend" }, ...curves.map(({ name, colour }) => element("span", { style: `--mark:${colour}` }, name)))
      : "";
    holder.append(element("h3", {}, title), canvas, legend);
    this.charts.push(new Chart(canvas, this.recording.t, curves, unit, (time) => this.seek(time)));
  }

  /** @param {boolean} playing */
  setPlaying(playing) {
    if (playing && !this.loop && this.time >= this.recording.end) this.time = this.recording.start;
    this.playing = playing;
    this.active = true;
    this.last = null;
    if (this.toggle) setText(this.toggle, playing ? "❚❚ pause" : "▶ play");
    this.changed();
  }

  /** Stops following the recording: somebody took the robot by hand. */
  leave() {
    this.active = false;
    if (!this.playing) return;
    this.playing = false;
    if (this.toggle) setText(this.toggle, "▶ play");
  }

  /** @param {number} time */
  seek(time) {
    this.time = time;
    this.active = true;
    this.changed();
  }

  /** Goes on by the time that went by on the clock. @param {number} now milliseconds */
  advance(now) {
    if (!this.playing) return;
    const passed = this.last === null ? 0 : (now - this.last) / 1000;
    this.last = now;
    const { start, end } = this.recording;
    const next = this.time + this.speed * passed;
    if (next <= end) this.time = next;
    else if (this.loop) this.time = start + ((next - start) % (end - start || 1));
    else {
      this.time = end;
      this.setPlaying(false);
    }
  }

  draw() {
    if (this.slider) this.slider.value = String(this.time);
    if (this.clock) setText(this.clock, `${this.time.toFixed(3)} s`);
    for (const chart of this.charts) chart.draw(this.time);
  }
}
