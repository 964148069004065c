"""Memory of large outputs, which is used again when nobody holds the array any more.

Memory that a process gets anew is empty pages, which the system fills with zeros when each is first touched. That takes
longer than computing what a regressor writes there: PaLiDA's took 1,720 ns a state in a batch of 65,536 with new memory
and 1,090 with memory used before. So a large output lies in memory of its own (a *lease*), which comes back when the
array and all views of it are gone. What is kept is the system's to take whenever memory is short (`MADV_FREE`): it then
has to be filled with zeros again, and nothing else changes.
"""

from __future__ import annotations

import ctypes
import math
import mmap
from typing import cast

import numpy as np
from numpy.typing import NDArray

LEAST_BYTES = 2**25
"""Size [bytes] from which on an output has memory of its own.

glibc's malloc keeps smaller pieces by itself, and quicker: asking the system to take what it needs of 2 MB and writing
to it again takes 60 microseconds. Larger pieces it gives back at once.
"""
MOST_KEPT_BYTES = 2**30
"""How much memory is kept at most [bytes]; what has been kept longest is let go first."""
ROOMY = 2
"""How many times larger than an array the memory may be that it is given."""
_HUGE_BYTES = 2**21
"""Size of the pages that are asked for, in which there are fewer to fill and to find."""


class OutputMemory:
    """Pieces of memory that were outputs before.

    Pieces stand in a dictionary by their address, and each step on it is one that Python makes whole: arrays may be
    freed in any thread, and in the middle of anything.
    """

    def __init__(self) -> None:
        self._kept: dict[int, mmap.mmap] = {}

    @property
    def kept_bytes(self) -> int:
        """How much memory waits for an output [bytes]."""
        return sum(map(len, list(self._kept.values())))

    def new(self, shape: tuple[int, ...], dtype: np.dtype[np.float64] | np.dtype[np.int32]) -> NDArray[np.generic]:
        """Return an uninitialised array, on a cache line and in memory used before where it is large."""
        size = math.prod(shape) * dtype.itemsize
        if size < LEAST_BYTES or not _CAN_KEEP:
            return np.empty(shape, dtype)
        try:
            place, piece = self._taken(size) or _new_piece(size)
        except (OSError, OverflowError):  # there is not so much memory: numpy says so, in its words
            self.clear()
            return np.empty(shape, dtype)
        return np.asarray(cast("NDArray[np.generic]", _Lease(self, place, piece, shape, dtype.str)))

    def _taken(self, size: int) -> tuple[int, mmap.mmap] | None:
        """Take the smallest piece that an array of so many bytes fits into, if there is one not much larger."""
        fitting = ((len(piece), place) for place, piece in list(self._kept.items()))
        for _, place in sorted(fit for fit in fitting if size <= fit[0] <= ROOMY * size):
            piece = self._kept.pop(place, None)
            if piece is not None:  # no other thread has taken it
                return place, piece
        return None

    def take_back(self, place: int, piece: mmap.mmap) -> None:
        """Keep a piece that no array lies in any more, and let go of the oldest where there are too many."""
        piece.madvise(mmap.MADV_FREE)
        self._kept[place] = piece
        for oldest in list(self._kept):
            if self.kept_bytes <= MOST_KEPT_BYTES:
                break
            self._kept.pop(oldest, None)

    def clear(self) -> None:
        """Give all pieces that wait back to the system."""
        self._kept.clear()


class _Lease:
    """Memory lent to one array: numpy holds it as long as the array or a view of it lives."""

    def __init__(self, owner: OutputMemory, place: int, piece: mmap.mmap, shape: tuple[int, ...], kind: str) -> None:
        self._owner = owner
        self._place = place
        self._piece = piece
        self.__array_interface__ = {"version": 3, "data": (place, False), "shape": shape, "typestr": kind}

    def __del__(self) -> None:
        self._owner.take_back(self._place, self._piece)


_CAN_KEEP = hasattr(mmap, "MADV_FREE") and hasattr(mmap, "MAP_ANONYMOUS")
"""Whether this system has memory of one's own that it may take back."""


def _new_piece(size: int) -> tuple[int, mmap.mmap]:
    """Get memory from the system, in huge pages where it has them; a forked child has a copy, as of all memory."""
    piece = mmap.mmap(-1, -(-size // _HUGE_BYTES) * _HUGE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        piece.madvise(mmap.MADV_HUGEPAGE)
    return ctypes.addressof(ctypes.c_char.from_buffer(piece)), piece


OUTPUTS = OutputMemory()
"""The memory that all kernels of this process share."""
