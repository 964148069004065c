"""Writes other dynamic parameters into a mechanism."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.description import Friction
from parakin.dynamics.graph.parameters import graph_parameters
from parakin.dynamics.parameters import BODY_UNITS, Quantity
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import Body, Joint, JointFreedom, MechanismDescription
from parakin.robot.leg_parameters import Values, about_centre


def changed_mechanism_tables(description: MechanismDescription, parameters: Array, source: str) -> dict[str, object]:
    """Return what changes in the top table of a mechanism file where p takes the place of its values.

    parameters: those of the mechanism without a payload.
    """
    table = graph_parameters(description, None)
    values = {(one.owner, one.quantity): float(value) for one, value in zip(table, parameters, strict=True)}
    return {
        "bodies": [_body(body, values, source).model_dump() for body in description.bodies],
        "joints": [_joint(joint, values, source).model_dump(exclude_defaults=True) for joint in description.joints],
        "source": f"{source}; before: {description.source}"[:500],
    }


def _body(body: Body, values: Values, source: str) -> Body:
    if not body.mass:
        return body
    m, com, inertia = about_centre(np.array([values[body.name, quantity] for quantity in BODY_UNITS]))
    return body.model_copy(update={"mass": m, "com": com, "inertia": inertia, "source": source})


def _joint(joint: Joint, values: Values, source: str) -> Joint:
    """The joint with friction and rotors of its freedoms, and with its rod, if it has any."""
    update: dict[str, object] = {}
    freedoms = dict(joint.freedoms)
    for k, freedom in enumerate(joint.kind.freedoms):
        known, name = joint.freedom(k), f"{joint.name}.{freedom.name}"
        coulomb = 0.0 if freedom.move is Move.BALL else values[name, Quantity.COULOMB]
        friction = Friction(viscous=values[name, Quantity.VISCOUS], coulomb=coulomb)
        changed = known.model_copy(update={"friction": friction} | _driven(known, name, values))
        if changed != JointFreedom():
            freedoms[freedom.name] = changed
    if freedoms:
        update["freedoms"] = freedoms
    if joint.rod is not None:
        m, mx, about_end = (values[joint.name, one] for one in (Quantity.M, Quantity.MX, Quantity.IYY))
        numbers = {"mass": m, "com": mx / m, "inertia": about_end - mx * mx / m}
        update["rod"] = joint.rod.model_copy(update=numbers)
    return joint.model_copy(update=update | {"source": source}) if update else joint


def _driven(known: JointFreedom, name: str, values: Values) -> dict[str, object]:
    """The drive of a freedom, if it has one, with its rotor on the motor's side."""
    if known.drive is None:
        return {}
    rotor = values[name, Quantity.ROTOR] / known.drive.gear_ratio**2
    return {"drive": known.drive.model_copy(update={"rotor_inertia": rotor})}
