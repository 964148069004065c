"""What tells whether a result that was saved is one of this robot: a digest of all that its file says."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from parakin.robot import Robot

TOLD = ("title", "source")
"""Keys of a robot file that change no result."""


def digest_of(robot: Robot) -> str:
    """Return a text that differs wherever the files of two robots do, but for titles and sources; payloads are none.

    >>> from parakin.analysis.identity import digest_of
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
