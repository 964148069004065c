"""What tests of executors share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from parakin.executors import RowResults

LONG_ENOUGH = 120.0
"""Time within which anything here must have happened, on a machine that is busy with other things [s]."""


def same(one: RowResults, other: RowResults) -> bool:
    """Whether two results are equal to the last bit, NaN and what became of rows included."""
    bits = [{name: values.tobytes() for name, values in each.columns.items()} for each in (one, other)]
    return bits[0] == bits[1] and one.status.tobytes() == other.status.tobytes()


def files(folder: Path) -> list[str]:
    """Names of the files of results."""
    return sorted(path.name for path in folder.glob("rows-*.npz"))


def wait_for(happened: Callable[[], bool]) -> None:
    """Wait until something has happened."""
    until = time.monotonic() + LONG_ENOUGH
    while not happened():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)


def environment() -> dict[str, str]:
    """An environment in which new processes find these tests."""
    here = str(Path(__file__).parents[2])
    return os.environ | {"PYTHONPATH": os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])}
