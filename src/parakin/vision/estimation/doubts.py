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
from parakin.vision.edges.finding import EdgeReport, EdgeStatus
from parakin.vision.edges.regions import PictureRegion
from parakin.vision.estimation.estimates import EstimateStatus, PoseEstimate
from parakin.vision.estimation.estimating import estimate_all
from parakin.vision.estimation.image_problems import ImageProblems
from parakin.vision.pictures.picture_files import Picture
from parakin.vision.rigs.rig import Rig, radii_of
from parakin.vision.rigs.sightings import Sightings

RESIDUAL_RISK = 1e-3
"""Probability with which a right picture exceeds the limit of its residuals, by the chi-square distribution."""
INDEPENDENT = 1e-2
"""Singular value, beside the largest, below which a shift or turn of edges is one that pose and radii make as well."""
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
TURNED_NEARER = 2.0
"""How many times as near to the expected pose that of the mirrored picture must be for the picture to be doubted."""


@dataclass(frozen=True)
class Doubt:
    """Why a pose is not believed."""

    status: EstimateStatus
    """What takes the place of GOOD."""
    words: str
    """The reason and a remedy."""


def excess_of_residuals(rig: Rig, seen: Sightings, found: PoseEstimate) -> Doubt | None:
    """Return a doubt where whole edges are farther from a pose than noise, or their own scatter, explains.

        |U^T e|^2  <=  chi-square quantile of the columns of U  x  max(1, |e - U U^T e|^2 / freedoms that remain)

    U spans the shifts and turns of whole edges that neither pose nor radii make. Noise differs from region to region,
    and so does what an uneven background makes of edges; a camera, a lens or a length that is not as the rig says moves
    whole edges.
    """
    J, e, edges = _linearised(rig, seen, found)
    U = _beyond(J, edges)
    common, freedoms, remaining = float(np.sum((U.T @ e) ** 2)), U.shape[1], len(e) - J.shape[1] - U.shape[1]
    if not freedoms:
        return None
    scatter = max(1.0, (float(e @ e) - common) / max(remaining, 1))
    limit = _quantile(freedoms) * scatter
    if common <= limit:
        return None
    words = (
        f"whole edges are {np.sqrt(common / freedoms):.3g} of their deviations from the best pose, where noise "
        f"explains {np.sqrt(limit / freedoms):.3g}: the camera, its lens or the rods are not as the rig says "
        "(calibrate the rig), or what is behind the rods pulls edges aside"
    )
    return Doubt(EstimateStatus.INCONSISTENT, words)


def _quantile(freedoms: int) -> float:
    from scipy.special import chdtri

    return float(chdtri(freedoms, RESIDUAL_RISK))


def _linearised(rig: Rig, seen: Sightings, found: PoseEstimate) -> tuple[Array, Array, Array]:
    """Return the slopes by pose and radii, the residuals, and how shifts and turns of each edge change the residuals.

    Rows are those of the sightings that count and of the radii, in deviations.
    """
    problem = ImageProblems(rig, seen, [len(seen)], None)
    radius, deviation = radii_of(rig)
    y = (found.radii - radius) / np.where(deviation > 0, deviation, 1.0)
    rows = problem.rows((found.pose[None], y[None]))
    edge = (seen.camera * len(rig.rods) + seen.rod) * 2 + seen.side
    columns: list[Array] = []
    for number in np.unique(edge[~found.rejected]):
        own = np.flatnonzero((edge == number) & ~found.rejected)
        away = seen.m[own] - seen.m[own].mean(axis=0)
        along = away @ np.linalg.svd(away)[2][0]
        for moved in (np.ones(len(own)), along)[: len(own)]:
            column = np.zeros(len(rows.e))
            column[own] = moved / seen.deviation[own]
            columns.append(column)
    kept = np.append(~found.rejected, np.ones(len(rig.rods), np.bool_))
    return rows.slopes[kept], rows.e[kept], np.array(columns).T[kept]


def _beyond(J: Array, edges: Array) -> Array:
    """Return an orthonormal basis of what the columns of `edges` do and those of J do not."""
    Q = np.linalg.qr(J / np.linalg.norm(J, axis=0))[0]
    unit = edges / np.linalg.norm(edges, axis=0)
    U, sizes, _ = np.linalg.svd(unit - Q @ (Q.T @ unit), full_matrices=False)
    return np.asarray(U[:, sizes > INDEPENDENT * sizes[0]], float)


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
        if not (differs and fits) or excess_of_residuals(rig, seen, other) is not None:
            continue
        if _distance(rig, other.pose, expected) <= RESOLVED * _distance(rig, found.pose, expected):
            words = (
                f"the poses {_in_words(found.pose)} and {_in_words(other.pose)} explain the picture equally well: "
                "start nearer to the right one, or add a camera"
            )
            return Doubt(EstimateStatus.AMBIGUOUS, words)
    return None


def mirrored(rig: Rig, found: PoseEstimate, turned: PoseEstimate, expected: Array, how: str) -> Doubt | None:
    """Return a doubt where the picture that was turned back shows a pose that is nearer to the expected one.

    how: what the picture is called if that is the right pose
    """
    if TURNED_NEARER * _distance(rig, turned.pose, expected) >= _distance(rig, found.pose, expected):
        return None
    words = (
        f"the picture shows the pose {_in_words(found.pose)}, and {how} it shows {_in_words(turned.pose)}, near "
        f"which the platform was expected: look whether pictures are {how}, or start nearer"
    )
    return Doubt(EstimateStatus.AMBIGUOUS, words)


def _distance(rig: Rig, pose: Array, other: Array) -> float:
    """Return how far two poses are apart, rotations at the robot's length [m]."""
    scale = np.array(rig.robot.motion_type.scale(rig.robot.length))
    return float(np.linalg.norm(scale * offset_between(rig.robot.motion_type, pose, other)))


def _in_words(pose: Array) -> str:
    return "[" + ", ".join(f"{value:.4g}" for value in pose) + "]"
