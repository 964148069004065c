// The picture: canvas, renderer, camera, ground and colours of the ground.

import { Camera } from "./camera.js";
import { CanvasRenderer } from "./canvas_renderer.js";
import { element } from "./dom.js";
import { add, norm, scale, subtract } from "./linear.js";
import { Parts } from "./parts.js";
import { plate } from "./shapes.js";
import { WebglRenderer } from "./webgl_renderer.js";

/** @typedef {import("./linear.js").Vector} Vector */
/** @typedef {import("./webgl_renderer.js").Instance} Instance */
/** @typedef {import("./webgl_renderer.js").Theme} Theme */

/** @type {Record<"light" | "dark", Theme>} */
const THEMES = {
  light: { background: [0.962, 0.969, 0.98], ground: [0.93, 0.942, 0.958], grid: [0.8, 0.83, 0.87], shadow: 0.32 },
  dark: { background: [0.075, 0.09, 0.115], ground: [0.1, 0.12, 0.15], grid: [0.2, 0.23, 0.28], shadow: 0.6 },
};
const SHARPEST = 2;

export class Stage {
  /** @param {HTMLCanvasElement} canvas @param {Parts} parts */
  constructor(canvas, parts) {
    this.canvas = canvas;
    this.parts = parts;
    this.renderer = this.makeRenderer();
    const corners = this.corners();
    const middle = scale(corners.reduce((sum, p) => add(sum, p), /** @type {Vector} */ ([0, 0, 0])), 1 / 8);
    const radius = 0.82 * norm(subtract(corners[0], middle));
    this.ground = { height: Math.min(...corners.map((p) => p[2])) - 0.02 * radius, radius, middle };
    this.camera = new Camera(middle, radius);
    const { normal } = parts.scene;
    if (normal) this.camera.look(Math.abs(parts.upright(normal)[2]) > 0.5 ? "top" : "front");
    this.theme = THEMES.light;
  }

  makeRenderer() {
    /** @type {WebglRenderer | CanvasRenderer} */ let renderer;
    try {
      renderer = new WebglRenderer(this.canvas);
    } catch {
      renderer = new CanvasRenderer(this.canvas);
    }
    this.parts.scene.parts.forEach(({ outline }, k) => {
      if (!outline) return;
      const corners = Array.from({ length: outline.length / 2 }, (_, i) => [outline[2 * i], outline[2 * i + 1]]);
      renderer.addShape(Parts.plateName(k), plate(corners), corners);
    });
    return renderer;
  }

  /** Corners of the box around everything, in the upright world. @returns {Vector[]} */
  corners() {
    const { lower, upper } = this.parts.scene;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
      this.parts.upright([k & 1 ? upper[0] : lower[0], k & 2 ? upper[1] : lower[1], k & 4 ? upper[2] : lower[2]]));
  }

  /** @param {boolean} dark */
  setDark(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.parts.dark = dark;
    this.theme = THEMES[dark ? "dark" : "light"];
  }

  /** @param {Instance[]} instances @param {import("./webgl_renderer.js").Overlay} overlay */
  draw(instances, overlay) {
    this.fit();
    this.renderer.draw(instances, this.camera, this.theme, this.ground, overlay);
  }

  /** Gives the canvas as many pixels as it takes up on the screen. */
  fit() {
    const { canvas, camera } = this;
    const ratio = Math.min(SHARPEST, window.devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.max(1, Math.round(side * ratio)));
    if (canvas.width === width && canvas.height === height) return;
    [canvas.width, canvas.height] = [width, height];
    const before = camera.aspect;
    camera.aspect = width / height;
    if (Math.min(1, before) !== Math.min(1, camera.aspect)) camera.fit();
  }

  /** The line of sight under the pointer. @param {PointerEvent} event */
  rayOf(event) {
    const { clientWidth, clientHeight } = this.canvas;
    return this.camera.ray((2 * event.offsetX) / clientWidth - 1, 1 - (2 * event.offsetY) / clientHeight);
  }

  /** @param {string} name of the file */
  savePicture(name) {
    element("a", { download: `${name}.png`, href: this.canvas.toDataURL("image/png") }).click();
  }
}
