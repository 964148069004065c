"""Forces along a motion, split into what the platform, the legs' weight and the legs' inertia ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.robot import Quantity, Robot
from parakin.studies.common import percent
from parakin.studies.sinatra.printed import LEG_MASS, l_3, nearest_centre
from parakin.trajectory import Motion
from parakin.trajectory.states import State

UNIFORM = "uniform rods"
"""Name of the machine whose legs are rods of evenly spread mass."""
RATE = 200
"""Number of states along a motion, however long it takes."""
TIMES = np.concatenate([np.geomspace(3.0, 0.3, 13), np.geomspace(0.3, 0.1, 7)[1:]])
"""Durations of the way that the paper makes in 3 s [s]."""


@frozen_arrays(eq=True)
class Forces:
    """Actuator forces along a motion; tau = platform + weight + inertia."""

    t: Array
    """(N,) Time [s]."""
    tau: Array
    """(N, 6) Actuator forces [N]."""
    power: Array
    """(N, 6) Powers of the actuators, tau q_dot [W]."""
    platform: Array
    """(N, 6) Forces that the platform asks for [N]."""
    weight: Array
    """(N, 6) Forces that the weight of the legs asks for [N]."""
    inertia: Array
    """(N, 6) Forces that the motion of the legs asks for [N]."""
    held: Array
    """(N, 6) Forces that hold the machine still in these poses: gravity's part of tau [N]."""
    steepness: Array
    """(N,) Angle of the first leg from the horizontal [deg]."""

    @property
    def legs(self) -> Array:
        """Forces that weight and motion of the legs ask for together (N, 6) [N]."""
        return self.weight + self.inertia

    @property
    def shares(self) -> tuple[float, float]:
        """Shares of all forces, by rms: those for the legs' inertia, and those for the legs altogether [%]."""
        return percent(self.inertia, self.tau), percent(self.legs, self.tau)


def forces_of(robot: Robot, motion: Motion, p: Array | None = None) -> Forces:
    """Compute the forces along a motion as tau = Psi p and split them by the parameters' owners.

    p: parameters in the place of the robot's
    """
    samples = motion.sampled(RATE / motion.duration)
    state = State(samples.pose, samples.velocity, samples.acceleration)
    p = robot.parameters if p is None else p
    of_platform = np.array([parameter.part == "platform" for parameter in robot.parameter_table])
    still = np.zeros_like(state.velocity)
    Psi, Psi_still = robot.regressor(*state), robot.regressor(state.pose, still, still)
    platform, weight = Psi @ np.where(of_platform, p, 0.0), Psi_still @ np.where(of_platform, 0.0, p)
    tau, held = Psi @ p, Psi_still @ p
    q_dot = robot.actuator_velocity(state.pose, state.velocity)
    x = robot.elements(*state).x[:, 1]
    steepness = np.degrees(np.arcsin(np.abs(x[:, 2])))
    return Forces(samples.t, tau, tau * q_dot, platform, weight, tau - platform - weight, held, steepness)


def uniform_legs(robot: Robot) -> Array:
    """Return the robot's parameters with rods of evenly spread mass, m l^2/3 about the joint centre A3."""
    p = robot.parameters.copy()
    for k, parameter in enumerate(robot.parameter_table):
        if parameter.owner.endswith(".rod") and parameter.quantity in (Quantity.IYY, Quantity.IZZ):
            p[k] = LEG_MASS * l_3**2 / 3
    return p


def possible_legs(robot: Robot) -> Array:
    """Return the robot's parameters with the legs' centres of mass where the printed tensor just becomes possible."""
    p = robot.parameters.copy()
    for k, parameter in enumerate(robot.parameter_table):
        if parameter.owner.endswith(".rod") and parameter.quantity is Quantity.MX:
            p[k] = LEG_MASS * nearest_centre()
    return p


def leg_numbers(robot: Robot, p: Array) -> tuple[float, float]:
    """Return where all legs have their centre of mass [m], and their moment across them about A3 [kg m^2]."""
    table = zip(robot.parameter_table, p.tolist(), strict=True)
    rod = {parameter.quantity: value for parameter, value in table if parameter.owner.endswith(".rod")}
    return rod[Quantity.MX] / rod[Quantity.M], rod[Quantity.IZZ]


POSSIBLE, MIDDLE = "printed tensor, possible centre", "printed tensor, centre in the middle"
"""Names of the machines whose legs have the printed tensor, by where their centre of mass is."""
TENSORS: Mapping[str, Callable[[Robot], Array]] = {
    POSSIBLE: possible_legs,
    MIDDLE: lambda robot: robot.parameters,
    UNIFORM: uniform_legs,
}
"""Configurations of the machine: name of a leg -> the robot's parameters with it. The first is the one in figures."""


def faster(robot: Robot, motion: Motion, p: Array | None = None) -> Array:
    """Return the `shares` (len(TIMES), 2) [%] of a motion that is made in each of TIMES."""
    return np.array([forces_of(robot, motion.stretched(float(time) / motion.duration), p).shares for time in TIMES])
