"""The table of quantities, and what each is of, in words: a new one is a function of good poses and a row here."""

from __future__ import annotations

from parakin.analysis import accuracy, capability, dexterity, inertia, stiffness
from parakin.analysis.options import EVERY_DIRECTION, Options, coordinates_in_words, directions_of
from parakin.analysis.quantity import Quantity
from parakin.errors import UnknownNameError
from parakin.robot import Robot
from parakin.units import ANGLE, LENGTH, NUMBER


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


def of_errors(robot: Robot, options: Options) -> str:
    """Return what is off by errors of motors and joints."""
    return robot.output_name if _errs_at_output(robot, options) else of_directions(robot, options)


def _errs_at_output(robot: Robot, options: Options) -> bool:
    return robot.coordinates.of_joints and options.at == "output"


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


def _speed(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.velocity


def _force(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.force


def _acceleration(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.acceleration


def _stiffness(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.stiffness


def _position(robot: Robot, options: Options) -> str:
    if _errs_at_output(robot, options):
        return (ANGLE if options.space == "rotation" else LENGTH).position
    return directions_of(robot, options).units.position


_ROWS = (
    Quantity(
        "condition",
        "condition number",
        "smaller",
        (),
        NUMBER,
        of_motors_map,
        dexterity.condition,
        dexterity.moved_by_motors,
    ),
    Quantity(
        "dexterity",
        "dexterity: 1/condition number",
        "larger",
        (),
        NUMBER,
        of_motors_map,
        dexterity.dexterity,
        dexterity.moved_by_motors,
    ),
    Quantity(
        "isotropy",
        "isotropy",
        "larger",
        (),
        NUMBER,
        of_motors_map,
        dexterity.isotropy,
        dexterity.moved_by_motors,
    ),
    Quantity(
        "velocity",
        "largest speed in the worst direction",
        "larger",
        ("speed limits",),
        _speed,
        of_directions,
        capability.velocity,
        capability.enough_motors,
    ),
    Quantity(
        "force",
        "largest force in the worst direction",
        "larger",
        ("force limits",),
        _force,
        of_directions,
        capability.force,
        capability.enough_motors,
        ("carried",),
        regular=True,
    ),
    Quantity(
        "acceleration",
        "largest acceleration in the worst direction",
        "larger",
        ("force limits",),
        _acceleration,
        of_directions,
        capability.acceleration,
        capability.enough_motors,
        ("carried",),
        regular=True,
    ),
    Quantity(
        "payload",
        "largest payload",
        "larger",
        ("force limits",),
        "kg",
        of_payload,
        capability.payload,
        capability.enough_motors,
        ("acceleration", "payload_centre"),
        regular=True,
    ),
    Quantity(
        "inertia",
        "effective inertia of an actuator, others held",
        "smaller",
        (),
        inertia.inertia_unit,
        of_actuators,
        inertia.inertia,
        inertia.as_many_motors,
        ("carried",),
        regular=True,
    ),
    Quantity(
        "inertia_free",
        "effective inertia of an actuator, others free",
        "smaller",
        (),
        inertia.inertia_unit,
        of_actuators,
        inertia.inertia_free,
        inertia.one_unit,
        ("carried",),
    ),
    Quantity(
        "stiffness",
        "stiffness in the softest direction",
        "larger",
        ("stiffness",),
        _stiffness,
        of_directions,
        stiffness.stiffness,
        stiffness.holds,
        ("carried", "drive_stiffness"),
        regular=True,
    ),
    Quantity(
        "frequency",
        "lowest eigenfrequency",
        "larger",
        ("stiffness",),
        "Hz",
        of_everything,
        stiffness.frequency,
        stiffness.holds,
        ("carried", "drive_stiffness"),
        regular=True,
    ),
    Quantity(
        "accuracy",
        "largest error from encoder steps and play",
        "smaller",
        ("play",),
        _position,
        of_errors,
        accuracy.accuracy,
        accuracy.determined,
        ("drive_stiffness", "resolution", "clearance"),
        regular=True,
    ),
)

QUANTITIES: dict[str, Quantity] = {row.name: row for row in _ROWS}
"""Quantities of a robot at a pose, by name."""


def quantity_of(name: str) -> Quantity:
    """Return a quantity by its name.

    >>> pk.analysis.quantity_of("payload").unit
    'kg'
    """
    if name not in QUANTITIES:
        raise UnknownNameError("quantity", name, tuple(QUANTITIES))
    return QUANTITIES[name]
