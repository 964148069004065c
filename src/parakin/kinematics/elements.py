"""Motion of a kinematic element and of the frame that bodies are given in."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from parakin.spatial import turning


@dataclass(frozen=True)
class Spin:
    """How a frame F is oriented and turns, in base axes."""

    R: ca.SX
    """R_OF: takes coordinates in F to coordinates in O."""
    w: ca.SX
    """Angular velocity [rad/s]."""
    w_dot: ca.SX
    """Angular acceleration [rad/s^2]."""

    @property
    def B(self) -> ca.SX:
        """w_dot~ + w~ w~: a point at r from the origin of F has the acceleration B r on top of the origin's."""
        return turning(self.w, self.w_dot)


STILL = Spin(ca.SX.eye(3), ca.SX.zeros(3), ca.SX.zeros(3))
"""The base, which does not turn."""


@dataclass(frozen=True)
class Line:
    """The line of an element from its root A to its tip B = A + d x, with first and second derivatives, base axes."""

    A: ca.SX
    """Position of the root [m]."""
    A_dot: ca.SX
    """Velocity of the root [m/s]."""
    A_ddot: ca.SX
    """Acceleration of the root [m/s^2]."""
    x: ca.SX
    """Unit direction from root to tip."""
    x_dot: ca.SX
    """Rate of the direction [1/s]."""
    x_ddot: ca.SX
    """Second derivative of the direction [1/s^2]."""
    d: ca.SX
    """Length [m]."""
    d_dot: ca.SX
    """Rate of the length [m/s]."""
    d_ddot: ca.SX
    """Second derivative of the length [m/s^2]."""
    span: ca.SX | None = None
    """The vector d x from A to B [m], from solvers that know it before they know x."""

    @property
    def r(self) -> ca.SX:
        """The vector from A to B [m]."""
        return self.d * self.x if self.span is None else self.span

    @property
    def B(self) -> ca.SX:
        """Position of the tip [m]."""
        return self.A + self.r

    @property
    def B_dot(self) -> ca.SX:
        """Velocity of the tip [m/s]."""
        return self.A_dot + self.d_dot * self.x + self.d * self.x_dot

    @property
    def B_ddot(self) -> ca.SX:
        """Acceleration of the tip [m/s^2]."""
        return self.A_ddot + self.d_ddot * self.x + 2 * self.d_dot * self.x_dot + self.d * self.x_ddot


@dataclass(frozen=True)
class ElementMotion:
    """An element in motion: its line, and the frames of what is fixed to it."""

    line: Line
    """The line from root to tip."""
    frame: Spin
    """The frame in which the bodies of its root part are given, x along the line; of all, if nothing turns inside."""
    carrier: Spin = STILL
    """The frame of what carries its root: the element before, or the base."""
    ring: Spin | None = None
    """The frame of the ring of a universal root."""
    theta: tuple[ca.SX, ca.SX, ca.SX] = field(default_factory=lambda: (ca.SX(0), ca.SX(0), ca.SX(0)))
    """The angle of a joint inside the element (spindle, screw) [rad] with two derivatives; zero for others."""
    pivot: ca.SX = field(default_factory=lambda: ca.SX(1))
    """A number that is zero where the frame is undefined: a universal joint with its line along axis 1."""
    tip: Spin | None = None
    """The frame of the tip part of an element that turns inside; None where the tip turns with the root."""

    @property
    def end(self) -> Spin:
        """The frame of what is fixed to the tip."""
        return self.frame if self.tip is None else self.tip


def revolute_frame(line: Line, carrier: Spin, axis: ca.SX) -> ElementMotion:
    """Return the element on a revolute root: frame (x, z x x, z) with z the joint's axis, w = w_carrier + rate z."""
    z = carrier.R @ axis
    y = ca.cross(z, line.x)
    rate = ca.dot(y, line.x_dot - ca.cross(carrier.w, line.x))
    w = carrier.w + rate * z
    z_dot, y_dot = ca.cross(carrier.w, z), ca.cross(w, y)
    turning = line.x_dot - ca.cross(carrier.w, line.x)
    turning_dot = line.x_ddot - ca.cross(carrier.w_dot, line.x) - ca.cross(carrier.w, line.x_dot)
    rate_dot = ca.dot(y_dot, turning) + ca.dot(y, turning_dot)
    w_dot = carrier.w_dot + rate_dot * z + rate * z_dot
    return ElementMotion(line, Spin(ca.horzcat(line.x, y, z), w, w_dot), carrier)


