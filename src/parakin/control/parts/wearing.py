"""A law wears a part: the part changes what the law is told, or what becomes of its force, and has a state of its own.

    told'  = told, changed by the part
    state, tau_law = law(state, told')
    part_state, tau = part(part_state, told, tau_law)

The result is a law like any other, so that it can wear another part; a guard comes last, around all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.control.definition import Gain, Given, Interface, Law, StatePart, Update, Wanted, quantity_sizes
from parakin.errors import ControlError

WATCHING = "observer"
"""What the names of parts begin with that have to know the force that the drives are given."""
BEGINNING = ("holding", "first_place")
"""What only the first state of a law is told."""
Answer = Callable[[Mapping[str, ca.SX]], ca.SX]
"""The law's force when it is told some things otherwise, by the names of its inputs; to be called once."""


def _unchanged(given: Given) -> ca.SX:
    return given["holding"]


@dataclass(frozen=True, eq=False)
class Part:
    """What a law can wear, as data and functions of symbols."""

    name: str
    """What the part is called; names of its gains and of its state begin with it."""
    gains: tuple[Gain, ...]
    """Gains that the part adds to those of the law."""
    state: tuple[StatePart, ...]
    """What the part carries from tick to tick."""
    start: Callable[[Given], Mapping[str, ca.SX]]
    """The part's first state, given set points, measurements, gains, `holding` and `first_place`."""
    tick: Callable[[Given, Answer], Update]
    """One tick, given also all parts of the state: the part's next state, and the force of both."""
    holding: Callable[[Given], ca.SX] = _unchanged
    """The force that is left for the law of that which held the robot before the first tick [N or N m]."""
    reference: tuple[Wanted, ...] = ()
    """Set points that the part is told, whether the law is told them or not."""
    acts: bool = True
    """Whether the part changes the force that the law gives."""
    lag: float = 0.0
    """By how much the part lets the robot be behind its set points on purpose [s]."""


def wear(law: Law, part: Part) -> Law:
    """Return a law that wears a part.

    Gains and state of the part follow those of the law. ControlError for a guarded law, whose guard would not see what
    the part does; and where a part inside watches the force, which would not be the one that it believes.
    """
    if law.guard is not None:
        raise ControlError(law.name, part.name, "the law is guarded already: a guard comes last, around what is worn")
    watching = [name for name in law.worn if name.startswith(WATCHING)]
    if part.acts and watching:
        reason = f"changes the force that {watching[0]} inside believes in: put {watching[0]} on after it"
        raise ControlError(law.name, part.name, reason)
    own = law.interface
    more = tuple(wanted for wanted in part.reference if wanted not in own.reference)
    interface = replace(
        own,
        gains=(*own.gains, *part.gains),
        state=(*own.state, *part.state),
        reference=(*own.reference, *more),
        lag=own.lag + part.lag,
    )
    worn = _Wearing(law, part, interface)
    return replace(
        law,
        name=f"{law.name}_{part.name}",
        interface=interface,
        start=worn.start(),
        step=worn.step(),
        worn=(*law.worn, part.name),
    )


def label_of(law: Law, name: str) -> str:
    """Return the name of a part, with a number where the law wears one of that name already."""
    taken = {entry.name for entry in (*law.interface.gains, *law.interface.state)}
    label, number = name, 2
    while any(other.startswith(f"{label}_") for other in taken):
        label, number = f"{name}_{number}", number + 1
    return label


def need(law: Law, part: str, *ports: str) -> None:
    """Raise a ControlError unless a law is told all of these: set points desired_*, measurements measured_*."""
    missing = [port for port in ports if port not in law.interface.told]
    if missing:
        reason = f"needs {', '.join(missing)}, and the law is told {', '.join(law.interface.told)}"
        raise ControlError(law.name, part, reason)


