"""Dynamic parameters of bodies, rotors and joints as expressions, where some keys of a robot file are symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from parakin.description import Body, Element, PlatformBody
from parakin.description.shape_tables import UPRIGHT, Place, RawTable
from parakin.description.shapes import SHAPES, Rod, Tube, tensor_of
from parakin.dynamics.moments import SECOND_MOMENTS

Number = ca.SX | float
"""A number of the file, or an expression in its place."""


@dataclass(frozen=True)
class Varied:
    """A robot file some of whose keys have expressions as their values."""

    tables: Mapping[str, object]
    """The tables of the file, before they were read."""
    values: Mapping[Place, ca.SX]
    """Expressions, by the place of their key."""

    def number(self, place: Place, otherwise: float) -> Number:
        """Return the expression at a place, or the number that the description has there."""
        return self.values.get(place, otherwise)

    def vector(self, place: Place, otherwise: Sequence[float]) -> tuple[Number, ...]:
        """Return a list of numbers with the expressions that are among them."""
        return tuple(self.number((*place, k), value) for k, value in enumerate(otherwise))

    def below(self, place: Place) -> bool:
        """Return whether any key inside a table is varied."""
        return any(one[: len(place)] == place for one in self.values)

    def raw(self, place: Place) -> RawTable:
        """Return a table as the file has it; empty where it has none."""
        here: Any = self.tables
        for step in place:
            here = here[step] if isinstance(step, int) else here.get(step, {})
        return here


def body_parameters(
    varied: Varied, place: Place, body: Body | PlatformBody, element: Element | None
) -> dict[str, Number]:
    """Return m, m r and I + m (|r|^2 1 - r r^T) of a body by the names of quantities; empty if none of it is varied.

    element: what carries the body; None for a body of the platform.
    """
    shaped = "shape" in varied.raw(place)
    by_length = shaped and element is not None and (*place[:-2], "length") in varied.values
    if not (varied.below(place) or by_length):
        return {}
    mass = varied.number((*place, "mass"), body.mass)
    if isinstance(body, PlatformBody):
        given = body.b if body.turns else (0.0, 0.0, 0.0)
        com = varied.vector((*place, "b"), given) if body.turns else given
    else:
        com = varied.vector((*place, "com"), body.com)
    inertia: Sequence[Sequence[Number]]
    if shaped:
        com, inertia = _shaped(varied, place, element, mass, com)
    else:
        inertia = [varied.vector((*place, "inertia", k), row) for k, row in enumerate(body.inertia)]
    return _ten(mass, com, inertia)


def _ten(mass: Number, com: Sequence[Number], inertia: Sequence[Sequence[Number]]) -> dict[str, Number]:
    squared: Number = com[0] * com[0] + com[1] * com[1] + com[2] * com[2]
    ten: dict[str, Number] = {"m": mass, **{f"m{axis}": mass * com[k] for k, axis in enumerate("xyz")}}
    for name, row, column in SECOND_MOMENTS:
        ten[name] = inertia[row][column] + mass * ((squared if row == column else 0.0) - com[row] * com[column])
    return ten


def _shaped(
    varied: Varied, place: Place, element: Element | None, mass: Number, com: tuple[Number, ...]
) -> tuple[tuple[Number, ...], Sequence[Sequence[Number]]]:
    """Return the centre of mass and the tensor of a body that the file gives by its shape, as `shape_tables` does."""
    table = varied.raw(place)
    kind = SHAPES[str(table["shape"])]
    sizes: dict[str, Any] = {}
    for key in kind.model_fields:
        if key == "sides":
            sizes[key] = varied.vector((*place, key), table[key])
        elif key == "length" and key not in table and (*place, key) not in varied.values and element is not None:
            sizes[key] = varied.number((*place[:-2], "length"), element.length or 0.0)
        elif key in table or (*place, key) in varied.values:
            sizes[key] = table[key] if key == "shape" else varied.number((*place, key), table.get(key, 0.0))
    shape = kind.model_construct(**sizes)
    part = table.get("part", "root")
    axis = UPRIGHT.axis if element is None else (-1.0, 0.0, 0.0) if part == "tip" else (1.0, 0.0, 0.0)
    if isinstance(shape, Rod | Tube) and element is not None and part in ("root", "tip") and "com" not in table:
        com = tuple(0.5 * shape.length * one for one in axis)
    return com, tensor_of(shape, mass, axis)  # pyright: ignore[reportArgumentType]


def drive_parameters(varied: Varied, place: Place, element: Element) -> dict[str, Number]:
    """Return what of an element's rotor and friction is in the vector of parameters, by the ends of their names."""
    joint, actuator = element.joint, element.actuator
    at_joint = {
        key: varied.number((*place, "joint", "friction", key), getattr(joint.friction, key))
        for key in ("viscous", "coulomb")
    }
    if actuator is None:
        return {f"joint.{key}": value for key, value in at_joint.items()}
    own = {
        key: varied.number((*place, "actuator", "friction", key), getattr(actuator.friction, key))
        for key in ("viscous", "coulomb")
    }
    ratio = varied.number((*place, "actuator", "gear_ratio"), actuator.gear_ratio)
    rotor = varied.number((*place, "actuator", "rotor_inertia"), actuator.rotor_inertia)
    if element.drives_root:
        return {"rotor": ratio * ratio * rotor, **{key: own[key] + at_joint[key] for key in own}}
    return {"rotor": ratio * ratio * rotor, **own, **{f"joint.{key}": value for key, value in at_joint.items()}}
