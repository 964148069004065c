// The page: one robot, held by its handles, sliders or a recording, and drawn when something changed.

import { VIEWS } from "./camera.js";
import { button, element, section, setText } from "./dom.js";
import { Handles, meets } from "./handles.js";
import { Kernels } from "./kernels.js";
import { add, composed, frameOf, originOf, quaternionOfVector, rotationOf, rotationOfQuaternion, subtract, turned } from "./linear.js";
import { Live } from "./live.js";
import { frameAt, Machine } from "./machine.js";
import { bytesOf } from "./packing.js";
import { ActuatorPanel, copyPanel, hasValues, PosePanel, StatePanel } from "./panel.js";
import { Parts } from "./parts.js";
import { Picture } from "./picture.js";
import { Player } from "./player.js";
import { Pointer } from "./pointer.js";
import { PoseSpace } from "./pose_space.js";
import { Recording } from "./recording.js";
import { Stage } from "./stage.js";

/** @typedef {import("./machine.js").Place} Place */
/** @typedef {import("./handles.js").Handle} Handle */
/** @typedef {import("./camera.js").Ray} Ray */
/**
 * @typedef {object} PageData everything that Python put into the page
 * @property {string} name
 * @property {string} title
 * @property {string} kernels a WebAssembly module: deflated, in base64
 * @property {import("./pose_space.js").PoseData} pose
 * @property {import("./machine.js").MachineData & { actuators: import("./panel.js").DrivenActuator[] }} machine
 * @property {import("./parts.js").SceneData} scene
 * @property {{ mass: number, largest: number }} payload
 * @property {{ pose: number[], branches: number[] }[]} modes assembly modes of home, the nearest first
 * @property {string} modesNote how many there are, or why there is no list
 * @property {import("./recording.js").RecordingData | null} recording
 * @property {import("./live.js").LiveData | null} live
 * @property {import("./layer.js").LayerData[]} layers results of analysis in the scene
 */
/** @typedef {import("./layers.js").Layers} Layers */
/** @typedef {(page: Page) => Promise<Layers>} LayersOf what makes the layers of a page */

export class Page {
  /** @param {PageData} data @param {Kernels} kernels @param {Recording | null} recording */
  constructor(data, kernels, recording) {
    this.data = data;
    this.space = new PoseSpace(data.pose);
    this.machine = new Machine(data.machine, kernels, this.space);
    this.parts = new Parts(data.scene);
    /** @type {Place} */ this.place = this.machine.home();
    /** @type {Place} */ this.good = this.place;
    this.mass = data.payload.mass;
    this.options = { handles: true, trace: true, colours: false, modes: false };
    this.hidden = new Set(["mass"]);
    this.stage = new Stage(/** @type {HTMLCanvasElement} */ (document.getElementById("scene")), this.parts);
    this.picture = new Picture(this);
    const linear = data.pose.linear ?? [0, 1, 2];
    this.handles = new Handles(linear, data.pose.linear ? data.pose.angular : [], (p) => this.parts.upright(p));
    /** @type {{ grip: import("./handles.js").Grip, from: Place } | null} */ this.taken = null;
    this.recording = recording;
    this.player = recording ? this.makePlayer(recording) : null;
    this.still = data.pose.offsetNames.map(() => 0);
    this.waiting = false;
    /** @type {Layers | null} */ this.layers = null;
    this.buildPanel();
    this.listen();
    this.live = data.live ? new Live(data.live, (pose) => this.go(pose, false), (text) => this.say(text)) : null;
    this.stage.setDark(window.matchMedia("(prefers-color-scheme: dark)").matches);
    if (this.player) this.follow();
    this.refresh();
  }

  /** Shows layers too. @param {Layers} layers */
  addLayers(layers) {
    this.layers = layers;
    document.querySelector("#panel h1")?.after(layers.panel());
    this.draw();
  }

  /** @param {Recording} recording */
  makePlayer(recording) {
    const { actuators } = this.data.machine;
    let place = this.place;
    /** @param {number} k */
    const forces = (k) => {
      place = this.machine.place(recording.row("pose", k), place.frames ? place : this.good);
      return this.machine.forces(place, ...this.motion((name) => recording.row(name, k)), this.mass);
    };
    const [names, units] = [actuators.map(({ name }) => name), actuators.map(({ forceUnit }) => forceUnit)];
    return new Player(recording, this.space, names, units, forces, () => this.follow());
  }

  /** Velocity and acceleration of a recording, zero where it has none. @param {(name: string) => number[]} read @returns {[number[], number[]]} */
  motion(read) {
    const still = this.data.pose.offsetNames.map(() => 0);
    const [velocity, acceleration] = ["velocity", "acceleration"].map((name) => (this.recording?.has(name) ? read(name) : still));
    return [velocity, acceleration];
  }

