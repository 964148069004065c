"""Bodies that a file gives by their shape, written out: the tensor, and the centre of mass where it follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from parakin.description.shapes import SHAPES, SIZES, Rod, Shape, Tube, tensor_of
from parakin.description.values import Positive, Vector

_MASS = TypeAdapter[float](Positive)
_NOTHING = (0.0, 0.0, 0.0)
_NO_TENSOR = (_NOTHING,) * 3

RawTable = dict[str, Any]
"""A table of a file as TOML is read, not yet validated."""
Place = tuple[int | str, ...]
"""The keys and indices that lead to a table of a file."""


@dataclass(frozen=True)
class Line:
    """Where rods and tubes lie in the frame of their body."""

    axis: Vector
    """The direction of the line from its start, a unit vector."""
    length: object = None
    """The length of those that do not say theirs [m], as the file has it; None if there is none."""
    start: Vector | None = None
    """Where the line starts [m], half a length from the centre of mass; None if the file must say where that is."""


UPRIGHT = Line((0.0, 0.0, 1.0))
"""The line of rods and tubes that stand along z."""


def write_shape(body: RawTable, place: Place, line: Line, errors: list[ErrorDetails]) -> Shape | None:
    """Replace the shape of a body and its sizes by its tensor and, for rods and tubes, the centre of mass.

    Returns the shape, or None where there is none or something is wrong with it.
    """
    if "shape" not in body:
        for key in [key for key in SIZES if key in body]:
            wrong(errors, (*place, key), f"is a size of a shape: add shape = {_shape_names()}", body.pop(key))
        return None
    given = {key: body.pop(key) for key in SIZES if key in body}
    if "inertia" in body:
        wrong(errors, (*place, "shape"), "inertia says it already: keep one of the two", given["shape"])
        return None
    body["inertia"] = _NO_TENSOR
    kind = SHAPES.get(str(given["shape"]))
    if kind is None:
        wrong(errors, (*place, "shape"), f"must be {_shape_names()}, got {given['shape']!r}")
        body.setdefault("com", _NOTHING)
        return None
    if kind in (Rod, Tube) and line.length is not None:
        given.setdefault("length", line.length)
    for key in [key for key in given if key not in kind.model_fields]:
        sizes = ", ".join(name for name in kind.model_fields if name != "shape") or "no sizes"
        wrong(errors, (*place, key), f"a {given['shape']} has {sizes}: remove it", given.pop(key))
    try:
        shape = kind.model_validate(given)
    except ValidationError as error:
        take_over(errors, error, place)
        body.setdefault("com", _NOTHING)
        return None
    _centre(body, shape, line)
    try:
        mass = _MASS.validate_python(body.get("mass"))
    except ValidationError:
        return None  # told when the body itself is validated
    body["inertia"] = tensor_of(shape, mass, line.axis)
    return shape


def _centre(body: RawTable, shape: Shape, line: Line) -> None:
    """Put the centre of mass of a rod or tube in its middle, unless the file says where it is."""
    if isinstance(shape, Rod | Tube) and line.start is not None and "com" not in body:
        half = 0.5 * shape.length
        body["com"] = tuple(start + half * part for start, part in zip(line.start, line.axis, strict=True))


def wrong(errors: list[ErrorDetails], place: Place, reason: str, value: object = None) -> None:
    """Add a problem, in pydantic's form."""
    error: Any = {"type": "value_error", "loc": place, "msg": reason, "input": value, "ctx": {"error": reason}}
    errors.append(error)


def take_over(errors: list[ErrorDetails], error: ValidationError, place: Place) -> None:
    """Add what pydantic found in the table at a place."""
    errors += [cast("ErrorDetails", entry | {"loc": (*place, *entry["loc"])}) for entry in error.errors()]


def _shape_names() -> str:
    names = [f'"{name}"' for name in SHAPES]
    return f"{', '.join(names[:-1])} or {names[-1]}"
