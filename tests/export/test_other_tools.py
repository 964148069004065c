"""Robots written as MJCF and URDF, read back by MuJoCo and Pinocchio: they need the same forces, and loops hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.export import write_mjcf, write_urdf
from tests.export.other_tools import Mujoco, Pinocchio, motor_forces

AGREES = 1e-8
"""Largest difference of forces from another engine, relative to the largest of a state; the issue's own figure."""
STATES = 3
OFTEN = ("five_bar", "delta", "tripod_3rps", "reachy_mini", "four_bar_leg", "exechon", "upu_3")
"""Balls, hinges and universal joints that close loops; rods as distances; springs; bodies that are there twice."""
ALL = [
    pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow)
    for name in (*pk.library(), *pk.mechanism_library())
]
ENGINES = {"mujoco": (Mujoco, write_mjcf, "robot.xml"), "pinocchio": (Pinocchio, write_urdf, "robot.urdf")}


@cache
def robot(name: str) -> pk.Robot:
    return pk.load(name)


def signs_and_zeros(one: pk.Robot) -> tuple[np.ndarray, np.ndarray]:
    drives = one.graph.drives
    return np.array([drive.sign for drive in drives]), np.array([drive.zero for drive in drives])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ALL)
def test_other_engines_need_the_same_forces(name: str, engine: str, tmp_path: Path) -> None:
    one = robot(name)
    reader, write, file = ENGINES[engine]
    write(one, tmp_path / file)
    other = reader(tmp_path / file)
    sign, zero = signs_and_zeros(one)
    order = [one.actuator_names.index(joint) for joint in one.actuator_names]
    assert order == list(range(len(order)))
    rng = np.random.default_rng(5)
    start = zero + sign * one.inverse_kinematics(one.home)
    assert np.allclose(other.motor_coordinates(other.home), start, atol=1e-12)
    for pose in one.sample(STATES, seed=3):
        velocity, acceleration = rng.normal(size=(2, one.degrees_of_freedom)) * [[0.5], [3.0]]
        state = {"pose": pose, "velocity": velocity}
        c = zero + sign * one.inverse_kinematics(pose)
        c_dot = sign * one.evaluate("actuator_velocity", **state)["q_dot"]
        c_ddot = sign * one.evaluate("actuator_acceleration", **state, acceleration=acceleration)["q_ddot"]
        tau = one.inverse_dynamics(pose, velocity, acceleration)
        seen = sign * motor_forces(other, start, (c, c_dot, c_ddot))
        assert np.max(np.abs(seen - tau)) < AGREES * np.max(np.abs(tau)), (seen, tau)
