"""How a leg meets the platform: what a file says, completed by what its legs' own kinds imply."""

from __future__ import annotations

from collections.abc import Iterator

from parakin.description.model import Leg, PlatformJoint, RobotDescription
from parakin.description.patterns import pattern_of
from parakin.description.values import Vector
from parakin.motions import MotionType

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def attachment_joint(leg: Leg, motion: MotionType) -> PlatformJoint:
    """Return the joint between a written-out leg and the platform, its axes filled in where they have a default.

    Without a table of its own: a parallelogram ends in one; a shaft, and the leg of a 3-URU whose platform does not
    turn, in a universal joint; legs of planar robots turn about z; every other leg ends in a ball.
    """
    joint = leg.attachment.joint
    if joint is None:
        pattern = pattern_of(leg)
        if leg.elements[-1].joint.type == "parallelogram":
            joint = PlatformJoint(type="parallelogram")
        elif pattern == "shaft" or (pattern == "elbow" and not motion.turns):
            joint = PlatformJoint(type="universal")
        elif motion.planar:
            joint = PlatformJoint(type="revolute")
        else:
            joint = PlatformJoint(type="spherical")
    axis, leg_axis = joint.axis, joint.leg_axis
    if joint.type == "revolute" and axis is None and motion.planar:
        axis = Z
    if joint.type == "universal":
        axis = leg.elements[0].joint.axis if axis is None else axis
        leg_axis = _second_axis(leg) if leg_axis is None else leg_axis
    return joint.model_copy(update={"axis": axis, "leg_axis": leg_axis})


def _second_axis(leg: Leg) -> Vector | None:
    """The axis that the root of a leg's last element gives it, in that element's frame."""
    return {"universal": Y, "revolute": Z}.get(leg.elements[-1].joint.type)


def attachment_problems(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the joints between legs and platform."""
    for k, leg in enumerate(robot.legs):
        joint = attachment_joint(leg, robot.motion_type)
        key = f"legs[{k}].attachment.joint"
        rods = leg.elements[-1].joint.type == "parallelogram"
        if rods != (joint.type == "parallelogram"):
            ends = "ends in a parallelogram" if rods else "does not end in a parallelogram"
            yield f"{key}.type", f"the leg {ends}, so it cannot meet the platform in a {joint.type} joint"
        if joint.type in ("revolute", "universal") and joint.axis is None:
            yield f"{key}.axis", f"a {joint.type} joint needs its axis on the platform"
        if joint.type == "universal" and joint.leg_axis is None:
            yield f"{key}.leg_axis", "a universal joint needs its axis on the leg, in the frame of the last element"
