"""A run that leaves a stroke or a joint limit says so, alone or among many; one that stays inside says nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.description import describe
from tests.variants import delta_with, narrow_delta


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


def circles(tight: pk.Robot, count: int = 4) -> simulation.Many:
    """Runs along a circle that begin ever farther off it, with the logs of all."""
    robot = pk.load("delta")
    law = control.computed_torque(robot)
    reference = control.reference(robot, trajectory.motion("circle", robot, diameter=0.1), law.period)
    starts = [reference.pose[0] + np.array([0.0, 0.0, 0.01 * k]) for k in range(count)]
    scenarios = simulation.family(simulation.Scenario(), count, pose=starts)
    return simulation.simulate_many(tight, law, reference, scenarios, keep=range(count))


def test_many_runs_tell_which_of_them_left_which_limit_and_how_far() -> None:
    """At every tick, as the logs do."""
    free = circles(pk.load("delta"))
    assert free.summary.beyond() == ()
    assert not free.summary.excess.any()
    assert "beyond" not in str(free.summary)
    largest = [log["q"].max() for log in free.logs.values()]
    assert largest[0] < largest[3]
    between = float((largest[1] + largest[2]) / 2)
    tight = delta_with({}, {"upper": between})
    found = circles(tight)
    assert found.summary.limits.names == tight.actuator_names
    assert [bool(found.summary.beyond(k)) for k in range(4)] == [False, False, True, True]
    assert found.summary.beyond() == found.summary.beyond(3)
    assert found.summary[3].beyond() == found.summary.beyond(3)
    for k, log in found.logs.items():
        np.testing.assert_allclose(found.summary[k].excess, np.maximum(log["q"].max(axis=0) - between, 0.0), atol=1e-15)
        np.testing.assert_allclose(log.summary().excess, found.summary[k].excess, atol=1e-15)
        assert {entry.actuator for entry in log.beyond} == set(log.summary().beyond())
    assert "2 of 4 scenarios, the first number 2, went" in str(found.summary)
    assert f"{found.summary.beyond(3)[0]} went" in str(found.summary[3])


def test_many_runs_tell_of_joint_limits() -> None:
    robot = narrow_delta(0.05)
    found = circles(robot, 2)
    assert found.summary.limits.names == robot.joint_names
    for k, log in found.logs.items():
        angles = robot.kernel("joint_coordinates")(pose=log["pose"])["coordinate"]
        assert (angles > robot.joint_limits.upper).any()
        expected = np.maximum(angles.max(axis=0) - robot.joint_limits.upper, 0.0)
        np.testing.assert_allclose(found.summary[k].excess, expected, atol=1e-14)


def test_a_run_without_limits_has_none_to_leave(tmp_path: Path) -> None:
    bare = delta_with({}, {"lower": None, "upper": None})
    found = circles(bare, 1)
    assert found.summary.limits.names == ()
    assert found.summary.excess.shape == (1, 0)
    assert found.summary.beyond() == found.summary.beyond(0) == ()
    log = circles(pk.load("delta"), 1).logs[0]
    read = simulation.read_log(simulation.write_log(tmp_path / "log.csv", log))
    assert read.summary().limits.names == (), "a file does not say what the limits were"
