"""What limits ask of the pace along a path: rows that are linear in its square and its slope, but for one root.

With b = s_dot^2 and u = s_ddot a state of the path has velocity x' sqrt(b), acceleration x' u + x'' b and forces

    tau = A u + B b + C sqrt(b) + G      inertia, its centrifugal part, viscous friction, weight with Coulomb friction

exactly, because inverse dynamics is affine in acceleration, quadratic in velocity, and friction is linear in speed with
a sign: the form of [Verscheure2009] with the root added. So every limit is a row
lower <= A u + B b + C sqrt(b) <= upper.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.robot import Robot
from parakin.trajectory.fastest.grid import Grid
from parakin.trajectory.fastest.path import Geometry, Path
from parakin.trajectory.fastest.scan import UNBOUNDED
from parakin.trajectory.limits import Limits

_PACES = np.array([1.0, 0.5, 0.25])
"""Paces at which forces are computed, to find B, C and G; powers of 2 scale every rate exactly."""
_PULL = 10.0
"""Acceleration [m/s^2], about that of gravity, at which inertia is found beside weight without loss of digits."""


@frozen_arrays
class Demands:
    """Rows of all limits at the places of every interval, each scaled by its limit so that it reads -1 to 1."""

    A: Array
    """Factors of s_ddot (N, LOOKS, rows) [s^2/m]."""
    B: Array
    """Factors of s_dot^2 (N, LOOKS, rows) [s^2/m^2]."""
    C: Array
    """Factors of s_dot (N, LOOKS, rows) [s/m]."""
    lower: Array
    """Least values (N, LOOKS, rows), not above 0 where the robot can hold still."""
    upper: Array
    """Largest values (N, LOOKS, rows), not below 0 where the robot can hold still."""
    rate: Array
    """Shares of the speed limits (N, LOOKS, actuators) that a pace of 1 m/s uses [s/m]."""
    names: tuple[str, ...]
    """What each row limits, and then each column of `rate`, as `force of leg1.arm`."""

    @property
    def fastest(self) -> Array:
        """Largest s_dot^2 that speeds allow (N, LOOKS) [m^2/s^2]."""
        with np.errstate(divide="ignore"):
            return np.minimum(UNBOUNDED, 1.0 / np.max(self.rate, axis=2, initial=0.0) ** 2)


class Forces(NamedTuple):
    """Factors of the actuators' forces along a path, (N, actuators) each; tau = A u + B b + C sqrt(b) + G."""

    A: Array
    """Factors of s_ddot [N s^2/m or N m s^2/m]."""
    B: Array
    """Factors of s_dot^2 [N s^2/m^2 or N m s^2/m^2]."""
    C: Array
    """Factors of s_dot [N s/m or N m s/m]."""
    G: Array
    """Forces while creeping along the path [N or N m]."""
    still: Array
    """Forces while standing still [N or N m]: G without Coulomb friction."""


def demands_of(robot: Robot, path: Path, grid: Grid, limits: Limits, acceleration: Array) -> Demands:
    """Return the demands along a path.

    limits: of the actuators, what stays unused taken off; acceleration: largest magnitude of each entry of the
    platform's acceleration (degrees of freedom,) [m/s^2, rad/s^2], infinite where there is none.
    """
    shape = count, looks = grid.places.shape
    along = path.at(grid.places.ravel(), np.repeat(grid.piece, looks))
    forces = forces_along(robot, along, path.length)
    forced, held, driven = np.isfinite(limits.force), np.isfinite(acceleration), np.isfinite(limits.speed)
    A, B, C, G, still = (part[:, forced] / limits.force[forced] for part in forces)
    tangent, curvature = along.tangent[:, held] / acceleration[held], along.curvature[:, held] / acceleration[held]
    rate = robot.actuator_velocity(along.pose, along.tangent, near=robot.configurations(along.pose))
    resting = np.zeros(shape, bool)
    resting[:, 0], resting[:, -1] = grid.rests[:-1], grid.rests[1:]
    # A drive that is about to stop is helped by Coulomb friction until it does, and no longer then.
    still = np.where(resting.reshape(-1, 1), still, G)

    def stacked(*parts: Array) -> Array:
        return np.concatenate(parts, axis=1).reshape(count, looks, -1)

    ones = np.ones_like(tangent)
    return Demands(
        stacked(A, tangent),
        stacked(B, curvature),
        stacked(C, 0 * ones),
        stacked(-1.0 - np.minimum(G, still), -ones),
        stacked(1.0 - np.maximum(G, still), ones),
        stacked(np.abs(rate[:, driven]) / limits.speed[driven]),
        tuple(_names("force of", robot.actuator_names, forced))
        + tuple(_names("acceleration", velocity_names(robot), held))
        + tuple(_names("speed of", robot.actuator_names, driven)),
    )


