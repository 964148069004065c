"""Write a robot of legs out as a graph of bodies and joints: the same machine, nothing believed about its motion.

Every element becomes a body, two if it is telescopic, and a body for the ring of a universal joint if that has mass.
Body frames are those of docs/conventions.md. The frame of the platform is E; what keeps the base's orientation on a
platform that turns (a nacelle's lateral bars) is a body of its own that turns on a hinge.

A parallelogram becomes its two rods, each with half of the mass, between balls. A ball at both ends lets a rod spin
about its own line, which nothing sees: the ball at the lower end is then a universal joint, so that the spin is none of
the coordinates, and the rod's moment about its line is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description import (
    OPEN_SPIN,
    Actuator,
    Element,
    Friction,
    Leg,
    PlatformJoint,
    RobotDescription,
    attachment_joint,
    expanded_legs,
)
from parakin.description.attachments import turns_inside
from parakin.description.elements import NARROW, SWIVELLING, TWO_PARTS, VARYING
from parakin.description.patterns import pattern_of
from parakin.mechanism import numeric
from parakin.mechanism.assembling import assemble
from parakin.mechanism.building import Graph, Mass, Point, axes_from
from parakin.mechanism.legs_at_home import Line, Placed, end_axes, lines_of, placed_elements, reference_of
from parakin.mechanism.model import BASE, Cone, Drive, JointFreedom, MechanismDescription, Output
from parakin.mechanism.platform_joints import attach, check_universal
from parakin.mechanism.platform_parts import PLATFORM, PlatformParts
from parakin.mechanism.skeleton import skeleton
from parakin.motions.offsets import frame_at

X, Y, Z = np.eye(3)
ELEMENT_ON_CROSS = np.column_stack([-Z, Y, X])
"""Axes, in an element's frame, of the frame in which a universal joint holds it: z along the line, y axis 2."""


@frozen_arrays
class Tip:
    """The free end of a leg, before it meets the platform."""

    points: tuple[Point, ...]
    """The tips of its last element: one, or those of the two rods of a parallelogram."""
    side: Array
    """From the middle of a parallelogram's short side to the first rod, base axes at home (3,) [m]; else zeros."""
    bodies: tuple[str, ...] = ()
    """The body at the tip of each element, from the base outwards; not given for a leg with rods."""
    roots: tuple[Point, ...] = ()
    """The root of each element, on what carries it."""


@dataclass(frozen=True, eq=False)
class Member:
    """An element of a leg as it goes into the graph."""

    name: str
    """The name of its body."""
    element: Element
    """Its table in the robot file."""
    at: Placed
    """Where it is at home."""


def graph_of(description: RobotDescription) -> MechanismDescription:
    """Return a robot of legs as a mechanism of bodies and joints, its output the platform frame E.

    Its coordinates are those of the joints; motors drive it as they drive the legs. Friction of balls acts on the
    rates of the universal joints that stand for them.

    >>> graph = pk.mechanism.graph_of(pk.load("delta").description)
    >>> len(graph.bodies), len(graph.joints)
    (10, 15)
    """
    graph = Graph(description.source)
    legs = expanded_legs(description)
    home = frame_at(description.motion_type, np.array(description.workspace.home))
    parts = PlatformParts(graph, description, legs, home)
    for leg in legs:
        joint = attachment_joint(leg, description.motion_type)
        end = parts.point(leg)
        placed = _at_home(leg, joint, (graph.place(end), graph.places[end.body][1]), home[1])
        check_universal(leg, joint, placed[-1], graph.places[end.body][1])
        tip = _add_leg(graph, leg, placed, balls=joint.type == "spherical")
        _add_bars(graph, leg, tip, end)
        if description.platform.radius is not None and any((*leg.attachment.b, *leg.attachment.c)):
            star = Point(PLATFORM, np.zeros(3)), end
            graph.bar(f"{PLATFORM}_{leg.name}", description.platform.radius, star, description.platform.source)
        attach(graph, joint, tip.points, end, tip.side, rigid=parts.carried_by(leg), source=leg.source)
    return MechanismDescription(
        name=description.name,
        title=description.title,
        gravity=description.gravity,
        length=description.length,
        source=description.source,
        output=Output(body=PLATFORM),
        tool=description.platform.tool,
        bodies=tuple(graph.bodies),
        joints=tuple(graph.joints),
        bars=tuple(graph.bars),
    )


def idle_spins(description: RobotDescription) -> dict[str, int]:
    """Return how many rods of each leg spin between two balls without anything seeing it, those that do by name."""
    spins: dict[str, int] = {}
    for leg in expanded_legs(description):
        root = leg.elements[-1].joint.type
        if root == "parallelogram":
            spins[leg.name] = 2
        elif root == "spherical" and attachment_joint(leg, description.motion_type).type == "spherical":
            spins[leg.name] = 1
    return spins


