"""The chosen design as a robot file that says where its numbers come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.description.loader import is_mechanism
from parakin.description.shape_tables import Place, RawTable
from parakin.description.writer import tables_to_toml
from parakin.design.places import replaced
from parakin.design.subject import Subject

LONGEST_SOURCE = 500
"""Characters of a source at most."""
_HAVE_SOURCE = ("elements", "bodies", "legs", "actuator", "workspace", "platform")
"""Tables of a robot file that say where their numbers come from."""


def robot_file(subject: Subject, x: Array, origin: str) -> str:
    """Return the robot file of a design, with the study and the point as the source of every table that is changed.

    origin: where the design comes from, such as "row 17". The file is loaded once, so that it is one.

    >>> subject = pk.design.read_subject("delta.toml")
    >>> text = pk.design.robot_file(subject, np.array([0.25, 0.52]), "row 3")
    >>> [line for line in text.splitlines() if "row 3" in line][0].partition("; ")[0]
    'source = "design study delta_arms, row 3: arm = 0.25, forearm = 0.52'
    """
    subject.robot_at(np.asarray(x, float))
    point = subject.point(np.asarray(x, float))
    told = ", ".join(f"{name} = {value!r}" for name, value in point.items())
    study = f"design study {subject.study.name}, {origin}"
    tables = subject.tables_at(np.asarray(x, float))
    sources: dict[Place, object] = {("source",): _source(f"{study}: {told}", tables)}
    changed: dict[Place, list[str]] = {}
    for place, formula in subject.places.items():
        owner = _owner(place)
        if owner:
            changed.setdefault(owner, []).append(f"{_rest(place, owner)} = {formula.text}")
    if not is_mechanism(tables):
        for owner, texts in changed.items():
            sources[(*owner, "source")] = _source(f"{study}: {', '.join(texts)}", _table(tables, owner))
    return tables_to_toml(replaced(tables, sources))


def _source(told: str, table: Mapping[str, Any]) -> str:
    before = table.get("source")
    text = told if before is None else f"{told}; before: {before}"
    return text if len(text) <= LONGEST_SOURCE else f"{text[: LONGEST_SOURCE - 3]}..."


def _owner(place: Place) -> Place:
    """Return the innermost table around a place that has a source of its own; empty for the file itself."""
    for length in range(len(place) - 1, 0, -1):
        names = [step for step in place[:length] if isinstance(step, str)]
        whole = length == len(place) - 1 or not isinstance(place[length], int)
        if names[-1] in _HAVE_SOURCE and whole and (isinstance(place[length - 1], int) or names[-1] not in _LISTS):
            return place[:length]
    return ()


_LISTS = ("elements", "bodies", "legs")


def _rest(place: Place, owner: Place) -> str:
    steps = place[len(owner) :]
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _table(tables: RawTable, place: Place) -> Mapping[str, Any]:
    here: Any = tables
    for step in place:
        here = here[step]
    return here
