"""The JSON Schema of mechanism files: the tables of a description, and what a file may leave to parakin."""

from __future__ import annotations

from typing import cast

from pydantic import TypeAdapter

from parakin.description.schema import Json, shape_properties
from parakin.description.values import Vector
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.shorthand import ENDS


def mechanism_schema() -> dict[str, Json]:
    """Return the JSON Schema of mechanism files, in which a body may have a shape instead of a tensor.

    >>> sorted(pk.mechanism.mechanism_schema()["properties"])[:3]
    ['bars', 'bodies', 'couplings']
    """
    schema = cast("dict[str, Json]", MechanismDescription.model_json_schema())
    definitions = cast("dict[str, dict[str, Json]]", schema["$defs"])
    ends = cast("dict[str, Json]", TypeAdapter(tuple[Vector, Vector]).json_schema())
    ends |= {"title": "Ends", "description": "The two ends of a rod or tube in the frame of its body [m]."}
    cast("dict[str, Json]", definitions["Body"]["properties"]).update(shape_properties() | {ENDS: ends})
    return schema
