"""Help: every option that takes a number says its unit, and nothing is eaten by markup."""

from __future__ import annotations

import inspect
import re
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
import typer.main
from typer.testing import CliRunner

import parakin
from parakin.cli import app

COMMANDS = (
    *("cache", "check", "count", "demo", "design", "draw", "excite", "export-c", "export-fmu", "export-mjcf"),
    *("export-urdf", "forces", "identify", "import", "info", "list", "map", "motion", "observe", "reproduce"),
    *("schema", "simulate", "tune", "view", "workspace"),
)
UNITS = re.compile(
    r"\bin (s|Hz|kg|m|m/s|rad|m or rad|rad/s|N or N m|N m/rad|N/m or N m/rad)\b|\bin %|\bper m\b|\bmargin in s\b"
)
PURE = {
    "draw": {"speed"},
    "observe": {"noise"},
    "excite": {"use", "condition", "noise"},
    "motion": {"turns", "ramp"},
    "workspace": {"condition"},
}
"""Numbers without a unit: shares of limits, a condition number, turns of a circle and a part of one, a film's speed."""


def shown(*arguments: str) -> str:
    run = CliRunner().invoke(app, [*arguments, "--help"], terminal_width=400, env={"COLUMNS": "400"})
    assert run.exit_code == 0, run.output
    return run.output


def test_all_commands_are_there() -> None:
    group = typer.main.get_command(app)
    assert sorted(group.commands) == sorted(COMMANDS)  # type: ignore[attr-defined]
    assert CliRunner().invoke(app, ["--version"]).output == f"parakin {parakin.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_in_a_whole_phrase_with_an_example(name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    text = shown(name)
    assert "Example" in text
    for option in command.params:
        if option.name == "help":
            continue
        assert option.help, option.name
        assert option.help[0].isupper(), option.help
        assert option.help.endswith("."), option.help
        written = option.help.replace("\\[", "[")
        assert written in text, f"markup ate a part of: {written}"


@pytest.mark.parametrize("name", COMMANDS)
def test_markup_eats_nothing_of_what_a_command_says_of_itself(name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    assert "[" not in command.help


def test_commands_that_take_mechanisms_say_so() -> None:
    for name in ("export-c", "simulate", "tune"):
        assert "robot or mechanism file" in shown(name), name


@pytest.mark.parametrize(
    "name", ["simulate", "tune", "excite", "identify", "export-c", "motion", "forces", "workspace"]
)
def test_numbers_are_asked_for_with_their_unit(name: str) -> None:
    (function,) = (one.callback for one in app.registered_commands if (one.name or one.callback.__name__) == name)  # type: ignore[union-attr]
    hints = get_type_hints(function, include_extras=True)
    for key in inspect.signature(function).parameters:  # type: ignore[arg-type]
        hint = hints[key]
        kind, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        if float not in (kind, *get_args(kind)) or key in PURE.get(name, set()):
            continue
        (option,) = extras
        assert UNITS.search(option.help) or "periods" in option.help, f"{key}: {option.help}"
