"""A robot as data: frozen tables in the grammar of [Ozgur2013] eq. (1). SI units, angles in radians.

Vectors are in base axes unless said otherwise. Every table names the source of its numbers.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, model_validator

Motion = Literal["planar-translation", "planar", "translation", "schoenflies", "spatial"]

COORDINATES: dict[str, tuple[str, ...]] = {
    "planar-translation": ("x", "y"),
    "planar": ("x", "y", "phi"),
    "translation": ("x", "y", "z"),
    "schoenflies": ("x", "y", "z", "theta"),
    "spatial": ("x", "y", "z", "qw", "qx", "qy", "qz"),
}
"""What a pose consists of, for each type of platform motion."""

DEGREES_OF_FREEDOM: dict[str, int] = {
    "planar-translation": 2,
    "planar": 3,
    "translation": 3,
    "schoenflies": 4,
    "spatial": 6,
}

UNIT_TOLERANCE = 1e-15
"""A direction this close to unit length is left as it is, so that writing and reading a file changes nothing."""
LARGEST_NUMBER = 1e100
"""No robot has a larger number in SI units; squares of such do not overflow."""
QUATERNION_TOLERANCE = 1e-6
"""A quaternion further than this from length 1 is refused: it is a mistake, not rounding."""
INERTIA_TOLERANCE = 1e-9
"""Relative to the largest moment: rounding in printed tensors must not make a real body impossible."""


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"must be finite, got {number}")
    if abs(number) > LARGEST_NUMBER:
        raise ValueError(f"must be at most {LARGEST_NUMBER:g} in size, got {number:g}")
    return number


def _unit(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    norm = math.hypot(*vector)
    if norm == 0.0:
        raise ValueError("must not be the zero vector")
    if abs(norm - 1.0) <= UNIT_TOLERANCE:
        return vector
    return (vector[0] / norm, vector[1] / norm, vector[2] / norm)


Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[Number, Field(gt=0)]
NonNegative = Annotated[Number, Field(ge=0)]
Vector = tuple[Number, Number, Number]
Direction = Annotated[Vector, AfterValidator(_unit)]
Matrix = tuple[Vector, Vector, Vector]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=64)]
Source = Annotated[str, Field(min_length=1, max_length=500)]
Sign = Literal[-1, 1]


class Table(BaseModel):
    """A table of a robot file: complete at birth, never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _check_inertia(inertia: Matrix) -> Matrix:
    """A tensor some mass distribution can have: symmetric, and no principal moment above the sum of the others."""
    tensor = np.array(inertia)
    scale = float(np.max(np.abs(tensor)))
    allowed = INERTIA_TOLERANCE * scale
    if np.max(np.abs(tensor - tensor.T)) > allowed:
        raise ValueError(f"must be symmetric, got {tensor.tolist()}")
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < -allowed:
        raise ValueError(f"must be positive semi-definite, but a principal moment is {moments[0]:.6g} kg m^2")
    if moments[2] > moments[0] + moments[1] + allowed:
        values = ", ".join(f"{m:.6g}" for m in moments)
        raise ValueError(f"no body has principal moments {values} kg m^2: the largest exceeds the sum of the others")
    return inertia


Inertia = Annotated[Matrix, AfterValidator(_check_inertia)]


class Body(Table):
    """A rigid body of an element, in the element's frame (x along its line).

    part: "root" is fixed to the root part, `com` from the root A; "tip" to the tip part, `com` from the tip B; "ring"
    is the cross of a universal root, in the frame (axis 1, axis 2, axis 1 x axis 2) at A.
    """

    name: Name
    part: Literal["root", "tip", "ring"] = "root"
    mass: Positive
    com: Vector
    inertia: Inertia
    source: Source

    def symmetric_about_line(self) -> bool:
        """Centre of mass on the line, and inertia that does not see a spin about it."""
        tensor = np.array(self.inertia)
        allowed = INERTIA_TOLERANCE * max(float(np.max(np.abs(tensor))), 1e-300)
        round_ = abs(tensor[1, 1] - tensor[2, 2]) <= allowed and abs(tensor[1, 2]) <= allowed
        straight = abs(tensor[0, 1]) <= allowed and abs(tensor[0, 2]) <= allowed
        return self.com[1] == 0.0 and self.com[2] == 0.0 and bool(round_ and straight)


class Friction(Table):
    """On a joint's relative rate: force = viscous rate + coulomb sign(rate)."""

    viscous: NonNegative = 0.0
    coulomb: NonNegative = 0.0


OPEN_SPIN = ("spherical", "parallelogram")
"""Root joints that leave the spin of their element open."""


class Joint(Table):
    """What the root of an element lets its line do.

    axis: of a revolute, axis 1 of a universal, the short side of a parallelogram, z of the frame of a fixed rail; in
    the carrier's frame (base axes for the first element of a leg).
    """

    type: Literal["fixed", "revolute", "universal", "spherical", "parallelogram"]
    axis: Direction | None = None
    spacing: Positive | None = None
    friction: Friction = Friction()
    lower: Number | None = None
    upper: Number | None = None

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
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"lower must be below upper, got {self.lower} and {self.upper}")
        return self


class Actuator(Table):
    """What drives an element: q = sign (coordinate - zero), joint side, in m or rad.

    coordinate: "angle" of a revolute root, or about axis 1 of a universal one, from `reference`; "length" of a
    telescopic element;
    "spin" of a screw or spindle. gear_ratio reflects the rotor: n^2 rotor_inertia. force, speed: limits, joint side.
    """

    coordinate: Literal["angle", "length", "spin"]
    sign: Sign = 1
    zero: Number = 0.0
    reference: Direction | None = None
    rotor_inertia: NonNegative = 0.0
    gear_ratio: Positive = 1.0
    friction: Friction = Friction()
    force: Positive | None = None
    speed: Positive | None = None
    lower: Number | None = None
    upper: Number | None = None
    source: Source

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.coordinate == "angle") != (self.reference is not None):
            raise ValueError("an angle needs the reference direction it is measured from, a length or spin has none")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"lower must be below upper, got {self.lower} and {self.upper}")
        return self


