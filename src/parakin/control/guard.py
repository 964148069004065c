"""A guard is what a controller is allowed to believe and to do: limits of the robot file, and what happens in a fault.

`guarding.guarded` puts one around a law; docs/guard.md says what it promises.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Self

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.common import BANDWIDTH
from parakin.control.model import ControlModel
from parakin.control.tuning.delay import bandwidth_for
from parakin.control.tuning.inertia import effective_inertia, least_inertia
from parakin.errors import ControlError
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

MARGIN = 1.5
"""How far beyond the speed of its file a drive may seem to move before that is no longer believed [1]."""
STROKE_SLACK = 0.02
"""Part of its stroke by which an actuator may be beyond it: what an error of the loop at the end of a stroke makes."""
LAG = 0.01
"""Time by which a drive at its full speed may lag behind its set point [s]: beyond that it does not follow."""
SHARE_OF_HOME = 0.01
"""Ratio of pivots at which a pose is too near a singularity, as a share of that at home [1]."""
RESIDUAL = 0.01
"""How far a place may be from what is measured where the file has no speed, or loops may be open [m, rad]."""


class GuardStatus(IntEnum):
    """What a guarded step says of its tick."""

    OK = 0
    """All was good: the force is the law's."""
    HELD = 1
    """Something was not believed, and was replaced by what was believed last."""
    FAULT = 2
    """Too much was not believed: the force goes to the safe one until a reset."""

    @property
    def words(self) -> str:
        """What the status means, in words."""
        return {
            GuardStatus.OK: "all good",
            GuardStatus.HELD: "something was not believed and was replaced",
            GuardStatus.FAULT: "fault: safe force and brake until a reset",
        }[self]


class GuardCause(IntEnum):
    """Why a tick was not good; where several causes apply, the one with the smallest number."""

    NONE = 0
    """The tick was good."""
    NOT_FINITE = 1
    """A measurement is not a finite number, or a quaternion is not of unit length."""
    STROKE = 2
    """A measured position is beyond the stroke."""
    JUMP = 3
    """A measured position is further from the expected one than its drive can go."""
    RATE = 4
    """A measured rate is beyond the drive's speed."""
    REFERENCE = 5
    """A set point is not finite, beyond stroke or speed, or jumped."""
    REACH = 6
    """The desired pose is out of reach."""
    FOLLOWING = 7
    """Measured and desired position are too far apart."""
    RESIDUAL = 8
    """The place that the law found does not fit the measurement, or has open loops."""
    NEAR_SINGULAR = 9
    """The place is too near a singular one."""
    FORCE = 10
    """The law's forces or its next state are not finite."""
    HEARTBEAT = 11
    """The heartbeat stood still."""
    NOT_BEGUN = 12
    """The state was never begun: in C, `step` was called before `init`. No reset leads out of this."""

    @property
    def words(self) -> str:
        """The cause in words."""
        return {
            GuardCause.NONE: "no cause",
            GuardCause.NOT_FINITE: "a measurement is not finite",
            GuardCause.STROKE: "a measured position is beyond its stroke",
            GuardCause.JUMP: "a measured position jumped",
            GuardCause.RATE: "a measured rate is beyond the drive's speed",
            GuardCause.REFERENCE: "a set point is not finite, beyond stroke or speed, or jumped",
            GuardCause.REACH: "the desired pose is out of reach",
            GuardCause.FOLLOWING: "the robot does not follow",
            GuardCause.RESIDUAL: "the place found does not fit the measurement",
            GuardCause.NEAR_SINGULAR: "too near a singular pose",
            GuardCause.FORCE: "the law's forces are not finite",
            GuardCause.HEARTBEAT: "the heartbeat stood still",
            GuardCause.NOT_BEGUN: "the state was never begun: call init before step",
        }[self]


class SafeForce(StrEnum):
    """Which force a fault ends in."""

    ZERO = "zero"
    """No force."""
    DAMPING = "damping"
    """A force against the measured rate, and none where the rate cannot be believed."""
    GRAVITY = "gravity"
    """Damping, and the force that carries the robot's weight where the law last knew it to be."""


