"""Identification of a machine that parakin did not simulate: the truth lies in the intervals, by default."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from parakin import trajectory
from parakin.arrays import Array
from parakin.errors import ParakinError
from parakin.identification import Identification, Question, identify
from parakin.identification.fit.linear import LinearModel, base_model
from parakin.identification.identifying import identify as identifying
from parakin.identification.states import States
from parakin.simulation import write_log
from parakin.trajectory.motions.fourier import drawn_series
from tests.identification import foreign_plant
from tests.identification.foreign_plant import NOISE, PERIOD, Run
from tests.robots import robot_named

WITNESS = 1e-8
"""Between accelerations of the KKT system and parakin's inverse dynamics, relative to the torques.

Loops open by some 1e-12 m on the way and are pulled together; where they are closed, both agree to rounding.
"""
CLOSED = 1e-12
"""The same at states with closed loops."""
FEW, MANY = 4, 40
"""Machines in the quick tests and in the slow one."""


@functools.cache
def model() -> LinearModel:
    return base_model(robot_named("delta"))


@functools.cache
def machines(count: int, periods: int, seed: int = 0) -> tuple[Array, Run]:
    """Parameters of so many machines, and what they did, each on a motion of its own of 2 s a period."""
    robot = robot_named("delta")
    parameters = foreign_plant.machines(robot, count, seed)
    series = [drawn_series(robot, seed=1000 * seed + k, frequency=0.5) for k in range(count)]
    motions = [trajectory.fourier(robot, one, periods=periods) for one in series]
    return parameters, foreign_plant.run(robot, parameters, motions, seed)


def true_states(run: Run, k: int) -> States:
    """States of machine k in the middle of each tick, as nobody can measure them."""
    middle, rate = ((x[k, 1:] + x[k, :-1]) / 2 for x in (run.z, run.z_dot))
    acceleration = np.diff(run.z_dot[k], axis=0) / PERIOD
    return States(run.t[:-1] + PERIOD / 2, middle[:, :3], rate[:, :3], acceleration[:, :3], run.measured_torque[k, :-1])


def truth(parameters: Array) -> Array:
    base = model().base
    assert base is not None
    return base.map @ parameters


def identified(run: Run, k: int, folder: Path, question: Question | None = None) -> Identification:
    robot = robot_named("delta")
    return identify(robot, write_log(folder / "log.npz", run.log(robot, k)), question or Question())


def test_parakin_and_the_plant_agree_along_the_plants_own_motion() -> None:
    """The witness: with the true parameters both have the same dynamics, and the loops stay closed."""
    robot = robot_named("delta")
    parameters, run = machines(FEW, 1)
    tree = foreign_plant.tree_of(robot, parameters)
    for tick in range(0, len(run.t), 50):
        z, z_dot, torque = run.z[:, tick], run.z_dot[:, tick], run.torque[:, tick]
        z_ddot = foreign_plant.accelerations(tree, z, z_dot, torque)
        Psi = robot.regressor(z[:, :3], z_dot[:, :3], z_ddot[:, :3])
        tau = (Psi @ parameters[..., None])[..., 0]
        jump = tree.friction[..., 1] * np.sign(robot.actuator_velocity(z[:, :3], z_dot[:, :3]))
        smooth = foreign_plant.friction(tree, z_dot[:, 3:]) - tree.friction[..., 0] * z_dot[:, 3:]
        assert tau - jump + smooth == pytest.approx(torque, abs=WITNESS * np.abs(run.torque).max())
        assert robot.inverse_kinematics(z[:, :3]) == pytest.approx(z[:, 3:], abs=1e-9)


def test_parakin_and_the_plant_agree_at_any_state() -> None:
    robot = robot_named("delta")
    parameters = foreign_plant.machines(robot, 50)
    tree = foreign_plant.tree_of(robot, parameters)
    pose, velocity, _ = robot.sample_states(50)
    rates = robot.actuator_velocity(pose, velocity)
    torque = np.random.default_rng(0).normal(size=(50, 3)) + np.abs(rates)
    z = np.concatenate([pose, robot.inverse_kinematics(pose)], axis=1)
    z_ddot = foreign_plant.accelerations(tree, z, np.concatenate([velocity, rates], axis=1), torque)
    tau = (robot.regressor(pose, velocity, z_ddot[:, :3]) @ parameters[..., None])[..., 0]
    jump = tree.friction[..., 0] * rates + tree.friction[..., 1] * np.sign(rates)
    expected = torque - foreign_plant.friction(tree, rates) + jump
    scale = np.abs(z_ddot[:, 3:]).max() + np.abs(torque).max()
    assert tau == pytest.approx(expected, abs=CLOSED * scale)


def test_the_time_of_held_torques_is_found_and_said(tmp_path: Path) -> None:
    _, run = machines(FEW, 1)
    for k in range(FEW):
        timing = identified(run, k, tmp_path).report.timing
        assert timing.origin == "estimated"
        assert abs(timing.delay - 0.5) < 4 * timing.std
        assert timing.std < 0.2
    text = str(identified(run, 0, tmp_path))
    assert text.startswith("force error on the same log")
    assert "rows after theirs: as motion and forces fit best" in text


@pytest.mark.parametrize("late", [-1, 1])
def test_torques_recorded_earlier_or_later_are_found_too(late: int, tmp_path: Path) -> None:
    """A recorder that writes the torque of the next or of the last tick moves the delay by one row."""
    robot = robot_named("delta")
    _, run = machines(FEW, 1)
    log = run.log(robot, 0)
    table = log.table.copy()
    table[:, 4:] = np.roll(table[:, 4:], late, axis=0)
    path = write_log(tmp_path / "log.npz", type(log)(log.columns, table[1:-1]))
    timing = identify(robot, path, Question()).report.timing
    assert timing.delay == pytest.approx(0.5 - late, abs=5 * timing.std)


@pytest.mark.slow
def test_truth_lies_in_the_intervals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pooled over 40 machines and 22 parameters, by default options; what is withheld or refused counts as a miss."""
    monkeypatch.setattr(identifying, "base_model", lambda *_, **__: model())
    parameters, run = machines(MANY, 3, seed=1)
    inside, widths = np.zeros((MANY, len(model().names)), bool), list[Array]()
    for k in range(MANY):
        rows = model().rows(true_states(run, k))[..., :-1].reshape(-1, len(model().names))
        ideal = NOISE * np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
        try:
            found = identified(run, k, tmp_path).estimate
        except ParakinError:
            continue
        inside[k] = (found.intervals[:, 0] <= truth(parameters[k])) & (truth(parameters[k]) <= found.intervals[:, 1])
        widths.append(np.sqrt(np.diagonal(found.solution.covariance)) / ideal)  # without what might be there besides
    assert 0.92 <= np.mean(inside) <= 0.98
    assert np.median(np.concatenate(widths)) < 1.5
