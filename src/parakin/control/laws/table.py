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
"""Every law by its name: functions that make it for a robot and a sample time [s]. A new law is a file and a row."""


def law(name: str, robot: Robot, period: float = PERIOD) -> Law:
    """Make a law by its name, with default gains; `robot` is the controller's model, `period` its sample time [s].

    >>> pk.control.law("pid", robot, period=5e-4).interface.measurement
    ('q', 'q_dot')
    """
    if name not in LAWS:
        raise UnknownNameError("law", name, tuple(LAWS))
    return LAWS[name](robot, period)
