// What is drawn of a page: the robot, ghosts of other places, the path of a recording.

import { composed, frameOf, originOf, scale, turned } from "./linear.js";
import { frameAt } from "./machine.js";
import { hasValues } from "./panel.js";
import { BASE } from "./parts.js";
import { near } from "./pose_space.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./webgl_renderer.js").Instance} Instance */

const LAST_GOOD = { colour: [0.5, 0.55, 0.62], opacity: 0.45, moving: true };
const ASKED = { colour: [0.86, 0.15, 0.1], opacity: 0.7 };
const OTHER_MODE = { colour: [0.34, 0.55, 0.8], opacity: 0.28, moving: true };
const DESIRED = { colour: [0.0, 0.62, 0.45], opacity: 0.3, moving: true };
const PATH = [0.8, 0.47, 0.65, 1];
const PATH_POINTS = 400;

export class Picture {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {number[][] | null} */ this.path = null;
  }

  /** @param {ArrayLike<number> | null} tau @returns {Instance[]} */
  instances(tau) {
    const { options, handles, stage } = this.page;
    const made = [...this.robot(tau), ...this.modes(), ...this.recorded()];
    if (options.handles) made.push(...handles.instances(this.outputOrigin(), stage.camera));
    return made;
  }

  /** The robot where it is, or else where it last could be and the platform where it was asked to be. @param {ArrayLike<number> | null} tau */
  robot(tau) {
    const { place, good, parts, hidden, options, data } = this.page;
    const { actuators } = data.machine;
    if (hasValues(place) && place.frames) {
      const loads = options.colours && tau ? actuators.map(({ force }, k) => Math.abs(tau[k]) / (force ?? this.page.largestForce)) : null;
      return parts.instances(place.frames, { hidden, loads, wrong: place.beyond.map((value) => value > 0) });
    }
    const ghost = good.frames
      ? [...parts.instancesInFrame(BASE, frameAt(good, BASE), { hidden }), ...parts.instances(good.frames, { hidden, ...LAST_GOOD })]
      : [];
    const carrier = this.askedCarrier();
    return carrier ? [...ghost, ...parts.instancesInFrame(data.scene.output.frame, carrier, { hidden, ...ASKED })] : ghost;
  }

  /** Ghosts of the other poses with the motor positions of home. @returns {Instance[]} */
  modes() {
    const { options, data, place, machine, parts, hidden } = this.page;
    if (!options.modes) return [];
    return data.modes.filter((mode) => !near(mode.pose, place.pose)).flatMap((mode) => {
      const { frames } = machine.place(mode.pose, { branches: mode.branches, configuration: data.machine.configuration });
      return frames ? parts.instances(frames, { hidden, ...OTHER_MODE }) : [];
    });
  }

  /** The desired robot of a recording, and its path. @returns {Instance[]} */
  recorded() {
    const { recording, player, parts, hidden, options, machine, space, good, stage } = this.page;
    if (!recording || !player) return [];
    /** @type {Instance[]} */ const made = [];
    if (player.active && recording.has("desired")) {
      const { frames } = machine.place(recording.poseAt("desired", player.time, space), good);
      if (frames) made.push(...parts.instances(frames, { hidden, ...DESIRED }));
    }
    if (options.trace) made.push(...parts.trace(this.pathOf(recording), 0.003 * stage.ground.radius, PATH));
    return made;
  }

  /** The path of the output in a recording, found once. @param {Recording} recording */
  pathOf(recording) {
    if (this.path) return this.path;
    const { data, space, machine, good } = this.page;
    const { frame, at } = data.scene.output;
    const count = Math.min(recording.rows, PATH_POINTS);
    let place = good;
    this.path = Array.from({ length: count }, (_, k) => Math.round((k * (recording.rows - 1)) / Math.max(1, count - 1))).flatMap((row) => {
      const pose = recording.row("pose", row);
      const known = space.platformFrame(pose);
      if (known) return [originOf(known)];
      place = machine.place(pose, place.frames ? place : good);
      return place.frames ? [originOf(composed(frameAt(place, frame), at))] : [];
    });
    return this.path;
  }

  /** The frame that carries the output, where it is asked to be as far as that is known. @returns {number[]} */
  outputCarrier() {
    const { good, data } = this.page;
    return this.askedCarrier() ?? frameAt(good, data.scene.output.frame);
  }

  /** The same, from the pose alone where the robot cannot be there; null where a pose does not tell. @returns {number[] | null} */
  askedCarrier() {
    const { place, space, data } = this.page;
    const { frame, at } = data.scene.output;
    if (place.frames) return frameAt(place, frame);
    const asked = space.platformFrame(place.pose);
    if (!asked) return null;
    const R = [at[0], at[4], at[8], at[1], at[5], at[9], at[2], at[6], at[10]];
    return composed(asked, frameOf(R, scale(turned(R, originOf(at)), -1)));
  }

  /** Where the handles are, in the upright world. */
  outputOrigin() {
    const { parts, data } = this.page;
    return parts.upright(originOf(composed(this.outputCarrier(), data.scene.output.at)));
  }
}
