"""Poses from pictures, one after the other: regions where rods are expected, edges in them, and the pose from these.

Every picture is looked at twice: in regions predicted from the poses before, and once more in regions at the pose that
was found, where nothing is off any more. Where that gives no pose the whole picture is searched around the expected one
(`capturing`), and where that gives none either the next picture is looked at from the last pose that was good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, lock_arrays
from parakin.motions.offsets import displaced, offset_between
from parakin.vision.capturing import captured
from parakin.vision.edges import EdgeReport, find_edges
from parakin.vision.estimates import EstimateStatus, PoseEstimate
from parakin.vision.estimating import estimate
from parakin.vision.picture_files import Picture
from parakin.vision.regions import PictureRegion, regions_at
from parakin.vision.rig import Rig
from parakin.vision.sightings import Sightings

LOOKS = 2
"""How often each picture is looked at: where rods are expected, and where they were found."""
SEARCHED = (0.08, 0.3, 0.3)
"""Standard deviations of searches in the whole picture, as shares of the workspace's box, one after the other."""
PER_ROD = 4
"""Regions of every rod, where nothing else is asked for."""


@dataclass(frozen=True, eq=False)
class Observed:
    """What was found in the pictures of one instant.

    >>> one = pk.vision.observe(rig, [[picture]], robot.home).instants[0]
    >>> one.found == len(one.reports) == 2 * len(one.regions)
    True
    """

    estimate: PoseEstimate
    """The pose with its covariance, or why there is none."""
    regions: tuple[PictureRegion, ...]
    """Where was looked."""
    seen: Sightings
    """Points of contours that were found there."""
    reports: tuple[EdgeReport, ...]
    """How it went, edge by edge."""

    @property
    def found(self) -> int:
        """How many edges were found."""
        return sum(report.status == 0 for report in self.reports)


@dataclass(frozen=True, eq=False)
class Observation:
    """What was found in pictures of a robot, instant by instant.

    >>> still = pk.vision.observe(rig, [[picture]] * 3, robot.home)
    >>> [one.estimate.status.name for one in still.instants]
    ['GOOD', 'GOOD', 'GOOD']
    """

    rig: Rig
    """Cameras and rods."""
    instants: tuple[Observed, ...]
    """What was found at each."""
    pose: Array
    """Poses (instants, coordinates); NaN where there is none."""
    deviation: Array
    """Standard deviations of their displacements (instants, n) [m, rad]."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @property
    def lost(self) -> int:
        """How many instants have no pose."""
        return sum(one.estimate.status != EstimateStatus.GOOD for one in self.instants)


def observe(
    rig: Rig,
    pictures: Iterable[Sequence[Picture]],
    near: ArrayLike,
    *,
    per_rod: int = PER_ROD,
    polarity: int = 0,
    told: Callable[[int], None] | None = None,
) -> Observation:
    """Return the poses in pictures, for each instant that of every camera, from a pose near the first.

    per_rod: regions of every rod in every camera; polarity: 1 where rods are brighter than what is behind, -1 where
    darker, 0 for either; told: is called with the number of instants so far.

    >>> found = pk.vision.observe(rig, [[picture]], robot.home + [0.004, 0.0, -0.004, 0.0])
    >>> bool(np.abs(found.pose[0] - robot.home)[:3].max() < 3e-4)
    True
    """
    instants: list[Observed] = []
    last = [np.asarray(near, float)]
    for number, instant in enumerate(pictures):
        one = _observed(rig, instant, _expected(rig, last), per_rod, polarity)
        if one.estimate.status == EstimateStatus.GOOD:
            last = [*last[-1:], one.estimate.pose] if number else [one.estimate.pose]
        else:
            last = last[-1:]
        instants.append(one)
        if told is not None:
            told(number + 1)
    count, coordinates, n = len(instants), len(rig.robot.home), rig.robot.degrees_of_freedom
    pose, deviation = np.full((count, coordinates), np.nan), np.full((count, n), np.nan)
    for k, one in enumerate(instants):
        pose[k], deviation[k] = one.estimate.pose, np.sqrt(np.diagonal(one.estimate.covariance))
    return Observation(rig, tuple(instants), pose, deviation)


def _expected(rig: Rig, last: Sequence[Array]) -> Array:
    """Return where the platform goes on to if it moves as between the last two instants."""
    if len(last) < 2:
        return last[-1]
    motion = rig.robot.motion_type
    return displaced(motion, last[-1], offset_between(motion, last[0], last[1]))


def _observed(rig: Rig, instant: Sequence[Picture], expected: Array, per_rod: int, polarity: int) -> Observed:
    """Look at the pictures of one instant where rods are expected, and if that fails in the whole of them."""
    one = _looked(rig, instant, expected, per_rod, polarity)
    span = np.subtract(*rig.robot.box[::-1])
    for seed, share in enumerate(SEARCHED):
        if one.estimate.status == EstimateStatus.GOOD:
            break
        start = captured(rig, instant, expected, share * span, polarity=polarity, seed=seed)
        again = _looked(rig, instant, start, per_rod, polarity)
        one = again if again.estimate.status == EstimateStatus.GOOD else one
    return one


def _looked(rig: Rig, instant: Sequence[Picture], expected: Array, per_rod: int, polarity: int) -> Observed:
    """Look at the pictures of one instant, where rods are expected and then where they were found."""
    one = _once(rig, instant, expected, per_rod, polarity)
    for _ in range(LOOKS - 1):
        if one.estimate.status == EstimateStatus.GOOD:
            one = _once(rig, instant, one.estimate.pose, per_rod, polarity)
    return one


def _once(rig: Rig, instant: Sequence[Picture], pose: Array, per_rod: int, polarity: int) -> Observed:
    """Find edges in regions at a pose, and the pose from them."""
    regions = regions_at(rig, pose, per_rod=per_rod)
    patches = [_patch(instant[region.camera], region) for region in regions]
    edges = find_edges(rig, regions, patches, polarity=polarity)
    return Observed(estimate(rig, edges.seen, pose), tuple(regions), edges.seen, edges.reports)


def _patch(picture: Picture, region: PictureRegion) -> Picture:
    """Cut a region out of a picture."""
    return picture[region.row : region.row + region.size, region.column : region.column + region.size]
