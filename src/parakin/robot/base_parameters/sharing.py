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
from parakin.errors import UnknownNameError, UnsupportedRobotError

Sharing = bool | Literal["bodies"]
"""What identical legs have in common: nothing (False), every parameter (True), or their bodies alone ("bodies").

Bodies are made alike; friction and rotors of drives of one kind differ by tens of percent.
"""

REAL_MACHINE: Sharing = "bodies"
"""What identical legs of a real machine have in common: what `excite --shared` and `identify --shared` mean."""

ALIKE = 1e-9
"""Lengths and parameters of two legs that differ by less than this, relative to the larger of their kind, are alike."""


@dataclass(frozen=True)
class AlikeLegs:
    """Legs whose parameters are taken for the same."""

    legs: tuple[str, ...]
    """Their names, two or more."""
    difference: float
    """The largest relative difference between a number of the first of them and of another; 0 if there is none."""

    def __str__(self) -> str:
        differ = f"differ by {self.difference:.1e} at most" if self.difference else "do not differ"
        return f"{', '.join(self.legs)} are taken for alike: their numbers {differ}"


@dataclass(frozen=True)
class Shared(Label):
    """One parameter that several legs may have in common; their owner is then named together, such as leg*.arm."""

    places: tuple[int, ...]
    """Its places among the standard parameters, one for each leg that shares it."""


def every_parameter(table: Sequence[Parameter]) -> tuple[Shared, ...]:
    """Return all parameters, none of them shared."""
    return tuple(Shared(one.owner, one.quantity, one.unit, (k,)) for k, one in enumerate(table))


def sharing_of(robot: str, legs: Sequence[Leg], shared: bool) -> Sharing:
    """Return what identical legs of a real machine share, if they are to; refuse that where there are no legs."""
    if shared and not legs:
        raise UnsupportedRobotError(robot, "is a mechanism without legs that could be alike: leave `shared` out")
    return REAL_MACHINE if shared else False


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

    Legs are identical if element by element they are of the same kind and length, with the same parameters in the file,
    but for differences of ALIKE; where they stand, and which way round, does not matter. `alike_legs` tells which are.
    bodies_only: friction and rotors are neither compared nor shared.
    """
    label = _labels(_compared(table, bodies_only), legs)
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


def alike_legs(table: Sequence[Parameter], legs: Sequence[Leg], shared: Sharing) -> tuple[AlikeLegs, ...]:
    """Return the legs that share their parameters, group by group; a leg like no other is in none."""
    if shared is False:
        return ()
    return tuple(group for group in _groups(_compared(table, shared == "bodies"), legs) if len(group.legs) > 1)


def _compared(table: Sequence[Parameter], bodies_only: bool) -> Sequence[Parameter]:
    return [one for one in table if one.quantity.is_of_body] if bodies_only else table


def _groups(table: Sequence[Parameter], legs: Sequence[Leg]) -> list[AlikeLegs]:
    """All legs, each with those that are like the first of its group."""
    firsts: list[_Numbers] = []
    groups: list[AlikeLegs] = []
    for leg in legs:
        numbers = _numbers(table, leg)
        differences = [_difference(first, numbers) for first in firsts]
        k = next((k for k, difference in enumerate(differences) if difference <= ALIKE), None)
        if k is None:
            firsts.append(numbers)
            groups.append(AlikeLegs((leg.name,), 0.0))
        else:
            groups[k] = AlikeLegs((*groups[k].legs, leg.name), max(groups[k].difference, differences[k]))
    return groups


@dataclass(frozen=True)
class _Numbers:
    """What is compared of a leg."""

    kinds: tuple[object, ...]
    units: tuple[str, ...]
    values: tuple[float, ...]


def _numbers(table: Sequence[Parameter], leg: Leg) -> _Numbers:
    own = [parameter for parameter in table if parameter.part == leg.name]
    elements = tuple((element.type, element.joint.type, element.length is None) for element in leg.elements)
    kinds = (elements, tuple((parameter.owner.partition(".")[2], parameter.quantity) for parameter in own))
    lengths = [element.length for element in leg.elements if element.length is not None]
    units = ("m",) * len(lengths) + tuple(parameter.unit for parameter in own)
    return _Numbers(kinds, units, (*lengths, *(parameter.value for parameter in own)))


def _difference(a: _Numbers, b: _Numbers) -> float:
    """The largest difference, relative to the largest number with its unit in both; infinite if their kinds differ."""
    if a.kinds != b.kinds:
        return np.inf
    pairs = list(zip(a.units, a.values, b.values, strict=True))
    largest: dict[str, float] = {}
    for unit, one, other in pairs:
        largest[unit] = max(largest.get(unit, 0.0), abs(one), abs(other))
    return max((abs(one - other) / (largest[unit] or 1.0) for unit, one, other in pairs), default=0.0)


def _labels(table: Sequence[Parameter], legs: Sequence[Leg]) -> dict[str, str]:
    """A name for each group of identical legs: leg*, or right*|left*, or leg1|leg3 if leg2 and leg4 are others."""
    groups = [group.legs for group in _groups(table, legs)]
    stems = [dict.fromkeys(name.rstrip(digits) for name in names) for names in groups]
    labels: dict[str, str] = {}
    for names, of_group in zip(groups, stems, strict=True):
        alone = all(other is of_group or not of_group.keys() & other.keys() for other in stems)
        label = "|".join(f"{stem}*" for stem in of_group) if alone else "|".join(names)
        labels |= dict.fromkeys(names, names[0] if len(names) == 1 else label)
    return labels
