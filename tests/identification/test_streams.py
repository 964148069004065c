"""Streams that are computed ahead: in order, in a thread of their own, with their errors where they belong."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from parakin.identification.streams import ahead


def counted(upto: int, threads: set[int]) -> Iterator[int]:
    for k in range(upto):
        threads.add(threading.get_ident())
        yield k


def test_a_stream_comes_in_its_order_from_one_other_thread() -> None:
    threads = set[int]()
    assert list(ahead(counted(5, threads))) == [0, 1, 2, 3, 4]
    assert len(threads) == 1
    assert threading.get_ident() not in threads
    assert list(ahead(iter(()))) == []
    assert list(ahead([3, 1])) == [3, 1]


def test_the_next_one_is_begun_while_the_caller_has_the_last() -> None:
    begun = threading.Event()

    def stream() -> Iterator[int]:
        yield 1
        begun.set()
        yield 2

    first = iter(ahead(stream()))
    assert next(first) == 1
    assert begun.wait(10)


def test_errors_come_in_their_place() -> None:
    def stream() -> Iterator[int]:
        yield 1
        raise ValueError("the file ends here")

    rest = iter(ahead(stream()))
    assert next(rest) == 1
    with pytest.raises(ValueError, match="ends here"):
        next(rest)


def test_a_caller_that_stops_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    for value in ahead(counted(10**9, set())):
        if value == 3:
            break
    assert threading.active_count() == before
