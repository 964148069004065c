"""A run that leaves a stroke says so; one that stays inside says nothing."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.description import describe


def test_a_run_tells_which_strokes_it_left() -> None:
    robot = pk.load("five_bar")
    motion = trajectory.point_to_point(robot, robot.home, robot.home + np.array([0.05, 0.0]))
    law = control.computed_torque(robot)
    reference = control.reference(robot, motion, law.period)
    assert simulation.simulate(robot, law, reference).beyond == ()
    start = robot.inverse_kinematics(robot.home)
    tables = robot.description.model_dump(exclude_defaults=True)
    lower, upper = float(start.min()) - 0.01, float(start.max()) + 0.01
    for leg in tables["legs"]:
        leg["elements"][0]["actuator"] |= {"lower": lower, "upper": upper}
    tight = pk.Robot(describe(tables, "tight"))
    log = simulation.simulate(tight, law, reference)
    assert {entry.actuator for entry in log.beyond} <= set(tight.actuator_names)
    worst = max(log.beyond, key=lambda entry: entry.excess)
    assert worst.quantity == "stroke"
    assert worst.excess == pytest.approx(max(lower - log["q"].min(), log["q"].max() - upper), rel=1e-9)
    assert worst.first <= worst.worst
