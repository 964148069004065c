"""Motions of mechanisms, in their independent coordinates: made, checked, stretched, kept in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import trajectory
from parakin.errors import MotionError, MotionFileError, MotionLimitError, UnsupportedRobotError
from parakin.motions import joints
from parakin.motions.offsets import squared_errors
from parakin.robot import Robot
from parakin.trajectory import Samples
from parakin.units import ANGLE, LENGTH
from tests.ball_platform import ball_platform

MECHANISM = "tricept"
"""A mechanism whose pose are not its motors, with angles before a length, strokes and limits of passive joints."""
DERIVATIVE = 1e-6
"""Central differences of poses over a step of 1e-4 s are right to this [m/s, rad/s]."""


@pytest.fixture(scope="module")
def tricept() -> Robot:
    return pk.load(MECHANISM).graph


def test_the_motion_of_a_mechanism_is_one_of_its_independent_coordinates(tricept: Robot) -> None:
    kind = tricept.motion_type
    assert kind == joints(tricept.pose_names, (ANGLE, ANGLE, LENGTH))
    assert kind.coordinates == kind.velocity_names == kind.offset_names == tricept.pose_names
    assert kind.units == tricept.pose_units == ("rad", "rad", "m")
    assert (kind.degrees_of_freedom, kind.quaternion, kind.turns, kind.planar) == (3, None, True, False)
    assert kind.scale(0.5) == [0.5, 0.5, 1.0]
    assert str(kind) == "joints (sleeve.first, sleeve.second, tube.travel)"
    poses = tricept.sample(2)
    close, turned = squared_errors(kind, poses[:1], poses[1:])[0]
    away = poses[1] - poses[0]
    assert (close, turned) == (pytest.approx(away[2] ** 2), pytest.approx(away[0] ** 2 + away[1] ** 2))


@pytest.mark.parametrize("name", ["point_to_point", "via_points", "fourier", "actuator_point_to_point"])
def test_velocities_are_rates_of_the_coordinates(tricept: Robot, name: str) -> None:
    motion = trajectory.motion(name, tricept)
    t, h = np.linspace(0.11, 0.93, 7) * motion.duration, 1e-4
    before, here, after = (motion.at(t + step) for step in (-h, 0.0, h))
    np.testing.assert_allclose((after.pose - before.pose) / (2 * h), here.velocity, atol=DERIVATIVE)
    np.testing.assert_allclose((after.velocity - before.velocity) / (2 * h), here.acceleration, atol=10 * DERIVATIVE)
    assert trajectory.check(motion, tricept, 201).good


def test_motors_follow_a_quintic_where_they_are_moved_one_by_one(tricept: Robot) -> None:
    motion = trajectory.actuator_point_to_point(tricept)
    q = tricept.inverse_kinematics(motion.at(np.linspace(0.0, 1.0, 5)).pose)
    share = (q - q[0]) / (q[-1] - q[0])
    u = np.linspace(0.0, 1.0, 5)
    expected = u**3 * (10 - 15 * u + 6 * u**2)
    np.testing.assert_allclose(share, np.tile(expected[:, None], (1, 3)), atol=1e-9)


@pytest.mark.parametrize("name", ["circle", "cosine_x", "cosine_z", "cosine_turn", "lift", "pick_and_place"])
def test_motions_along_axes_are_refused_by_joints(tricept: Robot, name: str) -> None:
    with pytest.raises(UnsupportedRobotError, match=r"coordinates of joints .* choose point_to_point"):
        trajectory.motion(name, tricept)


def test_every_limit_is_looked_at_along_a_motion(tricept: Robot) -> None:
    far = trajectory.point_to_point(tricept, tricept.home, tricept.home + np.array([0.7, 0.0, 0.5]), duration=0.2)
    checked = trajectory.check(far, tricept, 201)
    beyond = {(one.quantity, one.actuator) for one in checked.excesses}
    assert ("joint", "sleeve.first") in beyond
    assert any(quantity == "speed" for quantity, _ in beyond)
    assert any(quantity == "stroke" for quantity, _ in beyond)
    slow = trajectory.within_limits(trajectory.motion("point_to_point", tricept, duration=0.2), tricept, 201)
    assert slow.factor > 1.0
    assert slow.check.good
    with pytest.raises(MotionLimitError, match=r"joint of sleeve\.first"):
        trajectory.within_limits(far, tricept, 201)


def test_a_motion_that_leaves_the_reach_is_told_from_one_that_ends_at_a_singularity() -> None:
    strut = pk.load("tripod_3rps").graph
    far = trajectory.point_to_point(strut, strut.home, strut.home + np.array([0.9, 0.0, 0.0]))
    troubles = trajectory.check(far, strut, 101).troubles
    assert troubles
    assert {trouble.kind for trouble in troubles} <= {"open", "singular"}
    assert all(np.isfinite(trouble.first) and str(trouble) for trouble in troubles)


def test_configurations_are_carried_along_a_motion(tricept: Robot) -> None:
    poses = trajectory.motion("fourier", tricept).at(np.linspace(0.0, 7.0, 60)).pose
    found = tricept.configurations(poses)
    np.testing.assert_allclose(tricept.pose_of(found), poses, atol=1e-10)
    walked, near = [], tricept.home_configuration
    for pose in poses:
        near = tricept.configuration(pose, near=near)
        walked.append(near)
    np.testing.assert_allclose(found, walked, atol=1e-9)
    legs = pk.load("delta")
    assert np.array_equal(legs.configurations(legs.sample(3)), legs.sample(3))


def test_a_crank_is_followed_through_more_than_a_turn() -> None:
    crank = pk.load("four_bar").graph
    poses = np.linspace(0.0, 4 * np.pi, 400)[:, None] + crank.home
    near = crank.configurations(poses)
    again = crank.platform_frame(poses, near=near).p
    np.testing.assert_allclose(again[-1], again[0], atol=1e-9)
    assert np.isfinite(again).all()


def test_a_motion_of_joints_survives_its_file(tricept: Robot, tmp_path: Path) -> None:
    samples = trajectory.motion("via_points", tricept).sampled(50)
    back = trajectory.read_csv(trajectory.write_csv(tmp_path / "m.csv", samples, tricept))
    assert back.kind == tricept.motion_type
    assert np.array_equal(back.pose, samples.pose)
    assert np.array_equal(back.acceleration, samples.acceleration)
    loads = trajectory.actuator_loads(back, tricept)
    assert loads.tau.shape == (len(samples.t), 3)
    text = (tmp_path / "m.csv").read_text()
    (tmp_path / "bad.csv").write_text(text.replace("velocity.tube.travel [m/s],", "velocity.tube.travel [mm/s],", 1))
    with pytest.raises(MotionFileError, match=r"lacks velocity.tube.travel \[m/s\]"):
        trajectory.read_csv(tmp_path / "bad.csv")


def test_a_motion_of_other_joints_is_refused(tricept: Robot) -> None:
    crank = pk.load("four_bar")
    motion = trajectory.motion("point_to_point", crank)
    with pytest.raises(MotionError, match=r"the motion is joints \(crank.angle\), tricept is joints \(sleeve.first"):
        trajectory.check(motion, tricept)


def test_a_motion_of_a_ball_survives_its_file(tmp_path: Path) -> None:
    ball = ball_platform()
    samples = trajectory.fourier(ball).sampled(50.0)
    trajectory.write_csv(tmp_path / "turns.csv", samples, ball)
    back = trajectory.read_csv(tmp_path / "turns.csv")
    assert back.kind == samples.kind == ball.motion_type
    assert back.kind.balls == (0,)
    assert np.array_equal(back.pose, samples.pose)


def test_samples_of_joints_have_their_shapes(tricept: Robot) -> None:
    with pytest.raises(MotionError, match="velocity"):
        Samples(tricept.motion_type, np.zeros(2), np.zeros((2, 3)), np.zeros((2, 2)), np.zeros((2, 3)))


def test_the_condition_of_a_mechanism_is_that_of_its_motors_beside_its_output(tricept: Robot) -> None:
    planar = pk.load("redundant_4rrr").graph
    poses = planar.sample(3)
    size = planar.plan.skeleton.size
    scaled = planar.jacobian(poses) * np.array([1.0, 1.0, 1.0 / size])
    np.testing.assert_allclose(planar.condition(poses), np.linalg.cond(scaled), rtol=1e-6)
    assert tricept.condition(tricept.home) > 1.0
    strut = pk.load("tripod_3rps")
    assert np.isinf(strut.condition(strut.home + np.array([0.9, 0.0, 0.0])))
