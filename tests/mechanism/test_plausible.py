"""Mechanism files whose numbers are probably in another unit: said, with the unit that was meant; others are silent."""

from __future__ import annotations

import copy
import itertools
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parakin.errors import ImplausibleValueWarning
from parakin.mechanism import describe_mechanism, load_mechanism_description, mechanism_library, mechanism_to_toml
from parakin.mechanism.plausible import implausible_mechanism
from tests import mechanisms

MACHINES = Path(__file__).parents[2] / "docs" / "machines"
FOUR_BAR: dict[str, Any] = tomllib.loads(mechanism_to_toml(load_mechanism_description("four_bar")))


def four_bar(change: Callable[[dict[str, Any]], None]) -> list[str]:
    """Return the warnings, in words, about the four-bar with a change."""
    tables = copy.deepcopy(FOUR_BAR)
    change(tables)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ImplausibleValueWarning)
        describe_mechanism(tables, "mine.toml")
    return [str(entry.message) for entry in caught]


@pytest.mark.parametrize("name", [*mechanism_library(), *mechanisms.NAMES, *MACHINES.glob("*.toml")], ids=str)
def test_mechanisms_that_are_right_are_not_doubted(name: str | Path) -> None:
    known = isinstance(name, str) and name in mechanisms.NAMES and name not in mechanism_library()
    description = mechanisms.described(str(name)) if known else load_mechanism_description(name)
    assert implausible_mechanism(description) == []


def scaled(value: list[float], factor: float) -> list[float]:
    return [factor * entry for entry in value]


def in_millimetres(tables: dict[str, Any]) -> None:
    for joint in tables["joints"]:
        frame = joint["parent_frame"]
        frame["position"] = scaled(frame.get("position", [0.0, 0.0, 0.0]), 1e3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.update(length=300.0), "length: 300 m is"),
        (lambda t: t["bodies"][0].update(mass=250.0), "bodies[0].mass: 250 kg is much for a body"),
        (lambda t: t["bodies"][1].update(com=[180.0, 0.0, 170.0]), "probably in millimetres"),
        (
            lambda t: t["bodies"][2].update(inertia=[[2e3, 0, 0], [0, 2e3, 0], [0, 0, 1e2]]),
            "bodies[2].inertia: 2.05e+03 kg m^2 for 0.35 kg is a radius of gyration of 76.5 m",
        ),
        (lambda t: t["joints"][2]["parent_frame"].update(position=[300.0, 0.0, 260.0]), "joints[2].parent_frame"),
        (in_millimetres, "joints: the mechanism's size is"),
        (lambda t: t.update(gravity=[0.0, 0.0, -9810.0]), "gravity: 9810 m/s^2: probably in mm/s^2"),
        (lambda t: t["workspace"].update(lower=[-90.0]), "workspace.lower: -90 rad is 14 turns: probably in degrees"),
        (
            lambda t: t["joints"][0]["freedoms"]["angle"].update(upper=180.0),
            "freedoms.angle.upper: 180 rad is 29 turns",
        ),
        (lambda t: t["joints"][0]["freedoms"]["angle"]["drive"].update(speed=3000.0), "rpm or degrees per second"),
        (
            lambda t: t["joints"][0]["freedoms"]["angle"]["drive"].update(rotor_inertia=2e3),
            "times what all bodies have",
        ),
        (
            lambda t: t["output"]["frame"].update(position=[180.0, 0.0, 170.0]),
            "output.frame.position: 247.2 m is",
        ),
    ],
)
def test_numbers_in_other_units_are_told(change: Callable[[dict[str, Any]], None], words: str) -> None:
    assert any(words in text for text in four_bar(change)), four_bar(change)


def test_a_shape_is_named_instead_of_the_tensor_that_follows_from_it() -> None:
    def change(tables: dict[str, Any]) -> None:
        body = tables["bodies"][0]
        tables["bodies"][0] = {"name": body["name"], "mass": 0.2, "shape": "rod", "length": 60.0}

    (text,) = four_bar(change)
    assert "bodies[0].shape" in text


