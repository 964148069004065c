"""The working mode as an input of kernels: the file's own gives the same, another one closes legs the other way."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.description import library
from parakin.kinematics.working_modes import branched_legs
from tests.robots import twins_later

BRANCHED = tuple(name for name in library() if branched_legs(pk.load(name).description))
FREE = ("branches",)


def branches(robot: pk.Robot) -> np.ndarray:
    return np.array([leg.branch for leg in branched_legs(robot.description)], float)


@pytest.mark.parametrize("name", twins_later(BRANCHED))
def test_the_mode_of_the_file_gives_what_is_baked_in(name: str) -> None:
    robot = pk.load(name)
    pose, velocity, acceleration = robot.sample_states(16)
    baked = robot.evaluate("inverse_dynamics", pose=pose, velocity=velocity, acceleration=acceleration)
    asked = robot.evaluate(
        "inverse_dynamics", branches=branches(robot), pose=pose, velocity=velocity, acceleration=acceleration
    )
    assert np.allclose(asked["tau"], baked["tau"], rtol=1e-12, atol=1e-12 * np.abs(baked["tau"]).max())
    assert np.array_equal(asked.status, baked.status)


@pytest.mark.parametrize("name", twins_later(BRANCHED))
def test_another_mode_closes_the_same_leg_lengths(name: str) -> None:
    """Forward kinematics with the same mode leads back, and the bars keep their lengths."""
    robot = pk.load(name)
    poses, other = robot.sample(8, seed=3), branches(robot)
    other[0] = -other[0]
    solved = robot.kernel("inverse_kinematics", free=FREE)(pose=poses, branches=other)
    good = solved["status"] == pk.Status.GOOD
    assert good.any()
    plain = robot.inverse_kinematics(poses)
    assert (np.abs(solved["q"] - plain)[good].max(axis=1) > 1e-3).all()
    back = robot.kernel("forward_kinematics", free=FREE)(near=poses[good], q=solved["q"][good], branches=other)
    known = back["status"] == pk.Status.GOOD
    assert np.allclose(back["pose"][known], poses[good][known], rtol=0, atol=1e-9)
    points = robot.kernel("points", free=FREE)(pose=poses[good], branches=other)
    lengths = [element.length for leg in robot.legs for element in leg.elements]
    spans = np.linalg.norm(points["tip"] - points["root"], axis=-1)
    for k, length in enumerate(lengths):
        if length is not None:
            assert np.allclose(spans[:, k], length, rtol=0, atol=1e-12)


def test_robots_whose_legs_close_in_one_way_have_no_such_input() -> None:
    kernel = pk.load("gough_stewart").kernel("inverse_kinematics", free=FREE)
    assert [socket.name for socket in kernel.inputs] == ["pose"]
