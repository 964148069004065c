"""Forward kinematics: steps, misfits and where a search stops."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.kernels import Kernel
from parakin.kinematics.forward import RESIDUAL_TOLERANCE, forward_program, misfit
from parakin.kinematics.robot_motion import robot_motion
from parakin.motions import SCHOENFLIES, SPATIAL


def values(expression: ca.SX) -> np.ndarray:
    return np.array(ca.DM(expression)).ravel()


def test_a_step_adds_where_there_is_no_quaternion() -> None:
    pose, twist = np.array([0.1, -0.2, 0.3, 0.4]), np.array([0.01, 0.02, -0.03, 0.5])
    assert values(SCHOENFLIES.stepped(ca.SX(pose), ca.SX(twist))) == pytest.approx(pose + twist)


def test_a_step_turns_about_base_axes_and_keeps_the_quaternion_a_unit() -> None:
    """quat_dot = 1/2 (0, w) quat with w in base axes: R after the step is exp(w~) R to first order."""
    rng = np.random.default_rng(0)
    quaternion = rng.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    pose, twist = np.concatenate([rng.normal(size=3), quaternion]), 1e-4 * rng.normal(size=6)
    after = values(SPATIAL.stepped(ca.SX(pose), ca.SX(twist)))
    assert after[:3] == pytest.approx(pose[:3] + twist[:3])
    assert np.linalg.norm(after[3:]) == pytest.approx(1.0, abs=1e-15)
    before, turned = (pk.poses.matrix_from_quaternion(q) for q in (pose[3:], after[3:]))
    x, y, z = twist[3:]
    assert turned @ before.T - np.eye(3) == pytest.approx(np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), abs=1e-7)


def misfit_of(robot: pk.Robot, q: np.ndarray, pose: np.ndarray) -> np.ndarray:
    moving = robot_motion(robot.description)
    symbol = ca.SX.sym("q", len(robot.actuator_names))
    return np.array(ca.Function("misfit", [symbol, moving.pose], [misfit(moving, symbol, robot.description)])(q, pose))[
        :, 0
    ]


@pytest.mark.parametrize("off", [0.2, -0.2, 3.1, -3.1])
def test_angles_differ_the_short_way_round(off: float) -> None:
    robot = pk.load("delta")
    q = robot.inverse_kinematics(robot.home)
    for turns in (-2, -1, 0, 1):
        assert misfit_of(robot, q + off + 2 * np.pi * turns, robot.home) == pytest.approx(np.full(3, off))


def test_lengths_and_spins_are_not_shortened() -> None:
    gough, shaft = pk.load("gough_stewart"), pk.load("delta_shaft")
    off = np.arange(1, 7) * 2.0
    assert misfit_of(gough, gough.inverse_kinematics(gough.home) + off, gough.home) == pytest.approx(off)
    turned = shaft.inverse_kinematics(shaft.home) + 2 * np.pi
    assert misfit_of(shaft, turned, shaft.home) == pytest.approx([0.0, 0.0, 0.0, 2 * np.pi], abs=1e-12)


@pytest.mark.parametrize("name", ["delta", "h4", "hexa", "gough_stewart"])
def test_whole_turns_of_arms_do_not_matter_and_nothing_is_left(name: str) -> None:
    robot = pk.load(name)
    poses = robot.sample(20, seed=3)
    q = robot.inverse_kinematics(poses)
    arms = robot.legs[0].elements[0].type == "bar"
    given = q + 2 * np.pi * np.random.default_rng(0).integers(-1, 2, q.shape) if arms else q
    out = Kernel(forward_program(robot.description))(near=robot.home, q=given)
    assert not out["status"].any()
    assert robot.inverse_kinematics(out["pose"]) == pytest.approx(q, abs=1e-11)
    assert out["residual"].max() < 1e-3 * RESIDUAL_TOLERANCE


def test_a_search_that_cannot_succeed_says_why_and_gives_no_pose() -> None:
    """Struts too long for each other hit a singularity; lengths of zero leave the reach of nothing."""
    robot = pk.load("planar_3rpr")
    q = robot.inverse_kinematics(robot.home)
    kernel = Kernel(forward_program(robot.description))
    out = kernel(near=robot.home, q=np.stack([q, 50.0 * q * [1.0, 0.01, 1.0]]))
    assert out["status"].tolist()[0] == pk.Status.GOOD
    assert out["status"].tolist()[1] in (pk.Status.SINGULAR, pk.Status.NOT_CONVERGED)
    assert np.isnan(out["pose"][1]).all()
    assert out["residual"][1] > RESIDUAL_TOLERANCE


def test_closed_forms_need_no_steps_and_searches_few() -> None:
    for name, most in (("delta", 0), ("gough_stewart", 8), ("h4", 8)):
        robot = pk.load(name)
        q = robot.inverse_kinematics(robot.sample(50))
        steps = Kernel(forward_program(robot.description))(near=robot.home, q=q)["steps"]
        assert steps.max() <= most


ROD_LENGTH = 1e-11
"""Largest error of a rod's length [m] at a pose that is found: quadratic convergence leaves rounding alone."""


