"""How a leg meets the platform: what a file says, completed by what its legs' own kinds imply."""

from __future__ import annotations

from collections.abc import Iterator

from parakin.description.elements import OPEN_SPIN, SWIVELLING
from parakin.description.model import Leg, PlatformJoint, RobotDescription
from parakin.description.patterns import ELSEWHERE, coordinate_count, line_pattern, pattern_of
from parakin.description.values import ROUNDING, Vector
from parakin.motions import MotionType

PLACE = 3
"""Numbers that say where the tip of a leg is; a leg with more joint coordinates is turned by the platform too."""
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def attachment_joint(leg: Leg, motion: MotionType) -> PlatformJoint:
    """Return the joint between a written-out leg and the platform, its axes filled in where they have a default.

    Without a table of its own: a parallelogram ends in one; a shaft, a leg that turns inside, and the leg of a 3-URU
    whose platform does not turn, in a universal joint; legs of planar robots turn about z; every other ends in a ball.

    >>> pk.description.attachment_joint(leg, robot.motion_type).type
    'parallelogram'
    """
    joint = leg.attachment.joint
    if joint is None:
        pattern = line_pattern(leg)
        if leg.elements[-1].joint.type == "parallelogram":
            joint = PlatformJoint(type="parallelogram")
        elif any(element.type in SWIVELLING for element in leg.elements) or (pattern == "elbow" and not motion.turns):
            joint = PlatformJoint(type="universal")
        elif motion.planar:
            joint = PlatformJoint(type="revolute")
        else:
            joint = PlatformJoint(type="spherical")
    axis, leg_axis = joint.axis, joint.leg_axis
    if joint.type == "revolute" and axis is None and motion.planar:
        axis = Z
    if joint.type == "revolute" and leg_axis is None and turns_inside(leg):
        leg_axis = Z
    if joint.type == "universal":
        axis = leg.elements[0].joint.axis if axis is None else axis
        leg_axis = _second_axis(leg) if leg_axis is None else leg_axis
    return joint.model_copy(update={"axis": axis, "leg_axis": leg_axis})


def turns_inside(leg: Leg) -> bool:
    """Return whether the place of a leg's tip leaves a joint inside it open, which the joint at the platform decides.

    So it is where the last element turns inside, and in legs without a closed form that have more than three joint
    coordinates.
    """
    return pattern_of(leg) == "swivel" or (pattern_of(leg) == "numeric" and coordinate_count(leg) > PLACE)


def _second_axis(leg: Leg) -> Vector | None:
    """The axis that the root of a leg's last element gives it, in that element's frame."""
    return {"universal": Y, "revolute": Z}.get(leg.elements[-1].joint.type)


def attachment_problems(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the joints between legs and platform."""
    meet = not robot.motion_type.turns and not any(any(leg.attachment.b + leg.attachment.c) for leg in robot.legs)
    for k, leg in enumerate(robot.legs):
        joint = attachment_joint(leg, robot.motion_type)
        key = f"legs[{k}].attachment.joint"
        if meet and (joint.friction is not None or joint.limited):
            why = "all legs meet in one pin, which has no orientation that a leg could turn against"
            yield key, f"{why}: remove friction and limits there; to have them between the legs, {ELSEWHERE}"
        rods = leg.elements[-1].joint.type == "parallelogram"
        if rods != (joint.type == "parallelogram"):
            ends = "ends in a parallelogram" if rods else "does not end in a parallelogram"
            yield f"{key}.type", f"the leg {ends}, so it cannot meet the platform in a {joint.type} joint"
        if joint.type in ("revolute", "universal") and joint.axis is None:
            yield f"{key}.axis", f"a {joint.type} joint needs its axis on the platform"
        if joint.type == "universal" and joint.leg_axis is None:
            yield f"{key}.leg_axis", "a universal joint needs its axis on the leg, in the frame of the last element"
        else:
            yield from _spin_problems(key, leg, joint)


def _spin_problems(key: str, leg: Leg, joint: PlatformJoint) -> Iterator[tuple[str, str]]:
    """Yield what keeps the joint at the platform from deciding the spin of a leg that turns inside or on a ball."""
    if turns_inside(leg) and joint.type not in ("universal", "revolute"):
        why = f"the place of its tip leaves a joint inside the leg open, and so does a {joint.type} joint there"
        yield f"{key}.type", f'{why}: use "universal" or "revolute" with its axis, or a leg with one joint less'
    by_platform = pattern_of(leg) == "swivel" or leg.elements[-1].joint.type in OPEN_SPIN
    if by_platform and joint.leg_axis is not None and abs(joint.leg_axis[0]) > ROUNDING:
        why = "the platform decides the spin of this leg, for which its axis on the leg must be across the line"
        yield f"{key}.leg_axis", f"{why}, [0, y, z]; got {list(joint.leg_axis)}; {ELSEWHERE}"
