"""What a robot file may leave to parakin, written out: sources, the inertia of simple shapes, and where elbows are.

A description holds numbers only, so that one thing is said in one way there: every table has its source, every body its
tensor, every leg the sign of its branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from parakin.description.elbows import Elbow
from parakin.description.elements import TWO_PARTS
from parakin.description.shape_tables import UPRIGHT, Line, Place, RawTable, take_over, write_shape, wrong
from parakin.description.shapes import Shape

_ELBOW = TypeAdapter[Elbow](Elbow)
_NO_SOURCE = "not said"
_ALONG_AXIS = Line((1.0, 0.0, 0.0))
"""The line of rods and tubes of a cross: along the platform's axis, about where the axes meet."""


@dataclass
class Written:
    """The tables of a robot file with nothing left to parakin but the branches of legs."""

    tables: RawTable
    """The tables, as RobotDescription takes them."""
    elbows: dict[int, Elbow] = field(default_factory=dict[int, Elbow])
    """Index of a leg -> where its elbow is at home, for legs that say so."""
    shapes: dict[Place, Shape] = field(default_factory=dict[Place, Shape])
    """Place of a body -> its shape, for bodies that say one."""
    errors: list[ErrorDetails] = field(default_factory=list[ErrorDetails])
    """What is wrong with what was left to parakin, in pydantic's form."""


def written_out(tables: Mapping[str, object]) -> Written:
    """Return the tables of a robot file with sources handed down and shapes as tensors; those given do not change."""
    result = Written(dict(tables))
    top = result.tables
    source = top.get("source", _NO_SOURCE)
    _each(top, "workspace", source)
    for platform, where, inner in _each(top, "platform", source):
        for body, place, _ in _each(platform, "bodies", inner, where):
            _shaped(result, body, place, UPRIGHT)
    for leg, at_leg, of_leg in _each(top, "legs", source):
        _elbow(result, leg, at_leg)
        for cross, place in _crosses(leg, of_leg, at_leg):
            write_shape(cross, place, _ALONG_AXIS, result.errors)
        for element, at_element, inner in _each(leg, "elements", of_leg, at_leg):
            _each(element, "actuator", inner, at_element)
            for body, place, _ in _each(element, "bodies", inner, at_element):
                _parted(result, body, place, element)
                _shaped(result, body, place, _along(element, body))
    return result


def _shaped(result: Written, body: RawTable, place: Place, line: Line) -> None:
    """Write out the shape of a body, and keep it for messages."""
    if shape := write_shape(body, place, line, result.errors):
        result.shapes[place] = shape


def _each(table: RawTable, key: str, source: object, where: Place = ()) -> list[tuple[RawTable, Place, object]]:
    """Copy the table, or the tables of the list, at a key; each gets the source if it has none.

    Returns each copy with its place and the source that holds inside it. What is not a table is left for validation.
    """
    value = table.get(key)
    if isinstance(value, dict):
        copy = {"source": source} | cast("RawTable", value)
        table[key] = copy
        return [(copy, (*where, key), copy["source"])]
    if not isinstance(value, list | tuple):
        return []
    entries = cast("Sequence[Any]", value)
    copies = [{"source": source} | cast("RawTable", entry) if isinstance(entry, dict) else entry for entry in entries]
    table[key] = copies
    return [(copy, (*where, key, k), copy["source"]) for k, copy in enumerate(copies) if isinstance(copy, dict)]


def _crosses(leg: RawTable, source: object, where: Place) -> list[tuple[RawTable, Place]]:
    """Copy the tables that lead to the cross of a leg's joint at the platform; the cross gets the leg's source."""
    attachment = leg.get("attachment")
    joint = cast("RawTable", attachment).get("joint") if isinstance(attachment, dict) else None
    if not isinstance(joint, dict):
        return []
    copy = dict(cast("RawTable", joint))
    leg["attachment"] = cast("RawTable", attachment) | {"joint": copy}
    return [(cross, place) for cross, place, _ in _each(copy, "cross", source, (*where, "attachment", "joint"))]


def _elbow(result: Written, leg: RawTable, place: Place) -> None:
    if "elbow" not in leg:
        return
    try:
        result.elbows[cast("int", place[-1])] = _ELBOW.validate_python(leg.pop("elbow"))
    except ValidationError as error:
        take_over(result.errors, error, (*place, "elbow"))


def _parted(result: Written, body: RawTable, place: Place, element: RawTable) -> None:
    """Fix a body to the root part, unless there is a tip part as well: then the file must say which."""
    if "part" not in body and element.get("type") in TWO_PARTS:
        joint = element.get("joint")
        rail = isinstance(joint, dict) and cast("RawTable", joint).get("type") == "fixed"
        moving = "what turns with the tip" if element.get("type") == "spindle" else "what moves in and out"
        parts = ("the carriage that moves along" if rail else moving, "the rail" if rail else "the joint")
        reason = f'is missing: say part = "tip" for {parts[0]}, or part = "root" for what stays at {parts[1]}'
        wrong(result.errors, (*place, "part"), reason)
    body.setdefault("part", "root")


def _along(element: RawTable, body: RawTable) -> Line:
    """Return where rods and tubes of an element lie: from its root along the line; of a tip part, from the tip back."""
    axis = (1.0, 0.0, 0.0) if body["part"] != "tip" else (-1.0, 0.0, 0.0)
    return Line(axis, element.get("length"), (0.0, 0.0, 0.0) if body["part"] in ("root", "tip") else None)
