// The page: one robot, held by its handles, sliders or a recording, and drawn when something changed.

import { Camera, VIEWS } from "./camera.js";
import { CanvasRenderer } from "./canvas_renderer.js";
import { button, element, section, setText } from "./dom.js";
import { Handles, meets } from "./handles.js";
import { Kernels } from "./kernels.js";
import { add, composed, frameOf, norm, originOf, quaternionOfVector, rotationOf, rotationOfQuaternion, scale, subtract, turned } from "./linear.js";
import { Live } from "./live.js";
import { frameAt, Machine, NEAR_SINGULAR } from "./machine.js";
import { ActuatorPanel, copyPanel, hasValues, PosePanel, StatePanel } from "./panel.js";
import { Parts } from "./parts.js";
import { Player } from "./player.js";
import { PoseSpace, same } from "./pose_space.js";
import { Recording } from "./recording.js";
import { plate } from "./shapes.js";
import { WebglRenderer } from "./webgl_renderer.js";

/** @typedef {import("./linear.js").Vector} Vector */
/** @typedef {import("./machine.js").Place} Place */
/** @typedef {import("./webgl_renderer.js").Instance} Instance */
/**
 * @typedef {object} PageData everything that Python put into the page
 * @property {string} name
 * @property {string} title
 * @property {string} kernels a WebAssembly module, in base64
 * @property {import("./pose_space.js").PoseData} pose
 * @property {import("./machine.js").MachineData & { actuators: import("./panel.js").DrivenActuator[] }} machine
 * @property {import("./parts.js").SceneData} scene
 * @property {{ mass: number, largest: number }} payload
 * @property {{ pose: number[], branches: number[] }[]} modes assembly modes of home
 * @property {string} modesNote
 * @property {import("./recording.js").RecordingData | null} recording
 * @property {import("./live.js").LiveData | null} live
 */

const GHOST = [0.5, 0.55, 0.62];
const WRONG = [0.86, 0.15, 0.1];
const TRACE = [0.80, 0.47, 0.65, 1];

