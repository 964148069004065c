"""Quantities over a slice of poses: numbers, and where there are none, why."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.options import EVERY_DIRECTION, Options, directions_of, length_of
from parakin.analysis.quantities import quantity_of
from parakin.analysis.quantity import Quantity, Use, Values, evaluate_all, refuse_obstacles
from parakin.analysis.reason import Reason
from parakin.analysis.saving import MOST_ENTRIES, digest_of
from parakin.analysis.slices import Axis, Slice, lattice_of, place_in_words
from parakin.arrays import Array, frozen_arrays
from parakin.dynamics.payload import Payload
from parakin.errors import DataError
from parakin.executors import RowStatus, placed

if TYPE_CHECKING:
    from parakin.executors import Placement
    from parakin.robot import Robot

CHUNK = 4096
"""Poses that are evaluated together."""


class Summary(NamedTuple):
    """A map in a few numbers."""

    least: float
    """Smallest value; NaN if there is none, infinite if all are."""
    median: float
    """Median of the values."""
    largest: float
    """Largest value."""
    least_at: tuple[float, ...]
    """Where on the axes the smallest value is [m or rad]."""
    largest_at: tuple[float, ...]
    """Where the largest is."""
    shares: dict[str, float]
    """Share of poses by reason, in words; those with a value are "good"."""
    infinite: float
    """Share of poses whose value is infinite, which JSON cannot hold."""


@frozen_arrays
class PerformanceMap:
    """Quantities of a robot over a slice of its poses."""

    robot: str
    """Name of the robot."""
    quantities: tuple[Quantity, ...]
    """What was mapped."""
    axes: tuple[Axis, ...]
    """The one or two coordinates that vary; the first runs along the last dimension."""
    held: dict[str, float]
    """Where all other coordinates are held [m or rad]."""
    held_units: dict[str, str]
    """Unit of each that is held."""
    robot_home: Array
    """Home of the robot, a whole pose."""
    poses: Array
    """The poses (rows, columns, coordinates), or (columns, coordinates)."""
    pose_names: tuple[str, ...]
    """Names of the numbers of a pose."""
    of_joints: bool
    """Whether these are coordinates of a mechanism's joints, not of a platform."""
    values: dict[str, Values]
    """Values (rows, columns) of each quantity, by its name."""
    subjects: dict[str, str]
    """Whose coordinates or actuators each quantity is of, in words, by its name."""
    directions: str
    """Which directions counted, in words."""
    length: float
    """Characteristic length [m] by which turns were compared with ways."""
    options: Options
    """What was chosen."""
    payload: Payload
    """What the robot carries."""
    failure: str
    """What was said at the first pose that could not be computed; empty if there is none."""
    digest: str
    """Tells whether the file of a robot is the one that this was found for: `digest_of`."""

    @property
    def words(self) -> str:
        """The robot, where other coordinates are held, directions with the length, an actuator, and what was given."""
        held = ", ".join(place_in_words(name, value, self.held_units[name]) for name, value in self.held.items())
        parts = [f"{self.robot} at {held}" if held else self.robot]
        if self.of_joints:  # panels of a mechanism say themselves whose coordinates and actuators they are of
            return "; ".join([parts[0], f"characteristic length {self.length:.3g} m", *self.given])
        if self.directions != EVERY_DIRECTION:
            parts.append(f"{self.directions}; characteristic length {self.length:g} m")
        if self.options.actuator is not None:
            parts.append(f"inertia of {self.options.actuator}")
        return "; ".join([*parts, *self.given])

    @property
    def given(self) -> tuple[str, ...]:
        """What was given beside the robot file and counted, in words: a payload, stiffness, steps, play."""
        used: dict[Use, None] = dict.fromkeys(use for quantity in self.quantities for use in quantity.uses)
        return tuple(words for use in used if (words := _in_words(use, self.options, self.payload)))

    def summary(self, name: str) -> Summary:
        """Return the smallest, median and largest value of a quantity, where they are, and reasons of the others.

        >>> result = pk.analysis.performance_map(robot, ["dexterity"], pk.analysis.Slice(grid=11))
        >>> round(result.summary("dexterity").largest, 2)
        0.78
        """
        found = self.values[name]
        codes, counts = np.unique(found.reasons, return_counts=True)
        shares = {
            Reason(int(code)).words: float(count / found.reasons.size)
            for code, count in zip(codes, counts, strict=True)
        }
        if not found.good.any():
            nowhere = (np.nan,) * len(self.axes)
            return Summary(np.nan, np.nan, np.nan, nowhere, nowhere, shares, 0.0)
        known = found.values[found.good]
        least, largest = (self._at(int(end(found.values))) for end in (np.nanargmin, np.nanargmax))
        infinite = float(np.isinf(found.values).mean())
        ends = float(known.min()), float(np.median(known)), float(known.max())
        return Summary(*ends, least, largest, shares, infinite)

    def table(self) -> tuple[list[str], Array]:
        """Return the map as a table for files: names of columns, and a row for each pose.

        >>> names, rows = pk.analysis.performance_map(robot, ["velocity"], pk.analysis.Slice(grid=11)).table()
        >>> names, rows.shape
        (['x', 'y', 'z', 'velocity [m/s]', 'velocity.reason'], (121, 5))
        """
        names, columns = list(self.pose_names), list(self.poses.reshape(-1, len(self.pose_names)).T)
        for name, found in self.values.items():
            names += [f"{name} [{found.unit}]", f"{name}.reason"]
            columns += [found.values.ravel(), found.reasons.ravel().astype(float)]
        return names, np.column_stack(columns)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything as arrays by name, for a file: numpy.savez(path, **result.to_arrays()).

        `columns` and `table` are those of `table`; `read_result` reads all of it.

        >>> result = pk.analysis.performance_map(robot, ["velocity"], pk.analysis.Slice(grid=11))
        >>> sorted(result.to_arrays())
        ['about', 'axes', 'axis_x', 'axis_y', 'columns', 'digest', 'home', 'robot', 'table']
        """
        names, rows = self.table()
        about = {
            "units": {name: found.unit for name, found in self.values.items()},
            "held": self.held,
            "directions": self.directions,
            "length": self.length,
            "options": asdict(self.options),
            "payload": self.payload.model_dump(),
            "failure": self.failure,
        }
        axes: dict[str, NDArray[np.generic]] = {f"axis_{axis.name}": axis.values for axis in self.axes}
        return axes | {
            "columns": np.array(names),
            "table": np.ascontiguousarray(rows),
            "axes": np.array([axis.name for axis in self.axes]),
            "robot": np.array(self.robot),
            "home": self.robot_home,
            "digest": np.array(self.digest),
            "about": np.array(json.dumps(about)),
        }

    def _at(self, place: int) -> tuple[float, ...]:
        where = np.unravel_index(place, self.poses.shape[:-1])
        return tuple(float(axis.values[k]) for axis, k in zip(self.axes, where[::-1], strict=True))


def _in_words(use: Use, options: Options, payload: Payload) -> str:
    """Return what was given of something that a quantity depends on, empty where nothing was."""
    if use == "carried":
        where = f" at {_place(payload.centre)}" if any(payload.centre) else ""
        return f"with a payload of {payload.mass:g} kg{where}" if payload.mass else ""
    if use == "payload_centre":
        return f"payload at {_place(options.payload_centre)}" if any(options.payload_centre) else ""
    value, (name, unit) = getattr(options, use), GIVEN[use]
    return f"{name} {value:g} {unit}" if value is not None and (value or use != "acceleration") else ""


def _place(centre: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{x:g}' for x in centre)}] m"


GIVEN: dict[Use, tuple[str, str]] = {
    "acceleration": ("payload accelerated by", "m/s^2 or rad/s^2"),
    "drive_stiffness": ("drives of", "N/m or N m/rad"),
    "resolution": ("encoder steps of", "m or rad"),
    "clearance": ("play of joints", "m"),
}
"""What options in numbers are called in words, and their units."""


def performance_map(
    robot: Robot,
    of: Sequence[str],
    where: Slice | None = None,
    options: Options | None = None,
    told: Callable[[int, int], None] = lambda _done, _rows: None,
    *,
    placement: Placement | None = None,
) -> PerformanceMap:
    """Return quantities of a robot, names of `QUANTITIES`, over a slice of poses.

    told: is called with how many poses are done and how many there are. placement: in which processes poses are
    evaluated, and where results are kept (docs/many_runs.md); the values are the same to the last bit. A mechanism is
    led from home to every pose, so that the whole map is of one branch, whatever else it shows.

    >>> result = pk.analysis.performance_map(robot, ["force", "dexterity"], pk.analysis.Slice({"z": -0.5}, grid=11))
    >>> result.values["force"].values.shape, [axis.name for axis in result.axes]
    ((11, 11), ['x', 'y'])
    """
    if not of:
        raise DataError("map", "of", "name at least one quantity")
    if isinstance(of, str):
        raise DataError("map", "of", f"give a list of names, [{of!r}]")
    quantities = tuple(quantity_of(name) for name in dict.fromkeys(of))
    chosen, lattice = options or Options(), lattice_of(robot, where or Slice())
    directions = directions_of(robot, chosen).words
    refuse_obstacles(quantities, robot, chosen)
    rows = lattice.poses.reshape(-1, lattice.poses.shape[-1])
    columns = len(robot.pose_names) + 2 * len(quantities)
    if rows.shape[0] * columns > MOST_ENTRIES:
        reason = f"{len(rows):,} poses with {columns} numbers each are more than the {MOST_ENTRIES:,} that a file holds"
        raise DataError("map", "grid", f"{reason}: give a coarser grid, or map fewer quantities at a time")
    work = _AtPoses(tuple(one.name for one in quantities), robot, rows, chosen)
    shape = lattice.poses.shape[:-1]
    results = placed(work, len(rows), placement, chunk=CHUNK, told=told)
    failed = results.status != RowStatus.COMPUTED
    values = {
        one.name: _values(results.columns, failed, one.name, shape, one.unit_of(robot, chosen)) for one in quantities
    }
    return PerformanceMap(
        robot.name,
        quantities,
        lattice.axes,
        lattice.held,
        lattice.units,
        robot.home,
        lattice.poses,
        robot.pose_names,
        robot.coordinates.of_joints,
        values,
        {one.name: one.subject(robot, chosen) for one in quantities},
        directions,
        length_of(robot, chosen),
        chosen,
        robot.payload,
        results.reasons[min(results.reasons)] if results.reasons else "",
        digest_of(robot),
    )


@frozen_arrays
class _AtPoses:
    """Quantities at poses, as a work for executors."""

    names: tuple[str, ...]
    robot: Robot
    poses: Array
    options: Options

    def __call__(self, rows: NDArray[np.int64], _: int, /) -> dict[str, NDArray[np.generic]]:
        quantities = tuple(quantity_of(name) for name in self.names)
        found = evaluate_all(quantities, self.robot, self.poses[rows], self.options)
        columns: dict[str, NDArray[np.generic]] = {name: one.values for name, one in found.items()}
        return columns | {f"{name}.reason": one.reasons for name, one in found.items()}


def _values(
    found: Mapping[str, NDArray[np.generic]], failed: NDArray[np.bool_], name: str, shape: tuple[int, ...], unit: str
) -> Values:
    """Return the values of one quantity over the slice; poses that could not be evaluated have failed."""
    values = np.asarray(found[name], float).reshape(shape)
    reasons = np.where(failed, int(Reason.FAILED), found[f"{name}.reason"]).astype(np.int32)
    return Values(values, reasons.reshape(shape), unit)
