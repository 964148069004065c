"""Legs without a closed form are closed by Newton."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.description import RobotDescription, describe, expanded_legs
from parakin.kernels import Kernel, Program
from parakin.kinematics.closing import CLOSING_STEP_LIMIT, closing_steps, start_coordinates
from parakin.kinematics.robot_motion import robot_motion


def kernel_of(robot: pk.Robot) -> tuple[Kernel, ca.Function]:
    """Return the kernel pose -> z, and the function that says how far z is from closing the legs."""
    moving = robot_motion(robot.description)
    program = Program(*closing_steps(moving, robot.description), outputs=("z", "closing_steps"), name="closing")
    return Kernel(program), ca.Function("closure", [moving.pose, moving.z], [moving.closure])


def numeric_robots() -> dict[str, RobotDescription]:
    """Return a robot of three bars a leg, and one of telescopes behind fixed stubs."""
    tables = pk.load("planar_3rpr").description.model_dump()
    tables["symmetries"] = {}
    for leg in (legs := [leg.model_dump() for leg in pk.load("planar_3rpr").legs]):
        strut, root = leg["elements"][0], np.array(leg["root"])
        outward = root / np.linalg.norm(root)
        stub = strut | {"name": "stub", "type": "bar", "length": 0.05, "actuator": None, "bodies": []}
        stub |= {"joint": {"type": "fixed"}, "direction": (-outward).tolist()}
        strut["direction"] = stub["direction"]
        leg |= {"root": (root + 0.05 * outward).tolist(), "elements": [stub, strut], "symmetry": None}
    return {
        "hexa_offset": pk.load("hexa_offset").description,
        "stubbed": describe(tables | {"legs": legs}, "stubbed"),
    }


@pytest.mark.parametrize("name", ["hexa_offset", "stubbed"])
def test_every_leg_reaches_its_attachment(name: str) -> None:
    robot = pk.Robot(numeric_robots()[name])
    kernel, closure = kernel_of(robot)
    poses = robot.sample(30, seed=2)
    out = kernel(pose=poses)
    gaps = [np.array(closure(pose, z)) for pose, z in zip(poses, out["z"], strict=True)]
    assert np.abs(gaps).max() < 1e-14
    assert out["closing_steps"].max() < CLOSING_STEP_LIMIT / 2


def test_what_is_out_of_reach_does_not_close() -> None:
    robot = pk.load("hexa_offset")
    kernel, closure = kernel_of(robot)
    far = robot.home + np.array([5.0, 0, 0, 0, 0, 0, 0])
    out = kernel(pose=far)
    assert out["closing_steps"] == CLOSING_STEP_LIMIT
    assert np.abs(np.array(closure(far, out["z"]))).max() > 1.0
    assert robot.check(far[None]).tolist() == [pk.Status.UNREACHABLE]


def test_searches_start_where_the_elements_point_at_home() -> None:
    robot = pk.Robot(numeric_robots()["stubbed"])
    for leg in expanded_legs(robot.description):
        angle, length = start_coordinates(leg, robot.description)
        home = np.array([*robot.description.workspace.home[:2], 0.0])
        assert angle == 0.0
        assert length == pytest.approx(np.linalg.norm(home + leg.attachment.b + leg.attachment.c - np.array(leg.root)))
    offset = pk.load("hexa_offset")
    for leg in offset.legs:
        assert start_coordinates(leg, offset.description) == [0.0, 0.0, 0.0]


def test_closed_forms_need_no_closing() -> None:
    description = pk.load("delta").description
    assert closing_steps(robot_motion(description), description) == ()
