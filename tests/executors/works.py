"""Works for tests: functions of a module, so that other processes find them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.executors import row_generators


def polynomial(values: Array) -> dict[str, Array]:
    """Numbers whose last bits a different order of operations would change."""
    return {"sum": np.sin(values).sum(axis=-1), "cubes": values**3}


@dataclass(frozen=True)
class Marking:
    """A work that leaves a mark for each row whenever it is computed, and that may fail or wait on some rows."""

    marks: Path
    """Folder of the marks: a file for each row, a byte for each time."""
    raising: tuple[int, ...] = ()
    """Rows that raise an error."""
    killing: tuple[int, ...] = ()
    """Rows that end their process."""
    hanging: tuple[int, ...] = ()
    """Rows that never end; they leave the number of their process in the file pid."""
    locking: bool = False
    """Whether rows that never end wait in C and keep Python's lock (GIL), so that no other thread runs."""
    pause: float = 0.0
    """Time that a row takes [s]."""

    def __call__(self, rows: NDArray[np.int64], seed: int) -> dict[str, NDArray[np.generic]]:
        if set(rows.tolist()) & set(self.killing):
            os.kill(os.getpid(), signal.SIGKILL)
        if set(rows.tolist()) & set(self.raising):
            raise ArithmeticError(f"cannot compute {rows.tolist()}")
        if set(rows.tolist()) & set(self.hanging):
            (self.marks / "pid").write_text(str(os.getpid()))
            sleep = ctypes.PyDLL(None).sleep if self.locking else time.sleep
            while True:
                sleep(60)
        time.sleep(self.pause * len(rows))
        for row in rows.tolist():
            with open(self.marks / str(row), "ab") as file:
                file.write(b"x")
        drawn = np.array([generator.normal(size=3) for generator in row_generators(seed, rows)])
        return {"drawn": drawn, "norm": np.sqrt((drawn**2).sum(axis=1)), "row": rows, "even": rows % 2 == 0}


def counts(marks: Path, rows: int) -> list[int]:
    """How often each row has been computed."""
    return [(marks / str(row)).stat().st_size if (marks / str(row)).exists() else 0 for row in range(rows)]
