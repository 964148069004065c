"""Poses from pictures, one after the other: regions where rods are expected, edges in them, and the pose from these.

Every picture is looked at twice: in regions predicted from the poses before, and once more in regions at the pose that
was found, where nothing is off any more. There most edges must be found, and agree with the pose: least squares are
content with as many as there are unknowns, and two rods of a Quattro fit wrong poses exactly. Where too few agree the
whole picture is searched around the expected pose (`pose_search`), and the pose counts with which most edges
agree. Where that gives none either, the next picture is looked at from the last pose that was good.

A pose that is found is doubted before it counts (`doubts`): its residuals must be as small as the noise of the edges
says, the picture must show each rod once, and no other pose may explain the picture as well.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import VisionError
from parakin.kinematics.status import Status
from parakin.motions.offsets import displaced, offset_between
from parakin.vision.edges.finding import EdgeReport, EdgeStatus, find_edges
from parakin.vision.edges.regions import PictureRegion, regions_at
from parakin.vision.estimation.doubts import Doubt, excess_of_residuals, mirrored, rods_seen_twice, similar_pose
from parakin.vision.estimation.estimates import EstimateStatus, PoseEstimate
from parakin.vision.estimation.estimating import estimate
from parakin.vision.estimation.pose_search import captured
from parakin.vision.pictures.picture_files import Picture
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import reached
from parakin.vision.rigs.sightings import Sightings

LOOKS = 2
"""How often each picture is looked at: where rods are expected, and where they were found."""
SEARCHED = (0.08, 0.3, 0.3)
"""Standard deviations of searches in the whole picture, as shares of the workspace's box, one after the other."""
PER_ROD = 4
"""Regions of every rod, where nothing else is asked for."""
ENOUGH_CLEAR = 2
"""Clear regions of a rod beside which those that are not clear are left out: two show its line."""
FEWEST_AGREEING = 0.7
"""Share of the edges that a pose should show which have to be found there and agree with it. With the example's camera
wrong poses of a Quattro have up to 17 of 32, where two of its four rods fit exactly; right ones have 32. Of a tripod
whose rods cross in the picture wrong ones have up to 0.67, and right ones 0.85 and more."""
PLENTY_AGREEING = 0.9
"""Share from which no other pose is searched for, and which a pose beyond limits of the robot's file must have."""
COUNT_WHERE_NOT_CLEAR = 0.5
"""What an edge in a region with an end or another rod counts beside one in a clear region: less, found or not."""


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

    @property
    def agreeing(self) -> int:
        """How many edges were found and agree with the pose: none where there is no pose."""
        return int(np.sum(self._agree))

    @property
    def _agree(self) -> NDArray[np.bool_]:
        """Whether each edge that was found agrees with the pose, in the order of the reports."""
        return np.asarray(~self.estimate.rejected.reshape(-1, 2).any(axis=1), np.bool_)

    @property
    def agreement(self) -> float:
        """Share of all edges in the regions that were found and agree with the pose, those in regions that are not
        clear counting less; 0 where there is no pose."""
        if self.estimate.status != EstimateStatus.GOOD:
            return 0.0
        counts = np.array([1.0 if region.clear else COUNT_WHERE_NOT_CLEAR for region in self.regions])
        found = [report.region for report in self.reports if report.status == EdgeStatus.GOOD]
        return float(np.sum(counts[found] * self._agree) / max(2 * np.sum(counts), 1.0))


