"""A survey of a robot's box: is it reachable throughout, well-conditioned, and within all limits?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.description import Leg, elbow_directions
from parakin.description.patterns import pattern_of
from parakin.kinematics.status import WITH_VALUES, Status
from parakin.robot.limits import Bounds
from parakin.robot.robot import Robot

LARGEST_CONDITION = 50.0
"""Largest condition number of the length-scaled J_qv inside a box that calls itself well-conditioned."""
WORST_SHOWN = 3
"""How many of the poses that fail a survey keeps for each reason."""


@dataclass(frozen=True)
class FailedPose:
    """A pose of the box that is not what the box promises."""

    pose: tuple[float, ...]
    """The pose [m, rad; quaternions 1]."""
    reason: str
    """Why it fails, and by how much."""

    def __str__(self) -> str:
        return f"[{', '.join(f'{value:.4g}' for value in self.pose)}]: {self.reason}"


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
    """The worst condition number of the length-scaled J_qv among poses that can be reached."""
    strokes: tuple[str, ...]
    """Names of actuators that leave their stroke inside the box."""
    joints: tuple[str, ...] = ()
    """Names of passive joint angles that leave their limits inside the box."""
    elbows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Where elbows point at home, each way with the legs whose elbow points there: ("outwards", ("leg1", "leg2"))."""
    failed: tuple[FailedPose, ...] = ()
    """The worst few of the sampled poses that fail, for each reason, worst first."""

    @property
    def good(self) -> bool:
        """Whether the box is what it says."""
        return self.good_poses == self.poses and self.home == Status.GOOD and self.condition < LARGEST_CONDITION

    def __str__(self) -> str:
        lines = [
            f"home: {status_words(self.home)}",
            f"box: {self.good_poses} of {self.poses} sampled poses are good, worst condition {self.condition:.3g}"
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
    if pattern_of(leg) != "rail":
        return f"neither outwards nor inwards (branch = {leg.branch})"
    side = "behind" if leg.branch == 1 else "ahead of"
    return f"neither outwards nor inwards, but along the rail, {side} the platform's joint (branch = {leg.branch})"


def survey(robot: Robot, count: int = 2000) -> Survey:
    """Look at home and at `count` poses drawn from the robot's box."""
    poses = np.concatenate([robot.home[None], robot.sample(count)])
    status = robot.check(poses)
    reached = np.isin(status, WITH_VALUES)
    there = poses[reached]
    conditions = robot.condition(there) if len(there) else np.zeros(0)
    q = robot.inverse_kinematics(there)
    angles = robot.kernel("joint_angles")(pose=there)["angle"] if robot.joint_limits.any else np.empty((len(there), 0))
    limits = [(robot.strokes, q, "its stroke")]
    limits += [(robot.joint_limits, angles, "its limits")] if robot.joint_limits.any else []
    left = [[bounds.names[k] for k in np.flatnonzero(bounds.beyond(v).any(axis=0))] for bounds, v, _ in limits]
    failed = [*_not_reached(robot, poses[~reached]), *_ill(there, conditions)]
    failed += [pose for bounds, values, what in limits for pose in beyond_limits(bounds, there, values, what)]
    return Survey(
        count,
        int((status[1:] == Status.GOOD).sum()),
        Status(int(status[0])),
        float(np.max(conditions, initial=0.0)) if len(there) else np.inf,
        tuple(left[0]),
        tuple(left[1]) if len(left) > 1 else (),
        _ways(robot),
        tuple(failed),
    )


def _not_reached(robot: Robot, poses: Array) -> Iterator[FailedPose]:
    """Tell the poses at which a leg misses most, and the singular ones."""
    if not len(poses):
        return
    excess = robot.evaluate("inverse_kinematics", pose=poses).excess
    excess = np.where(np.isfinite(excess), excess, -np.inf)
    far = excess.max(axis=1)
    for k in worst_first(far):
        leg = robot.legs[int(excess[k].argmax())].name
        yield failed_pose(poses[k], f"{leg} cannot close, {1e3 * far[k]:.3g} mm missing")
    others = np.flatnonzero(~(far > 0.0))[:WORST_SHOWN]
    for k, status in zip(others, robot.check(poses[others]), strict=True):
        yield failed_pose(poses[k], status_words(Status(int(status))))


def _ill(poses: Array, conditions: Array) -> Iterator[FailedPose]:
    """Tell the worst-conditioned of the poses that can be reached."""
    for k in worst_first(conditions - LARGEST_CONDITION):
        yield failed_pose(poses[k], f"condition number {conditions[k]:.3g}, should be below {LARGEST_CONDITION:g}")


def beyond_limits(bounds: Bounds, poses: Array, values: Array, what: str) -> Iterator[FailedPose]:
    """Tell the poses at which an actuator or joint is farthest beyond its limits."""
    excess = np.where(bounds.beyond(values), bounds.excess(values), -np.inf)
    for k in worst_first(excess.max(axis=1, initial=-np.inf)):
        which = int(excess[k].argmax())
        amount = f"{excess[k, which]:.3g} {bounds.units[which]}"
        yield failed_pose(poses[k], f"{bounds.names[which]} is {amount} beyond {what}")


def worst_first(excess: Array) -> list[int]:
    """Return the places of the largest values above 0, largest first."""
    order = np.argsort(-excess)[:WORST_SHOWN]
    return [int(k) for k in order if excess[k] > 0.0]


def failed_pose(pose: Array, reason: str) -> FailedPose:
    """Return a pose with the reason why it fails."""
    return FailedPose(tuple(pose.tolist()), reason)
