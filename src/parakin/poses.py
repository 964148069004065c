"""Poses of spatial robots from and to what users have: rotation matrices, Euler angles, tool frames.

A pose is (x, y, z, qw, qx, qy, qz): p_OE and the unit quaternion of R_OE, which takes coordinates in E to coordinates
in O. All functions take any leading batch shape.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array

_AXES = {"x": 0, "y": 1, "z": 2}


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Array:
    """The rotation b, then a."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)


def quaternion_from_vector(vector: ArrayLike) -> Array:
    """(cos a/2, sin a/2 n) of the rotation vector a n."""
    vector = np.asarray(vector, float)
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * vector], axis=-1)


def matrix_from_quaternion(quaternion: ArrayLike) -> Array:
    """R (..., 3, 3) of a quaternion (w, x, y, z), whatever its length."""
    q = np.asarray(quaternion, float)
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_from_matrix(matrix: ArrayLike) -> Array:
    """The unit quaternion with w >= 0 of R: the largest of its four squares first, so that nothing cancels."""
    R = np.asarray(matrix, float)
    trace = np.trace(R, axis1=-2, axis2=-1)
    diagonal = np.diagonal(R, axis1=-2, axis2=-1)
    squares = np.concatenate([1 + trace[..., None], 1 + 2 * diagonal - trace[..., None]], axis=-1)
    a = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    s = R + np.swapaxes(R, -1, -2)
    columns = np.stack(
        [
            np.stack([squares[..., 0], a[..., 0], a[..., 1], a[..., 2]], axis=-1),
            np.stack([a[..., 0], squares[..., 1], s[..., 0, 1], s[..., 0, 2]], axis=-1),
            np.stack([a[..., 1], s[..., 0, 1], squares[..., 2], s[..., 1, 2]], axis=-1),
            np.stack([a[..., 2], s[..., 0, 2], s[..., 1, 2], squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    largest = np.argmax(squares, axis=-1)[..., None, None]
    chosen = np.take_along_axis(columns, np.broadcast_to(largest, (*columns.shape[:-2], 1, 4)), axis=-2)[..., 0, :]
    unit: Array = chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)
    return np.where(unit[..., :1] < 0, -unit, unit)


def quaternion_from_euler(order: str, angles: ArrayLike) -> Array:
    """Intrinsic rotations: "zyx" turns about z, then about the new y, then about the new x; R = R_z R_y R_x."""
    _check_order(order)
    angles = np.asarray(angles, float)
    result = np.zeros((*angles.shape[:-1], 4))
    result[..., 0] = 1.0
    for k, letter in enumerate(order):
        result = quaternion_product(result, quaternion_from_vector(angles[..., k, None] * np.eye(3)[_AXES[letter]]))
    return result


def euler_from_quaternion(order: str, quaternion: ArrayLike) -> Array:
    """Angles (..., 3) with quaternion_from_euler(order, angles) the same rotation; the middle one in its usual range.

    Where the first and third axes coincide (gimbal lock) the third angle is 0.
    """
    _check_order(order)
    i, j, k = (_AXES[letter] for letter in order)
    R = matrix_from_quaternion(quaternion)
    if i == k:
        n = 3 - i - j
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        middle = np.arctan2(np.hypot(R[..., i, j], R[..., i, n]), R[..., i, i])
        first = np.arctan2(R[..., j, i], -sign * R[..., n, i])
    else:
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        middle = np.arctan2(sign * R[..., i, k], np.hypot(R[..., i, i], R[..., i, j]))
        first = np.arctan2(-sign * R[..., j, k], R[..., k, k])
    locked = np.abs(np.sin(middle) if i == k else np.cos(middle)) < 1e-9
    alone = np.arctan2(sign * R[..., 3 - i - j, j], R[..., j, j])
    first = np.where(locked, alone, first)
    before = quaternion_from_euler(order[:2] + order[2], np.stack([first, middle, 0 * first], axis=-1))
    rest = quaternion_product(before * np.array([1.0, -1.0, -1.0, -1.0]), quaternion)
    third = 2 * np.arctan2(rest[..., 1 + k], rest[..., 0])
    third = np.where(locked, 0.0, np.arctan2(np.sin(third), np.cos(third)))
    return np.stack([first, middle, third], axis=-1)


def _check_order(order: str) -> None:
    if len(order) != 3 or any(letter not in _AXES for letter in order) or order[0] == order[1] or order[1] == order[2]:
        raise ValueError(
            f"an order of Euler angles is three of x, y, z, neighbours different, like 'zyx'; got {order!r}"
        )


def pose_from_matrix(position: ArrayLike, matrix: ArrayLike) -> Array:
    return _joined(position, quaternion_from_matrix(matrix))


def pose_from_euler(position: ArrayLike, order: str, angles: ArrayLike) -> Array:
    return _joined(position, quaternion_from_euler(order, angles))


def _joined(position: ArrayLike, quaternion: Array) -> Array:
    p = np.asarray(position, float)
    lead = np.broadcast_shapes(p.shape[:-1], quaternion.shape[:-1])
    return np.concatenate([np.broadcast_to(p, (*lead, 3)), np.broadcast_to(quaternion, (*lead, 4))], axis=-1)


def tool_pose(pose: ArrayLike, position: ArrayLike, quaternion: ArrayLike) -> Array:
    """Pose of the tool frame T: p_OT = p_OE + R_OE p_ET, R_OT = R_OE R_ET."""
    pose = np.asarray(pose, float)
    R_OE = matrix_from_quaternion(pose[..., 3:])
    p_OT = pose[..., :3] + np.einsum("...ij,...j->...i", R_OE, np.asarray(position, float))
    return _joined(p_OT, quaternion_product(pose[..., 3:], quaternion))


def pose_of_tool(tool: ArrayLike, position: ArrayLike, quaternion: ArrayLike) -> Array:
    """The pose of E that puts the tool frame where it is asked: the inverse of `tool_pose`."""
    tool = np.asarray(tool, float)
    orientation = quaternion_product(tool[..., 3:], np.asarray(quaternion, float) * np.array([1.0, -1.0, -1.0, -1.0]))
    R_OE = matrix_from_quaternion(orientation)
    return _joined(tool[..., :3] - np.einsum("...ij,...j->...i", R_OE, np.asarray(position, float)), orientation)
