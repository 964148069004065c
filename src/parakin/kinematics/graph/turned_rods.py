"""Rods that are computed as distances and have a universal joint at one end, which gives them their spin.

With axis 1 e of what the rod hangs on there, axis 2 y of its own, n along its line from there, and k = e·y and c = y·n
constant (0 but for rounding), seen from what it hangs on:

    y = (n (c - k g) + e (k - c g))/s^2 + h (e x n)        g = e·n, s = |e x n|, h such that |y| = 1, its sign as home
    w = a e + b y        a = y·n_dot/D        b = -e·n_dot/D        D = y·(e x n) = h s^2

It is singular where n is along e. A wrench F, N at this end that moves the rod, and f_a, f_b on its two turns, are by
virtual work forces and a moment on what it hangs on:

    G = ((N·e + f_a) y - (N·y + f_b) e)/(D l) at the other end,        F - G and N - l n x G here
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.kinematics.bodies import Frame
from parakin.kinematics.elements import Spin
from parakin.kinematics.graph.links import Tree, carried
from parakin.kinematics.graph.rows import Relative, relative_motion
from parakin.mechanism.model import Joint
from parakin.mechanism.numeric import cross
from parakin.mechanism.rod_bodies import RodBody, TurnedEnd
from parakin.mechanism.rod_ends import frame_on
from parakin.mechanism.skeleton import BASE_LINK, Cut, Place, snapped


@dataclass(frozen=True)
class TurnedRod:
    """A rod with a universal joint in motion."""

    rod: RodBody
    """The rod."""
    turned: TurnedEnd
    """Its end with the universal joint."""
    here: Place
    """This end, on what the rod hangs on there."""
    there: Place
    """The other end, on what the rod hangs on there."""
    tree: Tree
    """The links in motion."""

    @property
    def length(self) -> float:
        """Distance of the ends [m]."""
        return float(np.linalg.norm(self.rod.ends[1] - self.rod.ends[0]))

    @property
    def _line(self) -> Array:
        """The direction of the line from this end in the body's axes (3,)."""
        end = self.turned.end
        return (self.rod.ends[1 - end] - self.rod.ends[end]) / self.length

    @cached_property
    def root(self) -> Frame:
        """The frame of this end, on what the rod hangs on."""
        return self.tree.at(self.here)

    @cached_property
    def seen(self) -> Relative:
        """How the other end moves as seen from this one."""
        return relative_motion(self.root, self.tree.at(self.there))

    @cached_property
    def n(self) -> ca.SX:
        """The direction of the line from this end to the other, in base axes."""
        return self.seen.r / self.length

    @cached_property
    def e(self) -> ca.SX:
        """Axis 1, of what the rod hangs on, in base axes."""
        return self.root.spin.R @ ca.sparsify(ca.DM(self.turned.axes[0]))

    @cached_property
    def _across(self) -> tuple[ca.SX, ca.SX]:
        """Axis 2 and D."""
        c, k = float(snapped(self.turned.axes[1] @ self._line, 1.0)), self.turned.cosine
        e_n = ca.cross(self.e, self.n)
        square = ca.sumsqr(e_n)
        if c == k == 0.0:
            root = self.turned.side * ca.sqrt(square)
            return e_n / root, root
        g = ca.dot(self.e, self.n)
        of_n, of_e = (c - k * g) / square, (k - c * g) / square
        h = self.turned.side * ca.sqrt((1 - of_n * c - of_e * k) / square)
        return of_n * self.n + of_e * self.e + h * e_n, h * square

    @property
    def y(self) -> ca.SX:
        """Axis 2, of the rod, in base axes."""
        return self._across[0]

    @property
    def D(self) -> ca.SX:
        """y·(e x n), which vanishes where the line is along axis 1."""
        return self._across[1]

    def turns(self, n_dot: ca.SX) -> ca.SX:
        """Return the rates of the two turns for rates of n, which may have several columns."""
        return ca.vertcat(self.y.T @ n_dot, -self.e.T @ n_dot) / self.D

    @cached_property
    def rates(self) -> ca.SX:
        """Rates of the two turns (2,) [rad/s]."""
        return self.turns(self.seen.v / self.length)

    @cached_property
    def accelerations(self) -> ca.SX:
        """Their derivatives (2,)."""
        a, b = self.rates[0], self.rates[1]
        swept = ca.cross(a * self.e + b * self.y, self.seen.v / self.length)
        turned = a * b * ca.cross(ca.cross(self.e, self.y), self.n)
        return self.turns(self.seen.a / self.length - swept - turned)

    @cached_property
    def frame(self) -> Frame:
        """The frame of the rod's body."""
        a, b, spin = self.rates[0], self.rates[1], self.root.spin
        w = a * self.e + b * self.y
        seconds = self.accelerations[0] * self.e + self.accelerations[1] * self.y + a * b * ca.cross(self.e, self.y)
        R = _along(self.n, self.y) @ ca.DM(_axes_along(self._line, self.turned.axes[1]).T)
        moved = Spin(R, spin.w + w, spin.w_dot + seconds + ca.cross(spin.w, w))
        end = self.rod.ends[self.turned.end]
        return carried(Frame(self.root.p, self.root.v, self.root.a, moved), Place(BASE_LINK, -end, np.eye(3)))

    def ring(self, outer: Joint, inner: Joint, hinge: Frame) -> Frame:
        """Return the frame of the ring between two hinges; hinge: that of the outer one on what the rod hangs on."""
        on_ring, axis = frame_on(outer, self.turned.ring), frame_on(inner, self.turned.ring).rotation[:, 2]
        R = _along(self.e, self.y) @ ca.DM(_axes_along(on_ring.rotation[:, 2], axis).T)
        w, spin = self.rates[0] * self.e, self.root.spin
        moved = Spin(R, spin.w + w, spin.w_dot + self.accelerations[0] * self.e + ca.cross(spin.w, w))
        return carried(
            Frame(hinge.p, hinge.v, hinge.a, moved), Place(BASE_LINK, -np.array(on_ring.position), np.eye(3))
        )


def turned_rod(rod: RodBody, turned: TurnedEnd, cut: Cut, tree: Tree) -> TurnedRod:
    """Return a rod with a universal joint in motion; cut: the distance that stands for it."""
    here, there = (cut.parent, cut.child) if turned.end == 0 else (cut.child, cut.parent)
    return TurnedRod(rod, turned, here, there, tree)


def _along(x: ca.SX, y: ca.SX) -> ca.SX:
    """Return axes with x the first, y in the plane of the first two."""
    across = y - ca.dot(x, y) * x
    across = across / ca.norm_2(across)
    return ca.horzcat(x, across, ca.cross(x, across))


def _axes_along(x: Array, y: Array) -> Array:
    across = y - (x @ y) * x
    across /= np.linalg.norm(across)
    return np.column_stack([x, across, cross(x, across)])
