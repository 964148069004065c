"""Errors of robot files, and of robots at poses and states."""

from __future__ import annotations

import math
from dataclasses import dataclass

from parakin.errors.base import ParakinError, ProblemsError, SubjectError


class DescriptionError(ProblemsError):
    """A robot file that does not describe a robot."""


class RobotFileWarning(UserWarning):
    """Something in a robot file that a robot can have but hardly has."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(file, key, reason)
        self.file = file
        """The file, or what stands for one."""
        self.key = key
        """Where in the file it stands."""
        self.reason = reason
        """The value, why it is doubted, and what it probably should be."""

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.reason}"


class ImplausibleValueWarning(RobotFileWarning):
    """A number in a robot file that a robot can have but hardly has: likely another unit, or another order."""


class SingularHomeWarning(RobotFileWarning):
    """A home at which alone the platform is free in ways that the file does not claim, or not held by its motors."""


class UnsupportedRobotError(SubjectError, ValueError):
    """A robot for which what was asked is not there."""


class LegsOnlyError(UnsupportedRobotError, AttributeError):
    """Something that robots of legs have, asked of a mechanism of bodies and joints."""


@dataclass(eq=False, repr=False)
class NotLinearInParametersError(ParakinError):
    """A formulation whose forces are not linear in the dynamic parameters cannot give a regressor."""

    robot: str
    """Name of the robot."""

    def __str__(self) -> str:
        return f"{self.robot}: the required force is not linear in the parameters"


class UnclearRankError(SubjectError):
    """A regressor whose rank does not show, so that there is no telling which parameters have an effect."""

    def __str__(self) -> str:
        return f"{self.subject}: base parameters are not clear: {self.reason}"


class PoseError(ParakinError, ValueError):
    """A single state that a robot cannot be in, or not be moved from. Batches flag such states instead."""


@dataclass(eq=False, repr=False)
class UnreachablePoseError(PoseError):
    """A pose at which a leg cannot close."""

    pose: tuple[float, ...]
    """The pose."""
    leg: str
    """Name of the leg that is farthest from closing."""
    excess: float
    """How much is missing, or too much [m]."""

    def __str__(self) -> str:
        return f"{self.leg} cannot close at pose {_listed(self.pose)}: {1e3 * self.excess:.3g} mm missing"


@dataclass(eq=False, repr=False)
class SingularPoseError(PoseError):
    """A pose in which the robot cannot be moved or held in some direction."""

    pose: tuple[float, ...]
    """The pose."""
    kind: str
    """"leg" where a leg's drive cannot move its tip (type 1), "universal" where a line lies along axis 1 of its
    universal joint, "platform" where the drives cannot hold the platform (type 2)."""
    place: str
    """The leg or element, or the motion of the platform that nothing resists."""
    condition: float
    """Condition number of the length-scaled J_qv."""

    def __str__(self) -> str:
        what = {
            "leg": f"{self.place} is stretched or folded, its drive cannot move its tip",
            "universal": f"{self.place} lies along axis 1 of its universal joint",
            "platform": f"no drive resists the motion {self.place}",
        }[self.kind]
        return f"pose {_listed(self.pose)} is singular ({self.kind}): {what}; condition number {self.condition:.3g}"


@dataclass(eq=False, repr=False)
class LoopClosureError(PoseError):
    """A pose for which a mechanism's loops were not closed, or only by crossing a singularity."""

    mechanism: str
    """Name of the mechanism."""
    pose: tuple[float, ...]
    """The pose, or the configuration that was given."""
    reason: str
    """Why the search ended, and what would help."""
    residual: float
    """How far the loops are from closing where it ended [m, rad]."""

    def __str__(self) -> str:
        return f"{self.mechanism}: pose {_listed(self.pose)}: {self.reason} (residual {self.residual:.3g})"


def range_text(lower: float, upper: float, unit: str) -> str:
    """Return what a value may be, in words; a limit that is not finite is none."""
    if not math.isfinite(lower):
        return f"at most {upper:.6g} {unit}"
    return f"{lower:.6g} to {upper:.6g} {unit}" if math.isfinite(upper) else f"at least {lower:.6g} {unit}"


@dataclass(eq=False, repr=False)
class LimitError(PoseError):
    """A pose at which an actuator is beyond its stroke, or a passive joint beyond its limit."""

    pose: tuple[float, ...]
    """The pose."""
    place: str
    """Name of the actuator or joint."""
    value: float
    """Where it is [m or rad]."""
    lower: float
    """The least it may be [m or rad]; -inf without a limit."""
    upper: float
    """The most it may be [m or rad]; inf without a limit."""
    unit: str
    """m or rad."""

    def __str__(self) -> str:
        allowed = range_text(self.lower, self.upper, self.unit)
        return f"{self.place} is at {self.value:.6g} {self.unit} at pose {_listed(self.pose)}, allowed is {allowed}"


class StrokeError(LimitError):
    """A pose at which an actuator is beyond its stroke."""


class JointLimitError(LimitError):
    """A pose at which a passive joint is beyond its limit."""


class MeasurementError(SubjectError, PoseError):
    """Measured elements or encoder values that are incomplete, belong to no pose, or to a singular one."""


@dataclass(eq=False, repr=False)
class QuaternionError(PoseError):
    """An orientation whose quaternion is not of length 1."""

    pose: tuple[float, ...]
    """The pose."""
    norm: float
    """The length of its quaternion."""

    def __str__(self) -> str:
        return f"the quaternion (w, x, y, z) of pose {_listed(self.pose)} has length {self.norm:.9g}: normalise it"


@dataclass(eq=False, repr=False)
class OverflowStateError(PoseError):
    """A state whose numbers are finite, but so large, or zero where they divide, that a result is not."""

    robot: str
    """Name of the robot."""
    name: str
    """The input with the largest number."""
    size: float
    """The size of that number, in the input's unit."""

    def __str__(self) -> str:
        return (
            f"{self.robot}: a result is not a finite number; the largest that was given, in {self.name}, is "
            f"{self.size:.3g}: check that units are SI, and that no mass, weight or smoothing is zero"
        )


@dataclass(eq=False, repr=False)
class ForwardKinematicsError(PoseError):
    """No pose was found for these actuator positions, near where it was looked for."""

    q: tuple[float, ...]
    """The actuator positions [m or rad]."""
    reason: str
    """Why the search ended, and what would help."""
    residual: float
    """How far the actuators are off where it ended [m or rad]."""

    def __str__(self) -> str:
        return f"no pose found for q {_listed(self.q)}: {self.reason} (residual {self.residual:.3g})"


def _listed(values: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{value:.6g}' for value in values)}]"


@dataclass(eq=False, repr=False)
class RefusedImportError(DescriptionError):
    """A file of another dialect with something that a mechanism file cannot say, and that matters."""

    entries: tuple[tuple[str, str, str], ...] = ()
    """The whole report of the import: (kind, place, words) of each entry."""
