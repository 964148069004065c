"""Every robot of the library keeps what its file promises."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.description import RobotDescription, library, to_toml
from parakin.description.loader import parse
from parakin.motions.offsets import sampled

WORST_CONDITION = 50.0
"""What the library promises for J_qv, lengths scaled, everywhere in a robot's box."""
FORWARD_OF_INVERSE = 1e-12
"""[m or 1] Newton ends at steps of 1e-13 m, and the condition number is at most 50 with quadratic convergence."""
SAME_BY_SYMMETRY = 1e-12
"""[m or rad] Copies of a leg differ by rounding of their turned coordinates only."""
REFERENCE = 1e-11
"""Same machine, legs turned here and written out there: rounding, on accelerations up to some 100 rad/s^2."""
SYMMETRIC = (
    "five_bar",
    "planar_3rrr",
    "planar_3rpr",
    "delta",
    "hexa",
    "gough_stewart",
    "palida",
    "hexapod_sliding",
    "quattro",
    "orthoglide",
)
"""Robots whose home lies on their axis of symmetry."""

DATA = Path(__file__).parents[1] / "data"
BIBLIOGRAPHY = Path(__file__).parents[2] / "docs" / "references.bib"
ROBOTS = pytest.mark.parametrize("name", library())


@cache
def _robot(name: str) -> pk.Robot:
    return pk.load(name)


@cache
def _poses(name: str) -> np.ndarray:
    """Home, every corner of the box, and 2,000 poses inside."""
    robot = _robot(name)
    corners = [np.array(corner) for corner in itertools.product(*zip(*robot.box, strict=True))]
    at_corners = [sampled(robot.motion_type, robot.home, (corner, corner), 1, seed=0) for corner in corners]
    return np.concatenate([robot.home[None], *at_corners, robot.sample(2000, seed=1)])


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    """Every table of a robot file."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list | tuple):
        for entry in value:
            yield from _tables(entry)


def _bodies(description: RobotDescription) -> list[Any]:
    elements = [element for leg in description.legs for element in leg.elements]
    return [*description.platform.bodies, *(body for element in elements for body in element.bodies)]


def test_the_library_has_the_machines_of_the_papers() -> None:
    assert {"five_bar", "delta", "palida", "hexapod_sliding", "h4"} <= set(library())


@ROBOTS
def test_a_robot_is_called_like_its_file(name: str) -> None:
    assert _robot(name).name == name


@ROBOTS
def test_the_box_is_reachable(name: str) -> None:
    assert np.all(_robot(name).check(_poses(name)) == pk.Status.GOOD)


@ROBOTS
def test_the_box_is_well_conditioned(name: str) -> None:
    robot = _robot(name)
    scale = np.array(robot.motion_type.scale(1 / robot.description.length))
    assert np.max(np.linalg.cond(robot.jacobian(_poses(name)) * scale)) < WORST_CONDITION


@ROBOTS
def test_the_box_is_within_the_strokes(name: str) -> None:
    robot = _robot(name)
    actuators = [element.actuator for leg in robot.legs for element in leg.elements if element.actuator is not None]
    q = robot.inverse_kinematics(_poses(name))
    for k, actuator in enumerate(actuators):
        assert actuator.lower is not None
        assert actuator.upper is not None
        assert actuator.lower <= q[:, k].min()
        assert q[:, k].max() <= actuator.upper


@ROBOTS
def test_forward_kinematics_from_home_is_the_inverse_of_inverse_kinematics(name: str) -> None:
    robot, poses = _robot(name), _poses(name)
    found = robot.forward_kinematics(robot.inverse_kinematics(poses))
    if robot.motion == "spatial":  # a quaternion and its negative are one orientation
        found[:, 3:] *= np.sign(np.sum(found[:, 3:] * poses[:, 3:], axis=1, keepdims=True))
    np.testing.assert_allclose(found, poses, rtol=0, atol=FORWARD_OF_INVERSE)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_robots_stand_evenly_at_home(name: str) -> None:
    robot = _robot(name)
    assert np.ptp(robot.inverse_kinematics(robot.home)) < SAME_BY_SYMMETRY


@ROBOTS
def test_writing_and_reading_gives_an_equal_robot(name: str) -> None:
    description = _robot(name).description
    assert parse(to_toml(description).encode(), name) == description


@ROBOTS
def test_every_source_is_in_the_bibliography(name: str) -> None:
    known = set(re.findall(r"@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8")))
    sources = [table["source"] for table in _tables(_robot(name).description.model_dump()) if "source" in table]
    cited = {key for source in sources for key in re.findall(r"\[(\w+)\]", source)}
    assert all(source.strip() for source in sources)
    assert cited <= known


@ROBOTS
def test_a_robot_is_complete(name: str) -> None:
    """Every element has a body, every actuator its drive, friction and limits."""
    for leg in _robot(name).legs:
        for element in leg.elements:
            assert element.bodies, f"{leg.name}.{element.name}"
            if (drive := element.actuator) is not None:
                assert None not in (drive.force, drive.speed, drive.lower, drive.upper)
                assert drive.friction.viscous > 0
                assert drive.friction.coulomb > 0


@ROBOTS
def test_bodies_weigh_something_and_resist_turning(name: str) -> None:
    """Moments are never negative, and zero for thin rods about their line and for points only."""
    for body in _bodies(_robot(name).description):
        moments = np.linalg.eigvalsh(np.array(body.inertia))
        assert body.mass > 0
        assert moments[0] >= 0
        point = "point" in body.source
        assert point or moments[1] > 0, body.name


def test_h4_adds_up_to_the_table_of_its_paper() -> None:
    """[Vivas2003] Table 1: motor with arm, mass of the nacelle, and what theta feels."""
    robot = _robot("h4")
    for leg, printed in zip(robot.legs, (0.0167, 0.0164, 0.0176, 0.0234), strict=True):
        arm = leg.elements[0]
        (body,) = arm.bodies
        assert arm.actuator is not None
        inertia = arm.actuator.rotor_inertia + body.inertia[2][2] + body.mass * body.com[0] ** 2
        assert inertia == pytest.approx(printed, rel=1e-12)
    bars = robot.description.platform.bodies
    assert sum(bar.mass for bar in bars) == pytest.approx(0.984, rel=1e-12)
    I_bc = sum(bar.mass * (bar.b[0] ** 2 + bar.b[1] ** 2) + bar.turns * bar.inertia[2][2] for bar in bars)
    assert I_bc == pytest.approx(0.0029, rel=1e-12)


def test_hexapod_sliding_is_the_reference_robot() -> None:
    """Six legs from two by symmetry, against tests/data/hexapod_6pus.toml, where each is written out."""
    robot, reference = _robot("hexapod_sliding"), pk.load(DATA / "hexapod_6pus.toml")
    states = json.loads((DATA / "hexapod_6pus.json").read_text(encoding="utf-8"))["states"]
    poses = robot.sample(len(states), seed=2)
    motion = (poses, [state["twist"] for state in states], [state["accel"] for state in states])
    ours, theirs = robot.bodies(*motion), reference.bodies(*motion)
    for key, values in asdict(theirs).items():
        np.testing.assert_allclose(getattr(ours, key), values, rtol=0, atol=REFERENCE)
    for leg, other in zip(robot.legs, reference.legs, strict=True):
        for element, same in zip(leg.elements, other.elements, strict=True):
            for body, twin in zip(element.bodies, same.bodies, strict=True):
                assert (body.mass, body.com, body.inertia) == (twin.mass, twin.com, twin.inertia)
