"""What a motion asks of a robot, each as a share of what there is: 1 is on the limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.identification.excitation.options import ExciteOptions
from parakin.kinematics.status import Status
from parakin.robot import Robot
from parakin.trajectory.limits import Limits, limits_of
from parakin.trajectory.offsets import offset_between
from parakin.trajectory.states import State

LOST = 10.0
"""The share of a state that cannot be: no leg's excess says how far off it is."""
KINDS = ("box", "stroke", "speed", "force", "singularity", "reach")


@dataclass(frozen=True, eq=False)
class Bounds:
    """The robot's limits, of speeds and forces the part that may be used."""

    limits: Limits
    use: float
    condition: float


def bounds_of(robot: Robot, options: ExciteOptions) -> Bounds:
    return Bounds(limits_of(robot), options.use, options.condition)


@dataclass(frozen=True, eq=False)
class Placed:
    """What poses alone decide: J_qv (N, m, n), and shares (N,) of box, stroke, singularity and reach."""

    J_qv: Array
    box: Array
    stroke: Array
    singularity: Array
    reach: Array


def singularity(robot: Robot, bounds: Bounds, pose: Array) -> Array:
    """log of the condition number of the length-scaled J_qv over the log of what is allowed."""
    with np.errstate(invalid="ignore"):
        return np.minimum(np.log(robot.condition(pose)) / np.log(bounds.condition), LOST)


def placed(robot: Robot, bounds: Bounds, pose: Array, near_singular: Array) -> Placed:
    """near_singular: `singularity` of the poses."""
    found = robot.evaluate("inverse_kinematics", pose=pose)
    good = found.status == Status.GOOD
    lower, upper = robot.box
    limits = bounds.limits
    with np.errstate(invalid="ignore"):
        half = np.where(np.isfinite(limits.upper - limits.lower), (limits.upper - limits.lower) / 2, 1.0)
    missing = np.full(len(pose), LOST) if found.excess is None else 1.0 + found.excess.max(axis=1)
    missing = np.clip(np.nan_to_num(missing, nan=LOST), 1.0, LOST)
    return Placed(
        J_qv=np.nan_to_num(robot.jacobian(pose)),
        box=beyond(offset_between(robot.motion, robot.home, pose), lower, upper, (upper - lower) / 2),
        stroke=beyond(found["q"], limits.lower, limits.upper, half),
        singularity=near_singular,
        reach=np.where(good, 0.0, missing),
    )


def beyond(values: Array, lower: Array, upper: Array, half: Array) -> Array:
    """1 + (what is beyond a limit)/half: |value - middle|/half between two limits, the largest of each row."""
    share = 1.0 + np.maximum(values - upper, lower - values) / half
    return np.nan_to_num(share.max(axis=1), nan=0.0, neginf=0.0)


def shares(bounds: Bounds, where: Placed, velocity: Array, tau: Array) -> Array:
    """(N, KINDS): the largest of each state."""
    q_dot = np.einsum("nij,nj->ni", where.J_qv, velocity)
    speed, force = (
        np.nan_to_num(np.abs(values) / (bounds.use * most)).max(axis=1)
        for values, most in ((q_dot, bounds.limits.speed), (tau, bounds.limits.force))
    )
    return np.stack([where.box, where.stroke, speed, force, where.singularity, where.reach], axis=1)


def peaks(robot: Robot, bounds: Bounds, state: State) -> dict[str, float]:
    """The largest share of each kind along a motion."""
    tau = robot.inverse_dynamics(*state)
    where = placed(robot, bounds, state.pose, singularity(robot, bounds, state.pose))
    largest = shares(bounds, where, np.nan_to_num(state.velocity), tau).max(axis=0)
    return dict(zip(KINDS, largest.tolist(), strict=True))
