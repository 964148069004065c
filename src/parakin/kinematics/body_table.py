"""Bodies of a robot as data: which there are, in which order, and their names. `kinematics.bodies` moves them."""

from __future__ import annotations

from parakin.description import Body, Cross, Element, Leg, RobotDescription, expanded_legs
from parakin.kinematics.joint_table import attachment_name


def leg_bodies(legs: tuple[Leg, ...]) -> list[tuple[Leg, Element, Body]]:
    """Return every body of the legs, in order, with its leg and its element."""
    return [(leg, element, body) for leg in legs for element in leg.elements for body in element.bodies]


def crosses(legs: tuple[Leg, ...]) -> list[tuple[int, Leg, Cross]]:
    """Return the crosses between legs and platform that have mass, in order, with the numbers of their legs."""
    joints = [(k, leg, leg.attachment.joint) for k, leg in enumerate(legs)]
    return [(k, leg, joint.cross) for k, leg, joint in joints if joint is not None and joint.cross is not None]


def body_names(description: RobotDescription) -> tuple[str, ...]:
    """Return the names of all bodies: leg1.arm, leg1.forearm.rod_a, ..., leg1.attachment.cross, ..., platform.plate."""
    written_out = expanded_legs(description)
    legs = [body_name(leg.name, element, body) for leg, element, body in leg_bodies(written_out)]
    between = [f"{attachment_name(leg)}.cross" for _, leg, _ in crosses(written_out)]
    return (*legs, *between, *(f"platform.{body.name}" for body in description.platform.bodies))


def body_name(leg: str, element: Element, body: Body) -> str:
    """Return the full name of a leg's body; one that is named as its element is named once."""
    return f"{leg}.{element.name}" + ("" if body.name == element.name else f".{body.name}")
