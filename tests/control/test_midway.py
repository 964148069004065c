"""Forces for the middle of the tick over which they are held: what holding them costs, and what is left of it."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from tests.robots import robot_named


def off_by(law: control.Law, motion: pk.trajectory.Motion) -> float:
    """Return how far a robot is from its motion under a law that is told everything exactly, friction left out."""
    law = law.with_gains(**control.gains_for(law, 100.0))
    log = simulation.simulate(law.robot, law, control.reference(law.robot, motion, law.period))
    assert log.status is simulation.Ending.COMPLETED
    return float(np.sqrt((log.platform_errors**2).mean()))


def smooth(robot: pk.Robot) -> pk.Robot:
    """Return a robot without friction, which laws compute along the reference."""
    rubbing = np.array([entry.quantity.is_friction for entry in robot.parameter_table])
    return robot.with_parameters(np.where(rubbing, 0.0, robot.parameters), "test") if rubbing.any() else robot


@pytest.mark.parametrize("name", ["delta", pytest.param("gough_stewart", marks=pytest.mark.slow)])
def test_what_holding_forces_costs_falls_with_the_square_of_the_period(name: str) -> None:
    """Half of the period leaves half of it at the beginning of ticks, and a quarter in their middle."""
    robot = smooth(robot_named(name))
    motion = pk.trajectory.fourier(robot)
    periods = (4e-3, 2e-3)
    plain, midway = (
        [off_by(control.computed_torque_platform(robot, period, midway=middle), motion) for period in periods]
        for middle in (False, True)
    )
    assert 1.7 < plain[0] / plain[1] < 2.3
    assert 3.2 < midway[0] / midway[1] < 4.8
    assert midway[1] < plain[1] / 4


def test_a_mechanism_is_followed_more_closely_too() -> None:
    """Its loops are a little open half a tick ahead. What short ticks leave is smooth friction of its joints."""
    robot = pk.load("four_bar")
    motion = pk.trajectory.fourier(robot)
    cases = ((4e-3, False), (4e-3, True), (1e-3, True))
    plain, midway, least = (
        off_by(control.computed_torque_platform(robot, period, midway=each), motion) for period, each in cases
    )
    assert abs(midway - least) < (plain - least) / 10
