"""Sampled motions as CSV: a header with names and units, then one line a state, every float to its last digit."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.description.model import COORDINATES, QUATERNION_TOLERANCE
from parakin.errors import MotionFileError
from parakin.files import replacing
from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.trajectory.motion import Samples

_AXES = "xyz"


def columns(kind: str) -> tuple[str, ...]:
    """The header: t, pose, velocity, acceleration."""
    linear = [_AXES[axis] for axis in LINEAR[kind]]
    lengths = len(linear)
    pose = [f"{name} [{'m' if k < lengths else '1' if kind == 'spatial' else 'rad'}]" for k, name in _numbered(kind)]
    turns = [f"w{_AXES[axis]}" for axis in ANGULAR[kind]]
    velocity = [f"v{axis} [m/s]" for axis in linear] + [f"{turn} [rad/s]" for turn in turns]
    acceleration = [f"a{axis} [m/s^2]" for axis in linear] + [f"{turn}_dot [rad/s^2]" for turn in turns]
    return ("t [s]", *pose, *velocity, *acceleration)


def _numbered(kind: str) -> list[tuple[int, str]]:
    return list(enumerate(COORDINATES[kind]))


def write_csv(path: str | Path, samples: Samples) -> Path:
    """Write all or nothing: an interrupted or failed call leaves what was there before."""
    target = Path(path)
    table = np.column_stack([samples.t, samples.pose, samples.velocity, samples.acceleration])
    lines = [",".join(columns(samples.kind)), *(",".join(map(repr, row)) for row in table.tolist())]
    try:
        with replacing(target) as partial:
            partial.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise MotionFileError(str(target), None, None, f"cannot be written: {error.strerror}") from error
    return target


def read_csv(path: str | Path) -> Samples:
    """Samples with the columns of one type of motion, times increasing."""
    file = str(path)
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream)
            rows = [(reader.line_num, row) for row in reader if row]
    except OSError as error:
        raise MotionFileError(file, None, None, f"cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise MotionFileError(file, None, None, f"is not a text file of comma-separated values: {error}") from error
    if not rows:
        raise MotionFileError(file, None, None, "is empty: write it with write_csv")
    kind = _kind(file, rows[0][0], tuple(name.strip() for name in rows[0][1]))
    if len(rows) == 1:
        raise MotionFileError(file, None, None, "has a header and no states: add at least one line of numbers")
    names = columns(kind)
    table = np.array([_numbers(file, line, names, row) for line, row in rows[1:]])
    _check(file, kind, [line for line, _ in rows[1:]], table)
    poses, freedom = len(COORDINATES[kind]), len(LINEAR[kind]) + len(ANGULAR[kind])
    parts = np.split(table, [1, 1 + poses, 1 + poses + freedom], axis=1)
    return Samples(kind, parts[0][:, 0], *parts[1:])


def _kind(file: str, line: int, header: tuple[str, ...]) -> str:
    known = {kind: columns(kind) for kind in COORDINATES}
    for kind, names in known.items():
        if header == names:
            return kind
    kind, names = max(known.items(), key=lambda entry: (len(set(entry[1]) & set(header)), -len(entry[1])))
    missing = [name for name in names if name not in header]
    foreign = [name for name in header if name not in names]
    wrong = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has unknown {', '.join(foreign)}"] * bool(foreign)
    reason = "; ".join(wrong) or "has them in another order, or twice"
    raise MotionFileError(file, line, None, f"the header {reason}; a {kind} motion has the columns {','.join(names)}")


def _numbers(file: str, line: int, names: tuple[str, ...], row: list[str]) -> list[float]:
    if len(row) != len(names):
        raise MotionFileError(file, line, None, f"has {len(row)} values for {len(names)} columns: complete it")
    values: list[float] = []
    for name, text in zip(names, row, strict=True):
        try:
            value = float(text)
        except ValueError:
            raise MotionFileError(file, line, name, f"must be a number such as 0.25, got {text!r}") from None
        if not np.isfinite(value):
            raise MotionFileError(file, line, name, f"must be finite, got {text!r}")
        values.append(value)
    return values


def _check(file: str, kind: str, lines: list[int], table: Array) -> None:
    back = np.flatnonzero(np.diff(table[:, 0]) <= 0.0)
    if len(back):
        k = int(back[0]) + 1
        before, after = table[k - 1 : k + 1, 0].tolist()
        reason = f"times must increase, got {after!r} after {before!r}: sort the lines, drop doubles"
        raise MotionFileError(file, lines[k], "t [s]", reason)
    if kind == "spatial":
        norm = np.linalg.norm(table[:, 4:8], axis=1)
        off = np.flatnonzero(np.abs(norm - 1.0) > QUATERNION_TOLERANCE)
        if len(off):
            reason = f"the quaternion (w, x, y, z) has length {norm[off[0]]:.9g}: normalise it"
            raise MotionFileError(file, lines[int(off[0])], "qw [1]", reason)
