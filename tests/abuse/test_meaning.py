"""Robot files that mean something else than their author thinks: each is refused or doubted, and its twin is not."""

from __future__ import annotations

import copy
import json
import random
import re
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.description import RobotDescription, describe, expanded_legs, library, load_description, to_toml
from parakin.description.elbows import elbow_directions
from parakin.description.loader import parse
from parakin.errors import DescriptionError, ImplausibleValueWarning
from tests.commands import command
from tests.description.test_description import changed, mutated, tables

DATA = sorted((Path(__file__).parents[1] / "data").glob("*.toml"))
PAGE = Path(__file__).parents[2] / "docs" / "robot_files.md"
ARM, FOREARM = "legs[0].elements[0]", "legs[0].elements[1]"
BODY, ROD, PLATE = f"{ARM}.bodies[0]", f"{FOREARM}.bodies[0]", "platform.bodies[0]"
DRIVE = f"{ARM}.actuator"
SPATIAL = [0.0, 0.0, 0.86]
EXACT = 1e-14
"""Relative: sums of a few products."""


def written(path: str, value: Any, name: str = "delta", removed: tuple[str, ...] = ()) -> dict[str, Any]:
    """A library robot with one value changed, or several if it is a table of them, and keys beside it removed."""
    found = changed(path, value, name) if not isinstance(value, dict) else tables(name)
    table: Any = found
    for key in path.replace("[", ".").replace("]", "").split(".")[: None if isinstance(value, dict) else -1]:
        table = table[int(key)] if key.isdigit() else table[key]
    if isinstance(value, dict):
        table |= value
    for key in removed:
        del table[key]
    return found


def doubts(found: dict[str, Any]) -> list[ImplausibleValueWarning]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        describe(found, "mine.toml")
    assert all(isinstance(entry.message, ImplausibleValueWarning) for entry in caught)
    return [entry.message for entry in caught if isinstance(entry.message, ImplausibleValueWarning)]


# Numbers in another unit or order -------------------------------------------------------------------------------------

