"""parakin as a command, in this process or in one of its own.

tests/public/test_imports.py starts every command in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import warnings

from typer.testing import CliRunner

from parakin.cli import app
from parakin.errors import LoopWarning, RobotFileWarning


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command and return its exit code and what it said; warnings that are not parakin's own are errors."""
    with warnings.catch_warnings():
        for told in (RobotFileWarning, LoopWarning):
            warnings.simplefilter("default", told)
        done = CliRunner().invoke(app, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def started(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    script = [sys.executable, "-c", "from parakin.cli import app; app()", *arguments]
    return subprocess.run(script, capture_output=True, text=True, check=False)
