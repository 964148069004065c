"""States that are kept on disk are those that were computed, bit for bit, and are computed once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from parakin.identification.preparation.kept import KeptStates
from parakin.identification.states import States


class Log:
    """Stands for a prepared log of three blocks; counts how often it is passed over."""

    def __init__(self) -> None:
        self.passes = 0

    def __iter__(self) -> Iterator[States]:
        self.passes += 1
        rng = np.random.default_rng(0)
        for count in (5, 3, 1):
            yield States(rng.normal(size=count), *(rng.normal(size=(count, width)) for width in (7, 6, 6, 4)))


def test_every_pass_gives_the_same_bits_and_layout() -> None:
    log: Any = Log()
    kept = KeptStates(log)
    first, *others = [list(kept) for _ in range(3)]
    assert log.passes == 1
    for later in others:
        for states, again in zip(first, later, strict=True):
            for field in fields(States):
                values, read = getattr(states, field.name), getattr(again, field.name)
                if values is None:
                    assert read is None
                    continue
                assert np.array_equal(values, read)
                assert read.flags.c_contiguous
                assert values.shape == read.shape


def test_a_pass_that_was_left_is_begun_anew() -> None:
    log: Any = Log()
    kept = KeptStates(log)
    for _ in kept:
        break
    assert [len(states) for states in kept] == [5, 3, 1]
    assert log.passes == 2
