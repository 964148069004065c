"""Several laws as one, with a selector: whichever acts, the force does not jump when another one takes over.

    tau = tau_active + b,        b = what tau was going to be, less what the new law asks for, at the tick of a switch
    b' = b e^(-T/fade)           afterwards

At the tick of a switch the force is therefore exactly that which the law before would have given. What a law that does
not act has in its state follows the robot: at every tick it begins anew with what is told and with the force that is
given, as if it were to take over at the next, so that an integral begins with the force that holds the robot. Its place
goes on, and parameters that it has adapted stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca

from parakin.control.definition import Gain, Interface, Law, Signal, StatePart, Wanted, quantity_sizes
from parakin.control.model import ControlModel
from parakin.control.parts.wearing import WATCHING, cut
from parakin.control.units import unit_of
from parakin.errors import ControlError

SELECTED = "selected"
"""The input that says which law is to act."""
PLACES = ("pose", "place", "residual")
"""Parts of a law's state that go on while it does not act."""


def switched(*laws: Law, fade: float = 0.05) -> Law:
    """Return a law made of several, of which the input `selected` names the one that acts, by its number from 0.

    All are for the same robot and period. `fade` is the time constant with which what is left of the law before goes
    away after a switch [s], a gain. Gains and states have the laws' names in front, in Python and in C. A number that
    names no law changes nothing.

    >>> both = pk.control.switched(pk.control.pid(robot), law)
    >>> [signal.name for signal in both.interface.supervision]
    ['selected']
    >>> changing = pk.simulation.Scenario(switches=(0.3, 0.6))  # to the next law, and back
    >>> pk.simulation.simulate(robot, both, set_points, changing).status.name
    'COMPLETED'
    """
    _check(laws, fade)
    return _Switching(tuple(laws), _names(laws), fade).law()


def _check(laws: Sequence[Law], fade: float) -> None:
    if len(laws) < 2:
        raise ControlError("switched", "laws", f"at least two are needed, got {len(laws)}")
    first = laws[0]
    for law in laws:
        if law.robot is not first.robot or law.period != first.period:
            raise ControlError(law.name, "switched", f"must be for the robot and the period of {first.name}")
        if set(law.interface.measurement) != set(first.interface.measurement):
            seen = [" and ".join(each.interface.measurement) for each in (first, law)]
            raise ControlError(
                law.name, "switched", f"measures {seen[1]}, and {first.name} {seen[0]}: choose laws alike"
            )
        if law.guard is not None:
            raise ControlError(law.name, "switched", "is guarded: a guard comes last, around the law made of several")
        if law.interface.supervision:
            raise ControlError(law.name, "switched", "is made of several laws itself: name them all in one call")
        if any(name.startswith(WATCHING) for name in law.worn):
            reason = f"wears {WATCHING}, which would not see the others' forces: put it on the law made of several"
            raise ControlError(law.name, "switched", reason)
    if not 0.0 < fade < float("inf"):
        raise ControlError("switched", "fade", f"must be finite and > 0 s, got {fade:g}")


def _names(laws: Sequence[Law]) -> tuple[str, ...]:
    """Return a name for each law, numbered where several have the same."""
    names: list[str] = []
    for law in laws:
        alike = sum(other.name == law.name for other in laws[: len(names)])
        names.append(f"{law.name}_{alike + 1}" if alike else law.name)
    return tuple(names)


