"""What kernels take for a design, against what the loader makes of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parakin.design import Study
from parakin.design.files import robot_tables
from parakin.design.subject import AS_LOADED, Subject, subject_of
from parakin.design.variation import vectors_of
from parakin.errors import DesignError


def subject(
    robot: str, keys: dict[str, str], tables: dict[str, Any] | None = None, low: float = 0.9, of: str = "mass"
) -> Subject:
    """Return a study of one robot with two parameters a, b around 1, of which one quantity is wanted."""
    study = Study.model_validate(
        {
            "name": "varied",
            "title": "Varied",
            "robot": robot,
            "parameters": {"a": {"lower": low, "upper": 1.1}, "b": {"lower": low, "upper": 1.1}},
            "keys": keys,
            "objectives": {of: {"of": of}},
        }
    )
    return subject_of(study, tables or robot_tables(robot, Path()), Path())


KEYS = {
    "delta": {
        "legs[leg].root[0]": "0.2 * a",
        "legs[leg].root[1]": "0.01 * b",
        "legs[leg].elements[arm].length": "0.24 * a",
        "legs[leg].elements[arm].actuator.zero": "0.1 * b - 0.1",
        "legs[leg].attachment.b[0]": "0.05 * sqrt(a)",
        "legs[leg].elements[arm].joint.axis[2]": "0.1 * a - 0.1",
        "legs[leg].elements[arm].actuator.reference[2]": "0.2 * b",
        "legs[leg].elements[arm].actuator.gear_ratio": "2 * a",
        "legs[leg].elements[arm].actuator.friction.coulomb": "0.15 * b",
        "legs[leg].elements[arm].bodies[arm].inertia[1][1]": "0.0029 * a",
        "platform.bodies[plate].mass": "0.3 * b",
        "workspace.home[2]": "-0.43 * cos(a - 1)",
    },
    "orthoglide": {
        "legs[0].elements[0].direction[1]": "0.1 * a - 0.1",
        "legs[0].elements[1].length": "0.4 * b + 0.02 * a",
    },
    "gough_stewart": {"legs[0].elements[0].joint.axis[2]": "0.2 * a", "legs[0].root[2]": "0.05 * b"},
}


@pytest.mark.parametrize("robot", list(KEYS))
def test_vectors_of_a_design_are_those_of_its_file(robot: str) -> None:
    made = subject(robot, KEYS[robot])
    assert made.variation is not None, made.slow
    x = np.array([1.04, 0.95])
    found = made.variation.function(x=x)
    loaded = made.robot_at(x).description
    expected = vectors_of(loaded)
    assert set(made.variation.inputs) <= set(expected)
    assert "directions" in made.variation.inputs
    for name in (*made.variation.inputs, "home"):
        values = np.array(found[name]).ravel()
        if name == "directions":
            values = (values.reshape(-1, 3) / np.linalg.norm(values.reshape(-1, 3), axis=1, keepdims=True)).ravel()
        assert np.allclose(values, expected[name], rtol=0.0, atol=AS_LOADED * np.max(np.abs(expected[name])))
        assert not np.array_equal(expected[name], vectors_of(made.robot.description)[name]) or name == "home"


def test_shapes_follow_the_numbers_that_they_are_made_of() -> None:
    """A tube along its element is as long as that; its tensor and its centre of mass follow."""
    from pathlib import Path

    tables = robot_tables("five_bar", Path())
    for element, shape in zip(
        tables["legs"][0]["elements"],
        ({"shape": "tube", "outer_radius": 0.012, "inner_radius": 0.01}, {"shape": "rod"}),
        strict=True,
    ):
        element["bodies"] = [{"name": "bar", "mass": 0.3, **shape}]
    keys = {
        "legs[side].elements[arm].length": "0.25 * a",
        "legs[side].elements[arm].bodies[bar].mass": "0.3 * a * b",
        "legs[side].elements[arm].bodies[bar].outer_radius": "0.02 * b",
        "legs[side].elements[forearm].length": "0.32 * b",
    }
    made = subject("five_bar", keys, tables)
    assert made.variation is not None, made.slow
    x = np.array([1.07, 0.93])
    found = np.array(made.variation.function(x=x)["parameters"]).ravel()
    assert np.allclose(found, vectors_of(made.robot_at(x).description)["parameters"], rtol=1e-12, atol=1e-15)


def test_keys_that_decide_more_than_numbers_take_a_robot_each() -> None:
    spacing = subject(
        "delta", {"legs[leg].elements[forearm].joint.spacing": "0.08 * a", "legs[leg].root[0]": "0.2 * b"}
    )
    assert spacing.variation is None
    assert "spacing" in spacing.slow
    drive = {"legs[leg].elements[arm].actuator.force": "25 * a", "legs[leg].root[0]": "0.2 * b"}
    assert "force" in subject("delta", drive).slow
    axis = subject("five_bar", {"legs[side].elements[forearm].joint.axis[2]": "a", "legs[side].root[0]": "0.1 * b"})
    assert axis.variation is None
    assert "axis" in axis.slow


def test_frequencies_of_elastic_bars_take_a_robot_each_for_their_masses() -> None:
    keys = {"legs[side].root[0]": "0.1 * a", "legs[side].elements[arm].length": "0.25 * b"}
    tables: dict[str, Any] = robot_tables("five_bar", Path())
    arm, forearm = tables["legs"][0]["elements"]
    arm["actuator"]["stiffness"] = 1e3
    assert subject("five_bar", keys, tables, of="frequency").variation is not None
    forearm["stiffness"] = 1e5
    assert "masses of its legs" in subject("five_bar", keys, tables, of="frequency").slow


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("legs[leg].elements[hand].length", "has no entry 'hand'; it has arm, forearm"),
        ("legs[7].root[0]", r"legs has 1 entries, counted from 0, and no \[7\]"),
        ("legs[leg].root", "is a list, and only single numbers can be varied"),
        ("legs.root..x", "must read like"),
        ("leg[0].root[0]", "the file has no 'leg'; it has name, title"),
        ("legs[leg].name", "is 'leg', and only single numbers can be varied"),
        ("legs[leg].root[0].x", "is 0.2, with nothing inside"),
    ],
)
def test_a_key_that_leads_nowhere_is_refused(key: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        subject("delta", {key: "a + b"})
