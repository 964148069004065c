"""A machine around a guarded law: counts in, forces out, in one of five states.

    counts      q, q_dot; in HOMING, home switches are captured, and then the pose is found on the branch of home
    set points  pose, q and their derivatives, at rest or under way
    law         forces; at the first tick of HOLD it begins where the robot is, with the forces that hold it there
    state       from the table of `states`

Everything is computed at every tick, whatever the state: the work is constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from parakin.control import ControlModel, GuardStatus, Law
from parakin.control.judging import is_one, limited
from parakin.control.units import listed, unit_of
from parakin.errors import CExportError
from parakin.export.interface import Member, structs_of
from parakin.export.onboard.block import Block, assembled, member
from parakin.export.onboard.encoders import Encoders
from parakin.export.onboard.homing import LAST_STEP, NOT_FOUND, fits, is_place, searched
from parakin.export.onboard.player import Phase, Player
from parakin.export.onboard.set_points import PLACE, ActuatorPoints
from parakin.export.onboard.states import Event, MachineState, known_state, next_state
from parakin.trajectory.onboard.between import Set

TRACKING = 2
"""Newton steps a tick by which the place is followed where a law is told a measured pose."""

Told = Mapping[str, ca.SX]
"""Numbers by name."""


@dataclass(frozen=True, eq=False)
class Machine:
    """A law with everything that surrounds it, while its tick is written."""

    law: Law
    """The guarded law."""
    player: Player
    """Where the set points come from."""
    encoders: Encoders
    """Where the measurements come from."""

    def __post_init__(self) -> None:
        if self.law.guard is None:
            raise CExportError(self.law.name, "a machine needs a guarded law, for its faults are the guard's")

    @cached_property
    def model(self) -> ControlModel:
        """The robot as the law sees it."""
        return ControlModel(self.law.robot)

    @cached_property
    def points(self) -> ActuatorPoints:
        """How set points of the platform become those of the actuators."""
        return ActuatorPoints(self.model, self.law.period)

    @property
    def tracked(self) -> bool:
        """Whether the law is told a measured pose or velocity, so that the place is followed at every tick."""
        return bool({"pose", "velocity"} & set(self.law.interface.measurement))

    def block(self) -> Block:
        """Return the machine as a block."""
        robot, structs = self.law.robot, structs_of(self.law)
        force, count = unit_of(robot, "tau"), len(robot.actuator_names)
        gains = tuple(Member(f"gain_{m.name}", m.shape, m.unit, m.meaning, m.values) for m in structs.gains.members)
        law_state = tuple(
            Member(f"law_{m.name}", m.shape, m.unit, m.meaning, (0.0,) * m.size) for m in structs.state.members
        )
        state = (*self._own_state(), *self.encoders.state, *self.player.state, *self.points.state, *law_state)
        signals = (
            member("enable", 1, "1", "1 while the drives may be used; counts when it rises"),
            member("start", 1, "1", "1 to begin a move or the motion; counts when it rises"),
            member("stop", 1, "1", "1 to come to rest along the path"),
            member("reset", 1, "1", "1 to leave a fault; counts when it rises"),
            member("heartbeat", 1, "1", "any number that changes as long as the supervisor lives"),
        )
        output = (
            member("tau", count, force, "actuator forces until the next tick"),
            member("brake", 1, "1", "1 where the brakes should hold"),
            member("homing", 1, "1", "1 while the drives may home by themselves"),
            member("moving", 1, "1", "1 while the set point is under way"),
            member("state", 1, "1", "the state, as returned"),
            member("status", 1, "1", "status of the guard: 0 ok, 1 held, 2 fault"),
            member("cause", 1, "1", f"cause of the last fault: the guard's, or {NOT_FOUND} where no pose fits"),
            member("desired_pose", len(robot.home), unit_of(robot, "pose"), "set point of the platform"),
            member("desired_q", count, unit_of(robot, "q"), "set point of the actuators"),
            member("measured_q", count, unit_of(robot, "q"), "as counted"),
        )
        described = {
            "settings": ("chosen once; nothing changes them", (*gains, *self.encoders.settings, *self.player.settings)),
            "state": ("what is carried from tick to tick; only step writes it", state),
            "input": ("what the machine is told at a tick", (*self.encoders.input, *signals, *self.player.input)),
            "output": ("what it says at a tick", output),
        }
        title = f"a machine around {self.law.name} for {robot.name}"
        return assembled(title, self.law.period, described, self.tick, self.player.table)

    def _own_state(self) -> tuple[Member, ...]:
        robot = self.law.robot
        place = robot.places(robot.home)
        return (
            member("machine", 1, "1", "the state: 0 off, 1 homing, 2 hold, 3 run, 4 fault", (MachineState.OFF,)),
            member("fresh", 1, "1", "1 where the law has not acted at the tick before", (1.0,)),
            member("cause", 1, "1", "cause of the last fault", (0.0,)),
            member("enabled", 1, "1", "enable of the tick before; it begins as 1, for it has to rise", (1.0,)),
            member("started", 1, "1", "start of the tick before; it begins as 1", (1.0,)),
            member("was_reset", 1, "1", "reset of the tick before; it begins as 1", (1.0,)),
            member("found", 1, "1", "Newton steps towards the measured positions", (0.0,)),
            member("place", len(place), listed(robot.place_units), "where the robot was found", place),
        )

    # A tick --------------------------------------------------------------------------------------------------------

    def tick(self, symbols: Told) -> dict[str, ca.SX]:
        """Write a tick."""
        now, given, settings = (_part(symbols, f"{kind}_") for kind in ("state", "input", "setting"))
        state = known_state(now["machine"])
        now = now | {"machine": state}
        idle = state < int(MachineState.HOLD)
        homing = ca.eq(state, int(MachineState.HOMING))
        entering = _both(now["fresh"] > 0.5, ca.logic_not(idle))
        seen, q, sound = self.encoders.read(now, given, settings, homing, idle)
        place, steps = self._place(now, seen, q, sound)
        playing = _chosen(entering, self.player.at_rest(self._pose(now["place"])), _of(now, self.player.state))
        looks = self.player.set_points(playing, settings, _part(symbols, "rows_"))
        point = looks[self.player.ahead.index(0)]
        there = self.points.place(_chosen(entering, {PLACE: now["place"]}, _of(now, self.points.state)), point)
        wanted = self.points.of(there, point) | point._asdict()
        told = self._told(wanted, looks, there) | self._measured(now, q, seen["rate"])
        guard, tau = self._law(now, given, settings, told, entering)
        asked = {"start": is_one(given["start"]), "stop": given["stop"] > 0.5} | _of(given, self.player.input)
        risen = _both(asked["start"], now["started"] < 0.5)
        ready = _both(_both(risen, ca.logic_not(asked["stop"])), self.player.usable(asked))
        hold = ca.eq(state, int(MachineState.HOLD))
        onward = self.player.after(playing, point, asked | {"start": _both(ready, hold)}, settings)
        found, ended = fits(self.model, place, q), steps >= LAST_STEP
        enabled, fault = is_one(given["enable"]), ca.eq(guard["guard_status"], int(GuardStatus.FAULT))
        after = next_state(
            state,
            {
                Event.ENABLED: _both(enabled, now["enabled"] < 0.5),
                Event.DISABLED: ca.logic_not(enabled),
                Event.LOST: _both(ended, ca.logic_not(found)),
                Event.FOUND: _both(ended, found),
                Event.GUARD: fault,
                Event.START: ready,
                Event.ENDED: ca.eq(onward["phase"], int(Phase.REST)),
                Event.RESET: _both(is_one(given["reset"]), now["was_reset"] < 0.5),
            },
        )
        acts = _both(ca.logic_not(idle), _both(after >= int(MachineState.HOLD), after < int(MachineState.FAULT)))
        faulty = _both(_both(ca.logic_not(idle), ca.eq(after, int(MachineState.FAULT))), _both(fault, enabled))
        broke = _both(ca.eq(after, int(MachineState.FAULT)), state < int(MachineState.FAULT))
        carried = seen | _chosen(acts, onward, self.player.at_rest(point.pose)) | self.points.after(there, point)
        carried |= {f"law_{name}": value for name, value in guard.items()}
        carried |= {
            "machine": after,
            "fresh": idle,
            "cause": ca.if_else(broke, ca.if_else(homing, NOT_FOUND, guard["guard_cause"]), now["cause"]),
            "enabled": enabled,
            "started": asked["start"],
            "was_reset": is_one(given["reset"]),
            "found": steps,
            "place": place,
        }
        said = {
            "tau": ca.if_else(ca.logic_or(acts, faulty), tau, 0),
            "brake": ca.logic_not(acts),
            "homing": ca.eq(after, int(MachineState.HOMING)),
            "moving": ca.eq(after, int(MachineState.RUN)),
            "state": after,
            "status": ca.if_else(idle, 0, guard["guard_status"]),
            "cause": carried["cause"],
            "desired_pose": point.pose,
            "desired_q": wanted["q"],
            "measured_q": q,
        }
        return _named("next", carried) | _named("output", said)

    # Parts ---------------------------------------------------------------------------------------------------------

    def _place(self, now: Told, seen: Told, q: ca.SX, sound: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return where the robot is found, and how many steps the search has taken."""
        homed = _both(sound, ca.eq(now["machine"], int(MachineState.HOMING)))
        for k in range(len(self.law.robot.actuator_names)):
            homed = _both(homed, seen["homed"][k] > 0.5)
        steps = ca.if_else(homed, now["found"] + 1, 0)
        place = ca.if_else(homed, searched(self.model, now["place"], steps, q), now["place"])
        if self.tracked:
            followed = self._followed(now, q)
            believed = _both(now["machine"] >= int(MachineState.HOLD), is_place(followed))
            place = ca.if_else(believed, followed, place)
        return place, steps

    def _followed(self, now: Told, q: ca.SX) -> ca.SX:
        """Return the place with the measured positions, near the last one; NaN where they are none."""
        return self.model.place(now["place"], q, TRACKING)

    def _pose(self, place: ca.SX) -> ca.SX:
        placed = self.model.placed
        return ca.Function("pose", [placed.place], [placed.pose])(place)

    def _told(self, wanted: Told, looks: list[Set], there: ca.SX) -> dict[str, ca.SX]:
        """Return the set points that the law wants."""
        told: dict[str, ca.SX] = {}
        for want in self.law.interface.reference:
            if want.ahead == (0,):
                told[want.port] = wanted[want.quantity]
                continue
            if want.quantity != "q":
                raise CExportError(self.law.name, f"a machine does not look ahead at {want.quantity}, only at q")
            later = [looks[self.player.ahead.index(ticks)] for ticks in want.ahead]
            point = looks[self.player.ahead.index(0)]
            told[want.port] = ca.horzcat(*(self.points.ahead(there, point, one) for one in later))
        return told

    def _measured(self, now: Told, q: ca.SX, rate: ca.SX) -> dict[str, ca.SX]:
        """Return the measurements that the law wants; its guard has to see where they are no numbers."""
        told = {"q": q, "q_dot": rate}
        if self.tracked:
            place = self._followed(now, q)
            told |= {"pose": self._pose(place), "velocity": self.model.velocity(place, rate)}
        return {f"measured_{what}": told[what] for what in self.law.interface.measurement}

    def _law(
        self, now: Told, given: Told, settings: Told, told: Told, entering: ca.SX
    ) -> tuple[dict[str, ca.SX], ca.SX]:
        """Return the law's state after a tick, by its parts, and its forces; it begins where the robot is entering."""
        law, guard = self.law, self.law.guard
        assert guard is not None
        members = structs_of(law).state.members
        gains = ca.vertcat(*(settings[f"gain_{m.name}"] for m in structs_of(law).gains.members))
        still = ca.SX.zeros(law.robot.degrees_of_freedom)
        holding = limited(self.model.forces_of_masses(now["place"], still, still), guard.force)
        place = {"first_place": now["place"]} if law.carries_place else {}
        first = law.start(**told, gains=gains, holding=holding, **place)["state"]
        carried = ca.vertcat(*(now[f"law_{m.name}"] for m in members))
        signals = {"heartbeat": given["heartbeat"], "reset": ca.SX(0)}
        after = law.step(**told, **signals, gains=gains, state=ca.if_else(entering, first, carried))
        sizes = [m.size for m in members]
        parts = ca.vertsplit(after["next_state"], [0, *(sum(sizes[: k + 1]) for k in range(len(sizes)))])
        return {m.name: part for m, part in zip(members, parts, strict=True)}, after["tau"]


def machine_looks(law: Law) -> tuple[int, ...]:
    """Return the ticks ahead at which a law wants set points, 0 among them."""
    return tuple(sorted({0, *(ticks for want in law.interface.reference for ticks in want.ahead)}))


def _both(one: ca.SX, other: ca.SX) -> ca.SX:
    return ca.logic_and(one, other)


def _part(symbols: Told, prefix: str) -> dict[str, ca.SX]:
    """Return the symbols of one struct, by the names of its members; rows keep their names."""
    kept = 0 if prefix == "rows_" else len(prefix)
    return {name[kept:]: value for name, value in symbols.items() if name.startswith(prefix)}


def _of(values: Told, members: tuple[Member, ...]) -> dict[str, ca.SX]:
    return {one.name: values[one.name] for one in members}


def _chosen(which: ca.SX, one: Told, other: Told) -> dict[str, ca.SX]:
    """Return the numbers of one mapping or of the other, for every name that the other has."""
    return {name: ca.if_else(which, one[name], value) for name, value in other.items()}


def _named(prefix: str, values: Told) -> dict[str, ca.SX]:
    return {f"{prefix}_{name}": value for name, value in values.items()}
