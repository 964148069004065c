"""Finds runs of rows in a page that share a flaw, and marks them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.identification.damage.kinds import Mark
from parakin.identification.damage.record import Page

Bools = NDArray[np.bool_]
"""One truth value for each row."""


def runs(flags: Bools) -> Iterator[tuple[int, int]]:
    """Yield first and stop of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


class Flaw(NamedTuple):
    """What is wrong with the rows of a run."""

    kind: str
    """Kind of damage, one of KINDS."""
    column: int | None
    """Number of the signal, or None where no single one is to blame."""
    text: str
    """Message, with {value} for the worst value of the run."""


def marks(page: Page, flaw: Flaw, flags: Bools, values: Array) -> Iterator[Mark]:
    """Yield a mark for each run of flagged rows among those the page is responsible for.

    flags, values: of all rows the page sees; the mark carries the value with the largest magnitude.
    """
    flags, values = flags[page.inner], values[page.inner]
    if not flags.any():
        return
    for first, stop in runs(flags):
        inside = np.where(np.isfinite(values[first:stop]), values[first:stop], 0.0)
        worst = float(inside[np.argmax(np.abs(inside))])
        message = flaw.text.format(value=worst)
        yield Mark(flaw.kind, page.first + first, page.first + stop, flaw.column, worst, message)
