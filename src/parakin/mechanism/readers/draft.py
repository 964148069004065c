"""A mechanism while it is read from another dialect: names and frames as they stand there, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.description.values import shown
from parakin.mechanism.kinds import KINDS
from parakin.mechanism.model import BASE, Frame
from parakin.mechanism.readers.report import Journal
from parakin.mechanism.readers.xml_text import Element

NO_LIMIT = 1e6
"""Limits as far as this are none [rad or m, N or N m, rad/s or m/s]: dialects ask for numbers that nobody has, and
parakin's own exports write this one there."""

JOINTS_SHOWN = 20
"""How many joints a message lists at most."""


@frozen_arrays
class Placement:
    """A frame B in a frame A: p_A = p + R p_B."""

    p: Array
    """Its origin (3,) [m]."""
    R: Array
    """Its axes as columns (3, 3)."""

    def __matmul__(self, other: Placement) -> Placement:
        return Placement(self.p + self.R @ other.p, self.R @ other.R)

    @property
    def inverse(self) -> Placement:
        """The frame A in B."""
        return Placement(-self.R.T @ self.p, self.R.T)

    @property
    def is_identity(self) -> bool:
        """Whether the two frames are the same."""
        return not np.any(self.p) and np.array_equal(self.R, np.eye(3))


def placed(p: ArrayLike = (0.0, 0.0, 0.0), R: ArrayLike | None = None) -> Placement:
    """Return a placement from numbers; without R it is not turned."""
    return Placement(np.array(p, float), np.eye(3) if R is None else np.array(R, float))


def turned_by(roll: float, pitch: float, yaw: float) -> Array:
    """Return the rotation of URDF and SDF: R = R_z(yaw) R_y(pitch) R_x(roll)."""
    (ca, cb, cc), (sa, sb, sc) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
    R_x = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    R_y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    R_z = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    return R_z @ R_y @ R_x


def along_z(axis: ArrayLike) -> Array:
    """Return axes of which z is along a direction that is not zero; x is the one that `Frame` would choose."""
    x, y, z = np.array(axis, float).tolist()
    return Frame(z=(x, y, z)).rotation


def about_z(angle: float) -> Placement:
    """Return a turn about z."""
    c, s = np.cos(angle), np.sin(angle)
    return placed(R=[[c, -s, 0], [s, c, 0], [0, 0, 1]])


def limits_between(lower: float, upper: float) -> dict[str, object]:
    """Return the limits of a freedom as a mechanism file has them: none where they are not a range, or too far."""
    if not lower < upper:
        return {}
    return {key: value for key, value in (("lower", lower), ("upper", upper)) if abs(value) < NO_LIMIT}


@dataclass
class DraftBody:
    """A body as a file names it."""

    name: str
    """Its name in the file."""
    place: str
    """Where it stands there."""
    mass: float = 0.0
    """Mass [kg]."""
    com: ArrayLike = (0.0, 0.0, 0.0)
    """Centre of mass in the body's frame [m]."""
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    """Tensor about the centre of mass in the body's axes [kg m^2]."""
    source: str | None = None
    """Where its numbers come from, if not from the file."""
    compensation: float = 0.0
    """Fraction of its weight that is compensated."""


@dataclass
class DraftJoint:
    """A joint as a file names it: parent and child are names of bodies there, or BASE."""

    name: str
    """Its name in the file."""
    place: str
    """Where it stands there."""
    type: str
    """Its kind in mechanism files."""
    parent: str
    """The body on one side."""
    child: str
    """The body on the other side."""
    at_parent: Placement = field(default_factory=placed)
    """The joint's frame on its parent."""
    at_child: Placement = field(default_factory=placed)
    """The joint's frame on its child."""
    home: tuple[float, ...] | None = None
    """Its coordinates near the pose at which it is assembled."""
    freedoms: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """What belongs to its freedoms, as tables of a mechanism file."""
    motor: dict[str, float | int] = field(default_factory=dict[str, float | int])
    """What a motor on it has, as a table of a mechanism file, if it has a motor."""
    pitch: float | None = None
    """Way of a screw in one turn [m]."""
    closes: bool = False
    """Whether the file has it as what closes a loop, so that it most probably has no motor."""
    roots: bool = False
    """Whether it is there only because something must hold the root of the tree."""

    @property
    def driven(self) -> bool:
        """Whether one of its freedoms has a motor."""
        return any("drive" in freedom for freedom in self.freedoms.values())

    def motorise(self) -> None:
        """Give its first freedom the motor; the inertia that the freedom has becomes that of the rotor."""
        table = self.freedoms.setdefault(KINDS[self.type].freedoms[0].name, {})
        inertia = table.pop("inertia", 0.0)
        assert isinstance(inertia, float), "readers give numbers"
        if inertia:
            rotor = self.motor.get("rotor_inertia", 0.0)
            self.motor["rotor_inertia"] = rotor + inertia / self.motor.get("gear_ratio", 1.0) ** 2
        table["drive"] = self.motor

    def release(self) -> None:
        """Take its motor away; the rotor stays as an inertia of the joint."""
        inertia = self.motor.pop("rotor_inertia", 0.0) * self.motor.get("gear_ratio", 1.0) ** 2
        for freedom in self.freedoms.values():
            if freedom.pop("drive", None) is not None and inertia:
                freedom["inertia"] = inertia


