"""Helpers of several studies: robots without friction, states over a workspace, sizes of forces, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot
from parakin.studies.definition import Verdict
from parakin.trajectory.states import State


def without_friction(robot: Robot) -> Robot:
    """Return the robot with no friction in any joint, as the papers have it."""
    legs: list[dict[str, Any]] = robot.description.model_dump(exclude_defaults=True)["legs"]
    for element in (element for leg in legs for element in leg["elements"]):
        if element.get("actuator"):
            element["actuator"].pop("friction", None)
        element["joint"].pop("friction", None)
    return robot.replace(legs=legs)


def workspace_states(robot: Robot, count: int, speed: float, acceleration: float, seed: int = 0) -> State:
    """Draw poses of the box, with velocities and accelerations of these sizes [m/s, m/s^2] in random directions.

    Rotations count as displacements at the robot's `length`.
    """
    rng = np.random.default_rng(seed)
    scale = np.array(robot.motion_type.scale(1 / robot.description.length))
    directions = rng.normal(size=(2, count, len(scale)))
    directions *= scale / np.linalg.norm(directions, axis=-1, keepdims=True)
    return State(robot.sample(count, seed), speed * directions[0], acceleration * directions[1])


def rms(values: Array) -> float:
    """Return the root of the mean square of all entries."""
    return float(np.sqrt(np.mean(values**2)))


def percent(part: Array, whole: Array) -> float:
    """Return the rms of a part as a share of the rms of the whole [%]."""
    return 100 * rms(part) / rms(whole)


def relative(values: Array, reference: Array) -> float:
    """Return the largest difference between two arrays as a share of the largest size in the reference."""
    return float(np.max(np.abs(values - reference)) / np.max(np.abs(reference)))


ROUNDING = 1e-12
"""Relative difference below which two computations of one quantity count as equal: rounding explains it."""


def same_within(difference: float) -> str:
    """Say a relative difference in words that do not change with the machine's last bits."""
    return f"equal to {ROUNDING:.0e}" if difference < ROUNDING else f"{difference:.1e} apart"


def verdict_if(good: bool, otherwise: Verdict = Verdict.REFUTED) -> Verdict:
    """Return HOLDS if the claim was found good, and else the other verdict."""
    return Verdict.HOLDS if good else otherwise


def verdict_over(cases: Sequence[bool]) -> Verdict:
    """Return HOLDS if a claim is good in all cases, CONDITIONAL if in some, REFUTED if in none."""
    return Verdict.HOLDS if all(cases) else Verdict.CONDITIONAL if any(cases) else Verdict.REFUTED
