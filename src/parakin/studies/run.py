"""Run several studies side by side, each in a process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing.queues import SimpleQueue
from threading import Thread

from parakin.studies.result import Result, result_of
from parakin.studies.table import study

StudyProgress = Callable[[str, str], None]
"""A function that is called with the name of a study and a few words on what it does next."""

_messages: SimpleQueue[tuple[str, str]] | None = None


def run(names: Sequence[str], *, jobs: int, progress: StudyProgress) -> list[Result]:
    """Run these studies, `jobs` at a time, and return their results in the order of the names.

    An interruption or an error stops all of them.
    """
    studies = [study(name) for name in names]
    if jobs == 1 or len(names) == 1:
        return [result_of(one, partial(progress, one.key)) for one in studies]
    context = multiprocessing.get_context("spawn")
    queue: SimpleQueue[tuple[str, str]] = context.SimpleQueue()
    listener = Thread(target=_listen, args=(queue, progress), daemon=True)
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
    global _messages  # noqa: PLW0603
    _messages = queue


def _run_one(name: str) -> Result:
    assert _messages is not None
    queue = _messages
    return result_of(study(name), lambda text: queue.put((name, text)))


def _listen(queue: SimpleQueue[tuple[str, str]], progress: StudyProgress) -> None:
    while (message := queue.get())[0]:
        progress(*message)