@frozen_arrays
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

    per_rod: regions of every rod in every camera, fewer where there is no room; polarity: 1 where rods are brighter
    than what is behind, -1 where darker, 0 for either; told: is called with the number of instants so far.

    >>> found = pk.vision.observe(rig, [[picture]], robot.home + [0.004, 0.0, -0.004, 0.0])
    >>> bool(np.abs(found.pose[0] - robot.home)[:3].max() < 3e-4)
    True
    """
    last, before = np.asarray(near, float), None
    if last.shape != rig.robot.home.shape or not reached(rig, last):
        raise VisionError(rig.robot.name, "near", f"must be a pose that the robot can have, got {last.tolist()}")
    instants: list[Observed] = []
    for number, instant in enumerate(pictures):
        look = functools.partial(_looked, rig, per_rod=per_rod, polarity=polarity)
        one = _observed(rig, instant, _expected(rig, last, before), look, polarity)
        if not _follows(instants):
            one = _first(rig, instant, last, one, look)
        if one.estimate.status == EstimateStatus.GOOD:
            last, before = one.estimate.pose, last if _follows(instants) else None
        else:
            before = None
        instants.append(one)
        if told is not None:
            told(number + 1)
    count, coordinates, n = len(instants), len(rig.robot.home), rig.robot.degrees_of_freedom
    pose, deviation = np.full((count, coordinates), np.nan), np.full((count, n), np.nan)
    for k, one in enumerate(instants):
        pose[k], deviation[k] = one.estimate.pose, np.sqrt(np.diagonal(one.estimate.covariance))
    return Observation(rig, tuple(instants), pose, deviation)


def _expected(rig: Rig, last: Array, before: Array | None) -> Array:
    """Return where the platform goes on to if it moves as it did to its last pose; that pose where it cannot."""
    if before is None:
        return last
    motion = rig.robot.motion_type
    ahead = displaced(motion, last, offset_between(motion, before, last))
    return ahead if reached(rig, ahead) else last


def _follows(instants: Sequence[Observed]) -> bool:
    """Return whether the next picture follows one with a pose, which says where the platform is now."""
    return bool(instants) and instants[-1].estimate.status == EstimateStatus.GOOD


Look = Callable[[Sequence[Picture], Array], Observed]
"""Looks at the pictures of one instant from an expected pose."""


TURNED = {(0,): "mirrored", (1,): "mirrored", (0, 1): "upside down"}
"""Axes along which a picture may have been turned round, and what it is called then."""


def _observed(rig: Rig, instant: Sequence[Picture], expected: Array, look: Look, polarity: int) -> Observed:
    """Look at the pictures of one instant where rods are expected, and if too few are there in the whole of them."""
    best = here = look(instant, expected)
    span = np.subtract(*rig.robot.box[::-1])
    for seed, share in enumerate(SEARCHED):
        if _believed(rig, best) if seed else best.agreement >= PLENTY_AGREEING:
            break
        start = captured(rig, instant, expected, share * span, polarity=polarity, seed=seed)
        again = look(instant, start)
        best = max(best, again, key=lambda one: (_believed(rig, one), one.agreement))  # of equals, the first
    if not _believed(rig, best):
        return _refused(best)
    best = _doubted(best, excess_of_residuals(rig, best.seen, best.estimate))
    best = _doubted(best, rods_seen_twice(best.regions, best.reports, instant))
    if best is not here and best.estimate.status == EstimateStatus.GOOD:
        best = _doubted(best, _mirrored(rig, instant, expected, best, look))
    return best


def _first(rig: Rig, instant: Sequence[Picture], near: Array, one: Observed, look: Look) -> Observed:
    """Doubt a pose that no pose of a picture before confirms: others may explain the picture, or its mirror image."""
    if one.estimate.status == EstimateStatus.GOOD:
        one = _doubted(one, similar_pose(rig, one.seen, one.estimate, near))
    if one.estimate.status == EstimateStatus.GOOD:
        one = _doubted(one, _mirrored(rig, instant, near, one, look))
    return one


def _mirrored(rig: Rig, instant: Sequence[Picture], expected: Array, best: Observed, look: Look) -> Doubt | None:
    """Return the doubt that pictures are mirrored or upside down, where turned back they show the expected pose."""
    for axes, how in TURNED.items():
        turned = look([np.flip(picture, axes) for picture in instant], expected)
        if _believed(rig, turned) and (doubt := mirrored(rig, best.estimate, turned.estimate, expected, how)):
            return doubt
    return None


def _believed(rig: Rig, one: Observed) -> bool:
    """Return whether enough edges agree with a pose."""
    if one.estimate.status != EstimateStatus.GOOD:
        return False
    within = rig.robot.check(one.estimate.pose) == Status.GOOD
    return one.agreement >= (FEWEST_AGREEING if within else PLENTY_AGREEING)


def _refused(one: Observed) -> Observed:
    """Return what was found without its pose, if there is one: too few edges agree with it."""
    words = (
        f"the best pose agrees with {one.agreeing} of {len(one.reports)} edges that it should show: rods are hidden, "
        "elsewhere, or not as the rig says"
    )
    return _doubted(one, Doubt(EstimateStatus.LOST, words))


def _doubted(one: Observed, doubt: Doubt | None) -> Observed:
    """Return what was found without its pose, if there is one and a doubt about it."""
    found = one.estimate
    if doubt is None or found.status != EstimateStatus.GOOD:
        return one
    nothing = {
        name: np.full_like(getattr(found, name), np.nan)
        for name in ("pose", "covariance", "radii", "radius_deviations")
    }
    rejected = np.ones_like(found.rejected)
    lost = replace(found, **nothing, rms=np.nan, rejected=rejected, status=doubt.status, words=doubt.words)
    return replace(one, estimate=lost)


def _looked(rig: Rig, instant: Sequence[Picture], expected: Array, *, per_rod: int, polarity: int) -> Observed:
    """Look at the pictures of one instant, where rods are expected and then where they were found."""
    one = _once(rig, instant, expected, per_rod, polarity)
    for _ in range(LOOKS - 1):
        if one.estimate.status == EstimateStatus.GOOD:
            one = _once(rig, instant, one.estimate.pose, per_rod, polarity)
    return one


def _once(rig: Rig, instant: Sequence[Picture], pose: Array, per_rod: int, polarity: int) -> Observed:
    """Find edges in regions at a pose, and the pose from them."""
    regions = _useful(regions_at(rig, pose, per_rod=per_rod))
    patches = [_patch(instant[region.camera], region) for region in regions]
    edges = find_edges(rig, regions, patches, polarity=polarity)
    found = estimate(rig, edges.seen, pose)
    if found.rms > 1:  # edges scatter by more than they say, as before an uneven background
        found = replace(found, covariance=found.covariance * found.rms**2)
    return Observed(found, tuple(regions), edges.seen, edges.reports)


def _useful(regions: Sequence[PictureRegion]) -> list[PictureRegion]:
    """Leave out regions with an end or another rod in them, which pull edges aside, where a rod has enough others."""
    clear = Counter((region.camera, region.rod) for region in regions if region.clear)
    return [region for region in regions if region.clear or clear[region.camera, region.rod] < ENOUGH_CLEAR]


def _patch(picture: Picture, region: PictureRegion) -> Picture:
    """Cut a region out of a picture."""
    return picture[region.row : region.row + region.size, region.column : region.column + region.size]
