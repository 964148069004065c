"""What an observer knows of a robot: pose, velocity and radii with their covariance, and what it thinks of itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, lock_arrays
from parakin.control.estimators.packed_roots import covariance_of_root
from parakin.vision.filter_health import HEALTH
from parakin.vision.rig import Rig


class ObserverStatus(IntEnum):
    """Whether an observer follows its robot."""

    TRACKING = 0
    """It knows where the robot is, as well as its covariance says."""
    LOST = 1
    """It searches: it has just begun, too many points were refused, or its covariance has grown too large."""


@dataclass(frozen=True, eq=False)
class Tracked:
    """What an observer knows of a robot at one time; any leading shape is a batch of observers.

    >>> tracked.status.name, tracked.pose.shape, tracked.covariance.shape
    ('TRACKING', (4,), (12, 12))
    """

    rig: Rig
    """What is observed."""
    time: Array
    """When (...) [s]."""
    pose: Array
    """The platform's pose (..., coordinates)."""
    velocity: Array
    """The platform's velocity (..., n)."""
    corrections: Array
    """By how much each rod's radius exceeds that of the rig (..., rods) [m]."""
    root: Array
    """Root of the covariance of radii, pose (a twist) and velocity (..., entries), by columns from their diagonals."""
    health: Array
    """What the observer thinks of itself (..., 5), in the order of `filter_health.HEALTH`."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @property
    def statuses(self) -> NDArray[np.int32]:
        """Status of each observer of a batch (...), an `ObserverStatus`."""
        return self._health("lost").astype(np.int32)

    @property
    def status(self) -> ObserverStatus:
        """Status of one observer; of a batch LOST where any is."""
        return ObserverStatus(int(self.statuses.max(initial=0)))

    @property
    def radii(self) -> Array:
        """Radii of the rods as they are seen (..., rods) [m]."""
        return np.array([rod.radius for rod in self.rig.rods]) + self.corrections

    @property
    def covariance(self) -> Array:
        """Covariance of radii [m], pose (a twist [m, rad]) and velocity [m/s, rad/s], in this order (..., k, k)."""
        size = len(self.rig.rods) + 2 * self.rig.robot.degrees_of_freedom
        return covariance_of_root(self.root, size)

    @property
    def deviation(self) -> Array:
        """Standard deviations of radii, pose and velocity, in this order (..., k) [m, rad, m/s, rad/s]."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))

    @property
    def refused_share(self) -> Array:
        """Share of points that were refused lately (...)."""
        return self._health("refused_share")

    @property
    def innovation(self) -> Array:
        """Mean square of accepted innovations over their variances lately (...): 1 where the observer is honest."""
        return self._health("innovation")

    @property
    def accepted(self) -> Array:
        """How many points were believed in all (...)."""
        return self._health("accepted")

    @property
    def refused(self) -> Array:
        """How many points were refused in all (...)."""
        return self._health("refused")

    def _health(self, name: str) -> Array:
        return self.health[..., HEALTH.index(name)]

    def belief(self) -> dict[str, Array]:
        """Return the parts that kernels of observers take, by their names there.

        >>> sorted(tracked.belief())
        ['health', 'pose', 'radii', 'root', 'velocity']
        """
        parts = {name: getattr(self, name) for name in ("pose", "velocity", "root", "health")}
        return parts | {"radii": self.corrections}
