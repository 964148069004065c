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
