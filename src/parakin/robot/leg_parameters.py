"""Writes other dynamic parameters into a robot of legs."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.description import (
    OPEN_SPIN,
    Actuator,
    Attachment,
    Body,
    Element,
    Friction,
    Leg,
    PlatformBody,
    RobotDescription,
)
from parakin.dynamics.moments import SECOND_MOMENTS
from parakin.dynamics.parameters import BODY_UNITS, ROUND, Quantity, has_open_spin, parameters_of
from parakin.kinematics.joint_table import body_name

Values = dict[tuple[str, Quantity], float]
"""Value of each standard parameter, by its owner and quantity."""


def changed_tables(
    description: RobotDescription, written_out: tuple[Leg, ...], parameters: Array, source: str
) -> dict[str, object]:
    """Return what changes in the top table of a robot file where p takes the place of its values.

    parameters: those of the robot without a payload. written_out: its legs. Legs written once and repeated stay so if
    their parameters are the same, and are written out if not. What the forces do not depend on in any way, such as
    where the centre of a body is that does not turn, stays as it is.
    """
    table = parameters_of(description, None)
    values = {
        (parameter.owner, parameter.quantity): float(value) for parameter, value in zip(table, parameters, strict=True)
    }
    first = {leg.name: _first(leg) for leg in description.legs}
    same = _copies_agree(description, values)
    legs = description.legs if same else written_out
    changes: dict[str, object] = {
        "legs": [_leg(leg, first[leg.name] if same else leg.name, values, source).model_dump() for leg in legs],
        "platform": description.platform.model_dump()
        | {"bodies": [_platform_body(body, values, source).model_dump() for body in description.platform.bodies]},
        "source": f"{source}; before: {description.source}"[:500],
    }
    if not same:
        changes["symmetries"] = {}
    return changes


def _first(leg: Leg) -> str:
    """The leg's name among all legs; for copies, the name of the first."""
    return leg.name if leg.symmetry is None else f"{leg.name}1"


def _copies_agree(description: RobotDescription, values: Values) -> bool:
    """Tell whether all copies of a leg have the same parameters."""
    for leg in description.legs:
        if leg.symmetry is None:
            continue
        count = description.symmetries[leg.symmetry].count
        values_of_copies = [
            [v for (owner, _), v in values.items() if owner.partition(".")[0] == f"{leg.name}{k + 1}"]
            for k in range(count)
        ]
        if any(other != values_of_copies[0] for other in values_of_copies):
            return False
    return True


def _leg(leg: Leg, name: str, values: Values, source: str) -> Leg:
    elements = tuple(_element(element, name, values, source) for element in leg.elements)
    return leg.model_copy(update={"elements": elements, "attachment": _attachment(leg, name, values, source)})


def _attachment(leg: Leg, name: str, values: Values, source: str) -> Attachment:
    """The leg's attachment with friction and cross of its joint, where the file has them."""
    joint = leg.attachment.joint
    if joint is None:
        return leg.attachment
    owner, update = f"{name}.attachment", dict[str, object]()
    if joint.friction is not None:
        coulomb = 0.0 if joint.type in OPEN_SPIN else values[f"{owner}.joint", Quantity.COULOMB]
        update["friction"] = Friction(viscous=values[f"{owner}.joint", Quantity.VISCOUS], coulomb=coulomb)
    if joint.cross is not None:
        ten = np.array([values[f"{owner}.cross", quantity] for quantity in BODY_UNITS])
        m, com, inertia = about_centre(ten)
        numbers = {"mass": m, "com": com, "inertia": inertia, "source": source}
        update["cross"] = joint.cross.model_copy(update=numbers)
    return leg.attachment.model_copy(update={"joint": joint.model_copy(update=update)})


def _element(element: Element, leg: str, values: Values, source: str) -> Element:
    name = f"{leg}.{element.name}"
    update: dict[str, object] = {
        "bodies": tuple(
            _body(element, body, body_name(leg, element, body), values, source=source) for body in element.bodies
        )
    }
    if element.actuator is not None:
        update["actuator"] = _actuator(element.actuator, name, values, source)
    if element.drives_root:
        update["joint"] = element.joint.model_copy(update={"friction": Friction()})
    elif element.joint.type != "fixed":
        coulomb = 0.0 if element.joint.type in OPEN_SPIN else values[f"{name}.joint", Quantity.COULOMB]
        friction = Friction(viscous=values[f"{name}.joint", Quantity.VISCOUS], coulomb=coulomb)
        update["joint"] = element.joint.model_copy(update={"friction": friction})
    for key, inside in (("slide", element.slide_friction), ("swivel", element.swivel_friction)):
        if inside is not None:
            viscous, coulomb = (values[f"{name}.{key}", quantity] for quantity in (Quantity.VISCOUS, Quantity.COULOMB))
            update[f"{key}_friction"] = Friction(viscous=viscous, coulomb=coulomb)
    return element.model_copy(update=update)


def _actuator(actuator: Actuator, name: str, values: Values, source: str) -> Actuator:
    """The actuator with its parameters; the friction of a root that it turns itself is the actuator's."""
    friction = Friction(viscous=values[name, Quantity.VISCOUS], coulomb=values[name, Quantity.COULOMB])
    rotor = values[name, Quantity.ROTOR] / actuator.gear_ratio**2
    return actuator.model_copy(update={"friction": friction, "rotor_inertia": rotor, "source": source})


def _body(element: Element, body: Body, name: str, values: Values, *, source: str) -> Body:
    if not has_open_spin(element, body.part):
        m, com, inertia = about_centre(np.array([values[name, quantity] for quantity in BODY_UNITS]))
        return body.model_copy(update={"mass": m, "com": com, "inertia": inertia, "source": source})
    m, mx, across = (values[name, quantity] for quantity in ROUND)
    across_centre, along = across - mx * mx / m, body.inertia[0][0]
    inertia = ((along, 0.0, 0.0), (0.0, across_centre, 0.0), (0.0, 0.0, across_centre))
    return body.model_copy(update={"mass": m, "com": (mx / m, 0.0, 0.0), "inertia": inertia, "source": source})


def _platform_body(body: PlatformBody, values: Values, source: str) -> PlatformBody:
    ten = np.array([values[f"platform.{body.name}", quantity] for quantity in BODY_UNITS])
    m, com, inertia = about_centre(ten)
    moved = {"b": com, "inertia": inertia} if body.turns else {}
    return body.model_copy(update={"mass": m, "source": source} | moved)


def about_centre(ten: Array) -> tuple[float, tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Return mass, centre of mass and inertia about it: I_S = I - m (|r|^2 1 - r r^T)."""
    m, r = float(ten[0]), ten[1:4] / ten[0]
    tensor = np.zeros((3, 3))
    for value, (_, row, column) in zip(ten[4:], SECOND_MOMENTS, strict=True):
        tensor[row, column] = tensor[column, row] = value
    moved = tensor - m * (r @ r * np.eye(3) - np.outer(r, r))
    return m, tuple(r.tolist()), tuple(tuple(row) for row in moved.tolist())
