"""What there is to know about a robot at a glance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from parakin.description import Actuator, Body, PlatformBody, Table
from parakin.description.patterns import described
from parakin.errors import range_text
from parakin.robot.remembering import remembered_home, remembered_mobility
from parakin.robot.robot import Robot

if TYPE_CHECKING:
    from parakin.mechanism import Body as MechanismBody

Section = tuple[str, list[tuple[str, str]]]
"""A heading, and rows of (what, value)."""


_ORIGINS = {"root": "the root", "tip": "the tip, with which it moves", "ring": "the joint, on its ring"}
"""What the centre of mass of a body is counted from, by the part it is fixed to."""


def card(robot: Robot) -> list[Section]:
    """Return sections of rows (what, value) about a robot, for whoever prints them.

    >>> title, rows = pk.robot.card(robot)[0]
    >>> rows[0]
    ('motion', 'translation, 3 degrees of freedom, pose (x, y, z)')
    """
    if robot.legs:
        return _card_of_legs(robot)
    from parakin.robot.mechanism_cards import mechanism_card

    return mechanism_card(robot.graph)


def _at_home(q: float, actuator: Actuator) -> str:
    if not math.isfinite(q):
        return "home is singular or out of its reach, see parakin check"
    return f"{q:.4g} {actuator.units.position} at home"


def _card_of_legs(robot: Robot) -> list[Section]:
    description = robot.description
    legs = robot.legs
    leg_mass = sum(body.mass for leg in legs for element in leg.elements for body in element.bodies)
    platform_mass = sum(body.mass for body in description.platform.bodies)
    coordinates = ", ".join(robot.motion_type.coordinates)
    general = [
        ("motion", f"{robot.motion}, {robot.degrees_of_freedom} degrees of freedom, pose ({coordinates})"),
        ("legs", f"{len(legs)}: {', '.join(sorted({described(leg) for leg in legs}))}"),
        *_mobility(robot),
        ("bodies", f"{len(robot.body_names)}: {leg_mass:.3f} kg in the legs, {platform_mass:.3f} kg in the platform"),
        *tool_row(robot),
        ("gravity", f"{vector_text(description.gravity)} m/s^2"),
        ("home", vector_text(description.workspace.home)),
        ("box around it", f"{vector_text(description.workspace.lower)} to {vector_text(description.workspace.upper)}"),
        ("length", f"{description.length} m, scales rotations against translations"),
    ]
    elements = [
        (
            f"{leg.name}.{element.name}",
            f"{element.type} on {element.joint.type}"
            + (f", {element.length} m" if element.length is not None else "")
            + (f": {', '.join(body.name for body in element.bodies)}" if element.bodies else ""),
        )
        for leg in legs
        for element in leg.elements
    ]
    driven = [element.actuator for leg in robot.legs for element in leg.elements if element.actuator is not None]
    actuators = [
        (name, f"{_actuator(actuator)}; {_at_home(q, actuator)}")
        for name, actuator, q in zip(robot.actuator_names, driven, remembered_home(robot), strict=True)
    ]
    return [
        ("Robot", general),
        ("Elements", elements),
        ("Bodies", bodies(robot)),
        ("Actuators", actuators),
        ("Sources", sources(description)),
    ]


def tool_row(robot: Robot) -> list[tuple[str, str]]:
    """Return the row that tells where a robot's tool frame is; none if it has no tool."""
    return [("tool", f"{vector_text(robot.tool.position)} m in the output frame")] if robot.tool is not None else []


def _mobility(robot: Robot) -> list[tuple[str, str]]:
    """Return what the joints let the platform do: line by line, each with what it is about."""
    lines = [line.split(": ", 1) for line in str(remembered_mobility(robot.description)).splitlines()]
    return [(what, value) for what, value in lines]


def bodies(robot: Robot) -> list[tuple[str, str]]:
    """Return each body of the robot file with mass, centre of mass and inertia tensor, those of a symmetry once."""
    rows = [
        (
            f"{leg.name}{'*' if leg.symmetry else ''}.{element.name}.{body.name}",
            body_text(body, f"com {vector_text(body.com)} m from {_ORIGINS[body.part]}"),
        )
        for leg in robot.description.legs
        for element in leg.elements
        for body in element.bodies
    ]
    for body in robot.description.platform.bodies:
        place = f"b {vector_text(body.b)} m" + (f", c {vector_text(body.c)} m" if any(body.c) else "")
        rows.append((f"platform.{body.name}", body_text(body, place)))
    return rows


def body_text(body: Body | PlatformBody | MechanismBody, place: str) -> str:
    """Return mass, place and inertia tensor of a body as a card prints them."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    products = f", Ixy, Ixz, Iyz {vector_text((xy, xz, yz))}" if any((xy, xz, yz)) else ""
    return f"{body.mass:g} kg, {place}, Ixx, Iyy, Izz {vector_text((xx, yy, zz))}{products} kg m^2"


def vector_text(values: Iterable[float]) -> str:
    """Return numbers as a card prints them."""
    return f"[{', '.join(f'{value:g}' for value in values)}]"


def limits_text(lower: float | None, upper: float | None, unit: str) -> str:
    """Return the limits of a coordinate, of which a file may leave out either."""
    return range_text(-math.inf if lower is None else lower, math.inf if upper is None else upper, unit)


def _actuator(actuator: Actuator) -> str:
    parts, units = [actuator.coordinate], actuator.units
    if actuator.lower is not None or actuator.upper is not None:
        parts.append(limits_text(actuator.lower, actuator.upper, units.position))
    if actuator.force is not None:
        parts.append(f"{actuator.force:g} {units.force}")
    if actuator.speed is not None:
        parts.append(f"{actuator.speed:g} {units.velocity}")
    if actuator.stiffness is not None:
        parts.append(f"{actuator.stiffness:g} {units.stiffness}")
    if actuator.gear_ratio != 1.0:
        parts.append(f"gear 1 : {actuator.gear_ratio:g}")
    friction = actuator.friction
    if friction.viscous or friction.coulomb:
        parts.append(f"friction {friction.viscous:g} viscous, {friction.coulomb:g} Coulomb")
    return ", ".join(parts)


def sources(description: Table) -> list[tuple[str, str]]:
    """Return each source once, with how many tables it stands behind; what is assumed shows here."""
    count: dict[str, int] = {}
    for source in _sources(description.model_dump(exclude_none=True)):
        count[source] = count.get(source, 0) + 1
    return [(f"{number} {'table' if number == 1 else 'tables'}", source) for source, number in count.items()]


def _sources(table: Any) -> Iterator[str]:
    if isinstance(table, dict):
        for key, value in table.items():  # pyright: ignore[reportUnknownVariableType]
            if key == "source":
                yield str(value)  # pyright: ignore[reportUnknownArgumentType]
            else:
                yield from _sources(value)
    elif isinstance(table, tuple | list):
        for entry in table:  # pyright: ignore[reportUnknownVariableType]
            yield from _sources(entry)
