// Draws the same instances on a plain canvas, far ones first, where a browser has no WebGL2.

import { add, norm, originOf, scale } from "./linear.js";
import { gridSpacing } from "./webgl_renderer.js";

/** @typedef {import("./webgl_renderer.js").Instance} Instance */
/** @typedef {import("./webgl_renderer.js").Theme} Theme */
/** @typedef {import("./webgl_renderer.js").Ground} Ground */
/** @typedef {import("./webgl_renderer.js").Overlay} Overlay */
/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {import("./linear.js").Vector} Vector */

export class CanvasRenderer {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** @type {Map<string, number[][]>} */
    this.outlines = new Map([["box", [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]]]);
  }

  /** @param {string} name @param {import("./shapes.js").Mesh} _ @param {number[][]} outline */
  addShape(name, _, outline) {
    this.outlines.set(name, outline);
  }

  /** @param {Instance[]} instances @param {Camera} camera @param {Theme} theme @param {Ground} ground @param {Overlay} overlay */
  draw(instances, camera, theme, ground, overlay) {
    const { context, canvas } = this;
    context.fillStyle = css(theme.background);
    context.fillRect(0, 0, canvas.width, canvas.height);
    this.drawGrid(camera, theme, ground);
    overlay?.(this);
    const sorted = instances
      .map((instance) => ({ instance, depth: camera.seen(originOf(instance.frame))[2] }))
      .sort((a, b) => b.depth - a.depth);
    for (const { instance } of sorted) this.drawInstance(instance, camera);
  }

  /** @param {Camera} camera @param {Theme} theme @param {Ground} ground */
  drawGrid(camera, theme, ground) {
    const spacing = gridSpacing(ground.radius);
    const steps = 8;
    this.context.strokeStyle = css(theme.grid);
    this.context.lineWidth = 1;
    for (let k = -steps; k <= steps; k += 1) {
      const reach = steps * spacing;
      const [x, y] = [Math.round(ground.middle[0] / spacing) * spacing, Math.round(ground.middle[1] / spacing) * spacing];
      this.stroke(camera, [x + k * spacing, y - reach, ground.height], [x + k * spacing, y + reach, ground.height]);
      this.stroke(camera, [x - reach, y + k * spacing, ground.height], [x + reach, y + k * spacing, ground.height]);
    }
  }

  /** @param {Camera} camera @param {Vector} a @param {Vector} b */
  stroke(camera, a, b) {
    const [from, to] = [camera.seen(a), camera.seen(b)];
    if (from[2] <= 0 || to[2] <= 0) return;
    this.context.beginPath();
    this.context.moveTo(...this.pixel(from));
    this.context.lineTo(...this.pixel(to));
    this.context.stroke();
  }

  /** @param {Vector} seen @returns {[number, number]} */
  pixel(seen) {
    return [((seen[0] + 1) / 2) * this.canvas.width, ((1 - seen[1]) / 2) * this.canvas.height];
  }

  /** @param {Instance} instance @param {Camera} camera */
  drawInstance({ shape, frame, size, colour }, camera) {
    const { context } = this;
    const middle = originOf(frame);
    const pixelsAMetre = this.canvas.height / camera.sizeAt(middle, 1);
    context.globalAlpha = colour[3];
    if (shape === "cylinder" || shape === "cone") {
      /** @type {Vector} */ const z = [frame[2], frame[6], frame[10]];
      context.lineCap = "butt";
      for (const [shade, part] of [[0.55, 1], [1, 0.6]]) {
        context.strokeStyle = css(colour.map((value) => value * shade));
        context.lineWidth = Math.max(1, 2 * size[0] * pixelsAMetre * part);
        this.stroke(camera, add(middle, scale(z, -size[2] / 2)), add(middle, scale(z, size[2] / 2)));
      }
    } else if (shape === "sphere") {
      this.polygon(circlePixels(this.pixel(camera.seen(middle)), size[0] * pixelsAMetre), colour, 0.8);
    } else {
      const outline = this.outlines.get(shape) ?? ringOutline();
      const corners = outline.map(([x, y]) => {
        const p = [x * size[0], y * size[1]];
        return this.pixel(camera.seen(add(middle, [
          frame[0] * p[0] + frame[1] * p[1], frame[4] * p[0] + frame[5] * p[1], frame[8] * p[0] + frame[9] * p[1],
        ])));
      });
      this.polygon(corners, colour, shape === "ring" ? 0 : 0.85);
    }
    context.globalAlpha = 1;
  }

  /** @param {[number, number][]} corners @param {number[]} colour @param {number} fill shade, or 0 for an outline alone */
  polygon(corners, colour, fill) {
    const { context } = this;
    context.beginPath();
    corners.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.lineWidth = fill ? 1 : 3;
    context.strokeStyle = css(colour.map((value) => value * (fill ? 0.5 : 1)));
    if (fill) {
      context.fillStyle = css(colour.map((value) => value * fill));
      context.fill();
    }
    context.stroke();
  }
}

/** @param {number[]} colour */
export const css = (colour) => `rgb(${colour.slice(0, 3).map((value) => Math.round(255 * Math.min(1, value))).join(" ")})`;

const ringOutline = () => Array.from({ length: 48 }, (_, k) => [Math.cos((k * Math.PI) / 24), Math.sin((k * Math.PI) / 24)]);

/** @param {[number, number]} middle @param {number} radius @returns {[number, number][]} */
const circlePixels = (middle, radius) =>
  ringOutline().map(([c, s]) => [middle[0] + c * radius, middle[1] + s * radius]);

/** Whether all numbers of a frame are known. @param {import("./linear.js").Numbers} frame */
export const isKnown = (frame) => Number.isFinite(norm(originOf(frame))) && Number.isFinite(frame[0] + frame[5] + frame[10]);
