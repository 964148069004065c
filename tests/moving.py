"""Smooth motions of a platform with exact rates, and derivatives to compare with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import parakin as pk
from parakin.poses import quaternion_from_vector, quaternion_product

STENCIL = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Central difference of order 8."""
STEP = 2e-3


@dataclass(frozen=True)
class Motion:
    """Pose, velocity and acceleration at times."""

    pose: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def wave(rng: np.random.Generator, lower: np.ndarray, upper: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, ...]:
    """A sine in each coordinate that stays inside its bounds, with two derivatives."""
    middle, half = (upper + lower) / 2, 0.9 * (upper - lower) / 2
    rate, phase = rng.uniform(0.5, 1.5, len(lower)), rng.uniform(0, 2 * np.pi, len(lower))
    angle = np.multiply.outer(t, rate) + phase
    return middle + half * np.sin(angle), half * rate * np.cos(angle), -half * rate**2 * np.sin(angle)


def smooth_motion(robot: pk.Robot, t: np.ndarray, seed: int = 0) -> Motion:
    """Inside the robot's box. Spatial rotations are a turn about one axis after a turn about another."""
    rng = np.random.default_rng(seed)
    lower, upper = robot.box
    if robot.motion != "spatial":
        x, v, a = wave(rng, lower, upper, t)
        return Motion(robot.home + x, v, a)
    x, v, a = wave(rng, lower[:3], upper[:3], t)
    n, m = (axis / np.linalg.norm(axis) for axis in rng.normal(size=(2, 3)))
    limit = 0.5 * np.min(np.abs([lower[3:], upper[3:]])) * np.ones(2)
    angle, rate, growth = wave(rng, -limit, limit, t)
    first, second = quaternion_from_vector(angle[:, :1] * n), quaternion_from_vector(angle[:, 1:] * m)
    turned = rotate(first, m)
    w = rate[:, :1] * n + rate[:, 1:] * turned
    w_dot = growth[:, :1] * n + growth[:, 1:] * turned + rate[:, :1] * rate[:, 1:] * np.cross(n, turned)
    quaternion = quaternion_product(quaternion_product(first, second), robot.home[3:])
    return Motion(
        np.concatenate([robot.home[:3] + x, quaternion], axis=1),
        np.concatenate([v, w], axis=1),
        np.concatenate([a, w_dot], axis=1),
    )


def rotate(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector turned by quaternions."""
    w, u = quaternion[..., :1], quaternion[..., 1:]
    return vector + 2 * np.cross(u, np.cross(u, vector) + w * vector)


def times(centre: float) -> np.ndarray:
    return centre + STEP * np.arange(-4, 5)


def slope(values: np.ndarray) -> np.ndarray:
    """Derivative in the middle of values at `times`."""
    return np.tensordot(STENCIL, values, axes=(0, 0)) / STEP
