// The robot as its kernels know it: where everything is at a pose, what the motors must do, and what is wrong.

import { condition, dampedSolution, originOf, quaternionOfRotation, quaternionProduct, rotationOf, subtract, vectorOfQuaternion } from "./linear.js";
import { quantityText } from "./quantities.js";

/** @typedef {import("./kernels.js").Kernels} Kernels */
/** @typedef {import("./pose_space.js").PoseSpace} PoseSpace */
/** @typedef {{ name: string, unit: string, lower: number | null, upper: number | null }} Bound */
/** @typedef {Bound & { forceUnit: string, force: number | null }} Actuator */
/**
 * @typedef {object} MachineData
 * @property {Actuator[]} actuators
 * @property {Bound[]} joints with limits
 * @property {number[]} jointPlaces where their coordinates stand in the output of the kernel `joints`
 * @property {string[]} legs names, in the order of `excess`
 * @property {number[]} branches working mode of each leg that has two, 1 or -1
 * @property {string[]} branchLegs names of these legs
 * @property {number[] | null} configuration coordinates of a mechanism's tree at home; null for robots of legs
 * @property {number[] | null} scaling of the columns of the Jacobian, for condition numbers; null where they say nothing
 * @property {number[]} payload what 1 kg at the tool is: m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz about E
 * @property {{ sign: number, zero: number }[]} drives of a mechanism: coordinate = zero + sign q
 */
/**
 * @typedef {object} Place
 * @property {number[]} pose
 * @property {number} status one of STATUS, limits included
 * @property {string} message what is wrong, in words; empty where nothing is
 * @property {Float64Array | null} frames [R | p] of every frame of the scene, twelve numbers each
 * @property {Float64Array | null} q
 * @property {number[]} branches
 * @property {number[] | null} configuration
 * @property {number} condition
 * @property {Float64Array | null} jacobian
 * @property {number[]} beyond for each actuator how far it is beyond its stroke, 0 within
 */

export const STATUS = { UNUSABLE: -1, GOOD: 0, UNREACHABLE: 1, SINGULAR: 2, NOT_CONVERGED: 3, OUT_OF_STROKE: 4, JOINT_LIMIT: 5 };
export const NEAR_SINGULAR = 100;
const LIMIT_ROUNDING = 1e-9;
const REST = 12;

export class Machine {
  /** @param {MachineData} data @param {Kernels} kernels @param {PoseSpace} space */
  constructor(data, kernels, space) {
    this.data = data;
    this.kernels = kernels;
    this.space = space;
  }

  /** Whether motors can be set: they are as many as the freedoms. */
  get canDrive() {
    return this.data.configuration === null || this.kernels.has("by_motors");
  }

  /** The first place: home. */
  home() {
    return this.place(this.space.data.home, { branches: this.data.branches, configuration: this.data.configuration });
  }

  /**
   * Everything about a pose. before: the place that the robot comes from, for its working mode and configuration.
   * @param {number[]} pose @param {{ branches: number[], configuration: number[] | null }} before @returns {Place}
   */
  place(pose, { branches, configuration }) {
    const state = { pose, branches, near: configuration ?? pose };
    const solved = this.kernels.call("inverse_kinematics", state);
    /** @type {Place} */
    const place = {
      pose, branches, configuration, status: solved.status, message: "", frames: null, q: null, condition: Infinity, jacobian: null,
      beyond: this.data.actuators.map(() => 0),
    };
    if (solved.status !== STATUS.GOOD) {
      place.message = this.reason(solved);
      return place;
    }
    if (configuration) {
      const found = this.kernels.call("configuration", state);
      place.configuration = Array.from(found.values.configuration_found);
      state.near = place.configuration;
    }
    place.q = solved.values.q;
    place.frames = this.kernels.call("frames", state).values.frames;
    const jacobian = this.kernels.call("jacobian", state);
    if (jacobian.status === STATUS.GOOD) {
      place.jacobian = jacobian.values.J_qv ?? jacobian.values.J_qu;
      place.condition = this.conditionOf(place.jacobian);
    }
    this.judge(place, state);
    return place;
  }

  /** The condition number of a Jacobian; 0 where poses are joint coordinates, for which it says nothing. @param {Float64Array} jacobian */
  conditionOf(jacobian) {
    const { scaling } = this.data;
    if (!scaling) return 0;
    const columns = scaling.length;
    return condition(jacobian.map((value, k) => value * scaling[k % columns]), jacobian.length / columns, columns);
  }

  /** Says which limits are left, or that a singularity is near. @param {Place} place @param {Record<string, ArrayLike<number>>} state */
  judge(place, state) {
    const { actuators, joints, jointPlaces } = this.data;
    const q = /** @type {Float64Array} */ (place.q);
    place.beyond = actuators.map((actuator, k) => excess(actuator, q[k]));
    if (!(place.condition < Infinity)) {
      place.status = STATUS.SINGULAR;
      place.message = "singular: the motors cannot move or hold the platform in every direction here";
      return;
    }
    if (place.beyond.some((value) => value > 0)) {
      place.status = STATUS.OUT_OF_STROKE;
      place.message = worst(actuators, place.beyond, "beyond its stroke");
      return;
    }
    if (joints.length) {
      const { values } = this.kernels.call("joints", state);
      const angles = values.angle ?? values.coordinate;
      const beyond = joints.map((joint, k) => excess(joint, angles[jointPlaces[k]]));
      if (beyond.some((value) => value > 0)) {
        place.status = STATUS.JOINT_LIMIT;
        place.message = worst(joints, beyond, "beyond its limit");
        return;
      }
    }
    if (place.condition > NEAR_SINGULAR) place.message = `close to a singularity: condition number ${place.condition.toPrecision(3)}`;
  }

