"""A robot as data: frozen tables in the grammar of [Ozgur2013] eq. (1). SI units, angles in radians.

Vectors are in base axes unless said otherwise. Every table names the source of its numbers.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, StrictBool, model_validator

from parakin.arrays import Array
from parakin.description.elements import OPEN_SPIN, Element, Friction, check_limits
from parakin.description.values import (
    Direction,
    Inertia,
    MotionName,
    Name,
    NonNegative,
    Number,
    Positive,
    Sign,
    Source,
    Table,
    Vector,
)
from parakin.motions import MOTIONS, QUATERNION_TOLERANCE, MotionType
from parakin.quaternions import rotation_matrix

OUTPUT = "output"
"""The name of the output frame, E on a platform, among the frames of interest of a machine."""
TOOL = "tool"
"""The name of the tool frame among them, where a machine has one."""


class Cross(Table):
    """The cross of a universal joint between a leg and the platform, a rigid body of its own.

    >>> inertia = ((2e-6, 0, 0), (0, 2e-6, 0), (0, 0, 2e-6))
    >>> pk.description.Cross(mass=0.02, inertia=inertia, source="weighed").mass
    0.02
    """

    mass: Positive
    """Mass [kg]."""
    com: Vector = (0.0, 0.0, 0.0)
    """Place of the centre of mass from where the axes meet [m], along (the platform's axis, the leg's axis, their
    product)."""
    inertia: Inertia
    """Inertia tensor about the centre of mass [kg m^2], in the same axes."""
    source: Source
    """Where these numbers come from."""


class PlatformJoint(Table):
    """The joint between a leg and the platform. Where a leg has no such table, `attachment_joint` says what it is.

    >>> pk.description.attachment_joint(pk.load("hexa").legs[0], pk.motions.SPATIAL).type
    'spherical'
    """

    type: Literal["spherical", "universal", "revolute", "parallelogram", "rigid"]
    """The kind of joint; a leg that ends in a parallelogram, and no other, meets the platform in one."""
    axis: Direction | None = None
    """The axis that is fixed to the platform: of a revolute, the platform's of a universal, the short side of a
    parallelogram; in the axes of E, or of the base where `attachment.c` is not 0. Axis 1 of the leg's first joint for
    a universal, z for a revolute of a planar robot, and the side at the other end of the rods, if it is not given."""
    leg_axis: Direction | None = None
    """The axis of a universal, or of a revolute at the end of a leg that turns inside, that is fixed to the leg, in
    the frame of its last element; if it is not given, axis 2 of that element's universal root, or the axis of its
    revolute root."""
    friction: Friction | None = None
    """Friction of the joint: about its axis, about each axis of a universal, and on the relative angular velocity,
    viscous only, of a ball or of rods. A joint that gives it, be it zero, is among the robot's parameters."""
    cross: Cross | None = None
    """The cross of a universal joint, if its mass counts."""
    reference: Direction | None = None
    """The direction, in the axes of `axis`, from which angles of the leg's line count; the middle of a cone."""
    lower: Number | tuple[Number, Number] | None = None
    """Smallest angle [rad]: of the leg's line about `axis`; of a universal a pair, about `axis` and about the leg's."""
    upper: Number | tuple[Number, Number] | None = None
    """Largest angle [rad], likewise."""
    cone: Positive | None = None
    """Largest angle between the leg's line and `reference` [rad], for a ball or rods."""
    clearance: NonNegative | None = None
    """Radial play [m]: how far leg and platform can be apart here; only accuracy looks at it."""

    @property
    def limited(self) -> bool:
        """Whether the joint has any limit."""
        return self.lower is not None or self.upper is not None or self.cone is not None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.axis is not None and self.type in ("spherical", "rigid"):
            raise ValueError(f"a {self.type} joint has no axis: remove it")
        if self.leg_axis is not None and self.type not in ("universal", "revolute"):
            raise ValueError(f"leg_axis is an axis of a universal or revolute joint, and this one is {self.type}")
        if self.friction is not None and self.type == "rigid":
            raise ValueError("nothing turns in a rigid joint: remove its friction")
        if self.friction is not None and self.friction.coulomb > 0.0 and self.type in OPEN_SPIN:
            raise ValueError(f"a {self.type} joint has viscous friction only: remove coulomb")
        if self.cross is not None and self.type != "universal":
            raise ValueError(f"only a universal joint has a cross, and this one is {self.type}: remove it")
        check_limits(self, self.type)
        return self


class Attachment(Table):
    """Where a leg meets the platform: p_OC = p_OE + R_OE b + c.

    >>> b, c = leg.attachment.b, leg.attachment.c
    >>> robot.home + b + c  # where the leg meets the platform at home, which does not turn
    array([ 0.05,  0.  , -0.43])
    """

    b: Vector
    """The part that turns with the platform [m]."""
    c: Vector = (0.0, 0.0, 0.0)
    """The part that keeps the orientation of the base [m]: joints on the lateral bars of a nacelle."""
    joint: PlatformJoint | None = None
    """The joint there; by the leg's own kind if it is not given, as docs/robot_files.md says. Whether the platform can
    move as it claims depends on it; forces do where it has friction or a cross, or where the leg turns inside."""


