"""The table of quantities: a new one is a function of good poses and a row here."""

from __future__ import annotations

from parakin.analysis import accuracy, capability, dexterity, inertia, stiffness, subjects
from parakin.analysis.options import Options, directions_of
from parakin.analysis.quantity import Quantity
from parakin.errors import UnknownNameError
from parakin.robot import Robot
from parakin.units import NUMBER


def _speed(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.velocity


def _force(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.force


def _acceleration(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.acceleration


def _stiffness(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.stiffness


def _position(robot: Robot, options: Options) -> str:
    return directions_of(robot, options).units.position


_ROWS = (
    Quantity(
        "condition",
        "condition number",
        "smaller",
        (),
        NUMBER,
        subjects.of_motors_map,
        dexterity.condition,
        dexterity.moved_by_motors,
    ),
    Quantity(
        "dexterity",
        "dexterity: 1/condition number",
        "larger",
        (),
        NUMBER,
        subjects.of_motors_map,
        dexterity.dexterity,
        dexterity.moved_by_motors,
    ),
    Quantity(
        "isotropy",
        "isotropy",
        "larger",
        (),
        NUMBER,
        subjects.of_motors_map,
        dexterity.isotropy,
        dexterity.moved_by_motors,
    ),
    Quantity(
        "velocity",
        "largest speed in the worst direction",
        "larger",
        ("speed limits",),
        _speed,
        subjects.of_directions,
        capability.velocity,
        capability.enough_motors,
    ),
    Quantity(
        "force",
        "largest force in the worst direction",
        "larger",
        ("force limits",),
        _force,
        subjects.of_directions,
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
        subjects.of_directions,
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
        subjects.of_payload,
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
        subjects.of_actuators,
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
        subjects.of_actuators,
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
        subjects.of_directions,
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
        subjects.of_everything,
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
        subjects.of_directions,
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
