"""A rigid body's ten parameters, and the force and moment that its motion takes, linear in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.bodies import Frame


@dataclass(frozen=True)
class Inertia:
    """Mass distribution of a body, about the origin of its frame and in its axes."""

    m: ca.SX
    """Mass [kg]."""
    h: ca.SX
    """First moment m r_S, r_S being the place of the centre of mass [kg m]."""
    I: ca.SX  # noqa: E741
    """Inertia tensor [kg m^2]."""

    def __add__(self, other: Inertia) -> Inertia:
        """Return two bodies in one frame as one."""
        return Inertia(self.m + other.m, self.h + other.h, self.I + other.I)


NOTHING = Inertia(ca.SX(0), ca.SX.zeros(3), ca.SX(3, 3))
"""A body without mass."""


ROUNDING = 2.0**-48
"""How far from zero a sum of numbers that should cancel may be, relative to its terms."""


def together(parts: Sequence[Inertia]) -> Inertia:
    """Return bodies in one frame as one; moments of known bodies that cancel but for rounding become zero, or equal."""
    whole = sum(parts, NOTHING)
    h, tensor = whole.h, whole.I
    for k in range(3):
        if _cancel([part.h[k] for part in parts]):
            h[k] = 0
    for row, column in ((0, 1), (0, 2), (1, 2)):
        if _cancel([part.I[row, column] for part in parts]):
            tensor[row, column] = tensor[column, row] = 0
    for k in (1, 2):
        if _cancel([entry for part in parts for entry in (part.I[k, k], -part.I[0, 0])]):
            tensor[k, k] = tensor[0, 0]
    return Inertia(whole.m, h, tensor)


def _cancel(terms: Sequence[ca.SX]) -> bool:
    """Are these numbers, and is their sum no more than their rounding?"""
    if not all(term.is_constant() for term in terms):
        return False
    numbers = [float(value) for value in ca.DM(ca.vertcat(*terms)).full().ravel()]
    return abs(math.fsum(numbers)) <= ROUNDING * math.fsum(map(abs, numbers))


def point_mass(m: ca.SX, b: ca.SX) -> Inertia:
    """Return the inertia of a mass m [kg] at a point b [m]."""
    return Inertia(m, m * b, m * (ca.sumsqr(b) * ca.SX.eye(3) - b @ b.T))


@dataclass(frozen=True)
class Wrench:
    """What a body's motion takes, in base axes."""

    F: ca.SX
    """Force [N]."""
    N: ca.SX
    """Moment about the origin of the body's frame [N m]."""


def wrench_of(inertia: Inertia, frame: Frame, gravity: ca.SX, w_r: ca.SX | None = None) -> Wrench:
    """Return what moves a body as its frame moves, against gravity. [Codourey1997] eq. (8) to (12).

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


def wrench_of_link(inertia: Inertia, frame: Frame, gravity: ca.SX) -> Wrench:
    """Return what `wrench_of` does with B of the frame's motion, which a chain of links has at hand.

    F = m (a - g) + B h,        B = w_dot~ + w~ w~
    N = h x (a - g) + R (I w_dot + w x I w)        h in base axes, I with its w in those of the body
    """
    R = frame.spin.R
    h, fall = R @ ca.sparsify(inertia.h), frame.a - gravity
    w, w_dot = R.T @ frame.spin.w, R.T @ frame.spin.w_dot
    moment = inertia.I @ w_dot + ca.cross(w, inertia.I @ w)
    return Wrench(inertia.m * fall + frame.spin.B @ h, ca.cross(h, fall) + R @ moment)


def wrench_in_base_axes(inertia: Inertia, frame: Frame, gravity: ca.SX) -> Wrench:
    """Return what `wrench_of` does, computed in base axes: little work where the body is round about one of its axes.

        F = m (a - g) + B h,        B = w_dot~ + w~ w~
        N = h x (a - g) + I_xx w_dot + D w_dot + w x (D w),        D = R (I - I_xx 1) R^T

    The part I_xx 1 of the tensor turns into itself and has no moment of its own, w x (I_xx w) = 0.
    """
    R, w, w_dot = frame.spin.R, frame.spin.w, frame.spin.w_dot
    h, fall = R @ ca.sparsify(inertia.h), frame.a - gravity
    round_ = inertia.I[0, 0]
    D = ca.sparsify(inertia.I - round_ * ca.SX.eye(3))
    moment = ca.cross(h, fall) + round_ * w_dot + R @ (D @ (R.T @ w_dot)) + ca.cross(w, R @ (D @ (R.T @ w)))
    return Wrench(inertia.m * fall + frame.spin.B @ h, moment)
