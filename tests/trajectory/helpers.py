"""Robots and motions that the tests of trajectories share, and the laws they compare with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import parakin as pk
from parakin.errors import MotionError
from parakin.poses import quaternion_product
from parakin.trajectory import MOTIONS, Motion, motion
from tests.moving import STENCIL

ROBOTS = ("five_bar", "planar_3rpr", "delta", "h4", "hexapod_sliding", "gough_stewart")
"""Every type of platform motion, and two spatial ones."""
MOMENTS = np.array([0.0613, 0.2371, 0.4417, 0.6789, 0.8853])
"""Parts of the duration that lie inside the pieces that motions are made of."""
STEP = 5e-4
"""Step of differences, as a part of the duration."""
SLOPE = 1e-8
"""Relative. Order-8 differences; forward kinematics ends at 1e-13, which the step magnifies to 1e-9."""
STARTS_WITH_ACCELERATION = ("cosine_x", "cosine_z", "cosine_turn")
"""Motions printed so in [Sinatra2009] eq. (6)."""


@cache
def robot_named(name: str) -> pk.Robot:
    return pk.load(name)


@cache
def made(name: str, motion_name: str) -> Motion:
    return motion(motion_name, robot_named(name))


def turns(name: str) -> bool:
    return robot_named(name).motion not in ("planar-translation", "translation")


PAIRS = [(name, kind) for name in ROBOTS for kind in MOTIONS if kind != "cosine_turn" or turns(name)]


def slopes_agree(motion: Motion, moments: np.ndarray, tolerance: float = SLOPE) -> None:
    """pose_dot = velocity and velocity_dot = acceleration; for spatial motion quat_dot = 1/2 (0, w) quat."""
    h = STEP * motion.duration
    t = moments[:, None] * motion.duration + h * np.arange(-4, 5)
    states = motion.at(t)
    pose_dot, acceleration = (np.einsum("j,ijk->ik", STENCIL, values) / h for values in (states.pose, states.velocity))
    pose, velocity = states.pose[:, 4], states.velocity[:, 4]
    want = velocity
    if motion.kind.quaternion is not None:
        w = np.concatenate([np.zeros((len(t), 1)), velocity[:, 3:]], axis=1)
        want = np.concatenate([velocity[:, :3], 0.5 * quaternion_product(w, pose[:, 3:])], axis=1)
        np.testing.assert_allclose(np.linalg.norm(pose[:, 3:], axis=1), 1.0, atol=1e-14)
    close(pose_dot, want, tolerance)
    close(acceleration, states.acceleration[:, 4], tolerance)


def close(values: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    np.testing.assert_allclose(values, want, rtol=0, atol=tolerance * max(1.0, float(np.max(np.abs(want)))))


Build = Callable[[pk.Robot], object]


def is_refused(build: Build, message: str) -> None:
    """A call that a Delta, and what is given with it, must make fail with this message."""
    with pytest.raises(MotionError, match=message):
        build(robot_named("delta"))
