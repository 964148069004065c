"""A mechanism as data: bodies and joints in frozen tables. SI units, angles in radians.

The base is the body named "world". Every body has a frame of its own choosing, in which its centre of mass and its
joints are given. A file in which all bodies use the base's frame at one drawn pose needs only one frame a joint.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from parakin.arrays import Array
from parakin.description import Friction
from parakin.description.model import OUTPUT, Tool
from parakin.description.values import (
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
from parakin.mechanism.bar_tables import Bar
from parakin.mechanism.kinds import KINDS, JointKind
from parakin.units import CoordinateUnits

BASE = "world"
"""The name of the body that does not move."""
SHORTEST_DISTANCE = 1e-9
"""Least length of a joint of type distance [m]: its row is divided by it."""
ACROSS = 0.02
"""Cosine of the angle between the x and z of a frame above which they are not taken for rounded right angles."""


class Frame(Table):
    """A frame on a body: where it is and how it is turned, in the body's frame.

    >>> description.output.frame.position, description.output.frame.rotation.shape
    ((0.18, 0.0, 0.17), (3, 3))
    """

    position: Vector = (0.0, 0.0, 0.0)
    """Its origin [m]."""
    z: Direction = (0.0, 0.0, 1.0)
    """Its z axis: that of a revolute, prismatic, cylindrical or screw joint, and across a planar one."""
    x: Direction | None = None
    """Its x axis, the first axis of a universal joint; angles count from it. Without it one across z is chosen."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.x is not None and abs(float(np.dot(self.x, self.z))) > ACROSS:
            degrees = math.degrees(math.acos(max(-1.0, min(1.0, float(np.dot(self.x, self.z))))))
            raise ValueError(f"its x axis must be at a right angle to its z axis, got {degrees:.4g} degrees")
        return self

    @property
    def rotation(self) -> Array:
        """The matrix whose columns are the axes of the frame, exactly orthogonal."""
        z = np.array(self.z)
        across = np.eye(3)[int(np.argmin(np.abs(z)))] if self.x is None else np.array(self.x)
        x = across - z * (across @ z)
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z])


