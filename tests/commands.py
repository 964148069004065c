"""parakin as a command, in a process of its own."""

from __future__ import annotations

import subprocess
import sys


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = [sys.executable, "-c", "from parakin.cli import app; app()", *arguments]
    return subprocess.run(script, capture_output=True, text=True, check=False)
