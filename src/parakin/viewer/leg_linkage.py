"""The linkage of a robot of legs: the joints of its file between the frames of the model `frames`.

Points and axes of joints are those at home, in base axes, each taken into the frames of its two sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from parakin.arrays import Array
from parakin.description import Body as FileBody
from parakin.description import Element, Leg, RobotDescription, attachment_joint, expanded_legs
from parakin.description.elements import TWO_PARTS
from parakin.description.patterns import pattern_of
from parakin.kinematics.frames import BASE_FRAME, PLATFORM_FRAME, RigidPart, half_spacing, rigid_parts
from parakin.viewer.linkage import Body, Joint, Linkage, Mass, Place, Side, tool_on, upwards

Z = np.array([0.0, 0.0, 1.0])
"""The base's z axis."""


@dataclass
class _Home:
    """The frames of a robot at home by name, and the joints so far."""

    parts: tuple[RigidPart, ...]
    frames: Array
    joints: list[Joint] = field(default_factory=list[Joint])

    def __post_init__(self) -> None:
        self.numbers = {part.name: k for k, part in enumerate(self.parts)}

    def axes(self, name: str) -> Array:
        return self.frames[self.numbers[name], :, :3]

    def origin(self, name: str) -> Array:
        return self.frames[self.numbers[name], :, 3]

    def side(self, name: str, p: Array, axis: Array) -> Side:
        """Return one side of a joint whose point and axis are given in base axes."""
        R = self.axes(name)
        along = R.T @ axis
        return Side(self.numbers[name], R.T @ (p - self.origin(name)), along / np.linalg.norm(along))

    def join(
        self,
        kind: str,
        names: tuple[str, str],
        p: Array,
        axes: tuple[Array, Array],
        *,
        leg: int | None = None,
        driven: bool = False,
        pair: str | None = None,
    ) -> None:
        """Join two frames at a point, with the axes that they hold there, all in base axes."""
        a, b = (self.side(name, p, axis) for name, axis in zip(names, axes, strict=True))
        self.add(kind, (a, b), leg=leg, driven=driven, pair=pair)

    def add(
        self, kind: str, sides: tuple[Side, Side], *, leg: int | None, driven: bool = False, pair: str | None = None
    ) -> None:
        a, b = sides
        name = f"{self.parts[a.frame].name} - {self.parts[b.frame].name}"
        if any(joint.name == name for joint in self.joints):
            name = f"{name} ({len(self.joints)})"
        self.joints.append(Joint(name, kind, a, b, driven, leg, pair=pair))


def leg_linkage(description: RobotDescription, home: Array) -> Linkage:
    """Return the linkage of a robot of legs; home: its frames (F, 3, 4) at home."""
    parts = rigid_parts(description)
    at = _Home(parts, home)
    for number, leg in enumerate(expanded_legs(description)):
        _add_leg(at, description, leg, number)
    _add_nacelle(at)
    output = Place(at.numbers[PLATFORM_FRAME], np.zeros(3), np.eye(3))
    return Linkage(
        description.name,
        description.title,
        upwards(description.gravity),
        tuple(_body(part, description) for part in parts),
        tuple(at.joints),
        output,
        tool_on(output, description.platform.tool),
        frozenset(k for k, part in enumerate(parts) if part.kind in ("platform", "kept", "beside")),
    )


def _add_leg(at: _Home, description: RobotDescription, leg: Leg, number: int) -> None:
    """Add the joints of a leg, from the base to the platform."""
    carrier, point = BASE_FRAME, np.array(leg.root)
    if pattern_of(leg) == "shaft":
        motor = f"{leg.name}.{leg.elements[0].name}.motor"
        at.join("revolute", (carrier, motor), point, (Z, Z), leg=number, driven=leg.elements[0].actuator is not None)
        carrier = motor
    for element in leg.elements:
        name = f"{leg.name}.{element.name}"
        if element.joint.type == "parallelogram":
            _add_rods(at, (element, name), (carrier, point), number)
            break
        if element.joint.type != "fixed":
            _add_root(at, (element, name), (carrier, point), number)
            carrier, point = name, point + (element.length or 0.0) * at.axes(name)[:, 0]
        if element.type in TWO_PARTS:
            tip = f"{name}.tip"
            x = at.axes(tip)[:, 0]
            driven = element.actuator is not None and element.actuator.coordinate == "length"
            sides = at.side(carrier, point, x), at.side(tip, at.origin(tip), x)
            at.add("prismatic", sides, leg=number, driven=driven)
            carrier, point = tip, at.origin(tip)
    _add_end(at, description, leg, number, carrier)


