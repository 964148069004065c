"""Poses as offsets from a reference pose, on arrays of numbers: the coordinates of a robot's box.

Offsets are added to the reference; a rotation vector r in base axes turns it, R_OE = exp(r) R_reference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.motions.motion_type import MotionType
from parakin.motions.turns import quaternion_of_turns, turn_between, turn_rates, turns_of_quaternion
from parakin.quaternions import quaternion_from_vector, quaternion_product, rotation_matrix
from parakin.units import ANGLE


def frame_at(motion: MotionType, pose: Array) -> tuple[Array, Array]:
    """Return p_OE (..., 3) and R_OE (..., 3, 3) of poses."""
    lengths = len(motion.linear)
    p, quaternion = np.zeros((*pose.shape[:-1], 3)), np.zeros((*pose.shape[:-1], 4))
    p[..., list(motion.linear)] = pose[..., :lengths]
    if motion.quaternion is not None:
        quaternion = pose[..., motion.quaternion]
    elif motion.turns:
        quaternion[..., 0], quaternion[..., 3] = np.cos(pose[..., lengths] / 2), np.sin(pose[..., lengths] / 2)
    else:
        quaternion[..., 0] = 1.0
    return p, rotation_matrix(quaternion)


def in_space(motion: MotionType, values: Array) -> Array:
    """Return a velocity, an acceleration or a force (..., n) as a twist or wrench (..., 6) at E, in base axes."""
    full = np.zeros((*values.shape[:-1], 6))
    full[..., [*motion.linear, *(3 + axis for axis in motion.angular)]] = values
    return full


def displaced(motion: MotionType, reference: Array, offset: ArrayLike) -> Array:
    """Return the poses at offsets (..., n) from a reference pose."""
    c = np.asarray(offset, float)
    if motion.quaternion is None:
        poses = reference + c
        for ball in _balls(motion):
            turned = quaternion_product(quaternion_of_turns(reference[..., ball]), quaternion_from_vector(c[..., ball]))
            poses[..., ball] = turns_of_quaternion(turned)
        return poses
    start = motion.quaternion.start
    turned = quaternion_product(quaternion_from_vector(c[..., start:]), reference[..., motion.quaternion])
    return np.concatenate([reference[..., :start] + c[..., :start], turned], axis=-1)


def origin_of(motion: MotionType, home: Array) -> Array:
    """Return the value (n,) that each number of an offset has at home, where it is read as a coordinate of a slice.

    That is home's coordinate, or zero for what is a rotation vector from home: of a quaternion, and of a ball.
    """
    if motion.quaternion is None:
        origin = np.array(home)
        for ball in _balls(motion):
            origin[ball] = 0.0
        return origin
    return np.concatenate([home[: motion.quaternion.start], np.zeros(3)])


def offset_between(motion: MotionType, start: Array, goal: Array) -> Array:
    """Return the offsets (..., n) of `goal` from `start`, turning the short way."""
    if motion.quaternion is None:
        offsets = goal - start
        for ball in _balls(motion):
            offsets[..., ball] = _vector(turn_between(start[..., ball], goal[..., ball]))
        return offsets
    first = motion.quaternion.start
    turn = quaternion_product(
        goal[..., motion.quaternion], start[..., motion.quaternion] * np.array([1.0, -1.0, -1.0, -1.0])
    )
    turn = np.where(turn[..., :1] < 0, -turn, turn)
    return np.concatenate([goal[..., :first] - start[..., :first], _vector(turn)], axis=-1)


def _vector(turn: Array) -> Array:
    """Return the rotation vectors (..., 3) of unit quaternions (..., 4) whose first number is not negative."""
    sine = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, turn[..., :1])
    scale = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine != 0)
    return scale * turn[..., 1:]


def _balls(motion: MotionType) -> list[slice]:
    """Return where a pose, a velocity and an offset hold the three numbers of each ball."""
    return [slice(start, start + 3) for start in motion.balls]


def sampled(motion: MotionType, home: Array, box: tuple[Array, Array], count: int, seed: int) -> Array:
    """Draw poses (count, coordinates) uniformly from the box of offsets around home."""
    offsets = np.random.default_rng(seed).uniform(*box, (count, len(box[0])))
    return displaced(motion, home, offsets)


def unit_length(motion: MotionType, poses: Array) -> Array:
    """Return poses (..., coordinates) with their quaternions divided by their lengths."""
    if motion.quaternion is None:
        return poses
    quaternion = poses[..., motion.quaternion]
    norm = np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return np.concatenate([poses[..., : motion.quaternion.start], quaternion / norm], axis=-1)


def on_one_side(motion: MotionType, poses: Array) -> Array:
    """Return consecutive poses (N, coordinates) with signs of quaternions such that neighbours are close.

    A quaternion and its negative are the same rotation, but not the same numbers to smooth or to interpolate.
    """
    if motion.quaternion is None:
        return poses
    quaternion = poses[..., motion.quaternion]
    agree = np.where(np.sum(quaternion[1:] * quaternion[:-1], axis=-1) < 0.0, -1.0, 1.0)
    signs = np.concatenate([[1.0], np.cumprod(agree)])
    return np.concatenate([poses[..., : motion.quaternion.start], quaternion * signs[:, None]], axis=-1)


def pose_rates(motion: MotionType, poses: Array, velocities: Array) -> Array:
    """Return d(pose)/dt (N, coordinates): velocities themselves, but 1/2 (0, w) quat for a quaternion.

    Turns of a ball have rates of their own.
    """
    if motion.quaternion is None:
        rates = np.array(velocities)
        for ball in _balls(motion):
            rates[:, ball] = turn_rates(poses[:, ball], velocities[:, ball])
        return rates
    start = motion.quaternion.start
    w = np.concatenate([np.zeros((len(velocities), 1)), velocities[:, start:]], axis=1)
    turning = 0.5 * quaternion_product(w, poses[:, motion.quaternion])
    return np.concatenate([velocities[:, :start], turning], axis=1)


def pose_slopes(motion: MotionType, pose: Array) -> Array:
    """Return d(pose)/d(offset) (coordinates, n) at an offset of zero: 1/2 (0, r) quat for a quaternion."""
    if motion.quaternion is None:
        slopes = np.eye(len(pose))
        for ball in _balls(motion):
            slopes[ball, ball] = turn_rates(pose[ball], np.eye(3)).T
        return slopes
    start = motion.quaternion.start
    w, x, y, z = pose[motion.quaternion]
    slopes = np.zeros((len(motion.coordinates), motion.degrees_of_freedom))
    slopes[:start, :start] = np.eye(start)
    slopes[start:, start:] = 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])
    return slopes


def squared_errors(motion: MotionType, poses: Array, goals: Array) -> Array:
    """Return squares of the distance [m^2] and of the angle [rad^2] between poses, (N, 2); 0 where nothing turns.

    Of joints: sums of the squares of all lengths, and of all angles.
    """
    difference = goals - poses
    if motion.of_joints:
        for ball in _balls(motion):
            difference[:, ball] = 2 * turn_between(poses[:, ball], goals[:, ball])[:, 1:]
        turns = np.array([axis == ANGLE for axis in motion.axes])
        return np.stack([np.sum(difference[:, part] ** 2, axis=1) for part in (~turns, turns)], axis=1)
    lengths = len(motion.linear)
    turn = difference[:, lengths:]
    if motion.quaternion is not None:
        back = poses[:, motion.quaternion] * np.array([1.0, -1.0, -1.0, -1.0])
        turn = 2 * quaternion_product(goals[:, motion.quaternion], back)[:, 1:]
    return np.stack([np.sum(difference[:, :lengths] ** 2, axis=1), np.sum(turn**2, axis=1)], axis=1)
