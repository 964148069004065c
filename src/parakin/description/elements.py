"""An element of a leg as data: its line, the joint at its root, what drives it, and its bodies."""

from __future__ import annotations

import math
from typing import Literal, Protocol, Self

import numpy as np
from pydantic import Field, model_validator

from parakin.description.values import (
    INERTIA_TOLERANCE,
    ROUNDING,
    Direction,
    Inertia,
    Name,
    NonNegative,
    Number,
    Positive,
    Sign,
    Source,
    Table,
    Vector,
)
from parakin.units import ANGLE, LENGTH, CoordinateUnits

OPEN_SPIN = ("spherical", "parallelogram")
"""Types of root joint that leave the spin of their element about its own line open."""


VARYING = ("telescopic", "screw")
"""Types of element whose length varies."""
SWIVELLING = ("spindle", "screw")
"""Types of element with a joint inside that lets the tip part turn about the line against the root part."""
NARROW = 0.2
"""Distance between the rods of a parallelogram for which a file gives none, in lengths of the rods."""
TWO_PARTS = ("telescopic", "screw", "spindle")
"""Types of element in which what is fixed to the tip moves against what is fixed to the root."""


class Body(Table):
    """A rigid body of an element, its numbers in the element's frame (x along the line).

    >>> [(body.name, body.mass) for body in forearm.bodies]
    [('rod_a', 0.06), ('rod_b', 0.06)]
    """

    name: Name
    """What the body is called; names within an element differ."""
    part: Literal["root", "tip", "ring"]
    """What it is fixed to: the root part, with `com` from the root A; the tip part of a telescopic element, or of one
    that turns inside, with `com` from the tip B; or the ring of a universal root, in the frame (axis 1, axis 2, axis 1
    x axis 2) at A. In a file it may be left out for bars, which have no tip part."""
    mass: Positive
    """Mass [kg]."""
    com: Vector
    """Place of the centre of mass [m]."""
    inertia: Inertia
    """Inertia tensor about the centre of mass [kg m^2]."""
    source: Source
    """Where these numbers come from."""

    def symmetric_about_line(self, length: float) -> bool:
        """Return whether the centre of mass is on the line and the inertia does not see a spin about it.

        Both but for rounding: what is off the line is compared with a length [m].

        >>> forearm.bodies[0].symmetric_about_line(0.48)
        True
        """
        tensor = np.array(self.inertia)
        allowed = INERTIA_TOLERANCE * max(float(np.max(np.abs(tensor))), 1e-300)
        round_ = abs(tensor[1, 1] - tensor[2, 2]) <= allowed and abs(tensor[1, 2]) <= allowed
        straight = abs(tensor[0, 1]) <= allowed and abs(tensor[0, 2]) <= allowed
        on_line = math.hypot(self.com[1], self.com[2]) <= ROUNDING * length
        return on_line and bool(round_ and straight)


class Friction(Table):
    """Friction on the relative rate of a joint: force = viscous rate + coulomb sign(rate).

    >>> arm.actuator.friction.viscous, arm.actuator.friction.coulomb
    (0.03, 0.15)
    """

    viscous: NonNegative = 0.0
    """Force per rate [N s/m or N m s]."""
    coulomb: NonNegative = 0.0
    """Force against any motion [N or N m]."""


class Joint(Table):
    """What the root of an element lets its line do.

    >>> forearm.joint.type, forearm.joint.limited
    ('parallelogram', False)
    """

    type: Literal["fixed", "revolute", "universal", "spherical", "parallelogram"]
    """The kind of joint. A parallelogram is two parallel rods that move as one line."""
    axis: Direction | None = None
    """The axis of a revolute, axis 1 of a universal, the short side of a parallelogram, or z of the frame of a fixed
    rail; in the carrier's frame, which is the base for the first element of a leg."""
    spacing: Positive | None = None
    """Distance between the two rods of a parallelogram [m]."""
    friction: Friction = Friction()
    """Friction of the joint where it is not driven."""
    reference: Direction | None = None
    """The direction, in the carrier's frame, from which angles of the joint count; the middle of a spherical joint's
    cone. Without it they count from x of that frame, and there can be no limits."""
    lower: Number | tuple[Number, Number] | None = None
    """Smallest angle [rad]: one number for a revolute joint, a pair (about axis 1, axis 2) for a universal one."""
    upper: Number | tuple[Number, Number] | None = None
    """Largest angle [rad], likewise."""
    cone: Positive | None = None
    """Largest angle between the line and `reference` [rad], for a spherical joint or the rods of a parallelogram."""
    clearance: NonNegative | None = None
    """Radial play [m]: how far the two sides of the joint can be apart; only accuracy looks at it."""

    @property
    def limited(self) -> bool:
        """Whether the joint has any limit."""
        return self.lower is not None or self.upper is not None or self.cone is not None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.type in ("revolute", "universal", "parallelogram") and self.axis is None:
            raise ValueError(f"a {self.type} joint needs its axis")
        if self.type == "spherical" and self.axis is not None:
            raise ValueError("a spherical joint has no axis: remove it")
        if self.type in OPEN_SPIN and self.friction.coulomb > 0.0:
            raise ValueError(f"a {self.type} joint has viscous friction only: remove coulomb")
        if self.type == "fixed" and self.friction != Friction():
            raise ValueError("nothing turns in a fixed joint: give the friction of a slide to its actuator")
        if self.type != "parallelogram" and self.spacing is not None:
            raise ValueError(f"spacing is the distance of a parallelogram's rods, and this joint is {self.type}")
        check_limits(self, self.type)
        return self


