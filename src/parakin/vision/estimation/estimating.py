"""The platform's pose from what cameras saw at one time, with its covariance: robust least squares on sightings.

Unknown are a displacement of the platform and the radii of the rods, which are known as well as the rig says: an edge
that every picture shows 0.05 px too far outside is then a rod that is thicker, and not a platform that is nearer.
Positions of actuators can be given beside sightings, with their deviations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.errors import VisionError
from parakin.kinematics.status import Status
from parakin.vision.estimation.estimates import Encoders, EstimateStatus, PoseEstimate, PoseEstimates
from parakin.vision.estimation.fitting import UNSETTLED, Fit, disagreement_of, fit
from parakin.vision.estimation.image_problems import ImageProblems, check_sightings
from parakin.vision.observability.information import knowledge, marginal, motion_words
from parakin.vision.rigs.rig import Rig, radii_of
from parakin.vision.rigs.rods import rod_lines
from parakin.vision.rigs.sightings import Sightings, joined

TOGETHER = 256
"""Images that are solved at once: enough to keep kernels busy, and few enough for memory."""


def estimate(rig: Rig, seen: Sightings, near: ArrayLike, encoders: Encoders | None = None) -> PoseEstimate:
    """Return the pose from one image, or from images of several cameras at one time, searched from a pose near it.

    >>> seen = pk.vision.sightings_at(rig, robot.home, points=96, deviation=0.04, seed=1)
    >>> found = pk.vision.estimate(rig, seen, robot.home + [0.005, -0.005, 0.005, 0.02])
    >>> bool(np.abs(found.pose - robot.home)[:3].max() < 3e-4)
    True
    """
    start = np.asarray(near, float)
    if start.shape != rig.robot.home.shape:
        raise VisionError(rig.robot.name, "near", f"must be one pose {rig.robot.home.shape}, got {start.shape}")
    return estimate_all(rig, [seen], start[None], encoders).row(0)


def estimate_all(
    rig: Rig,
    images: Sequence[Sightings],
    near: ArrayLike,
    encoders: Encoders | None = None,
    progress: Callable[[int], None] | None = None,
) -> PoseEstimates:
    """Return the poses from many images, each for itself; those that fail are flagged, and the others go on.

    near: a pose near all of them, or one for each image; progress: called with the number of images so far.

    >>> images = [pk.vision.sightings_at(rig, robot.home, points=count, deviation=0.04) for count in (20, 0)]
    >>> found = pk.vision.estimate_all(rig, images, robot.home)
    >>> found.status.tolist()
    [0, 1]
    >>> print(found.words[1])
    there are 0 sightings and actuator positions for 4 freedoms: show more of the rods, or give encoders
    """
    robot = rig.robot
    count = len(images)
    for seen in images:
        check_sightings(rig, seen)
    start = _for_each(rig, "near", np.asarray(near, float), (count, len(robot.home)))
    positions = None if encoders is None else _for_each(rig, "q", encoders.q, (count, len(robot.actuator_names)))
    parts: list[PoseEstimates] = []
    for first in range(0, count, TOGETHER):
        some = slice(first, first + TOGETHER)
        measured = None if encoders is None or positions is None else Encoders(positions[some], encoders.deviation)
        parts.append(_estimates(rig, images[some], start[some], measured))
        if progress is not None:
            progress(min(first + TOGETHER, count))
    if len(parts) == 1:
        return parts[0]
    numbers = {
        name: np.concatenate([getattr(part, name) for part in parts]) if parts else empty
        for name, empty in _nothing(rig, 0).items()
    }
    rejected = tuple(flags for part in parts for flags in part.rejected)
    status = np.array([code for part in parts for code in part.status], np.int32)
    words = tuple(text for part in parts for text in part.words)
    return PoseEstimates(**numbers, rejected=rejected, status=status, words=words)


def _for_each(rig: Rig, name: str, values: Array, shape: tuple[int, int]) -> Array:
    """Return one row for each image from those that are given, or from one for all."""
    if values.shape not in (shape, shape[1:]):
        raise VisionError(rig.robot.name, name, f"must be {shape} or {shape[1:]}, got {values.shape}")
    return np.broadcast_to(values, shape)


def _nothing(rig: Rig, count: int) -> dict[str, Array]:
    """Return the numbers of images without an estimate."""
    robot, rods = rig.robot, len(rig.rods)
    n = robot.degrees_of_freedom
    shapes = {"pose": (len(robot.home),), "covariance": (n, n), "radii": (rods,), "radius_deviations": (rods,)}
    numbers = {name: np.full((count, *shape), np.nan) for name, shape in shapes.items()}
    return numbers | {"rms": np.full(count, np.nan)}


def _estimates(rig: Rig, images: Sequence[Sightings], start: Array, encoders: Encoders | None) -> PoseEstimates:
    """Return the estimates of images that are solved together."""
    count, robot = len(images), rig.robot
    numbers, status, words = _nothing(rig, count), np.zeros(count, np.int32), [""] * count
    rejected = [np.ones(len(seen), bool) for seen in images]
    reached = rod_lines(rig, start).status == Status.GOOD
    given = 0 if encoders is None else len(robot.actuator_names)
    solved: list[int] = []
    for image, seen in enumerate(images):
        known = int(np.sum(np.isfinite(seen.m).all(axis=-1) & np.isfinite(seen.deviation))) + given
        if not reached[image]:
            status[image] = EstimateStatus.UNUSABLE
            words[image] = f"the start {start[image].tolist()} is no pose that {robot.name} reaches"
        elif known < robot.degrees_of_freedom:
            status[image], words[image] = EstimateStatus.TOO_FEW, _too_few(rig, known)
        else:
            solved.append(image)
    if solved:
        measured = None if encoders is None else Encoders(encoders.q[solved], encoders.deviation)
        problems = ImageProblems(rig, joined([images[k] for k in solved]), [len(images[k]) for k in solved], measured)
        found = fit(problems, (start[solved], np.zeros((len(solved), len(rig.rods)))))
        for place, image in enumerate(solved):
            rejected[image] = ~found.kept[problems.spans[place]][: len(images[image])]
            status[image], words[image] = _assessed(problems, found, place)
            if status[image] == EstimateStatus.GOOD:
                for name, value in _values(problems, found, place).items():
                    numbers[name][image] = value
    return PoseEstimates(**numbers, rejected=tuple(rejected), status=status, words=tuple(words))


def _too_few(rig: Rig, known: int) -> str:
    freedoms = rig.robot.degrees_of_freedom
    return (
        f"there are {known} sightings and actuator positions for {freedoms} freedoms: show more of the rods, "
        "or give encoders"
    )


def _assessed(problems: ImageProblems, found: Fit, place: int) -> tuple[EstimateStatus, str]:
    """Return the status of an image that was solved, and why it has no estimate."""
    span, robot = problems.spans[place], problems.rig.robot
    disagreement = disagreement_of(found, span, problems.gated, problems.known_names)
    if disagreement:
        return EstimateStatus.LOST, disagreement
    remaining = int(np.sum(found.kept[span] & problems.gated[span]))
    known = remaining + problems.positions
    if known < robot.degrees_of_freedom:
        return EstimateStatus.TOO_FEW, _too_few(problems.rig, known)
    unseen = knowledge(robot, marginal(found.information[place], robot.degrees_of_freedom)).unseen
    if unseen.shape[1]:
        words = motion_words(robot, found.state[0][place], unseen)
        return EstimateStatus.SINGULAR, f"the platform can {words}, and what was seen does not tell"
    if not found.settled[place]:
        return EstimateStatus.LOST, UNSETTLED
    return EstimateStatus.GOOD, ""


def _values(problems: ImageProblems, found: Fit, place: int) -> dict[str, Array | float]:
    """Return the numbers of an image with an estimate."""
    robot = problems.rig.robot
    n, information = robot.degrees_of_freedom, found.information[place]
    span = problems.spans[place]
    e = found.e[span][found.kept[span]]
    y = found.state[1][place]
    given, deviation = radii_of(problems.rig)
    of_radii = np.linalg.inv(np.asarray(information, float))[n:, n:]
    return {
        "pose": found.state[0][place],
        "covariance": knowledge(robot, marginal(information, n)).covariance,
        "radii": given + deviation * y,
        "radius_deviations": deviation * np.sqrt(np.diagonal(of_radii)),
        "rms": float(np.sqrt(np.sum(e**2) / max(len(e) - information.shape[0], 1))),
    }
