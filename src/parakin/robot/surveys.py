"""A survey of a robot's box: is it reachable throughout, and well-conditioned?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.description import Leg, elbow_directions
from parakin.description.patterns import pattern_of
from parakin.kinematics.status import Status
from parakin.robot.robot import Robot

LARGEST_CONDITION = 50.0
"""Largest condition number of the length-scaled J_qv inside a box that calls itself well-conditioned."""


@dataclass(frozen=True)
class Survey:
    """What was seen at home and at poses drawn from the box."""

    poses: int
    """How many poses were drawn."""
    good_poses: int
    """How many of them are good."""
    home: Status
    """The status of home."""
    condition: float
    """The worst condition number of the length-scaled J_qv among good poses."""
    strokes: tuple[str, ...]
    """Names of actuators that leave their stroke inside the box."""
    elbows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Where elbows point at home, each way with the legs whose elbow points there: ("outwards", ("leg1", "leg2"))."""

    @property
    def good(self) -> bool:
        """Whether the box is what it says."""
        return (
            self.good_poses == self.poses
            and self.home == Status.GOOD
            and self.condition < LARGEST_CONDITION
            and not self.strokes
        )

    def __str__(self) -> str:
        lines = [
            f"home: {self.home.name.lower()}",
            f"box: {self.good_poses} of {self.poses} sampled poses are good, worst condition {self.condition:.3g}"
            + ("" if self.condition < LARGEST_CONDITION else f" (should be below {LARGEST_CONDITION:g})"),
            *(f"box: {actuator} leaves its stroke" for actuator in self.strokes),
            *(f"{_elbows(legs)} {way}" for way, legs in self.elbows),
        ]
        return "\n".join(lines)


def _elbows(legs: tuple[str, ...]) -> str:
    return f"elbow of {legs[0]} points" if len(legs) == 1 else f"elbows of {', '.join(legs)} point"


def _ways(robot: Robot) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Elbows at home by where they point, in words."""
    legs = {leg.name: leg for leg in robot.legs}
    ways: dict[str, list[str]] = {}
    for name, way in elbow_directions(robot.description).items():
        ways.setdefault(way or _neither(legs[name]), []).append(name)
    return tuple((way, tuple(names)) for way, names in ways.items())


def _neither(leg: Leg) -> str:
    """What is said of an elbow that is as far from the base's axis as the other way."""
    if pattern_of(leg) != "rail":
        return f"neither outwards nor inwards (branch = {leg.branch})"
    side = "behind" if leg.branch == 1 else "ahead of"
    return f"neither outwards nor inwards, but along the rail, {side} the platform's joint (branch = {leg.branch})"


def survey(robot: Robot, count: int = 2000) -> Survey:
    """Look at home and at `count` poses drawn from the robot's box."""
    poses = np.concatenate([robot.home[None], robot.sample(count)])
    status = robot.check(poses)
    good = status == Status.GOOD
    condition = float(np.max(robot.condition(poses[good]), initial=0.0)) if good.any() else np.inf
    q = robot.inverse_kinematics(poses[good])
    outside = [
        name
        for name, actuator, values in zip(robot.actuator_names, robot.actuators, q.T, strict=True)
        if (actuator.lower is not None and np.any(values < actuator.lower))
        or (actuator.upper is not None and np.any(values > actuator.upper))
    ]
    return Survey(count, int(good[1:].sum()), Status(int(status[0])), condition, tuple(outside), _ways(robot))
