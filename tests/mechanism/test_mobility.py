"""Whether platforms move as files claim: impostors are refused in words, others let through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.description import RobotDescription, describe, library, load_description, to_toml
from parakin.mechanism.assembling import assemble
from parakin.mechanism.expansion import graph_of
from parakin.mechanism.mobility import mobility_of, platform_twists
from parakin.mechanism.skeleton import skeleton
from tests.commands import command
from tests.machines import SOURCE, arm, floats, leg, robot, strut

SPACE = 1e-8
"""Largest difference between two projections on spaces of twists; they are computed to about 1e-13."""
THIRDS = 2 * np.pi / 3 * np.arange(3)


def ring(radius: float, turn: float = 0.0, height: float = 0.0) -> Array:
    """Three points on a circle."""
    angles = THIRDS + turn
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(3, height)])


UNIVERSAL = {"type": "universal"}


def three_struts(
    joint: dict[str, Any],
    at_platform: dict[str, Any] | None,
    *,
    tangential: bool = True,
    platform_radius: float = 0.2,
    home: tuple[float, float, float] = (0.02, 0.03, 0.6),
) -> RobotDescription:
    """Three telescopic legs claimed to translate; axes of universals tangential to the circle, or the same for all."""
    legs: list[dict[str, Any]] = []
    base, platform = ring(0.5), ring(platform_radius)
    for k in range(3):
        tangent = [-np.sin(THIRDS[k]), np.cos(THIRDS[k]), 0.0] if tangential else [0.0, 0.0, 1.0]
        axis = {"axis": floats(tangent)} if joint["type"] == "universal" else {}
        table = leg(k, base[k], platform[k], strut(joint | axis))
        if at_platform is not None:
            table["attachment"]["joint"] = at_platform
        legs.append(table)
    return robot("three_struts", "translation", home, legs, 0.3)


def delta(joint: dict[str, Any]) -> RobotDescription:
    """A Delta whose forearms stand on the given joints."""
    base, platform = ring(0.2), ring(0.05)
    legs = [
        leg(k, base[k], platform[k], arm(np.cross([0, 0, 1], base[k]), base[k], (0.24, 0.5), joint)) for k in range(3)
    ]
    return robot("delta", "translation", (0.0, 0.0, -0.43), legs, 0.2)


# What is claimed -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", library())
def test_every_robot_of_the_library_is_what_it_claims(name: str) -> None:
    found = mobility_of(load_description(name))
    assert found.good, found
    assert found.freedoms == load_description(name).motion_type.degrees_of_freedom


@pytest.mark.parametrize(
    ("name", "redundant", "idle"),
    [("delta", 0, 6), ("gough_stewart", 0, 0), ("planar_3rrr", 6, 0), ("quattro", 8, 8), ("h4", 0, 8)],
)
def test_redundant_and_idle_are_counted_as_by_gruebler_and_kutzbach(name: str, redundant: int, idle: int) -> None:
    """Freedoms = sum of 6 a body less what joints take: the difference to the true number is what is redundant."""
    description = load_description(name)
    found = mobility_of(description)
    graph = graph_of(description)
    by_count = 6 * len(graph.bodies) - sum(joint.row_count for joint in graph.joints)
    assert found.redundant == redundant == found.freedoms - by_count
    assert sum(found.spins.values()) + len(found.idle) == idle
    assert f"redundant constraints: {redundant or 'none'}" in str(found)
    assert f"idle freedoms: {idle or 'none'}" in str(found)


def test_three_struts_on_balls_are_refused_as_a_translating_platform() -> None:
    found = mobility_of(three_struts({"type": "spherical"}, None))
    assert not found.good
    (problem,) = found.problems
    assert "the platform can turn about x, y and z although motion = 'translation'" in problem
    assert "leg1, leg2 and leg3 (telescopic on spherical, spherical at the platform)" in problem
    assert "motion = 'spatial'" in problem
    assert "attachment.joint" in problem
    assert found.freedoms == 6
    assert found.spins == {"leg1": 1, "leg2": 1, "leg3": 1}


def test_a_delta_with_one_rod_a_leg_is_refused() -> None:
    found = mobility_of(delta({"type": "spherical"}))
    (problem,) = found.problems
    assert "the platform can turn about x, y and z although motion = 'translation'" in problem
    assert "bar on revolute, then bar on spherical" in problem
    assert mobility_of(delta({"type": "parallelogram", "axis": [0.0, 0.0, 1.0]})).good


def test_a_translating_platform_on_universal_joints_is_let_through_where_it_is_one() -> None:
    assert mobility_of(three_struts(UNIVERSAL, UNIVERSAL)).good
    (problem,) = mobility_of(three_struts(UNIVERSAL, UNIVERSAL, tangential=False)).problems
    assert "the platform can turn about z although" in problem
    assert "motion = 'schoenflies' and drive its 4 freedoms" in problem


def test_a_home_at_a_constraint_singularity_is_said() -> None:
    """A 3-UPU with parallel legs: there alone nothing holds the platform against tilting."""
    singular = mobility_of(three_struts(UNIVERSAL, UNIVERSAL, platform_radius=0.5, home=(0.0, 0.0, 0.6)))
    (warning,) = singular.warnings
    assert "home is a constraint singularity: there the platform can also turn about x and y" in warning
    assert singular.freedoms == 3
    assert f"warning: {warning}" in str(singular)


def test_axes_that_a_file_rounds_hold_and_free_nothing() -> None:
    """A Delta's rods are off the axes of its arms by rounding: it translates but for that, and its loops close so."""
    rounded = delta({"type": "parallelogram", "axis": [1e-5, -2e-5, 1.0]})
    assert mobility_of(rounded).good
    assert mobility_of(rounded).freedoms == 3
    tilted = mobility_of(delta({"type": "parallelogram", "axis": [0.02, -0.01, 1.0]}))
    assert not tilted.good


