"""Kalman filters of parameters: they find the truth, keep covariances positive, run in batches and in C."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.errors import UnsupportedRobotError
from parakin.identification.fit.linear import base_model, nacelle_model
from parakin.identification.online.kalman import SMOOTHING, KalmanFilter, extended, random_walk
from parakin.identification.online.least_squares import online
from parakin.identification.states import States
from tests.c_code import selftest
from tests.robots import robot_named

STEP = 2 * np.pi / 2**17
"""Of an encoder."""


@functools.cache
def five_bar() -> KalmanFilter:
    return extended(base_model(robot_named("five_bar"), shared=True), 1e-3)


@functools.cache
def given() -> dict[str, Any]:
    """What the filter is given of a simulated five-bar whose parameters are 20 % more or less than in the file."""
    robot = robot_named("five_bar")
    law = control.law("computed_torque", robot).with_gains(K_p=10_000.0, K_d=90.0, K_i=0.0)
    reference = control.reference(robot, trajectory.fourier(robot), law.period)
    scenario = simulation.Scenario(parameters=real(robot), counts=1 / STEP, velocity_filter=200.0, smoothing=SMOOTHING)
    log = simulation.simulate(robot, law, reference, scenario)
    filt, n = five_bar(), robot.degrees_of_freedom
    prior = filt.model.values
    std = np.concatenate([0.3 * np.abs(prior) + 1e-3, np.full(n, 1e-4), np.full(n, 1e-2)])
    drift = np.concatenate([np.full(len(prior), 1e-9), np.full(n, 1e-9), np.full(n, 1e-5)])
    start = {"pose": log["pose"][0], "velocity": log["velocity"][0], "p": prior, "root": filt.root(std)}
    noise = np.full(n, STEP / np.sqrt(12))
    return start | {"q": log["measured_q"], "tau": log["tau"], "noise": noise, "drift": drift}


def real(robot: pk.Robot) -> np.ndarray:
    """Legs alike."""
    names = [name.partition(".")[2] for name in robot.parameter_names]
    drawn = dict(zip(names, np.random.default_rng(0).choice([0.8, 1.2], len(names)), strict=True))
    return robot.parameters * [drawn[name] for name in names]


def test_encoders_and_forces_lead_to_the_true_parameters() -> None:
    filt = five_bar()
    out = filt.run(**given())
    assert filt.model.base is not None
    truth = filt.model.base.map @ real(filt.model.robot)
    P = filt.covariance(out["root"][::500])
    assert np.linalg.eigvalsh(P).min() > 0
    found, std = out["p"][-1], np.sqrt(np.diagonal(P[-1]))[: len(truth)]
    assert np.max(np.abs(found - truth) / std) < 4
    sure = truth != 0
    assert np.max(np.abs(found / np.where(sure, truth, 1) - 1)[sure]) < 0.01
    assert np.max(np.abs(filt.model.values / np.where(sure, truth, 1) - 1)[sure]) > 0.15


def test_a_batch_is_each_by_itself() -> None:
    filt, one = five_bar(), dict(given())
    some = one | {"q": one["q"][:300], "tau": one["tau"][:300]}
    two: dict[str, Any] = some | {"p": np.stack([some["p"], 1.1 * some["p"]])}
    batch = filt.run(**two)
    for k in range(2):
        assert np.array_equal(batch["root"][k], filt.run(**some | {"p": two["p"][k]})["root"])


def test_a_pose_that_is_no_good_leaves_all_as_it_was() -> None:
    filt, start = five_bar(), dict(given())
    one = start | {"q": start["q"][:1], "tau": start["tau"][:1], "pose": np.array([5.0, 5.0])}
    out = filt.run(**one)
    assert np.array_equal(out["p"][0], start["p"])
    assert np.array_equal(out["root"][0], start["root"])


def test_a_tick_is_exported_as_c(tmp_path: Path) -> None:
    filt, start = five_bar(), given()
    samples = {k: np.broadcast_to(v, (64, *v.shape)) for k, v in start.items() if k not in ("q", "tau")}
    filt.to_c(tmp_path, "tick", samples=samples | {"q": start["q"][:64], "tau": start["tau"][:64]})
    done = selftest(tmp_path, "tick")
    assert done.returncode == 0, done.stdout


def test_a_walk_that_stands_still_is_least_squares_and_one_that_walks_follows() -> None:
    model = base_model(robot_named("five_bar"), shared=True)
    s = trajectory.fourier(model.robot, blend=0.0).sampled(200.0)
    state = {"pose": s.pose, "velocity": s.velocity, "acceleration": s.acceleration}
    tau = model.robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    tau = tau + 0.01 * np.random.default_rng(0).normal(size=tau.shape)
    filt, noise, std = random_walk(model), np.full(2, 0.01), 0.3 * np.abs(model.values) + 1e-2
    start = {"p": 1.2 * model.values, "root": filt.root(std), "noise": noise}
    still = filt.run(**state, tau=tau, **start, drift=np.zeros(filt.size))
    squares = online(model)
    begun = squares.start(1.2 * model.values, std)
    batch = squares.over(States(s.t, s.pose, s.velocity, s.acceleration, tau), noise, start=begun)
    assert still["p"][-1] == pytest.approx(batch[-1], abs=1e-9 * np.abs(batch[-1]).max())
    half = len(tau) // 2
    heavier = np.where(np.arange(len(tau))[:, None] < half, tau, 1.2 * tau)
    walks = filt.run(**state, tau=heavier, **start, drift=np.full(filt.size, 1e-3))["p"][-1]
    large = np.abs(model.values) > 0.03
    assert walks[large] == pytest.approx(1.2 * model.values[large], rel=0.05)


def test_robots_that_it_is_not_for() -> None:
    with pytest.raises(UnsupportedRobotError, match="needs base parameters"):
        extended(nacelle_model(robot_named("h4")), 1e-3)
