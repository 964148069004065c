"""One axis: the duration is that of the closed form, with and without friction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parakin.errors import MotionError
from parakin.trajectory import check, point_to_point, time_optimal
from parakin.trajectory.stretch import MARGIN
from tests.trajectory.fastest.cart import FORCE, MASS, cart, shortest_time

EXACT = 1e-9
"""Relative. Constant forces, and a node where they are switched: the pace is found without error."""
PER_NODE = 1.0
"""Relative error times the number of nodes, where forces change along the way: measured 0.58 with these numbers."""


def test_without_friction_it_is_bang_bang(tmp_path: Path) -> None:
    """T = 2 sqrt(m way/F)."""
    robot = cart(tmp_path)
    fastest = time_optimal(robot, point_to_point(robot, [-0.4], [0.4]), points=101)
    want = 2 * np.sqrt(MASS * 0.8 / ((1 - MARGIN) * FORCE))
    assert fastest.duration == pytest.approx(want, rel=EXACT)
    assert shortest_time(0.8, (1 - MARGIN) * FORCE, 0.0, 0.0) == pytest.approx(want, rel=1e-12)
    assert fastest.motion.at(want / 2).velocity[0] == pytest.approx(want / 2 * (1 - MARGIN) * FORCE / MASS, rel=1e-6)
    assert set(fastest.active) == {"force of rail.travel"}
    assert fastest.share == pytest.approx(1.0, rel=1e-9)
    assert fastest.held_back == {"force of rail.travel": pytest.approx(1.0)}
    assert fastest.stretched == 1.0


@pytest.mark.parametrize(
    ("viscous", "coulomb"),
    [(3.0, 1.0), pytest.param(3.0, 0.0, marks=pytest.mark.slow), pytest.param(0.0, 2.0, marks=pytest.mark.slow)],
)
def test_friction_takes_part_ahead_and_helps_to_brake(viscous: float, coulomb: float, tmp_path: Path) -> None:
    robot = cart(tmp_path, viscous, coulomb)
    path = point_to_point(robot, [-0.4], [0.4])
    want = shortest_time(0.8, (1 - MARGIN) * FORCE, viscous, coulomb)
    errors = [time_optimal(robot, path, points=n).duration / want - 1 for n in (100, 400)]
    assert 0.0 <= errors[0] < PER_NODE / 100
    assert 0.0 <= errors[1] < PER_NODE / 400
    assert check(time_optimal(robot, path, points=100).motion, robot, 20_011).good


def test_speed_and_acceleration_bound_the_cart(tmp_path: Path) -> None:
    """Up at 2 m/s^2 to 0.5 m/s, on, and down again: way/v + v/a."""
    robot = cart(tmp_path, limits=f"force = {FORCE}, speed = 0.5")
    fastest = time_optimal(robot, point_to_point(robot, [-0.4], [0.4]), acceleration=2.0, points=400)
    v, a = 0.5 * (1 - MARGIN), 2.0 * (1 - MARGIN)
    assert fastest.duration == pytest.approx(0.8 / v + v / a, rel=1e-5)  # the switch lies inside an interval
    assert set(fastest.active) == {"acceleration rail.travel", "speed of rail.travel"}


def test_without_limits_there_is_no_fastest(tmp_path: Path) -> None:
    robot = cart(tmp_path, limits="speed = 0.5")
    path = point_to_point(robot, [-0.4], [0.4])
    with pytest.raises(MotionError, match=r"limits: no actuator of cart has a largest force, .*: give actuator\.force"):
        time_optimal(robot, path)
    assert time_optimal(robot, path, acceleration=[2.0], points=100).duration > 0.8 / 0.5
