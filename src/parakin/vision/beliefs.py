"""What a filter believes of a robot, and what one region of interest shows it, as expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

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
    """What the filter thinks of itself, as `filter_health.HEALTH` names it."""


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
