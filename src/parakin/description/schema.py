"""The JSON Schema of robot files: the tables of a description, and what a file may leave to parakin."""

from __future__ import annotations

from typing import cast, get_args

from pydantic import TypeAdapter

from parakin.description.elbows import Elbow
from parakin.description.model import RobotDescription
from parakin.description.shapes import SHAPES

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
"""What JSON can hold."""
_Object = dict[str, "Json"]

_ELBOW: _Object = {
    "enum": list(get_args(Elbow)),
    "title": "Elbow",
    "description": "Where the elbow points at home, seen from the base's axis; instead of branch.",
}


def file_schema() -> dict[str, Json]:
    """Return the JSON Schema of robot files.

    In a file a table without a source has that of the table around it, a body may have a shape instead of a tensor and
    then needs no centre of mass where one follows, bodies of bars need no part, and a leg may say where its elbow is
    instead of a sign.

    >>> sorted(pk.description.file_schema()["properties"])[:3]
    ['gravity', 'legs', 'length']
    """
    schema = cast("_Object", RobotDescription.model_json_schema())
    definitions = cast("dict[str, _Object]", schema["$defs"])
    for definition in definitions.values():
        _not_required(definition, "source")
    cast("_Object", definitions["Leg"]["properties"])["elbow"] = _ELBOW
    for name in ("Body", "PlatformBody", "Cross"):
        _not_required(definitions[name], "inertia", "com", "part")
        cast("_Object", definitions[name]["properties"]).update(shape_properties())
    return schema


def shape_properties() -> dict[str, Json]:
    """Return the properties of a body that is given by its shape."""
    properties: _Object = {
        "shape": {"enum": list(SHAPES), "title": "Shape", "description": "A shape instead of a tensor."}
    }
    for shape in SHAPES.values():
        sizes = cast("_Object", TypeAdapter(shape).json_schema()["properties"])
        properties.update({size: entry for size, entry in sizes.items() if size != "shape"})
    return properties


def _not_required(definition: _Object, *keys: str) -> None:
    if "required" in definition:
        required = cast("list[str]", definition["required"])
        definition["required"] = [key for key in required if key not in keys]
