"""Helpers of several studies: robots without friction, states over a workspace, sizes of forces, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot
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
    return f"equal to {ROUNDING:.0e}" if difference < ROUNDING else f"{difference:.2g} apart"


def proportion_interval(good: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion of which a sample shows `good` of `count`."""
    z = 1.96
    centre = (good + z**2 / 2) / (count + z**2)
    half = z / (count + z**2) * np.sqrt(good * (count - good) / count + z**2 / 4)
    return float(centre - half), float(centre + half)


def correlation_interval(r: float, count: int) -> tuple[float, float]:
    """Return Fisher's 95 % interval of a correlation that a sample of `count` pairs shows.

    Up to three pairs exclude nothing: any correlation may be behind them.
    """
    if count <= 3:
        return -1.0, 1.0
    half = 1.96 / np.sqrt(count - 3)
    centre = np.arctanh(r)
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))
