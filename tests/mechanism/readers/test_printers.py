"""Delta printers: heights of the carriages are those of the firmware's own formula."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import DataError, DescriptionError
from parakin.mechanism.readers import Choices, EntryKind, import_robot
from tests.mechanism.readers import texts

EXACT = 1e-12
"""Largest difference of heights [m]: the same square roots in another order."""


def carriages(angles: list[float], radii: list[float], rods: list[float], nozzle: np.ndarray) -> np.ndarray:
    """Return the heights of carriages as Klipper and Marlin compute them: z + sqrt(rod^2 - distance^2)."""
    towers = np.column_stack([np.cos(np.radians(angles)) * radii, np.sin(np.radians(angles)) * radii])
    distance = np.linalg.norm(towers - nozzle[:2], axis=1)
    return nozzle[2] + np.sqrt(np.square(rods) - distance**2)


MACHINES = {
    "printer.cfg": (texts.KLIPPER, [210, 331, 90], [0.12525] * 3, [0.2895, 0.2895, 0.29]),
    "Configuration.h": (texts.MARLIN, [210.5, 329.75, 90], [0.104, 0.1043, 0.104], [0.218] * 3),
}


@pytest.mark.parametrize("name", MACHINES)
def test_carriages(name: str, tmp_path: Path) -> None:
    text, angles, radii, rods = MACHINES[name]
    path = tmp_path / name
    path.write_text(text)
    robot = pk.load(path)
    poses = robot.sample(20)
    q = robot.inverse_kinematics(poses)
    reference = np.array([carriages(angles, radii, rods, pose) for pose in poses])
    assert np.max(np.abs(q - reference)) < EXACT
    assert np.all(robot.check(poses) == pk.Status.GOOD)
    report = robot.import_report
    assert report is not None
    assert any(entry.place == "masses" and "assumed" in entry.words for entry in report.of(EntryKind.APPROXIMATED))
    again = tmp_path / "robot.toml"
    again.write_text(robot.to_toml())
    assert np.array_equal(pk.load(again).inverse_kinematics(poses), q)


@pytest.mark.parametrize(
    ("name", "before", "after", "words"),
    [
        ("printer.cfg", "kinematics: delta", "kinematics: corexy", "only `delta` can be imported, got 'corexy'"),
        ("printer.cfg", "arm_length: 289.5", "arm_length: long", "must be a number, got 'long"),
        ("printer.cfg", "position_endstop: 297.05", "", "position_endstop: is not there"),
        ("printer.cfg", "arm_length: 289.5", "arm_length: 28.95", "cannot span a radius"),
        ("printer.cfg", "position_endstop: 297.05", "position_endstop: -3", "must be above the lowest height"),
        ("printer.cfg", "arm_length: 289.5", "arm_length: 1e200", "must be a number, got '1e200'"),
        (
            "Configuration.h",
            "DELTA_DIAGONAL_ROD 218.0",
            "DELTA_DIAGONAL_ROD 1e308",
            "must be a number in mm, got '1e308",
        ),
        ("Configuration.h", "DELTA_HEIGHT 180.0", "DELTA_HEIGHT tall()", "must be a number in mm"),
        ("Configuration.h", "DELTA_HEIGHT 180.0", "DELTA_HEIGHT DELTA_HEIGHT", "must be a number in mm"),
        ("Configuration.h", "DELTA_HEIGHT 180.0", "DELTA_HEIGHT 1/0", "must be a number in mm"),
        ("Configuration.h", "{ 0.5, -0.25, 0.0 }", "{ 0.5 }", "must be three numbers in braces"),
        ("Configuration.h", "#define DELTA_DIAGONAL_ROD 218.0", "//", "DELTA_DIAGONAL_ROD: is not there"),
    ],
)
def test_constants_that_are_wrong(name: str, before: str, after: str, words: str, tmp_path: Path) -> None:
    text = MACHINES[name][0]
    assert before in text
    path = tmp_path / name
    path.write_text(text.replace(before, after))
    with pytest.raises(DescriptionError, match=words):
        import_robot(path)


def test_included_files_are_told(tmp_path: Path) -> None:
    path = tmp_path / "printer.cfg"
    path.write_text(f"[include other.cfg]\n{texts.KLIPPER}")
    assert any("[include other.cfg]" in entry.place for entry in import_robot(path).report.of(EntryKind.DROPPED))
    with pytest.raises(DataError, match="nothing to choose"):
        import_robot(path, Choices(output="effector"))
