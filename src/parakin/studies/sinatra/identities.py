"""Eqs. (13), (14), (16), (17) and (20) of [Sinatra2009] as printed, against derivatives and sums that they stand for.

Nothing of a robot is needed: each is an identity in angles, rates and accelerations, which are drawn at random. All
elementary rotations are E = exp(u~ angle), so that E_dot = u~ E rate, and products are differentiated factor by factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from scipy.spatial.transform import Rotation

from parakin.arrays import Array, frozen_arrays
from parakin.studies.common import relative
from parakin.studies.sinatra.printed import l_3

U1, U2, U3 = np.eye(3)
DRAWS = 20
"""How many states are drawn for each equation."""


@frozen_arrays(eq=True)
class Turning:
    """An elementary rotation E = exp(u~ angle) with its derivatives."""

    E: Array
    """(3, 3) The rotation."""
    E_dot: Array
    """(3, 3) Its first derivative [1/s]."""
    E_ddot: Array
    """(3, 3) Its second derivative [1/s^2]."""
    rate: float
    """Rate of the angle [rad/s]."""
    acceleration: float
    """Acceleration of the angle [rad/s^2]."""


def tilde(u: Array) -> Array:
    """Return the matrix of the cross product with u."""
    x, y, z = u
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turning(u: Array, rng: np.random.Generator) -> Turning:
    """Draw an angle about the axis u with its rate and acceleration."""
    angle, rate, acceleration = rng.normal(size=3)
    E: Array = Rotation.from_rotvec(angle * u).as_matrix()
    cross = tilde(u)
    E_ddot = cross @ E * acceleration + cross @ cross @ E * rate**2
    return Turning(E, cross @ E * rate, E_ddot, float(rate), float(acceleration))


def differentiated(factors: Sequence[Turning | Array]) -> tuple[Array, Array, Array]:
    """Return a product of turning and of constant matrices with its first and second derivative."""

    def product(chosen: Sequence[Array]) -> Array:
        return reduce(np.matmul, chosen)

    plain = [f.E if isinstance(f, Turning) else f for f in factors]
    moving = {k: f for k, f in enumerate(factors) if isinstance(f, Turning)}

    def with_(changes: dict[int, Array]) -> Array:
        return product([changes.get(k, matrix) for k, matrix in enumerate(plain)])

    first = sum((with_({k: f.E_dot}) for k, f in moving.items()), np.zeros((3, 3)))
    second = sum((with_({k: f.E_ddot}) for k, f in moving.items()), np.zeros((3, 3)))
    for k, f in moving.items():
        for n, g in moving.items():
            if k != n:
                second = second + with_({k: f.E_dot, n: g.E_dot})
    return product(plain), first, second


def platform_difference(order: int) -> float:
    """Return the largest relative difference of eq. (14), order 1, or eq. (17), order 2, from derivatives of R^T."""
    rng, differences = np.random.default_rng(2009), list[float]()
    for _ in range(DRAWS):
        one, two, three = (turning(u, rng) for u in (U1, U2, U3))
        R_T, first, second = differentiated((one, two, three))
        R_1, R_2, R_3 = one.E.T, two.E.T, three.E.T
        R = R_T.T
        u_1, u_2, u_3 = map(tilde, (U1, U2, U3))
        a, b, c = (each.rate for each in (one, two, three))
        if order == 1:
            written = a * R_1.T @ u_1 @ R_1 + b * R_1.T @ R_2.T @ u_2 @ R_2 @ R_1 + c * R_T @ u_3 @ R
            differences.append(relative(written, first @ R))
            continue
        written = (
            one.acceleration * R_1.T @ u_1 @ R_1
            + two.acceleration * R_1.T @ R_2.T @ u_2 @ R_2 @ R_1
            + three.acceleration * R_T @ u_3 @ R
            + a**2 * R_1.T @ u_1 @ u_1 @ R_1
            + b**2 * R_1.T @ R_2.T @ u_2 @ u_2 @ R_2 @ R_1
            + c**2 * R_T @ u_3 @ u_3 @ R
            + 2 * a * b * R_1.T @ u_1 @ R_2.T @ u_2 @ R_2 @ R_1
            + 2 * b * c * R_1.T @ R_2.T @ u_2 @ R_3.T @ u_3 @ R
            + 2 * c * a * R_1.T @ u_1 @ R_2.T @ R_3.T @ u_3 @ R
        )
        differences.append(relative(written, second @ R))
    return max(differences)


def leg_difference(order: int) -> float:
    """Return the largest relative difference of eq. (13), order 1, or eq. (16), order 2, from those of the loop (7).

    What slider and platform contribute is on both sides the same derivative. What is compared is the leg's own part:
    l_3 a_30^T u_2 with a_30 = a_32 a_21 a_10, each a turning of its own after a constant matrix.
    """
    rng, differences = np.random.default_rng(2009), list[float]()
    u_3 = tilde(U3)
    for _ in range(DRAWS):
        constant = Rotation.random(3, rng=rng).as_matrix()
        two, three = turning(U3, rng), turning(U3, rng)
        a_10_T = constant[0]
        _, first, second = differentiated((a_10_T, constant[1], two, constant[2], three))
        a_20_T, a_32_T = a_10_T @ constant[1] @ two.E, constant[2] @ three.E
        a_30_T = a_20_T @ a_32_T
        if order == 1:
            written = two.rate * a_20_T @ u_3 @ a_32_T @ U2 - three.rate * a_30_T @ U1
            differences.append(relative(l_3 * written, l_3 * first @ U2))
            continue
        left = two.acceleration * a_20_T @ u_3 @ a_32_T @ U2 - three.acceleration * a_30_T @ U1
        right = (
            -(two.rate**2) * a_20_T @ u_3 @ u_3 @ a_32_T @ U2
            + three.rate**2 * a_30_T @ U2
            + 2 * two.rate * three.rate * a_20_T @ u_3 @ a_32_T @ U1
        )
        differences.append(relative(l_3 * (left - right), l_3 * second @ U2))
    return max(differences)


def wrench_differences() -> tuple[float, float]:
    """Return the relative differences of eq. (20), of the force and of the moment, from sums over points of a body."""
    rng, force, moment = np.random.default_rng(2009), list[float](), list[float]()
    for _ in range(DRAWS):
        points, masses = rng.normal(size=(6, 3)), rng.uniform(0.1, 1.0, 6)
        gamma, omega, epsilon = rng.normal(size=(3, 3))
        m, r_C = masses.sum(), masses @ points / masses.sum()
        square = tilde(omega) @ tilde(omega) + tilde(epsilon)
        J = sum((mass * tilde(r) @ tilde(r).T for mass, r in zip(masses, points, strict=True)), np.zeros((3, 3)))
        acting = masses[:, None] * (gamma + points @ square.T)
        written = -m * (gamma + square @ r_C)
        turned = -m * (tilde(r_C) @ gamma + J @ epsilon + tilde(omega) @ J @ omega)
        force.append(relative(written, -acting.sum(axis=0)))
        moment.append(relative(turned, -np.cross(points, acting).sum(axis=0)))
    return max(force), max(moment)
