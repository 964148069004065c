"""Read a TOML file as a RobotDescription, or raise an error that names file, key, value and remedy."""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from itertools import islice
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from parakin.description.checks import problems
from parakin.description.elbows import provisional, resolved
from parakin.description.model import RobotDescription
from parakin.description.plausible import implausible
from parakin.description.rounding import without_rounding
from parakin.description.shorthand import written_out
from parakin.description.text import NotTomlError, check_size, tables_of
from parakin.description.wording import key_of, problem_of
from parakin.errors import DescriptionError, ImplausibleValueWarning, UnknownNameError
from parakin.files import open_regular

LARGEST_FILE = 2**20
"""Largest size of a robot file [bytes]; the largest machine in the library takes a hundredth of it."""
XML_SUFFIXES = (".xml", ".mjcf", ".urdf", ".sdf", ".world")
"""Ends of names of files from which a mechanism is imported; their root element tells the dialect."""
PRINTER_SUFFIXES = {".cfg": "Klipper", ".h": "Marlin"}
"""Ends of names of files with the constants of a delta printer, and the firmware that they are of."""
MOST_PROBLEMS = 100
"""Problems that an error lists at most, for each costs time; the last line then says how many there are."""


def library() -> tuple[str, ...]:
    """Return the names of the robots of legs that come with parakin; `pk.library` has mechanisms, too.

    >>> [name for name in pk.description.library() if "delta" in name]
    ['delta', 'delta_shaft']
    """
    folder = resources.files("parakin.description") / "library"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def is_path(name_or_path: str | Path) -> bool:
    """Tell whether what names a robot or mechanism is the path of a file, rather than a name of the library."""
    text = str(name_or_path)
    is_file = text.endswith(".toml") or "/" in text or "\\" in text
    return isinstance(name_or_path, Path) or is_file or is_foreign(name_or_path)


def is_foreign(path: str | Path) -> bool:
    """Tell whether a file is of another program, from which `parakin.mechanism.readers` imports, by its name."""
    suffix = Path(path).suffix.lower()
    return suffix in XML_SUFFIXES or suffix in PRINTER_SUFFIXES


def file_bytes(name_or_path: str | Path) -> bytes:
    """Return the bytes of a robot or mechanism file, one more than the largest has if it has more."""
    try:
        with open_regular(Path(name_or_path)) as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise DescriptionError(str(name_or_path), (("", f"cannot be read: {error.strerror}"),)) from error


def load_description(name_or_path: str | Path) -> RobotDescription:
    """Read a robot of the library by name, or from a file. Nothing in a file is executed, no other file is read.

    >>> description = pk.description.load_description("hexa")
    >>> description.motion, len(description.legs)
    ('spatial', 2)
    """
    text = str(name_or_path)
    if is_path(name_or_path):
        return parse(file_bytes(name_or_path), Path(name_or_path).name)
    if text not in library():
        raise UnknownNameError("robot", text, library())
    entry = resources.files("parakin.description") / "library" / f"{text}.toml"
    return parse(entry.read_bytes(), f"{text}.toml")


def parse(data: bytes, file: str) -> RobotDescription:
    """Return the description in a file's bytes; `file` names it in messages."""
    return describe(tables_in(data, file), file)


def tables_in(data: bytes, file: str) -> dict[str, object]:
    """Return the tables in a file's bytes; `file` names it in messages."""
    try:
        return tables_of(data, LARGEST_FILE)
    except NotTomlError as error:
        raise DescriptionError(file, (("", str(error)),)) from error


def describe(tables: Mapping[str, object], file: str) -> RobotDescription:
    """Return the description in nested dictionaries, as TOML or JSON are read; `file` names it in messages.

    Numbers that are implausible give an ImplausibleValueWarning each.

    >>> import tomllib
    >>> description = pk.description.describe(tomllib.loads(robot.to_toml()), "delta.toml")
    >>> description == robot.description
    True
    """
    if is_mechanism(tables):
        reason = "is a mechanism of bodies and joints, not a robot of legs and platform: pk.load takes both"
        raise DescriptionError(file, (("", reason),))
    told: tuple[tuple[str, str], ...] = ()
    try:
        check_size(tables)
        written = written_out(tables)
        told = tuple(problem_of(entry) for entry in written.errors)
        description = RobotDescription.model_validate(written.tables)
    except ValidationError as error:
        raise DescriptionError(file, (*told, *problems_of(error))) from error
    except NotTomlError as error:
        raise DescriptionError(file, (("", str(error)),)) from error
    except RecursionError as error:
        raise DescriptionError(file, (("", "nested too deeply for a robot file"),)) from error
    except UnicodeError as error:
        reason = "a key holds half of a surrogate pair, which is no text: rename it"
        raise DescriptionError(file, (("", reason),)) from error
    description, of_elbows = provisional(without_rounding(description), written.elbows)
    shapes = {key_of(place): shape for place, shape in written.shapes.items()}
    if between := [*told, *of_elbows, *problems(description, shapes)]:
        raise DescriptionError(file, _listed(between, len(between)))
    description, of_elbows = resolved(description, written.elbows)
    if of_elbows:
        raise DescriptionError(file, _listed(of_elbows, len(of_elbows)))
    for key, reason in implausible(description, shapes):
        warnings.warn(ImplausibleValueWarning(file, key, reason), stacklevel=levels_inside())
    return description


def is_mechanism(tables: Mapping[str, object]) -> bool:
    """Tell whether tables are of a mechanism of bodies and joints, rather than of a robot of legs and platform."""
    return "joints" in tables and "legs" not in tables


def levels_inside() -> int:
    """Return how far up the stack the code is that called parakin: warnings point there."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "parakin":
        frame, level = frame.f_back, level + 1
    return level


def problems_of(
    error: ValidationError, problem: Callable[[ErrorDetails], tuple[str, str]] | None = None
) -> tuple[tuple[str, str], ...]:
    """Return (key, what is wrong) for what pydantic found, in the words of a robot file, MOST_PROBLEMS at most.

    A list is not called too short because of what is wrong inside it. problem: says it in the words of another file.

    >>> from pydantic import ValidationError
    >>> try:
    ...     pk.description.Friction(viscous=-1.0)
    ... except ValidationError as error:
    ...     print(pk.description.problems_of(error))
    ...
    (('viscous', 'must be >= 0, got -1.0'),)
    """
    entries = error.errors(include_url=False)
    places = Counter(entry["loc"][:length] for entry in entries for length in range(1, len(entry["loc"]) + 1))
    told = [entry for entry in entries if entry["type"] != "too_short" or places[entry["loc"]] == 1]
    return _listed(map(problem or problem_of, told), len(told))


def _listed(problems: Iterable[tuple[str, str]], count: int) -> tuple[tuple[str, str], ...]:
    """Return the first problems, and how many there are if not all are among them."""
    more = ("", f"{count} problems in all, of which these are the first {MOST_PROBLEMS}: mend them first")
    return (*islice(problems, MOST_PROBLEMS), *[more] * (count > MOST_PROBLEMS))
