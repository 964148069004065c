"""The table of quantities: a new one is a function of good poses and a row here."""

from __future__ import annotations

from parakin.analysis import accuracy, capability, dexterity, inertia, stiffness
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
    Quantity("condition", "condition number", "smaller", (), NUMBER, dexterity.condition),
    Quantity("dexterity", "dexterity: 1/condition number", "larger", (), NUMBER, dexterity.dexterity),
    Quantity("isotropy", "isotropy", "larger", (), NUMBER, dexterity.isotropy),
    Quantity(
        "velocity",
        "largest speed in the worst direction",
        "larger",
        ("speed limits",),
        _speed,
        capability.velocity,
        capability.enough_motors,
    ),
    Quantity(
        "force",
        "largest force in the worst direction",
        "larger",
        ("force limits",),
        _force,
        capability.force,
        capability.enough_motors,
    ),
    Quantity(
        "acceleration",
        "largest acceleration in the worst direction",
        "larger",
        ("force limits",),
        _acceleration,
        capability.acceleration,
        capability.enough_motors,
    ),
    Quantity(
        "payload",
        "largest payload",
        "larger",
        ("force limits",),
        "kg",
        capability.payload,
        capability.enough_motors,
    ),
    Quantity(
        "inertia",
        "effective inertia of an actuator, others held",
        "smaller",
        (),
        inertia.inertia_unit,
        inertia.inertia,
        inertia.as_many_motors,
    ),
    Quantity(
        "inertia_free",
        "effective inertia of an actuator, others free",
        "smaller",
        (),
        inertia.inertia_unit,
        inertia.inertia_free,
        inertia.one_unit,
    ),
    Quantity(
        "stiffness",
        "stiffness in the softest direction",
        "larger",
        ("stiffness",),
        _stiffness,
        stiffness.stiffness,
        stiffness.holds,
    ),
    Quantity(
        "frequency", "lowest eigenfrequency", "larger", ("stiffness",), "Hz", stiffness.frequency, stiffness.holds
    ),
    Quantity(
        "accuracy",
        "largest error from encoder steps and play",
        "smaller",
        ("play",),
        _position,
        accuracy.accuracy,
        accuracy.determined,
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
