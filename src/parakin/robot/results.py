"""Named results of a robot's methods; arrays have the leading shape of the states that were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from parakin.arrays import Array, lock_arrays


@dataclass(frozen=True, eq=False)
class Elements:
    """Motion of every kinematic element in base axes, in the order of `element_names`: what a camera would observe."""

    A: Array
    """Root of each element (..., elements, 3) [m]."""
    A_dot: Array
    """Velocity of the root [m/s]."""
    A_ddot: Array
    """Acceleration of the root [m/s^2]."""
    x: Array
    """Unit direction from root to tip (..., elements, 3)."""
    x_dot: Array
    """Rate of the direction [1/s]."""
    x_ddot: Array
    """Second derivative of the direction [1/s^2]."""
    d: Array
    """Length (..., elements) [m]."""
    d_dot: Array
    """Rate of the length [m/s]."""
    d_ddot: Array
    """Second derivative of the length [m/s^2]."""
    theta: Array
    """Angle of a joint inside the element (spindle, screw), 0 for others (..., elements) [rad]."""
    theta_dot: Array
    """Rate of that angle [rad/s]."""
    theta_ddot: Array
    """Second derivative of that angle [rad/s^2]."""
    spin: Array
    """Angular velocity about the line (..., elements) [rad/s]."""

    def __post_init__(self) -> None:
        lock_arrays(self)


@dataclass(frozen=True, eq=False)
class Bodies:
    """Motion of every body in base axes, in the order of `body_names`."""

    p: Array
    """Centre of mass (..., bodies, 3) [m]."""
    v: Array
    """Velocity of the centre of mass [m/s]."""
    a: Array
    """Acceleration of the centre of mass [m/s^2]."""
    R: Array
    """Orientation (..., bodies, 3, 3): takes coordinates in the body's frame to base axes."""
    w: Array
    """Angular velocity (..., bodies, 3) [rad/s]."""
    w_dot: Array
    """Angular acceleration [rad/s^2]."""

    def __post_init__(self) -> None:
        lock_arrays(self)


@dataclass(frozen=True, eq=False)
class Joints:
    """Motion of every passive joint, in the order of `joint_names`."""

    angle: Array
    """Angles (..., joints) [rad]."""
    angle_dot: Array
    """Their rates [rad/s]."""
    angle_ddot: Array
    """Their accelerations [rad/s^2]."""

    def __post_init__(self) -> None:
        lock_arrays(self)


class Points(NamedTuple):
    """Ends of every element in base axes, in the order of `element_names`, for drawing."""

    root: Array
    """Where each element begins (..., elements, 3) [m]."""
    tip: Array
    """Where it ends (..., elements, 3) [m]."""


class Energy(NamedTuple):
    """Kinetic and potential energy."""

    kinetic: Array
    """Kinetic energy, rotors included (...) [J]."""
    potential: Array
    """Potential energy, counted from the plane through O across gravity (...) [J]."""


@dataclass(frozen=True, eq=False)
class Linearization:
    """A robot about a state: d/dt [delta; dv] = A [delta; dv] + B dtau.

    delta is a small offset of the pose, of spatial robots translation and rotation vector in base axes.
    """

    A: Array
    """The matrix (..., 2n, 2n)."""
    B: Array
    """The matrix (..., 2n, m)."""
    acceleration: Array
    """The platform's acceleration at the state itself (..., n)."""

    def __post_init__(self) -> None:
        lock_arrays(self)
