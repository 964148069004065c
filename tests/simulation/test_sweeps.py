"""Sweeps with numbers chosen by hand: the front, the recommendation, and the plants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import SimulationError
from parakin.robot.limits import NO_BOUNDS
from parakin.simulation import Scenario, Setting, Summary, Sweep, sweeps

ERRORS = (4.0, 2.0, 1.0, 3.0, 2.0, 0.5)
PERIOD = 1e-3
COSTS = (1.0, 2.0, 4.0, 3.0, 2.0, np.nan)


def sweep_of(gain_margins: tuple[float, ...], status: int = 0) -> Sweep:
    """Six settings on three plants, whose errors are 0, 1 and 2 times the setting's; the last loop is unstable."""
    distance = np.outer(ERRORS, [0.0, 1.0, 2.0]).ravel()
    table, count = np.zeros((18, 1)), np.zeros(18)
    ended = np.zeros(18, np.int32)
    ended[4] = status
    free = NO_BOUNDS, np.zeros((18, 0))
    summary = Summary(
        ("arm",), table, table, distance, distance, count, count, table, table, table, ended, np.full(18, np.nan), *free
    )
    settings = tuple(Setting({"bandwidth": float(k)}, {}) for k in range(6))
    margins = np.array(gain_margins)
    return Sweep(settings, 3, summary, np.array(COSTS), "force noise, rms", "N m", margins, np.full(6, 1.5e-3), PERIOD)


def test_the_front_and_the_choice() -> None:
    found = sweep_of((2.0,) * 6)
    assert found.error == pytest.approx(np.array([[0.1], [1.0], [1.9]]) * ERRORS)
    assert found.completed.tolist() == [True, True, True, True, True, False]
    assert found.front.tolist() == [True, True, True, False, True, False]  # 3 is beaten, 1 and 4 are equal
    assert found.best == 0  # all of the front cost the same product: the first
    assert sweep_of((1.99, 2.0, 2.0, 9.0, 9.0, 9.0)).best == 1
    assert sweep_of((1.9,) * 6).best is None
    late = replace(found, delay_margin=np.array([1.49e-3, *[1.5e-3] * 5]))
    assert late.sound.tolist() == [False, True, True, True, True, True]
    assert late.best == 1


def test_a_setting_that_lost_a_plant_is_no_candidate() -> None:
    found = sweep_of((2.0,) * 6, status=2)
    assert found.completed.tolist() == [True, False, True, True, True, False]
    assert found.front.tolist() == [True, False, True, False, True, False]


def test_without_noise_the_largest_force_is_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two settings in two calls; margins are those of the robot as its file has it."""
    monkeypatch.setattr(sweeps, "TOGETHER", 2)
    robot = pk.load("five_bar")
    law = control.law("pid", robot)
    reference = control.hold(robot, robot.home, 0.01, law.period)
    settings = simulation.bandwidth_settings(law, [20.0, 60.0], [1.0])
    plants = simulation.random_plants(robot, Scenario(), 2, 0.3, 0.5)
    done: list[int] = []
    found = simulation.sweep(robot, law, reference, settings, plants, told=done.append)
    assert done == [1, 2]
    assert found.cost_name == "largest force"
    assert found.unit == "N m"
    assert found.cost == pytest.approx(found.summary.force_peak.reshape(2, -1).max(axis=1))
    nominal = [simulation.margins(robot, law.with_gains(**setting.gains)) for setting in settings]
    assert found.gain_margin == pytest.approx([loop.gain for loop in nominal])
    assert found.delay_margin == pytest.approx([loop.delay for loop in nominal])
    with pytest.raises(SimulationError, match="sweep: needs settings and plants, got 0 and 2"):
        simulation.sweep(robot, law, reference, [], plants)


def test_a_setting_reads_as_its_values() -> None:
    assert str(Setting({"bandwidth": 20.0, "damping": 0.7}, {})) == "bandwidth 20, damping 0.7"


def test_plants_are_off_by_no_more_than_asked() -> None:
    robot = pk.load("five_bar")
    plants = simulation.random_plants(robot, Scenario(seed=3), 200, 0.2, 0.5)
    kept = robot.parameters != 0
    factors = np.array([plant.parameters for plant in plants])[:, kept] / robot.parameters[kept]
    masses = np.array([plant.payload.mass for plant in plants if plant.payload is not None])
    assert len(masses) == 200
    assert 0.8 <= factors.min() < 0.81
    assert 1.19 < factors.max() <= 1.2
    assert 0.0 <= masses.min() < 0.02
    assert 0.48 < masses.max() <= 0.5
    assert len({plant.stream for plant in plants}) == 200
    again = simulation.random_plants(robot, Scenario(seed=3), 200, 0.2, 0.5)
    assert np.array_equal(np.array([plant.parameters for plant in again])[:, kept] / robot.parameters[kept], factors)
    for spread in (-0.01, 1.0):
        with pytest.raises(SimulationError, match="spread: must be at least 0 and less than 1, got"):
            simulation.random_plants(robot, Scenario(), 1, spread, 0.0)
