"""Read study files, and the robot files that they name."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from parakin.description.loader import file_bytes, is_path, library, problems_of, tables_in
from parakin.description.shape_tables import RawTable
from parakin.description.text import NotTomlError, tables_of
from parakin.design.evaluating import StudyWork, evaluator_of
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
