"""What results need to be saved: how large they may be, and a digest of the robot file that tells whose they are."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from parakin.robot import Robot

LARGEST = 2**28
"""Bytes of all arrays of a result's file together at most."""
BESIDE_A_TABLE = 2**20
"""Bytes that are left for axes and texts beside the table of a map."""
MOST_ENTRIES = (LARGEST - BESIDE_A_TABLE) // 8
"""Numbers of a map's table at most."""
MOST_VERTICES = 6 * LARGEST // 40
"""Vertices of a workspace's finest lattice at most: code, judged and part are four bytes of each, and four tenths of a
file are left for the boundary."""


TOLD = ("title", "source")
"""Keys of a robot file that change no result."""


def digest_of(robot: Robot) -> str:
    """Return a text that differs wherever the files of two robots do, but for titles and sources; payloads are none.

    >>> from parakin.analysis.saving import digest_of
    >>> digest_of(robot) == digest_of(robot.with_payload(1.0)), len(digest_of(robot))
    (True, 64)
    """
    description = robot.machine
    content = repr((robot.pose_names, _without_words(description.model_dump())))
    return hashlib.sha256(content.encode()).hexdigest()


def _without_words(value: object) -> object:
    """Return tables without what is only told, tables inside them included."""
    if isinstance(value, dict):
        rows = cast(dict[str, object], value)
        return {key: _without_words(one) for key, one in rows.items() if key not in TOLD}
    if isinstance(value, list | tuple):
        return [_without_words(one) for one in cast(list[object], value)]
    return value
