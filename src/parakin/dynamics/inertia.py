"""A rigid body's ten parameters, and the force and moment that its motion takes, linear in them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.kinematics.bodies import Frame

SECOND_MOMENTS: tuple[tuple[str, int, int], ...] = (
    ("Ixx", 0, 0),
    ("Ixy", 0, 1),
    ("Ixz", 0, 2),
    ("Iyy", 1, 1),
    ("Iyz", 1, 2),
    ("Izz", 2, 2),
)
"""The six different entries of an inertia tensor. Products are entries of the tensor: Ixy = -integral of x y dm."""


@dataclass(frozen=True)
class Inertia:
    """Mass m, first moment h = m r_S and inertia tensor I, about the origin of the body's frame and in its axes."""

    m: ca.SX
    h: ca.SX
    I: ca.SX  # noqa: E741

    def __add__(self, other: Inertia) -> Inertia:
        """Two bodies in one frame."""
        return Inertia(self.m + other.m, self.h + other.h, self.I + other.I)


NOTHING = Inertia(ca.SX(0), ca.SX.zeros(3), ca.SX(3, 3))


def point_mass(m: ca.SX, b: ca.SX) -> Inertia:
    return Inertia(m, m * b, m * (ca.sumsqr(b) * ca.SX.eye(3) - b @ b.T))


def about_origin(mass: float, com: np.ndarray, inertia: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """m, m r and I_origin = I_S + m (|r|^2 1 - r r^T)."""
    return mass, mass * com, inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))


@dataclass(frozen=True)
class Wrench:
    """Force F, and moment N about the origin of the body's frame, in base axes: what a motion takes."""

    F: ca.SX
    N: ca.SX


def wrench_of(inertia: Inertia, frame: Frame, gravity: ca.SX, w_r: ca.SX | None = None) -> Wrench:
    """What moves a body as its frame moves, against gravity. [Codourey1997] eq. (8) to (12), about the frame's origin.

        F = m (a - g) + w_dot x h + w_r x (w x h)
        N = h x (a - g) + I w_dot - w x (S w_r),        S = tr(I)/2 1 - I

    With w_r = w this is Newton and Euler, for -w x (S w) = w x (I w). With another w_r, the angular velocity that goes
    with a reference velocity, it is the sum over the body's mass points of J_p^T (J_p a + J_p_dot v_r) dm, which is
    linear in m, h, I and keeps M_dot - 2C skew: docs/theory/virtual_work.md.
    """
    R = frame.spin.R
    fall = R.T @ (frame.a - gravity)
    w, w_dot = R.T @ frame.spin.w, R.T @ frame.spin.w_dot
    swept = w if w_r is None else R.T @ w_r
    m, h, tensor = inertia.m, inertia.h, inertia.I
    F = m * fall + ca.cross(w_dot, h) + ca.cross(swept, ca.cross(w, h))
    S_swept = -(tensor @ w) if w_r is None else ca.trace(tensor) / 2 * swept - tensor @ swept  # w x w = 0
    N = ca.cross(h, fall) + tensor @ w_dot - ca.cross(w, S_swept)
    return Wrench(R @ F, R @ N)
