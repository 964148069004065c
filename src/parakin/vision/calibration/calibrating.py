"""Where cameras are in the base frame, from sightings at poses that encoders tell: robust least squares.

Radii of rods are unknown as far as the rig does not know them, and poses as far as their covariances say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import VisionError
from parakin.kinematics.status import Status
from parakin.mechanism.twists import joined as in_a_row
from parakin.mechanism.twists import twist_words
from parakin.robot import Robot
from parakin.vision.calibration.camera_problem import CameraProblem
from parakin.vision.estimation.estimates import EstimateStatus
from parakin.vision.estimation.fitting import UNSETTLED, Fit, disagreement_of, fit
from parakin.vision.estimation.image_problems import check_sightings
from parakin.vision.observability.information import marginal
from parakin.vision.rigs.rig import Rig, radii_of, rods_with_radii
from parakin.vision.rigs.rods import rod_lines
from parakin.vision.rigs.sightings import Sightings, joined, offsets_at

UNDETERMINED = 0.1
"""Standard deviation of a camera's motion beyond which it is not determined, beside the depth at which it sees rods;
of a focal length or centre, beside the focal length."""
LENS = ("f_u", "f_v", "c_u", "c_v")
"""Numbers of a lens that can be estimated."""


@frozen_arrays
class Calibration:
    """Where cameras are; all its numbers are NaN where the status is not GOOD.

    >>> poses = robot.sample(16)
    >>> images = [pk.vision.sightings_at(rig, pose, points=20, deviation=0.04, seed=k) for k, pose in enumerate(poses)]
    >>> found = pk.vision.calibrate(rig, poses, images)
    >>> found.status.name, found.rig.cameras[0].p_OK.shape
    ('GOOD', (3,))
    """

    before: Rig
    """The rig as it was thought to be."""
    p_OK: Array
    """Places of the cameras (cameras, 3) [m]."""
    R_OK: Array
    """Their orientations (cameras, 3, 3)."""
    covariance: Array
    """Covariance of a twist [v; w] of each camera in its own frame (cameras, 6, 6) [m, rad]."""
    lens: Array
    """Focal lengths and centres f_u, f_v, c_u, c_v (cameras, 4) [px]: estimated, or as they were."""
    lens_deviations: Array
    """Their standard deviations (cameras, 4) [px]; zero for what was not estimated."""
    radii: Array
    """Radii of the rods (rods,) [m]."""
    radius_deviations: Array
    """Their standard deviations (rods,) [m]."""
    rms: float
    """Root of the sum of squared residuals that count, in their standard deviations, over rows less unknowns: 1 where
    deviations are right."""
    rejected: tuple[NDArray[np.bool_], ...]
    """Which sightings of each image were left out."""
    rejected_poses: NDArray[np.bool_]
    """Which images say little: their poses cannot be reached, or more than half of their sightings were left out."""
    status: EstimateStatus
    """Whether there is a calibration."""
    words: str
    """Why there is none; empty where there is one."""

    @property
    def rig(self) -> Rig:
        """The rig with its cameras where they are and with the radii that were found; raises where none were found."""
        if self.status != EstimateStatus.GOOD:
            raise VisionError(self.before.robot.name, "calibration", self.words)
        cameras = tuple(
            replace(
                camera.placed(p, R), focal=(float(lens[0]), float(lens[1])), centre=(float(lens[2]), float(lens[3]))
            )
            for camera, p, R, lens in zip(self.before.cameras, self.p_OK, self.R_OK, self.lens, strict=True)
        )
        return replace(self.before, cameras=cameras, rods=rods_with_radii(self.before.rods, self.radii))


def encoder_covariance(robot: Robot, poses: ArrayLike, deviations: ArrayLike) -> Array:
    """Return the covariances (..., n, n) of displacements of poses that are known from encoders.

        q_dot = J_qv v:         (J_qv^T diag(deviations)^-2 J_qv)^-1

    >>> pk.vision.encoder_covariance(robot, robot.home, np.full(4, 1e-4)).shape
    (4, 4)
    """
    J = robot.evaluate("jacobian", pose=np.asarray(poses, float))["J_qv"] / np.asarray(deviations, float)[:, None]
    return np.asarray(np.linalg.inv(np.swapaxes(J, -1, -2) @ J), float)


def calibrate(
    rig: Rig,
    poses: ArrayLike,
    images: Sequence[Sightings],
    *,
    covariances: ArrayLike | None = None,
    focal: bool = False,
    centre: bool = False,
) -> Calibration:
    """Return where the cameras of a rig are, from sightings at several poses, searched from where the rig has them.

    poses: of the platform (images, coordinates), from encoders; covariances: of their displacements (images, n, n) or
    (n, n), see `encoder_covariance`, None for exact poses; focal, centre: whether focal lengths and centres of the
    pictures are estimated too.

    >>> poses = robot.sample(16)
    >>> images = [pk.vision.sightings_at(rig, pose, points=20, deviation=0.04, seed=k) for k, pose in enumerate(poses)]
    >>> moved = pk.vision.Rig(robot, (camera.placed([0.01, -0.02, 0.005], camera.R_OK),), rig.rods)
    >>> found = pk.vision.calibrate(moved, poses, images)
    >>> bool(np.abs(found.rig.cameras[0].p_OK).max() < 1e-4)
    True
    """
    given = np.asarray(poses, float)
    if given.shape != (len(images), len(rig.robot.home)):
        rule = f"must be one pose for each of {len(images)} images, ({len(images)}, {len(rig.robot.home)})"
        raise VisionError(rig.robot.name, "poses", f"{rule}, got {given.shape}")
    for seen in images:
        check_sightings(rig, seen)
    reached = rod_lines(rig, given).status == Status.GOOD
    used = [k for k in range(len(images)) if reached[k]]
    lens = tuple(k for k in range(4) if (focal if k < 2 else centre))
    known = sum(len(images[k]) for k in used)
    unknown = len(rig.cameras) * (6 + len(lens))
    if known < unknown:
        short = f"there are {known} sightings at poses that are reached for {unknown} unknowns: take more images"
        return _none(rig, images, reached, EstimateStatus.TOO_FEW if reached.any() else EstimateStatus.UNUSABLE, short)
    chosen = [images[k] for k in used]
    image = np.repeat(np.arange(len(used)), [len(seen) for seen in chosen])
    roots = None if covariances is None else _roots(rig, covariances, len(images))[used]
    problem = CameraProblem(rig, given[used], roots, image, joined(chosen), lens)
    return _calibration(problem, fit(problem, problem.start()), images, used)


def _roots(rig: Rig, covariances: ArrayLike, count: int) -> Array:
    """Return L of covariances L L^T (images, n, n)."""
    n = rig.robot.degrees_of_freedom
    try:
        return np.asarray(np.linalg.cholesky(np.broadcast_to(np.asarray(covariances, float), (count, n, n))), float)
    except (ValueError, np.linalg.LinAlgError) as error:
        rule = f"must be positive definite, ({n}, {n}) or ({count}, {n}, {n})"
        raise VisionError(rig.robot.name, "covariances", f"{rule}, got shape {np.shape(covariances)}") from error


def _calibration(problem: CameraProblem, found: Fit, images: Sequence[Sightings], used: list[int]) -> Calibration:
    """Return the calibration of a problem that was solved."""
    rig = problem.rig
    kept = found.kept[: len(problem.seen)]
    rejected, few = [np.ones(len(seen), bool) for seen in images], np.ones(len(images), bool)
    for place, k in enumerate(used):
        rejected[k] = ~kept[problem.image == place]
        few[k] = np.sum(rejected[k]) > 0.5 * len(rejected[k])
    information, (of_cameras, rods, _) = found.information[0], problem.unknowns
    each = [_of_camera(problem, information, k) for k in range(len(rig.cameras))]
    status, words = _assessed(problem, found, each)
    if status != EstimateStatus.GOOD:
        return replace(_none(rig, images, ~few, status, words), rejected=tuple(rejected))
    covariances = [np.linalg.inv(one) for one in each]
    deviations = np.zeros((len(each), 4))
    for row, covariance in zip(deviations, covariances, strict=True):
        row[list(problem.lens)] = np.sqrt(np.diagonal(covariance)[6:])
    of_radii = np.linalg.inv(marginal(_first(information, range(of_cameras, of_cameras + rods)), rods))
    radius, deviation = radii_of(rig)
    e = found.e[found.kept]
    return Calibration(
        before=rig,
        p_OK=found.state[0][0],
        R_OK=found.state[1][0],
        covariance=np.array([covariance[:6, :6] for covariance in covariances], np.float64),
        lens=found.state[2][0],
        lens_deviations=deviations,
        radii=radius + deviation * found.state[3][0],
        radius_deviations=deviation * np.sqrt(np.diagonal(of_radii)),
        rms=float(np.sqrt(np.sum(e**2) / max(len(e) - len(information), 1))),
        rejected=tuple(rejected),
        rejected_poses=few,
        status=EstimateStatus.GOOD,
        words="",
    )


def _assessed(problem: CameraProblem, found: Fit, each: list[Array]) -> tuple[EstimateStatus, str]:
    """Return the status of a problem that was solved, and why there is no calibration; each: information by camera."""
    words = disagreement_of(found, problem.spans[0], problem.gated, problem.known_names)
    if words:
        return EstimateStatus.LOST, words
    unseen = [text for k, information in enumerate(each) for text in _unseen(problem, information, k)]
    if unseen:
        words = f"what was seen does not tell whether {in_a_row(unseen)}: take images at other poses"
        return EstimateStatus.SINGULAR, words
    return (EstimateStatus.GOOD, "") if found.settled[0] else (EstimateStatus.LOST, UNSETTLED)


def _first(information: Array, chosen: Sequence[int]) -> Array:
    """Return information with some unknowns put before all others."""
    order = [*chosen, *(k for k in range(len(information)) if k not in chosen)]
    return information[np.ix_(order, order)]


def _of_camera(problem: CameraProblem, information: Array, k: int) -> Array:
    """Return the information about the twist and the lens of one camera."""
    count = problem.of_camera
    return marginal(_first(information, range(k * count, (k + 1) * count)), count)


def _unseen(problem: CameraProblem, information: Array, k: int) -> list[str]:
    """Return what is not determined of a camera, in words."""
    camera, own = problem.rig.cameras[k], problem.seen.camera == k
    if not own.any():
        return [f"camera {camera.name} is anywhere at all"]
    depths = [
        offsets_at(problem.rig, pose, problem.seen.chosen(own & (problem.image == place))).Z
        for place, pose in enumerate(problem.poses)
    ]
    depth = float(np.nanmedian(np.concatenate(depths)))
    scale = np.array([1.0, 1.0, 1.0, depth, depth, depth])
    twist = marginal(information, 6) / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(twist)
    words: list[str] = []
    loose = vectors[:, values < (UNDETERMINED * depth) ** -2]
    if loose.shape[1]:
        words.append(f"camera {camera.name} can {twist_words(loose)} of its own frame")
    for place, number in enumerate(problem.lens):
        alone = marginal(_first(information, [6 + place]), 1)[0, 0]
        if alone < (UNDETERMINED * camera.focal[0]) ** -2:
            words.append(f"{LENS[number]} of camera {camera.name} is another")
    return words


def _none(
    rig: Rig, images: Sequence[Sightings], good: NDArray[np.bool_], status: EstimateStatus, words: str
) -> Calibration:
    """Return that there is no calibration."""
    cameras, rods = len(rig.cameras), len(rig.rods)
    return Calibration(
        before=rig,
        p_OK=np.full((cameras, 3), np.nan),
        R_OK=np.full((cameras, 3, 3), np.nan),
        covariance=np.full((cameras, 6, 6), np.nan),
        lens=np.full((cameras, 4), np.nan),
        lens_deviations=np.full((cameras, 4), np.nan),
        radii=np.full(rods, np.nan),
        radius_deviations=np.full(rods, np.nan),
        rms=np.nan,
        rejected=tuple(np.ones(len(seen), bool) for seen in images),
        rejected_poses=~good,
        status=status,
        words=words,
    )
