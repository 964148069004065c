// The panel beside the picture: sliders, numbers and what is wrong, in words.

import { button, element, section, setText } from "./dom.js";
import { STATUS } from "./machine.js";
import { display, numberText, quantityText } from "./quantities.js";

/** @typedef {import("./machine.js").Place} Place */
/** @typedef {import("./machine.js").Actuator & { range: [number, number] }} DrivenActuator */
/** @typedef {import("./pose_space.js").PoseSpace} PoseSpace */
/** @typedef {{ range: HTMLInputElement, number: HTMLInputElement }} Slider */
/** @typedef {{ range: HTMLInputElement, value: HTMLElement, force: HTMLElement, bar: HTMLElement, row: HTMLElement }} ActuatorRow */

const BEYOND = 0.4;
const NAMES = { [-1]: "unusable", 0: "good", 1: "out of reach", 2: "singular", 3: "not found", 4: "beyond a stroke", 5: "beyond a joint limit" };

/** Sliders with exact numbers for the coordinates of a pose. */
export class PosePanel {
  /** @param {PoseSpace} space @param {(offset: number[]) => void} changed */
  constructor(space, changed) {
    this.space = space;
    const { offsetNames, offsetUnits, lower, upper, home } = space.data;
    // Lengths and angles are shown as they are in a pose; a rotation vector is counted from home.
    this.zero = offsetNames.map((_, k) => (space.quaternion && k >= space.start ? 0 : home[k]));
    /** @type {Slider[]} */
    this.sliders = offsetNames.map((name, k) => {
      const { factor, unit, digits } = display(offsetUnits[k]);
      const margin = BEYOND * (upper[k] - lower[k]);
      const [least, most] = [lower[k] - margin, upper[k] + margin].map((offset) => factor * (this.zero[k] + offset));
      const label = `${name} in ${unit === "°" ? "degrees" : unit}`;
      const tell = (/** @type {HTMLInputElement} */ source) => () => {
        const value = Number(source.value);
        if (source.value !== "" && Number.isFinite(value)) changed(this.offset(k, value / factor - this.zero[k]));
      };
      const range = element("input", { type: "range", id: `pose-${k}`, min: least, max: most, step: (most - least) / 1000, "aria-label": label });
      const number = element("input", { type: "number", id: `pose-${k}-number`, step: 10 ** -digits, "aria-label": label });
      range.addEventListener("input", tell(range));
      number.addEventListener("change", tell(number));
      return { range, number };
    });
    /** @type {number[]} */ this.now = offsetNames.map(() => 0);
  }

  /** @param {number} k @param {number} value */
  offset(k, value) {
    return this.now.map((before, i) => (i === k ? value : before));
  }

  /** @param {Node[]} buttons */
  panel(...buttons) {
    const { offsetNames, offsetUnits } = this.space.data;
    const rows = this.sliders.map(({ range, number }, k) => element("div", { class: "slider" },
      element("label", { for: `pose-${k}` }, offsetNames[k]), range, number, element("span", { class: "unit" }, display(offsetUnits[k]).unit)));
    return section("Pose", element("div", { class: "row" }, ...buttons), ...rows);
  }

  /** @param {number[]} pose */
  show(pose) {
    this.now = this.space.offset(pose);
    this.sliders.forEach(({ range, number }, k) => {
      const unit = this.space.data.offsetUnits[k];
      const value = this.zero[k] + this.now[k];
      range.value = String(value * display(unit).factor);
      if (document.activeElement !== number) number.value = numberText(value, unit);
    });
  }
}

/** A slider, a force and a bar for each actuator. */
export class ActuatorPanel {
  /** @param {DrivenActuator[]} actuators @param {boolean} canDrive @param {(k: number, q: number) => void} changed */
  constructor(actuators, canDrive, changed) {
    this.actuators = actuators;
    this.largest = Math.max(1e-9, ...actuators.map((actuator) => actuator.force ?? 0));
    /** @type {ActuatorRow[]} */
    this.rows = actuators.map(({ name, unit, range: [low, high] }, k) => {
      const range = element("input", {
        type: "range", id: `actuator-${k}`, min: low, max: high, step: (high - low) / 2000,
        "aria-label": `position of ${name}`, disabled: !canDrive, oninput: () => changed(k, Number(range.value)),
      });
      const [value, force] = [element("output", { id: `q-${k}` }), element("output", { id: `force-${k}` })];
      const bar = element("i", {});
      const row = element("div", { class: "actuator" }, element("label", { for: `actuator-${k}`, title: `${name} [${unit}]` }, name), range, value, force,
        element("span", { class: "bar", title: "force, as a part of the largest" }, bar));
      return { range, value, force, bar, row };
    });
  }