class Page {
  /** @param {PageData} data @param {Kernels} kernels */
  constructor(data, kernels) {
    this.data = data;
    this.space = new PoseSpace(data.pose);
    this.machine = new Machine(data.machine, kernels, this.space);
    this.parts = new Parts(data.scene);
    /** @type {Place} */ this.place = this.machine.home();
    /** @type {Place} */ this.good = this.place;
    this.mass = data.payload.mass;
    this.options = { handles: true, trace: true, colours: false, modes: false };
    this.hidden = new Set(["mass"]);
    this.canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("scene"));
    this.status = /** @type {HTMLElement} */ (document.getElementById("message"));
    this.renderer = this.makeRenderer();
    const [middle, radius] = this.sphere();
    this.ground = { height: middle[2] - radius * 1.02, radius, middle };
    this.ground.height = Math.min(...this.corners().map((p) => p[2])) - 0.02 * radius;
    this.camera = new Camera(middle, radius);
    const linear = data.pose.linear ?? [0, 1, 2];
    const angular = data.pose.linear ? data.pose.angular : [];
    this.handles = new Handles(linear, angular, (p) => this.parts.upright(p));
    if (data.scene.normal) this.camera.look(this.parts.upright(data.scene.normal)[2] > 0.5 ? "top" : "front");
    this.recording = data.recording ? new Recording(data.recording) : null;
    this.player = this.recording ? this.makePlayer(this.recording) : null;
    this.waiting = false;
    this.buildPanel();
    this.listen();
    this.live = data.live ? new Live(data.live, (pose) => this.go(pose, false), (text) => this.say(text)) : null;
    this.setDark(window.matchMedia("(prefers-color-scheme: dark)").matches);
    if (this.player) this.follow();
    this.refresh();
  }

  makeRenderer() {
    /** @type {WebglRenderer | CanvasRenderer} */ let renderer;
    try {
      renderer = new WebglRenderer(this.canvas);
    } catch {
      renderer = new CanvasRenderer(this.canvas);
    }
    this.data.scene.parts.forEach((part, k) => {
      if (!part.outline) return;
      const corners = Array.from({ length: part.outline.length / 2 }, (_, i) => [/** @type {number[]} */ (part.outline)[2 * i], /** @type {number[]} */ (part.outline)[2 * i + 1]]);
      renderer.addShape(Parts.plateName(k), plate(corners), corners);
    });
    return renderer;
  }

  /** Corners of the box around everything, in the upright world. @returns {Vector[]} */
  corners() {
    const { lower, upper } = this.data.scene;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => this.parts.upright([k & 1 ? upper[0] : lower[0], k & 2 ? upper[1] : lower[1], k & 4 ? upper[2] : lower[2]]));
  }

  /** The middle of everything, and a radius around it. @returns {[Vector, number]} */
  sphere() {
    const corners = this.corners();
    const middle = scale(corners.reduce((sum, p) => add(sum, p), /** @type {Vector} */ ([0, 0, 0])), 1 / 8);
    return [middle, 0.82 * norm(subtract(corners[0], middle))];
  }

  /** @param {Recording} recording */
  makePlayer(recording) {
    const { actuators } = this.data.machine;
    let place = this.place;
    /** @param {number} k */
    const forces = (k) => {
      place = this.machine.place(recording.row("pose", k), place.frames ? place : this.good);
      return this.machine.forces(place, ...this.motionOfRow(recording, k), this.mass);
    };
    const units = actuators.map((actuator) => actuator.forceUnit);
    return new Player(recording, this.space, actuators.map((actuator) => actuator.name), units, forces, () => this.follow());
  }

  /** Velocity and acceleration of a row, zero where they are not recorded. @param {Recording} recording @param {number} k @returns {[number[], number[]]} */
  motionOfRow(recording, k) {
    const still = this.data.pose.offsetNames.map(() => 0);
    return [recording.has("velocity") ? recording.row("velocity", k) : still, recording.has("acceleration") ? recording.row("acceleration", k) : still];
  }

  buildPanel() {
    const { data } = this;
    const panel = /** @type {HTMLElement} */ (document.getElementById("panel"));
    this.posePanel = new PosePanel(this.space, (offset) => this.go(this.space.at(offset), true));
    this.actuatorPanel = new ActuatorPanel(data.machine.actuators, (k, q) => this.drive(k, q));
    this.statePanel = new StatePanel(data.payload.mass, data.payload.largest, (mass) => {
      this.mass = mass;
      this.refresh();
    });
    const home = button("home", () => this.goHome(), { id: "home" });
    const random = button("random", () => this.goRandom(), { id: "random" });
    this.copy = copyPanel(() => this.place.pose);
    panel.append(element("h1", {}, data.title), ...(this.player ? [this.player.panel()] : []),
      this.posePanel.panel(home, random), this.actuatorPanel.panel(), this.statePanel.panel(), ...this.modePanels(), this.showPanel(), this.copy.holder);
  }

  /** Working modes to switch and assembly modes to see. @returns {HTMLElement[]} */
  modePanels() {
    const { machine, modes, modesNote } = this.data;
    const panels = [];
    if (machine.branches.length) {
      this.branchButtons = machine.branchLegs.map((name, k) => button(name, () => this.flip(k), { "aria-pressed": "false", title: `let ${name} bend the other way` }));
      panels.push(section("Working mode", element("p", { class: "hint" }, "Each leg can bend two ways; press to let it bend the other way."), element("div", { class: "row" }, ...this.branchButtons)));
    }
    if (modes.length || modesNote) {
      const show = element("input", { type: "checkbox", id: "modes", onchange: () => { this.options.modes = show.checked; this.refresh(); } });
      const buttons = modes.map((mode, k) => button(String(k + 1), () => this.go(mode.pose, true, mode.branches), { title: `go to assembly mode ${k + 1}` }));
      const note = modes.length ? `${modes.length} ${modes.length === 1 ? "pose has" : "poses have"} the motor positions of home.` : modesNote;
      panels.push(section("Assembly modes", element("p", { class: "hint" }, note),
        ...(modes.length > 1 ? [element("label", {}, show, " show them as ghosts"), element("div", { class: "row" }, ...buttons)] : [])));
    }
    return panels;
  }

  showPanel() {
    const rows = /** @type {[keyof Page["options"], string][]} */ ([["handles", "handles"], ["colours", "forces as colours"], ...(this.player ? [["trace", "path"]] : [])]);
    const boxes = rows.map(([name, label]) => {
      const box = element("input", { type: "checkbox", id: `show-${name}`, onchange: () => { this.options[name] = box.checked; this.refresh(); } });
      box.checked = this.options[name];
      return element("label", {}, box, ` ${label}`);
    });
    const masses = element("input", { type: "checkbox", id: "show-masses", onchange: () => {
      this.hidden = new Set(masses.checked ? [] : ["mass"]);
      this.refresh();
    } });
    return section("Show", element("div", { class: "checks" }, ...boxes, element("label", {}, masses, " centres of mass")));
  }

  // What the user does ----------------------------------------------------------------------------------------------

  /** Goes to a pose. byHand: not from the recording or the program. @param {number[]} pose @param {boolean} byHand @param {number[]} [branches] */
  go(pose, byHand, branches = this.place.branches) {
    const before = { branches, configuration: this.place.configuration ?? this.good.configuration };
    this.place = this.machine.place(pose, before);
    if (byHand) {
      if (this.player) {
        this.player.active = false;
        if (this.player.playing) this.player.setPlaying(false);
        this.player.active = false;
      }
      if (hasValues(this.place)) this.live?.answer(pose);
    }
    if (hasValues(this.place)) this.good = this.place;
    this.refresh();
  }

  goHome() {
    const { branches, configuration } = this.data.machine;
    this.place = { ...this.place, configuration };
    this.go(this.data.pose.home, true, branches);
  }

  goRandom() {
    const { branches, configuration } = this.data.machine;
    this.place = { ...this.place, configuration: configuration && this.good.configuration };
    this.go(this.space.at(this.space.random()), true, this.place.branches.length ? this.place.branches : branches);
  }

  /** Moves one motor, the others held. @param {number} k @param {number} value */
  drive(k, value) {
    const from = this.good;
    const q = Array.from(/** @type {Float64Array} */ (from.q), (now, i) => (i === k ? value : now));
    const pose = this.machine.forward(q, from);
    if (pose) this.go(pose, true);
    else {
      this.place = { ...this.good, message: `${this.data.machine.actuators[k].name} cannot go there while the others are held` };
      this.refresh();
    }
  }

  /** @param {number} k */
  flip(k) {
    const branches = this.place.branches.map((branch, i) => (i === k ? -branch : branch));
    this.go(this.place.pose, true, branches);
  }

  /** Shows the robot where the recording has it. */
  follow() {
    if (this.player && this.recording) this.go(this.recording.poseAt("pose", this.player.time, this.space), false);
  }

  listen() {
    const { canvas } = this;
    new ResizeObserver(() => this.refresh()).observe(canvas);
    /** @type {Map<number, PointerEvent>} */ const down = new Map();
    /** @type {import("./handles.js").Grip | null} */ let grip = null;
    let started = this.place;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      down.set(event.pointerId, event);
      const handle = down.size === 1 && event.button === 0 && !event.shiftKey ? this.handleUnder(event) : null;
      grip = handle && this.handles.grip(handle, this.rayOf(event), this.outputOrigin(), this.camera);
      started = this.place;
      this.handles.near = handle;
      this.refresh();
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (!before) {
        const near = this.handleUnder(event);
        canvas.style.cursor = near ? "grab" : "";
        if (near !== this.handles.near) {
          this.handles.near = near?.kind === "carry" ? null : near;
          this.refresh();
        }
        return;
      }
      if (grip) this.pull(grip, event, started);
      else this.turnCamera(event, before, down);
      down.set(event.pointerId, event);
    });
    const release = (/** @type {PointerEvent} */ event) => {
      down.delete(event.pointerId);
      grip = null;
      this.handles.near = null;
      this.refresh();
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.camera.zoom(Math.exp(0.0012 * event.deltaY));
      this.refresh();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    for (const name of Object.keys(VIEWS)) {
      document.getElementById(`view-${name}`)?.addEventListener("click", () => {
        this.camera.look(name);
        this.refresh();
      });
    }
    document.getElementById("theme")?.addEventListener("click", () => this.setDark(!this.parts.dark));
    document.getElementById("picture")?.addEventListener("click", () => this.savePicture());
    window.addEventListener("beforeprint", () => this.draw());
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => this.camera.orbit(-0.06, 0),
      ArrowRight: () => this.camera.orbit(0.06, 0),
      ArrowUp: () => this.camera.orbit(0, 0.06),
      ArrowDown: () => this.camera.orbit(0, -0.06),
      "+": () => this.camera.zoom(0.9),
      "-": () => this.camera.zoom(1 / 0.9),
      h: () => this.goHome(),
      " ": () => this.player?.setPlaying(!this.player.playing),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
    this.refresh();
  }

  /** @param {PointerEvent} event */
  rayOf(event) {
    const { clientWidth, clientHeight } = this.canvas;
    return this.camera.ray((2 * event.offsetX) / clientWidth - 1, 1 - (2 * event.offsetY) / clientHeight);
  }

  /** What could be taken hold of under the pointer. @param {PointerEvent} event @returns {import("./handles.js").Handle | null} */
  handleUnder(event) {
    if (!this.options.handles) return null;
    const ray = this.rayOf(event);
    const handle = this.handles.under(ray, this.outputOrigin(), this.camera);
    if (handle) return handle;
    const { frame } = this.data.scene.output;
    const output = this.parts.instancesInFrame(frame, this.outputCarrier(), { hidden: this.hidden });
    return meets(ray, output) ? { kind: "carry", axis: [0, 0, 1], base: [0, 0, 1] } : null;
  }

  /** @param {import("./handles.js").Grip} grip @param {PointerEvent} event @param {Place} started */
  pull(grip, event, started) {
    const moved = this.handles.moved(grip, this.rayOf(event), this.camera);
    const [move, turn] = [this.parts.inBase(moved.move), this.parts.inBase(moved.turn)];
    if (this.data.pose.linear) {
      this.go(this.space.stepped(started.pose, this.space.stepOf(move, turn)), true);
      return;
    }
    const { frame, at } = this.data.scene.output;
    const carrier = frameAt(hasValues(started) ? started : this.good, frame);
    const R = rotationOfQuaternion(quaternionOfVector(turn));
    const from = originOf(composed(carrier, at));
    const p = add(add(from, move), turned(R, subtract(originOf(carrier), from)));
    const goal = frameOf(rotationOf(composed(frameOf(R, [0, 0, 0]), carrier)), p);
    this.go(this.machine.approach(this.good, frame, goal, 0.1 * this.ground.radius), true);
  }

  /** @param {PointerEvent} event @param {PointerEvent} before @param {Map<number, PointerEvent>} down */
  turnCamera(event, before, down) {
    const { clientHeight } = this.canvas;
    const [dx, dy] = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    const others = [...down.values()].filter((other) => other.pointerId !== event.pointerId);
    if (others.length) {
      const [other] = others;
      /** @param {PointerEvent} a */
      const apart = (a) => Math.hypot(a.offsetX - other.offsetX, a.offsetY - other.offsetY) || 1;
      this.camera.zoom(apart(before) / apart(event));
      this.camera.pan(dx / 2 / clientHeight, dy / 2 / clientHeight);
    } else if (event.shiftKey || event.buttons & 6) this.camera.pan(dx / clientHeight, dy / clientHeight);
    else this.camera.orbit((3 * dx) / clientHeight, (3 * dy) / clientHeight);
    this.refresh();
  }

  // What is shown -----------------------------------------------------------------------------------------------------

  /** @param {boolean} dark */
  setDark(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.parts.dark = dark;
    this.theme = dark
      ? { background: [0.075, 0.09, 0.115], ground: [0.1, 0.12, 0.15], grid: [0.2, 0.23, 0.28], shadow: 0.6 }
      : { background: [0.962, 0.969, 0.98], ground: [0.93, 0.942, 0.958], grid: [0.8, 0.83, 0.87], shadow: 0.32 };
    this.refresh();
  }

  /** @param {string} text */
  say(text) {
    setText(/** @type {HTMLElement} */ (document.getElementById("connection")), text);
  }

  /** The frame that carries the output, where it is asked to be. @returns {number[]} */
  outputCarrier() {
    const { frame } = this.data.scene.output;
    return this.askedCarrier() ?? frameAt(this.good, frame);
  }

  /** The same as far as the pose alone tells. @returns {number[] | null} */
  askedCarrier() {
    const { frame, at } = this.data.scene.output;
    if (this.place.frames) return frameAt(this.place, frame);
    const asked = this.space.platformFrame(this.place.pose);
    if (!asked) return null;
    const R = [at[0], at[4], at[8], at[1], at[5], at[9], at[2], at[6], at[10]];
    const back = frameOf(R, scale(turned(R, originOf(at)), -1));
    return composed(asked, back);
  }

  /** Where the handles are, in the upright world. */
  outputOrigin() {
    return this.parts.upright(originOf(composed(this.outputCarrier(), this.data.scene.output.at)));
  }

  /** Forces of now: of the recording while it is followed, else those that hold the robot at rest. */
  forces() {
    const still = this.data.pose.offsetNames.map(() => 0);
    const { player, recording } = this;
    if (player?.active && recording) {
      if (recording.has("tau")) return { tau: /** @type {ArrayLike<number>} */ (player.forces), velocity: recording.has("velocity") ? recording.mixed("velocity", player.time) : null };
      const velocity = recording.has("velocity") ? recording.mixed("velocity", player.time) : still;
      const acceleration = recording.has("acceleration") ? recording.mixed("acceleration", player.time) : still;
      return { tau: this.machine.forces(this.place, velocity, acceleration, this.mass), velocity };
    }
    return { tau: this.machine.forces(this.place, still, still, this.mass), velocity: still };
  }

  /** Draws with the next picture of the screen, once. */
  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      if (this.player?.playing) {
        this.player.advance(now);
        this.place = this.machine.place(/** @type {Recording} */ (this.recording).poseAt("pose", this.player.time, this.space), this.place.frames ? this.place : this.good);
        if (hasValues(this.place)) this.good = this.place;
      }
      this.draw();
      if (this.player?.playing) this.refresh();
    });
  }

  draw() {
    const begun = performance.now();
    const { tau, velocity } = this.forces();
    const instances = this.instances(tau);
    const { canvas } = this;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.max(1, Math.round(canvas.clientHeight * ratio))];
    if (canvas.width !== width || canvas.height !== height) {
      [canvas.width, canvas.height] = [width, height];
      const before = this.camera.aspect;
      this.camera.aspect = width / height;
      if (Math.min(1, before) !== Math.min(1, this.camera.aspect)) this.camera.fit();
    }
    this.renderer.draw(instances, this.camera, /** @type {import("./webgl_renderer.js").Theme} */ (this.theme), this.ground);
    this.showNumbers(tau, velocity);
    this.cost = performance.now() - begun;
  }

  /** @param {ArrayLike<number> | null} tau @returns {Instance[]} */
  instances(tau) {
    const { place, good, parts, hidden, options } = this;
    const { actuators } = this.data.machine;
    const loads = options.colours && tau ? actuators.map(({ force }, k) => Math.abs(tau[k]) / (force ?? this.actuatorPanel?.largest ?? 1)) : null;
    /** @type {Instance[]} */ const made = [];
    if (place.frames) {
      made.push(...parts.instances(place.frames, { hidden, loads }));
    } else if (good.frames) {
      made.push(...parts.instances(good.frames, { hidden, colour: GHOST, opacity: 0.45 }));
      const carrier = this.askedCarrier();
      if (carrier) made.push(...parts.instancesInFrame(this.data.scene.output.frame, carrier, { hidden, colour: WRONG, opacity: 0.7 }));
    }
    made.push(...this.ghosts());
    if (options.handles) made.push(...this.handles.instances(this.outputOrigin(), this.camera));
    return made;
  }

  /** Assembly modes, the desired robot and the path of a recording. @returns {Instance[]} */
  ghosts() {
    const { parts, hidden, options, player, recording } = this;
    /** @type {Instance[]} */ const made = [];
    if (options.modes) {
      for (const mode of this.data.modes) {
        if (same(mode.pose, this.place.pose)) continue;
        const { frames } = this.machine.place(mode.pose, { branches: mode.branches, configuration: this.data.machine.configuration });
        if (frames) made.push(...parts.instances(frames, { hidden, colour: [0.34, 0.55, 0.8], opacity: 0.28 }));
      }
    }
    if (!recording || !player) return made;
    if (player.active && recording.has("desired")) {
      const { frames } = this.machine.place(recording.poseAt("desired", player.time, this.space), this.good);
      if (frames) made.push(...parts.instances(frames, { hidden, colour: [0.0, 0.62, 0.45], opacity: 0.3 }));
    }
    if (options.trace) made.push(...this.trace(recording));
    return made;
  }

  /** The path of the output in a recording, found once. @param {Recording} recording */
  trace(recording) {
    if (!this.path) {
      const { frame, at } = this.data.scene.output;
      const count = Math.min(recording.rows, 400);
      let place = this.good;
      this.path = Array.from({ length: count }, (_, k) => recording.row("pose", Math.round((k * (recording.rows - 1)) / Math.max(1, count - 1)))).flatMap((pose) => {
        const asked = this.space.platformFrame(pose);
        if (asked) return [originOf(asked)];
        place = this.machine.place(pose, place.frames ? place : this.good);
        return place.frames ? [originOf(composed(frameAt(place, frame), at))] : [];
      });
    }
    return this.parts.trace(this.path, 0.003 * this.ground.radius, TRACE);
  }

  /** @param {ArrayLike<number> | null} tau @param {number[] | null} velocity */
  showNumbers(tau, velocity) {
    const { place, machine } = this;
    const q_dot = velocity && machine.rates(place, velocity);
    const power = tau && q_dot ? q_dot.reduce((sum, rate, k) => sum + rate * tau[k], 0) : null;
    this.posePanel?.show(place.pose);
    this.actuatorPanel?.show(place, tau);
    this.statePanel?.show(place, place.frames && this.data.scene.masses.length ? this.parts.centreOfMass(place.frames) : null, power);
    this.copy?.show(place.pose);
    this.branchButtons?.forEach((flip, k) => flip.setAttribute("aria-pressed", String(place.branches[k] !== this.data.machine.branches[k])));
    setText(this.status, place.message || "good");
    this.status.dataset.state = !hasValues(place) ? "bad" : place.message || place.condition > NEAR_SINGULAR ? "warn" : "good";
    if (this.player && (this.player.active || !this.drawnOnce)) this.player.draw();
    this.drawnOnce = true;
  }

  savePicture() {
    const link = element("a", { download: `${this.data.name}.png`, href: this.canvas.toDataURL("image/png") });
    link.click();
  }
}

/** Starts the page, or says why it cannot. */
async function start() {
  const data = /** @type {PageData} */ (JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? ""));
  try {
    const page = new Page(data, await Kernels.load(data.kernels));
    Object.assign(window, { parakin: page });
  } catch (error) {
    const message = /** @type {HTMLElement} */ (document.getElementById("message"));
    message.dataset.state = "bad";
    setText(message, `this page cannot run here: ${error instanceof Error ? error.message : error}`);
    throw error;
  }
}

start();
