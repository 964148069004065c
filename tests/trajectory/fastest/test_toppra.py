"""toppra [Pham2018] as a witness: another program, on paths written down anew, finds the same durations."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import parakin as pk
from parakin.trajectory import Motion, circle, point_to_point, time_optimal
from parakin.trajectory.limits import limits_of
from parakin.trajectory.stretch import MARGIN
from tests.variants import frictionless

NODES = (500, 1000)
"""Two numbers of nodes: both programs are above the shortest time by a part that falls with the first power of it."""
AGREES = 1e-5
"""Relative, of durations extrapolated to infinitely many nodes: measured 2e-7 to 2e-6 with 1000 and 2000 nodes."""


@cache
def smooth_robot(name: str) -> pk.Robot:
    return frictionless(pk.load(name))


class _Curve:
    """A path as toppra takes it: coordinates and two derivatives over a parameter of its own."""

    def __init__(self, end: float, values: Callable[[np.ndarray], tuple[np.ndarray, ...]]) -> None:
        self.path_interval = np.array([0.0, end])
        self.values = values
        self.dof = values(np.zeros(1))[0].shape[1]

    def __call__(self, s: np.ndarray, order: int = 0) -> np.ndarray:
        values = self.values(np.atleast_1d(s))[order]
        return values[0] if np.ndim(s) == 0 else values


def witness(robot: pk.Robot, curve: _Curve, count: int) -> float:
    """Return toppra's duration [s], limits of force at both ends of each interval, of speed at nodes."""
    from toppra import algorithm, constraint

    logging.getLogger("toppra").setLevel(logging.WARNING)
    limits = limits_of(robot)
    nodes = np.linspace(0.0, curve.path_interval[1], count)
    force, n = (1 - MARGIN) * limits.force, len(limits.force)
    dynamics = constraint.SecondOrderConstraint(
        robot.inverse_dynamics,
        lambda _: np.vstack([np.eye(n), -np.eye(n)]),
        lambda _: np.concatenate([force, force]),
        curve.dof,
    )
    dynamics.set_discretization_type(constraint.DiscretizationType.Interpolation)
    rate = np.abs(robot.actuator_velocity(curve(nodes), curve(nodes, 1)))
    fastest = np.min((1 - MARGIN) * limits.speed / np.maximum(rate, 1e-9), axis=1)

    class Speeds(constraint.LinearConstraint):
        """Bounds 0 <= s_dot^2 <= fastest^2, as toppra keeps them for joints."""

        dof = curve.dof

        def compute_constraint_params(self, path: object, gridpoints: np.ndarray) -> tuple[object, ...]:
            del path
            bound = np.stack([np.zeros(len(gridpoints)), fastest**2], axis=1)
            return None, None, None, None, None, None, bound

    solver = algorithm.TOPPRA([dynamics, Speeds()], curve, gridpoints=nodes, solver_wrapper="seidel")
    pace = np.asarray(solver.compute_parameterization(0, 0)[1], float)
    return float(np.sum(2 * np.diff(nodes) / (pace[1:] + pace[:-1])))


def _line(robot: pk.Robot) -> tuple[Motion, _Curve]:
    motion = point_to_point(robot)
    start, goal = motion.at([0.0, motion.duration]).pose
    way = goal - start
    return motion, _Curve(1.0, lambda s: (start + s[:, None] * way, 0 * s[:, None] + way, 0 * s[:, None] * way))


def _circle(robot: pk.Robot) -> tuple[Motion, _Curve]:
    """The circle over its angle, from the poses at which the motion starts and is a quarter and half way round."""
    motion = circle(robot, diameter=0.1)
    t = motion.duration * np.array([0.0, 0.5])
    first, opposite = motion.at(t).pose
    dense = motion.at(np.linspace(0.0, motion.duration, 4001)).pose
    centre, e1 = (first + opposite) / 2, (first - opposite) / 2
    across = dense - centre
    e2 = across[np.argmin(np.abs(across[:2001] @ e1))]
    e2 = e2 - e1 * (e2 @ e1) / (e1 @ e1)
    e2 *= np.linalg.norm(e1) / np.linalg.norm(e2)

    def values(a: np.ndarray) -> tuple[np.ndarray, ...]:
        c, s = np.cos(a)[:, None], np.sin(a)[:, None]
        return centre + c * e1 + s * e2, c * e2 - s * e1, -c * e1 - s * e2

    return motion, _Curve(2 * np.pi, values)


CASES = [("five_bar", _line), ("delta", _line), ("h4", _line), ("five_bar", _circle), ("h4", _circle)]
"""Without circles of a Delta: toppra finds no pace in its plane of symmetry, where factors of rows are exactly 0."""


def extrapolated(durations: list[float]) -> float:
    """Return the duration with infinitely many nodes, where the error falls with the first power of their number."""
    few, many = NODES
    return (many * durations[1] - few * durations[0]) / (many - few)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shape"), CASES)
def test_durations_agree_without_friction(name: str, shape: Callable[[pk.Robot], tuple[Motion, _Curve]]) -> None:
    robot = smooth_robot(name)
    motion, curve = shape(robot)
    found = [time_optimal(robot, motion, points=count).duration for count in NODES]
    want = [witness(robot, curve, count) for count in NODES]
    assert extrapolated(found) == pytest.approx(extrapolated(want), rel=AGREES)
    assert found[1] == pytest.approx(want[1], rel=1e-3)
