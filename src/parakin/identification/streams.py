"""Streams of blocks whose next one is computed while the last is worked on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
"""What a stream consists of."""


def ahead(stream: Iterable[T]) -> Iterator[T]:
    """Yield what a stream gives; the next one is computed in a thread of its own while the caller has the last.

    What the stream raises is raised here, in its place. A sequence, which has nothing to compute, is passed on as it
    is.
    """
    if isinstance(stream, Sequence):
        yield from stream
        return
    source, nothing = iter(stream), object()
    with ThreadPoolExecutor(1, "parakin-ahead") as thread:
        coming = thread.submit(next, source, nothing)
        while (item := coming.result()) is not nothing:
            coming = thread.submit(next, source, nothing)
            yield item  # pyright: ignore[reportReturnType]  the sentinel is no part of the stream
