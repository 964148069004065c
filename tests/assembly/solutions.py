"""What tests of assembly modes share: robots, and solutions checked by equations written out from the description."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from parakin.assembly import AssemblyModes
from parakin.description import RobotDescription, load_description
from parakin.motions import MotionType
from parakin.robot import Robot
from tests import machines

DATA = Path(__file__).parents[1] / "data"
KNOWN_POSE = 1e-9
"""How far the pose behind q may be from the nearest solution [m, rad]: rounding times the condition of the pose."""
LEG_GAP = 1e-12
"""How far a leg may be off its length at a solution [m]."""


def from_file(name: str) -> Callable[[], RobotDescription]:
    return lambda: load_description(DATA / f"{name}.toml")


ROBOTS: dict[str, Callable[[], RobotDescription]] = {
    name: from_file(name) for name in ("fivebar", "delta", "h4", "hexapod_6pus", "gough_stewart_general")
} | {
    make.__name__: make
    for make in (
        machines.planar_3rpr,
        machines.planar_3rrr,
        machines.quattro,
        machines.semi_regular,
        machines.six_three,
        machines.hexa,
    )
}


def rotations(motion: MotionType, poses: np.ndarray) -> np.ndarray:
    """Return R_OE (..., 3, 3)."""
    if motion.quaternion is not None:
        w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    else:
        angle = poses[..., -1] if motion.turns_about_z else np.zeros(poses.shape[:-1])
        w, x, y, z = np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def gaps(description: RobotDescription, q: np.ndarray, modes: AssemblyModes) -> np.ndarray:
    """Return | |p + R b + c - e| - l | of every leg at every solution, written out from the description."""
    motion = description.motion_type
    linear = len(motion.linear)
    p = np.zeros((*modes.poses.shape[:-1], 3))
    p[..., :linear] = modes.poses[..., :linear]
    R = rotations(motion, modes.poses)
    off: list[np.ndarray] = []
    for k, leg in enumerate(Robot(description).legs):
        first = leg.elements[0]
        assert first.actuator is not None
        coordinate = (first.actuator.sign * q[..., k] + first.actuator.zero)[..., None]
        C = p + R @ np.array(leg.attachment.b) + np.array(leg.attachment.c)
        e = np.array(leg.root) + 0 * coordinate
        length = np.abs(coordinate)
        if len(leg.elements) == 2:
            length = np.full_like(coordinate, leg.elements[1].length)
            if first.actuator.reference is not None:
                x, z = np.array(first.actuator.reference), np.array(first.joint.axis)
                e = e + first.length * (np.cos(coordinate) * x + np.sin(coordinate) * np.cross(z, x))
            else:
                e = e + coordinate * np.array(first.direction)
        off.append(np.abs(np.linalg.norm(C - e[..., None, :], axis=-1) - length))
    return np.stack(off, axis=-1)


def distance(motion: MotionType, poses: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Return how far each solution is from a pose, infinite beyond the last solution."""
    difference = poses - pose[..., None, :]
    if motion.turns_about_z:
        difference[..., -1] = np.angle(np.exp(1j * difference[..., -1]))
    if motion.quaternion is not None:
        other = poses[..., 3:] + pose[..., None, 3:]
        turned = np.minimum(np.abs(difference[..., 3:]).max(axis=-1), np.abs(other).max(axis=-1))
        size = np.maximum(np.abs(difference[..., :3]).max(axis=-1), turned)
    else:
        size = np.abs(difference).max(axis=-1)
    return np.where(np.isnan(size), np.inf, size)
