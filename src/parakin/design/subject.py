"""A study made ready: its robot, what kernels take for one of its points, and the poses at which it is judged."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import casadi as ca
import numpy as np

from parakin.analysis.compliance import elastic_elements
from parakin.arrays import Array
from parakin.description.shape_tables import Place, RawTable
from parakin.design.expressions import Expression
from parakin.design.places import place_of, replaced
from parakin.design.quantities import ASKS_ROBOTS, QUANTITIES
from parakin.design.sampling import bounds_of
from parakin.design.study import Box, Study, Wanted
from parakin.design.variation import NotArithmeticError, Variation, variation_of, vectors_of
from parakin.errors import DescriptionError, DesignError, ImplausibleValueWarning, UnsupportedRobotError
from parakin.kinematics.geometry import GEOMETRY_SIZES, shaped_by
from parakin.motions.offsets import displaced
from parakin.robot import Robot
from parakin.robot.loading import describe_machine
from parakin.trajectory import MOTIONS, Motion, Samples, motion, read_motion

AS_LOADED = 1e-9
"""Largest difference between a vector of a design and that of its file, of the vector's largest entry: what eight
digits of a file's rounding leave, and far below anything that a wrong formula would."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A study with its robot.

    >>> subject = pk.design.read_subject("delta.toml")
    >>> subject.robot_at(np.array([0.25, 0.52])).legs[0].elements[0].length
    0.25
    """

    study: Study
    """The study."""
    folder: Path
    """Where the study's file is, from which it names other files."""
    tables: RawTable
    """The tables of the robot file, as they are before they are read."""
    robot: Robot
    """The robot as its file has it."""
    places: Mapping[Place, Expression]
    """Keys of the robot file that vary, with the expressions of their values."""
    variation: Variation | None
    """What kernels take, as expressions; None where each design needs a robot of its own."""
    slow: str
    """Why each design needs a robot of its own; empty where it does not."""

    def point(self, x: Array) -> dict[str, float]:
        """Return a point by the names of its parameters.

        >>> pk.design.read_subject("delta.toml").point(np.array([0.25, 0.52]))
        {'arm': 0.25, 'forearm': 0.52}
        """
        return dict(zip(self.study.parameters, x.tolist(), strict=True))

    def tables_at(self, x: Array) -> RawTable:
        """Return the tables of the robot file of a design.

        >>> pk.design.read_subject("delta.toml").tables_at(np.array([0.25, 0.52]))["legs"][0]["elements"][1]["length"]
        0.52
        """
        point = self.point(x)
        return replaced(self.tables, {place: one.number(point) for place, one in self.places.items()})

    def robot_at(self, x: Array) -> Robot:
        """Return the robot of a design, loaded as any other; DescriptionError where no such robot can be.

        >>> pk.design.read_subject("delta.toml").robot_at(np.array([0.25, 0.52])).legs[2].elements[0].length
        0.25
        """
        tables = self.tables_at(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ImplausibleValueWarning)
            return Robot(describe_machine(tables, self.robot.name))

    @cached_property
    def wanted(self) -> dict[str, Wanted]:
        """Objectives and constraints by name."""
        return {**self.study.objectives, **self.study.constraints}

    @cached_property
    def scale(self) -> Array:
        """Factors for the columns of J_qv that count rotations as displacements at the characteristic length."""
        length = self.study.analysis.length or self.robot.length
        return np.array(self.robot.motion_type.scale(1 / length))

    @cached_property
    def region(self) -> Array:
        """Offsets from home at which designs are judged, ends included."""
        box = self.study.region or _own_box(self.robot)
        axes = [
            np.linspace(low, high, count) if count > 1 else np.array([0.5 * (low + high)])
            for low, high, count in zip(box.lower, box.upper, box.points, strict=True)
        ]
        return _all_of(axes)

    @cached_property
    def cells(self) -> tuple[Array, float]:
        """Offsets of the middles of cells whose reach is counted, and the volume of one [m^2 or m^3]."""
        box = self.study.volume or _own_box(self.robot)
        axes, volume = list[Array](), 1.0
        for k, (low, high, count) in enumerate(zip(box.lower, box.upper, box.points, strict=True)):
            axes.append(low + (np.arange(count) + 0.5) * (high - low) / count)
            if k < len(self.robot.motion_type.linear):
                volume *= high - low
        points = _all_of(axes)
        return points, volume / len(points)

    @cached_property
    def cycle(self) -> tuple[Array, Array, Array]:
        """Poses, velocities and accelerations of the cycle."""
        given = self.study.cycle
        assert given is not None, "a study without a cycle has no quantity that needs it"
        samples = _cycle(given.motion, self.folder, self.robot)
        samples = samples.sampled(given.rate) if isinstance(samples, Motion) else samples
        return samples.pose, samples.velocity, samples.acceleration

    def poses(self, home: Array, offsets: Array) -> Array:
        """Return the poses at offsets from home, one home for all designs (n,) or one for each (designs, 1, n).

        >>> subject = pk.design.read_subject("delta.toml")
        >>> subject.poses(subject.robot.home, np.array([[0.0, 0.0, 0.03]])).round(9)
        array([[ 0. ,  0. , -0.4]])
        """
        return displaced(self.robot.motion_type, home, offsets)


def _all_of(axes: list[Array]) -> Array:
    return np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=-1)


def _own_box(robot: Robot) -> Box:
    lower, upper = robot.box
    return Box(lower=tuple(lower.tolist()), upper=tuple(upper.tolist()), points=(3,) * len(lower))


