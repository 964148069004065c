"""Errors of robot files, and of robots at poses and states."""

from __future__ import annotations

import math
from dataclasses import dataclass

from parakin.errors.base import ParakinError, ProblemsError, SubjectError


class DescriptionError(ProblemsError):
    """A robot file that does not describe a robot.

    >>> robot.replace(gravity=(0, -9.81))
    Traceback (most recent call last):
        ...
    parakin.errors.robots.DescriptionError: delta: gravity[2]: is missing: vectors have three numbers, of
        which z is 0 in a planar robot
    """


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
    """A number in a robot file that a robot can have but hardly has: likely another unit, or another order.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always", category=pk.ImplausibleValueWarning) as told:
    ...     heavy = robot.replace(gravity=(0, 0, -981.0))
    ...
    >>> print(told[0].message.key, told[0].message.reason)
    gravity 981 m/s^2: probably in cm/s^2 or mm/s^2, which would be 9.81 or 0.981 m/s^2
    """


class SingularHomeWarning(RobotFileWarning):
    """A home at which alone the platform is free in ways that the file does not claim, or not held by its motors.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", errors.SingularHomeWarning)  # such a file is then refused
    ...     robot = pk.load("delta")
    ...
    """


class UnsupportedRobotError(SubjectError, ValueError):
    """A robot for which what was asked is not there.

    >>> robot.inverse_dynamics_from_encoders([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.CapabilityError: delta: has other legs, and inverse_dynamics_from_encoders needs two
        arms in a plane whose bars meet: use forward_kinematics, and then inverse_dynamics
    """


class CapabilityError(UnsupportedRobotError, AttributeError):
    """A feature that needs what this robot does not have, such as legs that close in closed form.

    >>> linkage.elements([0.0], [0.0], [0.0])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.CapabilityError: four_bar: is described by bodies and joints, and elements needs
        legs and a platform: use joints, bodies or body_frames
    """


@dataclass(eq=False, repr=False)
class NotLinearInParametersError(ParakinError):
    """A formulation whose forces are not linear in the dynamic parameters cannot give a regressor.

    >>> try:
    ...     Psi = robot.regressor(robot.home, np.zeros(3), np.zeros(3))
    ... except errors.NotLinearInParametersError:
    ...     print("a formulation of your own divides by a mass")
    ...
    """

    robot: str
    """Name of the robot."""

    def __str__(self) -> str:
        return f"{self.robot}: the required force is not linear in the parameters"


class UnclearRankError(SubjectError):
    """A regressor whose rank does not show, so that there is no telling which parameters have an effect.

    >>> box = {"lower": (-0.9,) * 3, "upper": (0.9,) * 3}
    >>> robot.replace(workspace=robot.description.workspace.model_dump() | box).base_parameters()
    Traceback (most recent call last):
        ...
    parakin.errors.robots.UnclearRankError: delta: base parameters are not clear: of 1000 states in the
        robot's box 910 are out of reach or singular
    """

    def __str__(self) -> str:
        return f"{self.subject}: base parameters are not clear: {self.reason}"


class PoseError(ParakinError, ValueError):
    """A single state that a robot cannot be in, or not be moved from. Batches flag such states instead."""


