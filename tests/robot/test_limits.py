"""Strokes and limits of passive joints: angles against what elements say, statuses, errors, and who looks at them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.description import describe
from parakin.errors import DescriptionError, JointLimitError, StrokeError
from parakin.kinematics.status import PRECEDENCE, WITH_VALUES
from tests.moving import slope, smooth_motion, times
from tests.reference import OF_EACH_TYPE, ROBOTS
from tests.variants import delta_with

SLOPE = 2e-8
"""Relative; an order-8 difference with a step of 2 ms leaves less than 1e-9."""


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_rates_of_joint_angles_are_their_derivatives(name: str) -> None:
    robot = ROBOTS[name]
    path = smooth_motion(robot, times(0.3))
    joints = robot.joints(path.pose, path.velocity, path.acceleration)
    assert joints.coordinate.shape == (len(path.pose), len(robot.joint_names))
    for value, rate in ((joints.coordinate, joints.rate), (joints.rate, joints.acceleration)):
        size = max(1.0, float(np.abs(rate).max()))
        np.testing.assert_allclose(rate[4], slope(np.unwrap(value, axis=0)), rtol=0, atol=SLOPE * size)


def test_a_forearm_counts_from_the_line_of_its_arm() -> None:
    robot = pk.load("delta")
    pose = robot.sample(20)
    still = np.zeros_like(pose)
    x = robot.elements(pose, still, still).x
    for leg in range(3):
        arm, forearm = x[:, 2 * leg], x[:, 2 * leg + 1]
        between = np.arccos(np.sum(arm * forearm, axis=-1))
        np.testing.assert_allclose(robot.joints(pose, still, still).coordinate[:, leg], between, atol=1e-9)


def test_the_two_angles_of_a_universal_joint_give_back_its_line() -> None:
    """x = cos a2 (cos a1 r + sin a1 axis x r) + sin a2 axis, r the reference across axis 1."""
    robot = pk.load("gough_stewart")
    pose = robot.sample(20)
    still = np.zeros((20, 6))
    x, angles = robot.elements(pose, still, still).x, robot.joints(pose, still, still).coordinate
    for k, leg in enumerate(robot.legs):
        axis = np.array(leg.elements[0].joint.axis)
        start = np.array([0.0, 1.0, 0.0]) if abs(axis[0]) > 1 - 1e-6 else np.array([1.0, 0.0, 0.0])
        start = start - (start @ axis) * axis
        start /= np.linalg.norm(start)
        first, second = angles[:, 2 * k, None], angles[:, 2 * k + 1, None]
        turned = np.cos(first) * start + np.sin(first) * np.cross(axis, start)
        np.testing.assert_allclose(np.cos(second) * turned + np.sin(second) * axis, x[:, k], atol=1e-12)


def test_strokes_are_looked_at_by_positions_and_never_by_forces() -> None:
    robot = pk.load("gough_stewart")
    with pytest.raises(
        StrokeError, match=r"strut is at 858.3 m at pose \[0, 0, 859, 1, 0, 0, 0\], allowed is 0 to 0.5 m"
    ):
        robot.inverse_kinematics([0.0, 0.0, 859.0, 1.0, 0.0, 0.0, 0.0])
    far = robot.home + np.array([0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(StrokeError, match=r"allowed is 0 to 0\.5 m") as error:
        robot.inverse_kinematics(far)
    assert error.value.place in robot.actuator_names
    assert robot.check(far) == pk.Status.OUT_OF_STROKE
    both = np.stack([robot.home, far])
    q = robot.inverse_kinematics(both)
    assert np.isfinite(q).all(), "rows beyond a limit keep their values"
    out = robot.evaluate("inverse_kinematics", pose=both)
    assert out.status.tolist() == [pk.Status.GOOD, pk.Status.OUT_OF_STROKE]
    assert out.has_values.tolist() == [True, True]
    assert out.good.tolist() == [True, False]
    assert np.array_equal(out["q"], q)
    assert np.isfinite(robot.inverse_dynamics(far, np.zeros(6), np.zeros(6))).all()
    with pytest.raises(StrokeError):
        robot.forward_kinematics(q[1], near=far)
    single = robot.evaluate("forward_kinematics", q=q[1], near=far)
    assert single.status == pk.Status.OUT_OF_STROKE
    assert np.allclose(single["pose"], far)


def test_a_cone_limits_the_forearms_of_a_delta() -> None:
    robot = pk.load("delta")
    still = np.zeros(3)
    home = robot.joints(robot.home, still, still).coordinate[0]
    narrow = delta_with({"reference": [1.0, 0.0, 0.0], "cone": float(home + 0.02)})
    assert narrow.check(narrow.home) == pk.Status.GOOD
    poses = narrow.sample(200)
    angles = narrow.joints(poses, np.zeros((200, 3)), np.zeros((200, 3))).coordinate
    beyond = (angles > home + 0.02).any(axis=-1)
    assert beyond.any()
    assert not beyond.all()
    assert ((narrow.check(poses) == pk.Status.JOINT_LIMIT) == beyond).all()
    with pytest.raises(JointLimitError, match=r"leg\d\.forearm\.joint is at .* rad at pose .*, allowed is at most"):
        narrow.inverse_kinematics(poses[beyond][0])
    motion = pk.trajectory.point_to_point(narrow, narrow.home, poses[beyond][0])
    excess = [entry for entry in pk.trajectory.check(motion, narrow).excesses if entry.quantity == "joint"]
    assert excess
    assert excess[0].actuator in narrow.joint_names


def test_angles_in_the_middle_of_their_cones_have_rates() -> None:
    """At home the rods of an Orthoglide are along their references, and rates of their angles were 0/0."""
    robot = pk.load("orthoglide")
    joints = robot.joints(robot.home, [0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    assert joints.coordinate == pytest.approx(0.0, abs=1e-12)
    assert joints.rate.tolist() == joints.acceleration.tolist() == [0.0, 0.0, 0.0]
    near = robot.home + np.array([0.0, 1e-6, 0.0])
    away = robot.joints(near, [0.0, 0.2, 0.0], [0.0, 0.0, 0.0])
    assert away.coordinate[0] > 0
    assert away.rate[0] > 0


def test_a_status_that_is_worse_comes_first() -> None:
    assert PRECEDENCE[0] is pk.Status.UNUSABLE
    assert PRECEDENCE[-1] is pk.Status.GOOD
    assert set(PRECEDENCE) == set(pk.Status)
    assert {status for status in pk.Status if status.has_values} == set(WITH_VALUES)
    robot = delta_with({"reference": [1.0, 0.0, 0.0], "cone": 1e-3})
    tables = robot.description.model_dump(exclude_defaults=True)
    assert robot.check(robot.home) == pk.Status.JOINT_LIMIT
    for leg in tables["legs"]:
        leg["elements"][0]["actuator"] |= {"lower": 2.0, "upper": 2.1}
    assert pk.Robot(describe(tables, "tight")).check(robot.home) == pk.Status.OUT_OF_STROKE
    assert robot.check([[9.0, 0.0, -0.4], [np.nan, 0, 0]]).tolist() == [pk.Status.UNREACHABLE, pk.Status.UNUSABLE]


def test_on_a_limit_is_within_it() -> None:
    robot = pk.load("delta")
    q = robot.inverse_kinematics(robot.home)
    tables = robot.description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        leg["elements"][0]["actuator"] |= {"lower": float(q[0]), "upper": float(q[0]) + 1.0}
    assert pk.Robot(describe(tables, "edge")).check(robot.home) == pk.Status.GOOD


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ({"lower": -1.0}, "a parallelogram joint has no lower angle: give the half-angle of a cone"),
        ({"cone": 0.5}, "limits need the reference direction that the angles count from"),
        ({"cone": -0.5, "reference": [1, 0, 0]}, "must be > 0"),
    ],
)
def test_limits_that_do_not_fit_the_joint_are_refused(joint: dict[str, Any], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        delta_with(joint)


def universal(joint: dict[str, Any]) -> pk.Robot:
    tables = copy.deepcopy(pk.load("gough_stewart").description.model_dump(exclude_defaults=True))
    for leg in tables["legs"]:
        leg["elements"][0]["joint"] |= joint
    return pk.Robot(describe(tables, "gough_stewart"))


def test_a_universal_joint_has_a_pair_of_limits_for_each_axis() -> None:
    free = universal({})
    reference = {"reference": [0.0, 0.0, 1.0]}
    angles = universal(reference).joints(free.home, np.zeros(6), np.zeros(6)).coordinate.reshape(-1, 2)
    low, high = (angles.min(axis=0) - 0.01).tolist(), (angles.max(axis=0) + 0.01).tolist()
    assert universal(reference | {"lower": low, "upper": high}).check(free.home) == pk.Status.GOOD
    assert (
        universal(reference | {"lower": low, "upper": [high[0], low[1] + 1e-3]}).check(free.home)
        == pk.Status.JOINT_LIMIT
    )
    with pytest.raises(DescriptionError, match="lower of a universal joint is a pair of angles"):
        universal(reference | {"lower": -1.0})
    with pytest.raises(DescriptionError, match="lower must be below upper"):
        universal(reference | {"lower": high, "upper": low})


def test_a_driven_joint_has_its_limits_at_the_actuator() -> None:
    tables = copy.deepcopy(pk.load("delta").description.model_dump(exclude_defaults=True))
    for leg in tables["legs"]:
        leg["elements"][0]["joint"] |= {"lower": -1.0, "reference": leg["elements"][0]["actuator"]["reference"]}
    with pytest.raises(DescriptionError, match="the actuator turns this joint: give lower and upper to the actuator"):
        describe(tables, "delta")