DOUBTED = [
    # robot, key, value that is doubted, its twin, what is said
    ("gough_stewart", "workspace.home", [0, 0, 860.0, 1, 0, 0, 0], [*SPATIAL, 1, 0, 0, 0], "millimetres, .* 0.86 m"),
    ("gough_stewart", "workspace.home", [0, 0, 86.0, 1, 0, 0, 0], [*SPATIAL, 1, 0, 0, 0], "centimetres or .* 0.86 or"),
    ("gough_stewart", "workspace.home", [*SPATIAL, 0, 0, 0, 1], [*SPATIAL, 1, 0, 0, 0], "scipy .* write 1, 0, 0, 0"),
    (
        "palida",
        "workspace.home",
        [0, 0, 0.72, 0, 0.1, 0, 0.99**0.5],
        [0, 0, 0.72, 0.99**0.5, 0, 0.1, 0],
        "scipy has it",
    ),
    ("delta", "platform.tool", {"position": [0, 0, 120.0]}, {"position": [0, 0, 0.12]}, "millimetres"),
    (
        "delta",
        "platform.tool",
        {"position": [0, 0, 0.1], "quaternion": [0, 0, 0, 1]},
        {"position": [0, 0, 0.1], "quaternion": [0, 1, 0, 0]},
        r"turns by 180 degrees; the order is \(w, x, y, z\)",
    ),
    ("gough_stewart", "legs[0].root", [550.0, 90.0, 0.0], [0.55, 0.09, 0.0], "times the robot's size"),
    ("gough_stewart", "legs[1].attachment.b", [300.0, -30.0, 0.0], [0.3, -0.03, 0.0], "millimetres, .* 0.301 m"),
    ("gough_stewart", f"{DRIVE}.zero", 700.0, 0.7, "millimetres, which would be 0.7 m"),
    ("gough_stewart", f"{DRIVE}.upper", 500.0, 0.5, "millimetres, which would be 0.5 m"),
    ("gough_stewart", f"{DRIVE}.speed", 800.0, 0.8, "probably in mm/s"),
    ("gough_stewart", f"{DRIVE}.rotor_inertia", 1.2, 1.2e-4, "probably in kg cm"),
    ("delta", f"{BODY}.com", [150, 0, 0], [0.15, 0, 0], "150 m is 625 times its bar's length of 0.24 m: .* 0.15 m"),
    ("delta", f"{BODY}.com", [15, 0, 0], [0.15, 0, 0], "centimetres or millimetres, which would be 0.15 or 0.015 m"),
    ("delta", f"{ROD}.com", [250, 0, 0], [0.25, 0, 0], "500 times its bar's length"),
    ("delta", f"{BODY}.mass", 450.0, 0.45, "450 kg is much .* grams, which would be 0.45 kg"),
    ("delta", "platform.bodies[0].mass", 300.0, 0.3, "grams, which would be 0.3 kg"),
    ("delta", "platform.bodies[0].b", [0, 0, -12.0], [0, 0, -0.012], "millimetres, which would be -0.12 or -0.012 m"),
    ("delta", f"{BODY}.inertia", np.diag([200.0, 2900, 2900]).tolist(), np.diag([2e-4, 2.9e-3, 2.9e-3]).tolist(), "mm"),
    ("delta", f"{BODY}.inertia", np.diag([2.0, 29, 29]).tolist(), np.diag([2e-4, 2.9e-3, 2.9e-3]).tolist(), "kg cm"),
    ("delta", f"{BODY}.inertia", np.diag([2e-7, 3e-6, 3e-6]).tolist(), np.diag([0, 0, 0.0]).tolist(), "too little"),
    ("delta", f"{DRIVE}.rotor_inertia", 60_000.0, 0.006, "times what all bodies of the robot have: probably in g cm"),
    ("delta", f"{DRIVE}.lower", -80.0, -1.396, "13 turns: probably in degrees, which would be -1.396 rad"),
    ("delta", f"{DRIVE}.upper", 57.0, 1.0, "degrees"),
    ("delta", f"{DRIVE}.zero", 90.0, 1.57, "degrees"),
    ("delta", f"{DRIVE}.speed", 1031.0, 18.0, "rpm or degrees per second"),
    ("delta", "gravity", [0, 0, -9810.0], [0, 0, -9.81], "mm/s.2, which would be 9.81"),
    ("delta", "gravity", [0, 0, -981.0], [0, 0, -9.81], "cm/s.2 or mm/s.2, which would be 9.81 or"),
    ("delta", "gravity", [0, 0, -1.0], [0, 0, -1.62], "a direction or a multiple of g"),
    ("delta", "workspace.lower", [-150.0, -150.0, -100.0], [-0.15, -0.15, -0.1], "millimetres"),
    ("delta", f"{FOREARM}.joint.spacing", 80.0, 0.08, "millimetres"),
    ("delta", "length", 200.0, 0.2, "millimetres"),
    (
        "planar_3rrr",
        "workspace.lower",
        [-0.05, -0.05, -20.0],
        [-0.05, -0.05, -0.35],
        "degrees, which would be -0.3491 rad",
    ),
    ("h4", "workspace.home", [0, 0, -0.5, 360.0], [0, 0, -0.5, 0.0], "degrees"),
]


@pytest.mark.parametrize(("name", "path", "value", "twin", "message"), DOUBTED)
def test_another_unit_or_order_is_doubted(name: str, path: str, value: Any, twin: Any, message: str) -> None:
    found = doubts(written(path, value, name))
    assert found, "nothing was said"
    assert any(path in doubt.key or doubt.key.startswith(path.rpartition(".")[0]) for doubt in found)
    assert any(re.search(message, doubt.reason) for doubt in found), [str(doubt) for doubt in found]
    assert not doubts(written(path, twin, name))


