"""Reasons not to believe a pose that least squares found in a picture, whatever its covariance says.

A covariance follows from the stated deviations of edges alone. It is wrong where the model is: where a camera is not
where the rig has it, where a picture was exposed twice, and where another pose explains the picture as well, as in
pictures of long lenses, in which a platform tilted towards the camera looks like one tilted away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.motions.offsets import offset_between
from parakin.vision.edges import EdgeReport, EdgeStatus
from parakin.vision.estimates import EstimateStatus, PoseEstimate
from parakin.vision.estimating import estimate_all
from parakin.vision.picture_files import Picture
from parakin.vision.regions import PictureRegion
from parakin.vision.rig import Rig
from parakin.vision.sightings import Sightings

RESIDUAL_RISK = 1e-3
"""Probability with which right edges have larger residuals than are accepted, by the chi-square distribution. A rig
that is 10 mm off along its axis leaves residuals of 1.33 deviations and more at 56 degrees of freedom; edges as good as
they say leave 1.29 once in a thousand pictures, and rendered ones 1.1 at most."""
BESIDE = range(4, 12)
"""Distances beside a rod's contours at which the background is looked at [px]: beyond blur, within its region."""
FEWEST_LINES = 8
"""Scan lines that show the background at such a distance at least."""
STRAY_CONTRAST = 0.35
"""How much the background along a rod may vary, as a fraction of the rod's contrast. Of 20 grey levels of clutter with
120 of contrast it is 0.16 to 0.25 in the median of a picture's regions, of double exposures of 7:3 0.45 and more."""
STRAY_RODS = 0.5
"""Fraction of the rods beside which the background varies by more, from which rods are seen twice."""
STARTS = 24
"""Poses of the workspace from which another explanation of the same edges is searched for."""
SAME_POSE = 20.0
"""Standard deviations within which two poses count as one."""
RESOLVED = 4.0
"""How many times as far from the expected pose another one must be for the expected pose to decide between them."""


@dataclass(frozen=True)
class Doubt:
    """Why a pose is not believed."""

    status: EstimateStatus
    """What takes the place of GOOD."""
    words: str
    """The reason and a remedy."""


def excess_of_residuals(found: PoseEstimate, freedoms: int) -> Doubt | None:
    """Return a doubt where the residuals of a pose are larger than the stated deviations of its edges explain.

        sum of e_i^2 over the rows that count, in deviations  <=  chi-square quantile of rows - unknowns

    Radii count with as many rows as unknowns, so that sightings less freedoms of the platform remain.
    """
    from scipy.special import chdtri

    remaining = int(np.sum(~found.rejected)) - freedoms
    if remaining < 1:
        return None
    largest = float(np.sqrt(chdtri(remaining, RESIDUAL_RISK) / remaining))
    if found.rms <= largest:
        return None
    words = (
        f"edges are {found.rms:.3g} of their deviations from the best pose, where noise explains {largest:.3g}: the "
        "camera, its lens or the rods are not as the rig says (calibrate the rig), or what is behind the rods pulls "
        "edges aside"
    )
    return Doubt(EstimateStatus.INCONSISTENT, words)


def rods_seen_twice(
    regions: Sequence[PictureRegion], reports: Sequence[EdgeReport], pictures: Sequence[Picture]
) -> Doubt | None:
    """Return a doubt where pictures show steps beside most rods that are nearly as strong as those of the rods."""
    strays = _strays(regions, reports, pictures)
    beside = [rod for rod, values in strays.items() if np.median(values) > STRAY_CONTRAST]
    if not strays or len(beside) < STRAY_RODS * len(strays):
        return None
    words = (
        f"the picture shows other edges beside {len(beside)} of {len(strays)} rods, parallel to them and nearly as "
        "strong: a double exposure, shadows, or a background that is not even"
    )
    return Doubt(EstimateStatus.INCONSISTENT, words)


