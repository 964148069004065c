"""Parameters that several legs have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import digits

import numpy as np

from parakin.arrays import Array
from parakin.description import Leg
from parakin.dynamics.parameters import Label, Parameter, Quantity


@dataclass(frozen=True)
class Shared(Label):
    """One parameter that several legs may have in common; their owner is then named together, such as leg*.arm."""

    places: tuple[int, ...]
    """Its places among the standard parameters, one for each leg that shares it."""


def every_parameter(table: Sequence[Parameter]) -> tuple[Shared, ...]:
    """Return all parameters, none of them shared."""
    return tuple(Shared(one.owner, one.quantity, one.unit, (k,)) for k, one in enumerate(table))


def shared_parameters(table: Sequence[Parameter], legs: Sequence[Leg]) -> tuple[Shared, ...]:
    """Return the parameters of a robot whose identical legs have the same: leg1.arm.Izz, ... become leg*.arm.Izz.

    Legs are identical if element by element they are of the same kind and length, with the same parameters in the file;
    where they stand, and which way round, does not matter.
    """
    label = _labels(table, legs)
    places: dict[tuple[str, Quantity], list[int]] = {}
    for k, parameter in enumerate(table):
        leg, dot, rest = parameter.owner.partition(".")
        places.setdefault((f"{label.get(leg, leg)}{dot}{rest}", parameter.quantity), []).append(k)
    return tuple(Shared(*key, table[where[0]].unit, tuple(where)) for key, where in places.items())


def combined(Psi: Array, parameters: Sequence[Shared]) -> Array:
    """Return the columns of shared parameters: the sums of the columns in their places."""
    places = np.concatenate([parameter.places for parameter in parameters])
    columns = Psi[..., places]
    if len(places) == len(parameters):
        return columns
    first = np.cumsum([0, *(len(parameter.places) for parameter in parameters[:-1])])
    return np.add.reduceat(columns, first, axis=-1)


def _labels(table: Sequence[Parameter], legs: Sequence[Leg]) -> dict[str, str]:
    """A name for each group of identical legs: leg*, or right*|left*, or leg1|leg3 if leg2 and leg4 are others."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for leg in legs:
        kinds = tuple((element.type, element.joint.type, element.length) for element in leg.elements)
        values = tuple(
            (parameter.owner.partition(".")[2], parameter.quantity, parameter.value)
            for parameter in table
            if parameter.part == leg.name
        )
        groups.setdefault((kinds, values), []).append(leg.name)
    stems = [dict.fromkeys(name.rstrip(digits) for name in names) for names in groups.values()]
    labels: dict[str, str] = {}
    for names, of_group in zip(groups.values(), stems, strict=True):
        alone = all(other is of_group or not of_group.keys() & other.keys() for other in stems)
        label = "|".join(f"{stem}*" for stem in of_group) if alone else "|".join(names)
        labels |= dict.fromkeys(names, names[0] if len(names) == 1 else label)
    return labels
