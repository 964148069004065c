"""Writes other dynamic parameters into a mechanism."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.description import Friction
from parakin.dynamics.graph.parameters import graph_parameters, has_coulomb
from parakin.dynamics.parameters import BODY_UNITS, Quantity
from parakin.mechanism.model import Body, Joint, JointFreedom, MechanismDescription
from parakin.mechanism.rod_bodies import RodBody
from parakin.mechanism.skeleton import Skeleton
from parakin.robot.leg_parameters import Values, about_centre


def changed_mechanism_tables(skeleton: Skeleton, parameters: Array, source: str) -> dict[str, object]:
    """Return what changes in the top table of a mechanism file where p takes the place of its values.

    parameters: those of the mechanism without a payload.
    """
    file, rods = skeleton.file, {rod.body: rod for rod in skeleton.rods if rod.turned is None}
    balls = {ball for rod in rods.values() for ball in rod.balls}
    table = graph_parameters(skeleton.parametrised, None)
    values = {(one.owner, one.quantity): float(value) for one, value in zip(table, parameters, strict=True)}
    bodies = [
        _rod_body(file, rods[body.name], values, source) if body.name in rods else _body(body, values, source)
        for body in file.bodies
    ]
    joints = [joint if joint.name in balls else _joint(joint, values, source) for joint in file.joints]
    return {
        "bodies": [body.model_dump() for body in bodies],
        "joints": [joint.model_dump(exclude_defaults=True) for joint in joints],
        "source": f"{source}; before: {file.source}"[:500],
    }


def along_line(file: MechanismDescription, rod: RodBody) -> float:
    """Return the moment of inertia of a rod's body about its line [kg m^2]."""
    x = (rod.ends[1] - rod.ends[0]) / np.linalg.norm(rod.ends[1] - rod.ends[0])
    body = next(body for body in file.bodies if body.name == rod.body)
    return float(x @ np.array(body.inertia) @ x)


def _rod_body(file: MechanismDescription, rod: RodBody, values: Values, source: str) -> Body:
    """The body of a rod that is a distance, round about its line: what it has about it stays as it is."""
    body = next(body for body in file.bodies if body.name == rod.body)
    if not body.mass:
        return body
    m, com, inertia = _round(values, rod.joint)
    x = (rod.ends[1] - rod.ends[0]) / np.linalg.norm(rod.ends[1] - rod.ends[0])
    tensor = inertia * (np.eye(3) - np.outer(x, x)) + along_line(file, rod) * np.outer(x, x)
    place = tuple((rod.ends[0] + com * x).tolist())
    rows = tuple(tuple(row.tolist()) for row in tensor)
    return body.model_copy(update={"mass": m, "com": place, "inertia": rows, "source": source})


def _round(values: Values, owner: str) -> tuple[float, float, float]:
    """Return mass, centre along the line and inertia across about it of a round rod."""
    m, mx, about_end = (values[owner, one] for one in (Quantity.M, Quantity.MX, Quantity.IYY))
    return m, mx / m, about_end - mx * mx / m


def _body(body: Body, values: Values, source: str) -> Body:
    if not body.mass:
        return body
    m, com, inertia = about_centre(np.array([values[body.name, quantity] for quantity in BODY_UNITS]))
    return body.model_copy(update={"mass": m, "com": com, "inertia": inertia, "source": source})


def _joint(joint: Joint, values: Values, source: str) -> Joint:
    """The joint with friction, inertias and rotors of its freedoms, and with its rod, if it has any."""
    update: dict[str, object] = {}
    freedoms = dict(joint.freedoms)
    for k, freedom in enumerate(joint.kind.freedoms):
        known, name = joint.freedom(k), f"{joint.name}.{freedom.name}"
        coulomb = values[name, Quantity.COULOMB] if has_coulomb(freedom, known) else 0.0
        friction = Friction(viscous=values[name, Quantity.VISCOUS], coulomb=coulomb)
        inertia = values[name, Quantity.INERTIA] if known.inertia else 0.0
        changed = known.model_copy(update={"friction": friction, "inertia": inertia} | _driven(known, name, values))
        if changed != JointFreedom():
            freedoms[freedom.name] = changed
    if freedoms:
        update["freedoms"] = freedoms
    if joint.rod is not None:
        m, com, inertia = _round(values, joint.name)
        update["rod"] = joint.rod.model_copy(update={"mass": m, "com": com, "inertia": inertia})
    return joint.model_copy(update=update | {"source": source}) if update else joint


def _driven(known: JointFreedom, name: str, values: Values) -> dict[str, object]:
    """The drive of a freedom, if it has one, with its rotor on the motor's side."""
    if known.drive is None:
        return {}
    rotor = values[name, Quantity.ROTOR] / known.drive.gear_ratio**2
    return {"drive": known.drive.model_copy(update={"rotor_inertia": rotor})}
