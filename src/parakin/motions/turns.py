"""Turns of a ball: how the pose of a mechanism holds an orientation in three numbers.

A ball has a unit quaternion q, and its velocity is its angular velocity w in the axes that it has reached:

    theta_k = 2 atan2(q_k, q_w)          q_dot = 1/2 q (0, w)

so that tan(theta/2) = q_xyz/q_w is the Rodrigues vector g of the orientation. Turns are numbers to read and to write:
what is computed goes by quaternions. At half a turn from the ball's zero q_w = 0, and turns do not tell orientations
apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array
from parakin.quaternions import CONJUGATE, quaternion_product

if TYPE_CHECKING:
    import casadi as ca

COMPONENTS = ("wx", "wy", "wz")
"""What the freedoms of a ball are called, and with them its turns."""


def balls_among(names: tuple[str, ...]) -> tuple[int, ...]:
    """Return where the turns of whole balls begin among names joint.freedom: wx, wy, wz of one joint, in this order."""
    parts = [name.rpartition(".")[::2] for name in names]
    found: list[int] = []
    for k, (joint, freedom) in enumerate(parts):
        if freedom == COMPONENTS[0] and parts[k : k + 3] == [(joint, component) for component in COMPONENTS]:
            found.append(k)
    return tuple(found)


# On arrays -----------------------------------------------------------------------------------------------------------


def quaternion_of_turns(turns: Array) -> Array:
    """Return the unit quaternions (..., 4) of turns (..., 3) [rad]; q_w has the sign that the first turn says."""
    vector = np.concatenate([np.ones_like(turns[..., :1]), np.tan(turns / 2)], axis=-1)
    side = np.where(np.cos(turns[..., :1] / 2) < 0, -1.0, 1.0)
    return side * vector / np.linalg.norm(vector, axis=-1, keepdims=True)


def turns_of_quaternion(quaternion: Array) -> Array:
    """Return the turns (..., 3) [rad] of quaternions (..., 4)."""
    return 2 * np.arctan2(quaternion[..., 1:], quaternion[..., :1])


def turn_between(start: Array, goal: Array) -> Array:
    """Return the quaternions (..., 4) that take one orientation to another, in the axes of the first, the short way."""
    turn = quaternion_product(quaternion_of_turns(start) * CONJUGATE, quaternion_of_turns(goal))
    return np.where(turn[..., :1] < 0, -turn, turn)


def turn_rates(turns: Array, w: Array) -> Array:
    """Return the rates (..., 3) of turns at angular velocities w (..., 3)."""
    q = quaternion_of_turns(turns)
    q_dot = 0.5 * quaternion_product(q, np.concatenate([np.zeros_like(w[..., :1]), w], axis=-1))
    size = q[..., :1] ** 2 + q[..., 1:] ** 2
    return 2 * (q[..., :1] * q_dot[..., 1:] - q[..., 1:] * q_dot[..., :1]) / size


def angular_motion(turns: Array, rates: Array, accelerations: Array) -> tuple[Array, Array]:
    """Return w and w_dot (..., 3) of turns with their first and second derivatives.

    w = 2/(1 + g^2) (g_dot - g x g_dot)        w_dot = 2/(1 + g^2) (g_ddot - g x g_ddot - (g·g_dot) w)
    """
    g = np.tan(turns / 2)
    slope = (1 + g * g) / 2
    g_dot, g_ddot = slope * rates, slope * (accelerations + g * rates**2)
    scale = 2 / (1 + np.sum(g * g, axis=-1, keepdims=True))
    w = scale * (g_dot - np.cross(g, g_dot))
    return w, scale * (g_ddot - np.cross(g, g_ddot) - np.sum(g * g_dot, axis=-1, keepdims=True) * w)


# Symbolic ------------------------------------------------------------------------------------------------------------


def symbolic_quaternion(turns: ca.SX) -> ca.SX:
    """Return the unit quaternion of three turns, as `quaternion_of_turns` does."""
    import casadi as ca

    vector = ca.vertcat(1, ca.tan(turns / 2))
    return ca.if_else(ca.cos(turns[0] / 2) < 0, -1, 1) * vector / ca.norm_2(vector)


def symbolic_turns(quaternion: ca.SX) -> ca.SX:
    """Return the three turns of a quaternion."""
    import casadi as ca

    return ca.vertcat(*(2 * ca.atan2(quaternion[k], quaternion[0]) for k in (1, 2, 3)))


def symbolic_rates(turns: ca.SX, w: ca.SX) -> ca.SX:
    """Return the rates of three turns at an angular velocity."""
    import casadi as ca

    from parakin.spatial import quaternion_product

    q = symbolic_quaternion(turns)
    q_dot = quaternion_product(q, ca.vertcat(0, w)) / 2
    return ca.vertcat(*(2 * (q[0] * q_dot[k] - q[k] * q_dot[0]) / (q[0] ** 2 + q[k] ** 2) for k in (1, 2, 3)))


def symbolic_step(turns: ca.SX, offset: ca.SX) -> ca.SX:
    """Return the turns after a small rotation vector in the axes of the ball."""
    import casadi as ca

    from parakin.spatial import quaternion_product

    return symbolic_turns(quaternion_product(symbolic_quaternion(turns), ca.vertcat(1, offset / 2)))


def symbolic_turn(start: ca.SX, goal: ca.SX) -> ca.SX:
    """Return the quaternion from one orientation, as a quaternion, to another, in the axes of the first."""
    import casadi as ca

    from parakin.spatial import quaternion_product

    return quaternion_product(ca.vertcat(start[0], -start[1:]), goal)


def small_vector(turn: ca.SX) -> ca.SX:
    """Return 2 sign(w) (x, y, z) of a quaternion: the rotation vector of a small turn."""
    import casadi as ca

    return 2 * ca.if_else(turn[0] < 0, -1, 1) * turn[1:]
