"""The motions that can be asked for by name; a new one is a file beside this and a row in it."""

from __future__ import annotations

from collections.abc import Callable

from parakin.errors import UnknownNameError
from parakin.robot import Robot
from parakin.trajectory.motions.circle import circle
from parakin.trajectory.motions.cosine import cosine_turn, cosine_x, cosine_z
from parakin.trajectory.motions.fourier import fourier
from parakin.trajectory.motions.lift import lift
from parakin.trajectory.motions.pick_and_place import pick_and_place
from parakin.trajectory.motions.point_to_point import actuator_point_to_point, point_to_point
from parakin.trajectory.motions.spline import via_points
from parakin.trajectory.states import Motion

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
"""Functions that make a motion from nothing but a robot, by name."""


def motion(name: str, robot: Robot) -> Motion:
    """Return the motion of this name, with sizes and times that suit the robot."""
    if name not in MOTIONS:
        raise UnknownNameError("motion", name, tuple(MOTIONS))
    return MOTIONS[name](robot)
