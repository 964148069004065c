"""Express what kernels take, dimensions, directions, dynamic parameters and home, in a study's parameters.

A robot file that is read for every design would take longer than all its poses. So what the loader does is written here
once more, for symbols, where it is arithmetic:

    geometry      is affine in lengths, zeros, roots and attachments; symmetries turn them
    directions    likewise, for kernels bring them to unit length
    parameters    m, m r and I + m (|r|^2 1 - r r^T) of each body, tensors of shapes, friction and rotors

The loader has the last word: `checked` compares the two on files with other numbers, and a study whose keys are not
among these is evaluated by a robot for each design.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.description import Leg, RobotDescription
from parakin.description.shape_tables import Place
from parakin.description.values import INERTIA_TOLERANCE
from parakin.design.moments import Number, Varied, body_parameters, drive_parameters
from parakin.dynamics.parameters import parameters_of
from parakin.kinematics.dimensions import dimensions_of
from parakin.kinematics.directions import directions_of
from parakin.kinematics.joint_table import body_name

GEOMETRY_KEYS = ("root", "length", "zero", "b", "c")
"""Keys of legs on which `Robot.geometry` depends."""
DIRECTION_KEYS = ("axis", "reference", "direction")
"""Keys of legs on which `Robot.directions` depends."""
BODY_KEYS = ("mass", "com", "b", "inertia", "length", "radius", "outer_radius", "inner_radius", "sides")
"""Keys of bodies on which `Robot.parameters` depends."""
DRIVE_KEYS = ("rotor_inertia", "gear_ratio", "viscous", "coulomb")
"""Keys of actuators and joints on which `Robot.parameters` depends."""


Vectorised = Callable[[RobotDescription], Array]
"""What gives a vector of numbers of a robot."""


class NotArithmeticError(Exception):
    """A key whose meaning is more than arithmetic, so that each design needs a robot of its own."""


@dataclass(frozen=True)
class Variation:
    """What kernels take, as expressions in the study's parameters."""

    x: ca.SX
    """Symbols of the parameters, in the order of the study."""
    inputs: Mapping[str, ca.SX]
    """Of "geometry", "directions" and "parameters" those that depend on x."""
    home: ca.SX
    """The pose from which offsets count."""
    mass: ca.SX
    """Mass of all that moves [kg]."""
    positive: ca.SX
    """Numbers that must be above zero in a robot file: lengths, masses and sizes that depend on x."""

    @property
    def function(self) -> ca.Function:
        """All of it as one function of x."""
        outputs = {**self.inputs, "home": self.home, "mass": self.mass, "positive": self.positive}
        return ca.Function("design", [self.x], list(outputs.values()), ["x"], list(outputs))


def variation_of(
    description: RobotDescription, tables: Mapping[str, object], values: Mapping[Place, ca.SX], x: ca.SX
) -> Variation:
    """Return what kernels take where some keys of a robot file have other values, given as expressions in x.

    description: the robot as its file has it; tables: the same before it was read. NotArithmeticError for keys of which
    this cannot be said.
    """
    for place in values:
        _refuse_others(place)
    affine = {place: value for place, value in values.items() if _is_of_legs(place)}
    geometry = {place: value for place, value in affine.items() if _key(place) in GEOMETRY_KEYS}
    directions = _whole_vectors({place: v for place, v in affine.items() if _key(place) in DIRECTION_KEYS}, tables)
    inputs: dict[str, ca.SX] = {}
    for name, own, vector in (("geometry", geometry, _dimensions), ("directions", directions, _directions)):
        if own:
            inputs[name] = _affine(description, own, vector)
    parameters = _parameters(description, Varied(tables, values))
    if not parameters.is_constant():
        inputs["parameters"] = parameters
    positive = [value for place, value in values.items() if _key(place) in ("length", "mass", "gear_ratio", "sides")]
    positive += _possible(description, Varied(tables, values))
    return Variation(
        x, inputs, _home(description, values), _mass(description, parameters), ca.vertcat(ca.SX(1), *positive)
    )


def _dimensions(description: RobotDescription) -> Array:
    return np.array([entry.value for entry in dimensions_of(description)])


def _directions(description: RobotDescription) -> Array:
    return np.array([entry.value for entry in directions_of(description)])


def _key(place: Place) -> str:
    """Return the last name of a place, its index in a list left out."""
    return [step for step in place if isinstance(step, str)][-1]


def _is_of_legs(place: Place) -> bool:
    """Whether a place is of a leg itself: its dimensions and directions, not a body's."""
    return place[0] == "legs" and "bodies" not in place and "cross" not in place


def _refuse_others(place: Place) -> None:
    """Raise NotArithmeticError for a key on which more depends than vectors of numbers."""
    key = _key(place)
    if place[:2] == ("workspace", "home"):
        return
    of_element = place[0] == "legs" and len(place) > 4 and place[4] in ("joint", "actuator")
    if _is_of_legs(place) and (key in (*GEOMETRY_KEYS, *DIRECTION_KEYS) or (of_element and key in DRIVE_KEYS)):
        return
    if "bodies" in place and key in BODY_KEYS:
        return
    raise NotArithmeticError(key)


