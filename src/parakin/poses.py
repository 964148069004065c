"""Poses of spatial robots from and to what users have: rotation matrices, Euler angles, tool frames.

A pose is (x, y, z, qw, qx, qy, qz): p_OE and the unit quaternion of R_OE, which takes coordinates in E to coordinates
in O. All functions take any leading batch shape; a quaternion without a direction (zero, infinite or NaN) gives NaN.

>>> import numpy as np
>>> import parakin as pk
>>> pose = pk.poses.pose_from_euler([0, 0, 0.86], "zyx", [0.1, 0.0, -0.05])
>>> pk.Status(pk.load("gough_stewart").check(pose)).name
'GOOD'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.quaternions import CONJUGATE, quaternion_from_vector, quaternion_product

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

__all__ = [
    "euler_from_quaternion",
    "matrix_from_quaternion",
    "pose_from_euler",
    "pose_from_matrix",
    "pose_of_tool",
    "quaternion_from_euler",
    "quaternion_from_matrix",
    "quaternion_from_vector",
    "quaternion_product",
    "tool_pose",
]

_AXES = {"x": 0, "y": 1, "z": 2}
_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def matrix_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix R (..., 3, 3) of quaternions (w, x, y, z) of any length.

    >>> R_OE = pk.poses.matrix_from_quaternion(pose[3:])
    >>> (pose[:3] + R_OE @ [0.1, 0.1, 0]).round(4)  # a point of the platform, in base axes
    array([0.0895, 0.1094, 0.855 ])
    """
    rotation, usable = _rotation(quaternion)
    return np.where(usable[..., None, None], rotation.as_matrix(), np.nan)


def quaternion_from_matrix(matrix: ArrayLike) -> Array:
    """Return the unit quaternion with w >= 0 of rotation matrices R (..., 3, 3), which are taken to be orthogonal.

    >>> half_turn = np.diag([-1.0, -1.0, 1.0])
    >>> pk.poses.quaternion_from_matrix(half_turn)
    array([0., 0., 0., 1.])
    """
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(np.asarray(matrix, float), assume_valid=True).as_quat(canonical=True, scalar_first=True)


def quaternion_from_euler(order: str, angles: ArrayLike) -> Array:
    """Return the quaternion of intrinsic rotations by angles (..., 3) [rad].

    "zyx" turns about z, then about the new y, then about the new x: R = R_z R_y R_x.

    >>> pk.poses.quaternion_from_euler("zyx", [np.pi / 2, 0, 0]).round(4)
    array([0.7071, 0.    , 0.    , 0.7071])
    """
    _check_order(order)
    angles = np.asarray(angles, float)
    # scipy's from_euler takes twice as long for many poses: it multiplies one pair at a time.
    result = np.broadcast_to(_IDENTITY, (*angles.shape[:-1], 4))
    for k, letter in enumerate(order):
        result = quaternion_product(result, quaternion_from_vector(angles[..., k, None] * np.eye(3)[_AXES[letter]]))
    return result


def euler_from_quaternion(order: str, quaternion: ArrayLike) -> Array:
    """Return the intrinsic Euler angles (..., 3) [rad] of quaternions, the inverse of `quaternion_from_euler`.

    The middle angle lies between 0 and pi where the first and third letter are the same, else between -pi/2 and pi/2.
    Within 1e-7 rad of gimbal lock, where the first and third axes coincide, the third angle is 0: the angles are then
    those of a rotation up to 2e-7 rad away.

    >>> pk.poses.euler_from_quaternion("zxz", pose[3:]).round(4)
    array([-3.0416,  0.05  ,  3.1416])
    """
    _check_order(order)
    rotation, usable = _rotation(quaternion)
    angles = rotation.as_euler(order.upper(), suppress_warnings=True)  # capital letters are intrinsic to scipy
    return np.where(usable[..., None], angles, np.nan)


