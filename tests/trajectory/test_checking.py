"""The check of a motion names what is not possible: actuator, time and amount; singularities between states too."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from parakin.robot.limits import LIMIT_ROUNDING
from parakin.trajectory import check, point_to_point
from parakin.trajectory.checking import Course, actuator_course, beyond
from parakin.trajectory.limits import limits_of
from tests.reference import planar_rpr
from tests.trajectory.helpers import is_refused, made, robot_named


def test_a_check_of_a_good_motion_says_how_close_it_is() -> None:
    checked = check(made("delta", "pick_and_place"), robot_named("delta"))
    assert checked.good
    assert str(checked).startswith("delta: pick_and_place, 1 s: within reach and limits; speed up to ")
    assert "% of 18 rad/s (" in str(checked)
    assert "% of 25 N m (" in str(checked)


def test_a_check_names_actuator_time_and_amount() -> None:
    robot = robot_named("delta")
    motion = made("delta", "pick_and_place")
    fast = motion.stretched(0.1)
    checked = check(fast, robot)
    assert not checked.good
    t = np.linspace(0.0, fast.duration, checked.states)
    states = fast.at(t)
    q_dot = robot.actuator_velocity(states.pose, states.velocity)
    tau = robot.inverse_dynamics(*states)
    for values, quantity, unit in ((q_dot, "speed", "rad/s"), (tau, "force", "N m")):
        limit = {"speed": 18.0, "force": 25.0}[quantity]
        entries = {entry.actuator: entry for entry in checked.excesses if entry.quantity == quantity}
        assert set(entries) == {n for n, v in zip(robot.actuator_names, values.T, strict=True) if max(abs(v)) > limit}
        for k, actuator in enumerate(robot.actuator_names):
            if actuator in entries:
                entry, course = entries[actuator], np.abs(values[:, k])
                assert entry.excess == pytest.approx(course.max() - limit)
                assert entry.first == t[np.argmax(course > limit)]
                assert abs(entry.value) == course.max()
                assert entry.unit == unit
                assert f"{quantity} of {actuator}: " in str(checked)
    assert "not possible" in str(checked)
    assert "beyond its limit of 25 N m (first beyond it at " in str(checked)


def test_going_through_a_singularity_is_seen_between_states() -> None:
    """A 3-RPR platform turned by some 90 degrees: no state needs to meet the singular one."""
    robot = robot_named("planar_3rpr")
    checked = check(point_to_point(robot, [0, 0, 0], [0, 0, 2.4]), robot, states=100)
    assert [trouble.kind for trouble in checked.troubles] == ["singular"]
    assert "singular: the platform is singular, condition number" in str(checked)


def test_a_motion_without_pose_is_unusable() -> None:
    robot = robot_named("delta")
    motion = made("delta", "lift")
    broken = dataclasses.replace(
        motion, function=lambda t: motion.function(t)._replace(pose=np.full((len(t), 3), np.nan))
    )
    checked = check(broken, robot, states=5)
    assert str(checked.troubles[0]) == "unusable: the motion gives no pose there (first at 0 s, 5 states in all)"


def test_going_back_through_a_singularity_counts_twice_and_the_worst_is_named() -> None:
    robot = robot_named("planar_3rpr")
    there = point_to_point(robot, [0, 0, 0], [0, 0, 2.4])
    back = dataclasses.replace(there, duration=2.0, function=lambda t: there.function(np.where(t < 1.0, t, 2.0 - t)))
    once, twice = check(there, robot, states=100).troubles[0], check(back, robot, states=200).troubles[0]
    assert (once.states, twice.states) == (1, 2)
    assert twice.first == pytest.approx(once.first, abs=0.02)
    conditions = robot.condition(there.at(np.linspace(0.0, 1.0, 100)).pose)
    k = round(99 * once.first)
    assert once.size == conditions[k : k + 2].max()
    assert once.worst == pytest.approx((k + int(conditions[k + 1] > conditions[k])) / 99)


def test_redundant_robots_have_no_sign_to_change() -> None:
    robot = planar_rpr(4)
    assert check(point_to_point(robot, [0, 0, 0], [0.01, 0, 0.1]), robot, states=5).troubles == ()


@pytest.mark.parametrize("quantity", ["stroke", "speed"])
def test_on_the_limit_is_within_it(quantity: str) -> None:
    robot = robot_named("delta")
    low, high = np.full(3, -2.0), np.full(3, 2.0)
    slack = 3.0 * LIMIT_ROUNDING
    drives = robot.actuator_names, ("rad",) * 3
    t = np.array([0.0, 0.5, 1.0])
    kind = "stroke" if quantity == "stroke" else "speed"
    values = np.array([[2.0, -2.0, 0.0], [2.0 + 0.9 * slack, -2.0 - 0.9 * slack, 0.0], [0.0, 0.0, np.nan]])
    assert beyond(Course(kind, *drives, t, values, low, high)) == []
    values = np.array([[0.0, -2.5, 0.0], [2.0 + 2 * slack, -3.0, 0.0], [0.0, 0.0, 0.0]])
    above, below = beyond(Course(kind, *drives, t, values, low, high))
    assert [entry.actuator for entry in (above, below)] == list(robot.actuator_names[:2])
    assert above.limit == 2.0
    assert below.limit == (-2.0 if quantity == "stroke" else 2.0)
    assert below.excess == 1.0
    assert (below.value, below.first, below.worst) == (-3.0, 0.0, 0.5)
    assert (above.first, above.worst) == (0.5, 0.5)


def test_without_limits_nothing_is_beyond_and_nothing_peaks() -> None:
    robot = robot_named("delta")
    endless = np.full(3, np.inf)
    assert beyond(actuator_course(robot, "force", np.zeros(1), np.full((1, 3), 1e9), endless)) == []


def test_a_peak_is_the_largest_part_of_a_limit() -> None:
    for name in ("delta", "hexapod_sliding"):
        robot, motion = robot_named(name), made(name, "pick_and_place")
        checked = check(motion, robot, states=301)
        states = motion.at(np.linspace(0.0, motion.duration, 301))
        limits = limits_of(robot)
        used = {
            "speed": np.abs(robot.actuator_velocity(states.pose, states.velocity)) / limits.speed,
            "force": np.abs(robot.inverse_dynamics(*states)) / limits.force,
        }
        assert [peak.quantity for peak in checked.peaks] == ["speed", "force"]
        for peak in checked.peaks:
            state, k = np.unravel_index(np.argmax(used[peak.quantity]), used[peak.quantity].shape)
            assert abs(peak.value) / peak.limit == pytest.approx(used[peak.quantity].max(), rel=1e-15)
            assert (peak.actuator, peak.time) == (robot.actuator_names[k], pytest.approx(state / 300 * motion.duration))
            units = robot.actuators[k].units
            assert peak.unit == (units.velocity if peak.quantity == "speed" else units.force)
        assert checked.condition == robot.condition(states.pose).max()


def test_checks_of_other_robots_and_of_one_state_are_refused() -> None:
    is_refused(lambda r: check(made("h4", "lift"), r), r"lift: robot: the motion is schoenflies, delta is translation")
    is_refused(lambda r: check(made("delta", "lift"), r, states=1), r"lift: states: at least 2, got 1")
    assert check(made("delta", "lift"), robot_named("delta"), states=2).states == 2
