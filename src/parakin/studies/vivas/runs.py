"""Motions of the H4 under a law: the lift, a load while it holds still, a circle, a slot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, Reference, hold, reference
from parakin.robot import Payload, Robot
from parakin.simulation import ElasticDrives, Log, Scenario, Stiction, simulate, simulate_many
from parakin.studies.vivas.machine import CELL, PERIOD
from parakin.trajectory import circle, lift, point_to_point

LOAD = Payload(mass=4.0)
"""The load of sec. 5.2, a point of 4 kg at the nacelle's origin."""
NEARBY = LOAD.mass * (1 + 1e-9 * np.arange(8))
"""Loads that no scale tells apart [kg]: runs with them differ only where rounding decides about a run's course."""
SETTLE = 2.0
"""How long the end of the lift is held [s]; assumed."""
LOAD_TIME, HOLDING = 0.2, 1.5
"""When the load comes, and how long the robot holds still in all [s]."""
GEARS = ElasticDrives(frequency=700.0)
"""Stiff drives; assumed."""
PLAYS = (1e-4, 1e-3)
"""Play of the drives between encoders and arms, from one side to the other [rad]; assumed."""
STICTION = Stiction(breakaway=1.5)
"""Friction that takes half as much again to break away from rest; assumed."""
CUTTING = np.array([-20.0, 10.0, 5.0, 0.0])
"""Force of a light cut against the feed, across and up [N], and no moment [N m]; assumed."""
RIPPLE, TEETH = 0.5, 60.0
"""Share of the force that ripples, and frequency at which teeth meet the work [Hz]; assumed."""


def lifted(robot: Robot) -> Reference:
    """Return the 0.1 m motion along z, its end held for 2 s, so that an unstable loop has time to show it."""
    return reference(robot, lift(robot), PERIOD, settle=SETTLE)


def errors(log: Log) -> Array:
    """Return the tracking errors of the actuators (ticks, actuators) [rad]."""
    return log["desired_q"] - log["q"]


def lag(log: Log) -> float:
    """Return the time by which q is late where the set point moves at half its largest speed or more [s]."""
    speed = np.abs(np.gradient(log["desired_q"], axis=0)).max(axis=1)
    fast = speed > speed.max() / 2
    rate = log["q_dot"][fast]
    return float(np.sum(errors(log)[fast] * rate) / np.sum(rate**2))


def loaded(robot: Robot, law: Law, *, friction: bool = True, play: float | None = None, mass: float = LOAD.mass) -> Log:
    """Hold the robot still at home while the load comes, with friction or without.

    play: of gears that stick [rad]; None for drives without gears
    mass: of the load [kg]
    """
    kept = np.array([0.0 if parameter.quantity.is_friction else 1.0 for parameter in robot.parameter_table])
    plant = robot.parameters if friction else robot.parameters * kept
    scenario = replace(CELL, parameters=plant, payload=Payload(mass=mass), payload_time=LOAD_TIME)
    if play is not None:
        scenario = replace(scenario, elastic=replace(GEARS, backlash=play), stiction=STICTION)
    return simulate(robot, law, hold(robot, robot.home, HOLDING, PERIOD), scenario)


def circled(robot: Robot, law: Law) -> tuple[float, float]:
    """Return rms and largest distance of the nacelle from a horizontal circle of 0.1 m diameter at 0.5 m/s [m]."""
    return _distances(robot, law, reference(robot, circle(robot, diameter=0.1, speed=0.5, tilt=0.0), PERIOD), CELL)


def machined(robot: Robot, law: Law) -> tuple[float, float]:
    """Return rms and largest distance of the nacelle from a slot of 0.1 m along x, cut all the way in 2 s [m]."""
    start, goal = robot.home + np.array([[-0.05], [0.05]]) * np.eye(4)[0]
    followed = reference(robot, point_to_point(robot, start, goal, 2.0), PERIOD)

    def wrench(t: Array) -> Array:
        return (1 + RIPPLE * np.sin(2 * np.pi * TEETH * t))[:, None] * CUTTING

    return _distances(robot, law, followed, replace(CELL, wrench=wrench))


def _distances(robot: Robot, law: Law, followed: Reference, scenario: Scenario) -> tuple[float, float]:
    summary = simulate_many(robot, law, followed, (scenario,)).summary
    return float(summary.distance_rms[0]), float(summary.distance_peak[0])
