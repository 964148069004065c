"""A job is a work on so many rows, told by a small file in its folder; a folder holds one job."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import cast

from parakin.errors import ExecutorError
from parakin.executors.fingerprints import code_digest, fingerprint
from parakin.files import open_regular, replacing

JOB_FILE, WORK_FILE = "job.json", "work.pickle"
"""Files of a folder beside the results: what the job is; the work, as workers read it."""
_FORMAT = 1


@dataclass(frozen=True)
class Job:
    """What decides the results of a job, and how its rows are cut."""

    rows: int
    """How many rows there are."""
    chunk: int
    """Rows of a chunk; the last may have fewer."""
    seed: int
    """Seed of the whole job, from which and from its number each row has its own."""
    work: str
    """Fingerprint of the work."""
    code: str
    """Version of Python, and a digest of the text of parakin, by which the results are computed."""

    @property
    def key(self) -> str:
        """What a file of results says of its job: all that decides the numbers."""
        return f"{self.work}-{self.code}-{self.seed}"


def new_job(work: object, rows: int, chunk: int, seed: int) -> Job:
    """Describe a job of this process; a new one, or one that goes on."""
    for name, value, least in (("rows", rows, 1), ("chunk", chunk, 1), ("seed", seed, 0)):
        if value < least:
            raise ExecutorError(name, f"must be at least {least}, got {value}")
    return Job(rows, chunk, seed, fingerprint(work), code_digest())


def read_job(folder: Path) -> Job | None:
    """Read what job a folder holds; None where it holds none. ExecutorError where the file is not one of ours."""
    path = folder / JOB_FILE
    try:
        with open_regular(path) as file:
            data: object = json.loads(file.read())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ExecutorError(str(path), f"cannot be read: {error}; begin in another folder") from error
    table = cast("dict[str, object]", data) if isinstance(data, dict) else {}
    kinds = {field.name: str if field.type == "str" else int for field in fields(Job)}
    if table.get("format") != _FORMAT or not all(type(table.get(name)) is kind for name, kind in kinds.items()):
        raise ExecutorError(str(path), "is not a job of this version of parakin: begin in another folder")
    return Job(**{name: table[name] for name in kinds})  # pyright: ignore[reportArgumentType]


def enter(folder: Path, job: Job, *, resume: bool) -> Job:
    """Make a folder the place of a job, or find the same job there, and return the job with the folder's chunks.

    ExecutorError where the folder holds the job and it is not to be resumed, or where it holds another.
    """
    there = read_job(folder) if folder.is_dir() else None
    if there is None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with replacing(folder / JOB_FILE) as path:
                path.write_text(json.dumps({"format": _FORMAT, **asdict(job)}, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise ExecutorError(str(folder), f"cannot be written: {error.strerror or error}") from error
        return job
    differs = _differences(there, job)
    if differs:
        raise ExecutorError(str(folder), f"holds another job: {differs}; give another folder")
    if not resume:
        raise ExecutorError(str(folder), "holds this job already: resume it (--resume), or give another folder")
    return there


def _differences(there: Job, job: Job) -> str:
    """Say how the job of a folder differs from the one asked for; chunks may, for they change no results."""
    words = [
        f"it has {getattr(there, name)} as {name}, not {getattr(job, name)}"
        for name in ("rows", "seed")
        if getattr(there, name) != getattr(job, name)
    ]
    words += ["its work, or data of its work, differ"] * (there.work != job.work)
    words += ["it was begun by another version of parakin's code or of Python"] * (there.code != job.code)
    return ", ".join(words)
