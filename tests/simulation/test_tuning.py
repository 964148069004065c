"""Laws compared by a rule, settings swept over plants, and the commands for both."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import parakin as pk
from parakin import control, plots, simulation, trajectory
from parakin.cli import app
from parakin.cli.loop_options import carried, laws_and_reference, mismatched
from parakin.cli.tune import runs_csv, settings_of, values_of
from parakin.errors import SimulationError, UnknownNameError
from parakin.plots.files import png
from parakin.simulation import Scenario, sweeps

PERIOD = 1e-3
REAL = Scenario(counts=20861.0, noise=2e-6, velocity_filter=200.0, delay=True)
FLAGS = ("--counts", "20861", "--filter", "200", "--delay")


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def reference(robot: pk.Robot) -> control.Reference:
    return control.reference(robot, trajectory.lift(robot), PERIOD)


@pytest.fixture(scope="module")
def swept(robot: pk.Robot, reference: control.Reference) -> simulation.Sweep:
    law = control.law("computed_torque", robot)
    settings = simulation.bandwidth_settings(law, [20.0, 60.0, 150.0, 1000.0], [0.7, 1.0])
    return simulation.sweep(robot, law, reference, settings, simulation.random_plants(robot, REAL, 6, 0.2, 0.3))


# Comparison ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "column"), [("margin", "delay_margin"), ("noise", "force_noise")])
def test_compared_laws_have_in_common_what_the_rule_says(
    rule: simulation.Rule, column: str, robot: pk.Robot, reference: control.Reference
) -> None:
    laws = [control.law(name, robot) for name in ("feedforward", "computed_torque")]
    found = simulation.compare(robot, laws, reference, REAL, rule)
    assert [row[column] for row in found.rows()] == pytest.approx([found.target] * 2, rel=1e-3)
    first = laws[0].with_gains(**control.gains_for(laws[0], 60.0))
    assert found.contestants["feedforward"].law.gains == pytest.approx(first.gains, rel=0.01)
    assert simulation.RULES[rule][1] in found.said
    errors = plots.comparison_figure(found.logs)
    assert [line.get_label() for line in errors.axes[0].get_lines()] == ["feedforward", "computed_torque"]
    assert len(plots.law_forces_figure(found.logs).axes) == 2


def test_force_noise_needs_noise(robot: pk.Robot, reference: control.Reference) -> None:
    with pytest.raises(SimulationError, match="noise: forces have none where sensors are exact"):
        simulation.compare(robot, [control.law("pid", robot)], reference, Scenario(), "noise")
    with pytest.raises(SimulationError, match="laws: must differ, to be told apart by name; got pid, pid"):
        simulation.compare(robot, [control.law("pid", robot)] * 2, reference, Scenario(), "margin")


def test_a_law_that_holds_coulomb_friction_can_be_matched(robot: pk.Robot) -> None:
    """At rest its compensation is a step, like the plant's friction: neither counts."""
    law = control.law("adaptive", robot)
    assert any(label.endswith(".coulomb") for part in law.interface.state for label in part.labels)
    assert simulation.margins(robot, law, REAL).stable


# Sweeps --------------------------------------------------------------------------------------------------------------


def test_faster_loops_follow_better_and_are_noisier(swept: simulation.Sweep) -> None:
    error, cost = swept.error[1].reshape(4, 2)[:3], swept.cost.reshape(4, 2)[:3]
    assert (np.diff(error, axis=0) < 0).all()
    assert (np.diff(cost, axis=0) > 0).all()
    assert not swept.completed[6:].any()  # a tick of delay and a filter leave nothing at 1000 rad/s


def test_the_front_is_what_nothing_beats(swept: simulation.Sweep) -> None:
    error, cost = swept.error[1], swept.cost
    for k in np.flatnonzero(swept.completed):
        beaten = ((error < error[k]) & (cost < cost[k]) & swept.completed).any()
        assert not (swept.front[k] and beaten)
        assert swept.front[k] or ((error <= error[k]) & (cost <= cost[k]) & (np.arange(8) != k)).any()
    assert swept.best is not None
    assert swept.front[swept.best]
    assert swept.gain_margin[swept.best] >= 2.0
    assert swept.delay_margin[swept.best] >= 1.5 * swept.period


def test_a_sweep_is_the_runs_it_is_made_of(
    swept: simulation.Sweep, robot: pk.Robot, reference: control.Reference
) -> None:
    plant = simulation.random_plants(robot, REAL, 6, 0.2, 0.3)[4]
    law = control.law("computed_torque", robot)
    alone = simulation.simulate(robot, law.with_gains(**swept.settings[2].gains), reference, plant).summary()
    assert swept.summary[2 * 6 + 4].distance_rms == pytest.approx(alone.distance_rms, rel=1e-9)
    lines = runs_csv(swept).splitlines()
    assert len(lines) == 1 + 8 * 6
    assert lines[0].startswith("bandwidth,damping,plant,error rms [m or rad]")
    cells = lines[1 + 2 * 6 + 4].split(",")
    assert [float(cells[0]), float(cells[1]), int(cells[2])] == [60.0, 0.7, 4]
    assert float(cells[5]) == pytest.approx(float(alone.distance_rms), rel=1e-9)


def test_the_tradeoff_shows_the_front_and_the_choice(swept: simulation.Sweep) -> None:
    axes = plots.tradeoff_figure(swept).axes[0]
    by_label = {line.get_label(): line for line in axes.get_lines()}
    assert np.size(by_label["Pareto front"].get_xdata()) == np.count_nonzero(swept.front)
    assert f"recommended: {swept.settings[swept.best or 0]}" in by_label
    assert axes.get_xlabel() == "force noise, rms [N m]"


