"""Which rods of which robot some cameras look at, and what of a robot can be one: data, complete at birth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import isfinite
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.description import Element, expanded_legs
from parakin.errors import UnknownNameError, VisionError
from parakin.kinematics.frames import half_spacing
from parakin.mechanism.bars import segments_of
from parakin.robot import Robot
from parakin.vision.rigs.camera import Camera


@dataclass(frozen=True)
class SeenPart:
    """A straight part of a robot that may be a round rod."""

    name: str
    """As in `Robot.element_names`, or as the file of a mechanism has its bar."""
    radius: float | None
    """Its radius in the file [m]; None if the file has none."""
    element: Element | None
    """Its table in a robot file; None for a bar of a mechanism."""


def parts_of(robot: Robot) -> tuple[SeenPart, ...]:
    """Return all parts of a robot that cameras can look at; mechanisms without bars are refused."""
    if robot.legs:
        tables = [element for leg in expanded_legs(robot.description) for element in leg.elements]
        named = zip(robot.element_names, tables, strict=True)
        return tuple(SeenPart(name, table.radius, table) for name, table in named)
    segments = segments_of(robot.graph_description)
    if not segments:
        reason = "must be at least one that a camera can look at, got none: write [[bars]] with body and radius"
        raise VisionError(robot.name, "bars", reason)
    return tuple(SeenPart(segment.name, segment.radius, None) for segment in segments)


def part_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of all parts of a robot that cameras can look at."""
    return tuple(part.name for part in parts_of(robot))


RADIUS_DEVIATION = 2e-4
"""Standard deviation with which a rod's radius is known where nothing else is said [m]: drawn tubes, and paint."""
PAIR = ("a", "b")
"""What the names of a pair's rods end in."""


@dataclass(frozen=True)
class Rod:
    """A round rod of an element that cameras look at.

    >>> rig.rods[0].name, rig.rods[0].radius
    ('first1.forearm', 0.008)
    """

    name: str
    """Its element, as in `Robot.element_names`, or its bar; the rods of a pair have .a and .b behind that."""
    element: int
    """Number of its element among `Robot.element_names`, or of its bar among those of the mechanism's file."""
    radius: float
    """Radius [m], as far as it is known."""
    radius_deviation: float = RADIUS_DEVIATION
    """Standard deviation of the radius [m]: estimates correct it within that."""
    start: float = 0.0
    """Where the visible cylinder begins, from the element's root A [m]."""
    end: float = 0.0
    """Where it ends, before the element's tip B [m]."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """From the element's line to the rod's axis, in the frame of what carries the element's root [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", tuple(map(float, self.offset)))
        rules = (
            ("element", isinstance(self.element, Integral) and self.element >= 0, "the number of an element, from 0"),
            ("radius", 0 < self.radius < 1e3, "> 0 m"),
            ("radius_deviation", 0 <= self.radius_deviation < 1e3, ">= 0 m"),
            ("start", 0 <= self.start < 1e3, ">= 0 m from the root"),
            ("end", 0 <= self.end < 1e3, ">= 0 m before the tip"),
            ("offset", len(self.offset) == 3 and all(map(isfinite, self.offset)), "three finite numbers [m]"),
        )
        for name, good, rule in rules:
            if not good:
                raise VisionError(self.name, name, f"must be {rule}, got {getattr(self, name)!r}")