class Body(Table):
    """A rigid body; a part without mass, such as the cross of a universal joint, has mass 0.

    >>> [(body.name, body.mass) for body in description.bodies]
    [('crank', 0.25), ('coupler', 0.4), ('rocker', 0.35)]
    """

    name: Name
    """What the body is called."""
    mass: NonNegative = 0.0
    """Mass [kg]."""
    com: Vector = (0.0, 0.0, 0.0)
    """Place of the centre of mass in the body's frame [m]."""
    inertia: Inertia = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    """Inertia tensor about the centre of mass in the body's axes [kg m^2]."""
    gravity_compensation: Number = 0.0
    """Fraction of the body's weight that something outside the model carries at its centre of mass: MuJoCo's gravcomp.
    """
    source: Source | None = None
    """Where these numbers come from, if not from the file's source."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.name == BASE:
            raise ValueError('"world" is the body that does not move: name this one otherwise')
        if self.mass == 0.0 and np.any(np.array(self.inertia)):
            raise ValueError("a body with inertia has mass: give it, in kg")
        return self


class Spring(Table):
    """A spring in a joint: force = -stiffness (coordinate - rest).

    >>> leg = pk.load("four_bar_leg").graph_description
    >>> springs = [f.spring for joint in leg.joints for f in joint.freedoms.values() if f.spring]
    >>> [(spring.stiffness, spring.rest) for spring in springs]
    [(1.5, -0.8), (6.0, -0.3)]
    """

    stiffness: NonNegative
    """Force per deflection [N/m or N m/rad]."""
    rest: Number = 0.0
    """The coordinate at which the spring is slack [m or rad]."""


class Drive(Table):
    """A motor on one freedom of a joint: q = sign (coordinate - zero), on the joint side of its gear.

    >>> drive = crank.freedoms["angle"].drive
    >>> drive.force, drive.speed, drive.gear_ratio
    (8.0, 20.0, 12.0)
    """

    sign: Sign = 1
    """Which way q counts."""
    zero: Number = 0.0
    """The coordinate where q is 0 [m or rad]."""
    rotor_inertia: NonNegative = 0.0
    """Inertia of the rotor on the motor side [kg m^2], or mass that moves with a linear motor [kg]."""
    gear_ratio: Positive = 1.0
    """n of a gear that turns the motor n times as fast as the joint; the joint feels n^2 rotor_inertia."""
    force: Positive | None = None
    """Largest force or torque, joint side [N or N m]."""
    speed: Positive | None = None
    """Largest rate, joint side [m/s or rad/s]."""
    stiffness: Positive | None = None
    """Force per deflection of the drive while its motor stands still, joint side [N/m or N m/rad]; rigid if it is not
    given. Only stiffness, eigenfrequencies and the like look at it."""
    resolution: Positive | None = None
    """Smallest step of the encoder, joint side [m or rad]; only accuracy looks at it."""


class JointFreedom(Table):
    """What belongs to one freedom of a joint; a freedom without a table is free and passive.

    >>> crank.freedoms["angle"].friction.viscous
    0.02
    """

    drive: Drive | None = None
    """What drives it, if anything does."""
    friction: Friction = Friction()
    """Friction on its rate, the drive's included; Coulomb friction of a spherical joint acts about each axis alone."""
    inertia: NonNegative = 0.0
    """Inertia that moves with this coordinate alone, beside the drive's rotor [kg m^2 or kg]: MuJoCo's armature."""
    spring: Spring | None = None
    """A spring on its coordinate."""
    lower: Number | None = None
    """Smallest coordinate [m or rad]."""
    upper: Number | None = None
    """Largest coordinate [m or rad]."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"lower must be below upper, got {self.lower} and {self.upper}")
        return self


class Cone(Table):
    """How far a spherical or universal joint may tilt: the largest angle between two directions, one on each body.

    >>> pk.mechanism.Cone(angle=0.6, on_child=(1, 0, 0)).angle
    0.6
    """

    angle: Positive
    """Largest angle between the two directions [rad]."""
    on_parent: Direction | None = None
    """The direction that is fixed to the parent, in its axes; z of `parent_frame` if it is not given."""
    on_child: Direction | None = None
    """The direction that is fixed to the child, in its axes; z of the joint's frame there if it is not given."""


class Rod(Table):
    """The mass of a rod between two balls that is round about its line, so that its spin does not matter.

    >>> rod = next(joint.rod for joint in pk.load("reachy_mini").graph_description.joints if joint.rod)
    >>> rod.mass
    0.00503424
    """

    mass: Positive
    """Mass [kg]."""
    com: Number
    """Place of the centre of mass along the line, from the parent's end [m]."""
    inertia: NonNegative
    """Moment of inertia across the line about the centre of mass [kg m^2]."""


