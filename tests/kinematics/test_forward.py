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