class Leg(Table):
    """An ordered chain of elements from the base to the platform.

    >>> leg.name, [element.name for element in leg.elements]
    ('leg1', ['arm', 'forearm'])
    """

    name: Name
    """What the leg is called; a leg that is repeated about an axis gets numbers."""
    root: Vector
    """The point of the base where the leg begins [m]."""
    elements: tuple[Element, ...] = Field(min_length=1, max_length=8)
    """Its elements, from the base outwards."""
    attachment: Attachment
    """Where it meets the platform."""
    branch: Sign | None = None
    """Which way a leg closes that can in two: the sign of (x_1 x x_2)·axis for an arm, of x_rail·x_bar for a rail. A
    file may say elbow = "outwards" or "inwards" instead, which loading turns into this sign."""
    symmetry: Name | None = None
    """The symmetry by which the leg, together with all others of that symmetry, is repeated."""
    source: Source
    """Where these numbers come from."""


class Symmetry(Table):
    """Legs that are repeated about an axis through the origin, a full turn apart by their number.

    >>> {name: symmetry.count for name, symmetry in robot.description.symmetries.items()}
    {'thirds': 3}
    """

    count: Annotated[int, Field(ge=2, le=24)]
    """How many copies there are, the given one included."""
    axis: Direction = (0.0, 0.0, 1.0)
    """The axis they are turned about."""


class PlatformBody(Table):
    """A body of the platform or nacelle, its centre of mass at p_OE + R_OE b + c.

    >>> plate = robot.description.platform.bodies[0]
    >>> plate.mass, plate.turns
    (0.3, False)
    """

    name: Name
    """What the body is called."""
    mass: Positive
    """Mass [kg]."""
    b: Vector
    """The part of its place that turns with the platform [m]."""
    c: Vector = (0.0, 0.0, 0.0)
    """The part of its place that keeps the orientation of the base [m]."""
    inertia: Inertia
    """Inertia tensor about the centre of mass [kg m^2], in the axes of E where the body turns, else of the base."""
    turns: StrictBool
    """Whether it turns with the platform; a body that does not keeps the orientation of the base."""
    source: Source
    """Where these numbers come from."""


class Tool(Table):
    """The tool frame T on the platform, or in the output frame of a mechanism.

    >>> pk.load("quattro").description.platform.tool
    Tool(position=(0.0, 0.0, -0.06), quaternion=(1.0, 0.0, 0.0, 0.0))
    """

    position: Vector
    """p_ET [m]."""
    quaternion: tuple[Number, Number, Number, Number] = (1.0, 0.0, 0.0, 0.0)
    """Unit quaternion (w, x, y, z) of R_ET."""

    @property
    def rotation(self) -> Array:
        """R_ET (3, 3), whose columns are the axes of the tool frame."""
        quaternion = np.array(self.quaternion)
        return rotation_matrix(quaternion / np.linalg.norm(quaternion))

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if abs(math.hypot(*self.quaternion) - 1.0) > QUATERNION_TOLERANCE:
            raise ValueError(f"its quaternion must have length 1, got {math.hypot(*self.quaternion):.9g}")
        return self


class Platform(Table):
    """What the legs carry together: one platform, or the parts of a nacelle.

    >>> [body.name for body in robot.description.platform.bodies]
    ['plate']
    """

    bodies: tuple[PlatformBody, ...] = Field(default=(), max_length=50)
    """Its bodies; there may be none, as at the tip of a five-bar."""
    tool: Tool | None = None
    """The tool frame, if there is one."""
    radius: Positive | None = None
    """Radius of the round bars from E to the legs that it is for clearances [m]; without it nothing touches it."""
    source: Source
    """Where these numbers come from."""


class Workspace(Table):
    """A pose well inside, and a box around it that is reachable and well-conditioned throughout.

    >>> robot.description.workspace.home, robot.description.workspace.upper
    ((0.0, 0.0, -0.43), (0.15, 0.15, 0.1))
    """

    home: tuple[Number, ...]
    """The pose [m, rad; quaternion (w, x, y, z)]."""
    lower: tuple[Number, ...]
    """Smallest offsets from home [m, rad]; for spatial robots position and rotation vector in base axes."""
    upper: tuple[Number, ...]
    """Largest offsets from home, likewise."""
    source: Source
    """Where these numbers come from."""


class RobotDescription(Table):
    """A parallel robot: base, legs, platform or nacelle.

    >>> robot.description.name, robot.description.gravity
    ('delta', (0.0, 0.0, -9.81))
    """

    name: Name
    """A short name, part of the names of generated files and functions."""
    title: Annotated[str, Field(min_length=1, max_length=200)]
    """What the robot is, in a few words."""
    motion: MotionName
    """How the platform moves."""
    gravity: Vector = (0.0, 0.0, -9.81)
    """Acceleration of free fall in base axes [m/s^2]."""
    length: Positive
    """A typical dimension [m] by which rotations are compared with translations in condition numbers."""
    source: Source
    """Where the robot comes from."""
    workspace: Workspace
    """Where it works."""
    platform: Platform
    """What it moves."""
    symmetries: dict[Name, Symmetry] = Field(default_factory=dict)
    """Symmetries that legs may name."""
    legs: tuple[Leg, ...] = Field(min_length=1, max_length=100)
    """Its legs, those of a symmetry written once."""

    @property
    def motion_type(self) -> MotionType:
        """The platform motion as an object."""
        return MOTIONS[self.motion]
