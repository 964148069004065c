"""Finds standard parameters of real bodies that agree with what was measured, by a semidefinite program.

    minimise    |W (map p - measured)|^2 + (sum over bodies |X - 1|^2 + sum over drives ((x - x_0)/size)^2) / spread^2
    subject to  X > 0 of every body, rotors and friction not negative

docs/theory/consistent_parameters.md.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import EstimationError
from parakin.identification.bodies.pseudo_inertia import Cone, cones
from parakin.identification.fit.estimate import Estimate
from parakin.robot.base_parameters import BaseParameters
from parakin.robot.base_parameters.sharing import parameters_shared

SPREAD = 0.5
"""How far the robot file is trusted: relative standard deviation of the moments of a body, and of scalars."""
SMALLEST_EIGENVALUE = 1e-3
"""Smallest eigenvalue of X: no body loses more than all but a thousandth of what the file gives it, in any direction.
"""
DEFAULT_SIZE = 1e-3
"""Size of a scalar that has neither prior nor estimate, in its unit."""


@frozen_arrays
class Consistent:
    """Parameters of real bodies that agree with an estimate."""

    parameters: Array
    """Standard parameters p in the order of robot.parameters."""
    base: Array
    """The base parameters of p: map p."""
    distance: float
    """Distance of `base` from the estimate, in standard deviations.

    The root of the weighted sum of squares over the number of parameters: 1 is by chance.
    """


def consistent(estimate: Estimate, *, spread: float = SPREAD) -> Consistent:
    """Find parameters of real bodies that agree with an estimate of base parameters and stay close to the robot file.

    spread: how far the file is trusted. Needs the extra `identify`.

    >>> found = pk.identification.estimate(model, states)
    >>> real = pk.identification.consistent(found)
    >>> robot.with_parameters(real.parameters, source="identified from run.csv").name
    'five_bar'
    """
    robot, base = estimate.model.robot, estimate.model.base
    if base is None:
        raise EstimationError(robot.name, estimate.model.title, "only base parameters have bodies behind them")
    cp = _cvxpy()
    bodies = cones(robot, estimate.model.shared)
    scalars = _scalars(estimate, base)
    W, measured = _information(estimate)
    count = base.map.shape[1]
    p: Any = np.zeros(count)
    constraints: list[Any] = []
    prior: list[Any] = []
    for body in bodies:
        Y = cp.Variable((body.size, body.size), PSD=True)
        X = Y + SMALLEST_EIGENVALUE * np.eye(body.size)
        values = body.map @ cp.vec(X, order="C") + body.offset
        p = p + _placed(body.places, count) @ values
        prior.append(cp.sum_squares(X - np.eye(body.size)))
    x = cp.Variable(len(scalars.names))
    constraints.append(x >= 0)
    p = p + scalars.placing @ cp.multiply(scalars.size, x)
    prior.append(cp.sum_squares(x - scalars.prior / scalars.size))
    misfit = cp.sum_squares(W @ (base.map @ p) - measured)
    problem = cp.Problem(cp.Minimize(misfit + sum(prior[1:], prior[0]) / spread**2), constraints)
    try:
        problem.solve(solver="CLARABEL")
    except cp.error.SolverError as error:
        raise EstimationError(robot.name, "consistent parameters", f"the solver failed: {error}") from error
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise EstimationError(robot.name, "consistent parameters", f"the solver ended {problem.status}")
    parameters = _settled(np.asarray(p.value, float), bodies, scalars)
    distance = float(np.sqrt(np.mean((W @ (base.map @ parameters) - measured) ** 2)))
    return Consistent(parameters, base.map @ parameters, distance)


@frozen_arrays
class _Scalars:
    """Rotors and friction: placing (parameters, scalars); size: the unit in which each is solved for."""

    names: tuple[str, ...]
    placing: Array
    prior: Array
    size: Array


def _scalars(estimate: Estimate, base: BaseParameters) -> _Scalars:
    robot = estimate.model.robot
    table = robot.parameter_table
    groups = parameters_shared(table, robot.legs, estimate.model.shared)
    alone = [group for group in groups if not group.quantity.is_of_body]
    placing = np.zeros((len(table), len(alone)))
    for column, group in enumerate(alone):
        placing[list(group.places), column] = 1.0
    prior = np.array([table[group.places[0]].value for group in alone])
    by_place = {k.name: abs(v) for k, v in zip(base.representatives, estimate.values, strict=True) if np.isfinite(v)}
    size = np.array(
        [value or by_place.get(group.name, 0.0) or DEFAULT_SIZE for value, group in zip(prior, alone, strict=True)]
    )
    return _Scalars(tuple(group.name for group in alone), placing, prior, size)


def _information(estimate: Estimate) -> tuple[Array, Array]:
    """W and W measured: rows of which each has unit variance; directions that are not determined have none.

    With W_0 of the noise alone, and s how far a standard deviation of the delay moves the parameters, u = W_0 s:

        W^T W = (C_0 + s s^T)^-1 = W_0^T (1 - u u^T/(1 + u^T u)) W_0
    """
    solution, k = estimate.solution, len(estimate.values)
    scale = 1 / np.sqrt(np.mean(solution.weights * solution.variances)) if solution.variances.all() else 1.0
    W, measured = scale * solution.R[:k, :k], scale * solution.R[:k, k]
    u = W @ solution.shifts
    squares = float(u @ u)
    if squares == 0.0:
        return W, measured
    less = (1 - 1 / np.sqrt(1 + squares)) / squares  # 1 - less u u^T is the root of what stands in brackets
    return W - less * np.outer(u, u @ W), measured - less * (u @ measured) * u


def _placed(places: NDArray[np.intp], count: int) -> Array:
    matrix = np.zeros((count, places.shape[1]))
    for copy in places:
        matrix[copy, np.arange(len(copy))] = 1.0
    return matrix


def _settled(p: Array, bodies: Sequence[Cone], scalars: _Scalars) -> Array:
    """The parameters in exact arithmetic: eigenvalues of X at least SMALLEST_EIGENVALUE, scalars at least zero."""
    settled = np.zeros_like(p)
    for body in bodies:
        x = np.linalg.lstsq(body.map, p[body.places[0]] - body.offset, rcond=None)[0].reshape(body.size, -1)
        values, vectors = np.linalg.eigh((x + x.T) / 2)
        lifted = (vectors * np.maximum(values, SMALLEST_EIGENVALUE)) @ vectors.T
        settled[body.places] = body.map @ lifted.ravel() + body.offset
    chosen = scalars.placing.argmax(axis=0)
    return settled + scalars.placing @ np.maximum(p[chosen], 0.0)


def _cvxpy() -> Any:
    try:
        return importlib.import_module("cvxpy")
    except ImportError as error:
        reason = "needs cvxpy and Clarabel: pip install 'parakin[identify]'"
        raise EstimationError("parakin", "consistent parameters", reason) from error
