"""The algebra of quaternions (w, x, y, z) of any length, for rotations and for their rates.

It is not built on scipy's `Rotation`, which normalises what it is given: a rate, quat_dot = 1/2 (0, w) quat, is no unit
quaternion. Sampled poses are made of these functions, so their bits decide those of recorded results.
All functions take any leading batch shape.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
"""Signs that turn a quaternion into its conjugate, which for a unit quaternion is the inverse rotation."""


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the Hamilton product a b (..., 4), which for unit quaternions turns by b first and then by a.

    >>> quarter = pk.poses.quaternion_from_vector([0, 0, np.pi / 2])
    >>> pk.poses.quaternion_product(quarter, quarter).round(4) + 0.0
    array([0., 0., 0., 1.])
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)


def quaternion_from_vector(vector: ArrayLike) -> Array:
    """Return the unit quaternion (cos(a/2), sin(a/2) n) of rotation vectors a n (..., 3) [rad].

    >>> pk.poses.quaternion_from_vector([0, 0, np.pi / 2]).round(4)
    array([0.7071, 0.    , 0.    , 0.7071])
    """
    vector = np.asarray(vector, float)
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * vector], axis=-1)


def rotation_matrix(quaternion: Array) -> Array:
    """Return R (..., 3, 3) = 1 + 2 w [u] + 2 [u]^2 of unit quaternions (w, u)."""
    w, (x, y, z) = quaternion[..., 0, None, None], np.moveaxis(quaternion[..., 1:], -1, 0)
    zero = np.zeros_like(x)
    rows = [np.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    cross = np.stack(rows, axis=-2)
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross
