"""Rows of a job are numbered; a span is a run of them that is computed, written and read together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LARGEST_CHUNK = 1024
"""Rows of a chunk at most, where nobody says otherwise: enough for all lanes, and little is lost with a worker."""
FEWEST_CHUNKS = 64
"""Chunks that a job has at least, where nobody says otherwise and it has as many rows: workers end nearly together."""
_NAME = re.compile(r"rows-(\d{12})-(\d{12})\.npz")


class Span(NamedTuple):
    """Rows `first`, ..., `last - 1` of a job."""

    first: int
    """Number of the first row."""
    last: int
    """Number of the row after the last."""

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.last - self.first

    @property
    def file_name(self) -> str:
        """The name of the file that holds the results of these rows."""
        return f"rows-{self.first:012d}-{self.last:012d}.npz"

    def halves(self) -> tuple[Span, Span]:
        """Return the first and the second half of two rows or more."""
        middle = (self.first + self.last) // 2
        return Span(self.first, middle), Span(middle, self.last)


def span_of_name(name: str) -> Span | None:
    """Return the rows whose results a file of this name holds; None for a name of something else."""
    match = _NAME.fullmatch(name)
    span = Span(int(match[1]), int(match[2])) if match else None
    return span if span and span.size > 0 else None


def default_chunk(rows: int) -> int:
    """Return how many rows a chunk has where nobody says otherwise."""
    return min(LARGEST_CHUNK, max(1, rows // FEWEST_CHUNKS))


def chunks_of(rows: int, chunk: int) -> Iterator[Span]:
    """Return the rows of a job cut into chunks, the last of which may be shorter."""
    return (Span(first, min(first + chunk, rows)) for first in range(0, rows, chunk))


def gaps(rows: int, chunk: int, there: Iterable[Span]) -> Iterator[Span]:
    """Return the spans that are missing of a job: what no span of `there` has, each within one chunk.

    there: in the order of their rows, without overlap.
    """
    row, rest = 0, iter(there)
    ends: list[Span] = [*rest, Span(rows, rows)]
    for found in ends:
        while row < found.first:
            last = min(found.first, (row // chunk + 1) * chunk)
            yield Span(row, last)
            row = last
        row = max(row, found.last)
