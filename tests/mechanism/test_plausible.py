"""Mechanism files whose numbers are probably in another unit: said, with the unit that was meant; others are silent."""

from __future__ import annotations

import copy
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
