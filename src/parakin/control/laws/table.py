"""The table of control laws, and how to get one by its name."""

from __future__ import annotations

from collections.abc import Callable

from parakin.control.common import PERIOD
from parakin.control.definition import Law
from parakin.control.laws.adaptive import adaptive
from parakin.control.laws.adaptive_feedforward import adaptive_feedforward
from parakin.control.laws.computed_torque import computed_torque
from parakin.control.laws.computed_torque_platform import computed_torque_platform
from parakin.control.laws.decoupling import decoupling
from parakin.control.laws.feedforward import feedforward
from parakin.control.laws.hand_guiding import hand_guiding
from parakin.control.laws.pid import pid
from parakin.control.laws.predictive_functional import predictive_functional
from parakin.errors import UnknownNameError
from parakin.robot import Robot

LAWS: dict[str, Callable[[Robot, float], Law]] = {
    "pid": pid,
    "feedforward": feedforward,
    "decoupling": decoupling,
    "computed_torque": computed_torque,
    "computed_torque_platform": computed_torque_platform,
    "predictive_functional": predictive_functional,
    "adaptive": adaptive,
    "adaptive_feedforward": adaptive_feedforward,
}
"""Every law that follows set points, by its name: functions that make it for a robot and a sample time [s].

A new law is a file and a row.
"""
HAND_LAWS: dict[str, Callable[[Robot, float], Law]] = {"hand_guiding": hand_guiding}
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