def forces_along(robot: Robot, along: Geometry, length: float) -> Forces:
    """Return the factors of the forces at places of a path of this length [m], from five evaluations of each."""
    pose, tangent, curvature = along
    near = robot.configurations(pose)
    pace = float(np.sqrt(_PULL * length))
    tau: list[Array] = [
        robot.inverse_dynamics(pose, x * pace * tangent, (x * pace) ** 2 * curvature, near=near) for x in _PACES
    ]
    G, C, B = np.einsum("ij,jkl->ikl", np.linalg.inv(np.vander(_PACES, 3, increasing=True)), np.array(tau))
    pulled = robot.inverse_dynamics(pose, pace * tangent, pace**2 * curvature + _PULL * tangent, near=near)
    still = robot.inverse_dynamics(pose, 0 * tangent, 0 * tangent, near=near)
    return Forces((pulled - tau[0]) / _PULL, B / pace**2, C / pace, G, still)


def velocity_names(robot: Robot) -> tuple[str, ...]:
    """Return a name for each entry of the platform's velocity."""
    kind = robot.motion_type
    return tuple(kind.coordinates) if kind.quaternion is None else ("x", "y", "z", "rx", "ry", "rz")


def _names(quantity: str, names: Iterable[str], limited: NDArray[np.bool_]) -> list[str]:
    return [f"{quantity} {name}" for name, own in zip(names, limited, strict=True) if own]


SMALLEST_JUMP = 1e-5
"""Least part of a force limit that a jump changes to be looked at."""
_HALVINGS = 36
"""Halvings of an interval that contains a jump: what is left of it is below 1e-10 of its length."""
_ROUNDS = 4
"""Most rounds of search; each finds one jump in every interval."""
_MOVED = 0.05
"""Part of an interval within which a node is moved to a jump; further away the jump gets a node of its own."""
_MOST_NODES = 2
"""How many times the nodes may grow in number: friction of a joint that stands still jumps anywhere, by rounding."""


class _Jumps(NamedTuple):
    """Intervals in which friction jumps, and the ways [m] just before and just after each jump."""

    interval: NDArray[np.intp]
    low: Array
    high: Array


def at_jumps(robot: Robot, path: Path, grid: Grid, force: Array) -> Grid:
    """Return the grid with nodes where friction jumps; limits are looked at on both sides of such a node.

    force: largest forces of the actuators (actuators,).
    """
    most = _MOST_NODES * len(grid.s)
    for _ in range(_ROUNDS):
        found = _jumps(robot, path, grid, force)
        if not len(found.interval) or len(grid.s) + len(found.interval) > most:
            break
        grid = _with_nodes(grid, found)
    return grid


def _jumps(robot: Robot, path: Path, grid: Grid, force: Array) -> _Jumps:
    """Find jumps by halving: the half in which friction changes more is kept, until only a jump is left of it."""

    def coulomb(s: Array, piece: NDArray[np.intp]) -> Array:
        forces = forces_along(robot, path.at(s, piece), path.length)
        return (forces.G - forces.still) / force

    index = np.arange(len(grid.piece))
    low, high = grid.begin, grid.end
    before, after = coulomb(low, grid.piece), coulomb(high, grid.piece)
    for _ in range(_HALVINGS):
        keep = np.abs(after - before).max(axis=1) > SMALLEST_JUMP
        index = index[keep]
        low, high, before, after = low[keep], high[keep], before[keep], after[keep]
        if not len(index):
            break
        middle = (low + high) / 2
        value = coulomb(middle, grid.piece[index])
        first = np.abs(value - before).max(axis=1) > np.abs(after - value).max(axis=1)
        low, high = np.where(first, low, middle), np.where(first, middle, high)
        before, after = np.where(first[:, None], before, value), np.where(first[:, None], value, after)
    return _Jumps(index, low, high)


def _with_nodes(grid: Grid, jumps: _Jumps) -> Grid:
    """Return the grid with a node in each jump, instead of a node close to it where that marks nothing itself."""
    left, right = np.concatenate([grid.s[:1], grid.end]), np.concatenate([grid.begin, grid.s[-1:]])
    free = ~grid.rests & (left == right)
    k, middle, room = jumps.interval, (jumps.low + jumps.high) / 2, _MOVED * grid.h[jumps.interval]
    gone = np.zeros(len(grid.s), bool)
    gone[k] |= free[k] & (middle - grid.s[k] < room)
    gone[k + 1] |= free[k + 1] & (grid.s[k + 1] - middle < room)
    s = np.concatenate([grid.s[~gone], middle])
    order = np.argsort(s)
    left, right = np.concatenate([left[~gone], jumps.low])[order], np.concatenate([right[~gone], jumps.high])[order]
    rests = np.concatenate([grid.rests[~gone], np.zeros(len(middle), bool)])[order]
    s = s[order]
    owner = np.clip(np.searchsorted(grid.s, (s[1:] + s[:-1]) / 2) - 1, 0, len(grid.piece) - 1)
    return Grid(s, right[:-1], left[1:], grid.piece[owner], rests)