@dataclass(frozen=True)
class Guard:
    """Limits of what a guarded law believes and does; infinite where nothing is looked at.

    >>> from dataclasses import replace
    >>> guard = replace(pk.control.Guard.of(robot, 1e-3), safe=pk.control.SafeForce.GRAVITY, ticks=3)
    >>> pk.control.guarded(law, guard).guard.ticks
    3
    """

    lower: tuple[float, ...]
    """Least position that is believed of each actuator [m or rad]."""
    upper: tuple[float, ...]
    """Largest position that is believed of each actuator [m or rad]."""
    speed: tuple[float, ...]
    """Largest rate that is believed of each actuator, measured or desired [m/s or rad/s]."""
    jump: tuple[float, ...]
    """How far a position, measured or desired, may be from where the tick before expected it [m or rad]."""
    following: tuple[float, ...]
    """Largest distance between measured and desired position of each actuator [m or rad]."""
    force: tuple[float, ...]
    """Largest force of each actuator [N or N m]; infinite where the file has none."""
    residual: float
    """How far the place that a law finds may be from the measurement, or loops open, summed [m, rad]."""
    pivot: float
    """Least ratio of the pivots of J_qv at which a place is far enough from singular ones [1]."""
    damping: tuple[float, ...]
    """Force per rate of each actuator in a fault with damping [N s/m or N m s/rad]."""
    safe: SafeForce = SafeForce.DAMPING
    """The force that a fault ends in."""
    ticks: int = 10
    """How many bad ticks are borne before a fault."""
    forgiving: float = 0.1
    """How many bad ticks a good one makes up for: with 0.1, every eleventh tick may be bad for ever."""
    heartbeat_ticks: int = 100
    """Ticks for which the heartbeat may stand still; 0 for a controller without heartbeat."""
    ramp: float = 0.02
    """Time constant with which the force goes to the safe one in a fault [s]."""

    def __post_init__(self) -> None:
        rules = (
            ("residual", self.residual, self.residual > 0.0, "> 0"),
            ("pivot", self.pivot, 0.0 <= self.pivot < 1.0, "at least 0 and below 1"),
            ("ticks", self.ticks, self.ticks >= 0, ">= 0"),
            ("forgiving", self.forgiving, 0.0 <= self.forgiving <= 1.0, "from 0 to 1"),
            ("heartbeat_ticks", self.heartbeat_ticks, self.heartbeat_ticks >= 0, ">= 0"),
            ("ramp", self.ramp, 0.0 <= self.ramp < np.inf, "finite and >= 0 s"),
            ("damping", self.damping, all(0.0 <= d < np.inf for d in self.damping), "finite and >= 0"),
            ("force", self.force, all(limit > 0.0 for limit in self.force), "> 0"),
            ("speed", self.speed, all(limit > 0.0 for limit in self.speed), "> 0"),
            ("jump", self.jump, all(limit > 0.0 for limit in self.jump), "> 0"),
            ("following", self.following, all(limit > 0.0 for limit in self.following), "> 0"),
            (
                "lower, upper",
                (self.lower, self.upper),
                all(low < high for low, high in zip(self.lower, self.upper, strict=True)),
                "lower below upper",
            ),
        )
        for name, value, good, rule in rules:
            if not good:
                raise ControlError("guard", name, f"must be {rule}, got {value}")

    @classmethod
    def of(cls, robot: Robot, period: float, lag: float = 0.0) -> Self:
        """Return the guard that a robot file asks for, for a law with this sample time [s].

        `lag` is the time by which the law lets the robot be behind its set points on purpose [s], `Interface.lag`.

        `dataclasses.replace` changes single limits of it.

        >>> pk.control.Guard.of(robot, period=1e-3).force  # [N m], those of the robot file
        (25.0, 25.0, 25.0)
        """
        limits, lower, upper = limits_of(robot), robot.strokes.lower, robot.strokes.upper
        slack = np.nan_to_num(STROKE_SLACK * (upper - lower), posinf=0.0)
        speed = MARGIN * limits.speed
        way = speed * period
        return cls(
            lower=_numbers(lower - slack),
            upper=_numbers(upper + slack),
            speed=_numbers(speed),
            jump=_numbers(way),
            following=_numbers((LAG + lag) * limits.speed),
            force=_numbers(limits.force),
            residual=float(np.where(np.isfinite(way), way, RESIDUAL).min()),
            pivot=SHARE_OF_HOME * _home_pivot(robot),
            damping=_numbers(_damping(robot, period)),
        )


def _damping(robot: Robot, period: float) -> Array:
    """Return the damping of each actuator [N s/m or N m s/rad]: 60 1/s times the inertia that it moves, or less.

    Damping alone is a loop too, and has to bear the delay that default gains bear.
    """
    inertia = least_inertia(robot)
    borne = bandwidth_for(period, lambda rate: (0.0, rate / inertia, 0.0))
    return min(BANDWIDTH, borne) * effective_inertia(robot)


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _home_pivot(robot: Robot) -> float:
    """Return the ratio of pivots at home."""
    model = ControlModel(robot)
    place = ca.SX.sym("place", len(robot.place_names))
    return float(ca.Function("pivot", [place], [model.pivot(place)])(robot.places(robot.home)))