@dataclass(frozen=True, eq=False)
class DraftFrame:
    """A frame of interest as a file names it."""

    name: str
    """Its name in the file."""
    place: str
    """Where it stands there."""
    body: str
    """Name of the body, in the file, that carries it, or BASE."""
    at: Placement = field(default_factory=placed)
    """Where it is on that body."""


_Named = TypeVar("_Named", DraftBody, DraftJoint)


class _ByName(Generic[_Named]):
    """The entries of a list that grows, by name; of those with one name the first."""

    def __init__(self) -> None:
        self._items: list[_Named] = []
        self._seen: list[_Named] = []
        self._found: dict[str, _Named] = {}

    def of(self, items: list[_Named], name: str) -> _Named | None:
        """Return the entry of a name; only what was appended since the last question is looked at."""
        count = len(self._seen)
        grown = items is self._items and len(items) >= count and (not count or items[count - 1] is self._seen[-1])
        if not grown:
            self._items, self._seen, self._found = items, [], {}
        for item in items[len(self._seen) :]:
            self._seen.append(item)
            self._found.setdefault(item.name, item)
        return self._found.get(name)


@dataclass
class Draft:
    """A mechanism while it is read."""

    journal: Journal
    """The report while it is written."""
    name: str
    """What the file calls the robot."""
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    """Acceleration of free fall [m/s^2]."""
    bodies: list[DraftBody] = field(default_factory=list[DraftBody])
    """Its bodies, the base left out."""
    joints: list[DraftJoint] = field(default_factory=list[DraftJoint])
    """Its joints."""
    couplings: list[tuple[list[tuple[str, str, float]], float]] = field(
        default_factory=list[tuple[list[tuple[str, str, float]], float]]
    )
    """Sums of factor x coordinate, (joint, freedom, factor) each, and the constant that each is equal to."""
    frames: list[DraftFrame] = field(default_factory=list[DraftFrame])
    """Frames of interest."""
    names_motors: bool = False
    """Whether the file says which joints are driven."""

    _joints: _ByName[DraftJoint] = field(default_factory=_ByName[DraftJoint], repr=False)
    _bodies: _ByName[DraftBody] = field(default_factory=_ByName[DraftBody], repr=False)

    def joint(self, name: str) -> DraftJoint | None:
        """Return the joint of a name in the file, or None."""
        return self._joints.of(self.joints, name)

    def named(self, name: str, element: Element) -> DraftJoint:
        """Return the joint of a name that an element of the file gives, or refuse a name that no joint has."""
        joint = self.joint(name)
        if joint is None:
            known = ", ".join(one.name for one in self.joints[:JOINTS_SHOWN])
            more = f" and {len(self.joints) - JOINTS_SHOWN} more" if len(self.joints) > JOINTS_SHOWN else ""
            raise element.error(f"no joint {shown(name)}; there are {known}{more}")
        return joint

    def body(self, name: str) -> DraftBody | None:
        """Return the body of a name in the file, or None."""
        return self._bodies.of(self.bodies, name)

    def connected(self, body: str) -> set[str]:
        """Return the bodies that joints connect with a body, itself among them."""
        beside: dict[str, list[str]] = {}
        for joint in self.joints:
            beside.setdefault(joint.parent, []).append(joint.child)
            beside.setdefault(joint.child, []).append(joint.parent)
        found, waiting = {body}, [body]
        while waiting:
            fresh = set(beside.get(waiting.pop(), ())) - found
            found |= fresh
            waiting += fresh
        return found

    def groups(self) -> dict[str, str]:
        """Return, for each body, the body that stands for all that are welded to it; BASE for those at rest."""
        above = {name: name for name in (BASE, *(body.name for body in self.bodies))}

        def leader(name: str) -> str:
            while above[name] != name:
                above[name] = above[above[name]]
                name = above[name]
            return name

        for joint in self.joints:
            if joint.type == "weld":
                keep, lose = sorted((leader(joint.parent), leader(joint.child)), key=lambda name: name != BASE)
                above[lose] = keep
        return {name: leader(name) for name in above}