@dataclass(frozen=True, eq=False)
class _Switching:
    """Laws while one is made of them."""

    laws: tuple[Law, ...]
    names: tuple[str, ...]
    fade: float

    @property
    def first(self) -> Law:
        return self.laws[0]

    @property
    def actuators(self) -> int:
        return len(self.first.robot.actuator_names)

    def law(self) -> Law:
        """Return the laws as one."""
        name = "_or_".join(self.names)
        return Law(name, self.first.robot, self.first.period, self.interface(), self.start(), self.step())

    # Interface -----------------------------------------------------------------------------------------------------

    def interface(self) -> Interface:
        """Return what the laws need to be told, all together."""
        interfaces = [law.interface for law in self.laws]
        listed = ", ".join(f"{k} {name}" for k, name in enumerate(self.names))
        reference = dict[str, Wanted]()
        for wanted in (wanted for interface in interfaces for wanted in interface.reference):
            if reference.setdefault(wanted.port, wanted) != wanted:
                reason = f"the laws look ahead to different ticks in {wanted.port}: design them alike"
                raise ControlError("switched", wanted.port, reason)
        measurement = dict.fromkeys(what for interface in interfaces for what in interface.measurement)
        return Interface(
            (*self.gains(), Gain("fade", "s", (self.fade,), "time constant with which a switch fades")),
            self.parts(),
            tuple(reference.values()),
            tuple(measurement),
            (Signal(SELECTED, f"number of the law that is to act: {listed}", len(self.laws)),),
            max(interface.lag for interface in interfaces),
        )

    def gains(self) -> list[Gain]:
        """Return all gains, each with the name of its law in front."""
        rows = zip(self.names, self.laws, strict=True)
        return [replace(gain, name=f"{name}_{gain.name}") for name, law in rows for gain in law.interface.gains]

    def parts(self) -> tuple[StatePart, ...]:
        """Return all parts of the state; a pose is the same for every law, and there once."""
        parts = {
            "active": StatePart("active", 1, "", "number of the law that acts"),
            "bump": StatePart("bump", self.actuators, unit_of(self.first.robot, "tau"), "left of the law before"),
        }
        for k, law in enumerate(self.laws):
            for part in law.interface.state:
                name = self.place_of(k, part.name)
                parts.setdefault(name, replace(part, name=name))
        return tuple(parts.values())

    def place_of(self, law: int, part: str) -> str:
        """Return the name that a part of a law's state has here."""
        return part if part == "pose" else f"{self.names[law]}_{part}"

    # Functions -----------------------------------------------------------------------------------------------------

    def told(self) -> dict[str, ca.SX]:
        """Return symbols of set points, measurements and gains, in the order of every law."""
        sizes, interface = quantity_sizes(self.first.robot), self.interface()
        desired = {w.port: ca.SX.sym(w.port, sizes[w.quantity], len(w.ahead)) for w in interface.reference}
        measured = {f"measured_{what}": ca.SX.sym(f"measured_{what}", sizes[what]) for what in interface.measurement}
        return desired | measured | {"gains": ca.SX.sym("gains", sum(len(gain.values) for gain in interface.gains))}

    def own(self, k: int, x: Mapping[str, ca.SX]) -> dict[str, ca.SX]:
        """Return what one law is told of all this."""
        sizes = {str(i): len(law.gains) for i, law in enumerate(self.laws)}
        return {port: x[port] for port in self.laws[k].interface.told} | {"gains": cut(x["gains"], sizes)[str(k)]}

    def begun(self, k: int, x: Mapping[str, ca.SX], holding: ca.SX, place: ca.SX | None) -> dict[str, ca.SX]:
        """Return the first state of one law, by its parts; place: where the robot is, where a law takes that."""
        law = self.laws[k]
        given = self.own(k, x) | {"holding": holding}
        if "first_place" in law.start.name_in():
            given["first_place"] = ca.SX.zeros(len(law.robot.place_names)) if place is None else place
        return cut(law.start(**given)["state"], {part.name: part.size for part in law.interface.state})

    def start(self) -> ca.Function:
        """Write the first state, with the first law active."""
        x = self.told() | {"holding": ca.SX.sym("holding", self.actuators)}
        if "first_place" in self.first.start.name_in():
            x["first_place"] = ca.SX.sym("first_place", len(self.first.robot.place_names))
        values = {"active": ca.SX(0), "bump": ca.SX.zeros(self.actuators)}
        for k in range(len(self.laws)):
            begun = self.begun(k, x, x["holding"], x.get("first_place"))
            values |= {self.place_of(k, name): value for name, value in begun.items()}
        state = ca.vertcat(*(values[part.name] for part in self.parts()))
        name = f"{self.first.robot.name}_switched_start"
        return ca.Function(name, list(x.values()), [ca.densify(state)], list(x), ["state"], {"cse": True})

    def step(self) -> ca.Function:
        """Write a tick."""
        parts = self.parts()
        x = {"state": ca.SX.sym("state", sum(part.size for part in parts))} | self.told()
        x[SELECTED] = ca.SX.sym(SELECTED)
        before = cut(x["state"], {part.name: part.size for part in parts})
        answers = [self.answered(k, x, before) for k in range(len(self.laws))]
        forces = [tau for _, tau in answers]
        active = before["active"]
        for k in range(len(self.laws)):
            active = ca.if_else(ca.fabs(x[SELECTED] - k) < 0.5, k, active)
        faded = before["bump"] * ca.exp(-self.first.period / x["gains"][-1])
        going = chosen(before["active"], forces) + faded
        bump = ca.if_else(ca.eq(active, before["active"]), faded, going - chosen(active, forces))
        tau = ControlModel(self.first.robot).saturated(chosen(active, forces) + bump)
        values = {"active": active, "bump": bump}
        for k, (after, _) in enumerate(answers):
            waiting = self.waiting(k, x, before, after, tau)
            acts = ca.eq(active, k)
            values |= {self.place_of(k, name): ca.if_else(acts, after[name], waiting[name]) for name in after}
        state = ca.vertcat(*(values[part.name] for part in parts))
        results, name = [ca.densify(state), ca.densify(tau)], f"{self.first.robot.name}_switched_step"
        return ca.Function(name, list(x.values()), results, list(x), ["next_state", "tau"], {"cse": True})

    def answered(self, k: int, x: Mapping[str, ca.SX], before: Mapping[str, ca.SX]) -> tuple[dict[str, ca.SX], ca.SX]:
        """Return the next state of one law, by its parts, and its force."""
        law = self.laws[k]
        state = ca.vertcat(ca.SX(0, 1), *(before[self.place_of(k, part.name)] for part in law.interface.state))
        out = law.step(**self.own(k, x), state=state)
        return cut(out["next_state"], {part.name: part.size for part in law.interface.state}), out["tau"]

    def waiting(
        self, k: int, x: Mapping[str, ca.SX], before: Mapping[str, ca.SX], after: Mapping[str, ca.SX], tau: ca.SX
    ) -> dict[str, ca.SX]:
        """Return the next state of a law that does not act, ready to take over with the force that is given."""
        waiting = self.begun(k, x, tau, after.get("place"))
        for part in self.laws[k].interface.state:
            if part.name in PLACES:
                waiting[part.name] = after[part.name]
            elif part.parameters:
                waiting[part.name] = before[self.place_of(k, part.name)]
        return waiting


def chosen(number: ca.SX, values: Sequence[ca.SX]) -> ca.SX:
    """Return the value with this number."""
    value = values[0]
    for k, other in enumerate(values[1:], start=1):
        value = ca.if_else(ca.eq(number, k), other, value)
    return value
