"""What there is to know about a robot at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parakin.description import Actuator, Body, PlatformBody
from parakin.description.patterns import described
from parakin.mechanism import mobility_of
from parakin.robot.robot import Robot

Section = tuple[str, list[tuple[str, str]]]
"""A heading, and rows of (what, value)."""


def card(robot: Robot) -> list[Section]:
    """Return sections of rows (what, value) about a robot, for whoever prints them."""
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
        ("gravity", f"{_vector(description.gravity)} m/s^2"),
        ("home", _vector(description.workspace.home)),
        ("box around it", f"{_vector(description.workspace.lower)} to {_vector(description.workspace.upper)}"),
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
    actuators = [
        (name, _actuator(actuator)) for name, actuator in zip(robot.actuator_names, robot.actuators, strict=True)
    ]
    return [
        ("Robot", general),
        ("Elements", elements),
        ("Bodies", bodies(robot)),
        ("Actuators", actuators),
        ("Sources", sources(robot)),
    ]


def _mobility(robot: Robot) -> list[tuple[str, str]]:
    """Return what the joints let the platform do: line by line, each with what it is about."""
    lines = [line.split(": ", 1) for line in str(mobility_of(robot.description)).splitlines()]
    return [(what, value) for what, value in lines]


def bodies(robot: Robot) -> list[tuple[str, str]]:
    """Return each body of the robot file with mass, centre of mass and inertia tensor, those of a symmetry once."""
    rows = [
        (
            f"{leg.name}{'*' if leg.symmetry else ''}.{element.name}.{body.name}",
            _body(body, f"com {_vector(body.com)} m"),
        )
        for leg in robot.description.legs
        for element in leg.elements
        for body in element.bodies
    ]
    for body in robot.description.platform.bodies:
        place = f"b {_vector(body.b)} m" + (f", c {_vector(body.c)} m" if any(body.c) else "")
        rows.append((f"platform.{body.name}", _body(body, place)))
    return rows


def _body(body: Body | PlatformBody, place: str) -> str:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    products = f", Ixy, Ixz, Iyz {_vector((xy, xz, yz))}" if any((xy, xz, yz)) else ""
    return f"{body.mass:g} kg, {place}, Ixx, Iyy, Izz {_vector((xx, yy, zz))}{products} kg m^2"


def _vector(values: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{value:g}' for value in values)}]"


def _actuator(actuator: Actuator) -> str:
    parts, units = [actuator.coordinate], actuator.units
    if actuator.lower is not None and actuator.upper is not None:
        parts.append(f"{actuator.lower:g} to {actuator.upper:g} {units.position}")
    if actuator.force is not None:
        parts.append(f"{actuator.force:g} {units.force}")
    if actuator.speed is not None:
        parts.append(f"{actuator.speed:g} {units.velocity}")
    if actuator.gear_ratio != 1.0:
        parts.append(f"gear 1 : {actuator.gear_ratio:g}")
    friction = actuator.friction
    if friction.viscous or friction.coulomb:
        parts.append(f"friction {friction.viscous:g} viscous, {friction.coulomb:g} Coulomb")
    return ", ".join(parts)


def sources(robot: Robot) -> list[tuple[str, str]]:
    """Return each source once, with how many tables it stands behind; what is assumed shows here."""
    count: dict[str, int] = {}
    for source in _sources(robot.description.model_dump()):
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