def _along(a: Vector, b: Vector) -> bool:
    """Do two directions leave no plane between them?"""
    return abs(float(np.dot(a, b))) > 1 - 1e-9


class Element(Table):
    """A straight line from its root A to its tip B = A + d x.

    direction: of a fixed rail; for an element of a leg without a closed form, roughly where it points at home.
    """

    name: Name
    type: Literal["bar", "telescopic", "spindle", "screw"]
    joint: Joint
    length: Positive | None = None
    direction: Direction | None = None
    actuator: Actuator | None = None
    bodies: tuple[Body, ...] = Field(default=(), max_length=50)
    source: Source

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.type in ("bar", "spindle") and self.length is None:
            raise ValueError(f"a {self.type} has a length: add it, in m")
        if self.type in ("telescopic", "screw") and self.length is not None:
            raise ValueError(f"the length of a {self.type} element varies: remove it")
        if self.joint.type == "fixed" and self.direction is None:
            raise ValueError("an element on a fixed joint needs its direction")
        axis, direction = self.joint.axis, self.direction
        if self.joint.type == "fixed" and axis and direction and _along(axis, direction):
            raise ValueError("the axis of a fixed joint is z of its frame, not along the rail: choose one across it")
        self._check_actuator()
        self._check_bodies()
        return self

    def _check_actuator(self) -> None:
        if self.actuator is None:
            return
        driven = self.actuator.coordinate
        turns = self.joint.type in ("revolute", "universal")
        allowed = {"angle": turns, "length": self.type in ("telescopic", "screw")}
        if not allowed.get(driven, self.type in ("spindle", "screw")):
            raise ValueError(f"a {self.type} element on a {self.joint.type} joint has no {driven} to drive")
        axis, reference = self.joint.axis, self.actuator.reference
        if driven == "angle" and axis and reference and _along(axis, reference):
            raise ValueError("the reference direction lies along the axis: choose one across it")

    def _check_bodies(self) -> None:
        for body in self.bodies:
            if body.part == "tip" and self.type not in ("telescopic", "screw"):
                raise ValueError(f"body {body.name}: a {self.type} has no tip part of its own: use part = 'root'")
            if body.part == "ring" and self.joint.type != "universal":
                raise ValueError(f"body {body.name}: only a universal joint has a ring")
            free = self.joint.type in OPEN_SPIN and body.part != "ring"
            if free and not body.symmetric_about_line():
                raise ValueError(
                    f"body {body.name}: a {self.joint.type} root leaves its spin undetermined, so its mass must be "
                    "symmetric about the line: com = [c, 0, 0], inertia = diag(Ixx, I, I)"
                )


class Attachment(Table):
    """Where a leg meets the platform: p_OC = p_OE + R_OE b + c."""

    b: Vector
    c: Vector = (0.0, 0.0, 0.0)


class Leg(Table):
    """An ordered chain of elements from the base point `root` to the platform.

    branch: the working mode, the sign of (x_1 x x_2)·axis for an arm, of x_rail·x_bar for a rail.
    symmetry: the leg, together with all of that symmetry, is repeated about its axis.
    """

    name: Name
    root: Vector
    elements: tuple[Element, ...] = Field(min_length=1, max_length=8)
    attachment: Attachment
    branch: Sign = 1
    symmetry: Name | None = None
    source: Source


class Symmetry(Table):
    """`count` copies about an axis through the origin, a full turn apart by count."""

    count: Annotated[int, Field(ge=2, le=24)]
    axis: Direction = (0.0, 0.0, 1.0)


class PlatformBody(Table):
    """A body of the platform or nacelle, its centre of mass at p_OE + R_OE b + c.

    turns: whether it turns with the platform; a body that does not keeps the orientation of the base. Inertia in the
    axes of E, or of the base.
    """

    name: Name
    mass: Positive
    b: Vector
    c: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia
    turns: StrictBool
    source: Source


class Tool(Table):
    """The tool frame T on the platform: p_ET and the unit quaternion (w, x, y, z) of R_ET."""

    position: Vector
    quaternion: tuple[Number, Number, Number, Number] = (1.0, 0.0, 0.0, 0.0)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if abs(math.hypot(*self.quaternion) - 1.0) > QUATERNION_TOLERANCE:
            raise ValueError(f"its quaternion must have length 1, got {math.hypot(*self.quaternion):.9g}")
        return self


class Platform(Table):
    bodies: tuple[PlatformBody, ...] = Field(default=(), max_length=50)
    tool: Tool | None = None
    source: Source


class Workspace(Table):
    """A pose well inside, and a box around it that is reachable and well-conditioned throughout.

    lower, upper: offsets from home in platform coordinates; for spatial robots position and rotation vector.
    """

    home: tuple[Number, ...]
    lower: tuple[Number, ...]
    upper: tuple[Number, ...]
    source: Source


class RobotDescription(Table):
    """A parallel robot: base, legs, platform or nacelle."""

    name: Name
    title: Annotated[str, Field(min_length=1, max_length=200)]
    motion: Motion
    gravity: Vector = (0.0, 0.0, -9.81)
    length: Positive
    source: Source
    workspace: Workspace
    platform: Platform
    symmetries: dict[Name, Symmetry] = Field(default_factory=dict)
    legs: tuple[Leg, ...] = Field(min_length=1, max_length=100)
