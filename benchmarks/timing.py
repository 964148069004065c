"""Timing on a noisy machine: contestants take turns, each is credited with its best."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass

ROUNDS = 10
REST = 0.02
"""[s] Before each run: threads of the contestant before, which spin a while for more work, are asleep by then."""


def best_of(
    contestants: Mapping[str, Callable[[], object]], rounds: int = ROUNDS, rest: float = REST
) -> dict[str, float]:
    """Seconds of the best run of each, after one unmeasured run; each begins after a rest [s], 0 for none."""
    best = dict.fromkeys(contestants, float("inf"))
    for run in contestants.values():
        run()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, run in contestants.items():
                if rest:
                    time.sleep(rest)
                start = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - start)
    finally:
        gc.enable()
    return best


def repeated(run: Callable[[], object], times: int) -> Callable[[], None]:
    """For what is too short to time alone."""

    def loop() -> None:
        for _ in range(times):
            run()

    return loop


@contextmanager
def empty_cache() -> Iterator[None]:
    """Give this process an empty cache of kernels of its own for a while."""
    before = os.environ.get("PARAKIN_CACHE_DIR")
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o700)
        os.environ["PARAKIN_CACHE_DIR"] = directory
        try:
            yield
        finally:
            if before is None:
                del os.environ["PARAKIN_CACHE_DIR"]
            else:
                os.environ["PARAKIN_CACHE_DIR"] = before


@dataclass(frozen=True)
class Figure:
    """One measured number, and what was hoped for ("" where it is only reported)."""

    what: str
    value: float
    unit: str
    goal: str = ""
    holds: bool | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def at_least(what: str, value: float, goal: float, unit: str = "x") -> Figure:
    return Figure(what, value, unit, f">= {goal:g}", value >= goal)


def at_most(what: str, value: float, goal: float, unit: str) -> Figure:
    return Figure(what, value, unit, f"<= {goal:g}", value <= goal)


def machine_load() -> Figure:
    """How busy the machine is: figures measured beside others' work say less."""
    return Figure("load of the machine, average of the last minute", os.getloadavg()[0], "")
