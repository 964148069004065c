"""Why a state is no good: the error that says what is wrong, where, and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.errors import (
    ForwardKinematicsError,
    MeasurementError,
    OverflowStateError,
    PoseError,
    QuaternionError,
    SingularPoseError,
    UnreachablePoseError,
)
from parakin.kinematics.status import Status
from parakin.motions import QUATERNION_TOLERANCE
from parakin.robot.condition import platform_condition, scaled_jacobian

if TYPE_CHECKING:
    from parakin.robot.engine import Engine

_SEARCH_FAILED = {
    Status.SINGULAR: "the way from `near` crosses a singularity; start from a pose on the right side",
    Status.UNREACHABLE: "no pose that all legs reach has these positions, or the way is blocked",
    Status.NOT_CONVERGED: "Newton did not converge; start nearer",
}
_MEASUREMENT_FAILED = {
    Status.SINGULAR: "what was measured belongs to a singular pose, where forces are not determined",
    Status.UNREACHABLE: "what was measured belongs to no pose: the legs do not meet",
}


def error_of(robot: Engine, given: Mapping[str, ArrayLike], out: Mapping[str, Array]) -> PoseError:
    """Return the error for a single state that is not GOOD, from a model's inputs and outputs."""
    status = Status(int(out["status"]))
    turned = given.get("pose", given.get("near"))
    if status == Status.UNUSABLE and not (turned is not None and _off_unit_length(robot, np.asarray(turned, float))):
        return _overflow_error(robot, given)
    if "pose" in given:
        return _pose_error(robot, np.asarray(given["pose"], float), status, out.get("excess"))
    if "near" not in given:
        return MeasurementError(robot.name, _MEASUREMENT_FAILED[status])
    if status == Status.UNUSABLE:
        return _quaternion_error(robot, np.asarray(given["near"], float))
    q = tuple(np.ravel(np.asarray(given["q"], float)).tolist())
    return ForwardKinematicsError(q, _SEARCH_FAILED[status], float(out["residual"]))


def _pose_error(robot: Engine, pose: Array, status: Status, excess: Array | None) -> PoseError:
    values = tuple(pose.tolist())
    if status == Status.UNUSABLE:
        return _quaternion_error(robot, pose)
    if status == Status.UNREACHABLE and excess is not None:
        leg = int(np.argmax(np.atleast_1d(excess)))
        return UnreachablePoseError(values, robot.legs[leg].name, float(np.atleast_1d(excess)[leg]))
    return SingularPoseError(values, *singularity(robot, pose), float(platform_condition(robot, pose)))


def _off_unit_length(robot: Engine, pose: Array) -> bool:
    """Tell whether a pose has a quaternion that is not of length 1."""
    if robot.motion_type.quaternion is None:
        return False
    return not abs(np.sum(pose[robot.motion_type.quaternion] ** 2) - 1) < 2 * QUATERNION_TOLERANCE


def refuse_off_unit_length(robot: Engine, pose: Array) -> None:
    """Raise for a single pose with a quaternion that is not of length 1."""
    if pose.ndim == 1 and _off_unit_length(robot, pose):
        raise _quaternion_error(robot, pose)


def _overflow_error(robot: Engine, given: Mapping[str, ArrayLike]) -> OverflowStateError:
    """Return the error for numbers that are finite but make a result that is not; it names the largest of them."""
    sizes = {name: float(np.max(np.abs(np.asarray(value, float)), initial=0.0)) for name, value in given.items()}
    largest = max(sizes, key=lambda name: sizes[name])
    return OverflowStateError(robot.name, largest, sizes[largest])


def _quaternion_error(robot: Engine, pose: Array) -> QuaternionError:
    return QuaternionError(tuple(pose.tolist()), float(np.linalg.norm(pose[robot.motion_type.quaternion])))


def singularity(robot: Engine, pose: Array) -> tuple[str, str]:
    """Return kind and place of a singularity, as SingularPoseError names them.

    The place is the leg or element with the smallest pivot, or the motion with the least singular value.
    """
    sizes = np.abs(robot.kernel("check")(pose=pose)["leg_pivot"])
    from parakin.kinematics.robot_motion import robot_motion

    pivots = sizes / robot_motion(robot.leg_file("the kind of a singularity")).smallest_pivots
    worst = int(np.argmin(np.where(np.isnan(pivots), 0.0, pivots)))
    if not pivots[worst] > 1:
        legs = [("leg", leg.name) for leg in robot.legs]
        return [*legs, *(("universal", name) for name in robot.element_names)][worst]
    motion = np.linalg.svd(scaled_jacobian(robot, pose))[2][-1]
    names = [f"{name[0]}_{name[1]}" for name in robot.motion_type.velocity_names]
    return "platform", ", ".join(f"{name} {part:+.2f}" for name, part in zip(names, motion, strict=True))
