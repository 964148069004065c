"""Identify Table 1 of [Vivas2003] from a simulated log: local cubics through the encoders, weighted least squares."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control import Law, reference
from parakin.identification.fit.estimate import estimate
from parakin.identification.fit.linear import nacelle_model
from parakin.identification.states import States
from parakin.robot import Robot
from parakin.simulation import Log, simulate
from parakin.studies.vivas.machine import CELL, PERIOD
from parakin.trajectory import drawn_series, fourier

HALF_WINDOW = 12
"""Samples on either side to which a local cubic is fitted; it gives positions, rates and accelerations."""
EVERY = 5
"""Samples from one state of the estimate to the next."""
FREQUENCY = 0.5
"""Frequency of the first of the motion's five harmonics [Hz]."""
PERIODS = 2
"""How often the motion is repeated."""
SEEDS = (1, 2, 3)
"""Seeds of the motions, over which the intervals of estimates go."""


@frozen_arrays
class Identified:
    """The six parameters of Table 1: inertia of each motor [kg m^2], mass [kg] and inertia [kg m^2] of the nacelle."""

    true: Array
    """(6,) Values that the plant has."""
    estimated: Array
    """(6,) Values estimated from the log."""

    @property
    def errors(self) -> Array:
        """Errors of the estimate (6,) [%]."""
        return 100 * (self.estimated / self.true - 1)


def identified(robot: Robot, law: Law, seed: int) -> Identified:
    """Simulate a plant along a Fourier series of this seed under a law, and identify eq. (13) and friction."""
    followed = reference(robot, fourier(robot, drawn_series(robot, seed, frequency=FREQUENCY), PERIODS), PERIOD)
    model = nacelle_model(robot)
    result = estimate(model, [states_of(robot, simulate(robot, law, followed, CELL))])
    chosen = [k for k, label in enumerate(model.labels) if not label.quantity.is_friction]
    return Identified(model.values[chosen], result.values[chosen])


def states_of(robot: Robot, log: Log) -> States:
    """Return the platform's states from the measured positions of the actuators.

    Rates and accelerations of the actuators come from local cubics, where [Vivas2003] sec. 2.2 has central differences;
    those of the platform follow by eq. (16).

    A logged force is held from its row to the next: at a row, the mean of this force and of the one before is taken.
    """
    q, q_dot, q_ddot = (_local(log["measured_q"], order)[::EVERY] for order in range(3))
    rows = np.arange(HALF_WINDOW, len(log) - HALF_WINDOW, EVERY)
    pose = robot.forward_kinematics(q, near=log["desired_pose"][rows])
    velocity = robot.platform_velocity(pose, q_dot)
    acceleration = robot.platform_acceleration(pose, velocity, q_ddot)
    return States(log.t[rows], pose, velocity, acceleration, (log["tau"][rows] + log["tau"][rows - 1]) / 2)


def _local(values: Array, order: int) -> Array:
    """Return value, first or second derivative of the local cubic at each sample but the first and last HALF_WINDOW."""
    times = PERIOD * np.arange(-HALF_WINDOW, HALF_WINDOW + 1)
    weights = np.linalg.pinv(np.vander(times, 4, increasing=True))[order] * (1, 1, 2)[order]
    return np.lib.stride_tricks.sliding_window_view(values, len(times), axis=0) @ weights
