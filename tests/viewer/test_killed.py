"""A command that is killed while it writes a page or a film leaves no half of it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMANDS = {
    "page.html": (["view", "five_bar", "--no-open"], b"</html>"),
    "film.gif": (["draw", "five_bar", "--motion", "lift"], b";"),
}
"""File -> the command that writes it, and how the whole file ends."""


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("after", [0.6, pytest.param(1.2, marks=pytest.mark.slow), 1.8])
def test_a_killed_command_leaves_no_half_file(name: str, after: float, tmp_path: Path) -> None:
    arguments, end = COMMANDS[name]
    target = tmp_path / name
    code = f"from parakin.cli import app; app({[*arguments, '-o', str(target)]!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not target.exists() or target.read_bytes().rstrip().endswith(end)