DOUBTED_SHAPES = [
    # which body, its keys, which of them is doubted, its twin, what is said; never the inertia, which nobody wrote
    (ROD, {"shape": "rod", "radius": 5.0}, "radius", 0.005, "5 m is 10 times its bar's length .* 0.05 or 0.005 m"),
    (ROD, {"shape": "rod", "length": 500.0}, "length", 0.5, "millimetres, which would be 0.5 m"),
    (ROD, {"shape": "tube", "outer_radius": 9.0, "inner_radius": 0.0}, "outer_radius", 0.009, "or 0.009 m"),
    (BODY, {"shape": "plate", "sides": [240.0, 40.0], "com": [0.12, 0, 0]}, "sides", [0.24, 0.04], "be 0.24 m"),
    (ROD, {"shape": "rod", "radius": 0.005, "mass": 45.0}, "mass", 0.045, r"in 39.3 cm\^3 is .* grams, .* 0.045 kg"),
    (ROD, {"shape": "rod", "mass": 60.0}, "mass", 0.06, "60 kg is much .* grams, which would be 0.06 kg"),
    (PLATE, {"shape": "plate", "sides": [80.0, 80.0]}, "sides", [0.08, 0.08], "millimetres, which would be 0.08 m"),
]


@pytest.mark.parametrize(("path", "keys", "doubted", "twin", "message"), DOUBTED_SHAPES)
def test_a_wrong_size_of_a_shape_is_doubted_by_its_name(
    path: str, keys: dict[str, Any], doubted: str, twin: Any, message: str
) -> None:
    removed = ("inertia", "com") if path == ROD and "com" not in keys else ("inertia",)
    (told,) = doubts(written(path, keys, removed=removed))
    assert told.key == f"{path}.{doubted}"
    assert re.search(message, told.reason), told.reason
    assert not doubts(written(path, keys | {doubted: twin}, removed=removed))


def scaled(value: Any, factor: float) -> Any:
    """All lengths of a file by a factor: roots, attachments, bars, centres of mass, home and box."""
    lengths = {"root", "b", "c", "com", "home", "lower", "upper", "length", "spacing", "position", "zero"}
    if isinstance(value, dict):
        return {
            key: (np.array(entry) * factor).tolist() if key in lengths else scaled(entry, factor)
            for key, entry in value.items()
        }
    return [scaled(entry, factor) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["delta", "orthoglide", "hexaglide"])
def test_a_whole_file_in_millimetres_is_doubted(name: str) -> None:
    found = tables(name)
    large = scaled(found, 1e3)
    if name == "hexaglide":
        large["workspace"]["home"][3:] = found["workspace"]["home"][3:]
    assert any("the robot's size" in doubt.reason and "millimetres" in doubt.reason for doubt in doubts(large))
    assert not doubts(found)


def test_a_bar_in_millimetres_is_named_where_home_cannot_be_reached() -> None:
    """Refused for the reach, and the cause is told with it."""
    with pytest.raises(DescriptionError) as caught:
        describe(changed(f"{ARM}.length", 240.0), "mine.toml")
    assert any("cannot close there" in reason for _, reason in caught.value.problems)
    ((key, reason),) = (problem for problem in caught.value.problems if "millimetres" in problem[1])
    assert key == f"{ARM}.length"
    assert "which would be 0.24 m" in reason