def test_a_box_that_is_too_large_is_no_matter_of_mobility() -> None:
    tables = load_description("delta").model_dump()
    tables["workspace"] |= {"lower": (-3.0, -3.0, -3.0), "upper": (3.0, 3.0, 3.0)}
    assert mobility_of(RobotDescription.model_validate(tables)).good


def test_a_pose_that_is_singular_at_home_alone_is_warned_of() -> None:
    """Struts of a planar robot that meet in a point at home: there alone its motors let the platform turn."""
    base, platform = ring(0.5), ring(0.2)
    hinge = {"type": "revolute", "axis": [0.0, 0.0, 1.0]}
    legs = [leg(k, base[k], platform[k], strut(hinge)) for k in range(3)]
    found = mobility_of(robot("meeting", "planar", (0.0, 0.0, 0.0), legs, 0.3))
    assert found.good
    (warning,) = found.warnings
    assert "home is singular: there, with all motors locked, the platform can turn about z" in warning


def test_motors_that_do_not_hold_the_platform_are_said() -> None:
    """Legs that are parallel everywhere can all keep their lengths while the platform swings on them."""
    (problem,) = mobility_of(three_struts(UNIVERSAL, UNIVERSAL, platform_radius=0.5, home=(0.1, 0.05, 0.6))).problems
    assert "with all motors locked the platform can still move along [" in problem


def test_axes_that_do_not_fit_are_said() -> None:
    along = {"type": "universal", "axis": [0.0, 1.0, 0.0], "leg_axis": [0.0, 1.0, 0.0]}
    (problem,) = mobility_of(three_struts(UNIVERSAL, along)).problems
    assert "the joints do not fit each other at home" in problem
    assert any(f"{name}_strut_tip_platform stays open" in problem for name in ("leg2", "leg3"))  # those of leg1 fit
    assert "leg_axis" in problem


def test_a_platform_that_is_held_is_refused_with_the_legs_that_hold_it() -> None:
    tables = load_description("gough_stewart").model_dump()
    legs = [entry for entry in tables["legs"] if entry["name"] == "right"]
    legs[0]["attachment"]["joint"] = UNIVERSAL
    (problem,) = mobility_of(describe(tables, "held")).problems
    assert "the platform cannot " in problem
    assert "although motion = 'spatial': held by right1, right2 and right3;" in problem


def test_legs_that_meet_in_a_point_make_a_pin() -> None:
    pin = mobility_of(three_struts(UNIVERSAL, None, platform_radius=0.0))
    assert pin.good
    assert pin.pin
    assert "has a place and no orientation" in str(pin)


# The commands --------------------------------------------------------------------------------------------------------


def test_check_fails_for_an_impostor_and_says_why(tmp_path: Path) -> None:
    file = tmp_path / "impostor.toml"
    file.write_text(to_toml(three_struts({"type": "spherical"}, None)), encoding="utf-8")
    shown = command("check", str(file))
    assert shown.returncode == 1
    assert "home: good" in shown.stdout  # the legs do close
    assert "problem: the platform can turn about x, y and z although motion = 'translation'" in shown.stdout
    told = json.loads(command("check", str(file), "--json").stdout)
    assert not told["good"]
    assert told["problems"][0]["key"] == "motion"
    assert told["mobility"]["freedoms"] == 6


def test_check_and_info_tell_the_mobility_of_a_good_robot() -> None:
    shown = command("check", "five_bar")
    assert shown.returncode == 0
    assert "mobility: planar-translation motion, as its joints allow" in shown.stdout
    card = command("info", "planar_3rrr").stdout
    assert "redundant constraints" in card
    assert "6, between leg2_forearm_platform and leg3_forearm_platform" in " ".join(card.split())


# Against screws computed here ----------------------------------------------------------------------------------------


def turn(axis: Array, through: Array) -> Array:
    """The twist, at the base's origin, of a turn about a line."""
    return np.concatenate([np.cross(through, axis), axis])