class Joint(Table):
    """A joint between two bodies: T_parent_child = parent_frame motion(coordinates) child_frame^-1.

    >>> crank.name, crank.type, crank.parent, crank.child
    ('crank', 'revolute', 'world', 'crank')
    """

    name: Name
    """What the joint is called."""
    type: Literal[
        "revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical", "free", "weld", "distance"
    ]
    """Its kind: see `parakin.mechanism.kinds`."""
    parent: Name
    """The body on one side; "world" for the base."""
    child: Name
    """The body on the other side."""
    parent_frame: Frame = Frame()
    """The joint's frame on its parent."""
    child_frame: Frame | None = None
    """The joint's frame on its child; the same numbers as on the parent if it is not given."""
    home: tuple[Number, ...] | None = None
    """Its coordinates near the pose at which the mechanism is assembled; zeros, or no turn of a ball, if not given."""
    pitch: Number | None = None
    """Way of a screw in one turn [m]."""
    length: Positive | None = None
    """Distance that a joint of type "distance" keeps between the origins of its two frames [m]."""
    rod: Rod | None = None
    """The mass of the rod that a joint of type "distance" stands for; without mass if not given."""
    rows: tuple[Annotated[int, Field(ge=0, le=2)], ...] | None = None
    """The axes of the parent's frame along which a spherical joint holds; all three if not given. Leave one out where
    the other joints hold it already, up to rounding."""
    cone: Cone | None = None
    """How far a spherical or universal joint may tilt."""
    clearance: NonNegative | None = None
    """Radial play [m]: how far the child can be from where the joint holds it; only accuracy looks at it."""
    freedoms: dict[str, JointFreedom] = Field(default_factory=dict)
    """What belongs to its freedoms, by their names: angle, travel, first, second, x, y, z, wx, wy, wz."""
    source: Source | None = None
    """Where these numbers come from, if not from the file's source."""

    @property
    def kind(self) -> JointKind:
        """What this kind of joint lets its child do."""
        return KINDS[self.type]

    @property
    def frame_on_child(self) -> Frame:
        """The joint's frame on its child."""
        return self.parent_frame if self.child_frame is None else self.child_frame

    @property
    def cone_directions(self) -> tuple[Direction, Direction]:
        """The directions on parent and child, each in its axes, between which the angle of a cone is."""
        on_parent, on_child = (None, None) if self.cone is None else (self.cone.on_parent, self.cone.on_child)
        return on_parent or self.parent_frame.z, on_child or self.frame_on_child.z

    @property
    def start(self) -> tuple[float, ...]:
        """The coordinates from which the mechanism is assembled."""
        return self.kind.home if self.home is None else self.home

    @property
    def position_rows(self) -> tuple[int, ...]:
        """Axes of the parent's frame along which the joint holds where it is cut."""
        return self.kind.position_rows if self.rows is None else self.rows

    @property
    def row_count(self) -> int:
        """How many rows hold the joint where it is cut."""
        return len(self.position_rows) + len(self.kind.orientation_rows) + self.kind.distance_row

    def freedom(self, index: int) -> JointFreedom:
        """Return what belongs to a freedom, by its number.

        >>> crank.freedom(0).lower, crank.freedom(0).upper
        (-3.2, 3.2)
        """
        return self.freedoms.get(self.kind.freedoms[index].name, JointFreedom())

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.parent == self.child:
            raise ValueError(f"a joint connects two bodies, and this one connects '{self.parent}' with itself")
        if (self.type == "screw") != (self.pitch is not None):
            raise ValueError("a screw needs its pitch [m in a turn], and no other joint has one")
        if (self.type == "distance") != (self.length is not None):
            raise ValueError("a joint of type distance needs its length [m], and no other joint has one")
        if self.rod is not None and self.type != "distance":
            raise ValueError("only a joint of type distance stands for a rod: make this one a body")
        if self.length is not None and self.length < SHORTEST_DISTANCE:
            raise ValueError(
                f"a distance of {self.length:.3g} m is none: for places that coincide use a spherical joint"
            )
        if self.cone is not None and self.type not in ("spherical", "universal"):
            raise ValueError(f"a {self.type} joint has no cone: give its freedoms lower and upper")
        if self.clearance is not None and self.type in ("weld", "free"):
            raise ValueError(f"a {self.type} joint has no clearance: remove it")
        if self.rows is not None and (self.type != "spherical" or len(set(self.rows)) != len(self.rows)):
            raise ValueError("rows are axes of a spherical joint, each named once")
        if len(self.start) != len(self.kind.home):
            raise ValueError(f"home of a {self.type} joint has {len(self.kind.home)} numbers, got {len(self.start)}")
        known = [freedom.name for freedom in self.kind.freedoms]
        for name in self.freedoms:
            if name not in known:
                freedoms = ", ".join(known) if known else "none"
                raise ValueError(f"a {self.type} joint has no freedom '{name}'; it has {freedoms}")
        return self


class Term(Table):
    """One coordinate in a coupling.

    >>> gear = pk.mechanism.Term(coordinate="wheel.angle", factor=-2.0)  # turns back, twice as fast
    >>> gear.coordinate
    'wheel.angle'
    """

    coordinate: str
    """joint.freedom, such as crank.angle."""
    factor: Number
    """What it is multiplied by."""


