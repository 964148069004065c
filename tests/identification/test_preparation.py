"""From logs to states: against the truth of simulations, and the same whatever the block."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import signal

import parakin as pk
from parakin.arrays import Array
from parakin.errors import EstimationError, LogFileError
from parakin.identification.fit.moments import Cut
from parakin.identification.logs.log_source import open_log
from parakin.identification.logs.pose_tracking import PoseTracker
from parakin.identification.preparation import Preparation, Prepared, prepare
from parakin.identification.preparation.cutoff import choose_cutoff
from parakin.identification.preparation.filters import ORDER, smoother
from parakin.identification.preparation.periods import find_period, mean_period
from parakin.identification.states import States
from parakin.robot import PosesFound
from parakin.simulation import Log, Scenario, write_log
from parakin.tables import write_table
from tests.logs import PERIOD, simulated
from tests.robots import robot_named

BLOCKS = 1e-9
"""Relative to the largest: convolutions of blocks round differently, and differences divide by the period squared."""


def prepared(robot: pk.Robot, log: Log, folder: Path, options: Preparation | None = None) -> Prepared:
    return prepare(robot, open_log(robot, write_log(folder / "log.npz", log)), options)


def joined(states: list[States]) -> States:
    names = ("t", "pose", "velocity", "acceleration", "tau")
    return States(*(np.concatenate([getattr(s, name) for s in states]) for name in names))


def relative(found: Array, true: Array) -> float:
    return float(np.max(np.abs(found - true)) / np.max(np.abs(true)))


# The low-pass --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cutoff", [10.0, 60.0])
def test_kernels_are_a_filter_run_both_ways_and_central_differences(cutoff: float) -> None:
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.normal(size=9000)) * 1e-3
    smooth = smoother(cutoff, PERIOD)
    sections = signal.butter(ORDER, cutoff, fs=1 / PERIOD, output="sos")  # pyright: ignore
    y = np.asarray(signal.sosfiltfilt(sections, x))  # pyright: ignore
    inside = slice(2 * smooth.reach, -2 * smooth.reach)
    found = [values[smooth.reach : -smooth.reach, 0] for values in smooth.apply(x[:, None])]
    expected = [y, np.gradient(y, PERIOD), np.gradient(np.gradient(y, PERIOD / 2), PERIOD / 2)]
    expected[2] = np.concatenate([[0.0], np.diff(y, 2) / PERIOD**2, [0.0]])
    for value, right in zip(found, expected, strict=True):
        assert relative(value, right[inside]) < 1e-9


def test_spectral_differences_and_shifts_are_exact_below_the_cutoff() -> None:
    f, shift = 8.0, 0.5
    t = np.arange(4000) * PERIOD
    smooth = smoother(100.0, PERIOD, "spectral", shift)
    w, later = 2 * np.pi * f, t[smooth.reach : -smooth.reach] + shift * PERIOD
    found = smooth.apply(np.sin(w * t)[:, None])
    exact = (np.sin(w * later), w * np.cos(w * later), -(w**2) * np.sin(w * later))
    for value, right in zip(found, exact, strict=True):
        assert relative(value[:, 0], right) < 1e-7


def test_the_cutoff_follows_motion_and_noise() -> None:
    rng, t = np.random.default_rng(0), np.arange(4096) * PERIOD
    slow = np.sin(2 * np.pi * 3 * t)[:, None]
    quiet = choose_cutoff([slow + 1e-7 * rng.normal(size=slow.shape)], PERIOD)
    loud = choose_cutoff([slow + 1e-3 * rng.normal(size=slow.shape)], PERIOD)
    quick = choose_cutoff(
        [slow + 0.1 * np.sin(2 * np.pi * 40 * t)[:, None] + 1e-3 * rng.normal(size=slow.shape)], PERIOD
    )
    assert 3 < loud.frequency < quiet.frequency
    assert 40 < quick.frequency < 120
    assert str(loud).startswith("cut-off ")
    assert "least expected error of accelerations" in loud.rule


def test_where_nothing_stands_above_the_noise_all_is_kept_that_can_be() -> None:
    noise = np.random.default_rng(2).normal(size=(4096, 2))
    assert choose_cutoff([noise], PERIOD).frequency == pytest.approx(0.2 / PERIOD)
    assert choose_cutoff([noise], PERIOD).rule == "0.2 of the sampling rate: no motion stands above the noise"


# States --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["five_bar", "delta", "palida"])
def test_states_are_those_of_the_simulation(name: str, tmp_path: Path) -> None:
    """Encoders of 20 bits; velocities and poses by what they measure, without friction's corners."""
    robot, log = robot_named(name), simulated(name)
    states = joined(list(prepared(robot, log, tmp_path, Preparation(cutoff=40.0, force_delay=0.0))))
    rows = np.round((states.t - log.t[0]) / PERIOD).astype(int)
    assert np.max(np.abs(states.t - log.t[rows])) < 1e-9
    assert relative(states.pose, log["pose"][rows]) < 1e-4
    assert relative(states.velocity, log["velocity"][rows]) < 5e-3
    assert np.array_equal(states.tau, log["tau"][rows])
    predicted = robot.inverse_dynamics(states.pose, states.velocity, states.acceleration)
    spread = np.std(states.tau, axis=0)
    assert np.max(np.sqrt(np.mean((predicted - states.tau) ** 2, axis=0)) / spread) < 0.3


