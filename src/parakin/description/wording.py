"""What pydantic finds wrong with a robot file, said in the words of the file: key, value and remedy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

from pydantic_core import ErrorDetails

from parakin.description import elements, model
from parakin.description.model import RobotDescription
from parakin.description.shapes import SIZES
from parakin.description.values import Table, UnknownMotionError, shown
from parakin.motions import MOTIONS

Location = tuple[int | str, ...]
"""Keys and indices that lead to a value."""

_TABLES: dict[str, type[Table]] = {
    "": RobotDescription,
    "workspace": model.Workspace,
    "platform": model.Platform,
    "platform.tool": model.Tool,
    "platform.bodies[]": model.PlatformBody,
    "symmetries.*": model.Symmetry,
    "legs[]": model.Leg,
    "legs[].attachment": model.Attachment,
    "legs[].attachment.joint": model.PlatformJoint,
    "legs[].attachment.joint.friction": elements.Friction,
    "legs[].attachment.joint.cross": model.Cross,
    "legs[].elements[]": elements.Element,
    "legs[].elements[].joint": elements.Joint,
    "legs[].elements[].joint.friction": elements.Friction,
    "legs[].elements[].actuator": elements.Actuator,
    "legs[].elements[].actuator.friction": elements.Friction,
    "legs[].elements[].slide_friction": elements.Friction,
    "legs[].elements[].swivel_friction": elements.Friction,
    "legs[].elements[].bodies[]": elements.Body,
}
"""Which table stands where; [] for any index."""

_SHORTHAND: dict[str, tuple[str, ...]] = {
    "legs[]": ("elbow",),
    "legs[].elements[].bodies[]": SIZES,
    "legs[].attachment.joint.cross": SIZES,
    "platform.bodies[]": SIZES,
}
"""Keys that are written out before tables are validated, by the table they stand in."""

_REMEDIES = {
    "workspace": ": add [workspace] with home, and the offsets lower and upper of a box around it",
    "platform": ": add [platform], and its bodies as [[platform.bodies]]",
    "legs": ": add [[legs]] with [[legs.elements]], once for each leg or once with a symmetry",
    "attachment": ": add attachment = { b = [x, y, z] }, where the leg meets the platform in its frame [m]",
    "com": ': give the centre of mass [m], from the root A or, for part = "tip", from the tip B',
    "turns": ": say turns = true for what turns with the platform, false for what keeps the base's orientation",
    "source": ': say once, at the top, where the numbers come from, such as "drawing 17" or "assumed"',
    "inertia": ': give the tensor about the centre of mass [kg m^2], or shape = "rod", "tube", "plate" or "point"',
}
"""What to do about a key that is missing, where more than adding it can be done."""

_OF_THE_ROBOT = ": give the length [m] that compares rotations with displacements, such as the platform's radius"
"""What to do where the robot itself has no length."""

_OF_A_VECTOR = ": vectors have three numbers, of which z is 0 in a planar robot"
"""What to do where a list of numbers is too short."""

_EXAMPLES = {
    "friction": "friction = { viscous = 0.1, coulomb = 0.2 }",
    "attachment": "attachment = { b = [0.1, 0.0, 0.0] }",
    "tool": "tool = { position = [0.0, 0.0, -0.1] }",
    "joint": 'joint = { type = "spherical" }',
}
"""How a table is written that fits on a line, by its key."""

_LONGEST_NAME = 64
"""Characters of a name at most; longer ones are like no other."""
_UNITS = {"mass": " kg", "length": " m", "rotor_inertia": " kg m^2", "spacing": " m"}


def problem_of(entry: ErrorDetails) -> tuple[str, str]:
    """Return (key, what is wrong) for one thing that pydantic found, in the words of a robot file."""
    kind, value = entry["type"], entry["input"]
    if kind in _SAID:
        return key_of(entry["loc"]), _SAID[kind](entry["loc"], value, entry.get("ctx", {}))
    return key_of(entry["loc"]), f"{entry['msg'][0].lower()}{entry['msg'][1:]}, got {_short(value)}"


def key_of(location: Location) -> str:
    """Return the place of a value as one would write it: legs[0].root[2]."""
    text = ""
    for part in location:
        named = part if isinstance(part, int) else _short_text(part)
        text += f"[{named}]" if isinstance(part, int) else f".{named}" if text else str(named)
    return text


def _unknown(location: Location, _: Any, __: dict[str, Any]) -> str:
    place = re.sub(r"\[\d+\]", "[]", key_of(location[:-1]))
    place = re.sub(r"^symmetries\..+$", "symmetries.*", place)
    table = _TABLES.get(place)
    known = sorted([*table.model_fields, *_SHORTHAND.get(place, ())]) if table else []
    return f"unknown key{_nearest(location[-1], known)}; known are {', '.join(known)}"


def _missing(location: Location, _: Any, __: dict[str, Any]) -> str:
    if location == ("length",):
        return f"is missing{_OF_THE_ROBOT}"
    return f"is missing{_OF_A_VECTOR if isinstance(location[-1], int) else _REMEDIES.get(location[-1], '')}"


def _not_a_table(location: Location, value: Any, _: dict[str, Any]) -> str:
    example = _EXAMPLES.get(str(location[-1]))
    return f"must be a table{f', such as {example}' if example else ''}, got {_short(value)}"


def _not_a_list(location: Location, value: Any, _: dict[str, Any]) -> str:
    if isinstance(value, dict):
        name = ".".join(part for part in location if isinstance(part, str))
        return f"must be a list of tables, each under [[{name}]] in double brackets"
    if len(location) > 1 and location[-2] == "inertia":
        tensor = "[[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]]"
        return f"must be a row of the tensor: write inertia = {tensor}, got {_short(value)}"
    return f"must be a list in brackets, such as [0.1, 0.0, 0.0], got {_short(value)}"


def _no_name(_: Location, value: Any, __: dict[str, Any]) -> str:
    return f"must be a name of letters, digits and _, beginning with a letter, got {_short(value)}"


def _no_value(_: Location, __: Any, context: dict[str, Any]) -> str:
    error = context["error"]
    return f"{error}{_nearest(error.value, list(MOTIONS)) if isinstance(error, UnknownMotionError) else ''}"


def _too_small(location: Location, value: Any, context: dict[str, Any]) -> str:
    sign, bound = (">", context["gt"]) if "gt" in context else (">=", context["ge"])
    return f"must be {sign} {bound:g}{_UNITS.get(str(location[-1]), '')}, got {_short(value)}"


def _no_choice(_: Location, value: Any, context: dict[str, Any]) -> str:
    expected = str(context["expected"])
    return f"must be {expected}, got {_short(value)}{_nearest(value, re.findall(r'[-a-z]+', expected))}"


_SAID: dict[str, Callable[[Location, Any, dict[str, Any]], str]] = {
    "extra_forbidden": _unknown,
    "missing": _missing,
    "model_type": _not_a_table,
    "dict_type": _not_a_table,
    "tuple_type": _not_a_list,
    "string_pattern_mismatch": _no_name,
    "value_error": _no_value,
    "greater_than": _too_small,
    "greater_than_equal": _too_small,
    "literal_error": _no_choice,
}
"""Kind of an error -> what is said of it, from its place, the value and what pydantic knows about it."""


def _short(value: Any) -> str:
    return _short_text(shown(value))


def _short_text(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _nearest(name: Any, known: list[str]) -> str:
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return ""
    close = difflib.get_close_matches(name, known, n=1)
    return f", did you mean '{close[0]}'?" if close else ""
