"""Passive joints and bodies of a robot as data: which there are, their names, and limits of joints.

`kinematics.joints` has the angles of joints and `kinematics.bodies` the motion of bodies, both symbolic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.description import (
    OPEN_SPIN,
    Body,
    Cross,
    Element,
    Friction,
    Joint,
    Leg,
    PlatformJoint,
    RobotDescription,
    attachment_joint,
    expanded_legs,
)
from parakin.description.elements import SWIVELLING, VARYING
from parakin.description.patterns import ANGLES, pattern_of


@dataclass(frozen=True)
class JointAngle:
    """One angle of a passive joint, with its limits."""

    name: str
    """The joint, such as leg1.forearm.joint; the two angles of a universal joint end in .1 and .2."""
    lower: float
    """Smallest angle [rad]; -inf without a limit."""
    upper: float
    """Largest angle [rad]; inf without a limit."""

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return bool(np.isfinite(self.lower) or np.isfinite(self.upper))


def passive_joints(description: RobotDescription) -> Iterator[tuple[int, int, str, Element]]:
    """Yield every root joint that turns without being driven: number of leg and element, name, element."""
    for k, leg in enumerate(expanded_legs(description)):
        for m, element in enumerate(leg.elements):
            if element.joint.type != "fixed" and not element.drives_root:
                yield k, m, f"{leg.name}.{element.name}.joint", element


def inner_joints(description: RobotDescription) -> Iterator[tuple[int, int, str, bool, Friction]]:
    """Yield every passive slide and turn inside an element whose friction the file gives.

    With it the numbers of its leg and element, its name, whether it turns, and the friction.
    """
    for k, leg in enumerate(expanded_legs(description)):
        for m, element in enumerate(leg.elements):
            name = f"{leg.name}.{element.name}"
            if element.slide_friction is not None:
                yield k, m, f"{name}.slide", False, element.slide_friction
            if element.swivel_friction is not None:
                yield k, m, f"{name}.swivel", True, element.swivel_friction


def attachment_name(leg: Leg) -> str:
    """Return the name of the joint between a leg and the platform."""
    return f"{leg.name}.attachment"


def platform_joints(description: RobotDescription) -> Iterator[tuple[int, str, PlatformJoint]]:
    """Yield every joint between a leg and the platform that the file has a table of and that turns.

    With it the number of its leg, and its name.
    """
    for k, leg in enumerate(expanded_legs(description)):
        if leg.attachment.joint is not None and leg.attachment.joint.type != "rigid":
            yield k, f"{attachment_name(leg)}.joint", attachment_joint(leg, description.motion_type)


def joint_angles(description: RobotDescription) -> tuple[JointAngle, ...]:
    """Return every passive joint angle of a robot with its limits, in the order of the model `joints`.

    Joints at the platform come last, those of which the file has a table.
    """
    roots = [(name, element.joint) for _, _, name, element in passive_joints(description)]
    ends = [(name, joint) for _, name, joint in platform_joints(description)]
    return tuple(angle for name, joint in (*roots, *ends) for angle in _angles(name, joint))


def _angles(name: str, joint: Joint | PlatformJoint) -> list[JointAngle]:
    if joint.type == "universal":
        lower, upper = joint.lower or (-np.inf, -np.inf), joint.upper or (np.inf, np.inf)
        assert isinstance(lower, tuple), "checked as the file is read"
        assert isinstance(upper, tuple), "checked as the file is read"
        return [JointAngle(f"{name}.{n + 1}", lower[n], upper[n]) for n in range(2)]
    if joint.type in OPEN_SPIN:
        return [JointAngle(name, -np.inf, np.inf if joint.cone is None else joint.cone)]
    assert not isinstance(joint.lower, tuple), "checked as the file is read"
    assert not isinstance(joint.upper, tuple), "checked as the file is read"
    return [
        JointAngle(
            name, -np.inf if joint.lower is None else joint.lower, np.inf if joint.upper is None else joint.upper
        )
    ]


def searched_names(description: RobotDescription) -> dict[str, str]:
    """Return the names of z, the joint coordinates of legs without a closed form, and their units."""
    names: dict[str, str] = {}
    for leg in searched_legs(description):
        for element in leg.elements:
            lengths, turns = element.type in VARYING, element.type in SWIVELLING
            kinds = [*(f"angle{k + 1}" for k in range(ANGLES[element.joint.type])), *["length"] * lengths]
            for kind in [*kinds, *["spin"] * turns]:
                names[f"{leg.name}.{element.name}.{kind}"] = "m" if kind == "length" else "rad"
    return names


def searched_legs(description: RobotDescription) -> list[Leg]:
    """Return the legs without a closed form."""
    return [leg for leg in expanded_legs(description) if pattern_of(leg) == "numeric"]


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
