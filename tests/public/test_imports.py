"""What is imported when: heavy libraries only by those who use them, and of parakin itself only what a command needs.

Counted are the modules of parakin that a process has imported when it ends, packages included.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import parakin as pk
from parakin import trajectory
from parakin.cli import app
from parakin.tables import write_table
from tests.robots import robot_named

MOST_MODULES = 300
"""Modules of parakin that a command may import at most, but `reproduce`, which imports the studies of five papers."""
HEAVY = ("casadi", "llvmlite", "matplotlib", "numpy", "pydantic", "rich", "scipy", "scipy.signal")
"""Libraries whose import takes a person's time."""

RIG = Path(__file__).parents[2] / "examples" / "quattro_rig.toml"
"""A rig of a camera."""

CODE = {
    "import parakin": set[str](),
    "import parakin as pk; pk.load('delta')": {"numpy", "pydantic"},
    "import parakin as pk; pk.load('delta').inverse_kinematics([0, 0, -0.43])": {"llvmlite", "numpy", "pydantic"},
    "from parakin import control, export, identification, poses, simulation, trajectory": {"numpy"},
}
"""Code -> heavy libraries that it imports from a warm cache, and no others."""

LOADED = {"numpy", "pydantic"}
CALLED = {*LOADED, "llvmlite", "rich"}  # kernels from the cache
RUN = {*CALLED, "casadi"}
DRAWN = {*RUN, "matplotlib"}
COMMANDS = {
    "--version": set[str](),
    "--help": {"rich"},
    "list": LOADED,
    "schema": LOADED,
    "cache": {"pydantic"},  # typer's own
    "info delta": {*LOADED, "rich"},  # where the motors are at home is kept in the cache
    "info four_bar": {*LOADED, "casadi", "rich"},
    "check five_bar": CALLED,
    "check four_bar": RUN,
    "count five_bar": {*LOADED, "casadi", "rich"},
    "export-c five_bar -o {out}": RUN,
    "export-fmu five_bar -o {out}.fmu": RUN,
    "export-mjcf five_bar -o {out}.xml": {*LOADED, "casadi", "rich"},
    "export-urdf four_bar -o {out}.urdf": {*LOADED, "casadi", "rich"},
    "import nobody.urdf -o {out}.toml": {*LOADED, "rich"},  # what comes before the file is read
    "motion five_bar lift -o {out}/motion.csv": CALLED,
    "motion five_bar lift --duration 0.05 --stretch -o {out}/motion.csv": CALLED,
    "forces five_bar lift -o {out}": {*CALLED, "matplotlib"},
    "map five_bar --of velocity --grid 3 -o {out}": {*CALLED, "matplotlib"},
    "simulate five_bar --motion lift --period 0.01 -o {out}": DRAWN,
    "tune five_bar --motion lift --period 0.01 --bandwidth 20,30 --plants 1 -o {out}": DRAWN,
    "design {study} -o {out}": DRAWN,
    "excite five_bar --evaluations 1 --harmonics 2 -o {out}/e.csv": {*DRAWN, "scipy"},
    "identify five_bar {log} -o {out}": {*DRAWN, "scipy"},
    "draw five_bar -o {out}.png": DRAWN,
    "workspace five_bar --levels 1 -o {out}": {*CALLED, "matplotlib", "scipy"},
    "workspace five_bar --levels 1 --page -o {out}": {*DRAWN, "scipy"},
    "observe quattro --camera {rig} --visibility -o {out}": DRAWN,
    "view five_bar --no-open -o {out}/page.html": RUN,
    "demo -o {out}": DRAWN,
    "reproduce nobody": {*LOADED, "casadi", "matplotlib", "rich"},  # what comes before the studies
}
"""Command -> heavy libraries that it imports from a warm cache, and no others."""


MOST_PACKAGE_MODULES = 10
"""Modules of parakin that a package of the front door may import at most before any of its names is used."""
LARGE_COMMANDS = [
    *(f"check {machine} --thorough" for machine in ("five_bar", "four_bar")),
    *(f"view {machine} --no-open -o {{out}}/page.html" for machine in ("gough_stewart", "four_bar")),
    "map four_bar --of velocity --grid 3 --page -o {out}",
    "workspace four_bar --levels 1 --page -o {out}",
    "simulate four_bar --period 0.01 -o {out}",
    "export-c five_bar --controller adaptive -o {out}",
]
"""Commands that need several engines, a page or many laws."""