  /** @param {import("./kernels.js").Outcome} solved */
  reason({ status, values }) {
    if (status === STATUS.UNREACHABLE && values.excess) {
      const excesses = Array.from(values.excess);
      const k = excesses.indexOf(Math.max(...excesses));
      return `${this.data.legs[k]} cannot close: ${(1000 * excesses[k]).toFixed(1)} mm are missing`;
    }
    if (status === STATUS.SINGULAR) return "singular: a leg or a loop cannot be moved or held in every direction here";
    if (status === STATUS.UNREACHABLE || status === STATUS.NOT_CONVERGED) return "the loops cannot be closed there";
    return "these numbers cannot be used";
  }

  /**
   * The pose for actuator positions, on the assembly mode of a place; null where there is none.
   * @param {number[]} q @param {Place} near @returns {number[] | null}
   */
  forward(q, near) {
    if (near.configuration) {
      const coordinates = q.map((value, k) => this.data.drives[k].zero + this.data.drives[k].sign * value);
      const found = this.kernels.call("by_motors", { pose: coordinates, near: near.configuration });
      if (found.status !== STATUS.GOOD) return null;
      return Array.from(this.kernels.call("pose", { configuration: found.values.configuration_found }).values.pose_found);
    }
    const found = this.kernels.call("forward_kinematics", { q, near: near.pose, branches: near.branches });
    return found.status === STATUS.GOOD ? Array.from(found.values.pose) : null;
  }

  /**
   * Forces of the motors [N or N m]; null where they are not known.
   * @param {Place} place @param {number[]} velocity @param {number[]} acceleration @param {number} mass carried [kg]
   */
  forces(place, velocity, acceleration, mass) {
    if (!place.q) return null;
    const payload = this.data.payload.map((value) => mass * value);
    const state = { pose: place.pose, near: place.configuration ?? place.pose, branches: place.branches, velocity, acceleration, payload };
    const { status, values } = this.kernels.call("inverse_dynamics", state);
    return status === STATUS.GOOD ? values.tau : null;
  }

  /** Rates of the actuators at a velocity: J_qv v. @param {Place} place @param {number[]} velocity */
  rates(place, velocity) {
    const { jacobian } = place;
    if (!jacobian) return null;
    return this.data.actuators.map((_, i) => velocity.reduce((sum, v, k) => sum + jacobian[i * velocity.length + k] * v, 0));
  }

  /**
   * The pose at which the platform's frame is nearest to a goal, where poses are joint coordinates: a few damped
   * Newton steps with a Jacobian by differences.
   * @param {Place} place @param {number} frame @param {number[]} goal [R | p] @param {number} length that weighs turns
   */
  approach(place, frame, goal, length) {
    let here = place;
    for (let step = 0; step < 4; step += 1) {
      const error = difference(frameAt(here, frame), goal, length);
      const span = this.space.data.upper.map((upper, k) => 1e-6 * (upper - this.space.data.lower[k]));
      const columns = span.map((small, k) => {
        const moved = here.pose.map((value, i) => value + (i === k ? small : 0));
        const there = this.place(moved, here);
        return there.frames ? difference(frameAt(here, frame), frameAt(there, frame), length).map((value) => value / small) : null;
      });
      if (columns.some((column) => column === null)) break;
      const rows = error.map((_, i) => columns.map((column) => /** @type {number[]} */ (column)[i]));
      const size = rows.flat().reduce((sum, value) => sum + value * value, 0);
      const change = dampedSolution(rows, error, 1e-3 * size / span.length);
      const next = this.place(here.pose.map((value, k) => value + change[k]), here);
      if (!next.frames) break;
      here = next;
    }
    return here.pose;
  }
}

/** One frame of a place. @param {Place} place @param {number} frame */
export const frameAt = (place, frame) => Array.from(/** @type {Float64Array} */ (place.frames).subarray(REST * frame, REST * (frame + 1)));

/** How to get from one frame to another: metres, and turns times a length. @param {number[]} from @param {number[]} to @param {number} length */
function difference(from, to, length) {
  const [w, x, y, z] = quaternionOfRotation(rotationOf(from));
  const turn = vectorOfQuaternion(quaternionProduct(quaternionOfRotation(rotationOf(to)), [w, -x, -y, -z]));
  return [...subtract(originOf(to), originOf(from)), ...turn.map((value) => value * length)];
}

/** How far a value is beyond its limits, 0 within, rounding allowed for. @param {Bound} bound @param {number} value */
function excess({ lower, upper }, value) {
  const slack = LIMIT_ROUNDING * (1 + Math.max(Math.abs(lower ?? 0), Math.abs(upper ?? 0)));
  const beyond = Math.max((lower ?? -Infinity) - value, value - (upper ?? Infinity));
  return beyond > slack ? beyond : 0;
}

/** @param {Bound[]} bounds @param {number[]} beyond @param {string} what */
function worst(bounds, beyond, what) {
  const k = beyond.indexOf(Math.max(...beyond));
  return `${bounds[k].name} is ${quantityText(beyond[k], bounds[k].unit)} ${what}`;
}