class Coupling(Table):
    """Gears and mimics: the sum of factor x coordinate is constant.

    >>> terms = [{"coordinate": "wheel.angle", "factor": -2.0}, {"coordinate": "crank.angle", "factor": 1.0}]
    >>> gears = pk.mechanism.Coupling(terms=terms)
    >>> [(term.coordinate, term.factor) for term in gears.terms]
    [('wheel.angle', -2.0), ('crank.angle', 1.0)]
    """

    terms: tuple[Term, ...] = Field(min_length=2, max_length=20)
    """The coordinates that are coupled."""
    constant: Number = 0.0
    """The sum [rad or m]."""


class Output(Table):
    """The frame whose motion the mechanism is built for.

    >>> description.output.body
    'coupler'
    """

    body: Name
    """The body that carries it."""
    frame: Frame = Frame()
    """Where it is on that body."""


class NamedFrame(Output):
    """A frame of interest beside the output: of a camera, a sensor, a second tool, a point to be kept clear.

    >>> camera = pk.mechanism.NamedFrame(name="camera", body="coupler", frame={"position": (0.1, 0, 0.2)})
    >>> seen = linkage.replace(frames=(camera.model_dump(),))
    >>> seen.frame("camera", [0.0]).p.round(3)
    array([0.1, 0. , 0.2])
    """

    name: Name
    """What the frame is called."""
    source: Source | None = None
    """Where these numbers come from, if not from the file's source."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.name == OUTPUT:
            raise ValueError('"output" is the frame whose motion the mechanism is built for: name this one otherwise')
        return self


class Workspace(Table):
    """How far the independent coordinates may go from home: where samples are drawn and the mechanism is to work.

    >>> description.workspace.lower, description.workspace.upper
    ((-3.1,), (3.1,))
    """

    lower: tuple[Number, ...]
    """Smallest offsets from home [rad or m], in the order of `independent`."""
    upper: tuple[Number, ...]
    """Largest offsets from home, likewise."""


class MechanismDescription(Table):
    """Any mechanism of rigid bodies and joints, with loops."""

    name: Name
    """A short name, part of the names of generated functions."""
    title: Annotated[str, Field(min_length=1, max_length=200)]
    """What the mechanism is, in a few words."""
    gravity: Vector = (0.0, 0.0, -9.81)
    """Acceleration of free fall in base axes [m/s^2]."""
    length: Positive | None = None
    """A typical dimension [m] by which rotations are compared with translations in condition numbers; the largest
    distance between two joints of one body if it is not given."""
    source: Source
    """Where the numbers come from."""
    output: Output
    """The frame whose motion the mechanism is built for."""
    tool: Tool | None = None
    """The tool frame, in the output frame; `robot.frame("tool", pose)` tells where it is."""
    frames: tuple[NamedFrame, ...] = Field(default=(), max_length=200)
    """Frames of interest beside the output, on any body or on the base."""
    independent: tuple[str, ...] | None = None
    """The coordinates that make up a pose, joint.freedom each; chosen by parakin, motors first, if not given."""
    workspace: Workspace | None = None
    """How far the independent coordinates go."""
    bodies: tuple[Body, ...] = Field(min_length=1, max_length=200)
    """Its bodies, the base left out."""
    joints: tuple[Joint, ...] = Field(min_length=1, max_length=400)
    """Its joints, in any order."""
    couplings: tuple[Coupling, ...] = Field(default=(), max_length=100)
    """Gears and mimics."""
    bars: tuple[Bar, ...] = Field(default=(), max_length=400)
    """How thick its parts are, as round bars that must not touch: for clearances alone."""


def coordinate_names(joint: Joint) -> tuple[str, ...]:
    """Return the names of a joint's velocities: crank.angle, ball.wx, ..."""
    return tuple(f"{joint.name}.{freedom.name}" for freedom in joint.kind.freedoms)


def cone_name(joint: Joint) -> str:
    """Return the name of the angle that a joint's cone limits."""
    return f"{joint.name}.cone"


def coordinate_units(joint: Joint) -> tuple[CoordinateUnits, ...]:
    """Return the units of a joint's velocities, in order."""
    return tuple(freedom.units for freedom in joint.kind.freedoms)