def universal_frame(line: Line, carrier: Spin, axis: ca.SX) -> ElementMotion:
    """Return the element on a universal root: frame (x, axis 2, x x axis 2) with axis 2 = x x axis 1 normalised.

        w = x x x_dot + s x,    w - w_carrier in span(axis 1, axis 2)
        s = ((a·x) (x x x_dot)·a + w_carrier·n) / (1 - (a·x)^2),    n = x - (a·x) a,  a = axis 1

    s is the spin that the joint forces on the line. Another way to write it is s = -((x x x_dot - w_carrier)·e)/(x·e)
    with e = axis 1 x axis 2, for e is along n.
    """
    a = carrier.R @ axis
    a_dot = ca.cross(carrier.w, a)
    x, x_dot, x_ddot = line.x, line.x_dot, line.x_ddot
    swing, swing_dot = ca.cross(x, x_dot), ca.cross(x, x_ddot)
    cosine = ca.dot(a, x)
    cosine_dot = ca.dot(a_dot, x) + ca.dot(a, x_dot)
    n = x - cosine * a
    n_dot = x_dot - cosine_dot * a - cosine * a_dot
    sine_squared = 1 - cosine**2
    s = (cosine * ca.dot(swing, a) + ca.dot(carrier.w, n)) / sine_squared
    numerator_dot = (
        cosine_dot * ca.dot(swing, a)
        + cosine * (ca.dot(swing_dot, a) + ca.dot(swing, a_dot))
        + ca.dot(carrier.w_dot, n)
        + ca.dot(carrier.w, n_dot)
    )
    s_dot = (numerator_dot + 2 * s * cosine * cosine_dot) / sine_squared
    w = swing + s * x
    w_dot = swing_dot + s_dot * x + s * x_dot
    y = ca.cross(x, a) / ca.sqrt(sine_squared)
    frame = Spin(ca.horzcat(x, y, ca.cross(x, y)), w, w_dot)
    rate = ca.dot(w - carrier.w, a)
    rate_dot = ca.dot(w_dot - carrier.w_dot, a) + ca.dot(w - carrier.w, a_dot)
    ring = Spin(ca.horzcat(a, y, ca.cross(a, y)), carrier.w + rate * a, carrier.w_dot + rate_dot * a + rate * a_dot)
    return ElementMotion(line, frame, carrier, ring, pivot=sine_squared)


def free_frame(line: Line, carrier: Spin) -> ElementMotion:
    """Return the element on a root that leaves its spin open (spherical, parallelogram): the spin is taken as 0.

    The frame turns the base's x axis the short way onto the line.
    """
    R, _ = short_way(line.x)
    return ElementMotion(line, Spin(R, ca.cross(line.x, line.x_dot), ca.cross(line.x, line.x_ddot)), carrier)


def short_way(direction: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the matrix of the shortest turn that takes the x axis to a direction, and 1/(1 + its x)."""
    x, y, z = direction[0], direction[1], direction[2]
    # 1/(1 + x) loses all digits towards -1, where (1 - x)/(y^2 + z^2), the same number, does not. Exactly there the
    # short way is not unique: half a turn about z.
    across = y * y + z * z
    turned = across > 0
    half = ca.if_else(x > 0, 1 / (1 + x), ca.if_else(turned, (1 - x) / ca.if_else(turned, across, 1), 0))
    R = ca.vertcat(
        ca.horzcat(x, -y, -z),
        ca.horzcat(y, ca.if_else(ca.logic_or(turned, x > 0), 1 - half * y * y, -1), -half * y * z),
        ca.horzcat(z, -half * y * z, 1 - half * z * z),
    )
    return R, half


def fixed_frame(line: Line, axis: ca.SX) -> ElementMotion:
    """Return a rail, which stands still: x along it, z the given axis made perpendicular to it."""
    z = axis - ca.dot(axis, line.x) * line.x
    z = z / ca.norm_2(z)
    return ElementMotion(line, Spin(ca.horzcat(line.x, ca.cross(z, line.x), z), ca.SX.zeros(3), ca.SX.zeros(3)))
