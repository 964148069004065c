"""A survey of a robot's box: is it reachable throughout, and well-conditioned?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.kinematics.status import Status
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
    """The worst condition number of the length-scaled J_qv among good poses."""
    strokes: tuple[str, ...]
    """Names of actuators that leave their stroke inside the box."""
    failed: tuple[FailedPose, ...] = ()
    """The worst few of the sampled poses that fail, for each reason, worst first."""

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
            *(["poses that fail, the worst of each kind:"] if self.failed else []),
            *(f"  {pose}" for pose in self.failed),
        ]
        return "\n".join(lines)


def survey(robot: Robot, count: int = 2000) -> Survey:
    """Look at home and at `count` poses drawn from the robot's box."""
    poses = np.concatenate([robot.home[None], robot.sample(count)])
    status = robot.check(poses)
    good = status == Status.GOOD
    conditions = robot.condition(poses[good]) if good.any() else np.zeros(0)
    condition = float(np.max(conditions, initial=0.0)) if good.any() else np.inf
    beyond = _beyond_strokes(robot, robot.inverse_kinematics(poses[good]))
    outside = [name for name, excess in zip(robot.actuator_names, beyond.T, strict=True) if np.any(excess > 0.0)]
    failed = (*_not_good(robot, poses[~good]), *_ill(poses[good], conditions), *_outside(robot, poses[good], beyond))
    return Survey(count, int(good[1:].sum()), Status(int(status[0])), condition, tuple(outside), failed)


def _beyond_strokes(robot: Robot, q: Array) -> Array:
    """Return how far each actuator is beyond its stroke (poses, actuators) [m or rad]; not above 0 within it."""
    lower = np.array([-np.inf if actuator.lower is None else actuator.lower for actuator in robot.actuators])
    upper = np.array([np.inf if actuator.upper is None else actuator.upper for actuator in robot.actuators])
    return np.maximum(q - upper, lower - q)


def _not_good(robot: Robot, poses: Array) -> Iterator[FailedPose]:
    """Tell the poses at which a leg misses most, and the singular ones."""
    if not len(poses):
        return
    kinematics = robot.evaluate("inverse_kinematics", pose=poses)
    excess = np.where(np.isfinite(kinematics.excess), kinematics.excess, -np.inf)
    far = excess.max(axis=1)
    for k in _worst(far):
        yield _failed(
            poses[k], f"{robot.legs[int(excess[k].argmax())].name} cannot close, {1e3 * far[k]:.3g} mm missing"
        )
    others = np.flatnonzero(~(far > 0.0))[:WORST_SHOWN]
    for k, status in zip(others, robot.check(poses[others]), strict=True):
        yield _failed(poses[k], Status(int(status)).name.lower().replace("_", " "))


def _ill(poses: Array, conditions: Array) -> Iterator[FailedPose]:
    """Tell the worst-conditioned of the poses that can be reached."""
    for k in _worst(conditions - LARGEST_CONDITION):
        yield _failed(poses[k], f"condition number {conditions[k]:.3g}, should be below {LARGEST_CONDITION:g}")


def _outside(robot: Robot, poses: Array, beyond: Array) -> Iterator[FailedPose]:
    """Tell the poses at which an actuator is farthest beyond its stroke."""
    if not len(poses):
        return
    for k in _worst(beyond.max(axis=1)):
        which = int(beyond[k].argmax())
        amount = f"{beyond[k, which]:.3g} {robot.actuators[which].units.position}"
        yield _failed(poses[k], f"{robot.actuator_names[which]} is {amount} beyond its stroke")


def _worst(excess: Array) -> list[int]:
    """Return the places of the largest values above 0, largest first."""
    order = np.argsort(-excess)[:WORST_SHOWN]
    return [int(k) for k in order if excess[k] > 0.0]


def _failed(pose: Array, reason: str) -> FailedPose:
    return FailedPose(tuple(pose.tolist()), reason)
