"""From a robot file to a tree with loops. Shares with parakin the description only."""

from __future__ import annotations

import numpy as np

from parakin.description import Element, Leg, PlatformBody, RobotDescription, expanded_legs
from tests.peers.tree import BASE, Copy, Drive, Joint, Loop, Mass, Place, Tree

X, Y, Z = np.eye(3)
ORIGIN = np.zeros(3)
SLIDES = {"planar-translation": 2, "planar": 2, "translation": 3, "schoenflies": 3, "spatial": 3}
TURNS = {"planar": "revolute", "schoenflies": "revolute", "spatial": "ball"}
RING_TO_ELEMENT = np.column_stack([Z, Y, -X])
"""With its line across axis 1, an element's frame (x, axis 2, x × axis 2) in that of the ring (axis 1, axis 2, e)."""


class Builder:
    """What has been added to a tree so far."""

    def __init__(self) -> None:
        self.joints: list[Joint] = []
        self.masses: list[Mass] = []
        self.drives: list[Drive] = []
        self.copies: list[Copy] = []

    def joint(self, name: str, place: Place, kind: str, axis: np.ndarray, armature: float = 0.0) -> Place:
        """Add a joint; the frame of the link that it moves."""
        assert kind in ("revolute", "prismatic", "ball")
        self.joints.append(Joint(name, place, kind, axis, armature))
        return Place(len(self.joints) - 1, ORIGIN, np.eye(3))

    def mass(self, place: Place, mass: float, com: np.ndarray, inertia: np.ndarray) -> None:
        """Add a body whose numbers are given in the frame of a place; what the ground carries does not count."""
        if place.link != BASE:
            centre = place.then(com, np.eye(3))
            self.masses.append(Mass(place.link, mass, centre.p, centre.R @ inertia @ centre.R.T))


def tree_of(description: RobotDescription) -> Tree:
    """The platform on joints that give it exactly its motion, then leg after leg from the base to its open tip.

    A shaft goes first: its motor turns as the platform does, and so counts among the platform's joints.
    """
    builder = Builder()
    legs = expanded_legs(description)
    platform = PlatformLinks(builder, description)
    shafts = [leg for leg in legs if leg.elements[0].type == "screw"]
    if len(shafts) > 1:
        raise NotImplementedError("several shafts")
    loops = {
        leg.name: add_leg(builder, leg, platform) for leg in (*shafts, *(leg for leg in legs if leg not in shafts))
    }
    return Tree(
        tuple(builder.joints),
        tuple(builder.masses),
        tuple(loops[leg.name] for leg in legs),
        tuple(builder.copies),
        SLIDES[description.motion],
        platform.turning.link if description.motion in TURNS else None,
        np.array(description.gravity),
    )


class PlatformLinks:
    """E on slides along base axes, the platform turning about E, and the links of a nacelle that turn back.

    A point p_OE + R_OE b + c with c != 0 is fixed to a link that hangs on the platform at b and turns by the opposite
    angle; a body that turns and has c != 0, to one that stands off E by c and turns by the same angle.
    """

    def __init__(self, builder: Builder, description: RobotDescription) -> None:
        self.builder = builder
        self.description = description
        self.still = Place(BASE, ORIGIN, np.eye(3))
        for axis, letter in zip(np.eye(3)[: SLIDES[description.motion]], "xyz", strict=False):
            self.still = builder.joint(f"platform.{letter}", self.still, "prismatic", axis)
        self.turning = self.still
        if description.motion in TURNS:
            self.turning = builder.joint("platform.turn", self.still, TURNS[description.motion], Z)
        self.counters = {b: self.counter(b) for b in self.needed_counters()}
        for body in description.platform.bodies:
            self.add_body(body)

    def needed_counters(self) -> list[tuple[float, ...]]:
        """Every b != 0 at which something keeps the base's orientation on a platform that turns."""
        description = self.description
        if description.motion not in TURNS:
            return []
        kept = [leg.attachment.b for leg in expanded_legs(description) if any(leg.attachment.c)]
        kept += [body.b for body in description.platform.bodies if not body.turns]
        return [b for b in dict.fromkeys(kept) if any(b)]

    def counter(self, b: tuple[float, ...]) -> Place:
        return self.copy(f"platform.back{len(self.builder.copies)}", self.turning.then(np.array(b), np.eye(3)), -1)

    def motor(self, leg: Leg) -> Place:
        """Of a shaft with its yokes in phase: axis 1 at both ends is the same vector, so both ends turn alike."""
        (element,) = leg.elements
        base = Place(BASE, np.array(leg.root), np.eye(3))
        link = self.copy(f"{leg.name}.motor", base, 1, reflected_inertia(element, "spin"))
        add_drive(self.builder, element, "spin")
        return link

    def copy(self, name: str, place: Place, ratio: int, armature: float = 0.0) -> Place:
        if self.description.motion == "spatial":
            raise NotImplementedError("a nacelle or a shaft on a platform that turns about every axis")
        link = self.builder.joint(name, place, "revolute", Z, armature)
        self.builder.copies.append(Copy(link.link, ratio))
        return link

    def kept(self, b: tuple[float, ...]) -> Place:
        """The frame at p_OE + R_OE b with the base's orientation."""
        if self.description.motion not in TURNS:
            return self.still.then(np.array(b), np.eye(3))
        return self.counters.get(b, self.still)

    def point(self, b: tuple[float, ...], c: tuple[float, ...]) -> Place:
        if any(c):
            return self.kept(b).then(np.array(c), np.eye(3))
        return self.turning.then(np.array(b), np.eye(3))

    def add_body(self, body: PlatformBody) -> None:
        inertia = np.array(body.inertia)
        if not body.turns:
            self.builder.mass(self.kept(body.b), body.mass, np.array(body.c), inertia)
        elif any(body.c) and self.description.motion in TURNS:
            off = self.copy(f"platform.{body.name}", self.still.then(np.array(body.c), np.eye(3)), 1)
            self.builder.mass(off, body.mass, np.array(body.b), inertia)
        else:
            self.builder.mass(self.turning, body.mass, np.array(body.b) + np.array(body.c), inertia)

    def home(self, leg: Leg) -> np.ndarray:
        """From a leg's root to roughly where it meets the platform at home (exactly, for platforms at rest there)."""
        p = np.zeros(3)
        slides = SLIDES[self.description.motion]
        p[:slides] = self.description.workspace.home[:slides]
        return p + np.array(leg.attachment.b) + np.array(leg.attachment.c) - np.array(leg.root)


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def across(axis: np.ndarray, wanted: np.ndarray | None = None) -> np.ndarray:
    """A unit vector across an axis: the wanted direction made perpendicular, or any."""
    v = np.eye(3)[int(np.argmin(np.abs(axis)))] if wanted is None else wanted
    return unit(v - (v @ axis) * axis)


