"""What a filter believes of a robot, what one region of interest shows it, and what its model does not know.

The robot accelerates by (1 + k) a + d, where a is the model's acceleration, k its excess and d a disturbance:

    d_next = f d + s sqrt(1 - f^2) n,    f = exp(-dt/T)

keeps the size s of a disturbance, whatever dt is, and its sign for a time of about T. So it is with an excess, whose
time is longer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.control.estimators.square_root import Columns, diagonal
from parakin.motions import MotionType
from parakin.units import ANGLE

POINTS = 4
"""Points of a region: two of the first contour of its rod, then two of the second."""
SIDES = (0, 0, 1, 1)
"""On which contour each point lies."""
Settings = Mapping[str, ca.SX]
"""Settings of an observer as expressions, by the names of `ObserverSettings`."""


@dataclass(frozen=True)
class Belief:
    """What a filter believes of a robot, as expressions."""

    pose: ca.SX
    """The platform's pose."""
    velocity: ca.SX
    """The platform's velocity."""
    corrections: ca.SX
    """By how much each rod's radius exceeds that of the rig (rods,) [m]."""
    excess: ca.SX
    """By what share the robot accelerates more than its model (1,)."""
    disturbance: ca.SX
    """Acceleration of the platform beside that (n,) [m/s^2, rad/s^2]."""
    root: ca.SX
    """Root of the covariance of radii, excess, disturbance, pose and velocity, by columns from their diagonals."""
    health: ca.SX
    """What the filter thinks of itself, as `health.HEALTH` names it."""


@dataclass(frozen=True)
class SeenRegion:
    """What one region of interest shows, as expressions: both contours of one rod, two points each."""

    camera: ca.SX
    """Number of the camera."""
    rod: ca.SX
    """Number of the rod; a number that no rod has is a region without points."""
    m: ca.SX
    """Points in the normalised picture (4, 2): two of the rod's first contour, two of its second."""
    deviation: ca.SX
    """Standard deviation of each point across its contour (4,), in the normalised picture; 0 or NaN: not seen."""


BESIDE = (math.sqrt(2 / 45), math.sqrt(5 / 32), math.sqrt(1 / 96))
"""What white noise gathered in a disturbance has done to pose and velocity beside its mean: the root of their
covariance, over s sqrt(dt/T) dt (times dt for the pose): pose, velocity with it, velocity alone."""


def faded(freedom: int, dt: ca.SX, settings: Settings) -> list[ca.SX]:
    """Return which share of the excess, and of each component of the disturbance, is left after a time dt."""
    excess, disturbance = (ca.exp(-dt / settings[f"{name}_memory"]) for name in ("acceleration", "disturbance"))
    return [excess, *([disturbance] * freedom)]


def disturbance_sizes(motion: MotionType, lengths: Sequence[float], a: ca.SX, settings: Settings) -> list[ca.SX]:
    """Return the size of each component of a disturbance: a constant, and a share of the acceleration's size.

    Lengths and turns each have their size; the constant of a turn is that of a length over the robot's length.
    """
    turns = [k for k, axis in enumerate(motion.axes) if axis == ANGLE]
    sizes: list[ca.SX] = []
    for k, length in enumerate(lengths):
        same = turns if k in turns else [j for j in range(len(lengths)) if j not in turns]
        size = ca.norm_2(ca.vertcat(*(a[j] for j in same)))
        sizes.append(settings["disturbance_deviation"] / length + settings["disturbance_share"] * size)
    return sizes


def entering(rods: int, sizes: Sequence[ca.SX], dt: ca.SX, settings: Settings) -> Columns:
    """Return the root of the covariance of what enters radii, excess, disturbance, pose and velocity in a time dt.

    sizes: of the disturbance. What white noise has gathered in it has moved the velocity by dt/2 and the pose by dt^2/6
    of that in the mean, and by chance beside it. These are integrals of white noise; with dt above T they are more than
    an error that fades can do.
    """
    n = len(sizes)
    every = [settings["acceleration_share"], *sizes]
    gathered = [size * ca.sqrt(1 - f**2) for size, f in zip(every, faded(n, dt, settings), strict=True)]
    drift = [settings["radius_drift"] * ca.sqrt(dt)] * rods
    columns = diagonal([*drift, *gathered, *([ca.SX(0)] * (2 * n))])
    for k, size in enumerate(sizes):
        d, pose, velocity = (rods + 1 + part * n + k for part in range(3))
        columns[d][pose - d], columns[d][velocity - d] = gathered[1 + k] * dt**2 / 6, gathered[1 + k] * dt / 2
        beside = size * ca.sqrt(dt / settings["disturbance_memory"]) * dt
        columns[pose][0] = BESIDE[0] * beside * dt
        columns[pose][velocity - pose], columns[velocity][0] = BESIDE[1] * beside, BESIDE[2] * beside
    return columns
