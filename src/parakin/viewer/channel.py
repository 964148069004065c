"""What a program and its open pages tell each other: poses to show, and poses that were set by hand."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Generator

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, read_only
from parakin.errors import DataError

WAITING_POSES = 64
"""Poses that wait for a page that is slow; older ones are dropped, for the newest is what matters."""

Waiting = queue.Queue[str | None]
"""Poses, as JSON, that a page has not had yet; None is the end."""


class Channel:
    """Poses of one robot on their way between a program and any number of pages; safe to use from many threads."""

    def __init__(self, name: str, coordinates: int) -> None:
        self._name = name
        self._coordinates = coordinates
        self._pages: set[Waiting] = set()
        self._lock = threading.Lock()
        self._last: str | None = None
        self._ended = False
        self.by_hand: Array | None = None
        """The pose that was last set by hand in a page; None before. Read-only."""

    @property
    def pages(self) -> int:
        """How many pages listen."""
        return len(self._pages)

    def show(self, pose: ArrayLike) -> None:
        """Send a pose to every page; pages that are opened later begin with the last one."""
        text = json.dumps(self._checked(pose).tolist())
        with self._lock:
            self._last = text
            for waiting in self._pages:
                _put(waiting, text)

    def answer(self, text: bytes) -> None:
        """Take a pose that a page sent, as JSON; DataError if it is none."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise DataError("view", "pose", "must be a JSON list of numbers") from None
        if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):  # type: ignore[misc]
            raise DataError("view", "pose", "must be a JSON list of numbers")
        self.by_hand = read_only(self._checked(values))  # type: ignore[arg-type]

    def end(self) -> None:
        """Tell every page that the program has ended."""
        with self._lock:
            self._ended = True
            for waiting in self._pages:
                _put(waiting, None)

    @contextlib.contextmanager
    def listening(self) -> Generator[Waiting]:
        """Yield what one page has not had yet, while it is open."""
        waiting: Waiting = queue.Queue(WAITING_POSES)
        with self._lock:
            self._pages.add(waiting)
            if self._last is not None:
                waiting.put_nowait(self._last)
            if self._ended:
                waiting.put_nowait(None)
        try:
            yield waiting
        finally:
            with self._lock:
                self._pages.discard(waiting)

    def _checked(self, pose: ArrayLike) -> Array:
        try:
            values = np.asarray(pose, float)
        except OverflowError:  # a whole number of hundreds of digits
            values = np.full(self._coordinates, np.nan)
        if values.shape != (self._coordinates,) or not np.isfinite(values).all():
            expected = f"a pose of {self._name} is {self._coordinates} finite numbers"
            raise DataError("view", "pose", f"{expected}, got {np.array2string(values, threshold=8)}")
        return values


def _put(waiting: Waiting, text: str | None) -> None:
    """Add to a queue; where it is full, the oldest is dropped. Only ever called under the channel's lock."""
    if waiting.full():
        with contextlib.suppress(queue.Empty):
            waiting.get_nowait()
    waiting.put_nowait(text)
