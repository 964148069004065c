"""Runs of rows in a page that share a flaw, as marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.identification.damage.record import Page
from parakin.identification.findings import Mark

Bools = NDArray[np.bool_]


def runs(flags: Bools) -> Iterator[tuple[int, int]]:
    """First and stop of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


class Flaw(NamedTuple):
    """text: what is said, with {value} for the worst value of a run."""

    kind: str
    column: int | None
    text: str


def marks(page: Page, flaw: Flaw, flags: Bools, values: Array) -> Iterator[Mark]:
    """Marks of the runs among a page's own rows; flags and values are of all its rows."""
    flags, values = flags[page.own], values[page.own]
    for first, stop in runs(flags):
        inside = np.where(np.isfinite(values[first:stop]), values[first:stop], 0.0)
        worst = float(inside[np.argmax(np.abs(inside))])
        said = flaw.text.format(value=worst)
        yield Mark(flaw.kind, page.first + first, page.first + stop, flaw.column, worst, said)
