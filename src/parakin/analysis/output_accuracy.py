"""How far a mechanism's output frame can be from where it should be, for steps of encoders and play of joints.

At rest a wrench W on the output is held by motors tau and joints F. With motors off by dq, and the child of each joint
off by delta from where the joint should hold it, virtual work gives the displacement of the output:

    W·dX + tau·dq + sum of F·delta = 0        dX = -tau_W^T dq - sum of F_W^T delta,    a column for each unit wrench

More motors than freedoms share forces as elastic drives do: the sum of tau^2/k is least. The largest displacement is
that along the unit direction s for which sum of step/2 |tau_W s| + sum of clearance |F_W s| is largest. The sum is
convex in s, so that stepping to the direction of the displacement that it belongs to never makes it smaller.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from parakin.analysis.compliance import drive_stiffnesses
from parakin.analysis.options import Options, length_of
from parakin.analysis.quantity import GoodPoses
from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import BASE, Joint
from parakin.robot import Robot

ASCENTS = 20
"""Steps towards the worst direction; each doubles the digits near one corner of the errors, and there it ends."""
SMALLEST = 1e-300
"""What sizes of displacements are not divided below."""


@frozen_arrays
class Yielding:
    """Displacements (N, k) of the output in the directions that count, by errors of motors and joints."""

    motors: Array
    """By each motor's largest error (N, k, m) [m, or m at the characteristic length]."""
    joints: Array
    """By a play of the size 1 m along each axis, times its clearance (N, k, joints, 3)."""
    unit: Array
    """By a unit of each motor's position (N, k, m)."""

    def along(self, s: Array) -> Array:
        """Return the displacement (N, S, k) that goes farthest in each of some directions (N, S, k)."""
        sides = np.sign(np.einsum("nsk,nkm->nsm", s, self.motors))
        played = np.einsum("nsk,nkja->nsja", s, self.joints)
        played /= np.maximum(np.linalg.norm(played, axis=-1, keepdims=True), SMALLEST)
        return np.einsum("nsm,nkm->nsk", sides, self.motors) + np.einsum("nsja,nkja->nsk", played, self.joints)

    def farthest(self) -> Array:
        """Return the largest displacement (N, k), one of the two that are opposite to each other."""
        played = np.einsum("nmk,nkja->nmja", np.linalg.pinv(self.unit), self.joints)
        bounds = np.sum(np.linalg.norm(played, axis=-1), axis=-1)  # play as if it were that of motors
        signs = np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=bounds.shape[1] - 1)])
        starts = np.einsum("sm,nkm->nsk", signs, self.motors + bounds[:, None, :] * self.unit)
        axes = np.broadcast_to(np.eye(starts.shape[2]), (len(starts), starts.shape[2], starts.shape[2]))
        found = np.concatenate([starts, axes], axis=1)
        for _ in range(ASCENTS):
            sizes = np.linalg.norm(found, axis=-1, keepdims=True)
            found = self.along(found / np.maximum(sizes, SMALLEST))
        worst = np.argmax(np.linalg.norm(found, axis=-1), axis=1)
        return found[np.arange(len(found)), worst]


def joint_plays(robot: Robot, options: Options) -> dict[str, float]:
    """Return the play of a mechanism's joints [m], of those that have any."""
    joints = [joint for joint in robot.graph_description.joints if joint.type not in ("weld", "free")]
    plays = {one.name: one.clearance if options.clearance is None else options.clearance for one in joints}
    return {name: play for name, play in plays.items() if play}


def output_errors(poses: GoodPoses) -> Yielding:
    """Return what encoder steps and play do to the output frame at each pose."""
    robot, options = poses.robot, poses.options
    axes = wrench_axes(robot, options)
    steps = [one.resolution if options.resolution is None else options.resolution for one in robot.actuators]
    tau, wrenches = _held(poses, axes)
    unit = -tau
    motors = unit * np.array([0.5 * (step or 0.0) for step in steps])
    played = joint_plays(robot, options)
    table = {joint.name: joint for joint in robot.graph_description.joints}
    names = [name for name in robot.wrench_names if name in played]
    frames = robot.evaluate("body_frames", near=poses.near, pose=poses.poses)["R"]
    forces = wrenches[:, :, [robot.wrench_names.index(name) for name in names], :3]
    for n, name in enumerate(names):
        forces[:, :, n] = -played[name] * _held_by(table[name], robot, frames, forces[:, :, n])
    return Yielding(motors, forces, unit)


def wrench_axes(robot: Robot, options: Options) -> Array:
    """Return the wrenches (k, 6) on the output along whose directions its displacement counts."""
    scale = np.diag([1.0] * 3 + [1.0 if options.space == "rotation" else length_of(robot, options)] * 3)
    return {"translation": scale[:3], "rotation": scale[3:], "all": scale}[options.space or "translation"]


def _held(poses: GoodPoses, axes: Array) -> tuple[Array, Array]:
    """Return what motors (N, k, m) and joints (N, k, joints, 6) exert against each wrench, and nothing else."""
    robot, pose, near = poses.robot, poses.poses, poses.near
    rest = np.zeros((len(pose), robot.degrees_of_freedom))
    weights = None
    if len(robot.actuators) > robot.degrees_of_freedom:
        stiffnesses = drive_stiffnesses(robot, poses.options)
        weights = np.array([1.0 if one is None else 1.0 / one for one in stiffnesses])

    def exerted(model: str, output: str, wrench: Array) -> Array:
        still = robot.evaluate(
            model, near=near, pose=pose, velocity=rest, acceleration=rest, wrench=wrench, weights=weights
        )
        return still[output]

    none = np.zeros(6)
    tau, carried = (
        np.stack([exerted(*model, wrench) - exerted(*model, none) for wrench in axes], axis=1)
        for model in (("inverse_dynamics", "tau"), ("joint_wrenches", "wrench_on_child"))
    )
    return tau, carried


def _held_by(joint: Joint, robot: Robot, frames: Array, forces: Array) -> Array:
    """Return the parts of forces (N, k, 3) that a joint itself exerts: none along the axes in which it slides."""
    body = np.eye(3) if joint.child == BASE else frames[:, robot.body_names.index(joint.child)]
    axes = body @ joint.frame_on_child.rotation
    for freedom in joint.kind.freedoms:
        if freedom.move is Move.SLIDE:
            e = np.broadcast_to(axes[..., freedom.axis], (len(forces), 3))[:, None, :]
            forces = forces - e * np.sum(e * forces, axis=-1, keepdims=True)
    return forces


def output_displacement(poses: GoodPoses, found: Array) -> Array:
    """Return how far (N,) the output frame is at some poses from where it is at the poses that are looked at."""
    robot = poses.robot
    still = np.zeros((len(found), robot.degrees_of_freedom))
    at, there = (
        robot.evaluate("output", near=poses.near, pose=pose, velocity=still, acceleration=still)
        for pose in (poses.poses, found)
    )
    turn = there["R"] @ np.swapaxes(at["R"], 1, 2)
    turned = 0.5 * (turn - np.swapaxes(turn, 1, 2))[:, [2, 0, 1], [1, 2, 0]]  # the rotation vector of a small turn
    moved = np.concatenate([there["p"] - at["p"], turned], axis=1)
    return np.linalg.norm(moved @ wrench_axes(robot, poses.options).T, axis=1)
