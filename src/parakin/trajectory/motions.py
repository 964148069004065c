"""Motions by name."""

from __future__ import annotations

from collections.abc import Callable

from parakin.errors import UnknownNameError
from parakin.robot import Robot
from parakin.trajectory.circle import circle
from parakin.trajectory.cosine import cosine_turn, cosine_x, cosine_z
from parakin.trajectory.fourier import fourier
from parakin.trajectory.lift import lift
from parakin.trajectory.motion import Motion
from parakin.trajectory.pick_and_place import pick_and_place
from parakin.trajectory.point_to_point import actuator_point_to_point, point_to_point
from parakin.trajectory.spline import via_points

MOTIONS: dict[str, Callable[[Robot], Motion]] = {
    "point_to_point": point_to_point,
    "actuator_point_to_point": actuator_point_to_point,
    "via_points": via_points,
    "circle": circle,
    "cosine_z": cosine_z,
    "cosine_x": cosine_x,
    "cosine_turn": cosine_turn,
    "lift": lift,
    "pick_and_place": pick_and_place,
    "fourier": fourier,
}
"""Builders that need nothing but a robot; a new motion is a file and a row."""


def motion(name: str, robot: Robot) -> Motion:
    """A motion by name, with sizes and times that suit the robot."""
    if name not in MOTIONS:
        raise UnknownNameError("motion", name, tuple(MOTIONS))
    return MOTIONS[name](robot)
