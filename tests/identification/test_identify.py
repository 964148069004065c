"""`parakin identify`: from simulated logs to files, and what it refuses to say."""

from __future__ import annotations

import csv
import functools
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.arrays import Array
from parakin.cli import app
from parakin.identification.fit.estimate import estimate
from parakin.identification.fit.linear import base_model
from parakin.identification.fit.moments import Cut
from parakin.identification.fit.reversals import FrictionReversal
from parakin.identification.identifying import identify as identifying
from parakin.identification.identifying.identification import Question
from parakin.identification.identifying.whiteness import whiteness
from parakin.identification.logs.log_source import open_log
from parakin.identification.preparation import ForceTiming, Preparation, prepare
from parakin.identification.preparation.periods import mean_period
from parakin.identification.states import States
from parakin.plots import files, identification_report
from parakin.simulation import Log, Scenario, write_log
from parakin.trajectory.motions.fourier import drawn_series
from tests.robots import robot_named

RATE = 250.0
FILES = {"parameters.csv", "fit.png", "residual.png", "parameters.png", "report.html", "identified.toml"}


def real(robot: pk.Robot, alike: bool = False) -> Array:
    """Parameters up to 10 % off those of the file, in each leg otherwise or (friction too) in all the same."""
    drawn = np.random.default_rng(0).uniform(0.9, 1.1, len(robot.parameters))
    legs = {leg.name for leg in robot.legs}
    if alike:
        names = [name.partition(".") for name in robot.parameter_names]
        first = {rest: k for k, (leg, _, rest) in reversed(list(enumerate(names))) if leg in legs}
        drawn = drawn[[first[rest] if leg in legs else k for k, (leg, _, rest) in enumerate(names)]]
    return robot.parameters * drawn


def simulated(name: str, seed: int = 0, alike: bool = False) -> Log:
    """Six seconds: encoders of 20 bits, friction, 1 % noise of the forces as they are logged."""
    return simulated_with(name, tuple(real(robot_named(name), alike)), seed)


@functools.cache
def simulated_with(name: str, parameters: tuple[float, ...], seed: int = 0) -> Log:
    robot = robot_named(name)
    motion = trajectory.fourier(robot, drawn_series(robot, seed=seed))
    reference = control.reference(robot, motion, 1e-3)
    scenario = Scenario(
        parameters=np.array(parameters), counts=2**20 / (2 * np.pi), velocity_filter=200.0, smoothing=1e-3
    )
    log = simulation.simulate(
        robot, control.law("computed_torque", robot).with_gains(K_p=10_000.0, K_d=90.0, K_i=0.0), reference, scenario
    )
    tau = log["tau"]
    noise = 0.01 * tau.std(axis=0) * np.random.default_rng(seed).normal(size=tau.shape)
    return changed(Log(log.columns, log.table[200:-200]), "tau", (tau + noise)[200:-200])


def changed(log: Log, quantity: str, values: Array) -> Log:
    table = log.table.copy()
    table[:, [k for k, column in enumerate(log.columns) if column.quantity == quantity]] = values
    return Log(log.columns, table)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are made, but not drawn: that takes two thirds of the command's time, and one test looks at them."""
    monkeypatch.setattr(files, "png", lambda _: b"")


def identify(robot: str, log: Log, folder: Path, *options: str, validate: Log | None = None) -> Any:
    arguments = ["identify", robot, str(write_log(folder / "log.npz", log)), "-o", str(folder / "out")]
    if validate is not None:
        arguments += ["--validate", str(write_log(folder / "other.npz", validate))]
    return CliRunner().invoke(app, [*arguments, *options])


def written(folder: Path) -> set[str]:
    return {path.name for path in (folder / "out").iterdir()} if (folder / "out").exists() else set()


