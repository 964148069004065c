"""Read a TOML file as a MechanismDescription, or raise an error that names file, key, value and remedy."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from parakin.description import Friction, Table, library, problems_of
from parakin.description.loader import file_bytes, is_path, levels_inside, problem_of, tables_in
from parakin.description.model import Tool
from parakin.description.text import NotTomlError, check_size
from parakin.description.writer import tables_to_toml
from parakin.errors import DescriptionError, ImplausibleValueWarning, UnknownNameError
from parakin.mechanism import model
from parakin.mechanism.bar_tables import Bar, BarEnd
from parakin.mechanism.checks import problems
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.names import mechanism_library
from parakin.mechanism.plausible import implausible_mechanism
from parakin.mechanism.shorthand import BODY_SHORTHAND, written_out

_TABLES: dict[str, type[Table]] = {
    "": MechanismDescription,
    "output": model.Output,
    "output.frame": model.Frame,
    "tool": Tool,
    "frames[]": model.NamedFrame,
    "frames[].frame": model.Frame,
    "workspace": model.Workspace,
    "bodies[]": model.Body,
    "joints[]": model.Joint,
    "joints[].parent_frame": model.Frame,
    "joints[].child_frame": model.Frame,
    "joints[].cone": model.Cone,
    "joints[].freedoms.*": model.JointFreedom,
    "joints[].freedoms.*.drive": model.Drive,
    "joints[].freedoms.*.spring": model.Spring,
    "joints[].freedoms.*.friction": Friction,
    "couplings[]": model.Coupling,
    "couplings[].terms[]": model.Term,
    "bars[]": Bar,
    "bars[].ends[]": BarEnd,
}
"""Which table stands where; [] for any index, * for any name."""

_SHORTHAND: dict[str, tuple[str, ...]] = {"bodies[]": BODY_SHORTHAND}
"""Keys that are written out before tables are validated, by the table they stand in."""


def load_mechanism_description(name_or_path: str | Path) -> MechanismDescription:
    """Read a mechanism of the library by name, or from a file. Nothing in a file is executed, no other file is read.

    >>> pk.mechanism.load_mechanism_description("tripod_3rps").title
    'Tripod 3-RPS, three telescopic legs on hinges'
    """
    text = str(name_or_path)
    if is_path(name_or_path):
        return parse_mechanism(file_bytes(name_or_path), Path(name_or_path).name)
    if text in library():
        reason = f'is a robot of legs and platform, not a mechanism of bodies and joints: pk.load("{text}") takes both'
        raise DescriptionError(text, (("", reason),))
    if text not in mechanism_library():
        raise UnknownNameError("mechanism", text, mechanism_library())
    entry = resources.files("parakin.mechanism") / "library" / f"{text}.toml"
    return parse_mechanism(entry.read_bytes(), f"{text}.toml")


def parse_mechanism(data: bytes, file: str) -> MechanismDescription:
    """Return the mechanism in a file's bytes; `file` names it in messages.

    >>> pk.mechanism.parse_mechanism(linkage.to_toml().encode(), "four_bar.toml").name
    'four_bar'
    """
    return describe_mechanism(tables_in(data, file), file)


def describe_mechanism(tables: Mapping[str, object], file: str) -> MechanismDescription:
    """Return the mechanism in nested dictionaries, as TOML or JSON are read; `file` names it in messages.

    Numbers that are implausible give an ImplausibleValueWarning each.

    >>> import tomllib
    >>> pk.mechanism.describe_mechanism(tomllib.loads(linkage.to_toml()), "four_bar.toml") == description
    True
    """
    if "legs" in tables:
        reason = "is a robot of legs and platform, not a mechanism of bodies and joints: pk.load takes both"
        raise DescriptionError(file, (("", reason),))
    told: tuple[tuple[str, str], ...] = ()
    try:
        check_size(tables)
        written = written_out(tables)
        told = tuple(_problem_of(entry) for entry in written.errors)
        description = MechanismDescription.model_validate(written.tables)
    except ValidationError as error:
        raise DescriptionError(file, (*told, *problems_of(error, _problem_of))) from error
    except NotTomlError as error:
        raise DescriptionError(file, (("", str(error)),)) from error
    except RecursionError as error:
        raise DescriptionError(file, (("", "nested too deeply for a mechanism file"),)) from error
    except UnicodeError as error:
        reason = "a key holds half of a surrogate pair, which is no text: rename it"
        raise DescriptionError(file, (("", reason),)) from error
    if between := (*told, *problems(description)):
        raise DescriptionError(file, between)
    for key, reason in implausible_mechanism(description, written.shaped):
        warnings.warn(ImplausibleValueWarning(file, key, reason), stacklevel=levels_inside())
    return description


def mechanism_to_toml(description: MechanismDescription) -> str:
    """Return the mechanism file; reading it gives an equal description.

    >>> text = pk.mechanism.mechanism_to_toml(description)
    >>> pk.mechanism.parse_mechanism(text.encode(), "four_bar.toml") == description
    True
    """
    return tables_to_toml(description.model_dump(exclude_defaults=True))


def _problem_of(entry: ErrorDetails) -> tuple[str, str]:
    """Return (key, what is wrong) for one thing that pydantic found, in the words of a mechanism file."""
    key, reason = problem_of(entry)
    if entry["type"] != "extra_forbidden":
        return key, reason
    place = re.sub(r"\[\d+\]", "[]", key).rpartition(".")[0]
    place = re.sub(r"freedoms\.[^.]+", "freedoms.*", place)
    table = _TABLES.get(place)
    known = sorted([*table.model_fields, *_SHORTHAND.get(place, ())]) if table else []
    close = difflib.get_close_matches(str(entry["loc"][-1])[:64], known, n=1)
    nearest = f", did you mean '{close[0]}'?" if close else ""
    return key, f"unknown key{nearest}; known are {', '.join(known)}"
