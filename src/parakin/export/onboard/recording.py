"""What the self-test of a block replays: a script of signals, and encoders that show a robot which follows exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control import GuardCause
from parakin.errors import CExportError
from parakin.export.onboard.block import Block, Ticked, run
from parakin.export.onboard.encoders import Encoders
from parakin.export.onboard.homing import NOT_FOUND
from parakin.export.onboard.states import MachineState
from parakin.robot import Robot
from parakin.trajectory.offsets import offset_pose

TICKS = 2000
"""How many ticks are recorded."""
SCRIPT = {
    "enable": ((4, 1400), (1420, TICKS)),
    "home": ((10, 40),),
    "start": ((60, 62), (700, 702), (1500, 1510)),
    "stop": ((200, 203),),
    "reset": ((1850, 1852),),
}
"""Signals that are 1 from a tick to the one before another.

Homing, a move that is stopped, one that may end, off and on again, and a fault that is reset.
"""
FAULT = (1750, 1800)
"""Ticks in which the encoders are NaN, which is a fault."""
PART = 0.2
"""Part of the box to which recorded moves go."""
OFFSET = 1000.0
"""Counts of all encoders at home."""


@frozen_arrays
class Recorded:
    """A run of a block, for its self-test."""

    told: Mapping[str, Array]
    """Inputs at each tick (ticks, size), by members."""
    ticked: Ticked
    """State and outputs at each tick."""


def signals(tick: int) -> dict[str, Array]:
    """Return the signals of the script at a tick."""
    on = {name: any(first <= tick < end for first, end in spans) for name, spans in SCRIPT.items()}
    return {name: np.array([float(value)]) for name, value in on.items()}


def goal_of(robot: Robot) -> Array:
    """Return the goal of the recorded moves."""
    return offset_pose(robot, PART * robot.box[1])


def recorded_set_points(block: Block, robot: Robot) -> Recorded:
    """Record the set points of the script's starts and stops."""

    def inputs(tick: int, _: Mapping[str, Array]) -> dict[str, Array]:
        told = signals(tick)
        return {"start": told["start"], "stop": told["stop"]} | _goal(block, robot)

    return _recorded(block, inputs)


def recorded_machine(block: Block, robot: Robot, encoders: Encoders) -> Recorded:
    """Record a machine whose robot is always where its set point goes, but for one time at which encoders fail."""
    at_home: Array = np.asarray(robot.inverse_kinematics(robot.home))
    seen: list[Array] = []

    def inputs(tick: int, said: Mapping[str, Array]) -> dict[str, Array]:
        acts = bool(said) and said["brake"][0] == 0.0
        last = seen[-1] if seen else at_home
        q = said["desired_q"] if acts and np.isfinite(said["desired_q"]).all() else last
        seen.append(q)
        onward = 2 * q - seen[-2] if acts and len(seen) > 1 else q
        counts = np.round((onward - at_home) * np.array(encoders.counts)) + OFFSET
        if np.abs(encoders.counts).max() <= 1.0:  # counts are positions: whole numbers would be no positions
            counts = (onward - at_home) * np.array(encoders.counts) + OFFSET
        counts = np.full_like(counts, np.nan) if FAULT[0] <= tick < FAULT[1] else counts
        told = signals(tick)
        told["home"] = np.repeat(told["home"], len(at_home))
        return told | {"counts": counts, "heartbeat": np.array([float(tick % 97)])} | _goal(block, robot)

    recorded = _recorded(block, inputs)
    _check(block, recorded.ticked)
    return recorded


def _goal(block: Block, robot: Robot) -> dict[str, Array]:
    return {one.name: goal_of(robot) for one in block.input.members if one.name == "goal"}


def _recorded(block: Block, inputs: Callable[[int, Mapping[str, Array]], dict[str, Array]]) -> Recorded:
    told: list[dict[str, Array]] = []

    def kept(tick: int, said: Mapping[str, Array]) -> dict[str, Array]:
        told.append(inputs(tick, said))
        return told[-1]

    ticked = run(block, kept, TICKS)
    return Recorded({name: np.stack([each[name] for each in told]) for name in told[0]}, ticked)


def _check(block: Block, ticked: Ticked) -> None:
    """Refuse a machine that faults before its encoders do: it would on the machine too."""
    state = ticked.output["state"][: FAULT[0], 0]
    if (state == MachineState.FAULT).any():
        first = int(np.argmax(state == MachineState.FAULT))
        cause = int(ticked.output["cause"][first, 0])
        words = "no pose fits the encoders" if cause == NOT_FOUND else GuardCause(cause).words
        remedy = "choose slower moves, a motion within the limits of the robot file, or another guard"
        reason = f"the recorded run ends in a fault at {first * block.period:.3g} s: {words}"
        raise CExportError(block.title, f"{reason}: {remedy}")