def test_the_result_does_not_depend_on_the_block(tmp_path: Path) -> None:
    robot, log = robot_named("palida"), simulated("palida")
    ready = prepared(robot, log, tmp_path, Preparation(cutoff=30.0, smooth_forces=True, every=3))
    whole = joined(list(ready.states()))
    assert len(whole) == ready.report.states
    for block in (101, 1000):
        again = joined(list(ready.states(block)))
        for name in ("t", "pose", "velocity", "acceleration", "tau"):
            assert relative(getattr(again, name), getattr(whole, name)) < BLOCKS


def test_a_cut_does_not_reach_across(tmp_path: Path) -> None:
    """States of the second stretch are those of a log that begins there."""
    robot, log = robot_named("five_bar"), simulated("five_bar")
    table = log.table.copy()
    table[1400, 1:] = np.nan
    options = Preparation(policy="cut", cutoff=40.0)
    both = list(prepared(robot, replace(log, table=table), tmp_path, options))
    second = joined(list(prepared(robot, replace(log, table=log.table[1401:]), tmp_path, options)))
    assert len(both) == 2
    assert relative(both[1].acceleration, second.acceleration) < BLOCKS


def test_stretches_too_short_for_the_low_pass_are_left_out_and_told(tmp_path: Path) -> None:
    robot, log = robot_named("five_bar"), simulated("five_bar")
    table = log.table.copy()
    table[[1400, 1460], 1:] = np.nan
    ready = prepared(robot, replace(log, table=table), tmp_path, Preparation(policy="cut", cutoff=40.0))
    first, last = ready.stretches
    assert (first.first, first.stop, last.first, last.stop) == (0, 1400, 1461, 3000)
    (short,) = (damage for damage in ready.report.damage if damage.kind == "short-stretch")
    assert (short.start, short.end) == pytest.approx((log.t[1401], log.t[1459]))
    assert ready.report.states == sum(len(states) for states in ready)


def test_held_forces_act_half_a_period_later(tmp_path: Path) -> None:
    """A simulated drive holds a force until the next row: with the motion taken in between, the forces fit better."""
    robot = robot_named("five_bar")
    log = simulated("five_bar", Scenario())
    misfit = []
    for delay in (0.0, 0.5):
        states = joined(list(prepared(robot, log, tmp_path, Preparation(cutoff=150.0, force_delay=delay))))
        predicted = robot.inverse_dynamics(states.pose, states.velocity, states.acceleration)
        misfit.append(np.median(np.abs(predicted - states.tau)))
    assert misfit[1] < 0.5 * misfit[0]


def test_measured_poses_and_velocities_are_used_when_asked(tmp_path: Path) -> None:
    """They are: what is wrong with them shows in the states."""
    robot, log = robot_named("palida"), simulated("palida")
    table, names = log.table.copy(), [column.name for column in log.columns]
    table[:, names.index("pose.x")] += 1e-3
    table[:, names.index("pose.qw") : names.index("pose.qz") + 1] *= -1
    table[:, names.index("velocity.vz")] += 0.5
    path = write_log(tmp_path / "log.npz", replace(log, table=table))
    source = open_log(robot, path, pose=True, velocity=True)
    states = joined(list(prepare(robot, source, Preparation(cutoff=100.0, force_delay=0.0))))
    rows = np.round((states.t - log.t[0]) / PERIOD).astype(int)
    assert np.mean(states.pose - log["pose"][rows], axis=0)[:3] == pytest.approx([1e-3, 0, 0], abs=1e-6)
    assert np.max(np.abs(states.pose[:, 3:] + log["pose"][rows, 3:])) < 1e-5
    assert np.mean(states.velocity - log["velocity"][rows], axis=0) == pytest.approx([0, 0, 0.5, 0, 0, 0], abs=1e-4)


def test_the_tracker_stays_on_the_assembly_mode_it_began_on() -> None:
    robot = robot_named("five_bar")
    poses = robot.home + 0.05 * np.stack([np.sin(np.linspace(0, 6, 300)), np.cos(np.linspace(0, 6, 300))], axis=1)
    q = robot.inverse_kinematics(poses)
    _, tracked, status = PoseTracker(robot).track(q)
    assert not np.any(status)
    assert np.max(np.abs(tracked - poses)) < 1e-12


