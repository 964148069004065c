"""Bodies of simple shape, whose inertia follows from their mass and sizes.

In an element's frame rods and tubes lie along x, the line of the element. On a platform they stand along z. In a
mechanism file they reach from one of their ends to the other. The sides of a plate are along x, y and z in that order,
everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from parakin.description.values import Matrix, NonNegative, Positive, Table, Vector


class Rod(Table):
    """A uniform solid rod or cylinder."""

    shape: Literal["rod"]
    """The kind of shape."""
    length: Positive
    """Length of the rod [m]."""
    radius: NonNegative = 0.0
    """Radius of the rod [m]; zero for a thin one, which has no inertia about its line."""

    @property
    def volume(self) -> float:
        """The volume that it fills [m^3]; zero for a thin one."""
        return math.pi * self.radius**2 * self.length

    def moments(self, mass: float) -> tuple[float, float, float]:
        """Return the moments about the line and across it, twice: m r^2/2 and m (3 r^2 + l^2)/12."""
        across = mass * (3 * self.radius**2 + self.length**2) / 12
        return mass * self.radius**2 / 2, across, across


class Tube(Table):
    """A uniform tube, ring or disc."""

    shape: Literal["tube"]
    """The kind of shape."""
    length: Positive
    """Length of the tube, or thickness of the disc [m]."""
    outer_radius: Positive
    """Outer radius [m]."""
    inner_radius: NonNegative
    """Inner radius [m]; zero for a disc without a hole."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.inner_radius >= self.outer_radius:
            radii = f"{self.inner_radius} and {self.outer_radius}"
            raise ValueError(f"inner_radius must be below outer_radius, got {radii}")
        return self

    @property
    def volume(self) -> float:
        """The volume that it fills, without its hole [m^3]."""
        return math.pi * (self.outer_radius**2 - self.inner_radius**2) * self.length

    def moments(self, mass: float) -> tuple[float, float, float]:
        """Return the moments about the line and across it, twice: m s/2 and m (3 s + l^2)/12, s = r_o^2 + r_i^2."""
        squares = self.outer_radius**2 + self.inner_radius**2
        across = mass * (3 * squares + self.length**2) / 12
        return mass * squares / 2, across, across


class Plate(Table):
    """A uniform rectangular plate or block."""

    shape: Literal["plate"]
    """The kind of shape."""
    sides: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3)]
    """Lengths along x, y and z [m]; two of them for a plate that is thin along z."""

    @property
    def volume(self) -> float:
        """The volume that it fills [m^3]; zero for a thin one."""
        return math.prod((*self.sides, 0.0)[:3])

    def moments(self, mass: float) -> tuple[float, float, float]:
        """Return the moments about x, y and z: m (b^2 + c^2)/12 and so on."""
        a, b, c = (*self.sides, 0.0)[:3]
        return mass * (b**2 + c**2) / 12, mass * (a**2 + c**2) / 12, mass * (a**2 + b**2) / 12


class Point(Table):
    """A mass at one point, without inertia of its own."""

    shape: Literal["point"]
    """The kind of shape."""

    @property
    def volume(self) -> float:
        """The volume that it fills [m^3], which is zero."""
        return 0.0

    def moments(self, mass: float) -> tuple[float, float, float]:
        """Return three zeros."""
        return 0.0 * mass, 0.0, 0.0


Shape = Rod | Tube | Plate | Point
"""A body of simple shape."""
Shapes = Mapping[str, Shape]
"""Bodies that a file gives by their shape, by their keys in the file such as legs[0].elements[1].bodies[0]."""

SHAPES: dict[str, type[Shape]] = {"rod": Rod, "tube": Tube, "plate": Plate, "point": Point}
"""Name of a shape in a robot file -> its table."""
SIZES: tuple[str, ...] = tuple(dict.fromkeys(key for shape in SHAPES.values() for key in shape.model_fields))
"""Keys of a body that belong to its shape."""


def tensor_of(shape: Shape, mass: float, axis: Vector) -> Matrix:
    """Return the inertia tensor about the centre of mass [kg m^2]; axis: the direction n of the line of rods and tubes.

    Rods and tubes: I = along n n^T + across (1 - n n^T).
    """
    x, y, z = shape.moments(mass)
    if not isinstance(shape, Rod | Tube):
        return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))

    def entry(i: int, j: int) -> float:
        share = axis[i] * axis[j]
        return x * share + y * (float(i == j) - share) + 0.0  # no -0.0

    def row(i: int) -> Vector:
        return entry(i, 0), entry(i, 1), entry(i, 2)

    return row(0), row(1), row(2)