def _at_home(leg: Leg, joint: PlatformJoint, end: tuple[Array, Array], turned: Array) -> tuple[Placed, ...]:
    """Return the elements of a leg at home; end: place and axes of what it meets at the platform.

    A leg without a closed form is assembled alone, its tip held in place, and in its axes if it turns inside.
    """
    tip, R_end = end
    rough = lines_of(leg, tip)
    if pattern_of(leg) == "swivel":
        inside = [None] * (len(rough) - 1)
        return placed_elements(leg, rough, turned, [*inside, end_axes(rough[-1][0], joint, R_end)])
    if pattern_of(leg) == "numeric":
        lines, tips = _assembled(leg, joint, end, rough)
        return placed_elements(leg, lines, turned, tips)
    return placed_elements(leg, rough, turned)


def _assembled(
    leg: Leg, joint: PlatformJoint, held: tuple[Array, Array], rough: list[Line]
) -> tuple[list[Line], list[Array | None]]:
    """Return the lines of a leg without a closed form, and the axes of tip parts that turn, assembled by itself."""
    tip, R_end = held
    graph = Graph()
    swivels = [element.type in SWIVELLING for element in leg.elements]
    end = _add_leg(graph, leg, _roughly_placed(leg, rough, swivels), balls=True)
    if turns_inside(leg):
        in_base = joint.model_copy(update={"axis": tuple((R_end @ np.array(joint.axis)).tolist())})
        attach(graph, in_base, end.points, Point(BASE, tip), end.side, rigid=False, source=leg.source)
    else:
        graph.joint("spherical", end.points[0], Point(BASE, tip), (np.eye(3), np.eye(3)))
    alone = MechanismDescription(
        name=leg.name,
        title=leg.name,
        source=leg.source,
        output=Output(body=end.bodies[-1]),
        bodies=tuple(graph.bodies),
        joints=tuple(graph.joints),
    )
    tree = skeleton(alone)
    at = numeric.posture(tree, assemble(tree).configuration)
    frames = {body.name: at.frame(place) for body, place in zip(alone.bodies, tree.bodies, strict=True)}
    lines: list[Line] = []
    tips: list[Array | None] = []
    root = np.array(leg.root)
    for element, body, turns in zip(leg.elements, end.bodies, swivels, strict=True):
        p, R = frames[body]
        length = float((p - root) @ R[:, 0]) if element.length is None else element.length
        lines.append((R[:, 0], length))
        tips.append(R if turns else None)
        root = root + length * R[:, 0]
    return lines, tips


def _roughly_placed(leg: Leg, rough: list[Line], swivels: list[bool]) -> tuple[Placed, ...]:
    """Return the elements of a leg along rough lines, with no turn inside those that have one."""
    placed, tips = placed_elements(leg, rough, np.eye(3)), list[Array | None]()
    for n, turns in enumerate(swivels):
        tips.append(placed[n].R if turns else None)
        placed = placed_elements(leg, rough, np.eye(3), [*tips, *[None] * (len(swivels) - n - 1)])
    return placed


def _add_leg(graph: Graph, leg: Leg, placed: tuple[Placed, ...], *, balls: bool) -> Tip:
    """Add element after element, from the base to the tip; balls: whether the leg meets the platform in a ball."""
    carrier, bodies, roots = Point(BASE, np.array(leg.root)), list[str](), list[Point]()
    if pattern_of(leg) == "shaft":
        carrier = _add_motor(graph, leg, placed[0])
    for n, (element, at) in enumerate(zip(leg.elements, placed, strict=True)):
        member = Member(f"{leg.name}_{element.name}", element, at)
        roots.append(carrier)
        if element.joint.type == "parallelogram":
            return replace(_add_rods(graph, member, carrier), roots=tuple(roots))
        spins = element.joint.type in OPEN_SPIN and balls and n == len(leg.elements) - 1
        carrier = _add_element(graph, member, carrier, spins=spins)
        bodies.append(carrier.body)
    return Tip((carrier,), np.zeros(3), tuple(bodies), tuple(roots))


def _add_bars(graph: Graph, leg: Leg, tip: Tip, end: Point) -> None:
    """Add the round bars that elements with a radius are; the two rods of a parallelogram are one, between them."""
    tips = [*tip.roots[1:], tip.points[0] if len(tip.points) == 1 else end]
    for element, *ends in zip(leg.elements, tip.roots, tips, strict=True):
        if element.radius is not None:
            graph.bar(f"{leg.name}_{element.name}", element.radius, (ends[0], ends[1]), element.source)