def values_for(law: Law, part: str, value: ArrayLike, rule: str, good: Callable[[float], bool]) -> tuple[float, ...]:
    """Return one value for all actuators or one for each, or refuse what is neither or breaks a rule."""
    values, count = np.atleast_1d(np.asarray(value, float)), len(law.robot.actuator_names)
    if values.shape not in ((1,), (count,)):
        reason = f"one number or {count}, one for each actuator, got shape {values.shape}"
        raise ControlError(law.name, part, reason)
    if not all(np.isfinite(one) and good(one) for one in values.tolist()):
        raise ControlError(law.name, part, f"must be {rule}, got {values.tolist()}")
    return tuple(values.tolist())


def cut(vector: ca.SX, sizes: Mapping[str, int]) -> dict[str, ca.SX]:
    """Cut a vector into named pieces of these sizes."""
    pieces: dict[str, ca.SX] = {}
    first = 0
    for name, size in sizes.items():
        pieces[name] = vector[first : first + size]
        first += size
    return pieces


@dataclass(frozen=True, eq=False)
class _Wearing:
    """A law and a part, while one is put on the other."""

    law: Law
    part: Part
    interface: Interface

    def start(self) -> ca.Function:
        """Write the first state: the law's, then the part's."""
        start, part = self.law.start, self.part
        x = self.told()
        x |= {name: ca.SX.sym(name, start.size1_in(name)) for name in start.name_in() if name in BEGINNING}
        given = self.named(x) | {"holding": x["holding"]}
        place = x.get("first_place", given.get("desired_pose"))
        if place is not None:
            given["first_place"] = place
        first = part.start(given)
        inner = self.inner(x, start) | {"holding": part.holding(given)}
        state = ca.vertcat(start(**inner)["state"], *(first[entry.name] for entry in part.state))
        return ca.Function(start.name(), list(x.values()), [ca.densify(state)], list(x), ["state"], {"cse": True})

    def step(self) -> ca.Function:
        """Write a tick."""
        step, parts = self.law.step, self.interface.state
        state = ca.SX.sym("state", sum(entry.size for entry in parts))
        x = {"state": state} | self.told() | {name.name: ca.SX.sym(name.name) for name in self.interface.supervision}
        given = self.named(x) | cut(state, {entry.name: entry.size for entry in parts})
        inner = self.inner(x, step) | {"state": state[: step.size1_in("state")]}
        following: list[ca.SX] = []

        def answer(changes: Mapping[str, ca.SX]) -> ca.SX:
            out = step(**(inner | dict(changes)))
            following.append(out["next_state"])
            return out["tau"]

        update = self.part.tick(given, answer)
        after = ca.vertcat(*following, *(update.state[entry.name] for entry in self.part.state))
        results = [ca.densify(after), ca.densify(update.tau)]
        return ca.Function(step.name(), list(x.values()), results, list(x), ["next_state", "tau"], {"cse": True})

    def told(self) -> dict[str, ca.SX]:
        """Return symbols of set points, measurements and gains, in the order of every law."""
        sizes, interface = quantity_sizes(self.law.robot), self.interface
        desired = {w.port: ca.SX.sym(w.port, sizes[w.quantity], len(w.ahead)) for w in interface.reference}
        measured = {f"measured_{what}": ca.SX.sym(f"measured_{what}", sizes[what]) for what in interface.measurement}
        return desired | measured | {"gains": ca.SX.sym("gains", _size(interface.gains))}

    def named(self, x: Mapping[str, ca.SX]) -> dict[str, ca.SX]:
        """Return set points, measurements and every single gain by their names."""
        sizes = {gain.name: len(gain.values) for gain in self.interface.gains}
        return {port: x[port] for port in self.interface.told} | cut(x["gains"], sizes)

    def inner(self, x: Mapping[str, ca.SX], function: ca.Function) -> dict[str, ca.SX]:
        """Return what a function of the law itself takes of all this."""
        own = x["gains"][: _size(self.law.interface.gains)]
        return {name: x[name] for name in function.name_in() if name in x} | {"gains": own}


def _size(gains: tuple[Gain, ...]) -> int:
    return sum(len(gain.values) for gain in gains)