def test_a_good_log_gives_a_better_robot_and_files_that_say_why(tmp_path: Path) -> None:
    result = identify("five_bar", simulated("five_bar"), tmp_path, "--json", validate=simulated("five_bar", 1))
    assert result.exit_code == 0, result.output
    assert written(tmp_path) == FILES
    said = json.loads(result.stdout)
    assert next(iter(said)) == "headline"
    assert re.fullmatch(
        r"force error on another log: \S+ N m with the robot file, \S+ N m with the estimate; the noise is \S+ N m",
        said["headline"],
    )
    v = said["validation"]
    for actuator, noise in v["noise"].items():
        assert 0.5 * noise < v["rms"][actuator] < v["prior_rms"][actuator]
    assert said["force_delay"] == {"rows": pytest.approx(0.5), "std": 0.0, "origin": "stated"}
    assert (said["biased"], said["refused"], said["robot_file"]) == ("", "", True)
    assert said["validation"]["independent"]
    assert max(said["validation"]["percent"].values()) < 1.5
    assert "structured" not in said["validation"]["residual"].values()
    robot, found = robot_named("five_bar"), pk.load(tmp_path / "out" / "identified.toml")
    model = base_model(robot)
    assert model.base is not None
    truth = model.base.map @ real(robot)
    values, std = (np.array([row[key] for row in said["parameters"]]) for key in ("estimate", "std"))
    assert np.mean(np.abs(values - truth) < 2 * std) > 0.8
    state = robot.sample_states(200)
    tau = robot.regressor(*state) @ real(robot)
    prior, better = (np.nanstd(r.inverse_dynamics(*state) - tau) for r in (robot, found))
    assert better < 0.1 * prior
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 4
    assert "http" not in page
    assert page.index("Force error on another log") < page.index("The log")
    with (tmp_path / "out" / "parameters.csv").open() as stream:
        table = list(csv.DictReader(stream))
    assert [row["parameter"] for row in table] == [row["parameter"] for row in said["parameters"]]
    assert {row["assessment"] for row in table} == {"identified", "weak"}


@pytest.mark.usefixtures("undrawn")
def test_states_around_reversals_spoil_an_estimate(tmp_path: Path) -> None:
    """Row by row; averages over a cycle of the cut-off, which are taken by default, hardly feel them."""
    result = identify("five_bar", simulated("five_bar"), tmp_path, "--reversals", "0", "--average", "0")
    assert "BIASED" in result.stdout
    assert re.search(r"estimate ± +std unit +assessment +parameter\n", result.stdout)
    assert "no robot file" in result.stdout


@pytest.mark.usefixtures("undrawn")
def test_coarse_encoders_are_said_to_bias_and_make_no_robot(tmp_path: Path) -> None:
    log, step = simulated("five_bar"), 2 * np.pi / 2**13
    coarse = changed(log, "measured_q", np.round(log["measured_q"] / step) * step)
    result = identify("five_bar", coarse, tmp_path, "--cutoff", "60")
    assert result.exit_code == 1
    assert re.search(r"no robot file: rows averaged over \d+ samples move", result.stdout)
    assert written(tmp_path) == FILES - {"identified.toml"}
    assert "Not to be trusted" in (tmp_path / "out" / "report.html").read_text()
    averaged = identify("five_bar", coarse, tmp_path, "--cutoff", "60", "--average", "0.05")
    assert "without averages: rows averaged over 50 samples move" in averaged.stdout


