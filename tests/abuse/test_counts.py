"""Counts beyond all memory are refused with their limit, before anything is allocated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.cli.tune import MOST_SETTINGS, MOST_VALUES, settings_of, values_of
from parakin.errors import ControlError, DataError, MotionError, SimulationError
from parakin.export.onboard.motion_table import motion_table
from parakin.identification import ExciteOptions, excite
from parakin.simulation import Cable, ElasticDrives, Scenario
from parakin.simulation.run import MOST_SUBSTEPS
from parakin.viewer.film import MOST_PICTURES, Film, film
from parakin.viewer.recording import Recording


@pytest.mark.parametrize("name", ["harmonics", "periods", "evaluations"])
def test_counts_of_an_excitation_are_bounded(name: str) -> None:
    with pytest.raises(MotionError, match=f"{name}: at most"):
        replace(ExciteOptions(), **{name: 10**15})


def test_ranges_of_settings_are_bounded() -> None:
    with pytest.raises(SimulationError, match=f"at most {MOST_VALUES} values"):
        values_of("20:200:10000000000000")


def test_combinations_of_ranges_are_bounded() -> None:
    """Each range is within its bound, and together they are 10^15 settings."""
    law = pk.control.law("pid", pk.load("five_bar"))
    gains = [f"{gain.name}=1:2:10000" for gain in law.interface.gains]
    with pytest.raises(SimulationError, match=f"10000 of .* settings, more than {MOST_SETTINGS}: give fewer values"):
        settings_of(law, "20:200:8", "0.7", gains)
    with pytest.raises(SimulationError, match=r"10000 of bandwidth x 100 of damping are 1000000 settings"):
        settings_of(law, "20:200:10000", "0.5:1.5:100", ())


def test_rows_of_a_table_are_bounded() -> None:
    robot = pk.load("delta")
    with pytest.raises(MotionError, match="more than 1000000 rows: give a lower rate"):
        motion_table(robot, pk.trajectory.motion("pick_and_place", robot), rate=1e15)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"period": 1.0, "periods": 10**6}, "periods: 1000000 of 1 s at 1000 Hz are 1e.09 samples"),
        ({"noise": 1e-300}, "noise: at least 1e-12 of the limits"),
        ({"rest": 1e-300}, "rest: 0 s, or at least a sample, 0.001 s"),
    ],
)
def test_excitations_that_no_memory_holds_or_that_overflow_are_refused(options: dict[str, float], reason: str) -> None:
    with pytest.raises(MotionError, match=reason):
        excite(pk.load("five_bar"), replace(ExciteOptions(evaluations=1), **options))


def test_states_of_a_motion_are_bounded() -> None:
    robot = pk.load("delta")
    around = pk.trajectory.circle(robot, turns=1e9)
    with pytest.raises(MotionError, match="give a lower rate in Hz or less time in s"):
        around.ticks(1000.0)
    with pytest.raises(MotionError, match="states: at most "):
        pk.trajectory.check(around, robot, 10**12)


def test_substeps_are_bounded() -> None:
    law = pk.control.law("pid", pk.load("five_bar"))
    hold = pk.control.hold(law.robot, law.robot.home, 0.01, law.period)
    with pytest.raises(SimulationError, match=f"substeps: at most {MOST_SUBSTEPS}, got 1000000000000: give a shorter"):
        pk.simulation.simulate(law.robot, law, hold, substeps=10**12)


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        (Scenario(elastic=ElasticDrives(stiffness=1e300, motor_inertia=1e-3)), "elastic.stiffness: at most 1e.18"),
        (Scenario(elastic=ElasticDrives(stiffness=1e3, motor_inertia=1e300)), "elastic.motor_inertia: at most 1e.18"),
        (Scenario(torque_step=1e300), "torque_step: at most 1e.18"),
        (Scenario(cable=Cable((1e300, 0.0, 0.0), (0.0, 0.0, 0.0), 10.0)), "cable.anchor: must be three finite numbers"),
        (Scenario(cable=Cable((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1e300)), "cable.stiffness: must be finite and >= 0"),
    ],
)
def test_numbers_of_imperfections_that_overflow_are_refused(scenario: Scenario, reason: str) -> None:
    law = pk.control.law("pid", pk.load("five_bar"))
    hold = pk.control.hold(law.robot, law.robot.home, 0.01, law.period)
    with pytest.raises(SimulationError, match=reason):
        pk.simulation.simulate(law.robot, law, hold, scenario)


@pytest.mark.parametrize("speed", [1e-12, 1e-300])
def test_pictures_of_a_film_are_bounded(speed: float, tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    still = Recording("film", np.array([0.0, 1.0]), np.tile(robot.home, (2, 1)))
    with pytest.raises(DataError, match=f"a film has at most {MOST_PICTURES}: give a speed of"):
        film(robot, still, tmp_path / "film.gif", Film(speed=speed))
    assert list(tmp_path.iterdir()) == []


def test_levels_of_a_workspace_are_bounded() -> None:
    with pytest.raises(DataError, match="levels: must be 0 to"):
        pk.analysis.workspace(pk.load("five_bar"), levels=10**15)


def test_gains_for_a_bandwidth_that_overflows_are_refused() -> None:
    with pytest.raises(ControlError, match="bandwidth: at most "):
        pk.control.gains_for(pk.control.law("computed_torque", pk.load("five_bar")), 1e300)
