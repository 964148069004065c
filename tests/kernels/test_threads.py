"""Blocks of states on several threads: each once, errors told, nobody waited for in vain."""

from __future__ import annotations

import threading
import time

import pytest

from parakin.kernels.threads import Work, spread


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [1, 15, 16, 17, 1000])
def test_every_state_is_worked_on_once(count: int, threads: int) -> None:
    done: list[int] = []

    def work(first: int, stop: int) -> int:
        done.extend(range(first, stop))
        return 0

    assert spread(lambda: work, count, 16, threads) == 0
    assert sorted(done) == list(range(count))


@pytest.mark.parametrize("threads", [1, 3])
def test_one_flag_of_many_blocks_is_told(threads: int) -> None:
    assert spread(lambda: lambda first, stop: int(first <= 777 < stop), 2000, 16, threads) == 1


def test_each_thread_has_a_work_function_of_its_own() -> None:
    owners: list[tuple[int, int]] = []

    def new_work() -> Work:
        maker = threading.get_ident()

        def work(first: int, stop: int) -> int:
            del first, stop
            time.sleep(0.01)
            owners.append((maker, threading.get_ident()))
            return 0

        return work

    spread(new_work, 640, 16, 3)
    assert all(maker == user for maker, user in owners)
    assert len(set(owners)) > 1


def test_an_error_in_a_helper_is_raised_by_the_caller() -> None:
    caller = threading.get_ident()

    def new_work() -> Work:
        if threading.get_ident() != caller:
            raise MemoryError("no workspace")
        return lambda *_: time.sleep(0.05) or 0

    with pytest.raises(MemoryError, match="no workspace"):
        spread(new_work, 1600, 16, 3)
    assert spread(lambda: lambda *_: 0, 1600, 16, 3) == 0  # helpers have survived it


def test_a_call_inside_a_helper_finds_helpers_of_its_own() -> None:
    inner: list[int] = []

    def work(first: int, stop: int) -> int:
        inner.append(spread(lambda: lambda first, _: int(first == 0), 64, 16, 2))
        return int(stop < first)

    spread(lambda: work, 160, 16, 2)
    assert inner
    assert all(flag == 1 for flag in inner)
