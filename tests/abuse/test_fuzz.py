"""Randomly damaged robot and mechanism files, CSV, NPZ and Parquet logs: refused by name, or read right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("limits of processes are those of Linux", allow_module_level=True)

FILES = 80
"""Files of each kind; `python -m tests.abuse.fuzzing` reads as many as asked."""


def test_damaged_files_are_refused_or_read_right() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.abuse.fuzzing", str(FILES), "1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for kind, (files, accepted, wrong) in json.loads(done.stdout).items():
        assert files == FILES
        assert wrong == [], kind
        assert accepted < files