@dataclass(frozen=True, eq=False)
class Rig:
    """Cameras that look at rods of a robot.

    >>> rig = pk.vision.rig_of(robot, camera, "*.forearm", radius=0.008)
    >>> len(rig.rods), rig.cameras[0].name
    (4, 'top')
    """

    robot: Robot
    """The robot; a mechanism shows the bars of its file."""
    cameras: tuple[Camera, ...]
    """Cameras with names of their own."""
    rods: tuple[Rod, ...]
    """What they look at, with names of their own; each camera sees of it what lies in its picture."""

    def __post_init__(self) -> None:
        robot = self.robot
        if not self.cameras:
            raise VisionError(robot.name, "cameras", "must be at least one camera, got none")
        if not self.rods:
            raise VisionError(robot.name, "rods", "must be at least one rod that a camera looks at, got none")
        parts = part_names(robot)
        for rod in self.rods:
            if rod.element >= len(parts):
                reason = f"must be below {len(parts)}, the elements that {robot.name} has, got {rod.element}"
                raise VisionError(rod.name, "element", reason)
        for kind, owners in (("cameras", self.cameras), ("rods", self.rods)):
            repeated = [name for name, count in Counter(owner.name for owner in owners).items() if count > 1]
            if repeated:
                reason = f"must have names of their own, got {', '.join(repeated)} more than once"
                raise VisionError(robot.name, kind, reason)

    @property
    def rod_names(self) -> tuple[str, ...]:
        """Names of the rods, in their order."""
        return tuple(rod.name for rod in self.rods)


def rig_of(
    robot: Robot,
    cameras: Camera | Sequence[Camera],
    elements: str | Sequence[str] = "*",
    radius: float | Mapping[str, float] | None = None,
    *,
    start: float = 0.0,
    end: float = 0.0,
    twin: bool = False,
    radius_deviation: float = RADIUS_DEVIATION,
) -> Rig:
    """Return the rig of cameras that look at elements of a robot.

    elements: names, or patterns such as "*.forearm", of elements or of a mechanism's bars; radius: of their rods [m],
    one for all or by name, None for the radii in the robot file; start, end: where visible rods begin from the root
    and end before the tip [m]; twin: whether parallelograms have their two rods, a spacing apart, rather than one on
    their line.

    >>> twins = pk.vision.rig_of(robot, camera, "*.forearm", radius=0.008, twin=True)
    >>> twins.rod_names[:2]
    ('first1.forearm.a', 'first1.forearm.b')
    """
    rods: list[Rod] = []
    for name in chosen_elements(robot, [elements] if isinstance(elements, str) else elements):
        element = part_names(robot).index(name)
        given = radius.get(name) if isinstance(radius, Mapping) else radius
        rods += rods_of(robot, element, given, twin=twin, start=start, end=end, radius_deviation=radius_deviation)
    return Rig(robot, (cameras,) if isinstance(cameras, Camera) else tuple(cameras), tuple(rods))


def rods_of(
    robot: Robot,
    element: int,
    radius: float | None,
    *,
    twin: bool = False,
    start: float = 0.0,
    end: float = 0.0,
    radius_deviation: float = RADIUS_DEVIATION,
) -> list[Rod]:
    """Return the rod of an element, or the two of a parallelogram that has twins."""
    part = parts_of(robot)[element]
    name, table, radius = part.name, part.element, part.radius if radius is None else radius
    if radius is None:
        raise VisionError(robot.name, name, "has no radius: give that of its rod [m], here or in the robot file")
    if not twin or table is None or table.joint.type != "parallelogram":
        return [Rod(name, element, radius, radius_deviation, start, end)]
    half = [half_spacing(table) * component for component in table.joint.axis or ()]
    offsets = ((half[0], half[1], half[2]), (-half[0], -half[1], -half[2]))
    return [
        Rod(f"{name}.{letter}", element, radius, radius_deviation, start, end, offset)
        for letter, offset in zip(PAIR, offsets, strict=True)
    ]


def chosen_elements(robot: Robot, patterns: Sequence[str]) -> list[str]:
    """Return the names of elements that fit some patterns, in the order of the robot; each pattern has to fit one."""
    names = part_names(robot)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UnknownNameError("element or bar", pattern, names)
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


def rods_with_radii(rods: Sequence[Rod], radii: ArrayLike) -> tuple[Rod, ...]:
    """Return rods with other radii [m], one for each."""
    return tuple(replace(rod, radius=float(r)) for rod, r in zip(rods, np.asarray(radii, float), strict=True))


def radii_of(rig: Rig) -> tuple[Array, Array]:
    """Return the radii of a rig's rods and their standard deviations (rods,) [m]."""
    return np.array([rod.radius for rod in rig.rods]), np.array([rod.radius_deviation for rod in rig.rods])
