"""The states of a machine, and what leads from one to another: a table, from which the code and the page are made."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, IntEnum
from typing import NamedTuple

import casadi as ca


class MachineState(IntEnum):
    """What a machine does.

    >>> [state.name for state in pk.export.MachineState]
    ['OFF', 'HOMING', 'HOLD', 'RUN', 'FAULT']
    """

    OFF = 0
    """No force, brakes on."""
    HOMING = 1
    """No force, brakes on unless the drives home by themselves; the pose is found when all are homed."""
    HOLD = 2
    """The law holds the robot where it is."""
    RUN = 3
    """The law follows the set points."""
    FAULT = 4
    """The guard's safe force, brakes on, until a reset."""

    @property
    def words(self) -> str:
        """The state in words."""
        return {
            MachineState.OFF: "no force, brakes on",
            MachineState.HOMING: "no force, brakes on; home switches are looked at, then the pose is found",
            MachineState.HOLD: "the law holds the robot where it is",
            MachineState.RUN: "the law follows the set points",
            MachineState.FAULT: "the safe force of the guard, brakes on, until a reset",
        }[self]


class Event(Enum):
    """What can lead a machine to another state, with its meaning in words."""

    ENABLED = "enable rises"
    """The drives may be used from now on."""
    DISABLED = "enable is not 1"
    """They may not."""
    LOST = "no pose fits the encoders"
    """Newton's method ended elsewhere than at the measured positions."""
    FOUND = "all are homed and the pose is found"
    """The robot can be held."""
    GUARD = "the guard's status is fault"
    """The guard believes too little."""
    START = "start rises, stop is not 1, the goal is a pose"
    """A move or the motion is to begin."""
    ENDED = "the set point is at rest: its end, or a stop"
    """There is nothing more to follow."""
    RESET = "reset rises"
    """A person has looked at the machine."""


class Transition(NamedTuple):
    """What leads from a state to another; of those of a state, the first that happens counts."""

    before: MachineState
    """The state."""
    event: Event
    """What happens."""
    after: MachineState
    """The state from then on."""


TRANSITIONS = (
    Transition(MachineState.OFF, Event.ENABLED, MachineState.HOMING),
    Transition(MachineState.HOMING, Event.DISABLED, MachineState.OFF),
    Transition(MachineState.HOMING, Event.LOST, MachineState.FAULT),
    Transition(MachineState.HOMING, Event.FOUND, MachineState.HOLD),
    Transition(MachineState.HOLD, Event.GUARD, MachineState.FAULT),
    Transition(MachineState.HOLD, Event.DISABLED, MachineState.OFF),
    Transition(MachineState.HOLD, Event.START, MachineState.RUN),
    Transition(MachineState.RUN, Event.GUARD, MachineState.FAULT),
    Transition(MachineState.RUN, Event.DISABLED, MachineState.OFF),
    Transition(MachineState.RUN, Event.ENDED, MachineState.HOLD),
    Transition(MachineState.FAULT, Event.RESET, MachineState.OFF),
)
"""Every way from one state to another."""


def known_state(state: ca.SX) -> ca.SX:
    """Return the number of a state as it is, and OFF where it is that of none."""
    known = ca.SX(int(MachineState.OFF))
    for one in MachineState:
        known = ca.if_else(ca.eq(state, int(one)), int(one), known)
    return known


def next_state(state: ca.SX, events: Mapping[Event, ca.SX]) -> ca.SX:
    """Return the state after a tick; events: whether each has happened (0 or 1)."""
    after = state
    for row in reversed(TRANSITIONS):
        happens = ca.logic_and(ca.eq(state, int(row.before)), events[row.event])
        after = ca.if_else(happens, int(row.after), after)
    return after


def table_text() -> str:
    """Return the transitions as a table of Markdown."""
    rows = "\n".join(f"| {row.before.name} | {row.event.value} | {row.after.name} |" for row in TRANSITIONS)
    return f"| state | event | next |\n|---|---|---|\n{rows}"


PICTURE = """\
            enable                all homed, pose found          start
     OFF ------------> HOMING ---------------------------> HOLD ------> RUN
      ^                  |                                 |  ^          |
      |                  | no pose fits              guard |  |__________|
      |                  v                                 v   ended, stop
      |_______________ FAULT <-----------------------------+-------------+ guard
            reset

     HOMING, HOLD, RUN ----> OFF where enable falls; FAULT is left by reset alone.
"""
"""The same as a picture."""
