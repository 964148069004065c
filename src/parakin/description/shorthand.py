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
from parakin.description.shapes import SHAPES, SIZES, Point, Rod, Tube, tensor_of
from parakin.description.values import Positive

_MASS = TypeAdapter[float](Positive)
_ELBOW = TypeAdapter[Elbow](Elbow)
_NO_SOURCE = "not said"
_NO_TENSOR = ((0.0, 0.0, 0.0),) * 3

_Place = tuple[int | str, ...]
_Table = dict[str, Any]


@dataclass
class Written:
    """The tables of a robot file with nothing left to parakin but the branches of legs."""

    tables: _Table
    """The tables, as RobotDescription takes them."""
    elbows: dict[int, Elbow] = field(default_factory=dict[int, Elbow])
    """Index of a leg -> where its elbow is at home, for legs that say so."""
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
            _shaped(result, body, place, None)
    for leg, at_leg, of_leg in _each(top, "legs", source):
        _elbow(result, leg, at_leg)
        for element, at_element, inner in _each(leg, "elements", of_leg, at_leg):
            _each(element, "actuator", inner, at_element)
            for body, place, _ in _each(element, "bodies", inner, at_element):
                _parted(result, body, place, element)
                _shaped(result, body, place, element)
    return result


def _each(table: _Table, key: str, source: object, where: _Place = ()) -> list[tuple[_Table, _Place, object]]:
    """Copy the table, or the tables of the list, at a key; each gets the source if it has none.

    Returns each copy with its place and the source that holds inside it. What is not a table is left for validation.
    """
    value = table.get(key)
    if isinstance(value, dict):
        copy = {"source": source} | cast("_Table", value)
        table[key] = copy
        return [(copy, (*where, key), copy["source"])]
    if not isinstance(value, list | tuple):
        return []
    entries = cast("Sequence[Any]", value)
    copies = [{"source": source} | cast("_Table", entry) if isinstance(entry, dict) else entry for entry in entries]
    table[key] = copies
    return [(copy, (*where, key, k), copy["source"]) for k, copy in enumerate(copies) if isinstance(copy, dict)]


def _wrong(result: Written, place: _Place, reason: str, value: object = None) -> None:
    error: Any = {"type": "value_error", "loc": place, "msg": reason, "input": value, "ctx": {"error": reason}}
    result.errors.append(error)


def _elbow(result: Written, leg: _Table, place: _Place) -> None:
    if "elbow" not in leg:
        return
    try:
        result.elbows[cast("int", place[-1])] = _ELBOW.validate_python(leg.pop("elbow"))
    except ValidationError as error:
        _take_over(result, error, (*place, "elbow"))


def _take_over(result: Written, error: ValidationError, place: _Place) -> None:
    result.errors += [cast("ErrorDetails", entry | {"loc": (*place, *entry["loc"])}) for entry in error.errors()]


def _shaped(result: Written, body: _Table, place: _Place, element: _Table | None) -> None:
    """Replace the shape of a body and its sizes by its tensor and, for rods and tubes, the centre of mass."""
    if "shape" not in body:
        for key in [key for key in SIZES if key in body]:
            _wrong(result, (*place, key), f"is a size of a shape: add shape = {_shape_names()}", body.pop(key))
        return
    given = {key: body.pop(key) for key in SIZES if key in body}
    if "inertia" in body:
        _wrong(result, (*place, "shape"), "inertia says it already: keep one of the two", given["shape"])
        return
    body["inertia"] = _NO_TENSOR
    kind = SHAPES.get(str(given["shape"]))
    if kind is None:
        _wrong(result, (*place, "shape"), f"must be {_shape_names()}, got {given['shape']!r}")
        body.setdefault("com", _NO_TENSOR[0])
        return
    if element is not None and kind in (Rod, Tube) and element.get("length") is not None:
        given.setdefault("length", element["length"])
    for key in [key for key in given if key not in kind.model_fields]:
        sizes = ", ".join(name for name in kind.model_fields if name != "shape") or "no sizes"
        _wrong(result, (*place, key), f"a {given['shape']} has {sizes}: remove it", given.pop(key))
    try:
        shape = kind.model_validate(given)
    except ValidationError as error:
        _take_over(result, error, place)
        body.setdefault("com", _NO_TENSOR[0])
        return
    _centred(body, shape, element)
    try:
        mass = _MASS.validate_python(body.get("mass"))
    except ValidationError:
        return  # told when the body itself is validated
    body["inertia"] = tensor_of(shape, mass, upright=element is None)


def _parted(result: Written, body: _Table, place: _Place, element: _Table) -> None:
    """Fix a body to the root part, unless there is a tip part as well: then the file must say which."""
    if "part" not in body and element.get("type") in TWO_PARTS:
        joint = element.get("joint")
        rail = isinstance(joint, dict) and cast("_Table", joint).get("type") == "fixed"
        parts = (
            "the carriage that moves along" if rail else "what moves in and out",
            "the rail" if rail else "the joint",
        )
        reason = f'is missing: say part = "tip" for {parts[0]}, or part = "root" for what stays at {parts[1]}'
        _wrong(result, (*place, "part"), reason)
    body.setdefault("part", "root")


def _centred(body: _Table, shape: Rod | Tube | Point | Any, element: _Table | None) -> None:
    """Rods and tubes of an element reach from its root along the line, those of a tip part from the tip back."""
    if element is None or not isinstance(shape, Rod | Tube) or "com" in body:
        return
    if body["part"] in ("root", "tip"):
        body["com"] = ((0.5 if body["part"] == "root" else -0.5) * shape.length, 0.0, 0.0)


def _shape_names() -> str:
    names = [f'"{name}"' for name in SHAPES]
    return f"{', '.join(names[:-1])} or {names[-1]}"
