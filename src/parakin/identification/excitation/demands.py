"""What a motion asks of a robot, each demand as a share of what there is: 1 is on the limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.identification.excitation.options import ExciteOptions
from parakin.motions.offsets import offset_between
from parakin.robot import Robot, limits
from parakin.trajectory.limits import Limits, limits_of
from parakin.trajectory.states import State

UNREACHABLE_SHARE = 10.0
"""Share of a state that cannot be, where no leg says how far off it is; also the most that any such state counts."""
DEMANDS = ("box", "stroke", "joint", "speed", "force", "singularity", "reach")
"""What a motion demands, in the order of the columns of `shares`."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The limits within which a motion must stay."""

    limits: Limits
    """Speeds and forces of the actuators."""
    use: float
    """Part of the speed and force limits that may be used."""
    condition: float
    """Largest condition number of the length-scaled J_qv."""


def bounds_of(robot: Robot, options: ExciteOptions) -> Bounds:
    """Return the limits of a robot, with what the options allow of them."""
    return Bounds(limits_of(robot), options.use, options.condition)


@frozen_arrays
class Placed:
    """What poses alone decide: Jacobians, and the shares of the limits that do not depend on rates."""

    J_qv: Array
    """Actuator Jacobians (N, actuators, degrees of freedom); zero where a pose is out of reach."""
    box: Array
    """Shares of the robot's box (N,)."""
    stroke: Array
    """Shares of the strokes, the largest of all actuators (N,)."""
    joint: Array
    """Shares of the limits of passive joints, the largest of all (N,); 0 without any."""
    singularity: Array
    """Shares of the condition number that is allowed (N,)."""
    reach: Array
    """0 where a pose is within reach, else 1 and more by how far it is off (N,)."""


def singularity(robot: Robot, bounds: Bounds, pose: Array) -> Array:
    """Return the log of the condition number of `robot.condition`, over the log of what is allowed (N,)."""
    with np.errstate(invalid="ignore"):
        return np.minimum(np.log(robot.condition(pose)) / np.log(bounds.condition), UNREACHABLE_SHARE)


def placed(robot: Robot, pose: Array, near_singular: Array) -> Placed:
    """Return what poses (N, coordinates) alone decide; near_singular: `singularity` of the poses."""
    kinematics = robot.evaluate("inverse_kinematics", pose=pose)
    good, (strokes, joints) = kinematics.has_values, robot.limited_values(pose)
    lower, upper = robot.box
    legs = kinematics.excess.shape[1]
    opened = kinematics.excess.max(axis=1) if legs else kinematics.residual
    missing = np.where(np.isfinite(opened), 1.0 + opened, UNREACHABLE_SHARE)
    missing = np.clip(np.nan_to_num(missing, nan=UNREACHABLE_SHARE), 1.0, UNREACHABLE_SHARE)
    return Placed(
        J_qv=np.nan_to_num(robot.jacobian(pose)),
        box=beyond(offset_between(robot.motion_type, robot.home, pose), lower, upper, (upper - lower) / 2),
        stroke=_share(robot.strokes, strokes) if robot.strokes.names else np.zeros(len(pose)),
        joint=_share(robot.joint_limits, joints) if robot.joint_limits.any else np.zeros(len(pose)),
        singularity=near_singular,
        reach=np.where(good, 0.0, missing),
    )


def _share(limited: limits.Bounds, values: Array) -> Array:
    """Return the largest share of strokes or joint limits (N,), where one end alone counts in m or rad."""
    with np.errstate(invalid="ignore"):
        room = limited.upper - limited.lower
    return beyond(values, limited.lower, limited.upper, np.where(np.isfinite(room), room / 2, 1.0))


def beyond(values: Array, lower: Array, upper: Array, half: Array) -> Array:
    """Return 1 + (what is beyond a limit)/half, the largest of each row (N,).

    Between two limits this is |value - middle|/half.
    """
    share = 1.0 + np.maximum(values - upper, lower - values) / half
    return np.nan_to_num(share.max(axis=1), nan=0.0, neginf=0.0)


def shares(bounds: Bounds, where: Placed, velocity: Array, tau: Array) -> Array:
    """Return the share of each demand (N, DEMANDS), the largest over the actuators."""
    q_dot = np.einsum("nij,nj->ni", where.J_qv, velocity)
    speed, force = (
        np.nan_to_num(np.abs(values) / (bounds.use * most)).max(axis=1)
        for values, most in ((q_dot, bounds.limits.speed), (tau, bounds.limits.force))
    )
    return np.stack([where.box, where.stroke, where.joint, speed, force, where.singularity, where.reach], axis=1)


def peaks(robot: Robot, bounds: Bounds, state: State) -> dict[str, float]:
    """Return the largest share of each demand along a motion."""
    tau: Array = robot.inverse_dynamics(*state)
    where = placed(robot, state.pose, singularity(robot, bounds, state.pose))
    largest = shares(bounds, where, np.nan_to_num(state.velocity), tau).max(axis=0)
    return dict(zip(DEMANDS, largest.tolist(), strict=True))
