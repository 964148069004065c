"""The parts of moving bodies: links between their joints, struts, plates, and what shows the joints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.gauge import Gauge
from parakin.viewer.linkage import BASE, SLIDES, Joint, Linkage, Side
from parakin.viewer.roles import Role
from parakin.viewer.scene import Part, Shape
from parakin.viewer.solids import SAME_PLACE, Stock, arc, ball, bar, distinct, outside, pin, plane_of, plate
from parakin.viewer.struts import carriage, cylinder, piston

COLLINEAR = 1e-6
"""Points that reach no farther than this beside a line, beside their reach along it, are on it."""
ON_AXIS = 1e-3
"""Joints that are no farther than this beside the axis of a slide are on it, in units of the gauge."""
PARALLEL = 1e-6
"""Sine of the angle between two axes below which they have no common point."""
ARM, LINK, ROD, BRACE, TOOL = 1.7, 1.35, 0.75, 1.0, 1.3
"""Radii of bars, in units of the gauge; braces hold the two rods of a parallelogram apart."""
PIN, CROSS, BALL, SMALL_BALL, KNOB, MASS = 1.25, 0.75, 2.1, 1.7, 2.8, 1.3
"""Radii of what shows joints and centres of mass, in units of the gauge; a knob is a platform that is one point."""
PIN_LENGTH, CROSS_LENGTH, PLATE, MARGIN = 4.4, 5.6, 2.4, 2.6
"""Length of pins and arms of crosses, thickness of plates, how far those reach beyond joints, in units of the gauge."""
AWAY = 2.0
"""An output frame that is farther than this from all parts of its body is led to, in units of the gauge."""
UNSEEN = ("planar", "free")
"""Kinds of joints that nothing is to be seen of."""


@frozen_arrays
class Node:
    """A point of a body where something is joined to it."""

    p: Array
    """Where it is in the body's frame (3,) [m]."""
    axis: Array | None = None
    """The axis of a hinge there; None for other joints."""


def moving_parts(linkage: Linkage, gauge: Gauge) -> list[Part]:
    """Return the parts of all frames but the base."""
    return [part for number in range(1, len(linkage.bodies)) for part in _body_parts(linkage, gauge, number)]


def stock_of(linkage: Linkage, frame: int) -> Stock:
    """Return what the parts of a frame have in common."""
    body = linkage.bodies[frame]
    return Stock(frame, body.label, body.leg)


def nodes_of(sides: Sequence[tuple[Joint, Side]]) -> list[Node]:
    """Return the points of a body's joints, each once; the two rods of a parallelogram count as their middle."""
    pairs = _pairs(sides)
    held = [side for both in pairs for side in both]
    single = [(joint, side) for joint, side in sides if side not in held]
    nodes = [Node(side.p, side.axis if joint.kind == "revolute" else None) for joint, side in single]
    nodes += [Node((a.p + b.p) / 2) for a, b in pairs]
    return [_merged(place, nodes) for place in distinct([node.p for node in nodes])]


def _pairs(sides: Sequence[tuple[Joint, Side]]) -> list[tuple[Side, Side]]:
    """Return the joints of the two rods of each parallelogram that begins or ends on a body; none on a rod itself."""
    names = dict.fromkeys(joint.pair for joint, _ in sides if joint.pair is not None)
    groups = [[side for joint, side in sides if joint.pair == name] for name in names]
    return [(group[0], group[1]) for group in groups if len(group) == 2]


def _merged(place: Array, nodes: list[Node]) -> Node:
    here = [node for node in nodes if np.linalg.norm(node.p - place) <= SAME_PLACE]
    axes = [node.axis for node in here if node.axis is not None]
    return Node(place, axes[0] if len(axes) == len(here) else None)