def _cycle(name: str, folder: Path, robot: Robot) -> Motion | Samples:
    path = folder / name
    if name not in MOTIONS and path.suffix:
        return read_motion(path, robot)
    return motion(name, robot)


def subject_of(study: Study, tables: Mapping[str, object], folder: Path) -> Subject:
    """Make a study ready; DesignError names all that does not fit its robot."""
    robot = Robot(describe_machine(tables, study.robot))
    problems: list[tuple[str, str]] = []
    places: dict[Place, Expression] = {}
    for key, formula in study.formulas.items():
        try:
            places[place_of(tables, key)] = formula
        except ValueError as error:
            problems.append((f"keys: {key}", str(error)))
    problems += _problems(study, robot)
    if problems:
        raise DesignError(study.name, tuple(problems))
    fixed = _with_branches(dict(tables), robot)
    variation, slow = _variation(study, robot, fixed, places)
    subject = Subject(study, folder, fixed, robot, places, variation, slow)
    _check(subject)
    return subject


def _with_branches(tables: RawTable, robot: Robot) -> RawTable:
    """Return tables in which each leg that says where its elbow is at home says its branch instead.

    So that every design closes as the file's does, whatever its home looks like.
    """
    if not robot.legs:
        return tables
    legs = [dict(leg) for leg in tables["legs"]]
    for leg, described in zip(legs, robot.description.legs, strict=True):
        if leg.pop("elbow", None) is not None:
            leg["branch"] = described.branch
    return tables | {"legs": legs}


def _problems(study: Study, robot: Robot) -> list[tuple[str, str]]:
    """Return what of a study does not fit the robot."""
    problems: list[tuple[str, str]] = []
    freedoms = robot.degrees_of_freedom
    for key, box in (("region", study.region), ("volume", study.volume)):
        if box is not None and len(box.lower) != freedoms:
            problems.append((key, f"{robot.name} has {freedoms} coordinates, and the box has {len(box.lower)}"))
    for name, wanted in (*study.objectives.items(), *study.constraints.items()):
        where = "objectives" if name in study.objectives else "constraints"
        row = QUANTITIES.get(wanted.of)
        if row is None:
            problems.append((f"{where}.{name}.of", f"must be one of {', '.join(QUANTITIES)}; got {wanted.of!r}"))
            continue
        if row.over == "cycle" and study.cycle is None:
            problems.append((f"{where}.{name}", f"{row.name} is judged on a cycle: add [cycle] with its motion"))
        if row.at_poses is not None and (obstacle := row.at_poses.obstacle(robot, study.analysis.chosen)):
            problems.append((f"{where}.{name}", f"{obstacle}; in a study under [analysis]"))
        if row.over in ("design", "volume") and wanted.reduce is not None:
            problems.append((f"{where}.{name}.reduce", f"{row.name} is one number for a design: remove it"))
    return problems


def _variation(
    study: Study, robot: Robot, tables: RawTable, places: Mapping[Place, Expression]
) -> tuple[Variation | None, str]:
    """Return what kernels take as expressions, or why each design needs a robot of its own."""
    if not robot.legs:
        return None, "mechanisms of bodies and joints have their geometry baked in"
    try:
        shaped_by(robot.description, tuple(GEOMETRY_SIZES))
    except UnsupportedRobotError as error:
        return None, error.reason
    x = ca.SX.sym("x", len(study.parameters))
    symbols = {name: x[k] for k, name in enumerate(study.parameters)}
    values = {place: one.symbol(symbols) for place, one in places.items()}
    wanted = [one.of for one in (*study.objectives.values(), *study.constraints.values())]
    asking = _asks_robots(robot, wanted, places)
    if asking:
        return None, asking
    try:
        return variation_of(robot.description, tables, values, x), ""
    except NotArithmeticError as error:
        return None, f"more than numbers of a kernel depends on {error}"


def _asks_robots(robot: Robot, wanted: list[str], places: Mapping[Place, Expression]) -> str:
    """Return which quantity asks each design's robot for more than models at poses, and for what; "" if none does."""
    asking = [name for name in wanted if name in ASKS_ROBOTS]
    if asking:
        return f"{asking[0]} asks each robot for its forward kinematics"
    if "frequency" in wanted and elastic_elements(robot):
        return "frequency asks each robot with elastic elements for the masses of its legs"
    drives = [place for place in places if place[-1] in ("rotor_inertia", "gear_ratio")]
    if drives and any(QUANTITIES[name].at_poses for name in wanted):
        return f"quantities at poses look at {drives[0][-1]} of actuators"
    return ""


def _check(subject: Subject) -> None:
    """Compare what kernels take with what the loader makes of files with other numbers; it has the last word."""
    if subject.variation is None:
        return
    function = subject.variation.function
    lower, upper = bounds_of(subject.study)
    for share in (0.0, 0.37, 1.0):
        x = lower + share * (upper - lower)
        try:
            loaded = vectors_of(subject.robot_at(x).description)
        except DescriptionError:
            continue  # such a robot cannot be; its row gets a status
        computed = function(x=x)
        for name in (*subject.variation.inputs, "home"):
            found, expected = np.array(computed[name]).ravel(), loaded[name]
            if name == "directions":
                found, expected = _unit(found, subject), _unit(expected, subject)
            if np.max(np.abs(found - expected)) > AS_LOADED * np.max(np.abs(expected)):
                raise AssertionError(f"{name} of a design differ from those of its file")


def _unit(directions: Array, subject: Subject) -> Array:
    rows = directions.reshape(-1, 2 if subject.robot.motion_type.planar else 3)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).ravel()
