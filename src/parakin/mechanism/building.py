"""A mechanism while it is put together: bodies with their places at home, and joints whose home values follow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.bar_tables import Bar, BarEnd
from parakin.mechanism.model import BASE, Body, Frame, Joint, JointFreedom
from parakin.mechanism.numeric import matrix_quaternion

LONGEST_NAME = 64
"""Letters that a name may have."""
LONGEST_SOURCE = 500
"""Letters that a source may have."""


@frozen_arrays
class Mass:
    """The mass of a body in the frame of the part that carries it."""

    mass: float
    """Mass [kg]."""
    com: Array
    """Place of the centre of mass (3,) [m]."""
    inertia: Array
    """Inertia tensor about the centre of mass (3, 3) [kg m^2]."""
    sources: tuple[str, ...] = ()
    """Where these numbers come from."""


def together(masses: Sequence[Mass]) -> Mass:
    """Return several masses of one part as one: (sum of m, mean of com, sum of tensors about it); one as it is."""
    if len(masses) == 1:
        return masses[0]
    total, sources = sum(one.mass for one in masses), tuple(source for one in masses for source in one.sources)
    if total == 0.0:
        return Mass(0.0, np.zeros(3), np.zeros((3, 3)), sources)
    com = sum((one.mass * one.com for one in masses), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for one in masses:
        r = one.com - com
        inertia += one.inertia + one.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Mass(total, com, inertia, sources)


@frozen_arrays
class Point:
    """A point of a body."""

    body: str
    """The body's name."""
    position: Array
    """Where it is in the body's frame (3,) [m]."""


@dataclass
class Graph:
    """Bodies and joints so far."""

    source: str = ""
    """Where the numbers of the whole file come from, which needs no repeating."""
    bodies: list[Body] = field(default_factory=list[Body])
    """The bodies, the base left out."""
    joints: list[Joint] = field(default_factory=list[Joint])
    """The joints."""
    places: dict[str, tuple[Array, Array]] = field(default_factory=lambda: {BASE: (np.zeros(3), np.eye(3))})
    """Origin and axes of each body's frame at home, by name."""
    bars: list[Bar] = field(default_factory=list[Bar])
    """How thick its parts are."""

    def body(self, name: str, p: Array, R: Array, masses: Sequence[Mass] = ()) -> str:
        """Add a body that stands at p with axes R at home; return its name."""
        if len(name) > LONGEST_NAME or name in self.places:
            name = f"{name[:40]}_{len(self.bodies)}"
        mass = together(masses)
        entries = {"name": name, "mass": mass.mass, "com": mass.com.tolist(), "inertia": mass.inertia.tolist()}
        entries["source"] = self._said(mass.sources)
        self.bodies.append(Body.model_validate(entries))
        self.places[name] = (np.array(p), np.array(R))
        return name

    def joint(
        self,
        kind: str,
        parent: Point,
        child: Point,
        axes: tuple[Array, Array],
        freedoms: Mapping[str, JointFreedom] | None = None,
        *,
        near: float = 0.0,
        sources: Sequence[str] = (),
        **more: object,
    ) -> None:
        """Add a joint between two points, given the axes of its frames (3, 3) on parent and child.

        It is named after the bodies that it connects; its home values follow from their places at home, the angle of a
        hinge or cylinder within half a turn of `near`. sources: where its numbers come from; more: other entries of its
        table.
        """
        (p_P, R_P), (p_C, R_C) = (
            (p + R @ point.position, R @ turn)
            for point, turn, (p, R) in zip((parent, child), axes, self._both(parent, child), strict=True)
        )
        name = f"{parent.body}_{child.body}"
        if len(name) > LONGEST_NAME or any(joint.name == name for joint in self.joints):
            name = f"{name[:40]}_{len(self.joints)}"
        entries = {
            "name": name,
            "type": kind,
            "parent": parent.body,
            "child": child.body,
            "parent_frame": _frame(parent, axes[0]),
            "child_frame": _frame(child, axes[1]),
            "home": _coordinates(kind, R_P.T @ (p_C - p_P), R_P.T @ R_C, near),
            "freedoms": dict(freedoms or {}),
            "source": self._said(sources),
            **more,
        }
        self.joints.append(Joint.model_validate(entries))

    def bar(self, name: str, radius: float, ends: tuple[Point, Point], source: str) -> None:
        """Add a round bar between two points."""
        if len(name) > LONGEST_NAME or any(bar.name == name for bar in self.bars):
            name = f"{name[:40]}_{len(self.bars)}"
        first, second = (BarEnd.model_validate({"body": p.body, "position": p.position.tolist()}) for p in ends)
        self.bars.append(Bar(name=name, radius=radius, ends=(first, second), source=self._said((source,))))

    def _said(self, sources: Sequence[str]) -> str | None:
        """Return sources as one, each once; nothing where they are the file's own."""
        return "; ".join(dict.fromkeys(sources))[:LONGEST_SOURCE] if {*sources} - {self.source} else None

    def _both(self, parent: Point, child: Point) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        return self.places[parent.body], self.places[child.body]

    def place(self, point: Point) -> Array:
        """Return where a point is at home, in base axes."""
        p, R = self.places[point.body]
        return p + R @ point.position


def _frame(point: Point, axes: Array) -> Frame:
    entries = {"position": point.position.tolist(), "z": axes[:, 2].tolist(), "x": axes[:, 0].tolist()}
    return Frame.model_validate(entries)


def _coordinates(kind: str, d: Array, D: Array, near: float) -> list[float]:
    """Return the coordinates of a joint whose child frame is at d, D in its parent frame."""
    match kind:
        case "revolute":
            return [_angle_near(D, near)]
        case "universal":
            return [math.atan2(D[2, 1], D[1, 1]), math.atan2(D[0, 2], D[0, 0])]
        case "prismatic":
            return [float(d[2])]
        case "cylindrical":
            return [_angle_near(D, near), float(d[2])]
        case "spherical":
            return matrix_quaternion(D).tolist()
        case _:
            return []


def _angle_near(D: Array, near: float) -> float:
    """Return the angle about z of a turn D, within half a turn of a given angle."""
    angle = math.atan2(D[1, 0], D[0, 0])
    return angle + math.tau * round((near - angle) / math.tau)


def axes_from(*, x: Array, z: Array) -> Array:
    """Return the axes, as columns, of a frame with given x and z at right angles."""
    return np.column_stack([x, np.cross(z, x), z])