def add_leg(builder: Builder, leg: Leg, platform: PlatformLinks) -> Loop:
    """Element after element to the open tip, and the loop that closes it."""
    drives_before = len(builder.drives)
    shaft = leg.elements[0].type == "screw"
    tip = platform.motor(leg) if shaft else Place(BASE, np.array(leg.root), np.eye(3))
    first = len(builder.joints)
    elements: list[Place] = []
    for k, element in enumerate(leg.elements):
        # The axis of a later spherical root: z of an arm or a rail, which the bar on it is along only where the leg is
        # singular anyway.
        free_axis = across(unit(platform.home(leg))) if k == 0 else Z
        root, tip = add_element(builder, f"{leg.name}.{element.name}", element, tip, free_axis)
        elements.append(root)
    attachment = platform.point(leg.attachment.b, leg.attachment.c)
    drives = tuple(builder.drives[drives_before:])
    return Loop(tip, attachment, slice(first, len(builder.joints)), tuple(elements), drives)


def add_element(
    builder: Builder, name: str, element: Element, carrier: Place, free_axis: np.ndarray
) -> tuple[Place, Place]:
    """Root joint, bodies, and the slide of a telescopic element; the frames at its root and its tip."""
    ring, root = add_root(builder, name, element, carrier, free_axis)
    tip = root.then((element.length or 0.0) * X, np.eye(3))
    if element.type in ("telescopic", "screw"):
        tip = builder.joint(f"{name}.slide", root, "prismatic", X, reflected_inertia(element, "length"))
        add_drive(builder, element, "length")
    elif element.type != "bar":
        raise NotImplementedError(f"{name}: a {element.type}")
    free = element.joint.type in ("spherical", "parallelogram")
    for body in element.bodies:
        inertia = np.array(body.inertia)
        if free:
            # parakin takes w = x × x_dot where the spin is open. The joint used here gives such a rod some other spin
            # s, which adds Ixx s^2/2 to the energy of a symmetric body and nothing else: without Ixx they are equal.
            inertia = np.diag([0.0, inertia[1, 1], inertia[2, 2]])
        builder.mass({"ring": ring, "root": root, "tip": tip}[body.part], body.mass, np.array(body.com), inertia)
    return root, tip


def add_root(
    builder: Builder, name: str, element: Element, carrier: Place, free_axis: np.ndarray
) -> tuple[Place, Place]:
    """The ring and the element on its root joint; frames as docs/conventions.md has them.

    At value 0 a revolute, and axis 1 of a universal, has the line on the reference of its actuator.
    """
    axis = free_axis if element.joint.axis is None else np.array(element.joint.axis)
    wanted = element.actuator.reference if element.actuator is not None else None
    reference = None if wanted is None else np.array(wanted)
    if carrier.link != BASE and (reference is not None or element.joint.type == "fixed"):
        raise NotImplementedError(f"{name}: a motor or a rail further on in a leg")
    if element.joint.type == "fixed":
        x = np.array(element.direction)
        z = across(x, axis)
        fixed = carrier.then(ORIGIN, np.column_stack([x, np.cross(z, x), z]))
        return fixed, fixed
    start = across(axis, reference)
    turn = reflected_inertia(element, "angle")
    if element.joint.type == "revolute":
        at_zero = carrier.then(ORIGIN, np.column_stack([start, np.cross(axis, start), axis]))
        root = builder.joint(name, at_zero, "revolute", Z, turn)
        add_drive(builder, element, "angle")
        return root, root
    at_zero = carrier.then(ORIGIN, np.column_stack([axis, np.cross(start, axis), start]))
    ring = builder.joint(f"{name}.axis1", at_zero, "revolute", X, turn)
    add_drive(builder, element, "angle")
    return ring, builder.joint(f"{name}.axis2", ring.then(ORIGIN, RING_TO_ELEMENT), "revolute", Y)


def reflected_inertia(element: Element, coordinate: str) -> float:
    """n^2 I_rotor where the actuator drives this coordinate."""
    actuator = element.actuator
    if actuator is None or actuator.coordinate != coordinate:
        return 0.0
    return actuator.gear_ratio**2 * actuator.rotor_inertia


def add_drive(builder: Builder, element: Element, coordinate: str) -> None:
    """The actuator of the joint just added, if it drives this coordinate."""
    actuator = element.actuator
    if actuator is not None and actuator.coordinate == coordinate:
        builder.drives.append(Drive(len(builder.joints) - 1, actuator.sign, actuator.zero))
