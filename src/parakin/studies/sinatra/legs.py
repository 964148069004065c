"""Forces of the three motions, split into what platform, legs' weight and legs' inertia ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot
from parakin.studies.common import percent
from parakin.studies.sinatra.printed import LEG_MASS, l_3
from parakin.trajectory import Motion
from parakin.trajectory.states import State

RATE = 200
"""States a motion."""
TIMES = np.concatenate([np.geomspace(3.0, 0.3, 13), np.geomspace(0.3, 0.1, 7)[1:]])
"""[s] For the way that the paper makes in 3 s."""


@dataclass(frozen=True)
class Forces:
    """Of a motion, over t [s]: tau (N, 6) [N], power [W], and what each part asks for, which adds up to tau."""

    t: Array
    tau: Array
    power: Array
    platform: Array
    weight: Array
    inertia: Array

    @property
    def legs(self) -> Array:
        return self.weight + self.inertia

    @property
    def shares(self) -> tuple[float, float]:
        """Of the legs' inertia, and of all that is the legs' [%]."""
        return percent(self.inertia, self.tau), percent(self.legs, self.tau)


def forces_of(robot: Robot, motion: Motion, p: Array | None = None) -> Forces:
    """tau = Psi p, linear in the parameters of the bodies. p: instead of the robot's."""
    samples = motion.sampled(RATE / motion.duration)
    state = State(samples.pose, samples.velocity, samples.acceleration)
    p = robot.parameters if p is None else p
    ours = np.array([name.startswith("platform.") for name in robot.parameter_names])
    still = np.zeros_like(state.velocity)
    Psi, Psi_still = robot.regressor(*state), robot.regressor(state.pose, still, still)
    platform, weight = Psi @ np.where(ours, p, 0.0), Psi_still @ np.where(ours, 0.0, p)
    tau = Psi @ p
    q_dot = robot.actuator_velocity(state.pose, state.velocity)
    return Forces(samples.t, tau, tau * q_dot, platform, weight, tau - platform - weight)


def uniform_legs(robot: Robot) -> Array:
    """p with rods of evenly spread mass, m l^2/3 about A3."""
    p = robot.parameters.copy()
    for k, name in enumerate(robot.parameter_names):
        if name.endswith((".rod.Iyy", ".rod.Izz")):
            p[k] = LEG_MASS * l_3**2 / 3
    return p


def faster(robot: Robot, motion: Motion, p: Array | None = None) -> Array:
    """Shares (TIMES, 2) [%] of legs' inertia and of all that is the legs', in less and less time."""
    return np.array([forces_of(robot, motion.stretched(float(time) / motion.duration), p).shares for time in TIMES])