def _add_root(at: _Home, named: tuple[Element, str], on: tuple[str, Array], number: int) -> None:
    """Add the joint at the root of an element; on: what carries it, and the point there in base axes."""
    (element, name), (carrier, point) = named, on
    kind = element.joint.type
    driven = element.actuator is not None and element.actuator.coordinate == "angle"
    axis = Z if element.joint.axis is None else at.axes(carrier) @ np.array(element.joint.axis)
    second = at.axes(name)[:, 1] if kind == "universal" else axis
    at.join(kind, (carrier, name), point, (axis, second), leg=number, driven=driven)


def _add_rods(at: _Home, named: tuple[Element, str], on: tuple[str, Array], number: int) -> None:
    """Add the joints at the roots of the two rods of a parallelogram, likewise."""
    (element, name), (carrier, point) = named, on
    side = at.axes(carrier) @ np.array(element.joint.axis)
    half = half_spacing(element)
    for letter, way in (("a", half), ("b", -half)):
        names = carrier, f"{name}.{letter}"
        at.join("spherical", names, point + way * side, (side, side), leg=number, pair=f"{name} root")


def _add_end(at: _Home, description: RobotDescription, leg: Leg, number: int, carrier: str) -> None:
    """Add the joint where a leg meets the platform."""
    end = _platform_part(at, leg)
    joint = attachment_joint(leg, description.motion_type)
    E, R = at.origin(PLATFORM_FRAME), at.axes(PLATFORM_FRAME)
    point = E + R @ np.array(leg.attachment.b) + np.array(leg.attachment.c)
    last = leg.elements[-1]
    name = f"{leg.name}.{last.name}"
    if joint.type == "parallelogram":
        for letter in ("a", "b"):
            rod = f"{name}.{letter}"
            tip = at.origin(rod) + (last.length or 0.0) * at.axes(rod)[:, 0]
            at.join("spherical", (rod, end), tip, (tip - point, tip - point), leg=number, pair=f"{name} tip")
        return
    on_end = R @ np.array(joint.axis) if joint.axis is not None else Z
    if joint.type == "universal" and joint.leg_axis is not None:
        on_leg = at.axes(carrier) @ np.array(joint.leg_axis)
        at.join("universal", (carrier, end), point, (on_leg, on_end), leg=number)
        return
    kind = "weld" if joint.type == "rigid" else joint.type
    at.join(kind, (carrier, end), point, (on_end, on_end), leg=number)


def _platform_part(at: _Home, leg: Leg) -> str:
    """Return the name of the part of the platform that a leg meets: a bar that does not turn, where it has c."""
    for part in at.parts:
        if part.kind == "kept" and any(leg.attachment.c) and part.b == leg.attachment.b:
            return part.name
    return PLATFORM_FRAME


def _add_nacelle(at: _Home) -> None:
    """Add the hinges of a nacelle: bars that do not turn on the platform, and bars beside it on those."""
    kept = [part for part in at.parts if part.kind == "kept"]
    for bar in kept:
        at.join("revolute", (PLATFORM_FRAME, bar.name), at.origin(bar.name), (Z, Z))
    for beside in (part for part in at.parts if part.kind == "beside"):
        for bar in kept:
            at.join("revolute", (bar.name, beside.name), at.origin(bar.name) + np.array(beside.c), (Z, Z))


def _body(part: RigidPart, description: RobotDescription) -> Body:
    label = part.name.replace(".", " ")
    if part.leg is None:
        return Body(part.name, label, None, _platform_masses(part, description))
    element = expanded_legs(description)[part.leg].elements[part.element]
    share = 0.5 if part.kind == "rod" else 1.0
    own = {"rod": "root", "root": "root", "tip": "tip", "ring": "ring"}.get(part.kind)
    masses = tuple(_mass(part, body, share) for body in element.bodies if body.part == own)
    spherical = element.joint.type == "spherical" and element.type == "bar"
    return Body(part.name, label, part.leg, masses, rod=part.kind == "rod" or spherical)


def _mass(part: RigidPart, body: FileBody, share: float) -> Mass:
    return Mass(f"{part.name}.{body.name}", share * body.mass, np.array(body.com))


def _platform_masses(part: RigidPart, description: RobotDescription) -> tuple[Mass, ...]:
    """Return the masses of the platform's bodies that move as a part does."""
    masses: list[Mass] = []
    for body in description.platform.bodies:
        name = f"{PLATFORM_FRAME}.{body.name}"
        b, c = np.array(body.b), np.array(body.c)
        if not description.motion_type.turns:
            if part.kind == "platform":
                masses.append(Mass(name, body.mass, b + c))
        elif body.turns and (part.name == name if any(body.c) else part.kind == "platform"):
            masses.append(Mass(name, body.mass, b))
        elif not body.turns and part.kind == "kept" and part.b == body.b:
            masses.append(Mass(name, body.mass, c))
    return tuple(masses)