@dataclass(eq=False, repr=False)
class UnreachablePoseError(PoseError):
    """A pose at which a leg cannot close.

    >>> robot.inverse_kinematics([0.9, 0, -0.43])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.UnreachablePoseError: leg2 cannot close at pose [0.9, 0, -0.43]: 425 mm missing
    """

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
    """A pose in which the robot cannot be moved or held in some direction.

    >>> turned = pk.poses.pose_from_euler(hexapod.home[:3], "zyx", [np.pi / 2, 0, 0])
    >>> hexapod.platform_velocity(turned, np.ones(6))
    Traceback (most recent call last):
        ...
    parakin.errors.robots.SingularPoseError: pose [0, 0, 0.86, 0.707107, 0, 0, 0.707107] is singular
        (platform): no drive resists the motion v_x ...; condition number ...
    """

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
    """A pose for which a mechanism's loops were not closed, or only by crossing a singularity.

    >>> pk.load("tripod_3rps").inverse_kinematics([5.0, 0.0, 0.0])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.LoopClosureError: tripod_3rps: pose [5, 0, 0]: the way from `near` crosses or ends
        at a singularity; start from a configuration beyond it (residual ...)
    """

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
    """Return what a value may be, in words; a limit that is not finite is none.

    >>> errors.range_text(-1.4, 1.0, "rad"), errors.range_text(-np.inf, 1.0, "rad")
    ('-1.4 to 1 rad', 'at most 1 rad')
    """
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
    """A pose at which an actuator is beyond its stroke.

    >>> linkage.inverse_kinematics([3.3])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.StrokeError: crank.angle is at 3.3 rad at pose [3.3], allowed is -3.2 to 3.2 rad
    """


class JointLimitError(LimitError):
    """A pose at which a passive joint is beyond its limit.

    >>> pk.load("tricept").inverse_kinematics([0.55, 0.0, 0.0])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.JointLimitError: sleeve.first is at 0.55 rad at pose [0.55, 0, 0], allowed is -0.5
        to 0.5 rad
    """


class MeasurementError(SubjectError, PoseError):
    """Measured elements or encoder values that are incomplete, belong to no pose, or to a singular one.

    >>> robot.inverse_dynamics_observed({"x": np.ones((6, 3))})
    Traceback (most recent call last):
        ...
    parakin.errors.robots.MeasurementError: delta: needs x, x_dot, x_ddot of its elements, and x_dot, x_ddot
        was not given
    """


@dataclass(eq=False, repr=False)
class QuaternionError(PoseError):
    """An orientation whose quaternion is not of length 1.

    >>> hexapod.inverse_kinematics([0, 0, 0.86, 2, 0, 0, 0])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.QuaternionError: the quaternion (w, x, y, z) of pose [0, 0, 0.86, 2, 0, 0, 0] has
        length 2: normalise it
    """

    pose: tuple[float, ...]
    """The pose."""
    norm: float
    """The length of its quaternion."""

    def __str__(self) -> str:
        return f"the quaternion (w, x, y, z) of pose {_listed(self.pose)} has length {self.norm:.9g}: normalise it"


@dataclass(eq=False, repr=False)
class OverflowStateError(PoseError):
    """A state whose numbers are finite, but so large, or zero where they divide, that a result is not.

    >>> robot.forward_dynamics(robot.home, np.zeros(3), [3.0, 0, 0], smoothing=0.0)  # friction at rest is 0/0
    Traceback (most recent call last):
        ...
    parakin.errors.robots.OverflowStateError: delta: a result is not a finite number; the largest that was
        given, in tau, is 3: check that units are SI, and that no mass, weight or smoothing is zero
    """

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
    """No pose was found for these actuator positions, near where it was looked for.

    >>> hexapod.forward_kinematics([0.1, 5, 0.1, 5, 0.1, 5])
    Traceback (most recent call last):
        ...
    parakin.errors.robots.ForwardKinematicsError: no pose found for q [0.1, 5, 0.1, 5, 0.1, 5]: the way from
        `near` crosses a singularity; start from a pose on the right side (residual ...)
    """

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
    """A file of another dialect with something that a mechanism file cannot say, and that matters.

    >>> path = pk.export.write_urdf(linkage, "loop.urdf").files[0]
    >>> gazebo = '<gazebo><joint name="loop" type="revolute"/></gazebo></robot>'
    >>> written = path.write_text(path.read_text().replace("</robot>", gazebo))
    >>> pk.load(path)
    Traceback (most recent call last):
        ...
    parakin.errors.robots.RefusedImportError: loop.urdf: <gazebo> in line 106: <gazebo> holds a joint, which
        closes a loop: close it in a YAML file, or use the SDF file, or leave it out (--without loop)
    """

    entries: tuple[tuple[str, str, str], ...] = ()
    """The whole report of the import: (kind, place, words) of each entry."""