def ball(through: Array) -> list[Array]:
    return [turn(axis, through) for axis in np.eye(3)]


def directions(rng: np.random.Generator, count: int) -> Array:
    v = rng.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def basis(columns: list[Array]) -> Array:
    if not columns:
        return np.zeros((6, 0))
    U, sizes, _ = np.linalg.svd(np.column_stack(columns), full_matrices=False)
    return U[:, sizes > 1e-9]


def meeting(spaces: list[Array]) -> Array:
    """What several spaces have in common."""
    across = np.vstack([np.eye(6) - U @ U.T for U in spaces])
    _, sizes, V = np.linalg.svd(across)
    return V[np.sum(sizes > 1e-9) :].T


def random_leg(rng: np.random.Generator, number: int, home: Array) -> tuple[dict[str, Any], Array]:
    """A leg of random kind and size, and what it alone lets the platform do."""
    root, b = rng.uniform(-1, 1, (2, 3))
    tip = home + b
    screws: list[Array] = []
    carrier, start = np.eye(3), root
    kind = rng.choice(["universal", "spherical", "parallelogram"])
    jointed = bool(rng.integers(2)) or kind == "parallelogram"
    axis, aside = directions(rng, 2)
    x_1 = np.cross(axis, aside) / np.linalg.norm(np.cross(axis, aside))
    if jointed:
        start = root + 0.4 * x_1
        carrier = np.column_stack([x_1, np.cross(axis, x_1), axis])
        screws.append(turn(axis, root))
    d = float(np.linalg.norm(tip - start))
    x, a = (tip - start) / d, directions(rng, 1)[0]
    y = np.cross(x, a) / np.linalg.norm(np.cross(x, a))
    joint = {"type": str(kind)} | ({} if kind == "spherical" else {"axis": floats(carrier.T @ a)})
    elements = arm(axis, x_1, (0.4, d), joint) if jointed else strut(joint)
    table = leg(number, root, b, elements)
    if jointed:
        table["branch"] = int(np.sign(np.cross(x_1, x) @ axis))
    else:
        screws.append(np.concatenate([x, np.zeros(3)]))
    if kind == "parallelogram":
        rods = [np.concatenate([x, np.cross(tip + s * 0.05 * a, x)]) for s in (-1, 1)]
        _, _, V = np.linalg.svd(np.array(rods))
        return table, basis([*screws, *V[2:]])
    screws += ball(start) if kind == "spherical" else [turn(a, start), turn(y, start)]
    ends = ["spherical", "revolute", "rigid", *(["universal"] if kind == "universal" else [])]
    end = str(rng.choice(ends))
    at_platform: dict[str, Any] = {"type": end}
    on_leg, other = directions(rng, 2)
    on_platform = np.cross(on_leg, other)
    if end == "spherical":
        screws += ball(tip)
    elif end in ("revolute", "universal"):
        at_platform["axis"] = floats(on_platform)
        screws.append(turn(on_platform, tip))
    if end == "universal":
        at_platform["leg_axis"] = floats(np.column_stack([x, y, np.cross(x, y)]).T @ on_leg)
        screws.append(turn(on_leg, tip))
    table["attachment"]["joint"] = at_platform
    return table, basis(screws)


def assembled(legs: list[dict[str, Any]], home: Array) -> RobotDescription:
    """A robot of any legs, which a loader would refuse for its motors."""
    quaternion = [1.0, 0.0, 0.0, 0.0]
    box = {"lower": [-0.05] * 6, "upper": [0.05] * 6}
    tables = {
        "name": "any_legs",
        "title": "any legs",
        "motion": "spatial",
        "length": 0.5,
        "source": SOURCE,
        "workspace": {"home": [*floats(home), *quaternion], "source": SOURCE} | box,
        "platform": {"source": SOURCE},
        "legs": legs,
    }
    return RobotDescription.model_validate(tables)


@pytest.mark.parametrize("seed", range(60))
def test_random_legs_leave_the_platform_what_their_screws_have_in_common(seed: int) -> None:
    rng = np.random.default_rng(seed)
    home = np.array([0.1, -0.2, 1.0])
    legs, spaces = zip(*(random_leg(rng, k, home) for k in range(int(rng.integers(1, 7)))), strict=True)
    tree = skeleton(graph_of(assembled(list(legs), home)))
    found = platform_twists(tree, assemble(tree).configuration)
    x, y, z = home
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    at_E = np.block([[np.eye(3), -cross], [np.zeros((3, 3)), np.eye(3)]])
    scale = np.diag([1 / tree.size] * 3 + [1.0] * 3)
    expected = basis(list((scale @ at_E @ meeting(list(spaces))).T))
    assert found.shape == expected.shape
    assert np.max(np.abs(found @ found.T - expected @ expected.T), initial=0.0) < SPACE
