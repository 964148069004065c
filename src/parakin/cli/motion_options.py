"""A motion as commands are given it: by a name of the table, or as a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from parakin.errors import UnknownNameError
from parakin.units import ANGLE

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.trajectory import Followed, Motion, Samples

DERIVED = "velocity and acceleration are derived by a spline through the points of the file, from rest to rest"
"""What is said of a file that has times and poses alone."""


def motion_or_samples(text: str, robot: Robot) -> Motion | Samples:
    """Return the motion of this name as it suits the robot, or else the samples in the file of this name."""
    from parakin import trajectory

    if text not in trajectory.MOTIONS and is_file(text):
        moving = trajectory.read_motion(text, robot)
        if isinstance(moving, trajectory.Motion):
            typer.echo(f"{text}: {DERIVED}", err=True)
            return moving
        return followed(moving, robot).samples if _is_path(moving, robot) else moving
    return trajectory.motion(text, robot)


def _is_path(samples: Samples, robot: Robot) -> bool:
    """Whether samples are a path of a frame that a mechanism is to follow, not its own coordinates."""
    return robot.motion_type.of_joints and not samples.kind.of_joints


def followed(path: Samples, robot: Robot) -> Followed:
    """Return the motion in which the output of a mechanism follows a path; say by how much it misses it, if it does."""
    from parakin.trajectory import follow
    from parakin.trajectory.following import ON_THE_PATH

    found = follow(path, robot)
    if found.distance.max() > ON_THE_PATH * robot.length or found.angle.max() > ON_THE_PATH:
        typer.echo(f"{robot.name}: {found}", err=True)
    return found


def samples_of(text: str, robot: Robot, rate: float) -> Samples:
    """Return the samples in a file as they are, or those of a motion by name at this rate [Hz]."""
    from parakin.trajectory import Motion

    motion = motion_or_samples(text, robot)
    return motion.sampled(rate) if isinstance(motion, Motion) else motion


def is_file(text: str) -> bool:
    """Whether this is meant as a file: it has the ending of a table, or a directory, or there is such a file."""
    from parakin.tables import FORMATS

    path = Path(text)
    return path.suffix.lower() in FORMATS or len(path.parts) > 1 or path.is_file()


def numbers_of(option: str, text: str) -> list[float]:
    """Read numbers with commas between them, such as the coordinates of a pose."""
    from parakin.errors import DataError

    try:
        return [float(entry) for entry in text.split(",")]
    except ValueError:
        raise DataError("motion", option, f"must be numbers with commas between them, got {text!r}") from None


def pose_of(option: str, text: str, robot: Robot) -> list[float]:
    """Read a pose of a robot, and refuse one with another number of coordinates, or with angles in degrees."""
    from parakin.errors import DataError

    values, kind = numbers_of(option, text), robot.motion_type
    if len(values) != len(kind.coordinates):
        listed = ", ".join(kind.coordinates)
        reason = f"a pose of {robot.name} has {len(kind.coordinates)} numbers ({listed}), got {len(values)}"
        raise DataError("motion", option, reason)
    for angle, unit in zip(values, kind.units, strict=True):
        if unit == ANGLE.position and abs(angle) > 2 * math.pi:
            meant = f"Were {angle:g} degrees meant? Then give {math.radians(angle):.4g}"
            raise DataError("motion", option, f"{angle:g} rad is more than a turn. {meant}")
    return values


def refuse_file(name: str) -> None:
    """Refuse a file where the name of a motion is asked for, and say which command takes files."""
    from parakin.trajectory import MOTIONS

    if name not in MOTIONS and is_file(name):
        kind = "motion that can be made (a file is checked by `parakin forces` and run by `parakin simulate --motion`)"
        raise UnknownNameError(kind, name, tuple(MOTIONS))