def _body_parts(linkage: Linkage, gauge: Gauge, number: int) -> list[Part]:
    stock = stock_of(linkage, number)
    sides = [(joint, side) for joint, side in linkage.sides(number) if joint.kind not in UNSEEN]
    fixed = [(joint, side) for joint, side in sides if joint.kind not in SLIDES]
    nodes, anchors, parts = nodes_of(fixed), list[Node](), list[Part]()
    for joint, side in sides:
        if joint.kind in SLIDES:
            made = _slide(linkage, gauge, joint, side)
            nodes = [node for node in nodes if not _reached(made, node.p, side, gauge)]
            anchors.append(Node(_nearest(made, side.p)))
            parts.append(made)
    nodes += anchors if nodes or len(anchors) > 1 else []
    if number in linkage.nacelle:
        parts += _carried(linkage, gauge, number, nodes)
    else:
        parts += _link(linkage, gauge, number, nodes)
        role = Role.ARM if _driven(linkage, number) else Role.LINK
        parts += [bar(stock, role, (a.p, b.p), BRACE * gauge.unit) for a, b in _pairs(fixed)]
    parts += [ball(stock, Role.MASS, mass.com, MASS * gauge.unit) for mass in linkage.bodies[number].masses]
    for joint in linkage.joints:
        parts += joint_parts(linkage, gauge, joint, number)
    return parts + _tool(linkage, gauge, number, parts)


def _slide(linkage: Linkage, gauge: Gauge, joint: Joint, side: Side) -> Part:
    """Return what slides or is slid on, on one side of a slide."""
    stock = stock_of(linkage, side.frame)
    if joint.a.frame == BASE:
        return carriage(stock, gauge, joint)
    along = _along(linkage, gauge, joint.a), _along(linkage, gauge, joint.b)
    return cylinder(stock, gauge, joint, along) if side is joint.a else piston(stock, gauge, joint, along)


def _reached(part: Part, p: Array, side: Side, gauge: Gauge) -> bool:
    """Return whether what slides reaches a joint by itself: one that is on its axis, or in the middle of a carriage."""
    if part.shape is Shape.BOX:
        return bool(np.linalg.norm(p - side.p) <= SAME_PLACE)
    return _beside(p, side) <= ON_AXIS * gauge.unit


def _nearest(part: Part, p: Array) -> Array:
    """Return the point on the axis of what slides that is nearest to a point."""
    if part.shape is Shape.BOX:
        return part.p
    axis, half = part.R[:, 2], part.size[2] / 2
    return part.p + float(np.clip((p - part.p) @ axis, -half, half)) * axis


def _along(linkage: Linkage, gauge: Gauge, side: Side) -> list[float]:
    """Return where the joints of a body are along a slide's axis [m], those that are on it."""
    nodes = nodes_of([(joint, other) for joint, other in linkage.sides(side.frame) if joint.kind not in SLIDES])
    return [float((node.p - side.p) @ side.axis) for node in nodes if _beside(node.p, side) <= ON_AXIS * gauge.unit]


def _beside(p: Array, side: Side) -> float:
    off = p - side.p
    return float(np.linalg.norm(off - (off @ side.axis) * side.axis))


def _driven(linkage: Linkage, number: int) -> bool:
    return any(joint.driven and joint.b.frame == number for joint in linkage.joints)


def _link(linkage: Linkage, gauge: Gauge, number: int, nodes: list[Node]) -> list[Part]:
    """Return a link between its nodes: a bar, an arc where hinges meet in a point, a plate for three and more."""
    stock = stock_of(linkage, number)
    role, thick = _looks(linkage, number)
    radius = thick * gauge.unit
    if len(nodes) == 1:
        masses = [mass.com for mass in linkage.bodies[number].masses]
        far = [com for com in masses if np.linalg.norm(com - nodes[0].p) > radius]
        return [ball(stock, role, nodes[0].p, radius), *(bar(stock, role, (nodes[0].p, com), radius) for com in far)]
    if len(nodes) == 2:
        centre = _common_point(*nodes)
        if centre is not None:
            return arc(stock, role, (nodes[0].p, nodes[1].p, centre), radius)
    return _through(stock, role, [node.p for node in nodes], gauge, radius)


def _looks(linkage: Linkage, number: int) -> tuple[Role, float]:
    if _driven(linkage, number):
        return Role.ARM, ARM
    sides = linkage.sides(number)
    balls = [joint for joint, _ in sides if joint.kind == "spherical"]
    rod = linkage.bodies[number].rod or (len(balls) > 0 and len(sides) == 2)
    return (Role.ROD, ROD) if rod else (Role.LINK, LINK)