def _whole_vectors(values: Mapping[Place, ca.SX], tables: Mapping[str, object]) -> dict[Place, ca.SX]:
    """Return values of all three components of each vector, as the file has those that are not varied.

    A description has directions of unit length; a file may have others.
    """
    varied = Varied(tables, values)
    vectors = dict.fromkeys(place[:-1] for place in values)
    return {
        (*place, k): ca.SX(value)
        for place in vectors
        for k, value in enumerate(varied.vector(place, cast("Sequence[float]", varied.raw(place))))
    }


def _affine(description: RobotDescription, values: Mapping[Place, ca.SX], vector: Vectorised) -> ca.SX:
    """Return a vector that is affine in some numbers of the legs: v(old) + sum of (new - old) dv/dvalue."""
    base = vector(description)
    result = ca.SX(ca.DM(base))
    for place, value in values.items():
        old = _at(description, place)
        if old is None:
            raise NotArithmeticError(_key(place))
        moved = vector(_moved(description, place, old + 1.0))
        if len(moved) != len(base) or (np.array_equal(moved, base) and not value.is_constant()):
            raise NotArithmeticError(_key(place))  # it decides something else than this vector
        result += (value - old) * ca.SX(ca.DM(moved - base))
    return result


def _at(description: RobotDescription, place: Place) -> float | None:
    here: Any = description
    for step in place:
        here = here[step] if isinstance(step, int) else getattr(here, step, None)
        if here is None:
            return None
    return float(here)


def _moved(here: Any, place: Place, value: float) -> Any:
    """Return a description with another number at a place, unchecked."""
    if not place:
        return value
    step, rest = place[0], place[1:]
    if isinstance(step, int):
        return tuple(_moved(entry, rest, value) if k == step else entry for k, entry in enumerate(here))
    return here.model_copy(update={step: _moved(getattr(here, step), rest, value)})


def _home(description: RobotDescription, values: Mapping[Place, ca.SX]) -> ca.SX:
    home = ca.SX(ca.DM(description.workspace.home))
    for place, value in values.items():
        if place[0] == "workspace":
            home[cast("int", place[2])] = value
    return home


def _parameters(description: RobotDescription, varied: Varied) -> ca.SX:
    """Return the vector of dynamic parameters, in the order of `parameters_of`: the file's, where nothing is varied."""
    known = {label.name: ca.SX(label.value) for label in parameters_of(description, None)}
    for k, leg in enumerate(description.legs):
        copies = copies_of(description, leg)
        for m, element in enumerate(leg.elements):
            place: Place = ("legs", k, "elements", m)
            for name in copies:
                drive = drive_parameters(varied, place, element) if varied.below(place) else {}
                known |= _present(known, f"{name}.{element.name}", drive)
                for n, body in enumerate(element.bodies):
                    ten = body_parameters(varied, (*place, "bodies", n), body, element)
                    known |= _present(known, body_name(name, element, body), ten)
    for n, body in enumerate(description.platform.bodies):
        ten = body_parameters(varied, ("platform", "bodies", n), body, None)
        known |= _present(known, f"platform.{body.name}", ten)
    return ca.vertcat(*known.values())


def _possible(description: RobotDescription, varied: Varied) -> list[ca.SX]:
    """Return what is above zero where varied tensors are of bodies: tr(I)/2 - I_kk, and a trace for rounding.

    That is all that a diagonal tensor must fulfil; of others the loader asks more.
    """
    bodies = [
        (("legs", k, "elements", m, "bodies", n), body)
        for k, leg in enumerate(description.legs)
        for m, element in enumerate(leg.elements)
        for n, body in enumerate(element.bodies)
    ]
    bodies += [(("platform", "bodies", n), body) for n, body in enumerate(description.platform.bodies)]
    found: list[ca.SX] = []
    for place, body in bodies:
        if varied.below((*place, "inertia")):
            tensor = [varied.vector((*place, "inertia", k), row)[k] for k, row in enumerate(body.inertia)]
            trace = ca.SX(tensor[0] + tensor[1] + tensor[2])
            found += [trace / 2 - one + INERTIA_TOLERANCE * ca.fabs(trace) + 1e-300 for one in tensor]
    return found


def _present(known: Mapping[str, ca.SX], owner: str, found: Mapping[str, Number]) -> dict[str, ca.SX]:
    named = {f"{owner}.{quantity}": ca.SX(value) for quantity, value in found.items()}
    return {name: value for name, value in named.items() if name in known}


def copies_of(description: RobotDescription, leg: Leg) -> list[str]:
    """Return the names of the written-out legs that a leg of the file becomes."""
    if leg.symmetry is None:
        return [leg.name]
    return [f"{leg.name}{n + 1}" for n in range(description.symmetries[leg.symmetry].count)]


def _mass(description: RobotDescription, parameters: ca.SX) -> ca.SX:
    """Return the mass of all bodies of legs and platform."""
    labels = parameters_of(description, None)
    masses = [parameters[k] for k, label in enumerate(labels) if label.quantity == "m"]
    return ca.sum1(ca.vertcat(ca.SX(0), *masses))


def vectors_of(description: RobotDescription) -> dict[str, Array]:
    """Return what kernels take of a robot that was loaded, by the names of `Variation.function`."""
    return {
        "geometry": _dimensions(description),
        "directions": _directions(description),
        "parameters": np.array([entry.value for entry in parameters_of(description, None)]),
        "home": np.array(description.workspace.home),
    }
