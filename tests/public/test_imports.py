"""What is imported when: heavy libraries only by those who use them, so that nobody else waits for them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("casadi", "llvmlite", "matplotlib", "numpy", "pydantic", "rich", "scipy")
"""Libraries whose import takes a person's time."""

CODE = {
    "import parakin": set[str](),
    "import parakin as pk; pk.load('delta')": {"casadi", "numpy", "pydantic"},
    "import parakin as pk; pk.load('delta').inverse_kinematics([0, 0, -0.43])": {
        "casadi",
        "llvmlite",
        "numpy",
        "pydantic",
    },
    "from parakin import control, export, identification, poses, simulation, trajectory": {
        "casadi",
        "numpy",
        "pydantic",
    },
}
"""Code -> heavy libraries that it imports, and no others."""

LOADED = {"casadi", "numpy", "pydantic"}
COMPILED = {*LOADED, "llvmlite"}
COMMANDS = {
    "--version": set[str](),
    "list": LOADED,
    "schema": LOADED,
    "info delta": {*COMPILED, "rich"},  # it shows where the motors are at home
    "check five_bar": {*COMPILED, "rich"},
    "export-c five_bar -o {out}": {*COMPILED, "rich"},
    "motion five_bar lift -o {out}/motion.csv": {*COMPILED, "rich"},
    "simulate five_bar --motion lift --period 0.01 -o {out}": {*COMPILED, "matplotlib", "rich"},
}
"""Command -> heavy libraries that it imports, and no others."""


def imported(code: str) -> set[str]:
    """Heavy libraries that a new process has imported at the end of some code."""
    watch = (
        f"import atexit, sys; atexit.register(lambda: print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr))"
    )
    done = subprocess.run([sys.executable, "-c", f"{watch}\n{code}"], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1].replace("'", '"')))


@pytest.mark.parametrize("code", CODE)
def test_packages_import_what_they_use_and_no_more(code: str) -> None:
    assert imported(code) == CODE[code]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_import_what_they_use_and_no_more(command: str, tmp_path: Path) -> None:
    arguments = command.format(out=tmp_path).split()
    code = f"from parakin.cli import app; app({arguments!r})"
    assert imported(code) == COMMANDS[command]


def test_a_robot_that_is_loaded_has_derived_nothing() -> None:
    code = "import sys, parakin as pk; pk.load('palida'); print([m for m in sys.modules if m.startswith('parakin.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    there = set(json.loads(done.stdout.replace("'", '"')))
    assert "parakin.robot.core" in there
    assert not there & {"parakin.dynamics.models", "parakin.kernels.module_text", "parakin.assembly.modes"}