def test_a_motion_that_home_leads_to_is_solved_in_batches() -> None:
    """Anchors from home, the links between them, and all rows: the chain is not walked where all links hold."""
    robot = robot_named("five_bar")
    way = np.linspace(0, 6, 640)
    q = robot.inverse_kinematics(robot.home + 0.05 * np.stack([np.sin(way), np.cos(way)], axis=1))
    tracker, calls = PoseTracker(robot), list[int]()
    search = tracker._search

    def counted(q: ArrayLike, near: ArrayLike) -> PosesFound:
        calls.append(len(np.asarray(q)))
        return search(q, near)

    tracker._search = counted
    tracker.track(q)
    assert calls == [20, 20, 640]


# Periods -------------------------------------------------------------------------------------------------------------


def periodic(robot: pk.Robot, count: int, rows: int, noise: float) -> Log:
    """Every actuator force as the robot file has it, with noise of its own in each period."""
    log, rng = simulated("five_bar"), np.random.default_rng(1)
    t: Array = np.arange(count * rows) * np.float64(PERIOD)
    w = 2 * np.pi / (rows * PERIOD)
    phase = w * t[:, None] + np.array([0.0, 1.0])
    pose = robot.home + 0.05 * np.sin(phase)
    velocity, acceleration = 0.05 * w * np.cos(phase), -0.05 * w**2 * np.sin(phase)
    tau = robot.inverse_dynamics(pose, velocity, acceleration) + noise * rng.normal(size=pose.shape)
    names = ("t", "measured_q", "tau")
    columns = tuple(column for column in log.columns if column.quantity in names)
    return Log(columns, np.column_stack([t, robot.inverse_kinematics(pose), tau]).astype(np.float64))


def test_periods_are_averaged(tmp_path: Path) -> None:
    robot, noise = robot_named("five_bar"), 0.02
    ready = prepared(robot, periodic(robot, 20, 500, noise), tmp_path, Preparation(cutoff=60.0, differences="spectral"))
    mean = mean_period(ready)
    assert (mean.count, len(mean.states)) == (20, 500)
    assert mean.period == pytest.approx(0.5)
    assert np.mean(mean.tau_variance) == pytest.approx(noise**2, rel=0.05)
    assert np.max(mean.q_variance) < 1e-20
    predicted = robot.inverse_dynamics(mean.states.pose, mean.states.velocity, mean.states.acceleration)
    assert np.std(predicted - mean.states.tau) == pytest.approx(noise / np.sqrt(20), rel=0.1)
    with pytest.raises(LogFileError, match="is no whole number of rows"):
        mean_period(ready, 0.5003)
    with pytest.raises(LogFileError, match="has 1 whole periods"):
        mean_period(ready, 6.0)


def test_what_does_not_repeat_has_no_period() -> None:
    t = np.arange(4000) * PERIOD
    assert find_period(np.sin(2 * np.pi * t + t**2)[:, None]) is None
    assert find_period(np.sin(2 * np.pi * t / 0.8)[:, None]) == 800


# Options ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0.0, -1.0, np.nan, np.inf])
def test_numbers_that_mean_nothing_are_refused(number: float) -> None:
    for ask, name in ((lambda: Preparation(cutoff=number), "cutoff"), (lambda: Cut(period=number), "period")):
        with pytest.raises(EstimationError, match=f"{name}: must be finite and > 0"):
            ask()
    if number:
        with pytest.raises(EstimationError, match="average: must be finite and >= 0 s"):
            Cut(average=number)
    if not np.isfinite(number):
        with pytest.raises(EstimationError, match="force_delay: must be finite"):
            Preparation(force_delay=number)


def test_a_cut_off_lies_below_half_the_sampling_rate(tmp_path: Path) -> None:
    """Above it the bilinear filter would fold it back."""
    robot = robot_named("five_bar")
    with pytest.raises(EstimationError, match="cutoff: must be below half the sampling rate, 500 Hz, got 600"):
        prepared(robot, periodic(robot, 3, 500, 0.01), tmp_path, Preparation(cutoff=600.0))


# Memory --------------------------------------------------------------------------------------------------------------


def test_a_long_log_streams_in_bounded_memory(tmp_path: Path) -> None:
    """20 MB of text; what is held at a time is a page of rows and a block of states."""
    robot = robot_named("five_bar")
    log = periodic(robot, 480, 500, 0.01)
    path = write_table(tmp_path / "long.csv", [column.header for column in log.columns], log.table)
    assert path.stat().st_size > 20e6
    ready = prepare(robot, open_log(robot, write_log(tmp_path / "short.npz", periodic(robot, 10, 500, 0.01))))
    list(ready)
    tracemalloc.start()
    try:
        count = sum(len(states) for states in prepare(robot, open_log(robot, path)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count > 230_000
    assert peak < 16e6
