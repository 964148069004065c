"""Base parameters: random states, the rank of their regressor, relations, and the relations put to the test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from parakin.arrays import Array
from parakin.description import Leg
from parakin.dynamics.parameters import PAYLOAD, Parameter, Quantity
from parakin.errors import UnclearRankError, UnknownNameError
from parakin.robot.base_parameters.grouping import Grouping, Rank, grouping_of, rank_of
from parakin.robot.base_parameters.result import BaseParameters
from parakin.robot.base_parameters.sharing import Shared, Sharing, alike_legs, combined, parameters_shared
from parakin.robot.triangle import finite_rows, triangle_of

STATES = 1000
"""Random states drawn for the rank: 25 rows and more for each parameter of the library's robots."""
ENOUGH = 5
"""Fewest rows of the regressor for each parameter."""
SMALLEST_GAP = 1e4
"""Smallest ratio between singular values that count and those that do not; the library's robots have 1e12."""
HOLDS = 1e-9
"""Largest error of relations on states that had no part in finding them, relative to the column."""
ROUNDING = 1e-4
"""Columns below this, relative to the largest, are judged as if they were that size: a zero may be a rounding error.
Those that were found to have no effect are judged beside the largest itself, as they were found."""
GENERAL = "general"
"""What asks for parameters that matter in any direction of gravity."""
STRENGTH = 9.81
"""Size of gravity in a general direction [m/s^2]."""

KEPT_FIRST = (
    *(Quantity.VISCOUS, Quantity.COULOMB),
    *(Quantity.IZZ, Quantity.IXX, Quantity.IXY, Quantity.IXZ, Quantity.IYZ, Quantity.IYY),
    *(Quantity.MX, Quantity.MY, Quantity.MZ, Quantity.M),
    *(Quantity.ROTOR, Quantity.INERTIA),
)
"""The order in which parameters of legs are kept.

As in the books on serial robots, masses go into the moments of the bodies before them, rotors into Izz.
"""
WHOLE_BODY = (
    *(Quantity.M, Quantity.MX, Quantity.MY, Quantity.MZ),
    *(Quantity.IZZ, Quantity.IXX, Quantity.IYY, Quantity.IXY, Quantity.IXZ, Quantity.IYZ),
)
"""The order in which parameters of the platform are kept, which carries what legs give away."""
CARRIERS = ("platform", PAYLOAD)
"""Owners whose parameters are kept before those of the legs."""


class Regressed(Protocol):
    """What the search asks of a robot or a mechanism."""

    @property
    def name(self) -> str:
        """Name it, for messages."""
        ...

    @property
    def legs(self) -> tuple[Leg, ...]:
        """Return the legs that may be alike; a mechanism has none."""
        ...

    def sample_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Draw random states of its box."""
        ...

    def regressors(self, pose: Array, velocity: Array, acceleration: Array, gravity: Array | None) -> Array:
        """Return Psi of a batch of states, with gravity as an input or as it is; rows of bad states are NaN."""
        ...


def base_parameters(
    robot: Regressed, table: Sequence[Parameter], *, shared: Sharing = False, gravity: str | None = None, seed: int = 0
) -> BaseParameters:
    """Find the base parameters of a robot, as `Robot.base_parameters` says; table: all its parameters."""
    if gravity not in (None, GENERAL):
        raise UnknownNameError("gravity", gravity, (GENERAL,))
    parameters = parameters_shared(table, robot.legs, shared)
    triangle = triangle_of([_regressors(robot, parameters, gravity, seed)], len(parameters))
    if triangle.rows < ENOUGH * len(parameters):
        reason = f"of {STATES} states in the robot's box {triangle.skipped} are out of reach or singular"
        raise UnclearRankError(robot.name, reason)
    rank = rank_of(triangle.R)
    if rank.gap < SMALLEST_GAP:
        reason = f"singular value {rank.rank} is only {rank.gap:.2g} times the next; {SMALLEST_GAP:g} would be clear"
        raise UnclearRankError(robot.name, reason)
    grouping = grouping_of(triangle.R, rank, _preference(parameters))
    _put_to_the_test(robot, rank, grouping, _regressors(robot, parameters, gravity, seed + 1))
    mean = _mean(parameters, len(table))
    return BaseParameters(
        robot=robot.name,
        representatives=tuple(parameters[k] for k in grouping.kept),
        names=tuple(_sum(row, k, parameters) for row, k in zip(grouping.relations, grouping.kept, strict=True)),
        map=grouping.relations @ mean,
        values=grouping.relations @ mean @ np.array([parameter.value for parameter in table]),
        zero=tuple(parameters[k].name for k in rank.zero),
        singular_values=rank.singular_values,
        gap=rank.gap,
        alike=alike_legs(table, robot.legs, shared),
    )


def _regressors(robot: Regressed, parameters: Sequence[Shared], gravity: str | None, seed: int) -> Array:
    """Regressors at random states, each scaled to size 1 so that slow states count as much as fast ones."""
    pose, velocity, acceleration = robot.sample_states(STATES, seed)
    general = STRENGTH * np.random.default_rng([seed, 1]).normal(size=(STATES, 3)) if gravity == GENERAL else None
    Psi = combined(robot.regressors(pose, velocity, acceleration, general), parameters)
    return Psi / np.linalg.norm(Psi, axis=(1, 2), keepdims=True)


def _preference(parameters: Sequence[Shared]) -> list[int]:
    """Columns to keep, the best first: the platform, then legs by KEPT_FIRST, in the order of the robot."""

    def place(k: int) -> tuple[int, int]:
        part, quantity = parameters[k].part, parameters[k].quantity
        if part in CARRIERS:
            return CARRIERS.index(part), WHOLE_BODY.index(quantity)
        return len(CARRIERS), KEPT_FIRST.index(quantity)

    return sorted(range(len(parameters)), key=place)


def _put_to_the_test(robot: Regressed, rank: Rank, grouping: Grouping, regressors: Array) -> None:
    """Psi = Psi[:, kept] relations; columns without effect are small beside the largest."""
    Psi = finite_rows(regressors)
    sizes = np.linalg.norm(Psi, axis=0)
    error = np.linalg.norm(Psi - Psi[:, grouping.kept] @ grouping.relations, axis=0)
    floors = np.full(len(sizes), ROUNDING)
    floors[list(rank.zero)] = 1.0
    wrong = error > HOLDS * np.maximum(sizes, floors * sizes.max())
    if wrong.any():
        reason = f"{wrong.sum()} relations between parameters fail on other states"
        raise UnclearRankError(robot.name, reason)


def _mean(parameters: Sequence[Shared], count: int) -> Array:
    """(parameters, standard parameters): of shared ones the mean of their places."""
    matrix = np.zeros((len(parameters), count))
    for row, parameter in zip(matrix, parameters, strict=True):
        row[list(parameter.places)] = 1 / len(parameter.places)
    return matrix


def _sum(coefficients: Array, kept: int, parameters: Sequence[Shared]) -> str:
    """The representative, then what is grouped with it: "a + 0.0576 b - c"."""
    text = parameters[kept].name
    for k, (coefficient, parameter) in enumerate(zip(coefficients.tolist(), parameters, strict=True)):
        if coefficient and k != kept:
            factor = "" if abs(coefficient) == 1 else f"{abs(coefficient):.6g} "
            text += f" {'-' if coefficient < 0 else '+'} {factor}{parameter.name}"
    return text
