"""The table of control laws, and how to get one by its name."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from parakin.control.common import PERIOD
from parakin.control.definition import Law
from parakin.errors import UnknownNameError
from parakin.robot import Robot


def _of(name: str) -> Callable[[Robot, float], Law]:
    """Return the function of a law, whose module has its name and is imported when the law is first made."""

    def made(robot: Robot, period: float) -> Law:
        return getattr(importlib.import_module(f"parakin.control.laws.{name}"), name)(robot, period)

    return made


LAWS = {
    name: _of(name)
    for name in (
        "pid",
        "feedforward",
        "decoupling",
        "computed_torque",
        "computed_torque_platform",
        "predictive_functional",
        "adaptive",
        "adaptive_feedforward",
    )
}
"""Every law that follows set points, by its name: functions that make it for a robot and a sample time [s].

A new law is a file and a row.
"""
HAND_LAWS = {"hand_guiding": _of("hand_guiding")}
"""Every law that follows a hand, by its name."""


def law(name: str, robot: Robot, period: float = PERIOD) -> Law:
    """Make a law by its name, with default gains; `robot` is the controller's model, `period` its sample time [s].

    >>> pk.control.law("pid", robot, period=5e-4).interface.measurement
    ('q', 'q_dot')
    """
    known = LAWS | HAND_LAWS
    if name not in known:
        raise UnknownNameError("law", name, tuple(known))
    return known[name](robot, period)