@pytest.mark.parametrize("name", [*library(), *DATA], ids=str)
def test_nothing_is_doubted_of_good_robots(name: str | Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_description(name)


def test_doubts_point_to_the_code_that_loads_and_carry_their_data(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"gravity = [0, 0, -9810]\n{to_toml(load_description('delta'))}")
    with pytest.warns(pk.ImplausibleValueWarning) as caught:
        pk.load(file)
    assert Path(caught[0].filename) == Path(__file__)
    told = caught[0].message
    assert isinstance(told, pk.ImplausibleValueWarning)
    assert (told.file, told.key) == ("mine.toml", "gravity")
    assert str(told) == f"mine.toml: gravity: {told.reason}"


DOUBT = "legs[0].elements[0].actuator.upper: 126 rad is 20 turns: probably in degrees"


def doubtful(place: Path) -> str:
    """Return a file with a number that is probably in degrees."""
    file = place / "mine.toml"
    file.write_text(to_toml(load_description("five_bar")).replace("upper = 2.2", "upper = 126.0"))
    return str(file)


@pytest.mark.parametrize("words", ["check", "info", "count", "forces", "motion", "simulate", "export-c"])
def test_every_command_tells_a_doubt_once_and_in_its_own_voice(words: str, tmp_path: Path) -> None:
    more = {
        "forces": ("circle", "-o", str(tmp_path / "out")),
        "motion": ("circle", "-o", str(tmp_path / "m.csv")),
        "simulate": ("--motion", "circle", "-o", str(tmp_path / "out")),
        "export-c": ("--controller", "pid", "-o", str(tmp_path / "out")),
    }
    shown = command(words, doubtful(tmp_path), *more.get(words, ()))
    assert shown.returncode == 0, shown.stderr
    doubts = [line for line in shown.stderr.splitlines() if "degrees" in line]
    assert len(doubts) == 1
    assert doubts[0].startswith(f"warning: mine.toml: {DOUBT}")
    assert "Warning" not in shown.stderr
    assert "in degrees" not in shown.stdout


def test_doubts_of_a_check_can_be_read_by_programs(tmp_path: Path) -> None:
    shown = command("check", doubtful(tmp_path), "--json")
    assert [entry["key"] for entry in json.loads(shown.stdout)["warnings"]] == ["legs[0].elements[0].actuator.upper"]
    assert "warning" not in shown.stderr
    assert "warning" not in command("check", "five_bar").stderr


def test_other_warnings_of_a_command_are_shown_by_python() -> None:
    lines = ("import warnings", "from parakin.cli import app", "app.command('noisy')(lambda: warnings.warn('another'))")
    script = [sys.executable, "-c", "\n".join((*lines, "app()")), "noisy"]
    shown = subprocess.run(script, capture_output=True, text=True, check=True)
    assert "UserWarning: another" in shown.stderr


# Which way a leg closes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["delta", "five_bar", "h4", "orthoglide", "hexaglide", "hexa", "planar_3rrr"])
def test_a_leg_with_two_branches_must_say_which(name: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        describe(changed("legs[0].branch", ..., name), "mine.toml")
    ((key, reason),) = caught.value.problems
    assert key == "legs[0].branch"
    for way in ('elbow = "outwards"', 'elbow = "inwards"', "branch = 1", "branch = -1"):
        assert way in reason
    describe(tables(name), "mine.toml")


@pytest.mark.parametrize("name", ["delta", "delta_shaft", "five_bar", "h4", "hexa", "hexapod_sliding", "quattro"])
def test_elbows_by_word_are_those_by_sign(name: str) -> None:
    original = load_description(name)
    for elbow, sign in (("outwards", 1), ("inwards", -1)):
        found = tables(name)
        for leg in found["legs"]:
            if leg.pop("branch", None) is not None:
                leg["elbow"] = elbow
        robot = describe(found, "mine.toml")
        assert [leg.branch for leg in robot.legs] == [leg.branch and sign * leg.branch for leg in original.legs]
        assert set(elbow_directions(robot).values()) == {elbow}
        assert parse(to_toml(robot).encode(), "again") == robot


def test_elbows_are_where_the_kinematics_put_them() -> None:
    """An elbow is the tip of the first element; outwards is farther from the base's axis."""
    for name in ("delta", "five_bar", "h4", "hexapod_sliding", "quattro", "planar_3rrr"):
        robot = pk.load(name)
        mirrored = robot.replace(
            legs=[leg.model_dump() | {"branch": -(leg.branch or 0)} for leg in robot.description.legs]
        )
        distances = []
        for one in (robot, mirrored):
            elements = one.elements(one.home, np.zeros(one.degrees_of_freedom), np.zeros(one.degrees_of_freedom))
            B = np.asarray(elements.A)[1::2]
            distances.append(np.linalg.norm((B - np.mean([leg.root for leg in one.legs], axis=0))[:, :2], axis=1))
        directions = list(elbow_directions(robot.description).values())
        assert directions == ["outwards" if own > other else "inwards" for own, other in zip(*distances, strict=True)]


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        ("delta", "legs[0].elbow", "outwards", "legs[0].elbow: branch says it already: keep one of the two"),
        ("gough_stewart", "legs[0].elbow", "outwards", "legs[0].elbow: telescopic on universal has no elbow to choose"),
        ("gough_stewart", "legs[0].branch", 1, "legs[0].branch: telescopic on universal closes in one way only"),
        ("hexa_offset", "legs[0].branch", 1, "which says the way: remove it"),
        (
            "delta",
            "legs[0].elbow",
            "outward",
            "must be 'outwards' or 'inwards', got 'outward', did you mean 'outwards'?",
        ),
        ("delta", "legs[0].elbow", 1, "must be 'outwards' or 'inwards', got 1"),
        ("delta", "legs[0].elbw", "outwards", "unknown key, did you mean 'elbow'?"),
        ("delta", "legs[0].branch", "outwards", "legs[0].branch: must be -1 or 1"),
    ],
)
def test_elbows_that_cannot_be_meant_are_refused(name: str, path: str, value: Any, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        describe(changed(path, value, name), "mine.toml")
    assert message in str(caught.value)


def test_elbows_that_are_neither_out_nor_in_are_refused() -> None:
    """The carriages of an Orthoglide at home, and of vertical rails, are as far out one way as the other."""
    found = changed("legs[0].elbow", "outwards", "orthoglide")
    del found["legs"][0]["branch"]
    with pytest.raises(DescriptionError, match=r"equally far from the base's axis: say branch = 1 \(the"):
        describe(found, "mine.toml")


def test_copies_of_a_leg_must_agree_where_their_elbow_is() -> None:
    found = changed("legs[0].elbow", "outwards", "planar_3rrr")
    del found["legs"][0]["branch"]
    describe(found, "mine.toml")
    found["workspace"]["home"] = [0.0, 0.12, 0.9]
    with pytest.raises(DescriptionError, match="its copies need different signs"):
        describe(found, "mine.toml")


def test_check_says_where_elbows_point() -> None:
    assert "elbows of leg1, leg2, leg3 point outwards" in command("check", "delta").stdout
    said = str(pk.survey(pk.load("orthoglide"), count=10))
    assert "elbows of axis1, axis2, axis3 point neither outwards nor inwards, but along the rail, behind" in said
    uru = pk.survey(pk.load(DATA[-1]), count=10)
    assert "elbows of leg1, leg2, leg3 point neither outwards nor inwards (branch = 1)" in str(uru)
    assert "elbow" not in str(pk.survey(pk.load("palida"), count=10))


# Sources --------------------------------------------------------------------------------------------------------------


def without_sources(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_sources(entry) for key, entry in value.items() if key != "source"}
    return [without_sources(entry) for entry in value] if isinstance(value, list) else value


def sources_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        inner = [source for key, entry in value.items() if key != "source" for source in sources_of(entry)]
        return [*([value["source"]] if "source" in value else []), *inner]
    return [source for entry in value for source in sources_of(entry)] if isinstance(value, list | tuple) else []


@pytest.mark.parametrize("name", library())
def test_one_source_at_the_top_serves_all_tables(name: str) -> None:
    given = tables(name)
    before = copy.deepcopy(given)
    robot = describe(without_sources(given) | {"source": "drawing 17"}, "mine.toml")
    full = describe(given, "mine.toml")
    assert given == before, "what is given is not changed"
    assert set(sources_of(robot.model_dump())) == {"drawing 17"}
    assert len(sources_of(robot.model_dump())) == len(sources_of(full.model_dump()))
    assert parse(to_toml(robot).encode(), "again") == robot


def test_a_source_serves_what_is_inside_its_table() -> None:
    found = without_sources(tables()) | {"source": "drawing 17"}
    found["legs"][0]["source"] = "drawing 18"
    found["legs"][0]["elements"][1]["source"] = "catalogue"
    leg = describe(found, "mine.toml").legs[0]
    arm, forearm = leg.elements
    assert arm.actuator is not None
    assert [leg.source, arm.source, arm.actuator.source, arm.bodies[0].source] == ["drawing 18"] * 4
    assert [forearm.source, forearm.bodies[0].source] == ["catalogue"] * 2


def test_a_file_without_any_source_says_so_once() -> None:
    with pytest.raises(DescriptionError) as caught:
        describe(without_sources(tables()), "mine.toml")
    ((key, reason),) = caught.value.problems
    assert key == "source"
    assert "say once, at the top, where the numbers come from" in reason


# Shapes ---------------------------------------------------------------------------------------------------------------


def shaped(**keys: Any) -> RobotDescription:
    """A Delta whose forearm's first rod has a shape."""
    return describe(written(ROD, keys, removed=tuple({"inertia", "com"} - keys.keys())), "mine.toml")


def rod_of(robot: RobotDescription) -> Any:
    return robot.legs[0].elements[1].bodies[0]


def test_rods_and_tubes_lie_along_their_element() -> None:
    thin = rod_of(shaped(shape="rod"))
    assert thin.com == (0.25, 0.0, 0.0), "half the bar"
    np.testing.assert_allclose(thin.inertia, np.diag([0, 1, 1]) * 0.06 * 0.5**2 / 12, rtol=EXACT)
    thick = rod_of(shaped(shape="rod", length=0.4, radius=0.01))
    assert thick.com == (0.2, 0.0, 0.0)
    across = 0.06 * (3 * 0.01**2 + 0.4**2) / 12
    np.testing.assert_allclose(thick.inertia, np.diag([0.06 * 0.01**2 / 2, across, across]), rtol=EXACT)
    tube = rod_of(shaped(shape="tube", outer_radius=0.01, inner_radius=0.008, com=[0.26, 0.0, 0.0]))
    assert tube.com == (0.26, 0.0, 0.0), "as given"
    across = 0.06 * (3 * (0.01**2 + 0.008**2) + 0.5**2) / 12
    np.testing.assert_allclose(tube.inertia, np.diag([0.06 * (0.01**2 + 0.008**2) / 2, across, across]), rtol=EXACT)
    assert not np.any(rod_of(shaped(shape="point", com=[0.5, 0.0, 0.0])).inertia)


@pytest.mark.filterwarnings("ignore::parakin.ImplausibleValueWarning")  # a plate of nearly no volume
def test_shapes_are_limits_of_each_other() -> None:
    """A tube without a hole is a rod, a plate of no width a thin rod; a tube is a rod less the rod inside it."""
    moments = {key: np.diag(rod_of(robot).inertia) for key, robot in {
        "rod": shaped(shape="rod", radius=0.01),
        "inside": shaped(shape="rod", radius=0.006),
        "disc": shaped(shape="tube", outer_radius=0.01, inner_radius=0.0),
        "tube": shaped(shape="tube", outer_radius=0.01, inner_radius=0.006),
        "thin": shaped(shape="rod"),
        "narrow": shaped(shape="plate", sides=[0.5, 1e-9, 1e-9], com=[0.25, 0, 0]),
    }.items()}  # fmt: skip
    np.testing.assert_allclose(moments["disc"], moments["rod"], rtol=EXACT)
    np.testing.assert_allclose(moments["narrow"], moments["thin"], rtol=EXACT, atol=1e-19)
    share = 0.006**2 / 0.01**2  # of the mass of the full rod
    np.testing.assert_allclose(moments["tube"] * (1 - share), moments["rod"] - share * moments["inside"], rtol=1e-12)


def test_shapes_of_platforms_stand_upright() -> None:
    sizes = {"shape": "tube", "outer_radius": 0.05, "inner_radius": 0.0, "length": 0.01}
    disc = describe(written("platform.bodies[0]", sizes, removed=("inertia",)), "mine.toml").platform.bodies[0]
    assert disc.inertia[2][2] == pytest.approx(0.3 * 0.05**2 / 2, rel=EXACT)
    assert disc.inertia[0][0] == pytest.approx(0.3 * (3 * 0.05**2 + 0.01**2) / 12, rel=EXACT)
    plate = {"shape": "plate", "sides": [0.1, 0.2]}
    flat = describe(written("platform.bodies[0]", plate, removed=("inertia",)), "mine.toml").platform.bodies[0]
    np.testing.assert_allclose(flat.inertia, 0.3 / 12 * np.diag([0.2**2, 0.1**2, 0.05]), rtol=EXACT)


def test_a_rod_of_a_tip_part_reaches_back() -> None:
    found = tables("gough_stewart")
    for leg in found["legs"]:
        (piston,) = (body for body in leg["elements"][0]["bodies"] if body.get("part") == "tip")
        del piston["inertia"], piston["com"]
        piston |= {"shape": "rod", "length": 0.6, "radius": 0.02}
    robot = describe(found, "mine.toml")
    assert [body.com for body in robot.legs[0].elements[0].bodies if body.part == "tip"] == [(-0.3, 0.0, 0.0)]
    assert parse(to_toml(robot).encode(), "again") == robot


def test_info_shows_what_a_shape_became(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(page_robot())
    shown = " ".join(command("info", str(file)).stdout.split())
    assert "leg*.forearm.rods 0.04 kg, com [0.15, 0, 0] m from the root, Ixx, Iyy, Izz [0, 0.0003, 0.0003]" in shown


SHAPES_REFUSED = [
    ({"shape": "rod", "inertia": np.zeros((3, 3)).tolist()}, "shape: inertia says it already: keep one of the two"),
    ({"shape": "cylinder"}, 'shape: must be "rod", "tube", "plate" or "point", got \'cylinder\''),
    ({"shape": ["rod"]}, 'shape: must be "rod", "tube", "plate" or "point"'),
    ({"shape": "rod", "length": -0.5}, "length: must be > 0 m, got -0.5"),
    ({"shape": "rod", "radius": -0.01}, "radius: must be >= 0, got -0.01"),
    ({"shape": "rod", "sides": [0.1, 0.1]}, "sides: a rod has length, radius: remove it"),
    ({"shape": "rod", "radius": "thin"}, "radius: must be a number, got 'thin'"),
    ({"shape": "tube", "outer_radius": 0.01}, "inner_radius: is missing"),
    ({"shape": "tube", "outer_radius": 0.01, "inner_radius": 0.02}, "inner_radius must be below outer_radius"),
    ({"shape": "plate"}, "sides: is missing"),
    ({"shape": "plate", "sides": [0.1]}, "sides: tuple should have at least 2 items"),
    ({"shape": "plate", "sides": [0.1, -0.1], "com": [0, 0, 0]}, "sides[1]: must be > 0, got -0.1"),
    (
        {"shape": "plate", "sides": [0.1, 0.2, 0.3], "com": [0.2, 0, 0]},
        "a parallelogram root leaves its spin undetermined",
    ),
    ({"shape": "point"}, "com: is missing"),
    ({"shape": "point", "com": [0.2, 0, 0], "radius": 0.1}, "radius: a point has no sizes: remove it"),
    ({"radius": 0.1, "com": [0.2, 0, 0]}, "radius: is a size of a shape: add shape ="),
    ({"com": [0.2, 0, 0]}, 'inertia: is missing: give the tensor about the centre of mass [kg m^2], or shape = "rod"'),
    ({"shape": "rod", "mass": -1.0}, "mass: must be > 0 kg, got -1.0"),
    ({"shape": "rod", "lenght": 0.4}, "lenght: unknown key, did you mean 'length'?"),
]


@pytest.mark.parametrize(("keys", "message"), SHAPES_REFUSED)
def test_shapes_that_cannot_be_meant_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        describe(written(ROD, keys, removed=tuple({"inertia", "com"} - keys.keys())), "mine.toml")
    assert message in str(caught.value)
    assert all(key.startswith(ROD) for key, _ in caught.value.problems)
    shaped(shape="rod")


# Zeros of CAD ---------------------------------------------------------------------------------------------------------

ROUNDED = [
    # robot, key, zeros as CAD writes them, a number that is no rounding, what is said of it
    ("five_bar", "legs[0].root", [0.1, 0.0, 1e-17], [0.1, 0.0, 1e-4], "a planar robot lies in z = 0"),
    ("five_bar", "legs[0].attachment.b", [0.0, 0.0, -3e-18], [0.0, 0.0, -1e-6], "a planar robot lies in z = 0"),
    ("five_bar", f"{ARM}.joint.axis", [6e-17, 0.0, 1.0], [1e-6, 0.0, 1.0], "a planar robot turns about z"),
    ("five_bar", f"{FOREARM}.joint.axis", [1e-12, -6e-17, 1.0], [0.0, 1e-3, 1.0], "a planar robot turns about z"),
    ("planar_3rpr", f"{ARM}.joint.axis", [0.0, 2e-16, -1.0], [0.0, 0.1, -1.0], "a planar robot turns about z"),
    ("delta", f"{ROD}.com", [0.25, 1e-18, -2e-17], [0.25, 1e-4, 0.0], "leaves its spin undetermined"),
]


@pytest.mark.parametrize(("name", "path", "value", "wrong", "message"), ROUNDED)
def test_rounding_is_taken_for_zero(name: str, path: str, value: Any, wrong: Any, message: str) -> None:
    exact = [0.0 if abs(number) < 1e-9 else number for number in value]
    robot = describe(changed(path, value, name), "mine.toml")
    assert robot == describe(changed(path, exact, name), "mine.toml"), "bit by bit"
    assert expanded_legs(robot)
    with pytest.raises(DescriptionError, match=message):
        describe(changed(path, wrong, name), "mine.toml")


def test_the_elbow_axis_of_a_uru_may_be_rounded() -> None:
    original = load_description(DATA[-1])
    found: Any = json.loads(original.model_dump_json())
    found["legs"][0]["elements"][1]["joint"]["axis"] = [3e-17, 1.0, -1e-16]
    assert describe(found, "mine.toml") == original
    found["legs"][0]["elements"][1]["joint"]["axis"] = [1e-3, 1.0, 0.0]
    with pytest.raises(DescriptionError, match="say roughly where each element points at home"):
        describe(found, "mine.toml")


# The page -------------------------------------------------------------------------------------------------------------


def page_robot() -> str:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return text


def test_the_robot_of_the_page_is_good(tmp_path: Path) -> None:
    file = tmp_path / "my_delta.toml"
    file.write_text(page_robot())
    checked = command("check", str(file))
    assert checked.returncode == 0
    assert "2000 of 2000 sampled poses and 8 of 8 corners are good" in checked.stdout
    assert "elbows of leg1, leg2, leg3 point outwards" in checked.stdout
    assert "warning" not in checked.stdout + checked.stderr


def test_the_doubt_shown_on_the_page_is_the_one_given(tmp_path: Path) -> None:
    file = tmp_path / "my_delta.toml"
    file.write_text(page_robot().replace("com = [0.06,", "com = [60.0,"))
    with pytest.warns(ImplausibleValueWarning) as caught:
        pk.load(file)
    assert str(caught[0].message) in PAGE.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::parakin.errors.ImplausibleValueWarning")
@settings(max_examples=300)
@given(seed=st.integers(0, 2**32 - 1), changes=st.integers(1, 3))
def test_mutants_of_the_page_load_right_or_are_refused(seed: int, changes: int) -> None:
    """Whatever loads has sources, tensors and signs written out, and reads back equal."""
    rng = random.Random(seed)
    found = tomllib.loads(page_robot())
    for _ in range(changes):
        found = mutated(found, rng)
    try:
        robot = describe(found, "mutant.toml")
    except DescriptionError:
        return
    assert all(leg.branch is not None for leg in robot.legs if len(leg.elements) == 2)
    assert parse(to_toml(robot).encode(), "again") == robot


def test_the_schema_knows_what_a_file_may_leave_out() -> None:
    schema = json.loads(command("schema").stdout)
    assert schema["$defs"]["Leg"]["properties"]["elbow"]["enum"] == ["outwards", "inwards"]
    body = schema["$defs"]["Body"]
    assert {"shape", "length", "radius", "inner_radius", "outer_radius", "sides"} <= body["properties"].keys()
    assert body["required"] == ["name", "mass"]
    assert "source" in schema["required"]
