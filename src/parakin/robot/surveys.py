"""A survey of a robot's box: is it reachable throughout, well-conditioned, and within all limits?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array
from parakin.description import Leg, elbow_directions
from parakin.description.patterns import line_pattern
from parakin.errors import range_text
from parakin.kinematics.status import WITH_VALUES, Status
from parakin.motions.offsets import displaced, offset_between
from parakin.robot.diagnosis import singularity
from parakin.robot.limits import Bounds
from parakin.robot.robot import Robot

if TYPE_CHECKING:
    from parakin.robot.mechanism_survey import MechanismSurvey

LARGEST_CONDITION = 50.0
"""Largest condition number of the length-scaled J_qv inside a box that calls itself well-conditioned."""
WORST_SHOWN = 3
"""How many of the poses that fail a survey keeps for each reason."""


@dataclass(frozen=True)
class FailedPose:
    """A pose of the box that is not what the box promises."""

    pose: tuple[float, ...]
    """The pose [m, rad; quaternions 1]."""
    offset: tuple[float, ...]
    """Its offset from home, as the box has it [m, rad]."""
    reason: str
    """Why it fails, and by how much."""

    def __str__(self) -> str:
        turned = len(self.pose) > len(self.offset)
        values = ", ".join(f"{value:.4g}" for value in (self.offset if turned else self.pose))
        return f"{'home + ' if turned else ''}[{values}]: {self.reason}"


@dataclass(frozen=True)
class Survey:
    """What was seen at home, at the corners of the box and at poses drawn from it."""

    poses: int
    """How many poses were drawn."""
    good_poses: int
    """How many of them are good."""
    corners: int
    """How many corners the box has."""
    good_corners: int
    """How many of them are good."""
    home: Status
    """The status of home."""
    condition: float
    """The worst condition number of the length-scaled J_qv among poses that can be reached."""
    strokes: tuple[str, ...]
    """Names of actuators that leave their stroke inside the box."""
    joints: tuple[str, ...] = ()
    """Names of passive joint angles that leave their limits inside the box."""
    elbows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Where elbows point at home, each way with the legs whose elbow points there: ("outwards", ("leg1", "leg2"))."""
    failed: tuple[FailedPose, ...] = ()
    """The worst few of these poses that fail, for each reason, worst first."""
    home_reasons: tuple[str, ...] = ()
    """What is wrong with home, and by how much; empty if it is good."""
    too_weak: tuple[str, ...] = ()
    """What drives need at home to hold the robot, where that is more than they have."""

    @property
    def good(self) -> bool:
        """Whether the box is what it says."""
        whole = self.good_poses == self.poses and self.good_corners == self.corners
        return whole and self.home == Status.GOOD and self.condition < LARGEST_CONDITION

    def __str__(self) -> str:
        seen = f"{self.good_poses} of {self.poses} sampled poses and {self.good_corners} of {self.corners} corners"
        status, reasons = status_words(self.home), ", ".join(self.home_reasons)
        lines = [
            f"home: {reasons}" if reasons.startswith(status) else ": ".join(["home", status, *filter(None, [reasons])]),
            *(f"home: {reason}" for reason in self.too_weak),
            f"box: {seen} are good, worst condition {self.condition:.3g}"
            + ("" if self.condition < LARGEST_CONDITION else f" (should be below {LARGEST_CONDITION:g})"),
            *(f"box: {actuator} leaves its stroke" for actuator in self.strokes),
            *(f"box: {joint} leaves its limits" for joint in self.joints),
            *(f"{_elbows(legs)} {way}" for way, legs in self.elbows),
            *(["poses that fail, the worst of each kind:"] if self.failed else []),
            *(f"  {pose}" for pose in self.failed),
        ]
        return "\n".join(lines)


def status_words(status: Status) -> str:
    """Return a status as it is printed."""
    return status.name.lower().replace("_", " ")


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
    if line_pattern(leg) != "rail":
        return f"neither outwards nor inwards (branch = {leg.branch})"
    side = "behind" if leg.branch == 1 else "ahead of"
    return f"neither outwards nor inwards, but along the rail, {side} the platform's joint (branch = {leg.branch})"


def survey(robot: Robot, count: int = 2000) -> Survey | MechanismSurvey:
    """Look at home and at `count` poses drawn from the robot's box; of a robot of legs also at all corners of it.

    >>> seen = pk.survey(robot, 200)
    >>> seen.good, seen.good_poses, seen.poses
    (True, 200, 200)
    """
    if robot.legs:
        return survey_legs(robot, count)
    from parakin.robot.mechanism_survey import survey_mechanism

    return survey_mechanism(robot.graph, count)


