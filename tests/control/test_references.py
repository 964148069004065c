"""Set points of every tick: how many there are, when they are, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control, trajectory
from parakin.errors import MotionError
from parakin.trajectory import Samples, State

PERIOD = 1e-3


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def still(robot: pk.Robot) -> control.Reference:
    return control.hold(robot, robot.home, 5 * PERIOD, PERIOD)


def test_a_pose_is_held_for_as_many_ticks_as_fit(robot: pk.Robot, still: control.Reference) -> None:
    assert still.ticks == 5
    assert still.t == pytest.approx([0.0, 1e-3, 2e-3, 3e-3, 4e-3])
    assert (still.pose == robot.home).all()
    assert (still.q == robot.inverse_kinematics(robot.home)).all()
    assert not still.velocity.any()
    assert not still.q_dot.any()
    assert control.hold(robot, robot.home, 0.0, PERIOD).ticks == 1


def test_a_motion_is_followed_and_its_end_held(robot: pk.Robot) -> None:
    motion = trajectory.lift(robot)
    bare, settled = (control.reference(robot, motion, PERIOD, settle=time) for time in (0.0, 0.0198))
    assert settled.ticks == bare.ticks + 20
    assert np.array_equal(settled.pose[: bare.ticks], bare.pose)
    assert (settled.pose[bare.ticks :] == bare.pose[-1]).all()
    assert not settled.velocity[bare.ticks :].any()
    assert not settled.acceleration[bare.ticks :].any()
    assert settled.q_dot[100] == pytest.approx((settled.q[101] - settled.q[99]) / (2 * PERIOD), rel=1e-4, abs=1e-6)
    assert settled.q_ddot[100] == pytest.approx(
        (settled.q_dot[101] - settled.q_dot[99]) / (2 * PERIOD), rel=1e-3, abs=1e-4
    )


def test_looking_ahead_shifts_rows(still: control.Reference) -> None:
    ramp = replace(still, q=np.arange(10.0).reshape(5, 2))
    assert ramp.ahead("q", (0,)) is ramp.q
    assert ramp.ahead("q", (1,)).tolist() == [[2, 3], [4, 5], [6, 7], [8, 9], [8, 9]]
    assert ramp.ahead("q", (1, 4))[0].tolist() == [[2, 8], [3, 9]]


def test_samples_at_equal_distances_are_a_reference(robot: pk.Robot) -> None:
    pose = np.tile(robot.home, (4, 1))
    even = Samples(robot.motion_type, np.array([0.0, 0.1, 0.2, 0.3]), pose, 0 * pose, 0 * pose)
    assert control.reference_of_samples(robot, even).period == pytest.approx(0.1)
    for times in ([0.0, 0.1, 0.2, 0.31], [0.0]):
        count = len(times)
        uneven = Samples(robot.motion_type, np.array(times), pose[:count], 0 * pose[:count], 0 * pose[:count])
        with pytest.raises(MotionError, match="must be at least two times at equal distances"):
            control.reference_of_samples(robot, uneven)


def test_set_points_that_do_not_fit_are_refused(still: control.Reference) -> None:
    with pytest.raises(MotionError, match="q: 5 set points need as many rows, got 4"):
        replace(still, q=still.q[:4])
    broken = still.q_dot.copy()
    broken[3, 1] = np.nan
    with pytest.raises(MotionError, match=r"q_dot: the robot cannot be there at t = 0\.003 s"):
        replace(still, q_dot=broken)


def test_samples_of_a_file_are_followed_like_the_motion_itself(robot: pk.Robot, tmp_path: Path) -> None:
    motion = trajectory.lift(robot)
    samples = trajectory.read_csv(trajectory.write_csv(tmp_path / "m.csv", motion.sampled(1 / PERIOD), robot))
    for period in (PERIOD, 2 * PERIOD, 5 * PERIOD):
        exact, read = (control.reference(robot, given, period, settle=0.02) for given in (motion, samples))
        for name in ("pose", "velocity", "acceleration", "q", "q_dot", "q_ddot"):
            assert getattr(read, name) == pytest.approx(getattr(exact, name), rel=1e-9, abs=1e-9)
    with pytest.raises(MotionError, match=r"a sample every 0\.001 s does not meet ticks every 0\.0015 s: sample"):
        control.reference(robot, samples, 1.5e-3)
    with pytest.raises(MotionError, match=r"does not meet ticks every 0\.0005 s"):
        control.reference(robot, samples, 0.5e-3)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
def test_periods_and_times_that_are_none_are_refused(robot: pk.Robot, wrong: float) -> None:
    motion = trajectory.lift(robot)
    with pytest.raises(MotionError, match="reference: period: must be finite and > 0 s"):
        control.reference(robot, motion, wrong)
    if wrong:
        with pytest.raises(MotionError, match="reference: settle: must be finite and >= 0 s"):
            control.reference(robot, motion, PERIOD, settle=wrong)


def test_a_motion_out_of_reach_is_told_by_its_name_with_the_leg(robot: pk.Robot) -> None:
    lift = trajectory.lift(robot)
    far = replace(
        lift, name="too far", function=lambda t: State(lift.function(t).pose + 10 * t[:, None], *lift.function(t)[1:])
    )
    message = r"too far: pose: five_bar cannot be there at t = 0\.\d+ s \(side\d cannot close, .* mm missing\)"
    with pytest.raises(MotionError, match=message):
        control.reference(robot, far, PERIOD)
    lost = replace(lift, name="lost", function=lambda t: State(*(values + np.nan for values in lift.function(t))))
    with pytest.raises(
        MotionError, match=r"lost: pose: five_bar cannot be there at t = 0 s \(the state is not finite\)"
    ):
        control.reference(robot, lost, PERIOD)
    with pytest.raises(MotionError, match="lift: robot: the motion is planar-translation, delta is translation"):
        control.reference(pk.load("delta"), lift, PERIOD)