def quattro_tips(poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Attachments of the four forearms, less the arms' shafts (N, 4, 3), and the arms' directions at q = 0 (4, 3).

    Written from the drawing: shafts 275 mm from the centre at 45, 135, 225 and 315 degrees; bars of 70 mm turn by
    theta, and lateral parts of 50 mm do not.
    """
    angles = np.radians([45.0, 135.0, 225.0, 315.0])
    out = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    theta = poses[:, 3]
    bar = 0.07 * np.stack([-np.sin(theta), np.cos(theta), 0 * theta], axis=1)
    lateral = np.array([[0.05, 0, 0], [-0.05, 0, 0], [-0.05, 0, 0], [0.05, 0, 0]])
    tips = poses[:, None, :3] + np.array([1, 1, -1, -1])[:, None] * bar[:, None] + lateral
    return tips - 0.19445 * np.sqrt(2) * out, out


def quattro_arms(poses: np.ndarray) -> np.ndarray:
    """Angles of the arms below the base plane with elbows outwards; NaN where a forearm does not reach."""
    r, out = quattro_tips(poses)
    along, down = np.sum(r * out, axis=-1), -r[..., 2]
    half = np.arccos((np.sum(r * r, axis=-1) + 0.375**2 - 0.825**2) / (2 * 0.375 * np.hypot(along, down)))
    q = np.arctan2(down, along) - half
    return (q + np.pi) % (2 * np.pi) - np.pi


@pytest.mark.parametrize("turns", [0, 3])
def test_a_platform_is_found_within_half_a_turn_of_near(turns: int) -> None:
    """A Quattro in twice its box: Newton's steps went round by one to three turns, and the status was GOOD."""
    robot = pk.load("quattro")
    lower, upper = np.array([-0.56, -0.56, -0.2, -1.4]), np.array([0.56, 0.56, 0.3, 1.4])
    poses = np.array([0, 0, -0.75, 0]) + np.random.default_rng(0).uniform(lower, upper, (600, 4))
    with np.errstate(invalid="ignore"):
        q = quattro_arms(poses)
    reached = np.isfinite(q).all(axis=1)
    near = np.array([0.0, 0.0, -0.75, 2 * np.pi * turns])
    out = Kernel(forward_program(robot.description))(near=near, q=q[reached])
    good = out["status"] == pk.Status.GOOD
    assert np.mean(good) > 0.99
    found = out["pose"][good]
    assert np.abs(found[:, 3] - near[3]).max() <= np.pi
    r, arms = quattro_tips(found)
    elbows = 0.375 * (np.cos(q[reached][good])[..., None] * arms - np.sin(q[reached][good])[..., None] * [0, 0, 1])
    assert np.linalg.norm(r - elbows, axis=-1) == pytest.approx(0.825, abs=ROD_LENGTH)


def test_a_shaft_counts_the_turns_of_its_platform() -> None:
    robot = pk.load("delta_shaft")
    pose = robot.home + np.array([0, 0, 0, 9.0])
    assert robot.forward_kinematics(robot.inverse_kinematics(pose)) == pytest.approx(pose, abs=1e-9)


def test_a_quaternion_is_found_on_the_side_of_near() -> None:
    robot = pk.load("gough_stewart")
    poses = robot.sample(20, seed=3)
    near = robot.home * [1, 1, 1, -1, -1, -1, -1]
    found = robot.forward_kinematics(robot.inverse_kinematics(poses), near=near)
    assert (found[:, 3:] @ near[3:] > 0).all()