class Limited(Protocol):
    """What joints at the root of an element and at the platform have in common: an axis, and limits of angles."""

    @property
    def axis(self) -> Vector | None:
        """The axis of a revolute, or axis 1 of a universal."""
        ...

    @property
    def reference(self) -> Vector | None:
        """The direction from which angles count."""
        ...

    @property
    def lower(self) -> float | tuple[float, float] | None:
        """Smallest angle [rad]."""
        ...

    @property
    def upper(self) -> float | tuple[float, float] | None:
        """Largest angle [rad]."""
        ...

    @property
    def cone(self) -> float | None:
        """Largest angle between the line and `reference` [rad]."""
        ...

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        ...


def check_limits(joint: Limited, kind: str) -> None:
    """Raise ValueError where the limits of a joint do not fit its kind, or each other."""
    kinds = {"revolute": float, "universal": tuple}
    for name, limit in (("lower", joint.lower), ("upper", joint.upper)):
        if limit is None:
            continue
        if kind not in kinds:
            raise ValueError(f"a {kind} joint has no {name} angle: {_INSTEAD[kind]}")
        if not isinstance(limit, kinds[kind]):
            form = "one angle" if kind == "revolute" else "a pair of angles, about axis 1 and axis 2"
            raise ValueError(f"{name} of a {kind} joint is {form}, got {limit}")
    if joint.lower is not None and joint.upper is not None and not np.all(np.less(joint.lower, joint.upper)):
        raise ValueError(f"lower must be below upper, got {joint.lower} and {joint.upper}")
    if joint.cone is not None and kind not in OPEN_SPIN:
        raise ValueError(f"a {kind} joint has no cone: {_INSTEAD.get(kind, 'give lower and upper')}")
    if joint.limited and joint.reference is None:
        raise ValueError("limits need the reference direction that the angles count from")
    across = joint.axis is not None and kind not in OPEN_SPIN
    if across and joint.axis and joint.reference and _along(joint.axis, joint.reference):
        raise ValueError("the reference direction lies along the axis: choose one across it")


_INSTEAD = {
    "fixed": "give the stroke to its actuator",
    "rigid": "nothing turns there, remove it",
    **dict.fromkeys(OPEN_SPIN, "give the half-angle of a cone"),
}
"""What to do about an angle that a kind of joint does not have."""


class Actuator(Table):
    """What drives an element: q = sign (coordinate - zero), on the joint side of its gear.

    >>> arm.actuator.force, arm.actuator.speed, arm.actuator.units.force
    (25.0, 18.0, 'N m')
    """

    coordinate: Literal["angle", "second", "length", "spin"]
    """What is driven: the "angle" of a revolute root, or about axis 1 of a universal one, from `reference`; the angle
    about the "second" axis of a universal root, from the plane across axis 1; the "length" of a telescopic or screw
    element; the "spin" inside a screw or spindle."""
    sign: Sign = 1
    """Which way q counts."""
    zero: Number = 0.0
    """The coordinate where q is 0 [m or rad]."""
    reference: Direction | None = None
    """The direction from which an angle is measured, in the carrier's frame."""
    rotor_inertia: NonNegative = 0.0
    """Inertia of the rotor on the motor side [kg m^2], or mass that moves with a linear motor [kg]."""
    gear_ratio: Positive = 1.0
    """n of a gear that turns the motor n times as fast as the joint; the joint feels n^2 rotor_inertia."""
    friction: Friction = Friction()
    """Friction of the drive, joint side."""
    force: Positive | None = None
    """Largest force or torque, joint side [N or N m]."""
    speed: Positive | None = None
    """Largest rate, joint side [m/s or rad/s]."""
    lower: Number | None = None
    """Smallest q [m or rad]."""
    upper: Number | None = None
    """Largest q [m or rad]."""
    stiffness: Positive | None = None
    """Force per deflection of the drive while its motor stands still, joint side [N/m or N m/rad]; rigid if it is not
    given. Only stiffness, eigenfrequencies and the like look at it."""
    resolution: Positive | None = None
    """Smallest step of the encoder, joint side [m or rad]; only accuracy looks at it."""
    source: Source
    """Where these numbers come from."""

    @property
    def units(self) -> CoordinateUnits:
        """The units of q, its rates and its force."""
        return LENGTH if self.coordinate == "length" else ANGLE

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.coordinate == "angle") != (self.reference is not None):
            raise ValueError("an angle needs the reference direction it is measured from, and nothing else has one")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"lower must be below upper, got {self.lower} and {self.upper}")
        return self


