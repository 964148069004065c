"""What a mechanism file may leave to parakin, written out: the tensor of a rod, tube, plate or point.

A rod or tube reaches from one of its `ends` to the other, from which its length, its direction and its centre of mass
follow. Without them it stands along z of its body's frame, about `com`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from parakin.description.shape_tables import UPRIGHT, Line, Place, RawTable, take_over, write_shape, wrong
from parakin.description.shapes import SIZES
from parakin.description.values import Vector

ENDS = "ends"
"""The key of a body with the two ends of a rod or tube, in the body's frame [m]."""
BODY_SHORTHAND = (*SIZES, ENDS)
"""Keys of a body that are written out before tables are validated."""

_ENDS = TypeAdapter[tuple[Vector, Vector]](tuple[Vector, Vector])


@dataclass
class Written:
    """The tables of a mechanism file with nothing left to parakin."""

    tables: RawTable
    """The tables, as MechanismDescription takes them."""
    errors: list[ErrorDetails] = field(default_factory=list[ErrorDetails])
    """What is wrong with what was left to parakin, in pydantic's form."""
    shaped: set[int] = field(default_factory=set[int])
    """Numbers of the bodies that are given by a shape."""


def written_out(tables: Mapping[str, object]) -> Written:
    """Return the tables of a mechanism file with shapes as tensors; those given do not change."""
    result = Written(dict(tables))
    bodies = result.tables.get("bodies")
    if isinstance(bodies, list | tuple):
        copies = [
            dict(cast("Mapping[str, Any]", b)) if isinstance(b, Mapping) else b for b in cast("list[Any]", bodies)
        ]
        result.tables["bodies"] = copies
        for k, body in enumerate(copies):
            if isinstance(body, dict):
                table, place = cast("RawTable", body), ("bodies", k)
                result.shaped |= {k} if "shape" in table else set()
                write_shape(table, place, _line(table, place, result.errors), result.errors)
    return result


def _line(body: RawTable, place: Place, errors: list[ErrorDetails]) -> Line:
    """Return where a rod or tube lies, by its ends if it has them."""
    if ENDS not in body:
        return UPRIGHT
    given = body.pop(ENDS)
    if body.get("shape") not in ("rod", "tube"):
        wrong(errors, (*place, ENDS), 'are those of a rod or tube: add shape = "rod" or "tube"', given)
        return UPRIGHT
    if said := [key for key in ("length", "com") if key in body]:
        wrong(errors, (*place, said[0]), "follows from the ends: keep one of the two", body[said[0]])
    try:
        start, end = _ENDS.validate_python(given)
    except ValidationError as error:
        take_over(errors, error, (*place, ENDS))
        return Line(UPRIGHT.axis, 1.0, (0.0, 0.0, 0.0))
    way = [b - a for a, b in zip(start, end, strict=True)]
    length = math.hypot(*way)
    if length == 0.0:
        wrong(errors, (*place, ENDS), f"must be two places, got {list(start)} twice", given)
        return Line(UPRIGHT.axis, 1.0, start)
    return Line((way[0] / length, way[1] / length, way[2] / length), length, start)
