"""What a motion asks of the drives: power, heat and work, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import MotionError
from parakin.trajectory import actuator_loads, check, lift, pick_and_place
from tests.robots import robot_named

FRICTIONLESS = Path(__file__).parents[1] / "data" / "h4.toml"
"""A robot file without friction."""


def test_work_of_the_drives_is_the_energy_gained() -> None:
    robot = pk.load(FRICTIONLESS)
    motion = lift(robot)
    loads = actuator_loads(motion.sampled(4000), robot)
    ends = motion.at([0.0, motion.duration])
    energy = robot.energy(ends.pose, ends.velocity)
    assert loads.energy == pytest.approx(np.diff(energy.kinetic + energy.potential)[0], rel=1e-5)


def test_power_and_heat_follow_from_forces_and_speeds() -> None:
    robot = robot_named("delta")
    samples = pick_and_place(robot).sampled(1000)
    loads = actuator_loads(samples, robot)
    power = robot.actuator_power(samples.pose, samples.velocity, samples.acceleration)
    assert loads.power.sum(axis=1) == pytest.approx(np.asarray(power).reshape(len(samples.t), -1).sum(axis=1), abs=1e-9)
    assert loads.force_rms == pytest.approx(np.sqrt(np.mean(loads.tau**2, axis=0)), rel=1e-2)
    single = replace(
        samples, **{name: getattr(samples, name)[:1] for name in ("t", "pose", "velocity", "acceleration")}
    )
    assert actuator_loads(single, robot).force_rms == pytest.approx(abs(loads.tau[0]))
    assert actuator_loads(samples, robot.with_payload(1.0)).force_rms.max() > loads.force_rms.max()


def test_every_sample_is_checked() -> None:
    robot = robot_named("delta")
    motion = pick_and_place(robot, cycle=0.3)
    of_motion, of_samples = check(motion, robot), check(motion.sampled(1000), robot)
    assert (of_samples.motion, of_samples.states, of_samples.duration) == ("samples", 301, pytest.approx(0.3))
    assert [excess.actuator for excess in of_samples.excesses] == [excess.actuator for excess in of_motion.excesses]


def test_what_a_robot_cannot_do_is_refused() -> None:
    robot = robot_named("delta")
    samples = lift(robot).sampled(100)
    with pytest.raises(MotionError, match="the motion is translation, five_bar is planar-translation"):
        actuator_loads(samples, robot_named("five_bar"))
    with pytest.raises(MotionError, match=r"delta cannot be there at t = 0 s: trajectory\.check says why"):
        actuator_loads(replace(samples, pose=samples.pose - 9.0), robot)
    nothing = replace(
        samples, **{name: getattr(samples, name)[:0] for name in ("t", "pose", "velocity", "acceleration")}
    )
    for asked in (actuator_loads, check):
        with pytest.raises(MotionError, match="there is no state to"):
            asked(nothing, robot)
