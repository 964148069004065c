"""What a newcomer wrote from the documentation alone: five robots, and first versions that were refused or misread."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.description import describe, file_schema, library, load_description
from parakin.errors import DescriptionError
from parakin.kinematics.status import Status
from parakin.robot import card
from parakin.robot.surveys import survey_legs
from tests.commands import command

ROBOTS = {path.stem: path for path in sorted((Path(__file__).parents[2] / "docs" / "robots").glob("*.toml"))}
PAGE = Path(__file__).parents[2] / "docs" / "robot_files.md"


def tables(name: str) -> dict[str, Any]:
    return copy.deepcopy(tomllib.loads(ROBOTS[name].read_text(encoding="utf-8")))


def refused(found: dict[str, Any]) -> list[str]:
    with pytest.raises(DescriptionError) as error:
        describe(found, "mine.toml")
    return str(error.value).splitlines()


def test_there_are_five_robots_and_the_page_names_them() -> None:
    assert len(ROBOTS) == 5
    assert not set(ROBOTS) & set(library())
    assert all(f"(robots/{name}.toml)" in PAGE.read_text(encoding="utf-8") for name in ROBOTS)


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_of_the_page_are_good(name: str) -> None:
    checked = command("check", str(ROBOTS[name]))
    assert checked.returncode == 0, checked.stdout
    assert checked.stderr == ""
    robot = pk.load(ROBOTS[name])
    assert np.allclose(robot.forward_kinematics(robot.inverse_kinematics(robot.home)), robot.home, atol=1e-12)


# Independent numbers: geometry written down by hand -------------------------------------------------------------------


def test_the_carriages_of_the_linear_delta_are_where_pythagoras_puts_them() -> None:
    robot = pk.load(ROBOTS["linear_delta"])
    for pose in robot.sample(20):
        for k, q in enumerate(robot.inverse_kinematics(pose)):
            turn = 2 * np.pi * k / 3
            away = 0.12 * np.array([np.cos(turn), np.sin(turn)]) - pose[:2]
            assert q == pytest.approx(pose[2] + np.sqrt(0.25**2 - away @ away), abs=1e-12)


def test_the_linear_delta_lifts_its_carriages() -> None:
    """Statics by the gradient of the potential energy of masses that are placed by hand."""
    robot = pk.load(ROBOTS["linear_delta"])
    pose = robot.home + np.array([0.02, -0.03, 0.01])

    def energy(pose: np.ndarray) -> float:
        heights = robot.inverse_kinematics(pose)
        rods = [0.04 * (height + pose[2]) / 2 for height in heights]
        return 9.81 * (0.25 * (pose[2] + 0.02) + 0.1 * heights.sum() + sum(rods))

    slope = np.array([(energy(pose + h) - energy(pose - h)) / 2e-6 for h in 1e-6 * np.eye(3)])
    assert robot.jacobian(pose).T @ robot.static_forces(pose) == pytest.approx(slope, abs=1e-7)


# First versions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "element", "words"),
    [
        (
            "linear_delta",
            0,
            'say part = "tip" for the carriage that moves along, or part = "root" for what stays at the rail',
        ),
        ("tsai_3upu", 0, 'say part = "tip" for what moves in and out, or part = "root" for what stays at the joint'),
        ("planar_3prr", 0, 'part = "tip" for the carriage'),
    ],
)
def test_a_body_of_two_parts_must_say_which(name: str, element: int, words: str) -> None:
    """It was part of the rail if nothing was said: `check` was content, and forces were off by 45 %."""
    found = tables(name)
    for body in found["legs"][0]["elements"][element]["bodies"]:
        del body["part"]
    lines = refused(found)
    assert lines[0].startswith(f"mine.toml: legs[0].elements[{element}].bodies[0].part: is missing: ")
    assert words in lines[0]


def test_bodies_of_bars_need_no_part_and_files_that_are_written_keep_it() -> None:
    robot = pk.load(ROBOTS["tsai_3upu"])
    parts = [body.part for body in robot.description.legs[0].elements[0].bodies]
    assert parts == ["root", "tip"]
    assert robot.to_toml().count('part = "root"') == robot.to_toml().count('part = "tip"') == 1
    schema = json.dumps(file_schema())
    assert '"part"' in schema
    assert "part" not in file_schema()["$defs"]["Body"]["required"]  # type: ignore[index, operator, call-overload]


def without(*keys: str) -> Callable[[dict[str, Any]], None]:
    def remove(found: dict[str, Any]) -> None:
        table: Any = found
        for key in keys[:-1]:
            table = table[int(key)] if key.isdigit() else table[key]
        del table[keys[-1]]

    return remove


def with_value(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(found: dict[str, Any]) -> None:
        *way, last = path.split(".")
        table: Any = found
        for key in way:
            table = table[int(key)] if key.isdigit() else table[key]
        table[last] = value

    return change


MISTAKES: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("big_delta", without("workspace"), "workspace: is missing: add [workspace] with home, and the offsets"),
    ("big_delta", without("platform"), "platform: is missing: add [platform]"),
    ("big_delta", without("length"), "length: is missing: give the length [m] that compares rotations"),
    (
        "big_delta",
        without("legs", "0", "attachment"),
        "legs[0].attachment: is missing: add attachment = { b = [x, y, z] }",
    ),
    ("big_delta", without("platform", "bodies", "0", "turns"), "turns: is missing: say turns = true"),
    (
        "linear_delta",
        without("legs", "0", "elements", "0", "bodies", "0", "com"),
        "com: is missing: give the centre of mass [m]",
    ),
    ("big_delta", without("symmetries"), "no symmetry 'thirds'; add [symmetries.thirds] with count = 3"),
    (
        "planar_3prr",
        with_value("legs.0.root", [0.3, -0.4]),
        "legs[0].root[2]: is missing: vectors have three numbers, of",
    ),
    (
        "big_delta",
        with_value("gravity", 9.81),
        "gravity: must be a list in brackets, such as [0.1, 0.0, 0.0], got 9.81",
    ),
    ("big_delta", with_value("legs.0.elements.0.joint.axis", "y"), "joint.axis: must be a list in brackets"),
    ("big_delta", with_value("legs.0.attachment", [0.06, 0, 0]), "must be a table, such as attachment = { b ="),
    (
        "big_delta",
        with_value("legs.0.elements.0.actuator.friction", 0.5),
        "such as friction = { viscous = 0.1, coulomb",
    ),
    ("big_delta", with_value("platform.tool", [0.0, 0.0, -0.1]), "such as tool = { position = [0.0, 0.0, -0.1] }"),
    ("big_delta", with_value("name", "big delta"), "must be a name of letters, digits and _, beginning with a letter"),
    ("big_delta", with_value("legs", {"name": "leg"}), "legs: must be a list of tables, each under [[legs]] in double"),
    (
        "tsai_3upu",
        with_value("legs.0.elements.0.bodies.0.inertia", [6e-4, 0.012, 0.012]),
        "inertia[0]: must be a row of the tensor: write inertia = [[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]]",
    ),
]


@pytest.mark.parametrize(("name", "mistake", "answer"), MISTAKES)
def test_mistakes_are_answered_by_how_to_write_it(
    name: str, mistake: Callable[[dict[str, Any]], None], answer: str
) -> None:
    found = tables(name)
    describe(found, "mine.toml")
    mistake(found)
    lines = refused(found)
    assert any(answer in line for line in lines), lines
    assert not any("input should be" in line or "dictionary" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "path", "value", "meant"),
    [
        (
            "big_delta",
            "legs.0.elements.0.actuator.lower",
            -57.0,
            "-57 rad is 9.1 turns: probably in degrees, which would be -0.9948",
        ),
        ("rotary_stewart", "workspace.lower", [-0.02, -0.02, -0.02, -10, -10, -10], "-10 rad is 1.6 turns"),
        ("big_delta", "workspace.lower", [-400.0, -0.4, -0.08], "-400 m is"),
    ],
)
def test_a_likely_unit_keeps_the_sign(name: str, path: str, value: object, meant: str) -> None:
    found = tables(name)
    with_value(path, value)(found)
    with pytest.warns(pk.ImplausibleValueWarning) as caught:
        describe(found, "mine.toml")
    assert any(meant in str(entry.message) for entry in caught)


def test_a_home_in_millimetres_is_told_before_what_follows_from_it() -> None:
    found = tables("big_delta")
    found["workspace"]["home"] = [0.0, 0.0, -950.0]
    lines = refused(found)
    assert "workspace.home: -950 m is" in lines[0]
    assert "probably in millimetres, which would be -0.95 m" in lines[0]
    assert all("cannot close there" in line for line in lines[1:])


def test_corners_of_a_box_are_looked_at() -> None:
    """A box whose 2,000 sampled poses are all good, and whose corners are not."""
    found = tables("rotary_stewart")
    found["workspace"] |= {"lower": [-0.03] * 3 + [-0.15] * 3, "upper": [0.03] * 3 + [0.15] * 3}
    robot = pk.Robot(describe(found, "mine.toml"))
    seen = survey_legs(robot)
    assert seen.good_poses == seen.poses
    assert not seen.good
    assert (seen.corners, seen.good_corners) == (64, 44)
    assert any("cannot close" in pose.reason for pose in seen.failed)
    assert "2000 of 2000 sampled poses and 44 of 64 corners are good" in str(seen)
    worst = seen.failed[0]
    assert np.abs(worst.offset) == pytest.approx([0.03] * 3 + [0.15] * 3)
    assert str(worst).startswith("home + [")


@pytest.mark.parametrize("name", library())
def test_corners_of_the_library_are_good(name: str) -> None:
    seen = survey_legs(pk.load(name), 1)
    assert seen.good_corners == seen.corners == 2 ** pk.load(name).degrees_of_freedom
    assert seen.too_weak == ()


def test_home_says_what_is_wrong_with_it() -> None:
    found = tables("linear_delta")
    found["legs"][0]["branch"] = 1
    seen = survey_legs(pk.Robot(describe(found, "mine.toml")), 1)
    assert seen.home == Status.OUT_OF_STROKE
    assert "home: out of stroke: tower1.rail is 0.119 m beyond its stroke of 0 to 0.6 m" in str(seen)


def test_a_singular_home_says_which_way_the_platform_is_free() -> None:
    found = tables("tsai_3upu")
    found["workspace"]["home"] = [0.0, 0.0, 0.0]
    found["legs"][0]["elements"][0]["actuator"] |= {"zero": 0.0}
    seen = survey_legs(pk.Robot(describe(found, "mine.toml")), 1)
    assert seen.home == Status.SINGULAR
    assert "the platform is free to move: v_x +0.00, v_y +0.00, v_z" in str(seen).replace("-0.00", "+0.00")


def test_a_drive_that_cannot_hold_the_robot_is_named() -> None:
    found = tables("linear_delta")
    found["legs"][0]["elements"][0]["actuator"]["force"] = 2.0
    seen = survey_legs(pk.Robot(describe(found, "mine.toml")), 1)
    assert len(seen.too_weak) == 3
    assert "tower1.rail needs" in str(seen)
    assert "N to hold the robot, and has 2 N" in str(seen)


def test_the_card_shows_where_bodies_and_drives_are() -> None:
    rows = {heading: dict(entries) for heading, entries in card(pk.load(ROBOTS["linear_delta"]))}
    assert "from the tip, with which it moves" in rows["Bodies"]["tower*.rail.carriage"]
    assert "from the root" in rows["Bodies"]["tower*.rods.rods"]
    q = pk.load(ROBOTS["linear_delta"]).inverse_kinematics(load_description(ROBOTS["linear_delta"]).workspace.home)
    assert rows["Actuators"]["tower1.rail"].endswith(f"; {q[0]:.4g} m at home")