  buildPanel() {
    const { data } = this;
    const panel = /** @type {HTMLElement} */ (document.getElementById("panel"));
    this.posePanel = new PosePanel(this.space, (offset) => this.go(this.space.at(offset), true));
    this.actuatorPanel = new ActuatorPanel(data.machine.actuators, this.machine.canDrive, (k, q) => this.drive(k, q));
    this.statePanel = new StatePanel(data.payload.mass, data.payload.largest, (mass) => {
      this.mass = mass;
      this.refresh();
    });
    const home = button("home", () => this.goHome(), { id: "home" });
    const random = button("random", () => this.go(this.space.at(this.space.random()), true), { id: "random" });
    this.copy = copyPanel(() => this.place.pose);
    panel.append(element("h1", {}, data.title), ...(this.player ? [this.player.panel()] : []),
      this.posePanel.panel(home, random), this.actuatorPanel.panel(), this.statePanel.panel(), ...this.modePanels(),
      this.showPanel(), this.copy.holder);
  }

  /** Working modes to switch and assembly modes to see. @returns {HTMLElement[]} */
  modePanels() {
    const { machine, modes, modesNote } = this.data;
    const panels = [];
    if (machine.branches.length) {
      this.branchButtons = machine.branchLegs.map((name, k) =>
        button(name, () => this.flip(k), { id: `branch-${k}`, "aria-pressed": "false", title: `let ${name} bend the other way` }));
      const hint = element("p", { class: "hint" }, "Each leg can bend two ways; press to let it bend the other way.");
      panels.push(section("Working mode", hint, element("div", { class: "row" }, ...this.branchButtons)));
    }
    if (modes.length || modesNote) {
      const show = element("input", { type: "checkbox", id: "modes", onchange: () => { this.options.modes = show.checked; this.refresh(); } });
      const buttons = modes.map((mode, k) =>
        button(String(k + 1), () => this.go(mode.pose, true, mode.branches), { id: `mode-${k}`, title: `go to assembly mode ${k + 1}` }));
      const ghosts = modes.length > 1 ? [element("label", {}, show, " show them as ghosts"), element("div", { class: "row" }, ...buttons)] : [];
      panels.push(section("Assembly modes", element("p", { class: "hint" }, modesNote), ...ghosts));
    }
    return panels;
  }