def _add_motor(graph: Graph, leg: Leg, at: Placed) -> Point:
    """Add the yoke that the motor of a shaft turns about z; return the point that carries the shaft."""
    (element,) = leg.elements
    yoke = graph.body(f"{leg.name}_{element.name}_motor", at.A, at.carrier)
    here = Point(BASE, np.array(leg.root)), Point(yoke, np.zeros(3))
    freedoms = {"angle": _driven(element.actuator)}
    graph.joint("revolute", *here, (np.eye(3), np.eye(3)), freedoms, **_said(element, freedoms, at_root=False))
    return here[1]


def _add_element(graph: Graph, member: Member, carrier: Point, *, spins: bool) -> Point:
    """Add an element on its carrier; return its tip. spins: whether it is a rod between two balls."""
    element, at = member.element, member.at
    if element.joint.type == "fixed":
        body, slide_on = None, carrier
        axes = axes_from(x=at.R[:, 2], z=at.R[:, 0])
    else:
        body = graph.body(member.name, at.A, at.R, _masses(element, "root", spins=spins))
        _add_root(graph, member, carrier, Point(body, np.zeros(3)), universal=spins)
        slide_on, axes = Point(body, np.zeros(3)), axes_from(x=Z, z=X)
    if element.type not in TWO_PARTS:
        assert body is not None, "only telescopic elements stand on fixed joints"
        return Point(body, np.array([element.length or 0.0, 0.0, 0.0]))
    turned = at.R if at.tip is None else at.tip
    tip = graph.body(f"{member.name}_tip", at.B, turned, _masses(element, "tip", spins=spins))
    coordinate = None if element.actuator is None else element.actuator.coordinate
    named = {"length": "travel", "spin": "angle"}.get(coordinate or "")
    braked = {"travel": element.slide_friction, "angle": element.swivel_friction}
    freedoms = {name: JointFreedom(friction=friction) for name, friction in braked.items() if friction is not None}
    if named is not None:
        freedoms[named] = _driven(element.actuator)
    kind = "prismatic" if at.tip is None else "cylindrical"
    if element.type not in VARYING:
        kind, slide_on = "revolute", Point(slide_on.body, slide_on.position + (element.length or 0.0) * X)
    if kind == "prismatic":
        freedoms = {name: freedom for name, freedom in freedoms.items() if name == "travel"}
    near = element.actuator.zero if element.actuator is not None and coordinate == "spin" else 0.0
    ends, said = (slide_on, Point(tip, np.zeros(3))), _said(element, freedoms, at_root=element.joint.type == "fixed")
    graph.joint(kind, *ends, (axes, axes_from(x=Z, z=X)), freedoms, near=near, **said)
    return Point(tip, np.zeros(3))


def _add_root(graph: Graph, member: Member, carrier: Point, child: Point, *, universal: bool) -> None:
    """Add the joint at the root of an element."""
    element, at = member.element, member.at
    kind, axis = element.joint.type, at.axis
    if kind == "revolute":
        friction = element.joint.friction
        freedoms = {"angle": _driven(element.actuator, friction) if element.drives_root else _passive(element, 0)}
        axes = axes_from(x=reference_of(element, axis), z=axis)
        graph.joint("revolute", carrier, child, (axes, np.eye(3)), freedoms, **_said(element, freedoms))
    elif kind == "universal" or universal:
        _add_cross(graph, member, carrier, child)
    else:
        freedoms = {name: JointFreedom(friction=element.joint.friction) for name in ("wx", "wy", "wz")}
        axes = at.carrier.T @ at.R, np.eye(3)
        graph.joint("spherical", carrier, child, axes, freedoms, **_said(element, freedoms))


def _add_cross(graph: Graph, member: Member, carrier: Point, child: Point) -> None:
    """Add a universal joint: as one where its ring has no mass, else as two hinges with the ring between them."""
    element, at = member.element, member.at
    counts = element.joint.type == "universal"
    start = reference_of(element, at.axis) if counts else _across_axis(at)
    driven = counts and element.actuator is not None and element.actuator.coordinate == "angle"
    first = _driven(element.actuator, element.joint.friction) if driven else _passive(element, 0)
    tilted = counts and element.actuator is not None and element.actuator.coordinate == "second"
    second = _driven(element.actuator, element.joint.friction) if tilted else _passive(element, 1)
    ring_masses = _masses(element, "ring", spins=False)
    freedoms = {"first": first, "second": second}
    if not ring_masses:
        axes = axes_from(x=at.axis, z=start), ELEMENT_ON_CROSS
        graph.joint("universal", carrier, child, axes, freedoms, **_said(element, freedoms))
        return
    a, y = at.carrier @ at.axis, at.R[:, 1]
    ring = Point(
        graph.body(f"{member.name}_ring", at.A, np.column_stack([a, y, np.cross(a, y)]), ring_masses), np.zeros(3)
    )
    inner = axes_from(x=start, z=at.axis), axes_from(x=Z, z=X)
    outer = axes_from(x=Z, z=Y), axes_from(x=X, z=Y)
    graph.joint("revolute", carrier, ring, inner, {"angle": first}, **_said(element, freedoms))
    graph.joint("revolute", ring, child, outer, {"angle": second}, **_said(element, freedoms, at_root=False))


