"""What parakin exports as URDF, parakin imports: the same forces, rotors, springs, home and gravity included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DescriptionError
from parakin.export import write_urdf
from parakin.mechanism.readers import import_robot

SAME = 1e-12
"""Relative difference of forces: rounding of angles of frames that URDF writes as roll, pitch and yaw."""


@pytest.mark.parametrize("name", ["four_bar_leg", "slider_crank"])
def test_forces_of_an_exported_urdf(name: str, tmp_path: Path) -> None:
    robot = pk.load(name)
    write_urdf(robot, tmp_path / "robot.urdf")
    again = pk.load(tmp_path / "robot.urdf")
    assert (again.pose_names, again.actuator_names) == (robot.pose_names, robot.actuator_names)
    state = robot.sample_states(20)
    tau = robot.inverse_dynamics(*state)
    assert np.abs(again.inverse_dynamics(*state) - tau).max() <= SAME * np.abs(tau).max()
    assert np.allclose(again.home, robot.home, atol=1e-12)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rotor_inertia: [1.0]", "rotor_inertia: must have 2 entries, got 1"),
        ("rotor_inertia: [a, b]", "rotor_inertia: must be finite numbers in SI units"),
        ("gravity: [0, -9.81]", "gravity: must be 3 numbers"),
        ("gravity: [0, 0, nan]", "gravity: must be finite numbers"),
        ("home_joint: [nobody]", "home: must have 1 entries, got 2"),
        ("home_joint: [nobody, hip]", "home_joint: no joint 'nobody'"),
        ("spring_joint: [nobody]", "spring_stiffness: must have 1 entries, got 2"),
    ],
)
def test_wrong_additions_are_refused(line: str, words: str, tmp_path: Path) -> None:
    write_urdf(pk.load("four_bar_leg"), tmp_path / "leg.urdf")
    beside = tmp_path / "leg.yaml"
    key = line.split(":", maxsplit=1)[0]
    lines = [one for one in beside.read_text().splitlines() if not one.startswith(f"{key}:")]
    if key == "home_joint":
        lines = ["home: [[0.1], [0.2]]" if one.startswith("home:") else one for one in lines]
    beside.write_text("\n".join([*lines, line]))
    with pytest.raises(DescriptionError, match=words):
        import_robot(tmp_path / "leg.urdf")


def test_keys_of_others_are_told_and_not_looked_at(tmp_path: Path) -> None:
    write_urdf(pk.load("slider_crank"), tmp_path / "robot.urdf")
    with (tmp_path / "robot.yaml").open("a") as file:
        file.write("cameras: {front: [1, 2], 'back': &anchor 3}\n")
    imported = import_robot(tmp_path / "robot.urdf")
    assert any(entry.place == "robot.yaml: cameras" for entry in imported.report.entries)
