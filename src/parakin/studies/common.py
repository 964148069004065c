"""What several studies need: robots without friction, states over a workspace, sizes of forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.robot import Robot
from parakin.studies.study import Verdict
from parakin.trajectory.states import State


def without_friction(robot: Robot) -> Robot:
    """The robot with no friction in any joint, as the papers have it."""
    legs: list[dict[str, Any]] = robot.description.model_dump(exclude_defaults=True)["legs"]
    for element in (element for leg in legs for element in leg["elements"]):
        if element.get("actuator"):
            element["actuator"].pop("friction", None)
        element["joint"].pop("friction", None)
    return robot.replace(legs=legs)


def workspace_states(robot: Robot, count: int, speed: float, acceleration: float, seed: int = 0) -> State:
    """Poses of the box, with velocities and accelerations of these sizes [m/s, m/s^2] in directions drawn at random.

    Rotations count as displacements at the robot's `length`.
    """
    rng = np.random.default_rng(seed)
    scale = np.array([1.0] * len(LINEAR[robot.motion]) + [1 / robot.description.length] * len(ANGULAR[robot.motion]))
    directions = rng.normal(size=(2, count, len(scale)))
    directions *= scale / np.linalg.norm(directions, axis=-1, keepdims=True)
    return State(robot.sample(count, seed), speed * directions[0], acceleration * directions[1])


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def percent(part: Array, whole: Array) -> float:
    """The rms of a part, of the rms of the whole [%]."""
    return 100 * rms(part) / rms(whole)


def relative(got: Array, want: Array) -> float:
    """The largest difference, of the largest value."""
    return float(np.max(np.abs(got - want)) / np.max(np.abs(want)))


ROUNDING = 1e-12
"""Relative: two computations of the same thing differ by less."""


def same_within(difference: float) -> str:
    """A relative difference in words that do not change with the machine's last bits."""
    return f"equal to {ROUNDING:.0e}" if difference < ROUNDING else f"{difference:.1e} apart"


def judged(good: bool, otherwise: Verdict = Verdict.REFUTED) -> Verdict:
    return Verdict.HOLDS if good else otherwise


def verdict_of(good: Sequence[bool]) -> Verdict:
    """It holds in all cases, in some or in none."""
    return Verdict.HOLDS if all(good) else Verdict.CONDITIONAL if any(good) else Verdict.REFUTED
