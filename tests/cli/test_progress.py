"""Commands that may take more than two seconds say so before they import anything that takes time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from parakin.cli.outputs import working
from tests.commands import command

COMMANDS = (
    "check nobody",
    "count nobody",
    "excite nobody -o {out}/e.csv",
    "export-c nobody",
    "forces nobody lift",
    "identify nobody log.csv",
    "info nobody",
    "motion nobody lift",
    "reproduce nobody",
    "simulate nobody",
    "tune nobody",
)
WATCHED = """
import sys, rich.console
original = rich.console.Console.status
def status(self, text, **options):
    print("begun", [name for name in ("casadi", "matplotlib", "numpy") if name in sys.modules], text)
    return original(self, text, **options)
rich.console.Console.status = status
from parakin.cli import app
app(sys.argv[1:])
"""


TOLD = WATCHED.replace("    return original", "    sys.stdout.flush(), os._exit(0)\n    return original").replace(
    "import sys", "import os, sys"
)
"""The same, and it ends when it has told: what comes then imports much."""


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_tells_that_it_works_before_it_imports(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = words.format(out=tmp_path).split()
    monkeypatch.chdir(tmp_path)
    done = subprocess.run([sys.executable, "-c", TOLD, *arguments], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("begun [] "), done.stderr
    assert "nobody" in command(*arguments).stderr


def test_a_check_of_a_mechanism_tells_that_it_works_while_it_plans_and_surveys() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "check", "four_bar"], capture_output=True, text=True, check=True
    )
    begun = [line for line in done.stdout.splitlines() if line.startswith("begun")]
    assert len(begun) == 2, "once while it is found out what the name is, once while the mechanism is looked at"
    assert "'casadi'" not in begun[1], "it is told before what takes time is imported"


def test_the_text_is_shown_as_it_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    original = Console.status

    def status(self: Console, text: str) -> object:
        told.append(text)
        return original(self, text)

    monkeypatch.setattr(Console, "status", status)
    with working("[bold].csv\x1b") as tell:
        tell("[red]other")
    assert told == ["\\[bold].csv?"]
    assert not capsys.readouterr().out
