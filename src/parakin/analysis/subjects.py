"""What a quantity is of, in words: the platform, coordinates of a mechanism, its output frame, or actuators."""

from __future__ import annotations

from parakin.analysis.options import EVERY_DIRECTION, Options, coordinates_in_words, directions_of
from parakin.robot import Robot


def of_directions(robot: Robot, options: Options) -> str:
    """Return what moves and is pushed in the directions that count."""
    words = directions_of(robot, options).words
    if robot.coordinates.of_joints:
        return words
    return "platform" if words == EVERY_DIRECTION else f"platform, {words}"


def of_motors_map(robot: Robot, options: Options) -> str:
    """Return what motors are taken to move where their evenness is asked for."""
    if not robot.coordinates.of_joints or options.at != "pose":
        return robot.output_name
    names = robot.coordinates.velocity_names
    return coordinates_in_words(names, list(range(len(names))))


def of_payload(robot: Robot, options: Options) -> str:
    """Return where a payload is, and along what it is accelerated."""
    place = robot.output_name
    return f"{place}, accelerated: {of_directions(robot, options)}" if options.acceleration else place


def of_actuators(robot: Robot, options: Options) -> str:
    """Return whose inertia is asked for."""
    names = robot.actuator_names
    if len(names) == 1:
        return names[0]
    return options.actuator or f"the largest of {len(names)} actuators"


def of_everything(_robot: Robot, _options: Options) -> str:
    """Return that a quantity is of the whole machine, whatever its coordinates are."""
    return "whole machine"
