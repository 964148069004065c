"""What a guard believes of the numbers that a law is told, and of what the law makes of them.

Every judgement is a comparison that a NaN fails, and what is not believed is replaced by selection: a product with zero
would keep a NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.control.definition import Law
from parakin.control.guard import Guard, GuardCause
from parakin.control.model import ControlModel
from parakin.errors import ControlError

FINITE = 1e200
"""Bound on the sum of squares of finite numbers: a sum that is not below it has overflowed, or is NaN."""
SENSIBLE = 1e12
"""Bound on the sum of squares of all that a law is told of one kind, in SI units: no robot is a million metres long.

Kernels take a longer way for the sines of larger angles.
"""
UNIT_LENGTH = 1e-3
"""How far the square of a quaternion's length may be from 1."""
BEGUN = 13579246.0
"""Number in a state that was begun, which memory that nothing was written to does not have; exact as a float."""

Told = Mapping[str, ca.SX]
"""Numbers that a law is told, by its inputs."""
Judged = Mapping[GuardCause, ca.SX]
"""Whether all is well in one respect, by the cause that is told where it is not."""


@dataclass(frozen=True, eq=False)
class Judge:
    """The judgements of a guard about one law."""

    law: Law
    """The law that is guarded."""
    guard: Guard
    """What is believed."""
    model: ControlModel
    """The robot as the law sees it."""

    def __post_init__(self) -> None:
        count = len(self.law.robot.actuator_names)
        for name in ("lower", "upper", "speed", "jump", "following", "force", "damping"):
            given = len(getattr(self.guard, name))
            if given != count:
                raise ControlError("guard", name, f"{self.law.robot.name} has {count} actuators, got {given} numbers")

    # Where the robot is --------------------------------------------------------------------------------------------

    def seen(self, told: Told) -> ca.SX | None:
        """Return the measured positions of the actuators; None where they do not follow from what is measured."""
        return self._positions(told, "measured")

    def asked(self, told: Told) -> ca.SX | None:
        """Return the desired positions of the actuators; None where they do not follow from the set points."""
        return self._positions(told, "desired")

    def _positions(self, told: Told, kind: str) -> ca.SX | None:
        if f"{kind}_q" in told:
            return told[f"{kind}_q"]
        if f"{kind}_pose" in told and self.law.robot.place_is_pose:
            return self.model.positions(told[f"{kind}_pose"])[0]
        return None

    def _moved(self, before: Told, after: Told, kind: str, state: Told) -> ca.SX | None:
        """Return how far actuators are, measured or desired, from where they were; None where that is not known."""
        one, other, port = self._positions(before, kind), self._positions(after, kind), f"{kind}_pose"
        if one is not None and other is not None:
            return other - one
        if port in after and "place" in state:
            return self._way(before[port], after[port], state["place"])
        return None

    def _way(self, one: ca.SX, other: ca.SX, place: ca.SX) -> ca.SX:
        """Return the way of the actuators from one pose to another near a place: J_qv times the displacement."""
        return self.model.jacobian(place) @ self.law.robot.motion_type.displacement(one, other)

    def rates(self, told: Told, place: ca.SX | None) -> ca.SX | None:
        """Return the measured rates of the actuators; None where they are not measured."""
        if "measured_q_dot" in told:
            return told["measured_q_dot"]
        if "measured_velocity" in told and place is not None:
            return self.model.jacobian(place) @ told["measured_velocity"]
        return None

    def place(self, told: Told, state: Told) -> ca.SX | None:
        """Return the place that a law computes with: that in its state, or the pose that it is told; None for neither.

        The one in the state is already the prediction for the next tick.
        """
        for known in (state.get("place"), state.get("pose")):
            if known is not None:
                return known
        if self.law.robot.place_is_pose:
            return told.get("measured_pose", told.get("desired_pose"))
        return None

    def expected(self, last: Told) -> dict[str, ca.SX]:
        """Return what should be told a period after the last numbers, if rates stay as they were."""
        period, motion = self.law.period, self.law.robot.motion_type
        expected = dict(last)
        for kind in ("measured", "desired"):
            q_dot, velocity = last.get(f"{kind}_q_dot"), last.get(f"{kind}_velocity")
            if q_dot is not None:
                for port in self._positions_of_actuators(kind):
                    expected[port] = last[port] + ca.repmat(period * q_dot, 1, last[port].shape[1])
            if velocity is not None and f"{kind}_pose" in last:
                expected[f"{kind}_pose"] = motion.stepped(last[f"{kind}_pose"], period * velocity)
        return expected

    def _positions_of_actuators(self, kind: str) -> list[str]:
        """Return the inputs that are positions of actuators, now or ahead."""
        interface = self.law.interface
        if kind == "measured":
            return [f"measured_{what}" for what in interface.measurement if what == "q"]
        return [wanted.port for wanted in interface.reference if wanted.quantity == "q"]

    # Inputs --------------------------------------------------------------------------------------------------------

    def inputs(self, given: Told, last: Told, state: Told) -> dict[GuardCause, ca.SX]:
        """Judge what a law is told, against limits and against what was believed last; state: that of the law."""
        guard = self.guard
        judged = {GuardCause.NOT_FINITE: both(self._sensible(given, "measured"), self._unit(given, "measured_pose"))}
        told = self._with_sensible_poses(given, last)
        seen, jumped = self.seen(told), self._moved(self.expected(last), told, "measured", state)
        if seen is not None:
            judged[GuardCause.STROKE] = between(seen, guard.lower, guard.upper)
        if jumped is not None:
            judged[GuardCause.JUMP] = within(jumped, guard.jump)
        rates = self.rates(told, told.get("measured_pose") if self.law.robot.place_is_pose else None)
        if rates is not None:
            judged[GuardCause.RATE] = within(rates, guard.speed)
        return judged | self._reference(given, last, state)

    def _reference(self, told: Told, last: Told, state: Told) -> dict[GuardCause, ca.SX]:
        """Judge the set points."""
        guard = self.guard
        good = both(self._sensible(told, "desired"), self._unit(told, "desired_pose"))
        told = self._with_sensible_poses(told, last)
        asked, jumped = self.asked(told), self._moved(self.expected(last), told, "desired", state)
        if asked is not None:
            good = both(good, between(asked, guard.lower, guard.upper))
        if jumped is not None:
            good = both(good, within(jumped, guard.jump))
        if "desired_q_dot" in told:
            good = both(good, within(told["desired_q_dot"], guard.speed))
        judged = {GuardCause.REFERENCE: good}
        if "desired_pose" in told and self.law.robot.place_is_pose:
            q, reached = self.model.positions(told["desired_pose"])
            judged[GuardCause.REACH] = both(reached, finite([q]))
        return judged

    def _sensible(self, told: Told, kind: str) -> ca.SX:
        """Judge whether all set points, or all measurements, are numbers that a robot can have."""
        desired = [wanted.port for wanted in self.law.interface.reference]
        return finite((value for port, value in told.items() if (port in desired) is (kind == "desired")), SENSIBLE)

    def _with_sensible_poses(self, told: Told, last: Told) -> dict[str, ca.SX]:
        """Return what is told with the last pose in the place of one that no kinematics should look at."""
        poses = [port for port in ("desired_pose", "measured_pose") if port in told]
        return dict(told) | {port: ca.if_else(finite([told[port]], SENSIBLE), told[port], last[port]) for port in poses}

    def _unit(self, told: Told, port: str) -> ca.SX:
        """Judge the length of a pose's quaternion, where there is one."""
        where = self.law.robot.motion_type.quaternion
        if where is None or port not in told:
            return ca.SX(1)
        return ca.fabs(ca.sumsqr(told[port][where]) - 1) <= UNIT_LENGTH

    def replaced(self, told: Told, last: Told, judged: Judged, fault: ca.SX) -> dict[str, ca.SX]:
        """Return what a law is told in truth: what is believed, and where it is not, what was expected.

        A rate comes from the sensor of its position, and is not believed where that is not. In a fault nothing is
        expected, and jumps are taken, so that the law is ready where the robot is; but no positions beyond their stroke
        and no rates beyond the drives' speed, with which a law that follows its place by Newton steps would lose it.
        """
        sound = judged[GuardCause.NOT_FINITE]
        possible = both(judged.get(GuardCause.STROKE, ca.SX(1)), sound)
        position = both(judged.get(GuardCause.JUMP, ca.SX(1)), possible)
        slow = judged.get(GuardCause.RATE, ca.SX(1))
        reference = both(judged[GuardCause.REFERENCE], judged.get(GuardCause.REACH, ca.SX(1)))
        expected = self.expected(last)
        replaced: dict[str, ca.SX] = {}
        for port, value in told.items():
            if not port.startswith("measured_"):
                usable = ca.if_else(fault, self._sensible(told, "desired"), reference)
            elif port in ("measured_q_dot", "measured_velocity"):
                usable = both(slow, ca.if_else(fault, possible, position))
            else:
                usable = ca.if_else(fault, possible, position)
            replaced[port] = ca.if_else(usable, value, ca.if_else(fault, last[port], expected[port]))
        return replaced

    # Results -------------------------------------------------------------------------------------------------------

    def following(self, told: Told, state: Told) -> dict[GuardCause, ca.SX]:
        """Judge how far the robot is from where it should be."""
        seen, asked = self.seen(told), self.asked(told)
        if seen is not None and asked is not None:
            return {GuardCause.FOLLOWING: within(asked - seen, self.guard.following)}
        if "measured_pose" in told and "desired_pose" in told and "place" in state:
            way = self._way(told["measured_pose"], told["desired_pose"], state["place"])
            return {GuardCause.FOLLOWING: within(way, self.guard.following)}
        return {}

    def results(self, told: Told, before: Told, state: Told, tau: ca.SX) -> dict[GuardCause, ca.SX]:
        """Judge what a law made of what it was told: its next state, against the one before, and its forces.

        A place that is carried is closed as far as it should be, and not further on than drives go in two ticks.
        """
        judged = {GuardCause.FORCE: finite([*state.values(), tau])}
        if "residual" in state:
            way = self.model.positions(state["place"])[0] - self.model.positions(before["place"])[0]
            near = within(way, [2 * limit for limit in self.guard.jump])
            judged[GuardCause.RESIDUAL] = both(ca.fabs(state["residual"]) <= self.guard.residual, near)
        elif "pose" in state and "measured_q" in told:
            onward = self.expected(told)["measured_q"]
            off = ca.norm_1(self.model.positions(state["pose"])[0] - onward)
            judged[GuardCause.RESIDUAL] = off <= self.guard.residual
        place = self.place(told, state)
        if place is not None and self.guard.pivot > 0.0:
            judged[GuardCause.NEAR_SINGULAR] = self.model.pivot(place) >= self.guard.pivot
        return judged