def _strays(
    regions: Sequence[PictureRegion], reports: Sequence[EdgeReport], pictures: Sequence[Picture]
) -> dict[int, list[float]]:
    """Return by how much the background along each rod varies, as fractions of the rod's contrast."""
    contrasts: dict[int, list[float]] = {}
    for report in reports:
        if report.status == EdgeStatus.GOOD:
            contrasts.setdefault(report.region, []).append(abs(report.contrast))
    strays: dict[int, list[float]] = {}
    for number, contrast in contrasts.items():
        region = regions[number]
        levels = _background(region, pictures[region.camera]) if region.clear else []
        if levels:
            strays.setdefault(region.rod, []).append(float(np.ptp(levels) / np.mean(contrast)))
    return strays


def _background(region: PictureRegion, picture: Picture) -> list[float]:
    """Return grey levels beside a rod, each the median over the scan lines at one distance from a contour."""
    patch = picture[region.row : region.row + region.size, region.column : region.column + region.size]
    lines = np.arange(region.size)
    k = lines - 0.5 * (region.size - 1)
    contours: Array = region.edges @ np.vander(k, region.edges.shape[1], increasing=True).T
    contours.sort(axis=0)
    levels: list[float] = []
    for contour, outwards in zip(contours, (-1, 1), strict=True):
        for distance in BESIDE:
            place = np.rint(contour + outwards * distance).astype(np.int64)
            inside = (place >= 0) & (place < region.size)
            if inside.sum() >= FEWEST_LINES:
                across, along = place[inside], lines[inside]
                levels.append(float(np.median(patch[along, across] if region.rows else patch[across, along])))
    return levels


def similar_pose(rig: Rig, seen: Sightings, found: PoseEstimate, expected: Array) -> Doubt | None:
    """Return a doubt where another pose of the workspace explains the same edges, and the expected pose is as near.

    It is searched for from poses all over the workspace.
    """
    robot = rig.robot
    others = estimate_all(rig, [seen] * STARTS, robot.sample(STARTS))
    deviation = np.sqrt(np.diagonal(found.covariance))
    for row in np.flatnonzero(others.status == EstimateStatus.GOOD):
        other = others.row(int(row))
        apart = offset_between(robot.motion_type, found.pose, other.pose)
        differs = bool(np.any(np.abs(apart) > SAME_POSE * deviation)) and robot.check(other.pose) == Status.GOOD
        fits = np.sum(~other.rejected) >= np.sum(~found.rejected)
        if not (differs and fits) or excess_of_residuals(other, robot.degrees_of_freedom) is not None:
            continue
        if _distance(rig, other.pose, expected) <= RESOLVED * _distance(rig, found.pose, expected):
            words = (
                f"the poses {_in_words(found.pose)} and {_in_words(other.pose)} explain the picture equally well: "
                "start nearer to the right one, or add a camera"
            )
            return Doubt(EstimateStatus.AMBIGUOUS, words)
    return None


def mirrored(rig: Rig, found: PoseEstimate, turned: PoseEstimate, expected: Array) -> Doubt | None:
    """Return a doubt where the mirrored picture shows a pose that is much nearer to the expected one."""
    if RESOLVED * _distance(rig, turned.pose, expected) >= _distance(rig, found.pose, expected):
        return None
    words = (
        f"the picture shows the pose {_in_words(found.pose)}, and mirrored it shows {_in_words(turned.pose)}, near "
        "which the platform was expected: look whether pictures are mirrored, or start nearer"
    )
    return Doubt(EstimateStatus.AMBIGUOUS, words)


def _distance(rig: Rig, pose: Array, other: Array) -> float:
    """Return how far two poses are apart, rotations at the robot's length [m]."""
    scale = np.array(rig.robot.motion_type.scale(rig.robot.length))
    return float(np.linalg.norm(scale * offset_between(rig.robot.motion_type, pose, other)))


def _in_words(pose: Array) -> str:
    return "[" + ", ".join(f"{value:.4g}" for value in pose) + "]"
