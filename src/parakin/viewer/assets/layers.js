// The layers of a page: their switches, scales and legends, and what they say where the pointer and the platform are.

import { element, section, setText } from "./dom.js";
import { Layer, shareOf, valueText } from "./layer.js";
import { LayerShader, drawOnCanvas } from "./layer_drawing.js";
import { layerMesh, met } from "./layer_mesh.js";

/** @typedef {import("./camera.js").Ray} Ray */
/** @typedef {import("./layer_mesh.js").LayerMesh} LayerMesh */
/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./webgl_renderer.js").WebglRenderer} WebglRenderer */
/** @typedef {import("./canvas_renderer.js").CanvasRenderer} CanvasRenderer */
/** @typedef {{ box: HTMLInputElement, here: HTMLElement, legend: HTMLElement }} Shown */

const LINE = 0.0045;

export class Layers {
  /** @param {Layer[]} list @param {Page} page */
  constructor(list, page) {
    this.list = list;
    this.parts = page.parts;
    this.radius = page.stage.ground.radius;
    this.space = page.space;
    this.changed = () => page.refresh();
    /** @type {LayerShader | null} */ this.shader = null;
    /** @type {Map<string, LayerMesh>} */ this.made = new Map();
    /** @type {Shown[]} */ this.rows = list.map((layer, k) => this.row(layer, k));
    this.tip = element("div", { id: "reading", hidden: true });
    page.stage.canvas.after(this.tip);
  }

  /** The layers of a page. @param {Page} page */
  static async load(page) {
    return new Layers(await Promise.all(page.data.layers.map((one) => Layer.load(one))), page);
  }

  /** The triangles of a layer in the colours of the theme, made once. @param {number} k @returns {LayerMesh} */
  mesh(k) {
    const { dark } = this.parts;
    const key = `${k} ${dark}`;
    const known = this.made.get(key) ?? layerMesh(this.list[k], (p) => this.parts.upright(p), LINE * this.radius, dark);
    this.made.set(key, known);
    return known;
  }

  /** Draws all layers that are switched on. @param {WebglRenderer | CanvasRenderer} renderer @param {import("./camera.js").Camera} camera */
  draw(renderer, camera) {
    const meshes = this.list.flatMap((layer, k) => (layer.shown ? [this.mesh(k)] : []));
    if ("gl" in renderer) {
      this.shader ??= new LayerShader(renderer.gl);
      this.shader.draw(meshes, camera);
    } else for (const mesh of meshes) drawOnCanvas(renderer, mesh, camera);
  }

  /** @param {Layer} layer @param {number} k @returns {Shown} */
  row(layer, k) {
    const box = element("input", { type: "checkbox", id: `layer-${k}`, onchange: () => this.turn(k, box.checked) });
    box.checked = layer.shown;
    return { box, here: element("output", { id: `layer-${k}-here` }), legend: element("div", { class: "legend tints" }) };
  }

  /** Switches a layer on or off; others that are at the same place go off when one goes on. @param {number} k @param {boolean} on */
  turn(k, on) {
    const { group } = this.list[k].data;
    this.list.forEach((layer, i) => {
      if (i === k) layer.shown = on;
      else if (on && group && layer.data.group === group) layer.shown = false;
      this.rows[i].box.checked = layer.shown;
    });
    this.hide();
    this.changed();
  }

  panel() {
    const blocks = this.list.map(({ data }, k) => {
      const { box, here, legend } = this.rows[k];
      const more = data.values === null ? [legend] : [...this.scale(data), ...(data.grid ? [this.hereRow(here)] : [])];
      return element("div", { class: "layer" }, element("label", {}, box, ` ${data.title}`), element("p", { class: "hint" }, data.note), ...more);
    });
    return section("Layers", ...blocks);
  }

  /** @param {HTMLElement} here */
  hereRow(here) {
    return element("dl", {}, element("dt", {}, "at the platform"), element("dd", {}, here));
  }

  /** A bar of the colours with numbers below it. @param {import("./layer.js").LayerData} data @returns {HTMLElement[]} */
  scale({ scale, unit, infinite }) {
    if (!scale) return [element("p", { class: "hint" }, infinite ? "infinite wherever this slice has a value" : "no pose of this slice has a value")];
    const bar = element("div", { class: "colours" });
    bar.style.background = `linear-gradient(to right, ${scale.colours.join(", ")})`;
    const ticks = scale.ticks.map((tick) => {
      const mark = element("span", {}, String(Number(tick.toPrecision(6))));
      mark.style.left = `${100 * shareOf(scale, tick)}%`;
      return mark;
    });
    const ends = `from ${valueText(scale.low, unit)} to ${valueText(scale.high, unit)}${scale.logarithmic ? ", colours by logarithm" : ""}${infinite ? "; infinite in some holes" : ""}`;
    return [bar, element("div", { class: "ticks" }, ...ticks), element("p", { class: "hint" }, ends)];
  }

  /** Shows what the layers say where the platform is, and legends in the colours of the theme. @param {number[]} pose */
  show(pose) {
    const offset = this.space.offset(pose);
    this.list.forEach((layer, k) => {
      const { here, legend } = this.rows[k];
      const { tints, grid } = layer.data;
      const colours = tints.map(([, light, dark]) => (this.parts.dark ? dark : light));
      if (legend.dataset.of !== colours.join()) {
        legend.dataset.of = colours.join();
        legend.replaceChildren(...tints.map(([words], i) => {
          const entry = element("span", {}, words);
          entry.style.setProperty("--mark", colours[i]);
          return entry;
        }));
      }
      if (!grid) return;
      const found = layer.nearest(offset);
      const away = found?.away.length ? ` (away from this slice: ${found.away.join(", ")})` : "";
      setText(here, found ? `${layer.reading(found.point)}${away}` : "beyond the map");
    });
  }

  /** Says what a layer knows under the pointer. @param {Ray | null} ray null where something is nearer @param {PointerEvent} event */
  hover(ray, event) {
    const hits = ray ? this.list.flatMap((layer, k) => {
      const hit = layer.shown ? met(this.mesh(k), ray) : null;
      return hit ? [{ layer, ...hit }] : [];
    }) : [];
    const [first] = hits.sort((a, b) => a.distance - b.distance);
    if (!first) {
      this.hide();
      return;
    }
    const { layer, point } = first;
    const home = this.space.data.home.map((value, k) => (this.space.quaternion && k >= this.space.start ? 0 : value));
    this.tip.replaceChildren(element("b", {}, layer.reading(point)), element("span", {}, layer.values ? layer.data.title : ""),
      element("span", {}, layer.whereabouts(point, home)));
    const { clientWidth } = /** @type {HTMLElement} */ (event.target);
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(event.offsetX + 14, clientWidth - this.tip.offsetWidth - 8)}px`;
    this.tip.style.top = `${Math.max(8, event.offsetY - this.tip.offsetHeight - 10)}px`;
  }

  hide() {
    this.tip.hidden = true;
  }
}
