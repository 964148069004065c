"""Closure equations of a robot whose actuators are held."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly.closure import closure_of, shaft_angle, shaft_index
from parakin.description import describe, library, load_description
from parakin.robot import Robot
from tests.assembly.solutions import rotations


def test_every_library_robot_has_closure_equations() -> None:
    """Whatever its legs, the closure is one of those that are solved; each kind has its own tests."""
    for name in library():
        assert closure_of(load_description(name)).tethers


@pytest.mark.parametrize("name", ["delta", "orthoglide", "planar_3rpr", "h4", "hexaglide", "gough_stewart"])
def test_poses_are_on_the_spheres_of_their_q(name: str) -> None:
    robot = Robot(load_description(name))
    closure = closure_of(robot.description)
    poses = robot.sample(5, seed=1)
    spheres = closure.surfaces(robot.inverse_kinematics(poses))
    linear = 2 if robot.motion.startswith("planar") else 3
    p = np.zeros((5, 1, 3))
    p[:, 0, :linear] = poses[:, :linear]
    r = p + np.einsum("nij,mj->nmi", rotations(robot.motion_type, poses), spheres.b) - spheres.u
    assert np.sum(r**2, axis=-1) == pytest.approx(spheres.squared_length, rel=1e-12)
    home = closure.coordinates(robot.inverse_kinematics(robot.home))
    assert closure.home() == pytest.approx(home, abs=1e-12)


def test_another_unit_of_length_changes_numbers_not_surfaces() -> None:
    closure = closure_of(load_description("hexa_offset"))
    tori = closure.surfaces(np.full(6, 0.3))
    scaled = closure.tori_at(closure.coordinates(np.full(6, 0.3))).measured_in(0.5)
    assert scaled.u == pytest.approx(2 * tori.u)
    assert scaled.b == pytest.approx(2 * tori.b)
    assert scaled.squared_length == pytest.approx(4 * tori.squared_length)
    assert scaled.offset == pytest.approx(np.full(6, 2 * closure.tethers[0].offset))
    assert np.linalg.norm(scaled.axis, axis=-1) == pytest.approx(np.ones(6))


def test_a_closure_is_known_by_its_geometry() -> None:
    first, again = (closure_of(load_description("gough_stewart")) for _ in range(2))
    assert hash(first) == hash(again)
    assert first == again
    assert first != closure_of(load_description("hexa"))


def test_the_shaft_is_found_among_the_actuators() -> None:
    description = load_description("delta_shaft")
    robot = Robot(description)
    assert shaft_index(load_description("delta")) is None
    assert shaft_index(description) == robot.actuator_names.index(robot.actuator_names[-1]) == 3
    tables = description.model_dump(exclude_defaults=True)
    (shaft,) = [leg for leg in tables["legs"] if leg["elements"][0]["type"] == "screw"]
    shaft["elements"][0]["actuator"] |= {"sign": -1, "zero": 0.25}
    assert shaft_angle(describe(tables, "turned"), np.array(0.4)) == pytest.approx(-0.15)
