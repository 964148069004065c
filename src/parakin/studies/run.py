"""Studies side by side, each in a process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing.queues import SimpleQueue
from threading import Thread

from parakin.studies.result import Result, result_of
from parakin.studies.table import study

Told = Callable[[str, str], None]
"""(study, what it does now)"""

_said: SimpleQueue[tuple[str, str]] | None = None


def run(names: Sequence[str], *, jobs: int, told: Told) -> list[Result]:
    """Results in the order of the names. An interruption stops all of them."""
    studies = [study(name) for name in names]
    if jobs == 1 or len(names) == 1:
        return [result_of(one, partial(told, one.key)) for one in studies]
    context = multiprocessing.get_context("spawn")
    queue: SimpleQueue[tuple[str, str]] = context.SimpleQueue()
    listener = Thread(target=_listen, args=(queue, told), daemon=True)
    listener.start()
    pool = ProcessPoolExecutor(jobs, context, initializer=_remember, initargs=(queue,))
    try:
        waiting: list[Future[Result]] = [pool.submit(_run_one, name) for name in names]
        return [one.result() for one in waiting]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        queue.put(("", ""))
        listener.join()
        pool.shutdown()


def _remember(queue: SimpleQueue[tuple[str, str]]) -> None:
    global _said  # noqa: PLW0603
    _said = queue


def _run_one(name: str) -> Result:
    assert _said is not None
    queue = _said
    return result_of(study(name), lambda text: queue.put((name, text)))


def _listen(queue: SimpleQueue[tuple[str, str]], told: Told) -> None:
    while (message := queue.get())[0]:
        told(*message)
