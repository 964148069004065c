"""Give a motion that asks too much more time: the least that keeps speeds and forces within their limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.errors import MotionLimitError
from parakin.robot import Robot
from parakin.robot.limits import LIMIT_ROUNDING
from parakin.trajectory.check_result import MotionCheck
from parakin.trajectory.checking import STATES, actuator_course, beyond, check
from parakin.trajectory.limits import limits_of
from parakin.trajectory.states import Motion

MARGIN = 1e-4
"""Part of each limit that stays unused, for what happens between the checked states."""
_PACES = np.array([1.0, 0.5, 0.25])
"""Paces at which forces are computed, to find them as parabolas of the pace; powers of 2 scale every rate exactly."""


@dataclass(frozen=True, eq=False)
class Slowed:
    """A motion that keeps the robot's limits, slowed down where it had to be."""

    motion: Motion
    """The motion within the limits."""
    factor: float
    """How many times longer it takes than the motion asked for; 1 where that one kept the limits."""
    asked: MotionCheck
    """Check of the motion asked for."""
    check: MotionCheck
    """Check of the motion within the limits."""

    def __str__(self) -> str:
        if self.factor == 1.0:
            return str(self.check)
        return f"stretched by {self.factor:.4g}, because of\n{self.asked}\nnow\n{self.check}"


def within_limits(motion: Motion, robot: Robot, states: int = STATES) -> Slowed:
    """Return the motion itself where it is within limits, else the least stretched one that is.

    Raise MotionLimitError where time is no cure: out of reach, singular, beyond a stroke or a joint limit, or too
    heavy to hold.

    >>> slowed = pk.trajectory.within_limits(motion.stretched(0.2), robot)
    >>> slowed.factor > 1, slowed.check.good
    (True, True)
    """
    asked = check(motion, robot, states)
    if asked.good:
        return Slowed(motion, 1.0, asked, asked)
    hopeless = [*asked.troubles, *(entry for entry in asked.excesses if entry.quantity in ("stroke", "joint"))]
    if hopeless:
        raise MotionLimitError(robot.name, str(motion), tuple(map(str, hopeless)))
    forces = _force_coefficients(motion, robot, states)
    pace = largest_pace(_demands(motion, robot, states, forces))
    if pace == 0.0:
        raise MotionLimitError(robot.name, str(motion), _too_heavy(motion, robot, forces[0]))
    slower = motion.stretched(1.0 / pace)
    return Slowed(slower, 1.0 / pace, asked, check(slower, robot, states))


def _force_coefficients(motion: Motion, robot: Robot, states: int) -> Array:
    """Return g, d, h (3, states, actuators) of the forces tau = g + d x + h x^2 at pace x.

    g holds weight and Coulomb friction, d viscous friction, h inertia.
    """
    pose, velocity, acceleration = motion.at(np.linspace(0.0, motion.duration, states))
    near = robot.configurations(pose)
    tau: list[Array] = [robot.inverse_dynamics(pose, x * velocity, x * x * acceleration, near=near) for x in _PACES]
    return np.einsum("ij,jkl->ikl", np.linalg.inv(np.vander(_PACES, 3, increasing=True)), np.array(tau))


def _demands(motion: Motion, robot: Robot, states: int, forces: Array) -> Array:
    """Return what limits ask of the pace x as coefficients c, b, a (3, demands) of c + b x + a x^2 <= 0.

    There is one demand for each limit of each actuator in each state.
    """
    limits = limits_of(robot)
    pose, velocity, _ = motion.at(np.linspace(0.0, motion.duration, states))
    speed = np.abs(robot.actuator_velocity(pose, velocity, near=robot.configurations(pose))) / limits.speed
    share = forces / limits.force
    allowed = np.array([1.0 - MARGIN, 0.0, 0.0])[:, None, None]
    rows = [share - allowed, -share - allowed, np.stack([0 * speed, speed, 0 * speed]) - allowed]
    return np.concatenate([row.reshape(3, -1) for row in rows], axis=1)


def largest_pace(demands: Array) -> float:
    """Return the largest pace 0 < x <= 1 that meets all demands c + b x + a x^2 <= 0, or 0 where there is none.

    The search goes down from x = 1: a demand that is not met at x is not met until its next root below. The paces that
    meet all demands need not be one interval: slower may be worse, where inertia carries part of the weight.
    """
    c, b, a = demands
    with np.errstate(divide="ignore", invalid="ignore"):
        q = -0.5 * (b + np.copysign(np.sqrt(b * b - 4 * a * c), b))
        roots = np.nan_to_num(np.stack([q / a, c / q]), nan=-np.inf)
    x = 1.0
    while x > 0.0:
        unmet = c + (b + a * x) * x > LIMIT_ROUNDING
        if not unmet.any():
            return x
        below = np.where(roots[:, unmet] < x, roots[:, unmet], -np.inf).max(axis=0)
        x = float(below.min())
    return 0.0


def _too_heavy(motion: Motion, robot: Robot, holding: Array) -> tuple[str, ...]:
    t = np.linspace(0.0, motion.duration, len(holding))
    force = (1.0 - MARGIN) * limits_of(robot).force
    heavy = beyond(actuator_course(robot, "force", t, holding, force))
    return tuple(f"however slowly, {entry}" for entry in heavy)
