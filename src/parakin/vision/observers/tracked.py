"""What an observer knows of a robot: pose, velocity, radii, what its model does not know, and how well."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.control.estimators.square_root import covariance_of_root
from parakin.vision.observers.health import HEALTH, ObserverStatus
from parakin.vision.rigs.rig import Rig


@frozen_arrays
class Tracked:
    """What an observer knows of a robot at one time; any leading shape is a batch of observers.

    >>> tracked.status.name, tracked.pose.shape, tracked.covariance.shape
    ('TRACKING', (4,), (17, 17))
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
    excess: Array
    """By what share the robot accelerates more than its model (...): above 0 where the model's masses are too large."""
    disturbance: Array
    """Acceleration of the platform beside that (..., n) [m/s^2, rad/s^2]: what else the model does not know."""
    root: Array
    """Root of the covariance of radii, excess, disturbance, pose (a twist) and velocity (..., entries), by columns from
    their diagonals."""
    health: Array
    """What the observer thinks of itself (..., 5), in the order of `health.HEALTH`."""

    @property
    def statuses(self) -> NDArray[np.int32]:
        """Status of each observer of a batch (...), an `ObserverStatus`."""
        return self._health("status").astype(np.int32)

    @property
    def status(self) -> ObserverStatus:
        """Status of one observer; of a batch the worst."""
        return ObserverStatus(int(self.statuses.max(initial=0)))

    @property
    def radii(self) -> Array:
        """Radii of the rods as they are seen (..., rods) [m]."""
        return np.array([rod.radius for rod in self.rig.rods]) + self.corrections

    @property
    def covariance(self) -> Array:
        """Covariance of radii [m], excess [1], disturbance [m/s^2, rad/s^2], pose (a twist [m, rad]) and velocity
        [m/s, rad/s], in this order (..., k, k)."""
        size = len(self.rig.rods) + 1 + 3 * self.rig.robot.degrees_of_freedom
        return covariance_of_root(self.root, size)

    @property
    def deviation(self) -> Array:
        """Standard deviations in the order of `covariance` (..., k)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))

    @property
    def radius_deviation(self) -> Array:
        """Standard deviations of the radii (..., rods) [m]."""
        return self.deviation[..., : len(self.rig.rods)]

    @property
    def excess_deviation(self) -> Array:
        """Standard deviation of the excess (...) [1]."""
        return self.deviation[..., len(self.rig.rods)]

    @property
    def disturbance_deviation(self) -> Array:
        """Standard deviations of the disturbance (..., n) [m/s^2, rad/s^2]."""
        return self._part(0)

    @property
    def pose_deviation(self) -> Array:
        """Standard deviations of the pose (..., n) [m, rad], those of a turn about base axes for spatial platforms."""
        return self._part(1)

    @property
    def velocity_deviation(self) -> Array:
        """Standard deviations of the velocity (..., n) [m/s, rad/s]."""
        return self._part(2)

    def _part(self, number: int) -> Array:
        n = self.rig.robot.degrees_of_freedom
        first = len(self.rig.rods) + 1 + number * n
        return self.deviation[..., first : first + n]

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
        ['corrections', 'disturbance', 'excess', 'health', 'pose', 'root', 'velocity']
        """
        names = ("pose", "velocity", "corrections", "excess", "disturbance", "root", "health")
        return {name: getattr(self, name) for name in names}