def both(one: ca.SX, other: ca.SX) -> ca.SX:
    """Return whether both hold."""
    return ca.logic_and(one, other)


def finite(values: Iterable[ca.SX], bound: float = FINITE) -> ca.SX:
    """Return whether all numbers are finite: whether the sum of their squares is below a bound."""
    return sum((ca.sumsqr(ca.vec(value)) for value in values), ca.SX(0)) < bound


def are_numbers(values: Iterable[ca.SX]) -> ca.SX:
    """Return whether no number is NaN or infinite, where squares of large ones may overflow in single precision."""
    return sum((ca.norm_1(ca.vec(value)) for value in values), ca.SX(0)) < FINITE


def is_one(signal: ca.SX) -> ca.SX:
    """Return whether a signal is on: it is 1, and neither another number nor NaN."""
    return ca.eq(signal, 1)


def within(values: ca.SX, limits: Sequence[float]) -> ca.SX:
    """Return whether all values are at most as large as their limits, in magnitude."""
    return between(values, [-limit for limit in limits], limits)


def between(values: ca.SX, lower: Sequence[float], upper: Sequence[float]) -> ca.SX:
    """Return whether all values are within their limits; infinite limits are not looked at."""
    good = ca.SX(1)
    for k, (low, high) in enumerate(zip(lower, upper, strict=True)):
        if np.isfinite(low):
            good = both(good, values[k] >= low)
        if np.isfinite(high):
            good = both(good, values[k] <= high)
    return good


def first_cause(judged: Judged) -> ca.SX:
    """Return the number of the first cause, in the order of `GuardCause`, why something is not well; 0 if none."""
    cause = ca.SX(int(GuardCause.NONE))
    for each in sorted(judged, reverse=True):
        cause = ca.if_else(judged[each], cause, int(each))
    return cause


def limited(values: ca.SX, limits: Sequence[float]) -> ca.SX:
    """Return forces cut at their limits."""
    return ca.vertcat(
        *(
            ca.if_else(values[k] > limit, limit, ca.if_else(values[k] < -limit, -limit, values[k]))
            if np.isfinite(limit)
            else values[k]
            for k, limit in enumerate(limits)
        )
    )
