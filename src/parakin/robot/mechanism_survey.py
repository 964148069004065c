"""A survey of a mechanism's box: do its loops close throughout, can its motors hold it, and is it within all limits?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.kinematics.status import WITH_VALUES, Status
from parakin.robot.robot import Robot
from parakin.robot.surveys import WORST_SHOWN, FailedPose, beyond_limits, status_words


@dataclass(frozen=True)
class MechanismSurvey:
    """What was seen at home and at poses drawn from the box."""

    poses: int
    """How many poses were drawn."""
    good_poses: int
    """How many of them are good."""
    home: Status
    """The status of home."""
    strokes: tuple[str, ...]
    """Names of motors that leave their stroke inside the box."""
    joints: tuple[str, ...]
    """Names of passive freedoms that leave their limits inside the box."""
    failed: tuple[FailedPose, ...]
    """The worst few of the sampled poses that fail, for each reason, worst first."""

    @property
    def good(self) -> bool:
        """Whether the box is what it says."""
        return self.good_poses == self.poses and self.home == Status.GOOD

    def __str__(self) -> str:
        lines = [
            f"home: {status_words(self.home)}",
            f"box: {self.good_poses} of {self.poses} sampled poses are good",
            *(f"box: {motor} leaves its stroke" for motor in self.strokes),
            *(f"box: {joint} leaves its limits" for joint in self.joints),
            *(["poses that fail, the worst of each kind:"] if self.failed else []),
            *(f"  {pose}" for pose in self.failed),
        ]
        return "\n".join(lines)


def survey_mechanism(mechanism: Robot, count: int = 2000) -> MechanismSurvey:
    """Look at home and at `count` poses drawn from the mechanism's box, each searched for from home.

    >>> seen = pk.robot.survey_mechanism(linkage, 100)
    >>> seen.good, seen.good_poses
    (True, 100)
    """
    poses = np.concatenate([mechanism.home[None], mechanism.sample(count)])
    closing = mechanism.evaluate("configuration", pose=poses)
    closed = np.isin(closing.status, WITH_VALUES)
    rest = np.zeros(poses.shape)
    forces = mechanism.evaluate("inverse_dynamics", pose=poses, velocity=rest, acceleration=rest)
    held = np.isin(forces.status, WITH_VALUES)
    status = np.where(closed & ~held, np.int32(Status.SINGULAR), np.where(closed, forces.status, closing.status))
    failed = [*_open(mechanism, poses[~closed], status[~closed], closing.residual[~closed])]
    failed += _not_held(mechanism, poses[closed & ~held])
    left: list[tuple[str, ...]] = []
    limits = ((mechanism.strokes, "its stroke"), (mechanism.joint_limits, "its limits"))
    for (bounds, what), values in zip(limits, mechanism.limited_values(poses[closed]), strict=True):
        left.append(tuple(bounds.names[k] for k in np.flatnonzero(bounds.beyond(values).any(axis=0))))
        failed += [_failed(mechanism, poses[closed][k], reason) for k, reason in beyond_limits(bounds, values, what)]
    good = int((status[1:] == Status.GOOD).sum())
    return MechanismSurvey(count, good, Status(int(status[0])), left[0], left[1], tuple(failed))


def _open(mechanism: Robot, poses: Array, status: NDArray[np.int32], excess: Array) -> Iterator[FailedPose]:
    """Tell the poses at which loops stay open by most, and some that lie at or beyond a singularity."""
    for code in np.unique(status):
        where = np.flatnonzero(status == code)
        for k in where[np.argsort(-np.nan_to_num(excess[where], posinf=0.0))][:WORST_SHOWN]:
            opened = f", loops open by {excess[k]:.3g} m or rad" if code == Status.NOT_CONVERGED else ""
            yield _failed(mechanism, poses[k], f"{status_words(Status(int(code)))}{opened}")


def _not_held(mechanism: Robot, poses: Array) -> Iterator[FailedPose]:
    """Tell some of the poses at which loops close and forces are not determined."""
    reason = "singular: the motors do not hold the mechanism"
    driven = mechanism.degrees_of_freedom - mechanism.plan.undriven
    if mechanism.plan.undriven and (driven or not mechanism.actuators):
        reason = "singular: a freedom without a motor has no inertia; give its bodies mass, and rods a radius"
    for pose in poses[:WORST_SHOWN]:
        yield _failed(mechanism, pose, reason)


def _failed(mechanism: Robot, pose: Array, reason: str) -> FailedPose:
    return FailedPose(tuple(pose.tolist()), tuple((pose - mechanism.home).tolist()), reason)
