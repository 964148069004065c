"""Results that were saved as arrays of an NPZ file, read again for the robot that they were found for."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.maps import PerformanceMap
from parakin.analysis.options import Options
from parakin.analysis.quantities import quantity_of
from parakin.analysis.quantity import Values
from parakin.analysis.reason import Reason
from parakin.analysis.saving import LARGEST, digest_of
from parakin.analysis.singularities.loci import Locus
from parakin.analysis.slices import Axis
from parakin.analysis.workspaces.causes import causes_of
from parakin.analysis.workspaces.judging import Demands
from parakin.analysis.workspaces.lattice import Lattice
from parakin.analysis.workspaces.region import Region, region_of
from parakin.analysis.workspaces.result import Level, Workspace
from parakin.dynamics.payload import Payload
from parakin.errors import FileError, ParakinError
from parakin.files import open_regular
from parakin.motions.offsets import origin_of
from parakin.robot import Robot

SAME_HOME = 1e-9
"""Homes that differ by more [m or rad] are those of different robots."""
Arrays = Mapping[str, NDArray[Any]]
"""Arrays of a file by name."""
Result = PerformanceMap | Workspace | Locus
"""What can be saved and read again."""
_BROKEN = (
    *(ValueError, LookupError, TypeError, ArithmeticError, EOFError, RuntimeError, MemoryError, AttributeError),
    *(struct.error, zipfile.BadZipFile, zlib.error),
)
"""What reading and using a file raises that is not what was written."""
LARGEST_COORDINATE = 1e9
"""Size [m or rad] that no coordinate of a result has."""
NUMBERS, COUNTS, FLAGS = "fiu", "iu", "b"
"""Kinds of arrays in files, as letters of numpy's dtypes."""


def read_result(path: str | Path, robot: Robot) -> Result:
    """Return a map, a workspace or singular curves from an NPZ file that `parakin map` or `parakin workspace` wrote.

    robot: that it was found for; a file of another one, or of one whose file was changed since, is refused. So is a map
    that a payload counts for, if the robot does not carry the same.

    >>> found = pk.analysis.performance_map(robot, ["dexterity"], pk.analysis.Slice(grid=11))
    >>> np.savez_compressed("map.npz", **found.to_arrays())
    >>> again = pk.analysis.read_result("map.npz", robot)
    >>> again.words == found.words, bool(np.array_equal(again.poses, found.poses))
    (True, True)
    """
    name = str(path)
    with refusing_damage(name):
        arrays = _arrays(name)
        make = next((make for key, make in KINDS.items() if key in arrays), None)
        if make is None:
            raise FileError(name, f"holds {', '.join(arrays)[:80]}: give map.npz, workspace.npz or singular_poses.npz")
        _check_robot(name, arrays, robot)
        return make(robot, arrays)


@contextmanager
def refusing_damage(name: str) -> Generator[None]:
    """Raise FileError where a file of results cannot be read, or where what was read of it cannot be used."""
    try:
        yield
    except ParakinError:
        raise
    except OSError as error:
        raise FileError(name, f"cannot be read: {error.strerror or error}") from error
    except _BROKEN as error:
        reason = f"is damaged, or not a file of `parakin map` or `parakin workspace`: {str(error)[:80]}"
        raise FileError(name, reason) from error


def _arrays(name: str) -> dict[str, NDArray[Any]]:
    """Return all arrays of a file, if they are no more than LARGEST."""
    with open_regular(Path(name)) as file, zipfile.ZipFile(file) as archive:
        total = sum(entry.file_size for entry in archive.infolist())
        if total > LARGEST:
            raise FileError(name, f"holds {total} bytes, at most {LARGEST} are read")
        return {
            entry.removesuffix(".npy"): np.lib.format.read_array(archive.open(entry), allow_pickle=False)
            for entry in archive.namelist()
        }


