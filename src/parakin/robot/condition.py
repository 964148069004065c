"""Condition numbers: how evenly the actuators of a machine move its platform or its output frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.kernels.arguments import as_array, as_rows

if TYPE_CHECKING:
    from parakin.robot.engine import Engine
    from parakin.robot.robot import Robot


SAMPLES = 8
"""How many poses of the box decide in how many directions the actuators move the output."""
UNMOVED = 1e-6
"""An output direction counts as immobile below this fraction of the largest singular value."""


def scaled_jacobian(robot: Engine, pose: ArrayLike) -> Array:
    """Return J_qv (..., m, n) with rotations counted as displacements at the robot's `length`."""
    J = np.asarray(robot.kernel("jacobian")(pose=pose)["J_qv"])
    return J * np.array(robot.motion_type.scale(1 / robot.length))


def platform_condition(robot: Engine, pose: ArrayLike) -> Array:
    """Return the condition number (...) of the length-scaled J_qv; infinite where a pose is no good."""
    scaled = scaled_jacobian(robot, pose)
    finite = np.asarray(np.isfinite(scaled).all(axis=(-2, -1)))
    usable = np.where(finite[..., None, None], scaled, np.eye(*scaled.shape[-2:]))
    return np.where(finite, np.linalg.cond(usable), np.inf)


def output_condition(mechanism: Engine | Robot, pose: ArrayLike, near: ArrayLike | None) -> Array:
    """Return the condition number (...) of the map from motor rates to the output's twist, lengths in sizes.

        twist = J_Ev v,  q_dot = J_qv v:        J_Ev J_qv^+

    It is that of the ways in which the output moves at all: fewer than the freedoms if some do not reach it, or if they
    are more than six. It is infinite where a pose is no good, and where the output moves in fewer ways than elsewhere.
    """
    values = output_ways(mechanism, pose, near)
    if values.shape[-1] == 0:
        return np.full(values.shape[:-1], np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values[..., -1] > 0, values[..., 0] / values[..., -1], np.inf)


def output_ways(
    mechanism: Engine | Robot, pose: ArrayLike, near: ArrayLike | None, length: float | None = None
) -> Array:
    """Return the singular values (..., ways) of J_Ev J_qv^+, largest first, of the ways in which the output moves.

    length: what ways are divided by, so that they compare with turns [m]; the mechanism's own if it is not given.
    """
    poses = as_rows(mechanism.name, "pose", pose, len(mechanism.pose_names))
    values = _singular_values(mechanism, poses, near, length or mechanism.length)
    return values[..., : output_way_count(mechanism)]


def output_way_count(mechanism: Engine | Robot) -> int:
    """Return in how many ways the motors move the output, at most six: the most at some poses of the box."""
    usual = _singular_values(mechanism, mechanism.sample(SAMPLES), None, mechanism.length)
    return int(np.max(np.sum(usual > UNMOVED * usual[:, :1], axis=1)))


def _singular_values(mechanism: Engine | Robot, poses: Array, near: ArrayLike | None, size: float) -> Array:
    """Return the singular values (..., 6 or fewer) of J_Ev J_qv^+, largest first; zeros where a pose is no good."""
    n = mechanism.degrees_of_freedom
    motors = np.array([size if unit == "N" else 1.0 for unit in mechanism.actuator_units])
    J_qv = mechanism.evaluate("jacobian", near=near, pose=poses)["J_qv"] / motors[:, None]
    start = None if near is None else as_array(mechanism.name, "near", near)[..., None, :]
    every = np.repeat(poses[..., None, :], n, axis=-2)
    units = np.broadcast_to(np.eye(n), every.shape)
    twists = mechanism.evaluate("output", near=start, pose=every, velocity=units, acceleration=0 * units)["twist"]
    J_Ev = np.swapaxes(twists, -2, -1) / np.array([size, size, size, 1.0, 1.0, 1.0])[:, None]
    known = np.asarray(np.isfinite(J_qv).all(axis=(-2, -1)) & np.isfinite(J_Ev).all(axis=(-2, -1)))
    J_qv, J_Ev = (np.where(known[..., None, None], J, 0.0) for J in (J_qv, J_Ev))
    return np.asarray(np.linalg.svd(J_Ev @ np.linalg.pinv(J_qv), compute_uv=False), float)
