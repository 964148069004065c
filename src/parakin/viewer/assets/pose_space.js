// Poses as numbers: how a slider, a handle or a motion changes them. The same algebra as parakin.motions.

import {
  frameOf, normalized, quaternionOfVector, quaternionProduct, rotationOfQuaternion, vectorOfQuaternion,
} from "./linear.js";

/**
 * @typedef {object} PoseData
 * @property {string[]} names of the numbers of a pose
 * @property {number[]} home
 * @property {string[]} offsetNames of the numbers of an offset from home
 * @property {string[]} offsetUnits m or rad
 * @property {number[]} lower smallest offsets of the workspace
 * @property {number[]} upper largest ones
 * @property {number[] | null} linear base axes along which a platform moves; null where poses are joint coordinates
 * @property {number[]} angular base axes about which it turns
 */

export class PoseSpace {
  /** @param {PoseData} data */
  constructor(data) {
    this.data = data;
    this.start = data.linear ? data.linear.length : data.names.length;
    this.quaternion = data.linear !== null && data.angular.length === 3;
    this.freedom = data.offsetNames.length;
  }

  /** The pose at an offset from home: R = exp(r) R_home for a quaternion. @param {number[]} offset */
  at(offset) {
    return this.stepped(this.data.home, offset);
  }

  /** The offset of a pose from home. @param {number[]} pose @returns {number[]} */
  offset(pose) {
    const { home } = this.data;
    if (!this.quaternion) return pose.map((value, k) => value - home[k]);
    const [w, x, y, z] = home.slice(this.start);
    const turn = quaternionProduct(pose.slice(this.start), [w, -x, -y, -z]);
    return [...pose.slice(0, this.start).map((value, k) => value - home[k]), ...vectorOfQuaternion(turn)];
  }

  /** A pose moved by lengths and angles (a rotation vector in base axes). @param {number[]} pose @param {number[]} step */
  stepped(pose, step) {
    if (!this.quaternion) return pose.map((value, k) => value + step[k]);
    const turn = quaternionOfVector(step.slice(this.start));
    const quaternion = normalized(quaternionProduct(turn, pose.slice(this.start)));
    return [...pose.slice(0, this.start).map((value, k) => value + step[k]), ...quaternion];
  }

  /** Part of the way from one pose to another. @param {number[]} a @param {number[]} b @param {number} part */
  between(a, b, part) {
    const mixed = a.map((value, k) => value + part * (b[k] - value));
    if (!this.quaternion) return mixed;
    const [qa, qb] = [a.slice(this.start), b.slice(this.start)];
    const sign = qa.reduce((sum, value, k) => sum + value * qb[k], 0) < 0 ? -1 : 1;
    const quaternion = normalized(qa.map((value, k) => value + part * (sign * qb[k] - value)));
    return [...mixed.slice(0, this.start), ...quaternion];
  }

  /** Where the platform is, for poses that say so; null for joint coordinates. @param {number[]} pose @returns {number[] | null} */
  platformFrame(pose) {
    const { linear, angular } = this.data;
    if (!linear) return null;
    const p = [0, 0, 0];
    linear.forEach((axis, k) => { p[axis] = pose[k]; });
    let quaternion = [1, 0, 0, 0];
    if (this.quaternion) quaternion = pose.slice(this.start);
    else if (angular.length) quaternion = quaternionOfVector([0, 0, pose[this.start]]);
    return frameOf(rotationOfQuaternion(quaternion), p);
  }

  /** The step for a displacement and a turn of the platform, as far as it can make them. @param {number[]} move @param {number[]} turn */
  stepOf(move, turn) {
    const { linear, angular } = this.data;
    return [...(linear ?? []).map((axis) => move[axis]), ...angular.map((axis) => turn[axis])];
  }

  /** A random offset within the workspace. */
  random() {
    const { lower, upper } = this.data;
    return lower.map((low, k) => low + Math.random() * (upper[k] - low));
  }
}

const SAME_POSE = 1e-6;

/** Whether two poses are the same but for rounding. @param {number[]} a @param {number[]} b */
export const near = (a, b) => a.every((value, k) => Math.abs(value - b[k]) < SAME_POSE);
