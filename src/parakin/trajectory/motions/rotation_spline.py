"""Splines of rotations through quaternions, by scipy; imported by motions that turn in space when they are made."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation, RotationSpline

from parakin.arrays import Array
from parakin.errors import MotionError
from parakin.trajectory.states import State

ACCELERATION_JUMP = 1e-6
"""Part of the largest acceleration (or of 1 rad/s^2) by which the rotation spline may jump at its knots.

scipy solves it by iteration to 1e-9.
"""
ROTATION_STEPS = 50
"""Most steps of the rotation spline's iteration: scipy's own ten do not always converge for turns beyond 2 rad."""


class _RotationSpline(RotationSpline):
    """scipy's spline of rotations, iterated further."""

    MAX_ITER = ROTATION_STEPS


def rotation_at(spline: RotationSpline, s: Array, quaternions: Array, at: Array) -> State:
    """Return the quaternions (w, x, y, z) at path parameters `at`, and their rates over s in base axes.

    Signs are those of the `quaternions` (N, 4) at the knots s (N,).
    scipy's rates are in the axes of the body:  w = R w_body,  w' = R w_body'  (w x w = 0).
    """
    turned = spline(at)
    wxyz = turned.as_quat(scalar_first=True)
    knot = quaternions[np.clip(np.searchsorted(s, at, side="right") - 1, 0, len(s) - 1)]
    sheet = np.where(np.sum(wxyz * knot, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    w, w_prime = (turned.apply(spline(at, order)) for order in (1, 2))
    return State(sheet * wxyz, w, w_prime)


def rotation_spline(name: str, s: Array, quaternions: Array) -> RotationSpline:
    """Return the spline of rotations through quaternions at path parameters s, or refuse one that did not converge."""
    failed = MotionError(
        name, "poses", "the rotation spline did not converge: put poses between, or even out the times"
    )
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            spline = _RotationSpline(s, Rotation.from_quat(quaternions, scalar_first=True))
    except ValueError:  # the iteration ran away to infinity
        raise failed from None
    before, after = (spline(at, 2) for at in (np.nextafter(s[1:-1], 0.0), s[1:-1]))
    allowed = ACCELERATION_JUMP * max(1.0, float(np.max(np.abs(spline(s, 2)))))
    if not np.all(np.abs(after - before) <= allowed):
        raise failed
    return spline
