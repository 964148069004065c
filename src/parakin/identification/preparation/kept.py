"""Keeps the states of a prepared log on disk: they are computed once, however often they are passed over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from parakin.identification.logs.spool import Spool
from parakin.identification.preparation.prepared import Prepared
from parakin.identification.states import States

_COLUMNS = tuple(field.name for field in fields(States))
"""Arrays of states, in the order in which their columns are kept."""


class KeptStates:
    """The states of a prepared log, kept in the first pass over them and read in all others, bit for bit."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self._spool: Spool | None = None
        self._lengths: list[int] = []
        self._edges: list[int] = []

    def __iter__(self) -> Iterator[States]:
        return self._computed() if self._spool is None else self._read(self._spool)

    def _computed(self) -> Iterator[States]:
        """Yield the states as they are computed; they are kept if the pass comes to its end."""
        spool: Spool | None = None
        lengths: list[int] = []
        for states in self.prepared:
            parts = [getattr(states, name).reshape(len(states), -1) for name in self._known(states)]
            self._edges = np.cumsum([part.shape[1] for part in parts])[:-1].tolist()
            spool = spool or Spool(sum(part.shape[1] for part in parts))
            spool.append(np.concatenate(parts, axis=1))
            lengths.append(len(states))
            yield states
        self._spool, self._lengths = spool, lengths

    @staticmethod
    def _known(states: States) -> list[str]:
        """Which arrays states have: all but configurations, which may be left to be searched for."""
        return [name for name in _COLUMNS if getattr(states, name) is not None]

    def _read(self, spool: Spool) -> Iterator[States]:
        first = 0
        for length in self._lengths:
            parts = np.split(spool.read(first, first + length), self._edges, axis=1)
            time, *others = (np.ascontiguousarray(part) for part in parts)
            yield States(time[:, 0], *others)
            first += length
