"""Vectors and rotations, symbolic. Quaternions are (w, x, y, z); R_AB takes coordinates in B to coordinates in A."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca


def vector(values: ca.SX | Sequence[float]) -> ca.SX:
    """Return a column of three numbers, or of the symbols in place of them."""
    return values if isinstance(values, ca.SX) else ca.SX(ca.DM(values))


SMALLEST_SINE = 1e-9
"""The sine of an angle below which two directions count as parallel: far above rounding, far below any measurement."""


def angle_between(a: ca.SX, b: ca.SX) -> ca.SX:
    """Return the angle in [0, pi] between two directions, atan2(|a x b|, a·b).

    It has no rate where the directions are parallel, as it grows whichever way they move. There its derivatives are 0.
    """
    square = ca.sumsqr(ca.cross(a, b))
    apart = square > SMALLEST_SINE**2
    return ca.atan2(ca.if_else(apart, ca.sqrt(ca.if_else(apart, square, 1)), 0), ca.dot(a, b))


def symmetric(A: ca.SX) -> ca.SX:
    """Return the symmetric matrix that has the upper triangle of A; each entry of it is computed once."""
    return ca.triu(A) + ca.triu(A, False).T


def skew(v: ca.SX) -> ca.SX:
    """Return the matrix with skew(v) u = v x u."""
    return ca.vertcat(
        ca.horzcat(0, -v[2], v[1]),
        ca.horzcat(v[2], 0, -v[0]),
        ca.horzcat(-v[1], v[0], 0),
    )


def turning(w: ca.SX, w_dot: ca.SX) -> ca.SX:
    """Return B = w_dot~ + w~ w~: a point at r of a body that turns about the origin has the acceleration B r.

    Written out, w~ w~ = w w^T - |w|^2 1.
    """
    xx, yy, zz = (w[k] ** 2 for k in range(3))
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return ca.vertcat(
        ca.horzcat(-(yy + zz), xy - w_dot[2], xz + w_dot[1]),
        ca.horzcat(xy + w_dot[2], -(xx + zz), yz - w_dot[0]),
        ca.horzcat(xz - w_dot[1], yz + w_dot[0], -(xx + yy)),
    )


def rotation_of_quaternion(quaternion: ca.SX) -> ca.SX:
    """Return the rotation matrix of a unit quaternion."""
    w, x, y, z = (quaternion[k] for k in range(4))
    x2, y2, z2 = 2 * x, 2 * y, 2 * z
    return ca.vertcat(
        ca.horzcat(1 - (y * y2 + z * z2), x * y2 - w * z2, x * z2 + w * y2),
        ca.horzcat(x * y2 + w * z2, 1 - (x * x2 + z * z2), y * z2 - w * x2),
        ca.horzcat(x * z2 - w * y2, y * z2 + w * x2, 1 - (x * x2 + y * y2)),
    )


def quaternion_product(a: ca.SX, b: ca.SX) -> ca.SX:
    """Return the product a b of two quaternions: the rotation b, and then a."""
    return ca.vertcat(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def rotation_about_z(angle: ca.SX) -> ca.SX:
    """Return the rotation matrix of an angle about z."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
