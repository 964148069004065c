"""What there is to know about a mechanism at a glance."""

from __future__ import annotations

from parakin.mechanism import Drive, Joint, JointFreedom
from parakin.mechanism.model import cone_name
from parakin.robot.cards import Section, body_text, limits_text, sources, tool_row, vector_text
from parakin.robot.robot import Robot
from parakin.units import CoordinateUnits


def mechanism_card(mechanism: Robot) -> list[Section]:
    """Return sections of rows (what, value) about a mechanism, for whoever prints them.

    >>> title, rows = pk.robot.mechanism_card(linkage)[0]
    >>> rows[0]
    ('freedoms', '1, pose (crank.angle [rad])')
    """
    description, plan = mechanism.graph_description, mechanism.plan
    lower, upper = mechanism.box
    mass = sum(body.mass for body in description.bodies)
    counted = f"{plan.rows} rows in all, {plan.redundant} of them redundant"
    pose = ", ".join(f"{n} [{unit}]" for n, unit in zip(mechanism.pose_names, mechanism.pose_units, strict=True))
    general = [
        ("freedoms", f"{mechanism.degrees_of_freedom}, pose ({pose})"),
        ("bodies", f"{len(description.bodies)}: {mass:.3f} kg"),
        ("joints", f"{len(description.joints)}, with {counted}"),
        ("motors", str(len(mechanism.actuator_names))),
        ("output", f"on {description.output.body}, at {vector_text(description.output.frame.position)} m in its frame"),
        *tool_row(mechanism),
        ("gravity", f"{vector_text(description.gravity)} m/s^2"),
        ("home", vector_text(mechanism.home)),
        ("box around it", f"{vector_text(lower)} to {vector_text(upper)}"),
        ("length", f"{mechanism.length:.6g} m, scales rotations against translations"),
    ]
    if plan.idle:
        general.append(("idle freedoms", f"{plan.idle}, which move neither a motor nor the output"))
    joints = [(joint.name, _joint(joint)) for joint in description.joints]
    bodies = [(body.name, body_text(body, f"com {vector_text(body.com)} m")) for body in description.bodies]
    motors, limits = _freedoms(mechanism)
    frames = [
        (frame.name, f"on {frame.body}, at {vector_text(frame.frame.position)} m") for frame in description.frames
    ]
    return [
        ("Robot", general),
        ("Joints", joints),
        ("Bodies", bodies),
        *([("Frames of interest", frames)] if frames else []),
        *([("Motors", motors)] if motors else []),
        *([("Joint limits", limits)] if limits else []),
        ("Sources", sources(description)),
    ]


def _joint(joint: Joint) -> str:
    size = f", {joint.length:g} m" if joint.length is not None else ""
    pitch = f", {joint.pitch:g} m in a turn" if joint.pitch is not None else ""
    return f"{joint.type}{size}{pitch}, from {joint.parent} to {joint.child}"


def _freedoms(mechanism: Robot) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return rows of motors, and rows of passive freedoms with limits."""
    motors: list[tuple[str, str]] = []
    limits: list[tuple[str, str]] = []
    for joint in mechanism.graph_description.joints:
        for k, freedom in enumerate(joint.kind.freedoms):
            settings, name = joint.freedom(k), f"{joint.name}.{freedom.name}"
            if settings.drive is not None:
                motors.append((name, ", ".join(_motor(settings, settings.drive, freedom.units))))
            elif settings.lower is not None or settings.upper is not None:
                limits.append((name, _range(settings, freedom.units)))
        if joint.cone is not None:
            limits.append((cone_name(joint), limits_text(None, joint.cone.angle, "rad")))
    return motors, limits


def _range(settings: JointFreedom, units: CoordinateUnits) -> str:
    return limits_text(settings.lower, settings.upper, units.position)


def _motor(settings: JointFreedom, drive: Drive, units: CoordinateUnits) -> list[str]:
    parts = [f"{units.position}"]
    if settings.lower is not None or settings.upper is not None:
        parts = [_range(settings, units)]
    if drive.force is not None:
        parts.append(f"{drive.force:g} {units.force}")
    if drive.speed is not None:
        parts.append(f"{drive.speed:g} {units.velocity}")
    if drive.stiffness is not None:
        parts.append(f"{drive.stiffness:g} {units.stiffness}")
    if drive.gear_ratio != 1.0:
        parts.append(f"gear 1 : {drive.gear_ratio:g}")
    friction = settings.friction
    if friction.viscous or friction.coulomb:
        parts.append(f"friction {friction.viscous:g} viscous, {friction.coulomb:g} Coulomb")
    return parts
