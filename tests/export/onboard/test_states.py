"""The states of a machine: every state with every event, and every state of a whole machine with every input."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.export import MachineState
from parakin.export.onboard.block import Block, run
from parakin.export.onboard.homing import NOT_FOUND
from parakin.export.onboard.states import PICTURE, TRANSITIONS, Event, next_state, table_text
from tests.export.onboard.machines import Plant, lanes, machine

OFF, HOMING, HOLD, RUN, FAULT = MachineState


def expected(state: MachineState, e: Mapping[Event, bool]) -> MachineState:
    """What shall follow, as one would write it by hand."""
    if state in (OFF, FAULT):
        left = e[Event.ENABLED] if state is OFF else e[Event.RESET]
        return (HOMING if state is OFF else OFF) if left else state
    if state is not HOMING and e[Event.GUARD]:
        return FAULT
    if e[Event.DISABLED]:
        return OFF
    if state is HOMING:
        return FAULT if e[Event.LOST] else HOLD if e[Event.FOUND] else HOMING
    if state is HOLD:
        return RUN if e[Event.START] else HOLD
    return HOLD if e[Event.ENDED] else RUN


def test_every_state_with_every_event() -> None:
    symbols = {event: ca.SX.sym(event.name) for event in Event}
    state = ca.SX.sym("state")
    function = ca.Function("next", [state, *symbols.values()], [next_state(state, symbols)])
    for before in MachineState:
        for bits in itertools.product((0, 1), repeat=len(symbols)):
            wanted = expected(before, dict(zip(symbols, map(bool, bits), strict=True)))
            assert int(function(int(before), *bits)) == wanted, (before, bits)


def test_the_table_and_the_picture_have_every_transition() -> None:
    text = table_text()
    assert text.count("\n") == len(TRANSITIONS) + 1
    for row in TRANSITIONS:
        assert f"| {row.before.name} | {row.event.value} | {row.after.name} |" in text
    assert all(state.name in PICTURE for state in MachineState)
    assert len({(row.before, row.event) for row in TRANSITIONS}) == len(TRANSITIONS)
    page = (Path(__file__).parents[3] / "docs" / "machine.md").read_text()
    assert PICTURE in page
    assert text in page


@pytest.fixture(scope="module")
def reached() -> tuple[Block, dict[MachineState, dict[str, Array]]]:
    """A machine, and its state after some ticks in each of its states."""
    block, robot = machine("five_bar", "pid"), pk.load("five_bar")
    states: dict[MachineState, dict[str, Array]] = {}

    def inputs(tick: int, _: Mapping[str, Array]) -> dict[str, Array]:
        told = quiet(robot) | {"enable": np.array([float(tick > 1)]), "home": np.full(2, float(tick > 8))}
        told["start"] = np.array([float(tick > 40)])
        if tick > 60:
            told["counts"] = told["counts"] * np.nan
        return told

    ran = run(block, inputs, 100)
    for state in MachineState:
        tick = int(np.flatnonzero(ran.output["state"][:, 0] == state)[-1])
        tick = {HOLD: 35, RUN: 45, HOMING: 6}.get(state, tick)
        assert ran.output["state"][tick, 0] == state
        states[state] = {name: values[tick] for name, values in ran.state.items()}
    return block, states


def quiet(robot: pk.Robot) -> dict[str, Array]:
    """Inputs of a robot that rests at home, with nothing asked."""
    goal = robot.home + np.array([0.02, 0.0])
    told = {name: np.zeros(1) for name in ("enable", "start", "stop", "reset", "heartbeat")}
    return told | {"counts": Plant(robot, robot.home).counts, "home": np.zeros(2), "goal": goal}


SIGNALS = ("enable", "start", "stop", "reset", "homed", "counts", "goal")
LEVELS = (0.0, 1.0, np.nan)
"""Values of the first four; homed, counts and goal are 0 or 1: whether they are good."""


@pytest.mark.parametrize("state", MachineState)
@pytest.mark.parametrize("before", [0.0, 1.0])
def test_every_state_of_a_machine_with_every_input(
    state: MachineState, before: float, reached: tuple[Block, dict[MachineState, dict[str, Array]]]
) -> None:
    """A tick of each of 648 combinations, signals having been 0 or 1 before; forces and brake follow the state."""
    block, states = reached
    robot = pk.load("five_bar")
    cases = np.array(list(itertools.product(*([LEVELS] * 4), *([(0.0, 1.0)] * 3))))
    told = {name: np.repeat(values[None], len(cases), axis=0) for name, values in quiet(robot).items()}
    told |= {name: cases[:, k, None] for k, name in enumerate(SIGNALS[:4])}
    told["home"] = np.repeat(cases[:, 4, None], 2, axis=1)
    told["counts"] = np.where(cases[:, 5, None] == 1.0, told["counts"], np.nan)
    told["goal"] = np.where(cases[:, 6, None] == 1.0, told["goal"], np.nan)
    begun = states[state] | {name: np.array([before]) for name in ("enabled", "started", "was_reset")}
    ran = lanes(block, begun, told)
    after, tau, brake = (ran[f"output_{name}"] for name in ("state", "tau", "brake"))
    for k, (enable, start, stop, reset, _, _, goal) in enumerate(cases):
        events = dict.fromkeys(Event, False) | {
            Event.ENABLED: enable == 1 and before == 0,
            Event.DISABLED: enable != 1,
            Event.START: start == 1 and before == 0 and stop != 1 and goal == 1,
            Event.RESET: reset == 1 and before == 0,
        }
        wanted = expected(state, events)  # one tick is too short for a pose to be found, for a move or the guard to end
        assert after[k, 0] == wanted, (state, cases[k])
        acts = state in (HOLD, RUN) and wanted in (HOLD, RUN)
        assert brake[k, 0] == (not acts)
        if not acts and not (state is FAULT and wanted is FAULT and enable == 1):
            assert (tau[k] == 0.0).all()
    assert np.isfinite(tau).all()
    for name, values in ran.items():
        assert np.isfinite(values).all() or name == "output_measured_q", name


def test_a_machine_that_finds_no_pose_is_in_fault() -> None:
    """Encoders that say that a five-bar is where it cannot be."""
    block, robot = machine("five_bar", "pid"), pk.load("five_bar")

    def inputs(tick: int, _: Mapping[str, Array]) -> dict[str, Array]:
        far = np.array([4.0, 4.0]) * 2e5 * (tick > 9)
        return quiet(robot) | {
            "enable": np.array([float(tick > 1)]),
            "home": np.full(2, float(tick == 8)),
            "counts": Plant(robot, robot.home).counts + far,
        }

    said = run(block, inputs, 60).output
    assert said["state"][-1, 0] == FAULT
    assert said["cause"][-1, 0] == NOT_FOUND
    assert (said["tau"] == 0.0).all()
    assert (said["brake"] == 1.0).all()
