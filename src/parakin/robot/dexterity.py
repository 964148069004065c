"""How evenly the motors of a mechanism move its output frame: condition numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array

if TYPE_CHECKING:
    from parakin.robot.mechanism_core import MechanismCore


def output_condition(mechanism: MechanismCore, pose: ArrayLike, near: ArrayLike | None) -> Array:
    """Return the condition number (...) of the map from motor rates to the output's twist, lengths in sizes.

        twist = J_Ev v,  q_dot = J_qv v:        J_Ev J_qv^+

    It is infinite where a pose is no good, and where motors do not move the output in as many ways as there are
    freedoms.
    """
    poses, n, size = np.asarray(pose, float), mechanism.degrees_of_freedom, mechanism.plan.skeleton.size
    motors = np.array([size if unit == "N" else 1.0 for unit in mechanism.actuator_units])
    J_qv = mechanism.evaluate("jacobian", near=near, pose=poses)["J_qv"] / motors[:, None]
    start = None if near is None else np.asarray(near, float)[..., None, :]
    every = np.repeat(poses[..., None, :], n, axis=-2)
    units = np.broadcast_to(np.eye(n), every.shape)
    twists = mechanism.evaluate("output", near=start, pose=every, velocity=units, acceleration=0 * units)["twist"]
    J_Ev = np.swapaxes(twists, -2, -1) / np.array([size, size, size, 1.0, 1.0, 1.0])[:, None]
    known = np.asarray(np.isfinite(J_qv).all(axis=(-2, -1)) & np.isfinite(J_Ev).all(axis=(-2, -1)))
    J_qv, J_Ev = (np.where(known[..., None, None], J, 0.0) for J in (J_qv, J_Ev))
    values = np.linalg.svd(J_Ev @ np.linalg.pinv(J_qv), compute_uv=False)
    if values.shape[-1] < n:
        return np.full(known.shape, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(known & (values[..., n - 1] > 0), values[..., 0] / values[..., n - 1], np.inf)
