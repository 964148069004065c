// Mouse, pen, fingers and keys on the picture: they hold the robot by its handles, or turn the camera.

/** @typedef {import("./stage.js").Stage} Stage */
/** @typedef {import("./handles.js").Handle} Handle */
/** @typedef {import("./camera.js").Ray} Ray */
/**
 * @typedef {object} Held what can be held: the page
 * @property {(ray: Ray) => Handle | null} handleUnder
 * @property {(handle: Handle, ray: Ray) => void} take
 * @property {(ray: Ray) => void} pull what was taken
 * @property {(handle: Handle | null) => void} point at a handle, or let it go
 * @property {(ray: Ray | null, event: PointerEvent) => void} hover over the picture; without a ray over a handle, or while dragging
 * @property {() => void} refresh
 * @property {Record<string, () => void>} keys
 */

const TURN = 3;
const KEY_TURN = 0.06;
const KEY_ZOOM = 0.9;

export class Pointer {
  /** @param {Stage} stage @param {Held} held */
  constructor(stage, held) {
    this.stage = stage;
    this.held = held;
    /** @type {Map<number, PointerEvent>} */ this.down = new Map();
    this.holding = false;
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.release(event));
    canvas.addEventListener("pointerleave", (event) => this.leave(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { canvas } = this.stage;
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, event);
    const ray = this.stage.rayOf(event);
    const handle = this.down.size === 1 && event.button === 0 && !event.shiftKey ? this.held.handleUnder(ray) : null;
    this.holding = handle !== null;
    if (handle) this.held.take(handle, ray);
    this.held.point(handle);
    this.held.hover(handle ? null : ray, event);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.down.get(event.pointerId);
    if (!before) {
      const ray = this.stage.rayOf(event);
      const handle = this.held.handleUnder(ray);
      this.stage.canvas.style.cursor = handle ? "grab" : "";
      this.held.point(handle);
      this.held.hover(handle ? null : ray, event);
      return;
    }
    if (event.offsetX !== before.offsetX || event.offsetY !== before.offsetY) this.held.hover(null, event);
    if (this.holding) this.held.pull(this.stage.rayOf(event));
    else this.turnCamera(event, before);
    this.down.set(event.pointerId, event);
  }

  /** @param {PointerEvent} event */
  release(event) {
    this.down.delete(event.pointerId);
    this.holding = false;
    this.held.point(null);
  }

  /** A finger that is lifted leaves too, and what it read stays to be seen. @param {PointerEvent} event */
  leave(event) {
    if (event.pointerType === "mouse") this.held.hover(null, event);
  }

  /** @param {PointerEvent} event @param {PointerEvent} before */
  turnCamera(event, before) {
    const { camera, canvas: { clientHeight } } = this.stage;
    const [dx, dy] = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    const [other] = [...this.down.values()].filter((one) => one.pointerId !== event.pointerId);
    if (other) {
      /** @param {PointerEvent} a */
      const apart = (a) => Math.hypot(a.offsetX - other.offsetX, a.offsetY - other.offsetY) || 1;
      camera.zoom(apart(before) / apart(event));
      camera.pan(dx / 2 / clientHeight, dy / 2 / clientHeight);
    } else if (event.shiftKey || event.buttons & 6) camera.pan(dx / clientHeight, dy / clientHeight);
    else camera.orbit((TURN * dx) / clientHeight, (TURN * dy) / clientHeight);
    this.held.refresh();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    this.stage.camera.zoom(Math.exp(0.0012 * event.deltaY));
    this.held.refresh();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { camera } = this.stage;
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => camera.orbit(-KEY_TURN, 0),
      ArrowRight: () => camera.orbit(KEY_TURN, 0),
      ArrowUp: () => camera.orbit(0, KEY_TURN),
      ArrowDown: () => camera.orbit(0, -KEY_TURN),
      "+": () => camera.zoom(KEY_ZOOM),
      "-": () => camera.zoom(1 / KEY_ZOOM),
      ...this.held.keys,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
    this.held.refresh();
  }
}
