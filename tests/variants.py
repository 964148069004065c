"""Variants of robots: without friction, on spherical joints, carrying a load, with other limits."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from parakin.description import Body, Element, Friction, Joint, PlatformBody, RobotDescription, describe
from parakin.robot import Robot, load


def _with_elements(description: RobotDescription, changed: Callable[[Element], Element]) -> RobotDescription:
    legs = tuple(
        leg.model_copy(update={"elements": tuple(changed(element) for element in leg.elements)})
        for leg in description.legs
    )
    return description.model_copy(update={"legs": legs})


def frictionless(robot: Robot) -> Robot:
    """The same robot with no friction in drives and joints."""

    def smooth(element: Element) -> Element:
        joint = element.joint.model_copy(update={"friction": Friction()})
        actuator = element.actuator and element.actuator.model_copy(update={"friction": Friction()})
        return element.model_copy(update={"joint": joint, "actuator": actuator})

    return Robot(_with_elements(robot.description, smooth), robot.payload)


def with_light_drives(robot: Robot) -> Robot:
    """The same robot without friction or rotors, its legs a tenth as heavy: what one drive does, the others feel."""

    def lighter(body: Body) -> Body:
        inertia = tuple(tuple(0.1 * value for value in row) for row in body.inertia)
        return body.model_copy(update={"mass": 0.1 * body.mass, "inertia": inertia})

    def light(element: Element) -> Element:
        actuator = element.actuator and element.actuator.model_copy(update={"rotor_inertia": 0.0})
        return element.model_copy(update={"actuator": actuator, "bodies": tuple(map(lighter, element.bodies))})

    return frictionless(Robot(_with_elements(robot.description, light), robot.payload))


def on_spheres(description: RobotDescription) -> RobotDescription:
    """Spherical joints instead of universal ones, and round bodies on them, with inertia about the line left in."""

    def rounded(body: Body) -> Body:
        (Ixx, *_), (_, Iyy, _), _ = body.inertia
        inertia = ((Ixx, 0.0, 0.0), (0.0, Iyy, 0.0), (0.0, 0.0, Iyy))
        return body.model_copy(update={"com": (body.com[0], 0.0, 0.0), "inertia": inertia})

    def freed(element: Element) -> Element:
        if element.joint.type != "universal":
            return element
        bodies = tuple(rounded(body) for body in element.bodies if body.part != "ring")
        return element.model_copy(update={"joint": Joint(type="spherical"), "bodies": bodies})

    return _with_elements(description, freed)


def carrying(description: RobotDescription, load: PlatformBody) -> RobotDescription:
    """A load as one more body of the platform."""
    bodies = (*description.platform.bodies, load)
    return description.model_copy(update={"platform": description.platform.model_copy(update={"bodies": bodies})})


def with_light_legs(robot: Robot) -> Robot:
    """The same robot with legs without mass: a spatial robot whose regressor is compiled in a moment."""
    return Robot(_with_elements(robot.description, lambda element: element.model_copy(update={"bodies": ()})))


def without_strokes(robot: Robot) -> Robot:
    """The robot whose actuators have no end."""

    def changed(element: Element) -> Element:
        if element.actuator is None:
            return element
        endless = element.actuator.model_copy(update={"lower": None, "upper": None})
        return element.model_copy(update={"actuator": endless})

    return Robot(_with_elements(robot.description, changed), robot.payload)


def delta_with(joint: dict[str, Any], actuator: dict[str, Any] | None = None) -> Robot:
    """The library's Delta with other entries in the joints of its forearms, and in its actuators."""
    tables = copy.deepcopy(load("delta").description.model_dump(exclude_defaults=True))
    for leg in tables["legs"]:
        leg["elements"][1]["joint"] |= joint
        leg["elements"][0]["actuator"] |= actuator or {}
    return Robot(describe(tables, "delta"))


def narrow_delta(room: float) -> Robot:
    """A Delta whose forearms may go this far beyond their angle at home [rad], and whose arms have no stroke."""
    robot = load("delta")
    home = robot.joints(robot.home, np.zeros(3), np.zeros(3)).coordinate.max()
    return delta_with({"reference": [1.0, 0.0, 0.0], "cone": float(home + room)}, {"lower": None, "upper": None})