  panel() {
    const { actuators } = this;
    const limits = actuators.some(({ lower, upper }) => lower !== null || upper !== null);
    const hint = limits ? "Sliders go from end to end of the strokes." : "The file gives no strokes.";
    return section("Motors", ...this.rows.map(({ row }) => row), element("p", { class: "hint" }, hint));
  }

  /** @param {Place} place @param {ArrayLike<number> | null} tau */
  show(place, tau) {
    const { q } = place;
    if (tau) this.largest = Math.max(this.largest, ...Array.from(tau, Math.abs));
    this.rows.forEach(({ range, value, force, bar, row }, k) => {
      const { unit, forceUnit, force: limit } = this.actuators[k];
      if (q && document.activeElement !== range) range.value = String(q[k]);
      setText(value, q ? quantityText(q[k], unit) : "–");
      setText(force, tau ? quantityText(tau[k], forceUnit) : "–");
      row.classList.toggle("bad", place.beyond[k] > 0 || (tau !== null && limit !== null && Math.abs(tau[k]) > limit));
      const part = tau ? tau[k] / (limit ?? this.largest) : 0;
      const size = Math.min(1, Math.abs(part)) * 50;
      bar.style.left = `${part < 0 ? 50 - size : 50}%`;
      bar.style.width = `${size}%`;
    });
  }
}

/** What state the robot is in. */
export class StatePanel {
  /** @param {number} mass @param {number} largest [kg] @param {(mass: number) => void} changed */
  constructor(mass, largest, changed) {
    /** @type {Record<string, HTMLElement>} */
    this.cells = Object.fromEntries(["status", "condition", "centre", "power"].map((name) => [name, element("output", { id: name })]));
    this.mass = element("output", { id: "mass" }, `${mass.toFixed(2)} kg`);
    this.payload = element("input", {
      type: "range", id: "payload", min: 0, max: largest, step: largest / 200, "aria-label": "payload in kilograms",
      oninput: () => {
        setText(this.mass, `${Number(this.payload.value).toFixed(2)} kg`);
        changed(Number(this.payload.value));
      },
    });
    this.payload.value = String(mass);
  }

  panel() {
    const { status, condition, centre, power } = this.cells;
    const rows = /** @type {[string, HTMLElement][]} */ ([
      ["status", status], ["condition number", condition], ["centre of mass", centre], ["power of the motors", power],
    ]);
    return section("State",
      element("div", { class: "slider" }, element("label", { for: "payload" }, "payload"), this.payload, this.mass),
      element("dl", {}, ...rows.flatMap(([name, cell]) => [element("dt", {}, name), element("dd", {}, cell)])));
  }

  /** @param {Place} place @param {number[] | null} centre [m] @param {number | null} power [W] */
  show(place, centre, power) {
    const { cells } = this;
    setText(cells.status, NAMES[/** @type {keyof typeof NAMES} */ (place.status)]);
    setText(cells.condition, place.condition > 0 && place.condition < Infinity ? place.condition.toPrecision(4) : "–");
    setText(cells.centre, centre ? `${centre.map((value) => numberText(value, "m", 1)).join(", ")} mm` : "–");
    setText(cells.power, power === null ? "–" : `${power.toFixed(2)} W`);
  }
}

/** Python for a pose, with all its digits. @param {number[]} pose */
export const pythonOf = (pose) => `pose = [${pose.map((value) => (Number.isInteger(value) ? value.toFixed(1) : String(value))).join(", ")}]`;

/** A button that copies the pose, and a field that shows it. @param {() => number[]} pose */
export function copyPanel(pose) {
  const field = element("input", { type: "text", readonly: true, id: "python", "aria-label": "the pose in Python" });
  const copy = button("copy pose", async () => {
    field.value = pythonOf(pose());
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      setText(copy, "copied");
    } catch {
      setText(copy, "selected: press Ctrl+C");
    }
    setTimeout(() => setText(copy, "copy pose"), 1500);
  });
  return { holder: element("div", { class: "row" }, copy, field), show: (/** @type {number[]} */ now) => { field.value = pythonOf(now); } };
}

/** Whether a place has numbers to show. @param {Place} place */
export const hasValues = (place) => ([STATUS.GOOD, STATUS.OUT_OF_STROKE, STATUS.JOINT_LIMIT]).includes(place.status);
