"""Which ten numbers are a body: those whose pseudo-inertia is positive. docs/theory/consistent_parameters.md.

    P = [Sigma, h; h^T, m],        Sigma = tr(I)/2 1 - I = integral of x x^T dm

P is a sum of positive dyads over mass points, so P > 0 for every real body, and every P > 0 is one: mass, centre and an
inertia whose principal moments obey the triangle inequality ([Wensing2018]). Of a body with open spin only m, mx and
Iyy = Izz count; with the Ixx of the file, Sigma_xx = Iyy - Ixx/2, its cone is that of [Sigma_xx, mx; mx, m].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.dynamics.moments import SECOND_MOMENTS
from parakin.dynamics.parameters import BODY_UNITS
from parakin.identification.fit.triangles import root
from parakin.robot import Robot
from parakin.robot.base_parameters.sharing import Sharing, parameters_shared

THINNEST_BODY = 0.02
"""Thickness that a body has at least in the prior, which must not be singular, as a part of the robot's length."""


@frozen_arrays
class Cone:
    """A body as X > 0, with X = 1 for the prior: parameters = map @ X.ravel() + offset."""

    name: str
    """Name of the body."""
    places: NDArray[np.intp]
    """Where its parameters stand among the standard parameters (copies, 10 or 3), for each leg that has it."""
    size: int
    """Rows of X: 4, or 2 for a body with open spin."""
    map: Array
    """Parameters by entries of X (10 or 3, size^2)."""
    offset: Array
    """What the parameters have besides (10 or 3,): half of Ixx of the file for a body with open spin, else 0."""


def pseudo_inertia(ten: Array) -> Array:
    """Return P (4, 4) of m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz."""
    tensor = np.zeros((3, 3))
    for value, (_, row, column) in zip(ten[4:], SECOND_MOMENTS, strict=True):
        tensor[row, column] = tensor[column, row] = value
    P = np.zeros((4, 4))
    P[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor
    P[:3, 3] = P[3, :3] = ten[1:4]
    P[3, 3] = ten[0]
    return P


def ten_of(P: Array) -> Array:
    """Return the ten parameters behind a pseudo-inertia."""
    tensor = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
    return np.array([P[3, 3], *P[:3, 3], *(tensor[row, column] for _, row, column in SECOND_MOMENTS)])


def cones(robot: Robot, shared: Sharing) -> tuple[Cone, ...]:
    """Return the cone of every body; bodies of identical legs come once if they share parameters."""
    table = robot.parameter_table
    groups = parameters_shared(table, robot.legs, shared)
    bodies: dict[str, list[tuple[int, ...]]] = {}
    for group in groups:
        if group.quantity.is_of_body:
            bodies.setdefault(group.owner, []).append(group.places)
    return tuple(_cone(robot, name, np.array(places, dtype=np.intp).T) for name, places in bodies.items())


def _cone(robot: Robot, name: str, places: NDArray[np.intp]) -> Cone:
    table, thin = robot.parameter_table, THINNEST_BODY * robot.length
    values = robot.parameters[places[0]]
    if places.shape[1] == len(BODY_UNITS):
        return _scaled(name, places, _thickened(pseudo_inertia(values), thin), ten_of, np.zeros(len(BODY_UNITS)))
    half = robot.spin_inertia(table[int(places[0, 0])].owner) / 2
    prior = _thickened(np.array([[values[2] - half, values[1]], [values[1], values[0]]]), thin)
    return _scaled(name, places, prior, lambda Q: np.array([Q[1, 1], Q[0, 1], Q[0, 0]]), np.array([0.0, 0.0, half]))


def _scaled(name: str, places: NDArray[np.intp], prior: Array, read: Callable[[Array], Array], offset: Array) -> Cone:
    """P = L X L^T with prior = L L^T."""
    L, n = root(prior).T, len(prior)
    columns: Sequence[Array] = [read(np.outer(L[:, i], L[:, j])) for i in range(n) for j in range(n)]
    half = np.array(columns).T.reshape(-1, n, n)
    symmetric = (half + half.transpose(0, 2, 1)) / 2
    return Cone(name, places, n, symmetric.reshape(-1, n * n), offset)


def _thickened(P: Array, thin: float) -> Array:
    """Second moments about the centre of mass of at least m thin^2 in every direction."""
    h, m = P[:-1, -1], P[-1, -1]
    values, vectors = np.linalg.eigh(P[:-1, :-1] - np.outer(h, h) / m)
    thick = P.copy()
    thick[:-1, :-1] = (vectors * np.maximum(values, m * thin**2)) @ vectors.T + np.outer(h, h) / m
    return thick
