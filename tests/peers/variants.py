"""Variants of a description that engines can be compared on."""

from __future__ import annotations

from parakin.description import RobotDescription
from parakin.description.model import Element, Friction


def frictionless(description: RobotDescription) -> RobotDescription:
    """The same robot with no friction in drives and joints."""

    def smooth(element: Element) -> Element:
        joint = element.joint.model_copy(update={"friction": Friction()})
        actuator = element.actuator and element.actuator.model_copy(update={"friction": Friction()})
        return element.model_copy(update={"joint": joint, "actuator": actuator})

    legs = tuple(
        leg.model_copy(update={"elements": tuple(smooth(element) for element in leg.elements)})
        for leg in description.legs
    )
    return description.model_copy(update={"legs": legs})
