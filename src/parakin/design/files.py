"""Study files and the robot files that they name are read, and the chosen design is written as a robot file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from parakin.arrays import Array
from parakin.description.loader import file_bytes, is_mechanism, is_path, library, problems_of, tables_in
from parakin.description.shape_tables import Place, RawTable
from parakin.description.text import NotTomlError, tables_of
from parakin.description.writer import tables_to_toml
from parakin.design.evaluating import StudyWork, evaluator_of
from parakin.design.places import replaced
from parakin.design.study import Study
from parakin.design.subject import Subject
from parakin.errors import DesignError, UnknownNameError
from parakin.files import open_regular

LARGEST_FILE = 2**20
"""Largest size of a study file [bytes]."""


def load_study(path: str | Path) -> Study:
    """Read a study file. Nothing in it is executed.

    >>> pk.design.load_study("delta.toml").title
    'Arm and forearm of a Delta'
    """
    file = Path(path)
    try:
        with open_regular(file) as stream:
            tables = tables_of(stream.read(LARGEST_FILE + 1), LARGEST_FILE)
        return Study.model_validate(tables)
    except OSError as error:
        raise DesignError(str(path), (("", f"cannot be read: {error.strerror or error}"),)) from error
    except NotTomlError as error:
        raise DesignError(file.name, (("", str(error)),)) from error
    except ValidationError as error:
        raise DesignError(file.name, problems_of(error, _problem)) from error


def _problem(entry: ErrorDetails) -> tuple[str, str]:
    """Return (key, what is wrong) of a study, from what pydantic found."""
    key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in entry["loc"]).removeprefix(".")
    if entry["type"] == "missing":
        return key, "is missing"
    if entry["type"] == "extra_forbidden":
        return key, "is no key of a study"
    return key, entry["msg"].removeprefix("Value error, ")


def robot_tables(name_or_path: str, folder: Path) -> RawTable:
    """Return the tables of a robot or mechanism file, by the name of a library robot or from a study's folder."""
    if is_path(name_or_path):
        path = folder / name_or_path
        return tables_in(file_bytes(path), path.name)
    from parakin.mechanism import mechanism_library

    for package, names in (("parakin.description", library()), ("parakin.mechanism", mechanism_library())):
        if name_or_path in names:
            entry = resources.files(package) / "library" / f"{name_or_path}.toml"
            return tables_in(entry.read_bytes(), entry.name)
    raise UnknownNameError("robot", name_or_path, (*library(), *mechanism_library()))


def work_of(study: Study, folder: str | Path) -> StudyWork:
    """Return a study as the work of an executor; folder: from where it names other files.

    >>> work = pk.design.work_of(pk.design.load_study("delta.toml"), ".")
    >>> sorted(work(np.arange(2), 0))
    ['arm', 'force', 'forearm', 'room', 'status']
    """
    place = Path(folder).absolute()
    tables = robot_tables(study.robot, place)
    return StudyWork(study.model_dump_json(), json.dumps(tables), str(place))


def read_subject(path: str | Path) -> Subject:
    """Read a study file and make it ready.

    >>> pk.design.read_subject("delta.toml").robot.name
    'delta'
    """
    return evaluator_of(work_of(load_study(path), Path(path).parent)).subject


LONGEST_SOURCE = 500
"""Characters of a source at most."""
_HAVE_SOURCE = ("elements", "bodies", "legs", "actuator", "workspace", "platform")
"""Tables of a robot file that say where their numbers come from."""


def robot_file(subject: Subject, x: Array, origin: str) -> str:
    """Return the robot file of a design, with the study and the point as the source of every table that is changed.

    origin: where the design comes from, such as "row 17". The file is loaded once, so that it is one.

    >>> subject = pk.design.read_subject("delta.toml")
    >>> text = pk.design.robot_file(subject, np.array([0.25, 0.52]), "row 3")
    >>> [line for line in text.splitlines() if "row 3" in line][0].partition("; ")[0]
    'source = "design study delta_arms, row 3: arm = 0.25, forearm = 0.52'
    """
    subject.robot_at(np.asarray(x, float))
    point = subject.point(np.asarray(x, float))
    told = ", ".join(f"{name} = {value!r}" for name, value in point.items())
    study = f"design study {subject.study.name}, {origin}"
    tables = subject.tables_at(np.asarray(x, float))
    sources: dict[Place, object] = {("source",): _source(f"{study}: {told}", tables)}
    changed: dict[Place, list[str]] = {}
    for place, formula in subject.places.items():
        owner = _owner(place)
        if owner:
            changed.setdefault(owner, []).append(f"{_rest(place, owner)} = {formula.text}")
    if not is_mechanism(tables):
        for owner, texts in changed.items():
            sources[(*owner, "source")] = _source(f"{study}: {', '.join(texts)}", _table(tables, owner))
    return tables_to_toml(replaced(tables, sources))


def _source(told: str, table: Mapping[str, Any]) -> str:
    before = table.get("source")
    text = told if before is None else f"{told}; before: {before}"
    return text if len(text) <= LONGEST_SOURCE else f"{text[: LONGEST_SOURCE - 3]}..."


def _owner(place: Place) -> Place:
    """Return the innermost table around a place that has a source of its own; empty for the file itself."""
    for length in range(len(place) - 1, 0, -1):
        names = [step for step in place[:length] if isinstance(step, str)]
        whole = length == len(place) - 1 or not isinstance(place[length], int)
        if names[-1] in _HAVE_SOURCE and whole and (isinstance(place[length - 1], int) or names[-1] not in _LISTS):
            return place[:length]
    return ()


_LISTS = ("elements", "bodies", "legs")


def _rest(place: Place, owner: Place) -> str:
    steps = place[len(owner) :]
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _table(tables: RawTable, place: Place) -> Mapping[str, Any]:
    here: Any = tables
    for step in place:
        here = here[step]
    return here