def _array(arrays: Arrays, name: str, kinds: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Return an array of a file if it has a kind, a shape, where None is any length, and possible coordinates."""
    found = arrays[name]
    fits = len(found.shape) == len(shape) and all(a in (None, b) for a, b in zip(shape, found.shape, strict=True))
    if found.dtype.kind not in kinds or not fits:
        raise ValueError(f"{name} is {found.dtype} {found.shape}")
    if found.dtype.kind == "f" and not (np.abs(found) < LARGEST_COORDINATE).all():
        raise ValueError(f"{name} has numbers that are no coordinates")
    return found


def _check_robot(name: str, arrays: Arrays, robot: Robot) -> None:
    """Refuse a file of another robot, or of one whose file was changed since: its home, limits or anything else."""
    if "robot" not in arrays or "home" not in arrays:
        raise FileError(name, "does not say which robot it is of: compute it again, and keep it as NPZ")
    if str(arrays["robot"]) != robot.name:
        raise FileError(name, f"is a result of {arrays['robot']}, not of {robot.name}")
    home = _array(arrays, "home", NUMBERS, (None,))
    if home.shape != robot.home.shape or np.abs(home - robot.home).max() > SAME_HOME:
        raise FileError(name, f"was found for a {robot.name} with another home: compute it again")
    if "causes" in arrays and arrays["causes"].tolist() != [str(cause) for cause in causes_of(robot)]:
        raise FileError(name, f"was found for a {robot.name} with other limits: compute it again")
    if "digest" not in arrays:
        raise FileError(
            name, f"does not say which file of {robot.name} it was found for, as older ones: compute it again"
        )
    if str(arrays["digest"]) != digest_of(robot):
        raise FileError(name, f"was found for a {robot.name} whose file was changed since: compute it again")
    if "about" in arrays:
        _check_payload(name, json.loads(str(arrays["about"])), robot)


def _check_payload(name: str, about: dict[str, Any], robot: Robot) -> None:
    """Refuse a map of a robot that carried something else, if that counts for what is mapped."""
    carried = Payload.model_validate(about["payload"])
    if carried != robot.payload and any("carried" in quantity_of(one).uses for one in about["units"]):
        here = f"{robot.payload.mass:g} kg" if robot.payload.mass else "nothing"
        reason = f"was found with a payload of {carried.mass:g} kg, and {robot.name} carries {here} here"
        raise FileError(name, f"{reason}: give the robot the same payload, or compute it again")


def _map(robot: Robot, arrays: Arrays) -> PerformanceMap:
    about = json.loads(str(arrays["about"]))
    motion = robot.coordinates
    origin, names = origin_of(motion, robot.home), motion.offset_names
    units = {name: axis.position for name, axis in zip(names, motion.axes, strict=True)}
    axes: list[Axis] = []
    for name in arrays["axes"].tolist():
        k = names.index(name)
        low, high = (float(origin[k] + side[k]) for side in robot.box)
        values_along = _array(arrays, f"axis_{name}", NUMBERS, (None,))
        axes.append(Axis(name, units[name], values_along, (low, high), float(origin[k])))
    shape = tuple(len(axis.values) for axis in axes[::-1])
    if arrays["table"].dtype.kind != "f":
        raise ValueError(f"table is {arrays['table'].dtype}")
    columns = dict(zip(arrays["columns"].tolist(), arrays["table"].T, strict=True))
    values: dict[str, Values] = {}
    for name, unit in about["units"].items():
        reasons = columns[f"{name}.reason"]
        if not np.isin(reasons, list(Reason)).all():
            raise ValueError(f"{name}.reason has numbers that are no reasons")
        values[name] = Values(columns[f"{name} [{unit}]"].reshape(shape), reasons.astype(np.int32).reshape(shape), unit)
    quantities, options = tuple(quantity_of(name) for name in values), _options(about["options"])
    return PerformanceMap(
        robot.name,
        quantities,
        tuple(axes),
        {name: float(value) for name, value in about["held"].items()},
        {name: units[name] for name in about["held"]},
        robot.home,
        np.stack([columns[name] for name in robot.pose_names], axis=-1).reshape(*shape, -1),
        robot.pose_names,
        motion.of_joints,
        values,
        {one.name: one.subject(robot, options) for one in quantities},
        str(about["directions"]),
        float(about["length"]),
        options,
        Payload.model_validate(about["payload"]),
        str(about["failure"]),
        str(arrays["digest"]),
    )


def _options(values: Mapping[str, Any]) -> Options:
    given: dict[str, Any] = {field.name: values[field.name] for field in fields(Options)}
    for name in ("direction", "payload_centre"):
        given[name] = None if given[name] is None else tuple(given[name])
    return Options(**given)


def _region(robot: Robot, arrays: Arrays) -> Region:
    need = "any" if str(arrays["need"]) == "any" else "all"
    region = region_of(robot, arrays["axes"].tolist())
    offsets = _array(arrays, "offsets", NUMBERS, (None, region.offsets.shape[-1]))
    if not len(offsets):
        raise ValueError("offsets is empty")
    return replace(region, offsets=offsets, need=need)


def _lattice(arrays: Arrays, names: tuple[str, ...]) -> Lattice:
    axes = [_array(arrays, f"axis_{name}", NUMBERS, (None,)) for name in names]
    shape = tuple(len(axis) for axis in axes)
    if not all(len(axis) > 1 and (np.diff(axis) > 0).all() for axis in axes):
        raise ValueError("an axis does not rise")
    ends = np.array([axis[[0, -1]] for axis in axes])
    codes, judged = _array(arrays, "codes", COUNTS, shape), _array(arrays, "judged", FLAGS, shape)
    return Lattice(ends[:, 0], ends[:, 1], codes, judged, int(arrays["evaluations"]))


def _workspace(robot: Robot, arrays: Arrays) -> Workspace:
    region = _region(robot, arrays)
    condition, one_aspect, clearance = arrays["demands"].tolist()
    d = len(region.axes)
    levels = tuple(
        Level(tuple(int(n) for n in row[:d]), row[d], row[d + 1], int(row[d + 2])) for row in arrays["levels"].tolist()
    )
    (low, high), (home_low, home_high) = arrays["bracket"].tolist()
    lattice, causes = _lattice(arrays, region.axes), causes_of(robot)
    if lattice.codes.min() < -1 or lattice.codes.max() >= len(causes):
        raise ValueError("codes name causes that are not there")
    return Workspace(
        robot.name,
        region,
        Demands(None if np.isnan(condition) else condition, bool(one_aspect), clearance),
        lattice,
        causes,
        _array(arrays, "home_part", FLAGS, lattice.codes.shape),
        _array(arrays, "boundary", NUMBERS, (None, d)),
        arrays["outline"],
        levels,
        (low, high),
        (home_low, home_high),
        tuple(arrays["clipped"].tolist()),
        str(arrays["digest"]),
    )


def _locus(robot: Robot, arrays: Arrays) -> Locus:
    region = _region(robot, arrays)
    lattice = _lattice(arrays, region.axes)
    d = len(region.axes)
    type_2, type_1 = (_array(arrays, name, NUMBERS, (None, 2, d)) for name in ("type_2", "type_1"))
    signed, digest = bool(arrays["signed"]), str(arrays["digest"])
    return Locus(robot.name, region, lattice, arrays["values"], type_2, type_1, signed, digest)


KINDS: dict[str, Callable[[Robot, Arrays], Result]] = {"table": _map, "boundary": _workspace, "type_2": _locus}
"""What makes a result of a file, by an array that only files of its kind have."""
