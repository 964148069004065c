"""Universal joints whose axes do not fit each other at home, on a 3-PUU with vertical rails."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin.cli import app
from parakin.description import describe, to_toml
from parakin.errors import DescriptionError
from parakin.mechanism import graph_of, mobility_of

BAR, BASE_RADIUS, PLATE_RADIUS = 0.4, 0.3, 0.1
"""Lengths of the machine [m]."""
CLOSED_FORM = 1e-12
"""Positions of the carriages [m], against the same formula in numpy."""
PLATE = """
name = "puu"
title = "3-PUU"
motion = "translation"
gravity = [0.0, 0.0, -9.81]
length = 0.1
source = "assumed"
workspace = { home = [0.0, 0.0, -0.5], lower = [-0.05, -0.05, -0.05], upper = [0.05, 0.05, 0.05] }
[[platform.bodies]]
name = "plate"
mass = 1.0
b = [0.0, 0.0, 0.0]
inertia = [[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1e-3]]
turns = false
"""


def three_puu(axis: list[float] | None = None) -> dict[str, Any]:
    """Return the machine with axis 1 of its rods in the carriage's frame; by default the tangents, in base axes."""
    tables = tomllib.loads(PLATE) | {"legs": []}
    for k in range(3):
        c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
        tangent = [-s, c, 0.0]
        rail = {
            "name": "rail",
            "type": "telescopic",
            "joint": {"type": "fixed", "axis": tangent},
            "direction": [0.0, 0.0, 1.0],
            "actuator": {"coordinate": "length"},
            "bodies": [{"name": "cart", "part": "tip", "mass": 1.0, "com": [0.0, 0.0, 0.0], "shape": "point"}],
        }
        rod = {
            "name": "rod",
            "type": "bar",
            "joint": {"type": "universal", "axis": tangent if axis is None else axis},
            "length": BAR,
            "bodies": [{"name": "rod", "mass": 0.3, "shape": "rod"}],
        }
        b = [PLATE_RADIUS * c, PLATE_RADIUS * s, 0.0]
        attachment = {"b": b, "joint": {"type": "universal", "axis": tangent}}
        root = [BASE_RADIUS * c, BASE_RADIUS * s, 0.0]
        tables["legs"].append(
            {"name": f"leg{k + 1}", "root": root, "attachment": attachment, "branch": 1, "elements": [rail, rod]}
        )
    return tables


def test_parallel_axes_at_the_platform_are_an_error_with_the_axis_that_was_meant() -> None:
    robot = describe(three_puu(), "puu.toml")
    with pytest.raises(DescriptionError, match=r"write \[0, 0, 1\]") as caught:
        graph_of(robot)
    assert "leg1.attachment.joint: at home its axis on the leg" in str(caught.value)
    assert "rod.joint.axis = [0, 1, 0] was meant in base axes" in str(caught.value)
    mobility = mobility_of(robot)
    assert not mobility.good
    assert "the joints do not fit each other at home: leg1.attachment.joint" in mobility.problems[0]


def test_a_line_along_axis_1_is_an_error() -> None:
    sine, cosine = 0.5, math.sqrt(0.75)  # the rod reaches 0.2 m inwards of its 0.4 m, in the carriage's (up, out) plane
    robot = describe(three_puu([cosine, -sine, 0.0]), "puu.toml")
    with pytest.raises(DescriptionError, match=r"leg1.rod.joint.axis: .* lies along axis 1 of its universal joint"):
        graph_of(robot)


def test_the_machine_with_the_axis_that_the_error_names_translates() -> None:
    robot = pk.Robot(describe(three_puu([0.0, 0.0, 1.0]), "puu.toml"))
    mobility = mobility_of(robot.description)
    assert mobility.good
    assert mobility.freedoms == 3
    rng = np.random.default_rng(7)
    poses = np.array([0.0, 0.0, -0.5]) + rng.uniform(-0.05, 0.05, (20, 3))
    angles = 2 * np.pi * np.arange(3) / 3
    gap = poses[:, None, :2] - (BASE_RADIUS - PLATE_RADIUS) * np.column_stack([np.cos(angles), np.sin(angles)])
    height = np.sqrt(BAR**2 - (gap**2).sum(axis=2))
    carriages = poses[:, 2:] - height
    found = robot.inverse_kinematics(poses)
    assert np.abs(found - carriages).max() < CLOSED_FORM


@pytest.mark.parametrize("axis", [None, [math.sqrt(0.75), -0.5, 0.0]], ids=["in base axes", "along the line"])
def test_check_and_info_tell_what_does_not_fit(axis: list[float] | None, tmp_path: Path) -> None:
    path = tmp_path / "puu.toml"
    path.write_text(to_toml(describe(three_puu(axis), "puu.toml")))
    checked = CliRunner().invoke(app, ["check", str(path)])
    assert checked.exit_code == 1
    assert re.search(r"^home: singular: universal leg\d.rod$", checked.output, re.MULTILINE)
    assert "problem: the joints do not fit each other at home: leg1." in checked.output
    told = CliRunner().invoke(app, ["info", str(path)])
    assert told.exit_code == 0
    assert "home is singular or out of its reach, see parakin check" in " ".join(told.output.split())
    assert "nan" not in told.output
