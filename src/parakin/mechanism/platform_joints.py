"""Join the tips of a robot's legs to its platform in a graph of bodies and joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.description import OPEN_SPIN, Friction, Leg, PlatformJoint
from parakin.errors import DescriptionError
from parakin.mechanism.building import Graph, Mass, Point, axes_from
from parakin.mechanism.legs_at_home import IN_CARRIER, PARALLEL, Placed, across, numbers, unit
from parakin.mechanism.model import Cone, JointFreedom

BALL: tuple[str, ...] = ("wx", "wy", "wz")
"""The freedoms of a ball."""
X, Y, Z = np.eye(3)


def attach(
    graph: Graph,
    joint: PlatformJoint,
    tips: Sequence[Point],
    end: Point,
    side: Array,
    *,
    rigid: bool,
    source: str,
) -> None:
    """Join the tips of a leg to a point of the platform.

    side: from the middle of a parallelogram's short side to its first rod, in base axes at home. rigid: whether the
    leg carries the platform, whatever its joint. source: where the leg's numbers come from.
    """
    R_leg, R_end = graph.places[tips[0].body][1], graph.places[end.body][1]
    friction = Friction() if joint.friction is None else joint.friction
    cone = None
    if joint.cone is not None:
        cone = Cone(angle=joint.cone, on_parent=(1.0, 0.0, 0.0), on_child=joint.reference)
    said: dict[str, Any] = {"sources": (source,), "clearance": joint.clearance}
    if joint.type == "parallelogram":
        half = R_end.T @ side if joint.axis is None else np.linalg.norm(side) * np.array(joint.axis)
        freedom = JointFreedom(friction=Friction(viscous=0.5 * friction.viscous))
        for tip, sign in zip(tips, (1.0, -1.0), strict=True):
            point = Point(end.body, end.position + sign * half)
            freedoms = dict.fromkeys(BALL, freedom)
            graph.joint("spherical", tip, point, (np.eye(3), np.eye(3)), freedoms, cone=cone, **said)
        return
    (tip,) = tips
    if rigid or joint.type == "rigid":
        graph.joint("weld", tip, end, (R_leg.T @ R_end, np.eye(3)), sources=(source,))
    elif joint.type == "spherical":
        freedoms = dict.fromkeys(BALL, JointFreedom(friction=friction))
        graph.joint("spherical", tip, end, (np.eye(3), np.eye(3)), freedoms, cone=cone, **said)
    elif joint.type == "revolute":
        axes = _hinge(joint, R_leg, R_end)
        graph.joint("revolute", tip, end, axes, {"angle": _backwards(joint, friction, 0)}, **said)
    else:
        _add_universal(graph, joint, (tip, end), friction, said)


def check_universal(leg: Leg, joint: PlatformJoint, last: Placed, R_end: Array) -> None:
    """Raise DescriptionError for a universal joint at the platform whose two axes are parallel at home.

    last: the leg's last element at home. R_end: axes of what the leg meets at the platform.
    """
    if joint.type != "universal" or leg.elements[-1].joint.type in OPEN_SPIN:
        return
    on_leg, on_end = (last.R if last.tip is None else last.tip) @ np.array(joint.leg_axis), R_end @ np.array(joint.axis)
    if float(np.linalg.norm(np.cross(on_leg, on_end))) >= PARALLEL:
        return
    key, root = f"{leg.name}.attachment.joint", leg.elements[-1]
    there = f"leg_axis = {numbers(joint.leg_axis)} in the frame of {root.name}, is parallel to its axis on the platform"
    rule = f"{numbers(joint.axis)}, and the axes of a universal joint are across each other"
    reason = f"at home its axis on the leg, {there}, {rule}"
    if root.joint.axis is not None and len(leg.elements) > 1:
        given, meant = numbers(root.joint.axis), numbers(last.carrier.T @ np.array(root.joint.axis))
        reason += f"; {IN_CARRIER}: if {root.name}.joint.axis = {given} was meant in base axes, write {meant}"
    raise DescriptionError(leg.name, ((key, reason),))


def _hinge(joint: PlatformJoint, R_leg: Array, R_end: Array) -> tuple[Array, Array]:
    """Return the axes of a hinge on the leg and on the platform.

    The hinge turns the platform against the leg: its angle is minus that of the leg's line from the reference.
    """
    axis = np.array(joint.axis)
    start = _some_across(axis) if joint.reference is None else unit(across(np.array(joint.reference), axis))
    on_end = axes_from(x=start, z=axis)
    z = R_leg.T @ R_end @ axis
    if joint.leg_axis is not None:  # either way along the platform's axis
        z = np.copysign(1.0, z @ np.array(joint.leg_axis)) * np.array(joint.leg_axis)
    line = X if joint.reference is not None else R_leg.T @ R_end @ start
    return axes_from(x=unit(across(line, z)), z=z), on_end


def _add_universal(
    graph: Graph, joint: PlatformJoint, ends: tuple[Point, Point], friction: Friction, said: Mapping[str, Any]
) -> None:
    """Join a leg by a universal joint: as one where its cross has no mass, else as two hinges with the cross between.

    On the leg z is along its line, or against it, whichever has y along the platform's axis; the joint turns the
    platform against the leg, so that its second angle is minus the line's about the platform's axis, and its first
    one, from the plane across that, has the sign of z.
    """
    tip, end = ends
    R_leg, R_end = graph.places[tip.body][1], graph.places[end.body][1]
    x, y = np.array(joint.leg_axis), np.array(joint.axis)
    held = R_leg.T @ R_end @ y
    z = unit(np.cross(x, unit(across(held, x))))
    on_leg = axes_from(x=x, z=z)
    other = unit(across(R_end.T @ R_leg @ x, y))
    side = 1.0 if z[0] >= 0.0 else -1.0
    if joint.reference is not None:
        start = side * unit(across(np.array(joint.reference), y))
        other = np.cross(y, start)
    on_end = axes_from(x=other, z=np.cross(other, y))
    second, first = _backwards(joint, friction, 0), _tilt(joint, friction, side)
    if joint.cross is None:
        graph.joint("universal", tip, end, (on_leg, on_end), {"first": first, "second": second}, **said)
        return
    # The cross has the frame (platform's axis, leg's axis, their product).
    a, b = R_end @ y, R_leg @ x
    b = unit(across(b, a))
    mass = Mass(joint.cross.mass, np.array(joint.cross.com), np.array(joint.cross.inertia), (joint.cross.source,))
    place = graph.place(tip)
    cross = Point(graph.body(f"{tip.body}_cross", place, np.column_stack([a, b, np.cross(a, b)]), [mass]), np.zeros(3))
    inner, outer = (axes_from(x=on_leg[:, 1], z=x), axes_from(x=X, z=Y)), (axes_from(x=Y, z=X), axes_from(x=other, z=y))
    graph.joint("revolute", tip, cross, inner, {"angle": first}, **said)
    graph.joint("revolute", cross, end, outer, {"angle": second}, sources=said["sources"])


def _backwards(joint: PlatformJoint, friction: Friction, axis: int) -> JointFreedom:
    """Return a freedom that turns the platform against the leg: limits of the line's angle change sign and places."""
    lower, upper = _limits(joint, axis)
    return JointFreedom(
        friction=friction, lower=None if upper is None else -upper, upper=None if lower is None else -lower
    )


def _tilt(joint: PlatformJoint, friction: Friction, side: float) -> JointFreedom:
    """Return the freedom about the leg's axis of a universal joint: the line's angle, with the sign of a side."""
    if side < 0.0:
        return _backwards(joint, friction, 1)
    lower, upper = _limits(joint, 1)
    return JointFreedom(friction=friction, lower=lower, upper=upper)


def _limits(joint: PlatformJoint, axis: int) -> tuple[float | None, float | None]:
    lower, upper = (limit[axis] if isinstance(limit, tuple) else limit for limit in (joint.lower, joint.upper))
    return lower, upper


def _some_across(axis: Array) -> Array:
    return unit(across(np.eye(3)[int(np.argmin(np.abs(axis)))], axis))