def survey_legs(robot: Robot, count: int = 2000) -> Survey:
    """Look at home, at all corners of the box of a robot of legs and at `count` poses drawn from it."""
    corners = displaced(robot.motion_type, robot.home, list(product(*zip(*robot.box, strict=True))))
    poses = np.concatenate([corners, robot.sample(count)])
    status = robot.check(poses)
    good = status == Status.GOOD
    there = poses[np.isin(status, WITH_VALUES)]
    conditions = robot.condition(there) if len(there) else np.zeros(0)
    home = Status(int(robot.check(robot.home)))
    reasons = [pose.reason for pose in _failures(robot, robot.home[None])]
    return Survey(
        poses=count,
        good_poses=int(good[len(corners) :].sum()),
        corners=len(corners),
        good_corners=int(good[: len(corners)].sum()),
        home=home,
        condition=float(np.max(conditions, initial=0.0)) if len(there) else np.inf,
        strokes=_left(robot.strokes, robot.inverse_kinematics(there)),
        joints=_left(robot.joint_limits, _angles(robot, there)),
        elbows=_ways(robot),
        failed=tuple(_failures(robot, poses)),
        home_reasons=tuple(reasons) if home != Status.GOOD else (),
        too_weak=tuple(_too_weak(robot)) if home in WITH_VALUES else (),
    )


def _angles(robot: Robot, poses: Array) -> Array:
    return (
        robot.kernel("joint_coordinates")(pose=poses)["coordinate"] if robot.joint_names else np.empty((len(poses), 0))
    )


def _left(bounds: Bounds, values: Array) -> tuple[str, ...]:
    """Names of actuators or joints that are beyond their limits in any of the poses."""
    return tuple(bounds.names[k] for k in np.flatnonzero(bounds.beyond(values).any(axis=0)))


def _too_weak(robot: Robot) -> Iterator[str]:
    """Tell the drives whose force does not hold the robot at home."""
    forces = robot.static_forces(robot.home)
    for name, actuator, force in zip(robot.actuator_names, robot.actuators, forces.tolist(), strict=True):
        if actuator.force is not None and abs(force) > actuator.force:
            unit = actuator.units.force
            yield f"{name} needs {abs(force):.4g} {unit} to hold the robot, and has {actuator.force:g} {unit}"


def _failures(robot: Robot, poses: Array) -> Iterator[FailedPose]:
    """Tell the worst of these poses for each reason."""
    reached = np.isin(robot.check(poses), WITH_VALUES)
    there = poses[reached]
    yield from _not_reached(robot, poses[~reached])
    yield from _ill(robot, there, robot.condition(there) if len(there) else np.zeros(0))
    yield from _outside(robot, robot.strokes, there, robot.inverse_kinematics(there), "its stroke")
    yield from _outside(robot, robot.joint_limits, there, _angles(robot, there), "its limits")


def _not_reached(robot: Robot, poses: Array) -> Iterator[FailedPose]:
    """Tell the poses at which a leg misses most, and the singular ones."""
    if not len(poses):
        return
    excess = robot.evaluate("inverse_kinematics", pose=poses).excess
    excess = np.where(np.isfinite(excess), excess, -np.inf)
    far = excess.max(axis=1)
    for k in worst_first(far):
        leg = robot.legs[int(excess[k].argmax())].name
        yield _failed(robot, poses[k], f"{leg} cannot close, {1e3 * far[k]:.3g} mm missing")
    others = np.flatnonzero(~(far > 0.0))[:WORST_SHOWN]
    for k, status in zip(others, robot.check(poses[others]), strict=True):
        singular = status == Status.SINGULAR
        yield _failed(robot, poses[k], _singular(robot, poses[k]) if singular else status_words(Status(int(status))))


def _singular(robot: Robot, pose: Array) -> str:
    kind, place = singularity(robot.engine, pose)
    return f"singular, the platform is free to move: {place}" if kind == "platform" else f"singular: {kind} {place}"


def _ill(robot: Robot, poses: Array, conditions: Array) -> Iterator[FailedPose]:
    """Tell the worst-conditioned of the poses that can be reached."""
    for k in worst_first(conditions - LARGEST_CONDITION):
        yield _failed(robot, poses[k], f"condition number {conditions[k]:.3g}, should be below {LARGEST_CONDITION:g}")


def _outside(robot: Robot, bounds: Bounds, poses: Array, values: Array, what: str) -> Iterator[FailedPose]:
    """Tell the poses at which an actuator or joint is farthest beyond its limits."""
    for k, reason in beyond_limits(bounds, values, what):
        yield _failed(robot, poses[k], reason)


def beyond_limits(bounds: Bounds, values: Array, what: str) -> Iterator[tuple[int, str]]:
    """Tell the numbers of the states at which an actuator or joint is farthest beyond its limits, and by how much."""
    excess = np.where(bounds.beyond(values), bounds.excess(values), -np.inf)
    for k in worst_first(excess.max(axis=1, initial=-np.inf)):
        which = int(excess[k].argmax())
        unit = bounds.units[which]
        allowed = range_text(float(bounds.lower[which]), float(bounds.upper[which]), unit)
        yield k, f"{bounds.names[which]} is {excess[k, which]:.3g} {unit} beyond {what} of {allowed}"


def worst_first(excess: Array) -> list[int]:
    """Return the places of the largest values above 0, largest first."""
    order = np.argsort(-excess)[:WORST_SHOWN]
    return [int(k) for k in order if excess[k] > 0.0]


def _failed(robot: Robot, pose: Array, reason: str) -> FailedPose:
    offset = offset_between(robot.motion_type, robot.home, pose)
    return FailedPose(tuple(pose.tolist()), tuple(offset.tolist()), reason)