def _across_axis(at: Placed) -> Array:
    """Return the line across axis 1, in the carrier's frame: where angles of a rod between balls count from."""
    line = at.carrier.T @ at.R[:, 0]
    start = line - (line @ at.axis) * at.axis
    return start / np.linalg.norm(start)


def _add_rods(graph: Graph, member: Member, carrier: Point) -> Tip:
    """Add the two rods of a parallelogram, beside the line by half of its spacing, each with half of the mass."""
    element, at = member.element, member.at
    length = element.length or 0.0
    half = 0.5 * (element.joint.spacing or NARROW * length)
    tips: list[Point] = []
    masses = [replace(m, mass=0.5 * m.mass, inertia=0.5 * m.inertia) for m in _masses(element, "root", spins=True)]
    for letter, side in (("a", half), ("b", -half)):
        aside = side * at.axis
        rod = graph.body(f"{member.name}_{letter}", at.A + at.carrier @ aside, at.R, masses)
        axes = axes_from(x=at.axis, z=_across_axis(at)), ELEMENT_ON_CROSS
        braking = Friction(viscous=0.5 * element.joint.friction.viscous)
        freedoms = {name: JointFreedom(friction=braking) for name in ("first", "second")}
        beside = Point(carrier.body, carrier.position + aside)
        graph.joint("universal", beside, Point(rod, np.zeros(3)), axes, freedoms, **_said(element, freedoms))
        tips.append(Point(rod, np.array([length, 0.0, 0.0])))
    return Tip(tuple(tips), half * (at.carrier @ at.axis))


def _masses(element: Element, part: str, *, spins: bool) -> list[Mass]:
    """Return the masses of a part of an element; of a rod that spins freely, without the moment about its line."""
    kept = np.diag([0.0, 1.0, 1.0]) if spins else np.eye(3)
    return [
        Mass(body.mass, np.array(body.com), kept @ np.array(body.inertia) @ kept, (body.source,))
        for body in element.bodies
        if body.part == part
    ]


def _said(element: Element, freedoms: Mapping[str, JointFreedom], *, at_root: bool = True) -> dict[str, Any]:
    """Return what a joint of an element's table says beside freedoms: its sources, and at the root cone and play.

    The cone is of the element's line about the reference, which the carrier has in its frame.
    """
    joint, sources = element.joint, [element.source]
    if element.actuator is not None and any(freedom.drive is not None for freedom in freedoms.values()):
        sources.append(element.actuator.source)
    if not at_root:
        return {"sources": sources}
    line = (1.0, 0.0, 0.0)
    cone = None if joint.cone is None else Cone(angle=joint.cone, on_parent=joint.reference, on_child=line)
    return {"sources": sources, "cone": cone, "clearance": joint.clearance}


def _driven(actuator: Actuator | None, friction: Friction | None = None) -> JointFreedom:
    """Return a driven freedom; friction: that of the joint itself, besides the drive's."""
    if actuator is None:
        return JointFreedom()
    more = Friction() if friction is None else friction
    lower, upper = actuator.lower, actuator.upper
    if actuator.sign < 0:
        lower, upper = (None if q is None else -q for q in (upper, lower))
    return JointFreedom(
        drive=Drive(
            sign=actuator.sign,
            zero=actuator.zero,
            rotor_inertia=actuator.rotor_inertia,
            gear_ratio=actuator.gear_ratio,
            force=actuator.force,
            speed=actuator.speed,
            stiffness=actuator.stiffness,
            resolution=actuator.resolution,
        ),
        friction=Friction(
            viscous=actuator.friction.viscous + more.viscous, coulomb=actuator.friction.coulomb + more.coulomb
        ),
        lower=None if lower is None else actuator.zero + lower,
        upper=None if upper is None else actuator.zero + upper,
    )


def _passive(element: Element, axis: int) -> JointFreedom:
    """Return a freedom of a passive root joint, with its friction and limits; axis: 0 or 1 of a universal."""
    joint = element.joint
    lower, upper = (limit[axis] if isinstance(limit, tuple) else limit for limit in (joint.lower, joint.upper))
    return JointFreedom(friction=joint.friction, lower=lower, upper=upper)
