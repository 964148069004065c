"""Motion of a kinematic element and of the frame that bodies are given in."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from parakin.spatial import turning


@dataclass(frozen=True)
class Spin:
    """Orientation R_OF of a frame, its angular velocity and acceleration."""

    R: ca.SX
    w: ca.SX
    w_dot: ca.SX

    @property
    def B(self) -> ca.SX:
        """w_dot~ + w~ w~: a point at r turns with the acceleration B r."""
        return turning(self.w, self.w_dot)


STILL = Spin(ca.SX.eye(3), ca.SX.zeros(3), ca.SX.zeros(3))
"""The base."""


@dataclass(frozen=True)
class Line:
    """Root A, direction x and length d of an element, with first and second derivatives.

    span: d x, the vector from A to B, where it was there before x.
    """

    A: ca.SX
    A_dot: ca.SX
    A_ddot: ca.SX
    x: ca.SX
    x_dot: ca.SX
    x_ddot: ca.SX
    d: ca.SX
    d_dot: ca.SX
    d_ddot: ca.SX
    span: ca.SX | None = None

    @property
    def r(self) -> ca.SX:
        return self.d * self.x if self.span is None else self.span

    @property
    def B(self) -> ca.SX:
        return self.A + self.r

    @property
    def B_dot(self) -> ca.SX:
        return self.A_dot + self.d_dot * self.x + self.d * self.x_dot

    @property
    def B_ddot(self) -> ca.SX:
        return self.A_ddot + self.d_ddot * self.x + 2 * self.d_dot * self.x_dot + self.d * self.x_ddot


@dataclass(frozen=True)
class ElementMotion:
    """An element's line, the frame of its bodies, that of what carries its root, and that of a universal root's ring.

    theta: the angle of a joint inside the element (spindle, screw) with two derivatives; zero for others. pivot: zero
    where the frame is undefined, a universal joint with its line along axis 1.
    """

    line: Line
    frame: Spin
    carrier: Spin = STILL
    ring: Spin | None = None
    theta: tuple[ca.SX, ca.SX, ca.SX] = field(default_factory=lambda: (ca.SX(0), ca.SX(0), ca.SX(0)))
    pivot: ca.SX = field(default_factory=lambda: ca.SX(1))


def revolute_frame(line: Line, carrier: Spin, axis: ca.SX) -> ElementMotion:
    """x, z x x, z with z the joint's axis; w = w_carrier + rate z."""
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
    """x, axis 2, x x axis 2 with axis 2 = x x axis 1 normalised; the spin that the joint forces on the line.

        w = x x x_dot + s x,    w - w_carrier in span(axis 1, axis 2)
        s = ((a·x) (x x x_dot)·a + w_carrier·n) / (1 - (a·x)^2),    n = x - (a·x) a,  a = axis 1

    which is s = -((x x x_dot - w_carrier)·e)/(x·e) of the design with e = axis 1 x axis 2, for e is along n.
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
    """A spherical root or a rod leaves the spin open: s = 0. The frame turns the base's x axis the short way onto x."""
    x, y, z = line.x[0], line.x[1], line.x[2]
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
    return ElementMotion(line, Spin(R, ca.cross(line.x, line.x_dot), ca.cross(line.x, line.x_ddot)), carrier)


def fixed_frame(line: Line, axis: ca.SX) -> ElementMotion:
    """A rail stands still: x along it, z the given axis made perpendicular."""
    z = axis - ca.dot(axis, line.x) * line.x
    z = z / ca.norm_2(z)
    return ElementMotion(line, Spin(ca.horzcat(line.x, ca.cross(z, line.x), z), ca.SX.zeros(3), ca.SX.zeros(3)))
