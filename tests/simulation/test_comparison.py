"""What a comparison says of its contestants, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import SimulationError
from parakin.simulation import Column, Comparison, Log, Margins, Scenario
from parakin.simulation.comparison import Contestant
from tests.simulation.small_log import log_of


def comparison(rule: simulation.Rule) -> Comparison:
    margins = Margins(True, 3.0, 0.5, 4e-3, np.array([0.1, 0.2]))
    law = control.law("pid", pk.load("five_bar"))
    idle = tuple(Column(name, "b", "1") for name in ("desired_q", "q", "tau", "saturated"))
    log = log_of()
    two = Log((*log.columns, *idle), np.hstack([log.table, np.zeros((3, 4))]))
    return Comparison(rule, 4e-3, 0.1, {"pid": Contestant(law, margins, two)})


def test_the_rule_in_words() -> None:
    slow = "integral action and adaptation at 0.1 of the bandwidth"
    assert comparison("margin").said == f"laws with the same delay margin at home, 4 ms; {slow}"
    assert comparison("noise").said == f"laws with the same largest force noise at home, 0.004 N or N m rms; {slow}"


def test_a_row_for_each_law() -> None:
    """Of two actuators, one of which does nothing: the worst counts."""
    (row,) = comparison("margin").rows()
    expected = {
        "error_rms": np.sqrt(5 / 3),
        "error_peak": 2.0,
        "distance_rms": np.sqrt(169 / 3),
        "distance_peak": 12.0,
        "force_rms": np.sqrt(10),
        "gain_margin": 3.0,
        "delay_margin": 4e-3,
        "force_noise": 0.2,
    }
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert (row["law"], row["ending"]) == ("pid", "completed")


def test_a_first_law_that_is_unstable_needs_a_target() -> None:
    """60 rad/s at 50 ms a tick, and another tick of delay."""
    robot = pk.load("five_bar")
    law = control.law("computed_torque", robot, 0.05)
    reference = control.hold(robot, robot.home, 0.05, 0.05)
    with pytest.raises(SimulationError, match="margin: computed_torque is unstable at 60 rad/s: give a target"):
        simulation.compare(robot, [law], reference, Scenario(delay=True), "margin")
