"""What an estimate of the platform's pose is, and what it may be given beside sightings: data, complete at birth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays, lock_arrays
from parakin.errors import VisionError


class EstimateStatus(IntEnum):
    """Whether there is an estimate of a pose, or a calibration."""

    GOOD = 0
    """There is one."""
    TOO_FEW = 1
    """There are fewer sightings and actuator positions than unknowns."""
    SINGULAR = 2
    """A motion, of the platform or of a camera, is not seen."""
    LOST = 3
    """Nothing near the start agrees with most sightings, and with what is known."""
    INCONSISTENT = 4
    """A pose was found, and the picture differs from it by more than its noise explains."""
    AMBIGUOUS = 5
    """Another pose explains the picture as well."""
    UNUSABLE = -1
    """The start is no pose that the robot reaches; of a calibration, no pose is."""


@frozen_arrays
class PoseEstimate:
    """The platform's pose from one image; all numbers of the estimate are NaN where the status is not GOOD.

    >>> found = pk.vision.estimate(rig, pk.vision.sightings_at(rig, robot.home, points=20, deviation=0.04), robot.home)
    >>> found.status.name, bool(np.abs(found.pose - robot.home).max() < 1e-12)
    ('GOOD', True)
    """

    pose: Array
    """The pose (coordinates,)."""
    covariance: Array
    """Covariance (n, n) of a displacement of that pose [m^2, m rad, rad^2], from the deviations of what was seen."""
    radii: Array
    """Radii of the rods (rods,) [m]."""
    radius_deviations: Array
    """Their standard deviations (rods,) [m]."""
    rms: float
    """Root of the sum of squared residuals that count, in their standard deviations, over rows less unknowns: 1 where
    deviations are right."""
    rejected: NDArray[np.bool_]
    """Which sightings were left out (points,)."""
    status: EstimateStatus
    """Whether there is an estimate."""
    words: str
    """Why there is none; empty where there is one."""


@frozen_arrays
class PoseEstimates:
    """The platform's poses from many images, each for itself; rows are NaN where their status is not GOOD.

    >>> images = [pk.vision.sightings_at(rig, pose, points=20, deviation=0.04, seed=1) for pose in robot.sample(3)]
    >>> found = pk.vision.estimate_all(rig, images, robot.sample(3))
    >>> found.pose.shape, found.status.tolist()
    ((3, 4), [0, 0, 0])
    """

    pose: Array
    """Poses (images, coordinates)."""
    covariance: Array
    """Covariances of their displacements (images, n, n)."""
    radii: Array
    """Radii of the rods in each image (images, rods) [m]."""
    radius_deviations: Array
    """Their standard deviations (images, rods) [m]."""
    rms: Array
    """The same root for each image (images,), 1 where deviations are right: see `PoseEstimate.rms`."""
    rejected: tuple[NDArray[np.bool_], ...]
    """Which sightings of each image were left out."""
    status: NDArray[np.int32]
    """An `EstimateStatus` for each image (images,)."""
    words: tuple[str, ...]
    """Why an image has no estimate."""

    def __len__(self) -> int:
        return len(self.status)

    def row(self, image: int) -> PoseEstimate:
        """Return the estimate of one image.

        >>> seen = pk.vision.sightings_at(rig, robot.home, points=20, deviation=0.04)
        >>> pk.vision.estimate_all(rig, [seen, seen], robot.home).row(1).status.name
        'GOOD'
        """
        return PoseEstimate(
            self.pose[image],
            self.covariance[image],
            self.radii[image],
            self.radius_deviations[image],
            float(self.rms[image]),
            self.rejected[image],
            EstimateStatus(int(self.status[image])),
            self.words[image],
        )


@dataclass(frozen=True, eq=False)
class Encoders:
    """Positions of actuators, measured when an image was taken.

    >>> q = robot.inverse_kinematics(robot.home)
    >>> encoders = pk.vision.Encoders(q, np.full(4, 1e-4))
    >>> seen = pk.vision.sightings_at(rig, robot.home, deviation=0.04)
    >>> pk.vision.estimate(rig, seen, robot.home, encoders).status.name
    'GOOD'
    """

    q: Array
    """Positions (m,), or one row for each image (images, m) [m or rad]."""
    deviation: Array
    """Standard deviations (m,) [m or rad]."""

    def __post_init__(self) -> None:
        for name in ("q", "deviation"):
            object.__setattr__(self, name, np.array(getattr(self, name), float))
        lock_arrays(self)
        if not (np.isfinite(self.deviation) & (self.deviation > 0)).all():
            raise VisionError("encoders", "deviation", f"must be > 0 and finite, got {self.deviation.tolist()}")
