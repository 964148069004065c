"""The rigid parts of a robot of legs as frames: where every part is that can be drawn, and nothing that changes length.

An element of constant length is one part, with its frame at the root A. A telescopic element is two, at A and at the
tip B, both with the element's axes. The ring of a universal root is a part where it has mass. The two rods of a
parallelogram stand beside the element's line by half of their spacing:

    p = A + side R_carrier axis,    R = (x, y, x x y),    y = x x R_carrier axis, normalised

The base comes first and the platform's parts last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from parakin.description import Element, Leg, RobotDescription, Vector, expanded_legs
from parakin.description.elements import NARROW, TWO_PARTS
from parakin.description.patterns import pattern_of
from parakin.kinematics.elements import ElementMotion
from parakin.spatial import vector

if TYPE_CHECKING:
    from parakin.kinematics.robot_motion import RobotMotion

BASE_FRAME = "base"
"""The name of the frame that does not move."""
PLATFORM_FRAME = "platform"
"""The name of the frame E of the platform."""
_ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class RigidPart:
    """Which part of a robot a frame belongs to."""

    name: str
    """What the frame is called: leg1.arm, leg1.strut.tip, leg1.forearm.a, platform."""
    kind: str
    """base, root, tip, ring, motor (the yoke that turns a shaft), rod, platform, kept (a bar of a nacelle that does not
    turn), beside (a body that turns about a place beside E)."""
    leg: int | None = None
    """The leg, by its number."""
    element: int = 0
    """The element of that leg, by its number."""
    side: float = 0.0
    """How far a rod is from the middle of its parallelogram, along the short side [m]."""
    b: Vector = _ORIGIN
    """The part of its place that turns with the platform [m]; of `kept`."""
    c: Vector = _ORIGIN
    """The part of its place that keeps the base's orientation [m]; of `beside`."""


def half_spacing(element: Element) -> float:
    """Return half of the distance between the rods of a parallelogram [m]; a plausible one if the file gives none."""
    return 0.5 * (element.joint.spacing or NARROW * (element.length or 0.0))


def rigid_parts(description: RobotDescription) -> tuple[RigidPart, ...]:
    """Return the rigid parts of a robot, in the order of the frames of the model `frames`."""
    parts = [RigidPart(BASE_FRAME, "base")]
    for number, leg in enumerate(expanded_legs(description)):
        parts += _leg_parts(leg, number)
    parts.append(RigidPart(PLATFORM_FRAME, "platform"))
    if description.motion_type.turns:
        parts += _nacelle_parts(description)
    return tuple(parts)


def _leg_parts(leg: Leg, number: int) -> list[RigidPart]:
    parts: list[RigidPart] = []
    for m, element in enumerate(leg.elements):
        name = f"{leg.name}.{element.name}"
        if element.joint.type == "parallelogram":
            half = half_spacing(element)
            parts += [RigidPart(f"{name}.{k}", "rod", number, m, side) for k, side in (("a", half), ("b", -half))]
            continue
        if pattern_of(leg) == "shaft":
            parts.append(RigidPart(f"{name}.motor", "motor", number, m))
        if any(body.part == "ring" for body in element.bodies):
            parts.append(RigidPart(f"{name}.ring", "ring", number, m))
        if element.joint.type != "fixed":
            parts.append(RigidPart(name, "root", number, m))
        if element.type in TWO_PARTS:
            parts.append(RigidPart(f"{name}.tip", "tip", number, m))
    return parts


def _nacelle_parts(description: RobotDescription) -> list[RigidPart]:
    """Return the parts of a platform that turns which do not turn with it about E."""
    bodies = description.platform.bodies
    kept = [leg.attachment.b for leg in expanded_legs(description) if any(leg.attachment.c)]
    kept += [body.b for body in bodies if not body.turns]
    parts = [RigidPart(f"{PLATFORM_FRAME}.bar{k + 1}", "kept", b=b) for k, b in enumerate(dict.fromkeys(kept))]
    beside = [body for body in bodies if body.turns and any(body.c)]
    return parts + [RigidPart(f"{PLATFORM_FRAME}.{body.name}", "beside", c=body.c) for body in beside]


def frames_of_parts(moving: RobotMotion, description: RobotDescription) -> ca.SX:
    """Return [R | p] of every rigid part, one below the other (3 F, 4)."""
    return ca.vertcat(*(ca.horzcat(*_placed(part, moving, description)) for part in rigid_parts(description)))


def _placed(part: RigidPart, moving: RobotMotion, description: RobotDescription) -> tuple[ca.SX, ca.SX]:
    """Return the axes and the origin of a part's frame."""
    platform = moving.platform
    match part.kind:
        case "base":
            return ca.SX.eye(3), ca.SX.zeros(3)
        case "platform":
            return platform.R_OE, platform.p_OE
        case "kept":
            return ca.SX.eye(3), platform.point(part.b, _ORIGIN).p
        case "beside":
            return platform.R_OE, platform.point(_ORIGIN, part.c).p
        case _:
            assert part.leg is not None, "all other parts belong to a leg"
            element = expanded_legs(description)[part.leg].elements[part.element]
            return _of_leg(part, element, moving.legs[part.leg].elements[part.element])


def _of_leg(part: RigidPart, element: Element, motion: ElementMotion) -> tuple[ca.SX, ca.SX]:
    line = motion.line
    match part.kind:
        case "tip":
            return motion.frame.R, line.B
        case "ring":
            assert motion.ring is not None, "the loader refuses rings without a universal joint"
            return motion.ring.R, line.A
        case "motor":
            return motion.carrier.R, line.A
        case "rod":
            assert element.joint.axis is not None, "the loader refuses a parallelogram without its axis"
            side = motion.carrier.R @ vector(element.joint.axis)
            across = ca.cross(line.x, side)
            y = across / ca.norm_2(across)
            return ca.horzcat(line.x, y, ca.cross(line.x, y)), line.A + part.side * side
        case _:
            return motion.frame.R, line.A
