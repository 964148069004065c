"""Read a TOML file as a RobotDescription, or raise an error that names file, key, value and remedy."""

from __future__ import annotations

import difflib
import inspect
import re
import tomllib
import warnings
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from parakin.description import elements, model
from parakin.description.checks import problems
from parakin.description.elbows import provisional, resolved
from parakin.description.model import RobotDescription
from parakin.description.plausible import implausible
from parakin.description.rounding import without_rounding
from parakin.description.shapes import SIZES
from parakin.description.shorthand import written_out
from parakin.description.values import Table, UnknownMotionError
from parakin.errors import DescriptionError, ImplausibleValueWarning, UnknownNameError
from parakin.motions import MOTIONS

LARGEST_FILE = 2**20
"""Largest size of a robot file [bytes]; the largest machine in the library takes a hundredth of it."""

_TABLES: dict[str, type[Table]] = {
    "": RobotDescription,
    "workspace": model.Workspace,
    "platform": model.Platform,
    "platform.tool": model.Tool,
    "platform.bodies[]": model.PlatformBody,
    "symmetries.*": model.Symmetry,
    "legs[]": model.Leg,
    "legs[].attachment": model.Attachment,
    "legs[].elements[]": elements.Element,
    "legs[].elements[].joint": elements.Joint,
    "legs[].elements[].joint.friction": elements.Friction,
    "legs[].elements[].actuator": elements.Actuator,
    "legs[].elements[].actuator.friction": elements.Friction,
    "legs[].elements[].bodies[]": elements.Body,
}
"""Which table stands where; [] for any index."""

_SHORTHAND: dict[str, tuple[str, ...]] = {
    "legs[]": ("elbow",),
    "legs[].elements[].bodies[]": SIZES,
    "platform.bodies[]": SIZES,
}
"""Keys that are written out before tables are validated, by the table they stand in."""

_REMEDIES = {
    "source": ': say once, at the top, where the numbers come from, such as "drawing 17" or "assumed"',
    "inertia": ': give the tensor about the centre of mass [kg m^2], or shape = "rod", "tube", "plate" or "point"',
}
"""What to do about a key that is missing, where more than adding it can be done."""

_UNITS = {"mass": " kg", "length": " m", "rotor_inertia": " kg m^2", "spacing": " m"}


def library() -> tuple[str, ...]:
    """Return the names of the robots that come with parakin."""
    folder = resources.files("parakin.description") / "library"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def load_description(name_or_path: str | Path) -> RobotDescription:
    """Read a robot of the library by name, or from a file. Nothing in a file is executed, no other file is read."""
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text or "\\" in text:
        path = Path(name_or_path)
        try:
            with path.open("rb") as file:
                return parse(file.read(LARGEST_FILE + 1), path.name)
        except OSError as error:
            raise DescriptionError(text, (("", f"cannot be read: {error.strerror}"),)) from error
    if text not in library():
        raise UnknownNameError("robot", text, library())
    entry = resources.files("parakin.description") / "library" / f"{text}.toml"
    return parse(entry.read_bytes(), f"{text}.toml")


def parse(data: bytes, file: str) -> RobotDescription:
    """Return the description in a file's bytes; `file` names it in messages."""
    if len(data) > LARGEST_FILE:
        raise DescriptionError(file, (("", f"a robot file has at most {LARGEST_FILE // 2**20} MiB"),))
    try:
        tables = tomllib.loads(data.decode("utf-8"))
    except RecursionError as error:
        raise DescriptionError(file, (("", "nested too deeply for a robot file"),)) from error
    except UnicodeDecodeError as error:
        raise DescriptionError(file, (("", f"is not UTF-8 text (byte {error.start})"),)) from error
    except ValueError as error:
        raise DescriptionError(file, (("", f"is not TOML: {error}"),)) from error
    return describe(tables, file)


def describe(tables: Mapping[str, object], file: str) -> RobotDescription:
    """Return the description in nested dictionaries, as TOML or JSON are read; `file` names it in messages.

    Numbers that are implausible give an ImplausibleValueWarning each.
    """
    told: tuple[tuple[str, str], ...] = ()
    try:
        written = written_out(tables)
        told = tuple(problem_of(entry) for entry in written.errors)
        description = RobotDescription.model_validate(written.tables)
    except ValidationError as error:
        raise DescriptionError(file, (*told, *problems_of(error))) from error
    except RecursionError as error:
        raise DescriptionError(file, (("", "nested too deeply for a robot file"),)) from error
    description, of_elbows = provisional(without_rounding(description), written.elbows)
    if between := [*told, *of_elbows, *problems(description)]:
        raise DescriptionError(file, tuple(between))
    description, of_elbows = resolved(description, written.elbows)
    if of_elbows:
        raise DescriptionError(file, tuple(of_elbows))
    for key, reason in implausible(description):
        warnings.warn(ImplausibleValueWarning(file, key, reason), stacklevel=_levels_inside())
    return description


def _levels_inside() -> int:
    """How far up the stack the code is that called parakin: warnings point there."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "parakin":
        frame, level = frame.f_back, level + 1
    return level


def problems_of(error: ValidationError) -> tuple[tuple[str, str], ...]:
    """Return (key, what is wrong) for all that pydantic found, in the words of a robot file.

    A list is not called too short because of what is wrong inside it.
    """
    entries = error.errors()
    inside = {entry["loc"][: len(outer["loc"])] for outer in entries for entry in entries if entry is not outer}
    return tuple(problem_of(entry) for entry in entries if entry["type"] != "too_short" or entry["loc"] not in inside)


def _key(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def problem_of(entry: ErrorDetails) -> tuple[str, str]:
    """Return (key, what is wrong) for one thing that pydantic found, in the words of a robot file."""
    location, kind, value = entry["loc"], entry["type"], entry["input"]
    key = _key(location)
    context: dict[str, Any] = entry.get("ctx", {})
    if kind == "extra_forbidden":
        return key, _unknown(location)
    if kind == "missing":
        return key, f"is missing{_REMEDIES.get(str(location[-1]), '')}"
    if kind == "value_error":
        error = context["error"]
        nearest = _nearest(error.value, list(MOTIONS)) if isinstance(error, UnknownMotionError) else ""
        return key, f"{error}{nearest}"
    if kind in ("greater_than", "greater_than_equal"):
        bound = context.get("gt", context.get("ge"))
        sign = ">" if kind == "greater_than" else ">="
        return key, f"must be {sign} {bound:g}{_UNITS.get(str(location[-1]), '')}, got {value}"
    if kind == "literal_error":
        expected = str(context["expected"])
        return key, f"must be {expected}, got {value!r}{_nearest(value, re.findall(r'[-a-z]+', expected))}"
    return key, f"{entry['msg'][0].lower()}{entry['msg'][1:]}, got {_short(value)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _unknown(location: tuple[int | str, ...]) -> str:
    place = re.sub(r"\[\d+\]", "[]", _key(location[:-1]))
    place = re.sub(r"^symmetries\..+$", "symmetries.*", place)
    table = _TABLES.get(place)
    known = sorted([*table.model_fields, *_SHORTHAND.get(place, ())]) if table else []
    return f"unknown key{_nearest(location[-1], known)}; known are {', '.join(known)}"


def _nearest(name: Any, known: list[str]) -> str:
    close = difflib.get_close_matches(str(name), known, n=1)
    return f", did you mean '{close[0]}'?" if close else ""