def links(mass: float, gyration: float, upper: float = 6.2832) -> dict[str, Any]:
    """A humanoid's torso behind small links: a body that is heavy beside most of the machine."""
    moment = mass * gyration**2
    names = ["world", "torso", "hip", "thigh", "knee", "ankle"]
    bodies = [{"name": "torso", "mass": mass, "inertia": [[moment, 0, 0], [0, moment, 0], [0, 0, moment]]}]
    joints: list[dict[str, Any]] = []
    for k, (one, other) in enumerate(itertools.pairwise(names)):
        height = 0.1 * k
        joints.append(
            {
                "name": f"joint{k}",
                "type": "revolute",
                "parent": one,
                "child": other,
                "parent_frame": {"position": [0.0, 0.0, height]},
                "freedoms": {"angle": {"lower": -upper, "upper": upper, "drive": {}}},
            }
        )
        if k:
            inertia = [[2e-4, 0, 0], [0, 2e-4, 0], [0, 0, 1e-4]]
            bodies.append({"name": other, "mass": 0.3, "com": [0.0, 0.0, height], "inertia": inertia})
    return {
        "name": "leg",
        "title": "A torso on a leg of short links",
        "source": "invented",
        "bodies": bodies,
        "joints": joints,
        "output": {"body": "ankle"},
    }


def doubts(tables: dict[str, Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ImplausibleValueWarning)
        describe_mechanism(tables, "leg.toml")
    return [str(entry.message) for entry in caught]


def test_a_heavy_body_with_moments_to_match_is_not_in_grams() -> None:
    """A torso of 15 kg with a radius of gyration of 0.15 m, behind links of 0.1 m: it was "probably in grams"."""
    assert doubts(links(15.0, 0.15)) == []
    assert doubts(links(3.7, 0.036)) == []  # a link of Kangaroo's legs, full of motors
    assert doubts(links(720.0, 0.93)) == []  # the chassis of Gazebo's Polaris Ranger: no metal has g m^2 at that mass
    (told,) = doubts(links(1.0, 1.22))  # and an invented steering wheel
    assert "bodies[0].inertia" in told
    (told,) = doubts(links(15.0, 0.005))
    assert "bodies[0].mass: 15 kg is much for a body of a mechanism of this size: probably in grams" in told


@pytest.mark.parametrize(
    ("angle", "doubted"),
    [(6.2832, False), (6.28319, False), (9.42478, False), (10.0, False), (15.0, True), (90.0, True)],
)
def test_angles_of_a_turn_or_two_are_not_doubted(angle: float, doubted: bool) -> None:
    """One turn as files of UR5e, UR10e, Lite6 and xArm7 round it, one and a half in ANYmal C's, 10 rad in Solo's."""
    assert bool(doubts(links(15.0, 0.15, angle))) == doubted


@pytest.mark.parametrize(
    ("lower", "upper", "doubted"),
    [(-18.488883882036344, 6.643857346682001, False), (0.0, 25.1327, False), (-18.4889, 6.0, True), (0.0, 45.0, True)],
)
def test_ranges_of_whole_turns_are_in_radians(lower: float, upper: float, doubted: bool) -> None:
    """The first is that of a hinge of ToddlerBot's neck in MuJoCo's Menagerie, four turns: it was "in degrees"."""
    tables = links(15.0, 0.15)
    tables["joints"][0]["freedoms"]["angle"] |= {"lower": lower, "upper": upper}
    assert bool(doubts(tables)) == doubted


def test_frames_with_the_least_mass_of_a_simulator_are_not_doubted() -> None:
    """As onshape-to-robot writes them, with a moment that has nothing to do with the mass."""
    light = {"mass": 1e-10, "inertia": [[1e-9, 0, 0], [0, 1e-9, 0], [0, 0, 1e-9]]}
    assert four_bar(lambda tables: tables["bodies"][0].update(light)) == []
    wrong = {"inertia": [[0.9, 0, 0], [0, 0.9, 0], [0, 0, 0.9]]}
    assert any("radius of gyration" in words for words in four_bar(lambda tables: tables["bodies"][0].update(wrong)))
