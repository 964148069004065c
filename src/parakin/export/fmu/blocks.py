"""What a functional mock-up unit is made of: variables in the order of their references, and a core in C.

A core is a plain C structure that begins with the values of all variables, and four functions: `core_defaults`,
`core_begin`, `core_advance`, `core_step`. Whatever FMI asks for is written around it, once for each version of the
standard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

Causality = Literal["parameter", "input", "output", "independent"]
"""What a variable is for, in the words of FMI."""
Variability = Literal["fixed", "tunable", "discrete", "continuous"]
"""When a variable may change, in the words of FMI."""
_UNSAID = re.compile(r"[^\w.]")
"""What a name in the structured convention has no letters for."""
TIME = "time"
"""Name of the independent variable."""


@dataclass(frozen=True)
class Group:
    """Variables that belong together: the numbers of one vector."""

    name: str
    """Name of the vector."""
    causality: Causality
    """What it is for."""
    variability: Variability
    """When it may change."""
    units: tuple[str, ...]
    """Unit of each number; 1 for none."""
    meaning: str
    """What the numbers are, in a few words."""
    starts: tuple[float, ...] = ()
    """Values before anybody sets others; none of outputs."""
    labels: tuple[str, ...] = ()
    """A name for each number; empty where they are counted from 1."""

    @property
    def size(self) -> int:
        """How many numbers the vector has."""
        return len(self.units)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in the structured convention of FMI."""
        if self.labels:
            return tuple(f"{self.name}.{_UNSAID.sub('_', label)}" for label in self.labels)
        return (self.name,) if self.size == 1 else tuple(f"{self.name}[{k + 1}]" for k in range(self.size))


@dataclass(frozen=True)
class Variable:
    """One variable of a unit; its reference is its place among all of them."""

    reference: int
    """Number by which FMI asks for its value."""
    name: str
    """Name in the structured convention."""
    group: Group
    """The vector that it is a number of."""
    unit: str
    """Unit; 1 for none."""
    start: float | None
    """Value before anybody sets another; None of outputs and time."""


@dataclass(frozen=True)
class Block:
    """A unit before it is packed: its interface, and its core in C."""

    name: str
    """Identifier of the model, a name that C accepts."""
    title: str
    """What the model is, in a sentence."""
    step: float
    """Time between two communications that suits it [s]."""
    groups: tuple[Group, ...]
    """All variables: parameters and inputs first, which can be set, then outputs, and the time last."""
    fields: tuple[str, ...]
    """Declarations in C of what the core keeps beside the values."""
    includes: tuple[str, ...]
    """Headers that `core.h` needs."""
    functions: str
    """C text that defines `core_begin` and `core_advance`, and what they need."""
    files: Mapping[str, str]
    """Further source files by their names."""

    @property
    def first(self) -> dict[str, int]:
        """Reference of the first number of each vector."""
        return first_references(self.groups)

    @property
    def size(self) -> int:
        """How many variables there are."""
        return sum(group.size for group in self.groups)

    @property
    def settable(self) -> int:
        """How many variables, the first ones, can be set."""
        return sum(group.size for group in self.groups if group.causality in ("parameter", "input"))

    def variables(self) -> Iterator[Variable]:
        """Go through all variables in the order of their references."""
        reference = 0
        for group in self.groups:
            for k, name in enumerate(group.names):
                start = group.starts[k] if group.starts else None
                yield Variable(reference, name, group, group.units[k], start)
                reference += 1

    @property
    def token(self) -> str:
        """A digest of interface and sources, by which a tool knows that a binary belongs to its description."""
        parts = (self.name, repr(self.groups), *self.fields, self.functions, *self.files, *self.files.values())
        digest = sha256("\0".join(parts).encode()).hexdigest()
        return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))

    def core(self) -> dict[str, str]:
        """Return the texts of `core.h` and `core.c`."""
        starts = ", ".join(repr(variable.start or 0.0) for variable in self.variables())
        header = _HEADER.format(
            includes="".join(f'#include "{name}"\n' for name in self.includes),
            token=self.token,
            settable=self.settable,
            time=self.size - 1,
            values=self.size,
            step=self.step,
            fields="".join(f"    {line};\n" for line in self.fields),
        )
        return {"core.h": header, "core.c": _SOURCE.format(starts=starts, functions=self.functions)}


def first_references(groups: Sequence[Group]) -> dict[str, int]:
    """Return the reference of the first number of each vector."""
    first: dict[str, int] = {}
    reference = 0
    for group in groups:
        first[group.name] = reference
        reference += group.size
    return first


def units_of(listed: str, size: int) -> tuple[str, ...]:
    """Return a unit for each number, from one unit for all or a list with one for each, separated by commas."""
    units = tuple(unit.strip() for unit in listed.split(","))
    return units if len(units) == size else (units[0],) * size if len(units) == 1 else (listed,) * size


CLOCK = Group(TIME, "independent", "continuous", ("s",), "time")
"""The independent variable, which is the last of all."""

_HEADER = """\
#ifndef CORE_H
#define CORE_H

{includes}
#define CORE_TOKEN "{token}"
#define CORE_SETTABLE {settable}u
#define CORE_TIME {time}u
#define CORE_VALUES {values}u
#define CORE_STEP {step!r} /* [s] between two communications that suits it */

typedef struct {{
    double value[CORE_VALUES]; /* parameters, inputs, outputs and time, by reference */
{fields}}} core;

/* All values as they are before anybody sets others. */
void core_defaults(core *self);

/* Begin at a time, with the parameters and inputs that have been set. Returns what is wrong, or NULL. */
const char *core_begin(core *self, double start);

/* Go on from a time by a step [s]; inputs are constant until its end. Returns what is wrong, or NULL. */
const char *core_advance(core *self, double time, double step);

/* The same, where the time is the one at which the last step ended, rounding aside. */
const char *core_step(core *self, double time, double step);

#endif
"""
_SOURCE = """\
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core.h"

static const double starts[CORE_VALUES] = {{{starts}}};

void core_defaults(core *self)
{{
    memset(self, 0, sizeof *self);
    memcpy(self->value, starts, sizeof starts);
}}

{functions}
const char *core_step(core *self, double time, double step)
{{
    if (!(fabs(time - self->value[CORE_TIME]) <= 1e-6 * CORE_STEP + 1e-12 * fabs(time))) {{
        return "a step must begin where the last one ended: to repeat one, bring back the state from before it";
    }}
    return core_advance(self, time, step);
}}
"""