def test_named_gains_are_combined(robot: pk.Robot) -> None:
    law = control.law("pid", robot)
    settings = simulation.gain_settings(law, {"K_p": [1.0, 2.0], "K_d": [0.1, 0.2, 0.3]})
    assert len(settings) == 6
    assert str(settings[-1]) == "K_p 2, K_d 0.3"
    with pytest.raises(UnknownNameError, match="no gain of pid 'K_q'"):
        simulation.gain_settings(law, {"K_q": [1.0]})
    assert values_of("20:200:3") == pytest.approx([20.0, np.sqrt(4000.0), 200.0])
    assert values_of("30,60") == [30.0, 60.0]
    with pytest.raises(SimulationError, match="range: must read like 20:200:8"):
        values_of("20:200")


# Commands ------------------------------------------------------------------------------------------------------------


def command(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_mismatch_by_name(robot: pk.Robot) -> None:
    names = robot.parameter_names
    found = mismatched(robot, ["10", "side1.*=-50"])
    assert found is not None
    factors = [1.1 * (0.5 if name.startswith("side1.") else 1.0) for name in names]
    assert found == pytest.approx(robot.parameters * factors)
    assert mismatched(robot, []) is None
    with pytest.raises(UnknownNameError, match="no parameter 'leg9"):
        mismatched(robot, ["leg9.*=10"])
    with pytest.raises(SimulationError, match="mismatch: must read like 20 or"):
        mismatched(robot, ["much"])
    for nonsense in ("nan", "-101", "inf"):
        with pytest.raises(SimulationError, match=r"in %, -100 or more, got"):
            mismatched(robot, [nonsense])


def test_payloads_are_checked(robot: pk.Robot) -> None:
    assert carried(robot, 0.0) is None
    for mass in (-1.0, np.nan, np.inf):
        with pytest.raises(SimulationError, match="payload: must be finite and >= 0 kg, got"):
            carried(robot, mass)
        with pytest.raises(SimulationError, match="payload: must be finite and >= 0 kg, got"):
            simulation.random_plants(robot, REAL, 2, 0.2, mass)


def test_a_motion_takes_more_than_a_period(robot: pk.Robot) -> None:
    with pytest.raises(SimulationError, match=r"period: must be shorter than the motion, .* s, got 10 s"):
        laws_and_reference(robot, ["pid"], "lift", 10.0)


def test_each_gain_is_given_once(robot: pk.Robot) -> None:
    law = control.law("pid", robot)
    for entries in (["K_p"], ["K_p=1", "K_p=2"]):
        with pytest.raises(SimulationError, match="gain: must read like K_p=1000:20000:6, each gain once"):
            settings_of(law, "20", "1", entries)


def test_a_sweep_without_any_success_has_a_figure(robot: pk.Robot, reference: control.Reference) -> None:
    law = control.law("computed_torque", robot)
    settings = simulation.bandwidth_settings(law, [1e6], [1.0])
    plants = simulation.random_plants(robot, Scenario(), 2, 0.1, 0.0)
    found = simulation.sweep(robot, law, reference, settings, plants, force=True)
    assert found.best is None
    assert png(plots.tradeoff_figure(found))


def test_simulate_compares(tmp_path: Path) -> None:
    done = command(
        "simulate", "five_bar", "--motion", "lift", "--compare", "pid,feedforward", *FLAGS, "--rule", "noise",
        "--format", "npz", "--json", "-o", str(tmp_path / "out"),
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["rule"] == "noise"
    assert [row["law"] for row in told["laws"]] == ["pid", "feedforward"]
    assert [row["force_noise"] for row in told["laws"]] == pytest.approx([told["target"]] * 2, rel=1e-3)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    logs = ["log_feedforward.npz", "log_pid.npz", "report.html"]
    assert names == ["errors.png", "forces.png", "gains_feedforward.toml", "gains_pid.toml", *logs]
    gains = control.read_gains(tmp_path / "out" / "gains_pid.toml")
    law = gains.applied(control.law("pid", pk.load(gains.robot), gains.period))
    assert law.gains.all()
    assert "laws with the same largest force noise at home" in gains.source
    log = simulation.read_log(tmp_path / "out" / "log_pid.npz")
    assert float(log.summary().distance_rms) == pytest.approx(told["laws"][0]["distance_rms"])


def test_tune_writes_its_runs(tmp_path: Path) -> None:
    done = command(
        "tune", "five_bar", "--motion", "lift", "--controller", "feedforward", "--bandwidth", "20,60", "--plants", "3",
        *FLAGS, "-o", str(tmp_path / "out"),
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "recommended: bandwidth" in done.stdout
    assert len((tmp_path / "out" / "runs.csv").read_text().splitlines()) == 1 + 2 * 3
    assert (tmp_path / "out" / "tradeoff.png").stat().st_size > 10_000
    gains = control.read_gains(tmp_path / "out" / "gains.toml")
    bandwidth = float(gains.source.partition("bandwidth ")[2].partition(",")[0])
    law = control.law("feedforward", pk.load("five_bar"))
    expected = law.with_gains(**control.gains_for(law, bandwidth))
    np.testing.assert_allclose(gains.applied(law).gains, expected.gains, rtol=1e-3)


def test_an_interrupted_sweep_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the third setting is looked at."""
    out, calls = tmp_path / "out", count(1)

    def interrupted(*arguments: Any) -> Any:
        if next(calls) == 3:
            raise KeyboardInterrupt
        return simulation.margins(*arguments)

    monkeypatch.setattr(sweeps, "margins", interrupted)
    run = command("tune", "five_bar", "--bandwidth", "20:200:5", "--plants", "4", "-o", str(out))
    assert run.exit_code != 0
    assert next(calls) == 4
    assert not out.exists()
