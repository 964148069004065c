"""Parameters that several legs have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import digits

import numpy as np

from parakin.arrays import Array
from parakin.description.model import Leg
from parakin.dynamics.parameters import Parameter


@dataclass(frozen=True)
class Shared:
    """One parameter in all its places: indices into the standard parameters."""

    name: str
    unit: str
    places: tuple[int, ...]


def every_parameter(table: Sequence[Parameter]) -> tuple[Shared, ...]:
    """Nothing shared."""
    return tuple(Shared(parameter.name, parameter.unit, (k,)) for k, parameter in enumerate(table))


def shared_parameters(table: Sequence[Parameter], legs: Sequence[Leg]) -> tuple[Shared, ...]:
    """Identical legs have the same parameters: leg1.arm.Izz, leg2.arm.Izz, ... become leg*.arm.Izz.

    Legs are identical if element by element they are of the same kind and length, with the same parameters in the file;
    where they stand, and which way round, does not matter.
    """
    label = _labels(table, legs)
    found: dict[str, list[int]] = {}
    for k, parameter in enumerate(table):
        owner, _, what = parameter.name.partition(".")
        found.setdefault(f"{label.get(owner, owner)}.{what}", []).append(k)
    return tuple(Shared(name, table[places[0]].unit, tuple(places)) for name, places in found.items())


def combined(Psi: Array, parameters: Sequence[Shared]) -> Array:
    """The columns of shared parameters: the sums of those of their places."""
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
            (parameter.name.removeprefix(f"{leg.name}."), parameter.value)
            for parameter in table
            if parameter.name.startswith(f"{leg.name}.")
        )
        groups.setdefault((kinds, values), []).append(leg.name)
    stems = [dict.fromkeys(name.rstrip(digits) for name in names) for names in groups.values()]
    labels: dict[str, str] = {}
    for names, own in zip(groups.values(), stems, strict=True):
        alone = all(other is own or not own.keys() & other.keys() for other in stems)
        label = "|".join(f"{stem}*" for stem in own) if alone else "|".join(names)
        labels |= dict.fromkeys(names, names[0] if len(names) == 1 else label)
    return labels
