"""Memory of commands that go through long data: what is given back is kept for the next block."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's settings M_TRIM_THRESHOLD and M_MMAP_THRESHOLD in malloc.h."""
KEPT = 2**29
"""Free memory that the process keeps, and size from which a block is mapped by itself [bytes]: more than is needed."""


def keep_freed_memory() -> None:
    """Let this process keep memory that it frees, where glibc allocates it, and elsewhere do nothing.

    By default glibc gives large blocks back to the system at once and gets them anew, a page at a time, for each block
    of a log: a fifth of a million faults with 10^6 rows. For the whole process, so a matter of commands alone.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for setting in (TRIM_THRESHOLD, MMAP_THRESHOLD):
            mallopt(setting, KEPT)