def _common_point(first: Node, second: Node) -> Array | None:
    """Return where the axes of two hinges meet, if they do and it is not where a hinge is."""
    if first.axis is None or second.axis is None:
        return None
    a, b, r = first.axis, second.axis, second.p - first.p
    across = np.cross(a, b)
    sine = float(np.linalg.norm(across))
    if sine < PARALLEL or abs(r @ across) > PARALLEL * float(np.linalg.norm(r)):
        return None
    centre = first.p + a * float(np.cross(r, b) @ across) / sine**2
    away = min(float(np.linalg.norm(centre - node.p)) for node in (first, second))
    return centre if away > 0.1 * float(np.linalg.norm(r)) else None


def _carried(linkage: Linkage, gauge: Gauge, number: int, nodes: list[Node]) -> list[Part]:
    """Return the platform, or a part of a nacelle: a knob, a bar or a plate through all its joints."""
    stock = stock_of(linkage, number)
    role = Role.PLATFORM if len(linkage.nacelle) == 1 else Role.NACELLE
    pairs = _pairs(linkage.sides(number))
    rods = [side.p for both in pairs for side in both]
    middles = [(a.p + b.p) / 2 for a, b in pairs]
    others = [node.p for node in nodes if all(np.linalg.norm(node.p - p) > SAME_PLACE for p in middles)]
    points = distinct(rods + others)
    if len(points) == 1:
        return [ball(stock, role, points[0], KNOB * gauge.unit)]
    return _through(stock, role, points, gauge, ARM * gauge.unit)


def _through(stock: Stock, role: Role, points: list[Array], gauge: Gauge, radius: float) -> list[Part]:
    """Return a bar through points on one line, or a plate through others."""
    if len(points) < 2:
        return []
    plane = plane_of(points)
    if plane.spread[1] <= COLLINEAR * plane.spread[0]:
        order = sorted(points, key=lambda p: float((p - plane.middle) @ plane.R[:, 0]))
        return [bar(stock, role, (order[0], order[-1]), radius)]
    return plate(stock, role, points, PLATE * gauge.unit, MARGIN * gauge.unit)


def joint_parts(linkage: Linkage, gauge: Gauge, joint: Joint, number: int) -> list[Part]:
    """Return what shows a joint on one of its frames: pins of hinges and crosses, balls, rods without a body.

    An arm of a universal joint's cross is along the axis that its side holds, and so fixed to it but for a turn about
    itself.
    """
    u, stock = gauge.unit, stock_of(linkage, number)
    if joint.part == number:
        return [bar(stock, Role.ROD, (np.zeros(3), np.array([joint.length, 0.0, 0.0])), ROD * u)]
    for side in (joint.a, joint.b):
        if side.frame != number:
            continue
        match joint.kind:
            case "revolute" if side is joint.b:
                return [pin(stock, Role.PIN, side.p, side.axis, (PIN * u, PIN_LENGTH * u))]
            case "universal":
                return [pin(stock, Role.CROSS, side.p, side.axis, (CROSS * u, CROSS_LENGTH * u))]
            case "distance":
                return [ball(stock, Role.BALL, side.p, BALL * u)]
            case "spherical" if side is joint.b:
                return [ball(stock, Role.BALL, side.p, (BALL if joint.pair is None else SMALL_BALL) * u)]
            case _:
                pass
    return []


def _tool(linkage: Linkage, gauge: Gauge, number: int, parts: list[Part]) -> list[Part]:
    """Return what leads from a body to its output frame, if that is away from its parts, and on to the tool frame."""
    stock, radius = stock_of(linkage, number), TOOL * gauge.unit
    nodes = nodes_of(linkage.sides(number))
    if number != linkage.output.frame or not nodes:
        return []
    middle, output = np.mean([node.p for node in nodes], axis=0), linkage.output.p
    away = min(float(outside(part, output)) for part in parts if part.role is not Role.MASS) > AWAY * gauge.unit
    places = [middle, output] if away else [output]
    if linkage.tool is not None and np.linalg.norm(linkage.tool.p - output) > gauge.unit:
        places.append(linkage.tool.p)
    return [bar(stock, Role.TOOL, ends, radius) for ends in pairwise(places)]