def _along(a: Vector, b: Vector) -> bool:
    """Do two directions leave no plane between them?"""
    return abs(float(np.dot(a, b))) > 1 - 1e-9


class Element(Table):
    """A straight line from its root A to its tip B = A + d x, the link of a leg.

    >>> arm.name, arm.type, arm.length
    ('arm', 'bar', 0.24)
    """

    name: Name
    """What the element is called; names within a leg differ."""
    type: Literal["bar", "telescopic", "spindle", "screw"]
    """What varies besides the direction x: nothing, the length d, the angle theta inside, or both."""
    joint: Joint
    """The joint at the root."""
    length: Positive | None = None
    """Length of a bar or spindle [m]."""
    direction: Direction | None = None
    """The direction of a fixed rail; of an element of a leg without a closed form, roughly where it points at home."""
    actuator: Actuator | None = None
    """What drives the element, if anything does."""
    slide_friction: Friction | None = None
    """Friction of the slide inside a telescopic element or screw whose length no motor drives [N s/m, N]."""
    swivel_friction: Friction | None = None
    """Friction of the turn inside a spindle or screw whose spin no motor drives [N m s, N m]."""
    stiffness: Positive | None = None
    """Axial force per elongation along the line [N/m], of both rods of a parallelogram together; rigid if it is not
    given. Only stiffness and eigenfrequencies look at it."""
    bodies: tuple[Body, ...] = Field(default=(), max_length=50)
    """The rigid bodies that move with it."""
    source: Source
    """Where these numbers come from."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.type in ("bar", "spindle") and self.length is None:
            raise ValueError(f"a {self.type} has a length: add it, in m")
        if self.type in VARYING and self.length is not None:
            raise ValueError(f"the length of a {self.type} element varies: remove it")
        if self.joint.type == "fixed" and self.direction is None:
            raise ValueError("an element on a fixed joint needs its direction")
        axis, direction = self.joint.axis, self.direction
        if self.joint.type == "fixed" and axis and direction and _along(axis, direction):
            raise ValueError("the axis of a fixed joint is z of its frame, not along the rail: choose one across it")
        self._check_actuator()
        self._check_inside()
        self._check_stiffness()
        self._check_bodies()
        if self.drives_root and self.joint.limited:
            raise ValueError("the actuator turns this joint: give lower and upper to the actuator")
        return self

    @property
    def drives_root(self) -> bool:
        """Whether the actuator turns the root joint itself, whose friction and limits are then the actuator's."""
        return self.actuator is not None and self.joint.type == "revolute" and self.actuator.coordinate == "angle"

    def _check_actuator(self) -> None:
        if self.actuator is None:
            return
        driven = self.actuator.coordinate
        turns = self.joint.type in ("revolute", "universal")
        allowed = {
            "angle": turns,
            "second": self.joint.type == "universal",
            "length": self.type in VARYING,
            "spin": self.type in SWIVELLING,
        }
        if not allowed[driven]:
            raise ValueError(f"a {self.type} element on a {self.joint.type} joint has no {driven} to drive")
        axis, reference = self.joint.axis, self.actuator.reference
        if driven == "angle" and axis and reference and _along(axis, reference):
            raise ValueError("the reference direction lies along the axis: choose one across it")

    def _check_inside(self) -> None:
        driven = None if self.actuator is None else self.actuator.coordinate
        for key, friction, kinds, coordinate in (
            ("slide_friction", self.slide_friction, VARYING, "length"),
            ("swivel_friction", self.swivel_friction, SWIVELLING, "spin"),
        ):
            if friction is None:
                continue
            if self.type not in kinds:
                raise ValueError(f"{key} is of what moves inside a {' or '.join(kinds)}, and this is a {self.type}")
            if driven == coordinate:
                raise ValueError(f"a motor drives the {coordinate}: give {key} to actuator.friction")

    def _check_stiffness(self) -> None:
        driven = None if self.actuator is None else self.actuator.coordinate
        if self.stiffness is not None and self.type in VARYING and driven != "length":
            raise ValueError("nothing drives its length, so that it carries no axial force: remove its stiffness")

    def _check_bodies(self) -> None:
        for body in self.bodies:
            if body.part == "tip" and self.type not in TWO_PARTS:
                raise ValueError(f"body {body.name}: a {self.type} has no tip part of its own: use part = 'root'")
            if body.part == "ring" and self.joint.type != "universal":
                raise ValueError(f"body {body.name}: only a universal joint has a ring")
