"""Table 1 of [Vivas2003] from a simulated log: local cubics through the encoders, weighted least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, reference
from parakin.identification.fit.estimate import estimate
from parakin.identification.fit.linear import nacelle_model
from parakin.identification.states import States
from parakin.robot import Robot
from parakin.simulation import Log, simulate
from parakin.studies.vivas.machine import CELL, PERIOD
from parakin.trajectory import drawn_series, fourier

HALF_WINDOW = 12
"""Samples on either side of a local cubic, of which positions, rates and accelerations are taken."""
EVERY = 5
"""Samples from one state to the next."""
FREQUENCY = 0.5
"""[Hz] Of the first of five harmonics."""
PERIODS = 2


@dataclass(frozen=True, eq=False)
class Identified:
    """Values of Table 1: as the plant has them, and as estimated."""

    true: Array
    found: Array

    @property
    def errors(self) -> Array:
        """[%]"""
        return 100 * (self.found / self.true - 1)


def identified(robot: Robot, law: Law) -> Identified:
    """A plant follows a Fourier series under a law; its log is identified with eq. (13), friction beside it."""
    followed = reference(robot, fourier(robot, drawn_series(robot, frequency=FREQUENCY), PERIODS), PERIOD)
    model = nacelle_model(robot)
    found = estimate(model, [states_of(robot, simulate(robot, law, followed, CELL))])
    chosen = [k for k, name in enumerate(model.names) if not name.endswith(("viscous", "coulomb"))]
    return Identified(model.values[chosen], found.values[chosen])


def states_of(robot: Robot, log: Log) -> States:
    """Rates and accelerations of actuators by local cubics, where [Vivas2003] sec. 2.2 has central differences;
    the platform's by eq. (16).

    A logged force is held from its row to the next: at a row, it is the mean of that row's and the one's before.
    """
    q, q_dot, q_ddot = (_local(log["measured_q"], order)[::EVERY] for order in range(3))
    rows = np.arange(HALF_WINDOW, len(log) - HALF_WINDOW, EVERY)
    pose = robot.forward_kinematics(q, near=log["desired_pose"][rows])
    velocity = robot.platform_velocity(pose, q_dot)
    acceleration = robot.platform_acceleration(pose, velocity, q_ddot)
    return States(log.t[rows], pose, velocity, acceleration, (log["tau"][rows] + log["tau"][rows - 1]) / 2)


def _local(values: Array, order: int) -> Array:
    """Value, first or second derivative of a cubic fitted to a window about each sample but the first and last few."""
    times = PERIOD * np.arange(-HALF_WINDOW, HALF_WINDOW + 1)
    weights = np.linalg.pinv(np.vander(times, 4, increasing=True))[order] * (1, 1, 2)[order]
    return np.lib.stride_tricks.sliding_window_view(values, len(times), axis=0) @ weights
