"""Forward kinematics in closed form, for platforms that do not turn."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.description import describe, library, load_description
from parakin.kernels import Kernel
from parakin.kinematics.forward import forward_program
from parakin.kinematics.forward_closed import has_closed_form
from tests import machines

CLOSED_FORMS = ("delta", "five_bar", "kossel", "orthoglide", "upu_3")
MIRRORED = ("five_bar", "orthoglide", "upu_3")
"""Robots whose other assembly mode has, somewhere, the branches of the robot file."""


def test_which_robots_have_a_closed_form() -> None:
    assert tuple(name for name in library() if has_closed_form(load_description(name))) == CLOSED_FORMS


def test_a_leg_too_many_or_driven_elsewhere_has_none() -> None:
    tables = load_description("delta").model_dump(exclude_defaults=True)
    passive = dict(tables["legs"][0], name="passive")
    passive["elements"] = [element | {"actuator": None} for element in passive["elements"]]
    extra = tables | {"legs": [*tables["legs"], tables["legs"][0] | {"name": "extra"}]}
    assert not has_closed_form(describe(extra, "extra"))
    assert not has_closed_form(describe(tables | {"legs": [*tables["legs"], passive]}, "passive"))


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_the_pose_is_on_the_side_of_near(name: str) -> None:
    """Both assembly modes are reached, each from itself and from its neighbourhood."""
    robot = pk.load(name)
    poses = robot.sample(20, seed=5)
    q = robot.inverse_kinematics(poses)
    kernel = Kernel(forward_program(robot.description))
    both = robot.assembly_modes(q).poses
    away = np.abs(both - poses[:, None]).max(axis=-1)
    chosen = np.take_along_axis(both, away.argmin(axis=1)[:, None, None], 1)[:, 0]
    other = np.take_along_axis(both, away.argmax(axis=1)[:, None, None], 1)[:, 0]
    assert kernel(near=poses, q=q)["pose"] == pytest.approx(chosen, abs=1e-10)
    assert kernel(near=robot.home, q=q)["pose"] == pytest.approx(chosen, abs=1e-10)
    # The other pose counts as `near` only where inverse kinematics reaches it with the same q.
    reached = robot.check(other) == pk.Status.GOOD
    reached[reached] = np.abs(robot.inverse_kinematics(other[reached]) - q[reached]).max(axis=-1) < 1e-9
    assert reached.any() == (name in MIRRORED)
    if reached.any():
        assert kernel(near=other[reached], q=q[reached])["pose"] == pytest.approx(other[reached], abs=1e-10)


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_where_the_spheres_do_not_meet_no_pose_is_reachable(name: str) -> None:
    """The residual is NaN there, and CasADi takes the comparison of a norm with zero for true."""
    robot = pk.load(name)
    home = robot.inverse_kinematics(robot.home)
    q = home + np.random.default_rng(0).normal(size=(2000, len(home)))
    found = robot.evaluate("forward_kinematics", q=q)
    nowhere = np.isnan(found.residual)
    assert nowhere.sum() > 10
    assert (found.status[nowhere] == pk.Status.UNREACHABLE).all()
    assert (found.status[~nowhere] != pk.Status.UNREACHABLE).all()


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_sign_and_zero_of_the_actuators(name: str) -> None:
    tables = load_description(name).model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        leg["elements"][0]["actuator"] |= {"sign": -1, "zero": 0.1}
    robot = pk.Robot(describe(tables, name))
    poses = robot.sample(20, seed=1)
    assert robot.forward_kinematics(robot.inverse_kinematics(poses)) == pytest.approx(poses, abs=1e-11)


def test_spheres_that_do_not_meet_give_no_pose() -> None:
    robot = pk.load("orthoglide")
    q = robot.inverse_kinematics(robot.home) + np.array([5.0, 0.0, 0.0])
    out = Kernel(forward_program(robot.description))(near=robot.home, q=q)
    assert out["status"] in (pk.Status.UNREACHABLE, pk.Status.NOT_CONVERGED)
    assert np.isnan(out["pose"]).all()


ROOTS = ([0.5, 0.0, 0.0], [-0.3, 0.4, 0.0], [-0.2, -0.45, 0.1])


@pytest.mark.parametrize(
    ("motion", "joint", "home"),
    [
        ("translation", {"type": "spherical"}, [0.0, 0.05, 0.6]),
        ("planar-translation", machines.REVOLUTE, [0.1, 0.6]),
    ],
)
def test_struts_meet_where_their_lengths_say(motion: str, joint: dict[str, str], home: list[float]) -> None:
    """Every attachment is as far from its root as its strut is long, and the side is that of home."""
    attachments = [[0.02 * k, -0.01 * k, 0.0] for k in range(len(home))]
    legs = [machines.leg(k, ROOTS[k], b, machines.strut(joint)) for k, b in enumerate(attachments)]
    robot = pk.Robot(machines.robot("struts", motion, home, legs, 0.5))
    assert has_closed_form(robot.description)
    pose = np.array(home) + 0.03
    ends = np.pad(pose, (0, 3 - len(home))) + attachments
    lengths = np.linalg.norm(ends - np.array(ROOTS[: len(home)]), axis=1)
    assert robot.forward_kinematics(lengths) == pytest.approx(pose, abs=1e-12)