def _rotation(quaternion: ArrayLike) -> tuple[Rotation, NDArray[np.bool_]]:
    """Return the rotations of quaternions (..., 4), and which of them (...) are any: the others stand still.

    scipy refuses a whole batch for one quaternion that is zero or NaN.
    """
    from scipy.spatial.transform import Rotation

    q = np.asarray(quaternion, float)
    length = np.linalg.norm(q, axis=-1)
    usable = (length > 0.0) & np.isfinite(length)
    return Rotation.from_quat(np.where(usable[..., None], q, _IDENTITY), scalar_first=True), usable


def _check_order(order: str) -> None:
    if len(order) != 3 or any(letter not in _AXES for letter in order) or order[0] == order[1] or order[1] == order[2]:
        raise ValueError(
            f"an order of Euler angles is three of x, y, z, neighbours different, like 'zyx'; got {order!r}"
        )


def pose_from_matrix(position: ArrayLike, matrix: ArrayLike) -> Array:
    """Return the pose (..., 7) at positions p_OE (..., 3) [m] with rotation matrices R_OE (..., 3, 3).

    >>> pk.poses.pose_from_matrix([0, 0, 0.86], np.eye(3))
    array([0.  , 0.  , 0.86, 1.  , 0.  , 0.  , 0.  ])
    """
    return _joined(position, quaternion_from_matrix(matrix))


def pose_from_euler(position: ArrayLike, order: str, angles: ArrayLike) -> Array:
    """Return the pose (..., 7) at positions p_OE (..., 3) [m] turned by Euler angles as in `quaternion_from_euler`.

    >>> pk.poses.pose_from_euler([0, 0, 0.86], "zyx", [0.1, 0.0, -0.05]).round(4)
    array([ 0.    ,  0.    ,  0.86  ,  0.9984, -0.025 , -0.0012,  0.05  ])
    """
    return _joined(position, quaternion_from_euler(order, angles))


def _joined(position: ArrayLike, quaternion: Array) -> Array:
    p = np.asarray(position, float)
    lead = np.broadcast_shapes(p.shape[:-1], quaternion.shape[:-1])
    return np.concatenate([np.broadcast_to(p, (*lead, 3)), np.broadcast_to(quaternion, (*lead, 4))], axis=-1)


def tool_pose(pose: ArrayLike, position: ArrayLike, quaternion: ArrayLike) -> Array:
    """Return the pose of the tool frame T, which sits at p_ET (3,) [m] with the quaternion of R_ET on the platform.

    p_OT = p_OE + R_OE p_ET,    R_OT = R_OE R_ET

    >>> pk.poses.tool_pose([0, 0, 0.86, 1, 0, 0, 0], [0, 0, 0.1], [1, 0, 0, 0])
    array([0.  , 0.  , 0.96, 1.  , 0.  , 0.  , 0.  ])
    """
    pose = np.asarray(pose, float)
    R_OE = matrix_from_quaternion(pose[..., 3:])
    p_OT = pose[..., :3] + np.einsum("...ij,...j->...i", R_OE, np.asarray(position, float))
    return _joined(p_OT, quaternion_product(pose[..., 3:], quaternion))


def pose_of_tool(tool: ArrayLike, position: ArrayLike, quaternion: ArrayLike) -> Array:
    """Return the platform pose that puts the tool frame T at the pose `tool`: the inverse of `tool_pose`.

    >>> tool = [0, 0, 0.96, 1, 0, 0, 0]  # where the tool's tip shall be
    >>> pk.poses.pose_of_tool(tool, [0, 0, 0.1], [1, 0, 0, 0])
    array([0.  , 0.  , 0.86, 1.  , 0.  , 0.  , 0.  ])
    """
    tool = np.asarray(tool, float)
    orientation = quaternion_product(tool[..., 3:], np.asarray(quaternion, float) * CONJUGATE)
    R_OE = matrix_from_quaternion(orientation)
    return _joined(tool[..., :3] - np.einsum("...ij,...j->...i", R_OE, np.asarray(position, float)), orientation)
