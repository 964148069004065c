"""`parakin map` of every quantity for every machine of the libraries: numbers at home with units, or a refusal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin.analysis import QUANTITIES, Options
from parakin.cli import app
from parakin.units import ANGLE, LENGTH
from tests.robots import robot_named

pytestmark = pytest.mark.slow

GIVEN = {"--drive-stiffness": "1e5", "--resolution": "1e-5"}
"""What no file of the libraries has."""
WITHOUT = {
    "stiffness": "give `stiffness` of actuators or elements in the robot file, or drive_stiffness",
    "frequency": "give `stiffness` of actuators or elements in the robot file, or drive_stiffness",
    "accuracy": "give `resolution` of actuators or `clearance` of joints, in the file or as an option",
}
"""What is refused where it is not given, and the remedy."""
REFUSED = {("redundant_4rrr", "inertia"): "4 motors and 3 freedoms: no motor moves alone while all others are held"}
"""What has no meaning all the same (docs/maps.md)."""
WEIGHTLESS = {"planar_3rrr", "redundant_4rrr", "slider_crank", "agile_eye", "spherical_wrist"}
"""Machines in whose hand a weight costs no force: their payload is infinite."""
MACHINES = pk.library()


def unit_expected(robot: pk.Robot, name: str) -> str:
    """The unit by the rules of docs/maps.md: ways count if there are any, else turns; inertia is that of motors."""
    way = LENGTH if LENGTH in robot.coordinates.axes else ANGLE
    units = {
        "velocity": way.velocity,
        "force": way.force,
        "acceleration": way.acceleration,
        "payload": "kg",
        "inertia": robot.actuators[0].units.inertia,
        "inertia_free": robot.actuators[0].units.inertia,
        "stiffness": way.stiffness,
        "frequency": "Hz",
        "accuracy": way.position,
    }
    return units.get(name, "1")


def run(machine: str, names: list[str], folder: Path, given: dict[str, str]) -> tuple[int, str, str]:
    options = [text for pair in given.items() for text in pair]
    call = ["map", machine, "--of", ",".join(names), "--grid", "3", "--json", *options, "-o", str(folder)]
    done = CliRunner().invoke(app, call)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def test_the_libraries_have_as_many_machines_as_the_docs_say() -> None:
    assert (len(pk.library()), len(pk.mechanism_library())) == (29, 13)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_quantity_has_a_number_or_is_refused_in_words(machine: str, tmp_path: Path) -> None:
    robot, options = robot_named(machine), Options(drive_stiffness=1e5, resolution=1e-5)
    names = [name for name in QUANTITIES if (machine, name) not in REFUSED]
    for name in names:
        found = QUANTITIES[name].evaluate(robot, robot.home, options)
        assert found.unit == unit_expected(robot, name), name
        assert found.good, name
        if name == "payload" and machine in WEIGHTLESS:
            assert np.isposinf(found.values)
        else:
            assert 0 < found.values < np.inf, name
    code, text, said = run(machine, names, tmp_path / "all", GIVEN)
    assert code == 0, said
    data = json.loads(text)
    assert list(data["maps"]) == names
    for name, told in data["maps"].items():
        assert told["unit"] == unit_expected(robot, name)
        assert told["subject"]
        assert 0 < told["shares"].get("good", 0.0) <= 1, name
    assert data["length"] == pytest.approx(robot.length)
    assert (tmp_path / "all" / "map.png").stat().st_size > 10_000
    for name, words in [(name, WITHOUT[name]) for name in WITHOUT] + [
        (name, words) for (one, name), words in REFUSED.items() if one == machine
    ]:
        code, _, said = run(machine, [name], tmp_path / "none", {} if name in WITHOUT else GIVEN)
        assert code == 1
        assert words in " ".join(said.split()), said
        assert not (tmp_path / "none").exists()
