"""Kinematics, measured: inverse and forward, against what a good user would write with numpy and scipy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import root

import parakin as pk
from benchmarks.timing import Figure, at_least, at_most, best_of
from parakin.poses import matrix_from_quaternion, quaternion_from_vector, quaternion_product

STATES = 1_000_000
LOOPED = 200


def _numpy_lengths(robot: pk.Robot, poses: np.ndarray) -> np.ndarray:
    """Strut lengths of a Gough-Stewart platform, vectorised by hand."""
    p_OA = np.array([leg.root for leg in robot.legs])
    p_EC = np.array([leg.attachment.b for leg in robot.legs])
    R_OE = matrix_from_quaternion(poses[:, 3:])
    p_AC = poses[:, None, :3] + np.einsum("nij,kj->nki", R_OE, p_EC) - p_OA
    return np.linalg.norm(p_AC, axis=-1)


def inverse() -> Iterator[Figure]:
    robot = pk.load("gough_stewart")
    poses = robot.sample(STATES)
    out = np.empty((STATES, 6))
    seconds = best_of(
        {
            "parakin": lambda: robot.inverse_kinematics(poses),
            "one thread": lambda: robot.kernel("inverse_kinematics")(poses, threads=1),
            "numpy": lambda: _numpy_lengths(robot, poses),
            "memory": lambda: (np.copyto(out, poses[:, :6]), np.copyto(poses, poses)),
        },
        rounds=5,
    )
    zeros = [actuator.zero for leg in robot.legs for element in leg.elements if (actuator := element.actuator)]
    assert np.allclose(robot.inverse_kinematics(poses[:9]) + zeros, _numpy_lengths(robot, poses[:9]))
    yield at_least("gough_stewart: inverse kinematics, all cores", STATES / seconds["parakin"] / 1e6, 10, "million/s")
    yield Figure("gough_stewart: inverse kinematics, one thread", STATES / seconds["one thread"] / 1e6, "million/s")
    yield Figure(
        "gough_stewart: inverse kinematics against vectorised numpy", seconds["numpy"] / seconds["parakin"], "x"
    )
    yield Figure("gough_stewart: copying inputs and outputs against it", seconds["memory"] / seconds["parakin"], "x")


def forward() -> Iterator[Figure]:
    """From the previous sample of a 1 kHz motion, and from home anywhere in the box."""
    robot = pk.load("gough_stewart")
    t = np.arange(20_000) * 1e-3
    lower, upper = robot.box
    offsets = 0.5 * np.minimum(-lower, upper) * np.sin(np.multiply.outer(t, [3.1, 2.7, 3.5, 2.2, 1.9, 2.9]))
    poses = _turned(robot, offsets)
    q = robot.inverse_kinematics(poses)
    kernel = robot.kernel("forward_kinematics")
    anywhere = robot.sample(20_000)
    q_anywhere = robot.inverse_kinematics(anywhere)

    def scipy_loop() -> None:
        def misfit(x: np.ndarray, target: np.ndarray, start: np.ndarray) -> np.ndarray:
            return robot.inverse_kinematics(_turned_from(start, x)) - target

        for k in range(1, LOOPED):
            root(misfit, np.zeros(6), args=(q[k], poses[k - 1]), tol=1e-13)

    seconds = best_of(
        {
            "warm": lambda: kernel(near=poses[:-1], q=q[1:], threads=1),
            "from home": lambda: kernel(near=robot.home, q=q_anywhere, threads=1),
            "scipy": scipy_loop,
        },
        rounds=5,
    )
    warm = kernel(near=poses[:-1], q=q[1:])
    error = float(np.max(np.abs(warm["pose"] - poses[1:])))
    yield at_most("gough_stewart: forward kinematics from the sample before", 1e6 * seconds["warm"] / len(t), 5, "us")
    yield Figure("gough_stewart: its Newton steps", float(warm["steps"].mean()), "")
    yield Figure("gough_stewart: its error", 1e15 * error, "1e-15 m")
    yield Figure("gough_stewart: forward kinematics from home", 1e6 * seconds["from home"] / len(anywhere), "us")
    ratio = seconds["scipy"] / LOOPED / (seconds["warm"] / len(t))
    yield Figure("gough_stewart: forward kinematics against scipy's root", ratio, "x")


def _turned(robot: pk.Robot, offsets: np.ndarray) -> np.ndarray:
    return _turned_from(np.broadcast_to(robot.home, (len(offsets), 7)), offsets)


def _turned_from(pose: np.ndarray, offset: np.ndarray) -> np.ndarray:
    turned = quaternion_product(quaternion_from_vector(offset[..., 3:]), pose[..., 3:])
    return np.concatenate([pose[..., :3] + offset[..., :3], turned], axis=-1)


def figures() -> Iterator[Figure]:
    yield from inverse()
    yield from forward()
