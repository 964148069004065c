"""Simulated logs, and ways to damage them."""

from __future__ import annotations

import functools

import numpy as np

from parakin import control, simulation, trajectory
from parakin.simulation import Log, Scenario
from tests.robots import robot_named

PERIOD = 1e-3
ENCODERS = Scenario(counts=2**20 / (2 * np.pi), velocity_filter=200.0)


@functools.cache
def simulated(name: str, scenario: Scenario = ENCODERS) -> Log:
    """Three seconds from within a Fourier series, by its own clock from 1.5 s on."""
    robot = robot_named(name)
    law = control.law("computed_torque", robot).with_gains(K_p=10_000.0, K_d=90.0, K_i=0.0)
    log = simulation.simulate(robot, law, control.reference(robot, trajectory.fourier(robot), PERIOD), scenario)
    return Log(log.columns, log.table[1500:4500])
