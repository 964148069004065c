"""Kinds of bad input to a guarded law, each with what the guard shall say of it.

A robot follows its reference exactly while one thing goes wrong; every kind is a lane of one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

import parakin as pk
from parakin import control, trajectory
from parakin.arrays import Array
from parakin.control import Guard, GuardCause, GuardStatus
from parakin.export.interface import Structs, structs_of
from parakin.export.law_source import law_kernels
from parakin.kernels import Kernel

TICKS = 200
"""Length of a run."""
WHEN = 40
"""Tick of the fault."""
HEARTBEAT = 30
"""Ticks for which the heart may stand still."""
OK, HELD, FAULT = GuardStatus

Rows = dict[str, Array]
"""What a law is told at each tick (ticks, ...), by its inputs; `gain` multiplies all gains."""


@dataclass(frozen=True)
class Kind:
    """A kind of bad input."""

    name: str
    """What is wrong."""
    make: Callable[[Rows], None]
    """Spoils rows of good input."""
    status: Mapping[int, GuardStatus]
    """What the status is at some ticks."""
    causes: tuple[GuardCause, ...] = ()
    """Causes that may be told of the first tick that is not good; none where all are."""
    of_legs: bool = False
    """Whether only laws of robots whose places are poses can tell: those of mechanisms do not look at this input."""


def _measured(rows: Rows) -> list[str]:
    return [port for port in rows if port.startswith("measured_")]


def _desired(rows: Rows) -> list[str]:
    return [port for port in rows if port.startswith("desired_")]


def _positions(rows: Rows) -> str:
    return "measured_q" if "measured_q" in rows else "measured_pose"


def _rates(rows: Rows) -> str:
    return "measured_q_dot" if "measured_q" in rows else "measured_velocity"


def _heart(_: Rows) -> str:
    return "heartbeat"


def _reset(_: Rows) -> str:
    return "reset"


def _gain(_: Rows) -> str:
    return "gain"


def _nothing(_: Rows) -> None:
    """Leave all as it is."""


def _set(ports: Callable[[Rows], list[str] | str], value: float, ticks: slice | int, first: bool = False):
    """Write a value at some ticks, to all numbers or to the first."""

    def make(rows: Rows) -> None:
        chosen = ports(rows)
        for port in [chosen] if isinstance(chosen, str) else chosen:
            flat = rows[port].reshape(TICKS, -1)
            flat[ticks, slice(0, 1) if first else slice(None)] = value

    return make


def _add(ports: Callable[[Rows], list[str] | str], value: float, ticks: slice | int):
    def make(rows: Rows) -> None:
        chosen = ports(rows)
        for port in [chosen] if isinstance(chosen, str) else chosen:
            rows[port].reshape(TICKS, -1)[ticks, 0] += value

    return make


def _degrees(ticks: slice):
    def make(rows: Rows) -> None:
        for port in _measured(rows):
            rows[port][ticks] *= 180 / np.pi

    return make


def _drift(rows: Rows) -> None:
    speed = 0.005 * np.arange(TICKS - WHEN, dtype=float)
    rows[_positions(rows)][WHEN:, 0] += speed


def _frozen(rows: Rows) -> None:
    for port in _measured(rows):
        rows[port][WHEN:] = rows[port][WHEN] if port == _positions(rows) else 0.0


def _stopped(rows: Rows) -> None:
    for port, values in rows.items():
        if port != "gain":
            values[WHEN:] = values[WHEN]


def _reset_at(*ticks: int):
    def make(rows: Rows) -> None:
        rows["reset"][list(ticks)] = 1.0

    return make


def _all(*makes: Callable[[Rows], None]):
    def make(rows: Rows) -> None:
        for one in makes:
            one(rows)

    return make


def _reference_jumps(rows: Rows) -> None:
    for port in _desired(rows):
        if port.startswith(("desired_q", "desired_pose")) and not port.endswith("dot"):
            rows[port].reshape(TICKS, -1)[WHEN:] += 0.3


def _far(rows: Rows) -> None:
    rows["desired_pose" if "desired_pose" in rows else "desired_q"][WHEN:, 0] += 10.0


_NAN, _INF = np.nan, np.inf
_LATE = TICKS - 1
_ONE: Mapping[int, GuardStatus] = {WHEN - 1: OK, WHEN: HELD, WHEN + 1: OK, _LATE: OK}
_EVER: Mapping[int, GuardStatus] = {WHEN - 1: OK, WHEN: HELD, WHEN + 9: HELD, WHEN + 10: FAULT, _LATE: FAULT}
_FINITE, _REFERENCE = (GuardCause.NOT_FINITE,), (GuardCause.REFERENCE,)
_PLACE = (GuardCause.STROKE, GuardCause.JUMP, GuardCause.RESIDUAL)

KINDS = (
    Kind("nothing", _nothing, dict.fromkeys((0, WHEN, _LATE), OK)),
    Kind("NaN in one position", _set(_positions, _NAN, WHEN, first=True), _ONE, _FINITE),
    Kind("NaN in all measurements", _set(_measured, _NAN, WHEN), _ONE, _FINITE),
    Kind("NaN for five ticks", _set(_measured, _NAN, slice(WHEN, WHEN + 5)), {WHEN + 4: HELD, WHEN + 5: OK}, _FINITE),
    Kind("NaN for ever", _set(_measured, _NAN, slice(WHEN, None)), _EVER, _FINITE),
    Kind("infinite position", _set(_positions, _INF, WHEN), _ONE, _FINITE),
    Kind("minus infinite position", _set(_positions, -_INF, WHEN, first=True), _ONE, _FINITE),
    Kind("position of 1e300", _set(_positions, 1e300, WHEN), _ONE, _FINITE),
    Kind("NaN in rates", _set(_rates, _NAN, WHEN), _ONE, _FINITE),
    Kind("degrees at one tick", _degrees(slice(WHEN, WHEN + 1)), _ONE, _PLACE),
    Kind("degrees for ever", _degrees(slice(WHEN, None)), _EVER, _PLACE),
    Kind("spike of one tick", _add(_positions, 0.3, WHEN), _ONE, _PLACE),
    Kind("jump that stays", _add(_positions, 0.3, slice(WHEN, None)), _EVER, _PLACE),
    Kind("drift", _drift, {WHEN: OK, _LATE: FAULT}, (*_PLACE, GuardCause.FOLLOWING)),
    Kind("frozen encoders", _frozen, {WHEN: OK, _LATE: FAULT}, (*_PLACE, GuardCause.FOLLOWING)),
    Kind("NaN in the reference", _set(_desired, _NAN, WHEN), _ONE, _REFERENCE),
    Kind("no reference any more", _set(_desired, _NAN, slice(WHEN, None)), _EVER, _REFERENCE),
    Kind("reference jumps", _reference_jumps, _EVER, _REFERENCE),
    Kind(
        "reference out of reach",
        _far,
        _EVER,
        (GuardCause.REFERENCE, GuardCause.REACH, GuardCause.RESIDUAL),
        of_legs=True,
    ),
    Kind(
        "heart stops",
        _set(_heart, 0.5, slice(WHEN, None)),
        {WHEN + HEARTBEAT - 1: OK, WHEN + HEARTBEAT: FAULT, _LATE: FAULT},
        (GuardCause.HEARTBEAT,),
    ),
    Kind("heart misses beats", _set(_heart, 0.5, slice(WHEN, WHEN + 20)), {WHEN + 19: OK, _LATE: OK}),
    Kind(
        "heart beats again",
        _set(_heart, 0.5, slice(WHEN, WHEN + 50)),
        {WHEN + HEARTBEAT: FAULT, _LATE: FAULT},
        (GuardCause.HEARTBEAT,),
    ),
    Kind(
        "NaN for a heart",
        _set(_heart, _NAN, slice(WHEN, None)),
        {WHEN + HEARTBEAT: FAULT, _LATE: FAULT},
        (GuardCause.HEARTBEAT,),
    ),
    Kind("everything stands still", _stopped, {WHEN: OK, _LATE: FAULT}, (GuardCause.HEARTBEAT,)),
    Kind("reset without a cause", _reset_at(WHEN, WHEN + 1), dict.fromkeys((WHEN, WHEN + 2, _LATE), OK)),
    Kind("NaN for a reset", _set(_reset, _NAN, WHEN), dict.fromkeys((WHEN, _LATE), OK)),
    Kind(
        "reset while it is bad",
        _all(_set(_measured, _NAN, slice(WHEN, None)), _reset_at(120)),
        {119: FAULT, 120: FAULT, _LATE: FAULT},
        _FINITE,
    ),
    Kind(
        "reset when it is good again",
        _all(_set(_measured, _NAN, slice(WHEN, 100)), _reset_at(120)),
        {100: FAULT, 119: FAULT, 120: OK, _LATE: OK},
        _FINITE,
    ),
    Kind(
        "reset after encoders ran away",
        _all(_set(_measured, 1e5, slice(WHEN, 100)), _reset_at(120)),
        {WHEN: HELD, WHEN + 10: FAULT, 119: FAULT, 120: OK, _LATE: OK},
        _PLACE,
    ),
    Kind(
        "reset that never falls",
        _all(_set(_measured, _NAN, slice(WHEN, 100)), _reset_at(*range(TICKS))),
        {WHEN + 10: FAULT, 101: FAULT, _LATE: FAULT},
        _FINITE,
    ),
    Kind(
        "every third tick bad",
        _set(_measured, _NAN, slice(WHEN, None, 3)),
        {WHEN: HELD, WHEN + 1: OK, _LATE: FAULT},
        _FINITE,
    ),
    Kind("every twelfth tick bad", _set(_measured, _NAN, slice(WHEN, None, 12)), {WHEN: HELD, _LATE: OK}, _FINITE),
    Kind("NaN in the gains", _set(_gain, _NAN, WHEN), _ONE, (GuardCause.FORCE,)),
)


def law_of(name: str, robot: pk.Robot, **changes: object) -> control.Law:
    """A guarded law that is soon told when the heart stops, or the robot does not follow."""
    guard = Guard.of(robot, 1e-3)
    near = tuple(0.25 * limit for limit in guard.following)
    guard = replace(guard, heartbeat_ticks=HEARTBEAT, following=near, **changes)  # pyright: ignore[reportArgumentType]
    return control.guarded(control.law(name, robot), guard)


@dataclass(frozen=True)
class Table:
    """Rows of every kind for one law, with the kernels that C has."""

    law: control.Law
    structs: Structs
    kernels: tuple[Kernel, Kernel]
    first: Mapping[str, Array]
    """What the start is told, by inputs of its kernel."""
    rows: Mapping[str, Array]
    """What each step is told (ticks, kinds, ...), by inputs of its kernel."""


def table_of(law: control.Law, kinds: tuple[Kind, ...] = KINDS) -> Table:
    """Make the rows of all kinds."""
    robot, interface = law.robot, law.interface
    whole = control.reference(robot, trajectory.fourier(robot), law.period)
    start = int(np.abs(whole.q_dot).max(axis=1).argmax()) - WHEN
    good: Rows = {w.port: whole.ahead(w.quantity, w.ahead)[start : start + TICKS] for w in interface.reference}
    good |= {f"measured_{what}": getattr(whole, what)[start : start + TICKS] for what in interface.measurement}
    good |= {"heartbeat": np.arange(1.0, TICKS + 1), "reset": np.zeros(TICKS), "gain": np.ones(TICKS)}
    spoilt = [{port: np.array(values) for port, values in good.items()} for _ in kinds]
    for kind, rows in zip(kinds, spoilt, strict=True):
        kind.make(rows)
    rows = {port: np.stack([each[port] for each in spoilt], axis=1) for port in good}
    structs = structs_of(law)
    gain = rows.pop("gain")
    values = {f"gain_{gain.name}": np.array(gain.values) for gain in interface.gains}
    rows |= {name: gain[..., None] * value for name, value in values.items()}
    holding = np.zeros(len(robot.actuator_names))
    first = {port: good[port][0] for port in interface.told} | values | {"holding": holding}
    return Table(law, structs, law_kernels(law, structs), first, rows)


def run(table: Table) -> tuple[Array, Array]:
    """Run all kinds in lanes; return forces (ticks, kinds, actuators) and states (ticks, kinds, numbers)."""
    start, step = table.kernels
    members = [member.name for member in table.structs.state.members]
    kinds = next(iter(table.rows.values())).shape[1]
    begun = start.evaluate({s.name: table.first[s.name].reshape(s.shape) for s in start.inputs})
    state = {f"state_{name}": np.repeat(np.asarray(begun[f"next_{name}"])[None], kinds, axis=0) for name in members}
    forces: list[Array] = []
    states: list[Array] = []
    for tick in range(TICKS):
        told = {name: values[tick] for name, values in table.rows.items()}
        given = state | told
        out = step.evaluate({s.name: given[s.name].reshape(kinds, *s.shape) for s in step.inputs})
        state = {f"state_{name}": out[f"next_{name}"] for name in members}
        forces.append(out["tau"].reshape(kinds, -1))
        states.append(np.concatenate([state[f"state_{name}"].reshape(kinds, -1) for name in members], axis=1))
    return np.array(forces), np.array(states)