STUDY = """
name = "links"
title = "Links of a five-bar"
robot = "five_bar"
parameters.arm = { lower = 0.24, upper = 0.25, points = 2, key = "legs[side].elements[arm].length" }
sampling = { method = "grid" }
objectives.condition = { of = "condition" }
"""


def imported(code: str, ends: int = 0) -> tuple[set[str], int]:
    """What a new process has imported at the end of some code, which ends with this exit code.

    Heavy libraries, and how many modules of parakin.
    """
    watch = "import atexit, json, sys; atexit.register(lambda: print(json.dumps([*sys.modules]), file=sys.stderr))"
    done = subprocess.run([sys.executable, "-c", f"{watch}\n{code}"], capture_output=True, text=True, check=False)
    assert done.returncode == ends, done.stderr
    modules: list[str] = json.loads(done.stderr.splitlines()[-1])
    return {*HEAVY} & {*modules}, sum(name.partition(".")[0] == "parakin" for name in modules)


def imported_when_warm(code: str, wanted: set[str], most: int = MOST_MODULES, ends: int = 0) -> tuple[set[str], int]:
    """The same from a warm cache: where a first run imports something else, it is the run that warms the cache."""
    found, count = imported(code, ends)
    return (found, count) if found == wanted and count < most else imported(code, ends)


@pytest.mark.parametrize("code", CODE)
def test_packages_import_what_they_use_and_no_more(code: str) -> None:
    assert imported_when_warm(code, CODE[code])[0] == CODE[code]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_import_what_they_use_and_no_more(command: str, tmp_path: Path) -> None:
    log = log_of_five_bar(tmp_path) if "{log}" in command else None
    study = tmp_path / "study.toml"
    study.write_text(STUDY, encoding="utf-8")
    arguments = command.format(out=tmp_path / "out", log=log, study=study, rig=RIG).split()
    again = ["--resume"] if "{study}" in command else []  # where the study has run before, to warm the cache
    code = f"from parakin.cli import app; app({arguments + again!r})"
    wanted = COMMANDS[command]
    heavy, count = imported_when_warm(code, wanted, ends=int("nobody" in command))
    assert heavy == wanted
    assert count < MOST_MODULES or command.startswith("reproduce"), f"{count} modules of parakin"


@pytest.mark.parametrize("package", [name for name in pk.__all__ if isinstance(getattr(pk, name), ModuleType)])
def test_packages_import_their_modules_where_names_are_used(package: str) -> None:
    _, count = imported(f"import parakin.{package}")
    assert count < MOST_PACKAGE_MODULES


@pytest.mark.slow
@pytest.mark.parametrize("command", LARGE_COMMANDS)
def test_commands_with_much_to_do_import_no_more_than_others(command: str, tmp_path: Path) -> None:
    code = f"from parakin.cli import app; app({command.format(out=tmp_path / 'out').split()!r})"
    imported(code)
    assert imported(code)[1] < MOST_MODULES


def test_every_command_is_looked_at() -> None:
    there = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert there == {command.split()[0] for command in COMMANDS if not command.startswith("-")}


def log_of_five_bar(folder: Path) -> Path:
    """Write a short log of a periodic motion with noise in its forces."""
    robot = robot_named("five_bar")
    s = trajectory.fourier(robot, periods=2, blend=0.0).sampled(500.0)
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    tau = tau + 0.01 * np.random.default_rng(0).normal(size=tau.shape)
    heads = ["t [s]", *(f"q.{name} [rad]" for name in robot.actuator_names)]
    heads += [f"tau.{name} [N m]" for name in robot.actuator_names]
    return write_table(folder / "log.npz", heads, np.column_stack([s.t, robot.inverse_kinematics(s.pose), tau]))


def test_a_robot_that_is_loaded_has_derived_nothing() -> None:
    code = "import sys, parakin as pk; pk.load('palida'); print([m for m in sys.modules if m.startswith('parakin.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    there = set(json.loads(done.stdout.replace("'", '"')))
    assert "parakin.robot.core" in there
    assert not there & {"parakin.dynamics.models", "parakin.kernels.module_text", "parakin.assembly.modes"}
