// A chart of several curves over time with a cursor, on a canvas.

/** @typedef {{ name: string, values: Float64Array, colour: string }} Curve */

const MARGIN = { left: 46, right: 8, top: 8, bottom: 18 };
const DASHES = [[], [7, 4], [3, 3], [9, 3, 2, 3]];
/** Colours of Okabe and Ito, which colour-blind readers tell apart. */
export const CURVE_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a", "#b8a900"];

/** About so many round numbers between two ends. @param {number} low @param {number} high @param {number} count */
export function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, k) => first + k * step);
}

export class Chart {
  /** @param {HTMLCanvasElement} canvas @param {Float64Array} t @param {Curve[]} curves @param {string} unit @param {(t: number) => void} seek */
  constructor(canvas, t, curves, unit, seek) {
    this.canvas = canvas;
    this.t = t;
    this.curves = curves;
    this.unit = unit;
    const known = curves.flatMap((curve) => Array.from(curve.values).filter(Number.isFinite));
    const [low, high] = known.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [0, 0]);
    const margin = 0.05 * (high - low || 1);
    this.low = low - (low < 0 ? margin : 0);
    this.high = high + margin;
    /** @param {PointerEvent} event */
    const follow = (event) => seek(this.timeAt(event.offsetX));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      follow(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && follow(event));
  }

  get width() {
    return this.canvas.clientWidth - MARGIN.left - MARGIN.right;
  }

  get height() {
    return this.canvas.clientHeight - MARGIN.top - MARGIN.bottom;
  }

  /** @param {number} x pixels */
  timeAt(x) {
    const part = Math.min(1, Math.max(0, (x - MARGIN.left) / this.width));
    return this.t[0] + part * (this.t[this.t.length - 1] - this.t[0]);
  }

  /** @param {number} t */
  x(t) {
    return MARGIN.left + (this.width * (t - this.t[0])) / (this.t[this.t.length - 1] - this.t[0] || 1);
  }

  /** @param {number} value */
  y(value) {
    return MARGIN.top + this.height * (1 - (value - this.low) / (this.high - this.low));
  }

  /** @param {number} now */
  draw(now) {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const [ink, faint] = [style.getPropertyValue("--faint-ink"), style.getPropertyValue("--line")];
    context.font = "11px system-ui, sans-serif";
    this.axes(context, ink, faint);
    this.curves.forEach((curve, k) => this.curve(context, curve, k));
    context.strokeStyle = ink;
    context.beginPath();
    context.moveTo(this.x(now), MARGIN.top);
    context.lineTo(this.x(now), MARGIN.top + this.height);
    context.stroke();
  }

  /** @param {CanvasRenderingContext2D} context @param {string} ink @param {string} faint */
  axes(context, ink, faint) {
    context.fillStyle = ink;
    context.strokeStyle = faint;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of ticks(this.low, this.high, 4)) {
      context.beginPath();
      context.moveTo(MARGIN.left, this.y(value));
      context.lineTo(MARGIN.left + this.width, this.y(value));
      context.stroke();
      context.fillText(String(Number(value.toPrecision(6))), MARGIN.left - 4, this.y(value));
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const value of ticks(this.t[0], this.t[this.t.length - 1], 4)) {
      context.fillText(`${Number(value.toPrecision(6))} s`, Math.min(this.x(value), MARGIN.left + this.width - 8), MARGIN.top + this.height + 4);
    }
  }

  /** Draws a curve; later ones are dashed, so that those below still show where two are the same. @param {CanvasRenderingContext2D} context @param {Curve} curve @param {number} k */
  curve(context, { values, colour }, k) {
    context.setLineDash(DASHES[k % DASHES.length]);
    context.strokeStyle = colour;
    context.lineWidth = 1.3;
    context.lineJoin = "round";
    context.beginPath();
    let down = false;
    values.forEach((value, k) => {
      if (!Number.isFinite(value)) down = false;
      else {
        context[down ? "lineTo" : "moveTo"](this.x(this.t[k]), this.y(value));
        down = true;
      }
    });
    context.stroke();
    context.lineWidth = 1;
    context.setLineDash([]);
  }
}
