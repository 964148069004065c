"""Keeps rows of numbers in an unnamed file, so that a log is parsed once and passed over as often as needed."""

from __future__ import annotations

import tempfile
import weakref

import numpy as np

from parakin.arrays import Array


class Spool:
    """A table (N, width) of numbers on disk. The file is gone when this object is."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._rows = 0
        self._file = tempfile.TemporaryFile(prefix="parakin-")  # noqa: SIM115
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return self._rows

    def append(self, rows: Array) -> None:
        """Add rows (N, width) at the end."""
        self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(rows).tobytes())
        self._rows += len(rows)

    def read(self, start: int, stop: int) -> Array:
        """Return the rows from `start` to before `stop`."""
        self._file.seek(8 * self.width * start)
        data = self._file.read(8 * self.width * max(stop - start, 0))
        return np.frombuffer(data, np.float64).reshape(-1, self.width)
