"""Parameters that several legs have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import digits
from typing import Literal

import numpy as np

from parakin.arrays import Array
from parakin.description import Leg
from parakin.dynamics.parameters import Label, Parameter, Quantity
from parakin.errors import UnknownNameError

Sharing = bool | Literal["bodies"]
"""What identical legs have in common: nothing (False), every parameter (True), or their bodies alone ("bodies").

Bodies are made alike; friction and rotors of drives of one kind differ by tens of percent.
"""


@dataclass(frozen=True)
class Shared(Label):
    """One parameter that several legs may have in common; their owner is then named together, such as leg*.arm."""

    places: tuple[int, ...]
    """Its places among the standard parameters, one for each leg that shares it."""


def every_parameter(table: Sequence[Parameter]) -> tuple[Shared, ...]:
    """Return all parameters, none of them shared."""
    return tuple(Shared(one.owner, one.quantity, one.unit, (k,)) for k, one in enumerate(table))


def parameters_shared(table: Sequence[Parameter], legs: Sequence[Leg], shared: Sharing) -> tuple[Shared, ...]:
    """Return the parameters of a robot whose identical legs have in common what `shared` says."""
    if shared is False:
        return every_parameter(table)
    if shared not in (True, "bodies"):
        raise UnknownNameError("sharing", str(shared), ("bodies",))
    return shared_parameters(table, legs, bodies_only=shared == "bodies")


def shared_parameters(
    table: Sequence[Parameter], legs: Sequence[Leg], *, bodies_only: bool = False
) -> tuple[Shared, ...]:
    """Return the parameters of a robot whose identical legs have the same: leg1.arm.Izz, ... become leg*.arm.Izz.

    Legs are identical if element by element they are of the same kind and length, with the same parameters in the file;
    where they stand, and which way round, does not matter. bodies_only: friction and rotors are neither compared nor
    shared.
    """
    compared = [one for one in table if one.quantity.is_of_body] if bodies_only else table
    label = _labels(compared, legs)
    places: dict[tuple[str, Quantity], list[int]] = {}
    for k, parameter in enumerate(table):
        leg, dot, rest = parameter.owner.partition(".")
        owner = leg if bodies_only and not parameter.quantity.is_of_body else label.get(leg, leg)
        places.setdefault((f"{owner}{dot}{rest}", parameter.quantity), []).append(k)
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
