"""Where `parakin observe` has its pictures from: files of a folder, or a motion that is rendered."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from parakin.cli.motion_options import motion_or_samples
from parakin.errors import DataError, RigFileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from parakin.arrays import Array
    from parakin.robot import Robot
    from parakin.trajectory import Samples
    from parakin.vision import Rig
    from parakin.vision.pictures.picture_files import Picture

MOST_PICTURES = 400
"""Pictures that are rendered at most: a motion of more has to be looked at less often."""
KEPT = 128
"""Instants whose rendered pictures are kept for the film, rather than rendered again."""

NARROWEST, WIDEST = 3.0, 44.0
"""Widths of rods in pictures between which edges can be found [px]: a region of 48 px must show both."""
POSES_TRIED = 20
"""Poses of the workspace at which rods are looked for before anything else."""


class Run(NamedTuple):
    """Pictures to look at, instant by instant."""

    rig: Rig
    """Cameras and rods."""
    times: Array
    """When they were taken (instants,) [s]."""
    pictures: Callable[[int], list[Picture]]
    """Returns the pictures of all cameras at an instant."""
    truth: Array | None
    """True poses of a rendered run (instants, coordinates)."""


def check_sees(rig: Rig, file: Path) -> None:
    """Refuse a rig with which no rod can be measured anywhere in the workspace, as where units are mixed up."""
    import numpy as np

    from parakin.vision import regions_at
    from parakin.vision.rigs.rods import reached

    robot, widths = rig.robot, list[float]()
    for pose in (robot.home, *robot.sample(POSES_TRIED)):
        for region in regions_at(rig, pose) if reached(rig, pose) else []:
            widths.append(float(abs(np.diff(region.edges[:, 0]).item())))
            if NARROWEST <= widths[-1] <= WIDEST:
                return
    seen = f"rods are {min(widths):.3g} to {max(widths):.3g} px wide" if widths else "no rod is in a picture"
    reason = (
        f"{seen} at home and at {POSES_TRIED} other poses, and those of {NARROWEST:g} to {WIDEST:g} px can be "
        "measured: sizes and focal lengths are in px, positions and radii in m"
    )
    raise RigFileError(str(file), (("cameras", reason),))


def from_folder(rig: Rig, folder: Path, rate: float) -> Run:
    """Return the pictures of a folder, which were taken at a rate [Hz]; all of them are read once before the work."""
    import numpy as np

    from parakin.vision import picture_folder

    found = picture_folder(rig, folder)
    for number in range(len(found)):
        found.read(number)
    return Run(rig, np.arange(len(found)) / rate, found.read, None)


def rendered(rig: Rig, motion: str, rate: float, *, noise: float, seed: int) -> Run:
    """Return rendered pictures of a motion, by name or of a file, at a rate [Hz]."""
    from parakin.vision import Appearance, render

    times, poses = _poses(motion, rig.robot, rate)

    @functools.lru_cache(maxsize=KEPT)
    def pictures(number: int) -> list[Picture]:
        looks = [Appearance(noise=noise, seed=seed + number * len(rig.cameras) + k) for k in range(len(rig.cameras))]
        return [render(rig, poses[number], camera=k, appearance=look) for k, look in enumerate(looks)]

    return Run(rig, times, pictures, poses)


def check_replaceable(folder: Path, rig: Rig) -> None:
    """Refuse to replace a folder that holds anything but pictures that an earlier run rendered."""
    cameras = {camera.name for camera in rig.cameras}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        ours = path.name in cameras if path.is_dir() else re.fullmatch(r"\d{4,}\.png", path.name)
        if not ours:
            reason = f"would replace {folder}, which holds {path.name}: give another --output, or move it away"
            raise DataError("observe", "--keep-pictures", reason)


def _poses(motion: str, robot: Robot, rate: float) -> tuple[Array, Array]:
    """Return times and poses of a motion at a rate [Hz], which the robot must reach."""
    import numpy as np

    from parakin.kinematics.status import Status
    from parakin.trajectory import Motion

    given = motion_or_samples(motion, robot)
    begun, ended = (0.0, given.duration) if isinstance(given, Motion) else (float(given.t[0]), float(given.t[-1]))
    count = 1 + int(np.floor((ended - begun) * rate * (1 + 1e-9)))
    if count > MOST_PICTURES:
        most = rate * MOST_PICTURES / (count + 1)
        reason = f"gives {count} pictures, and {MOST_PICTURES} are rendered at most: try --rate {most:.3g}"
        raise DataError("observe", "--rate", reason)
    if isinstance(given, Motion):
        samples = given.sampled(rate)
        times, poses = samples.t, samples.pose
    else:
        times = begun + np.arange(count) / rate
        poses = _between(given, robot, times)
    wrong = np.isin(robot.check(poses), (Status.UNREACHABLE, Status.UNUSABLE))
    if wrong.any():
        first = int(np.argmax(wrong))
        reason = f"leads to {poses[first].tolist()} at {times[first]:.4g} s, which {robot.name} cannot reach"
        raise DataError("observe", "--motion", reason)
    return times, poses


def _between(samples: Samples, robot: Robot, times: Array) -> Array:
    """Return the poses of a file's motion at times, straight between its states."""
    import numpy as np

    from parakin.motions.offsets import displaced, offset_between

    if samples.kind != robot.motion_type:
        reason = f"is a motion of {samples.kind}, and {robot.name} moves as {robot.motion_type}"
        raise DataError("observe", "--motion", reason)
    if len(samples.t) == 1:
        return samples.pose
    k = np.clip(np.searchsorted(samples.t, times, side="right") - 1, 0, len(samples.t) - 2)
    share = np.clip((times - samples.t[k]) / (samples.t[k + 1] - samples.t[k]), 0.0, 1.0)
    ways = offset_between(samples.kind, samples.pose[k], samples.pose[k + 1])
    return displaced(samples.kind, samples.pose[k], share[:, None] * ways)
