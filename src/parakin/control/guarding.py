"""A guard is put around any law: what it is told is judged first, and what it answers before it acts.

    told       = given where it is believed, else what was expected
    state, tau = law(state, told); in a fault the law begins anew at every tick
    force      = tau; the last force where the law's answer is not believed; in a fault on the way to the safe force

The result is a law like any other, so that it simulates, runs in lanes and becomes C. docs/guard.md has the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from parakin.control.definition import Law, Signal, StatePart
from parakin.control.guard import Guard, GuardCause, GuardStatus, SafeForce
from parakin.control.judging import BEGUN, Judge, Told, are_numbers, both, finite, first_cause, is_one, limited
from parakin.control.model import ControlModel
from parakin.control.units import unit_of
from parakin.errors import ControlError

SUPERVISION = (
    Signal("heartbeat", "any number that changes as long as the supervisor lives"),
    Signal("reset", "1 to leave a fault: looked at when it rises from 0"),
)
"""What a guarded law is told besides set points and measurements."""
LARGEST = 1e100
"""Size from which a number counts as infinite when a law starts."""


def guarded(law: Law, guard: Guard | None = None) -> Law:
    """Return a law with a guard around it, by default that of its robot's file.

    Its state begins with guard_status, guard_cause (numbers of `GuardStatus` and `GuardCause`) and guard_brake, which
    say after each step what became of it; `step` also takes `heartbeat` and `reset`.

    >>> safe = pk.control.guarded(law)
    >>> pk.simulation.simulate(robot, safe, set_points).status.name
    'COMPLETED'
    """
    if law.guard is not None:
        raise ControlError(law.name, "guard", "has one already: put another around the law without")
    chosen = guard or Guard.of(law.robot, law.period, law.interface.lag)
    return _Guarding(Judge(law, chosen, ControlModel(law.robot))).law()


@dataclass(frozen=True, eq=False)
class _Guarding:
    """A law and its judge, while one is put around the other."""

    judge: Judge

    @property
    def inner(self) -> Law:
        return self.judge.law

    @property
    def guard(self) -> Guard:
        return self.judge.guard

    def law(self) -> Law:
        inner = self.inner
        parts = (*self.parts(), *inner.interface.state)
        supervision = (*inner.interface.supervision, *SUPERVISION)
        interface = replace(inner.interface, state=parts, supervision=supervision)
        return replace(inner, interface=interface, start=self.start(), step=self.step(), guard=self.guard)

    def parts(self) -> tuple[StatePart, ...]:
        """Return what a guard carries from tick to tick."""
        inner, interface = self.inner, self.inner.interface
        quantities = {wanted.port: wanted.quantity for wanted in interface.reference}
        quantities |= {f"measured_{what}": what for what in interface.measurement}
        units = {port: unit_of(inner.robot, quantity) for port, quantity in quantities.items()}
        last = (
            StatePart(
                f"guard_{port}",
                inner.step.numel_in(port),
                units[port] if inner.step.size2_in(port) == 1 else "m or rad",
                "as it was last believed",
            )
            for port in interface.told
        )
        return (
            StatePart("guard_status", 1, "", "0 ok, 1 held, 2 fault"),
            StatePart("guard_cause", 1, "", "why a tick was not good, or what led to the fault; 0 for nothing"),
            StatePart("guard_brake", 1, "", "1 where the brakes should hold"),
            StatePart("guard_count", 1, "", "bad ticks that good ones have not made up for"),
            StatePart("guard_silent", 1, "", "ticks for which the heartbeat has stood still"),
            StatePart("guard_heartbeat", 1, "", "heartbeat of the tick before"),
            StatePart("guard_reset", 1, "", "reset of the tick before"),
            StatePart("guard_begun", 1, "", "whether the numbers are a state, which only `start` makes"),
            StatePart("guard_force", inner.step.size1_out("tau"), unit_of(inner.robot, "tau"), "last force given"),
            *last,
        )

    # Functions -----------------------------------------------------------------------------------------------------

    def start(self) -> ca.Function:
        """Write the first state; numbers that are not finite begin in a fault."""
        start = self.inner.start
        x = {name: ca.SX.sym(name, *start.size_in(name)) for name in start.name_in()}
        first = start(**x)["state"]
        told = {port: x[port] for port in self.inner.interface.told}
        good = finite([first, x["holding"], *told.values()])
        fault, not_finite = int(GuardStatus.FAULT), int(GuardCause.NOT_FINITE)
        state = ca.vertcat(
            ca.if_else(good, 0, fault),
            ca.if_else(good, 0, not_finite),
            ca.logic_not(good),
            ca.SX.zeros(4),
            ca.SX(BEGUN),
            limited(_usable(x["holding"]), self.guard.force),
            *(_usable(ca.vec(value)) for value in told.values()),
            _usable(first),
        )
        return ca.Function(start.name(), list(x.values()), [ca.densify(state)], list(x), ["state"], {"cse": True})

    def step(self) -> ca.Function:
        """Write a tick."""
        step, parts = self.inner.step, self.parts()
        own = sum(part.size for part in parts)
        x = {name: ca.SX.sym(name, *step.size_in(name)) for name in step.name_in()}
        x["state"] = ca.SX.sym("state", own + step.size1_in("state"))
        x |= {signal.name: ca.SX.sym(signal.name) for signal in SUPERVISION}
        before = _cut(x["state"], parts)
        next_state, tau = self.tick(x, before, x["state"][own:])
        results = [ca.densify(next_state), ca.densify(tau)]
        return ca.Function(step.name(), list(x.values()), results, list(x), ["next_state", "tau"], {"cse": True})

    # A tick --------------------------------------------------------------------------------------------------------

    def tick(self, x: Told, before: Told, state: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the next state and the force of a tick."""
        judge, ports = self.judge, self.inner.interface.told
        given = {port: x[port] for port in ports}
        last = {port: ca.reshape(before[f"guard_{port}"], *x[port].shape) for port in ports}
        now = _cut(state, self.inner.interface.state)
        judged = judge.inputs(given, last, now)
        told = judge.replaced(given, last, judged, _fault(before))
        after = self.answered(x, told, before, state)
        law_state = _cut(after["next_state"], self.inner.interface.state)
        results = judge.results(told, now, law_state, after["tau"])
        heart, beating = self.heartbeat(x, before)
        judged |= judge.following(told, law_state) | results | beating
        verdict = self.verdict(x, before, judged)
        trusted = ca.SX(1)
        for good in results.values():
            trusted = both(trusted, good)
        taken = ca.if_else(_fault(before), results[GuardCause.FORCE], trusted)
        kept = ca.if_else(taken, after["next_state"], state)
        held = ca.if_else(trusted, after["tau"], before["guard_force"])
        force = ca.if_else(verdict["fault"], self.onward(before["guard_force"], told, judged, kept), held)
        tau = limited(force, self.guard.force)
        own = [verdict[name] for name in ("status", "cause", "fault", "count")]
        memory = [ca.vec(told[port]) for port in ports]
        onward = ca.vertcat(*own, *heart, is_one(x["reset"]), BEGUN, tau, *memory, kept)
        return self.begun(before, state, onward, tau)

    def begun(self, before: Told, state: ca.SX, onward: ca.SX, tau: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the next state and the force of a tick, or a fault without force where the state was never begun.

        Memory that was a state before, and then something else, can have the number of a state that was begun.
        """
        good = both(ca.eq(before["guard_begun"], BEGUN), are_numbers([*before.values(), state]))
        never = [int(GuardStatus.FAULT), int(GuardCause.NOT_BEGUN), 1]
        fault = ca.vertcat(ca.SX(never), ca.SX.zeros(onward.numel() - len(never)))
        return ca.if_else(good, onward, fault), ca.if_else(good, tau, 0)

    def answered(self, x: Told, told: Told, before: Told, state: ca.SX) -> Mapping[str, ca.SX]:
        """Return what the law answers; in a fault it begins where the robot is, with the force that is given there.

        Where the robot is, is followed from tick to tick; where a place is the pose, a reset begins at the desired one.
        """
        law, parts = self.inner, self.inner.interface.state
        now = _cut(state, parts)
        begin = dict(told) | {"gains": x["gains"], "holding": before["guard_force"]}
        if "first_place" in law.start.name_in():
            begin["first_place"] = now.get("place", ca.SX.zeros(len(law.robot.place_names)))
        first = _cut(law.start(**begin)["state"], parts)
        if "pose" in now:
            first["pose"] = ca.if_else(_asked(x, before), first["pose"], now["pose"])
        own = ca.if_else(_fault(before), ca.vertcat(ca.SX(0, 1), *first.values()), state)
        signals = {signal.name: x[signal.name] for signal in law.interface.supervision}
        return law.step(**told, **signals, gains=x["gains"], state=own)

    def heartbeat(self, x: Told, before: Told) -> tuple[list[ca.SX], dict[GuardCause, ca.SX]]:
        """Return the ticks of silence and the heartbeat to remember, and whether there is one.

        A NaN is neither larger nor smaller than the last heartbeat: it does not beat.
        """
        beat, last = x["heartbeat"], before["guard_heartbeat"]
        changed = ca.logic_or(beat > last, beat < last)
        silent = ca.if_else(changed, 0, before["guard_silent"] + 1)
        limit = self.guard.heartbeat_ticks
        beating = {GuardCause.HEARTBEAT: silent < limit} if limit else {}
        return [silent, ca.if_else(changed, _usable(beat), last)], beating

    def verdict(self, x: Told, before: Told, judged: Mapping[GuardCause, ca.SX]) -> dict[str, ca.SX]:
        """Return status, cause and the counts after a tick."""
        fault, asked = _fault(before), _asked(x, before)
        guard, cause = self.guard, first_cause(judged)
        bad = cause > 0
        forgiven = before["guard_count"] - guard.forgiving
        count = ca.if_else(bad, before["guard_count"] + 1, ca.if_else(forgiven > 0, forgiven, 0))
        lost = ca.logic_not(judged.get(GuardCause.HEARTBEAT, ca.SX(1)))
        tripped = ca.logic_or(count > guard.ticks, lost)
        cleared = both(asked, ca.logic_not(bad))
        now = ca.if_else(fault, ca.logic_not(cleared), tripped)
        return {
            "fault": now,
            "status": ca.if_else(now, int(GuardStatus.FAULT), ca.if_else(bad, int(GuardStatus.HELD), 0)),
            "cause": ca.if_else(both(fault, ca.logic_not(asked)), before["guard_cause"], cause),
            "count": ca.if_else(fault, 0, count),
        }

    def onward(self, force: ca.SX, told: Told, judged: Mapping[GuardCause, ca.SX], state: ca.SX) -> ca.SX:
        """Return the force of a tick in a fault: from the last one some way towards the safe one."""
        guard, judge = self.guard, self.judge
        place = judge.place(told, _cut(state, self.inner.interface.state))
        safe = ca.SX.zeros(force.shape[0])
        rates = judge.rates(told, place) if guard.safe is not SafeForce.ZERO else None
        if rates is not None:
            sound = both(judged[GuardCause.NOT_FINITE], judged.get(GuardCause.RATE, ca.SX(1)))
            safe -= ca.if_else(both(sound, finite([rates])), ca.DM(guard.damping) * rates, 0)
        if guard.safe is SafeForce.GRAVITY:
            if place is None:
                reason = "gravity acts at a place, and this law knows none: choose damping or zero"
                raise ControlError(self.inner.name, "guard", reason)
            still = ca.SX.zeros(self.inner.robot.degrees_of_freedom)
            weight = judge.model.forces_of_masses(place, still, still)
            safe += ca.if_else(finite([weight]), weight, 0)
        share = 1.0 if guard.ramp == 0.0 else 1.0 - float(np.exp(-self.inner.period / guard.ramp))
        return force + share * (limited(safe, guard.force) - force)


def _fault(before: Told) -> ca.SX:
    """Return whether there was a fault before this tick."""
    return ca.eq(before["guard_status"], int(GuardStatus.FAULT))


def _asked(x: Told, before: Told) -> ca.SX:
    """Return whether a reset is asked for in a fault: it counts when it rises."""
    return both(_fault(before), both(is_one(x["reset"]), before["guard_reset"] <= 0.5))


def _cut(vector: ca.SX, parts: tuple[StatePart, ...]) -> dict[str, ca.SX]:
    """Cut a state into its parts."""
    cut: dict[str, ca.SX] = {}
    first = 0
    for part in parts:
        cut[part.name] = vector[first : first + part.size]
        first += part.size
    return cut


def _usable(values: ca.SX) -> ca.SX:
    """Return numbers with zeros in the place of those that are not finite."""
    return ca.vertcat(*(ca.if_else(ca.fabs(values[k]) < LARGEST, values[k], 0) for k in range(values.numel())))