  showPanel() {
    /** @type {[keyof Page["options"], string][]} */
    const rows = [["handles", "handles"], ["colours", "forces as colours"]];
    if (this.player) rows.push(["trace", "path"]);
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

  listen() {
    this.pointer = new Pointer(this.stage, this);
    new ResizeObserver(() => this.refresh()).observe(this.stage.canvas);
    for (const name of Object.keys(VIEWS)) {
      document.getElementById(`view-${name}`)?.addEventListener("click", () => {
        this.stage.camera.look(name);
        this.refresh();
      });
    }
    document.getElementById("theme")?.addEventListener("click", () => {
      this.stage.setDark(!this.parts.dark);
      this.refresh();
    });
    document.getElementById("picture")?.addEventListener("click", () => this.stage.savePicture(this.data.name));
    window.addEventListener("beforeprint", () => this.draw());
  }

  /** What keys on the picture do, beside turning the camera. @returns {Record<string, () => void>} */
  get keys() {
    return { h: () => this.goHome(), " ": () => this.player?.setPlaying(!this.player.playing) };
  }

  /** Goes to a pose. byHand: not by the recording or the program. @param {number[]} pose @param {boolean} byHand @param {number[]} [branches] */
  go(pose, byHand, branches = this.place.branches) {
    this.place = this.machine.place(pose, { branches, configuration: this.place.configuration });
    if (hasValues(this.place)) this.good = this.place;
    if (byHand) {
      this.player?.leave();
      if (hasValues(this.place)) this.live?.answer(pose);
    }
    this.refresh();
  }

  goHome() {
    const { branches, configuration } = this.data.machine;
    this.place = { ...this.place, configuration };
    this.go(this.data.pose.home, true, branches);
  }

  /** Moves one motor, the others held. @param {number} k @param {number} value */
  drive(k, value) {
    const from = this.good;
    const q = Array.from(/** @type {Float64Array} */ (from.q), (now, i) => (i === k ? value : now));
    const pose = this.machine.forward(q, from);
    if (pose) this.go(pose, true, from.branches);
    else {
      this.place = { ...from, message: `${this.data.machine.actuators[k].name} cannot go there while the others are held` };
      this.refresh();
    }
  }

  /** Lets a leg bend the other way. @param {number} k */
  flip(k) {
    this.go(this.place.pose, true, this.place.branches.map((branch, i) => (i === k ? -branch : branch)));
  }

  /** Shows the robot where the recording has it. */
  follow() {
    if (this.player && this.recording) this.go(this.recording.poseAt("pose", this.player.time, this.space), false);
  }

  /** What could be taken hold of. @param {Ray} ray @returns {Handle | null} */
  handleUnder(ray) {
    if (!this.options.handles) return null;
    const handle = this.handles.under(ray, this.picture.outputOrigin(), this.stage.camera);
    if (handle) return handle;
    const { frame } = this.data.scene.output;
    const platform = this.parts.instancesInFrame(frame, this.picture.outputCarrier(), { hidden: this.hidden });
    return meets(ray, platform) ? { kind: "carry", axis: [0, 0, 1], base: [0, 0, 1] } : null;
  }

  /** @param {Handle} handle @param {Ray} ray */
  take(handle, ray) {
    this.taken = { grip: this.handles.grip(handle, ray, this.picture.outputOrigin(), this.stage.camera), from: this.place };
  }

  /** @param {Handle | null} handle */
  point(handle) {
    const shown = handle?.kind === "carry" ? null : handle;
    if (shown !== this.handles.near) {
      this.handles.near = shown;
      this.refresh();
    }
  }

  /** Lets layers say what they know under the pointer. @param {Ray | null} ray @param {PointerEvent} event */
  hover(ray, event) {
    this.layers?.hover(ray, event);
  }

  /** Moves what was taken to where the ray is now. @param {Ray} ray */
  pull(ray) {
    if (!this.taken) return;
    const { grip, from } = this.taken;
    const moved = this.handles.moved(grip, ray, this.stage.camera);
    const [move, turn] = [this.parts.inBase(moved.move), this.parts.inBase(moved.turn)];
    if (this.data.pose.linear) {
      this.go(this.space.stepped(from.pose, this.space.stepOf(move, turn)), true);
      return;
    }
    const { frame, at } = this.data.scene.output;
    const carrier = frameAt(from.frames ? from : this.good, frame);
    const R = rotationOfQuaternion(quaternionOfVector(turn));
    const start = originOf(composed(carrier, at));
    const p = add(add(start, move), turned(R, subtract(originOf(carrier), start)));
    const goal = frameOf(rotationOf(composed(frameOf(R, [0, 0, 0]), carrier)), p);
    this.go(this.machine.approach(this.good, frame, goal, 0.1 * this.stage.ground.radius), true);
  }

  // What is shown -----------------------------------------------------------------------------------------------------

  /** The largest force seen, for motors whose limit is not known. */
  get largestForce() {
    return this.actuatorPanel?.largest ?? 1;
  }

  /** @param {string} text */
  say(text) {
    setText(/** @type {HTMLElement} */ (document.getElementById("connection")), text);
  }

  /** Forces and velocity of now: of the recording while it is followed, else at rest. */
  forces() {
    const { player, recording, machine, place, mass, still } = this;
    if (!player?.active || !recording) return { tau: machine.forces(place, still, still, mass), velocity: still };
    const [velocity, acceleration] = this.motion((name) => recording.mixed(name, player.time));
    const tau = recording.has("tau") ? player.forces : machine.forces(place, velocity, acceleration, mass);
    return { tau, velocity: recording.has("velocity") ? velocity : null };
  }

  /** Draws with the next picture of the screen, once. */
  refresh() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      if (this.player?.playing) {
        this.player.advance(now);
        this.follow();
      }
      this.draw();
    });
  }

  draw() {
    const begun = performance.now();
    const { tau, velocity } = this.forces();
    const { layers } = this;
    this.stage.draw(this.picture.instances(tau), layers && ((renderer) => layers.draw(renderer, this.stage.camera)));
    this.showNumbers(tau, velocity);
    this.cost = performance.now() - begun;
  }

  /** @param {ArrayLike<number> | null} tau @param {number[] | null} velocity */
  showNumbers(tau, velocity) {
    const { place, machine, player } = this;
    const q_dot = velocity && machine.rates(place, velocity);
    const power = tau && q_dot ? q_dot.reduce((sum, rate, k) => sum + rate * tau[k], 0) : null;
    const centre = place.frames && this.data.scene.masses.length ? this.parts.centreOfMass(place.frames) : null;
    this.layers?.show(place.pose);
    this.posePanel?.show(place.pose);
    this.actuatorPanel?.show(place, tau);
    this.statePanel?.show(place, centre, power);
    this.copy?.show(place.pose);
    this.branchButtons?.forEach((flip, k) => flip.setAttribute("aria-pressed", String(place.branches[k] !== this.data.machine.branches[k])));
    const message = /** @type {HTMLElement} */ (document.getElementById("message"));
    setText(message, place.message || "good");
    message.dataset.state = !hasValues(place) ? "bad" : place.message ? "warn" : "good";
    if (player) player.draw();
  }
}

/** Starts the page, or says why it cannot. @param {LayersOf} [layersOf] */
export async function start(layersOf) {
  const packed = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? "");
  try {
    const scene = JSON.parse(new TextDecoder().decode(await bytesOf(packed.scene)));
    const data = /** @type {PageData} */ ({ ...packed, scene });
    const recording = data.recording ? await Recording.load(data.recording) : null;
    const page = new Page(data, await Kernels.load(data.kernels), recording);
    if (layersOf) page.addLayers(await layersOf(page));
    Object.assign(window, { parakin: page });
  } catch (error) {
    const message = /** @type {HTMLElement} */ (document.getElementById("message"));
    message.dataset.state = "bad";
    setText(message, `this page cannot run here: ${error instanceof Error ? error.message : error}`);
    throw error;
  }
}