@pytest.mark.parametrize(
    ("size", "options", "says"),
    [
        (0.0, (), "no actuator moves: nothing to learn"),
        (1e-2, ("--accept", "angle-unit"), "too little excitation: none of 19 parameters is known to 10 %"),
    ],
)
def test_a_log_without_excitation_yields_words_and_no_numbers(
    size: float, options: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    log, robot = simulated("five_bar"), robot_named("five_bar")
    q = log["measured_q"][0] + size * (log["measured_q"] - log["measured_q"][0])
    tau = robot.static_forces(robot.forward_kinematics(q)) + np.random.default_rng(0).normal(size=q.shape)
    result = identify("five_bar", changed(changed(log, "measured_q", q), "tau", tau), tmp_path, *options)
    assert result.exit_code == 1
    assert says in result.stderr
    assert not result.stdout
    assert not written(tmp_path)


@pytest.mark.usefixtures("undrawn")
def test_a_damaged_log_is_refused_or_cut(tmp_path: Path) -> None:
    log = simulated("five_bar")
    tau = log["tau"].copy()
    tau[2000, 1] = np.nan
    damaged = changed(log, "tau", tau)
    refused = identify("five_bar", damaged, tmp_path)
    assert refused.exit_code == 1
    assert "column 'tau.side2.arm [N m]'" in refused.stderr
    assert not written(tmp_path)
    cut = identify("five_bar", damaged, tmp_path, "--damage", "cut")
    assert cut.exit_code == 0, cut.output
    assert "of 2 stretches" in cut.stdout
    assert written(tmp_path) == FILES
    assert identify("five_bar", log, tmp_path, "--damage", "mend").exit_code == 2


@pytest.mark.usefixtures("undrawn")
def test_legs_that_differ_leave_structure_when_shared(tmp_path: Path) -> None:
    unlike = identify("five_bar", simulated("five_bar"), tmp_path, "--shared", "--json")
    assert unlike.exit_code == 1
    said = json.loads(unlike.stdout)
    assert "structured" in said["validation"]["residual"].values()
    assert "identified" not in {row["assessment"] for row in said["parameters"]}
    assert any("the residual is structured; its interval is" in row["reason"] for row in said["parameters"])
    assert said["refused"].startswith(("the residual is structured", "rows averaged"))
    assert "identified.toml" not in written(tmp_path)
    alike = identify("five_bar", simulated("five_bar", alike=True), tmp_path, "--shared", "--json")
    assert "structured" not in json.loads(alike.stdout)["validation"]["residual"].values()
    assert "identified.toml" in written(tmp_path)


@pytest.mark.usefixtures("undrawn")
def test_what_is_doubted_is_written_only_if_asked_for(tmp_path: Path) -> None:
    result = identify("five_bar", simulated("five_bar"), tmp_path, "--shared", "--write-anyway")
    assert result.exit_code == 0, result.output
    assert "identified.toml is written as asked, although" in result.stdout
    assert "identified.toml" in written(tmp_path)


@pytest.mark.usefixtures("undrawn")
def test_shared_legs_keep_the_friction_of_their_own_drives(tmp_path: Path) -> None:
    """Bodies alike, drives not: nothing is left unexplained, and each drive has its own friction."""
    robot = robot_named("five_bar")
    both = [real(robot, alike=True), real(robot)]
    p = np.where([one.quantity.is_of_body for one in robot.parameter_table], *both)
    result = identify("five_bar", simulated_with("five_bar", tuple(p)), tmp_path, "--shared", "--json")
    said = json.loads(result.stdout)
    assert "structured" not in said["validation"]["residual"].values()
    assert said["robot_file"]
    values = {row["parameter"]: (row["estimate"], row["std"]) for row in said["parameters"]}
    for name in ("side1.arm.viscous", "side2.arm.viscous", "side1.arm.coulomb", "side2.arm.coulomb"):
        value, std = values[name]
        assert abs(value - p[robot.parameter_names.index(name)]) < 4 * std


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_logs_of_simulations_say_when_forces_act(ending: str, tmp_path: Path) -> None:
    """In every format; a delay that is asked for has the last word; without either, it is estimated."""
    log, robot = simulated("five_bar"), robot_named("five_bar")
    path = write_log(tmp_path / f"log{ending}", Log(log.columns, log.table[:2000]))
    stated = prepare(robot, open_log(robot, path)).report.timing
    assert (stated.origin, stated.std) == ("stated", 0.0)
    assert stated.delay == pytest.approx(0.5)
    asked = prepare(robot, open_log(robot, path), Preparation(force_delay=0.25)).report.timing
    assert asked == ForceTiming(0.25, 0.0, "asked")
    if ending != ".npz":
        return
    kept = [k for k, column in enumerate(log.columns) if column.quantity != "force_delay"]
    mute = Log(tuple(log.columns[k] for k in kept), log.table[:, kept])
    said = json.loads(identify("five_bar", mute, tmp_path, "--json").stdout)["force_delay"]
    assert said["origin"] == "estimated"
    assert abs(said["rows"] - 0.5) < 4 * said["std"]


@pytest.mark.parametrize("origin", ["assumed", "asked", "stated"])
def test_a_second_log_that_is_silent_on_delays_is_timed_like_the_first(origin: str, tmp_path: Path) -> None:
    """A delay is the same in seconds, whatever the time between the rows of the other log."""
    log, robot = simulated("five_bar"), robot_named("five_bar")
    path = write_log(tmp_path / "log.npz", Log(log.columns, log.table[:2000]))
    first = prepare(robot, open_log(robot, path), Preparation(force_delay=0.75))
    timing = ForceTiming(0.2, 0.0, origin)  # pyright: ignore[reportArgumentType]
    other = replace(first, report=replace(first.report, timing=timing, period=3 * first.report.period))
    alike = identifying._timed_alike(other, first).report.timing
    assert alike.delay == pytest.approx(0.25 if origin == "assumed" else 0.2)


@pytest.mark.parametrize("windows", [None, "checked"])
def test_a_check_that_could_not_be_made_is_told(windows: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    kind: Any = SimpleNamespace(kind="identified")
    found: Any = SimpleNamespace(assessments=(kind,), windows=windows, biased="")
    monkeypatch.setattr(identifying, "estimate", lambda *_, **__: found)
    used: Any = SimpleNamespace(states=(), cut=Cut(), reversal=FrictionReversal(0.0))
    model: Any = None
    estimated, doubts = identifying._estimated(model, used, Question(), None, lambda _: None)
    assert estimated is found
    assert [doubt.partition(",")[0] for doubt in doubts] == (["the data are too few"] if windows is None else [])


@pytest.mark.usefixtures("undrawn")
def test_the_simplified_h4_shows_its_bias(tmp_path: Path) -> None:
    result = identify("h4", simulated("h4"), tmp_path, "--model", "nacelle")
    assert result.exit_code == 0, result.output
    assert "the residual is structured in 4 of 4 actuators" in result.stdout
    assert "no robot file" in result.stdout
    assert "identified.toml" not in written(tmp_path)


@pytest.mark.usefixtures("undrawn")
def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    (tmp_path / "file").write_text("")
    target = str(tmp_path / "file" / "out")
    refused = identify("five_bar", simulated("five_bar"), tmp_path, "--output", target)
    assert refused.exit_code == 1
    assert "cannot be written" in refused.stderr
    monkeypatch.setattr(identification_report, "report_of", interrupted)
    assert identify("five_bar", simulated("five_bar"), tmp_path).exit_code != 0
    assert not written(tmp_path)


# Mean periods, reversals, whiteness ----------------------------------------------------------------------------------


def periodic(robot: pk.Robot, periods: int, seed: int) -> Log:
    """Whole periods of an exact motion, with white noise of the forces."""
    s = trajectory.fourier(robot, blend=0.0).sampled(RATE)
    tau = np.tile(robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)[:-1], (periods, 1))
    tau += 0.02 * np.random.default_rng(seed).normal(size=tau.shape)
    columns = tuple(c for c in simulated("five_bar").columns if c.quantity in ("t", "q", "tau"))
    q = np.tile(robot.inverse_kinematics(s.pose)[:-1], (periods, 1))
    return Log(columns, np.column_stack([np.arange(len(q)) / RATE, q, tau]))


def test_intervals_of_a_mean_period_hold_and_are_narrower(tmp_path: Path) -> None:
    robot, periods = robot_named("five_bar"), 4
    model, options, inside = (
        base_model(robot),
        Preparation(cutoff=60.0, differences="spectral"),
        list[NDArray[np.bool_]](),
    )
    for seed in range(20):
        path = write_log(tmp_path / "log.npz", periodic(robot, periods, seed))
        ready = prepare(robot, open_log(robot, path), options)
        mean = mean_period(ready)
        assert mean.count == periods
        found = estimate(model, FrictionReversal(0.0125, periodic=True).away_from(model, [mean.states]))
        inside.append(np.abs(found.values - model.values) < 1.96 * found.std)
        if not seed:
            one = replace(
                mean.states, tau=mean.states.tau + 0.02 * np.random.default_rng(99).normal(size=(len(mean.states), 2))
            )
            noisy = estimate(model, FrictionReversal(0.0125, periodic=True).away_from(model, [one]))
            assert np.median(noisy.std / found.std) == pytest.approx(np.sqrt(periods + 1), rel=0.1)
    assert 0.92 < np.mean(np.concatenate(inside)) < 0.98


@pytest.mark.usefixtures("undrawn")
def test_mean_periods_by_the_command(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    log = periodic(robot, 4, 0)
    period = f"{len(log.table) / 4 / RATE:.9g}"
    result = identify("five_bar", log, tmp_path, "--average-periods", "--period", period, "--force-delay", "0")
    assert result.exit_code == 0, result.output
    assert "4 periods of " in result.stdout
    assert "4 periods of " in (tmp_path / "out" / "report.html").read_text()
    drifting = changed(log, "q", log["q"] + 0.1 * np.linspace(0, 1, len(log.table))[:, None])
    refused = identify("five_bar", drifting, tmp_path, "--average-periods", "--period", period)
    assert "differ by" in refused.stderr


def test_states_near_reversals_are_the_same_however_blocks_are_cut() -> None:
    robot = robot_named("five_bar")
    model, s = base_model(robot), trajectory.fourier(robot, blend=0.0).sampled(RATE)
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    states = States(s.t, s.pose, s.velocity, s.acceleration, tau)
    whole = next(iter(FrictionReversal(0.02).away_from(model, [states])))
    assert 0.5 * len(states) < len(whole) < 0.95 * len(states)
    rates = robot.actuator_velocity(s.pose, s.velocity)
    turns = s.t[:-1][(np.sign(rates[1:]) != np.sign(rates[:-1])).any(axis=1)]
    assert np.min(np.abs(whole.t[:, None] - turns)) > 0.0199
    blocks = [states.chosen(slice(k, k + 150)) for k in range(0, len(states), 150)]
    assert np.array_equal(np.concatenate([part.t for part in FrictionReversal(0.02).away_from(model, blocks)]), whole.t)


def test_fast_noise_is_no_structure() -> None:
    noise = np.random.default_rng(0).normal(size=(5001, 1))
    slow = noise[1:] + np.sin(np.arange(5000) / 100)[:, None]
    found = whiteness(np.hstack([noise[1:], np.diff(noise, axis=0), slow]))
    assert found.words == ("white", "fast", "structured")
