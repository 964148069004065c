"""Vectors and rotations, symbolic. Quaternions are (w, x, y, z); R_AB takes coordinates in B to coordinates in A."""

from __future__ import annotations

from typing import Any

import casadi as ca


def vector(values: Any) -> ca.SX:
    """Three numbers, or symbols in place of them."""
    return values if isinstance(values, ca.SX) else ca.SX(ca.DM(values))


def skew(v: ca.SX) -> ca.SX:
    """The matrix with skew(v) u = v x u."""
    return ca.vertcat(
        ca.horzcat(0, -v[2], v[1]),
        ca.horzcat(v[2], 0, -v[0]),
        ca.horzcat(-v[1], v[0], 0),
    )


def rotation_of_quaternion(quaternion: ca.SX) -> ca.SX:
    """R of a unit quaternion."""
    w, x, y, z = (quaternion[k] for k in range(4))
    return ca.vertcat(
        ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def quaternion_product(a: ca.SX, b: ca.SX) -> ca.SX:
    """The rotation b, then a."""
    return ca.vertcat(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def rotation_about_z(angle: ca.SX) -> ca.SX:
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
