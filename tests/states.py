"""Random states of a robot, and how closely forces must agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import parakin as pk
from parakin.dynamics.formulations import FORMULATIONS

AGREE = 1e-10
"""Between exact formulations, relative."""


EXACT = [name for name, row in FORMULATIONS.items() if row.exact]


@dataclass(frozen=True)
class States:
    pose: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def states(robot: pk.Robot, count: int = 20, seed: int = 0) -> States:
    """Poses of the box with velocities and accelerations of the size its motions have."""
    rng = np.random.default_rng(seed)
    lower, upper = robot.box
    span = upper - lower
    velocity = 2 * span * rng.normal(size=(count, len(span)))
    return States(robot.sample(count, seed), velocity, 10 * span * rng.normal(size=(count, len(span))))


def scaled(got: np.ndarray, want: Any, tolerance: float) -> None:
    """Equal, relative to the largest."""
    want = np.asarray(want)
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * float(np.max(np.abs(want), initial=1e-300)))
