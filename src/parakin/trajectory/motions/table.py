"""The motions that can be asked for by name; a new one is a file beside this and a row in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import cast

from parakin.errors import MotionError, UnknownNameError
from parakin.robot import Robot
from parakin.trajectory.motions.circle import circle
from parakin.trajectory.motions.cosine import cosine_turn, cosine_x, cosine_z
from parakin.trajectory.motions.fourier import fourier
from parakin.trajectory.motions.lift import lift
from parakin.trajectory.motions.pick_and_place import pick_and_place
from parakin.trajectory.motions.point_to_point import actuator_point_to_point, point_to_point
from parakin.trajectory.motions.spline import via_points
from parakin.trajectory.states import Motion, positive

MOTIONS: dict[str, Callable[..., Motion]] = {
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
"""Functions that make a motion of a robot, by name; all their other arguments have defaults."""


def motion(name: str, robot: Robot, **options: object) -> Motion:
    """Return the motion of this name, with sizes and times that suit the robot unless options of its builder are given.

    `duration` [s] is an option of every motion: one whose builder has none is slowed down or sped up as a whole.

    >>> round(pk.trajectory.motion("circle", robot, diameter=0.2, duration=2.0).duration, 9)
    2.0
    """
    if name not in MOTIONS:
        raise UnknownNameError("motion", name, tuple(MOTIONS))
    taken = options_of(name)
    for option, value in options.items():
        if option not in taken:
            listed = ", ".join(taken)
            raise MotionError(name, option, f"is no option of this motion, which has {listed}; got {value!r}")
    builder = MOTIONS[name]
    if "duration" not in options or "duration" in inspect.signature(builder).parameters:
        return builder(robot, **options)
    duration = float(cast(float, options["duration"]))
    positive(name, "duration", duration, "s")
    made = builder(robot, **{option: value for option, value in options.items() if option != "duration"})
    return made.stretched(duration / made.duration)


def options_of(name: str) -> tuple[str, ...]:
    """Return the names of the options that `motion` takes for a motion of the table."""
    own = [option for option in inspect.signature(MOTIONS[name]).parameters if option not in ("robot", "name")]
    return tuple(dict.fromkeys([*own, "duration"]))
