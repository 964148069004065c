"""Motions of the H4 under both laws: the lift, a load, a circle, a slot."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, Reference, hold, reference
from parakin.robot import Payload, Robot
from parakin.simulation import Log, Scenario, simulate, simulate_many
from parakin.studies.vivas.machine import CELL, PERIOD
from parakin.trajectory import circle, lift, point_to_point

LOAD = Payload(mass=4.0)
LOAD_TIME, HOLDING = 0.2, 1.5
"""[s] When the load comes, and how long the robot holds still in all."""
CUTTING = np.array([-20.0, 10.0, 5.0, 0.0])
"""[N] Against the feed, across and up: a light cut; assumed."""
RIPPLE, TEETH = 0.5, 60.0
"""Share of the force, and frequency [Hz] at which teeth meet the work."""


def lifted(robot: Robot) -> Reference:
    return reference(robot, lift(robot), PERIOD, settle=0.3)


def errors(log: Log) -> Array:
    """(N, m) [rad]"""
    return log["desired_q"] - log["q"]


def lag(log: Log) -> float:
    """[s] By which q is late, in the middle of the lift where it is fast."""
    fast = slice(len(log) // 4, len(log) * 3 // 8)
    rate = log["q_dot"][fast]
    return float(np.sum(errors(log)[fast] * rate) / np.sum(rate**2))


@dataclass(frozen=True, eq=False)
class Rejection:
    """A load taken up at LOAD_TIME. peak, left [rad]: largest error, and that at the end; settled [s]: from the load
    until the error stays within a tenth of its peak about what is left."""

    log: Log
    peak: float
    left: float
    settled: float


def loaded(robot: Robot, law: Law, *, friction: bool = True) -> Rejection:
    """Holding still at home; the worst of all actuators."""
    none = np.array([0.0 if name.endswith(("viscous", "coulomb")) else 1.0 for name in robot.parameter_names])
    plant = robot.parameters if friction else robot.parameters * none
    scenario = replace(CELL, parameters=plant, payload=LOAD, payload_time=LOAD_TIME)
    log = simulate(robot, law, hold(robot, robot.home, HOLDING, PERIOD), scenario)
    error = errors(log)
    peak, left = np.abs(error).max(axis=0), np.abs(error[-1])
    away = np.abs(error - error[-1]) > 0.1 * peak
    last = max(int(np.flatnonzero(column).max(initial=0)) for column in away.T)
    return Rejection(log, float(peak.max()), float(left.max()), PERIOD * last - LOAD_TIME)


def circled(robot: Robot, law: Law) -> tuple[float, float]:
    """[m] Rms and largest distance of the nacelle from a horizontal circle of 0.1 m diameter at 0.5 m/s."""
    return _distances(robot, law, reference(robot, circle(robot, diameter=0.1, speed=0.5, tilt=0.0), PERIOD), CELL)


def machined(robot: Robot, law: Law) -> tuple[float, float]:
    """[m] Likewise from a slot of 0.1 m along x in 2 s, the tool cutting all the way."""
    start, goal = robot.home + np.array([[-0.05], [0.05]]) * np.eye(4)[0]
    followed = reference(robot, point_to_point(robot, start, goal, 2.0), PERIOD)

    def wrench(t: Array) -> Array:
        return (1 + RIPPLE * np.sin(2 * np.pi * TEETH * t))[:, None] * CUTTING

    return _distances(robot, law, followed, replace(CELL, wrench=wrench))


def _distances(robot: Robot, law: Law, followed: Reference, scenario: Scenario) -> tuple[float, float]:
    found = simulate_many(robot, law, followed, (scenario,)).summary
    return float(found.distance_rms[0]), float(found.distance_peak[0])
