"""Scenarios and sweeps on executors: the bits of one process, kept and resumed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import control, simulation
from parakin.cli import app
from parakin.errors import ExecutorError, SimulationError
from parakin.executors import Executor, LocalProcesses, Placement, Progress, ThisProcess
from parakin.simulation import Ending, Scenario

COUNT = 150
"""Scenarios: three chunks, the last shorter."""


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def law(robot: pk.Robot) -> control.Law:
    return control.law("computed_torque", robot)


@pytest.fixture(scope="module")
def reference(robot: pk.Robot) -> control.Reference:
    return control.hold(robot, robot.home, 0.02, 1e-3)


@pytest.fixture(scope="module")
def plants(robot: pk.Robot) -> tuple[Scenario, ...]:
    return simulation.random_plants(robot, Scenario(noise=1e-6, delay=True), COUNT, 0.2, 0.3)


def bits(many: simulation.Many) -> dict[str, bytes]:
    return {name: values.tobytes() for name, values in many.summary.arrays().items()}


@pytest.fixture(params=[ThisProcess(), pytest.param(LocalProcesses(2), marks=pytest.mark.slow)], ids=str)
def executor(request: pytest.FixtureRequest) -> Executor:
    """Other processes make code with the effort of users, which takes them longer."""
    return request.param


def test_scenarios_on_executors_have_the_bits_of_one_call(  # noqa: PLR0917
    robot: pk.Robot,
    law: control.Law,
    reference: control.Reference,
    plants: tuple[Scenario, ...],
    executor: Executor,
    tmp_path: Path,
) -> None:
    alone = simulation.simulate_many(robot, law, reference, plants, keep=(3,))
    told: list[Progress] = []
    kept = Placement(executor, tmp_path / "job", progress=told.append)
    spread = simulation.simulate_many(robot, law, reference, plants, keep=(3,), placement=kept)
    assert bits(spread) == bits(alone)
    assert spread.logs[3].table.tobytes() == alone.logs[3].table.tobytes()
    assert spread.reasons == {}
    assert [each.done for each in told if each.done] == sorted(each.done for each in told if each.done)
    assert told[-1][:3] == (COUNT, COUNT, 0)
    again = Placement(folder=tmp_path / "job", resume=True)
    assert bits(simulation.simulate_many(robot, law, reference, plants, placement=again)) == bits(alone)
    with pytest.raises(ExecutorError, match="holds another job: its work, or data of its work, differ"):
        simulation.simulate_many(robot, law, reference, plants, substeps=2, placement=again)


def test_a_scenario_that_cannot_run_has_an_ending(
    robot: pk.Robot, law: control.Law, reference: control.Reference, plants: tuple[Scenario, ...]
) -> None:
    away = (*plants[:2], Scenario(pose=[50.0, 0.0], noise=1e-6), *plants[3:5])
    with pytest.raises(SimulationError, match="scenario 2 cannot begin at its pose: side2 cannot close"):
        simulation.simulate_many(robot, law, reference, away)
    found = simulation.simulate_many(robot, law, reference, away, placement=Placement())
    assert found.summary.status.tolist() == [0, 0, Ending.FAILED, 0, 0]
    assert np.isnan(found.summary.error_rms[2]).all()
    assert "cannot begin at its pose" in found.reasons[2]
    assert "1 of 5 scenarios stopped early" in str(found.summary)
    good = [0, 1, 3, 4]
    alone = simulation.simulate_many(robot, law, reference, [away[k] for k in good]).summary
    assert np.array_equal(found.summary.error_rms[good], alone.error_rms)


def tuned(out: Path, *more: str) -> dict[str, object]:
    command = ["tune", "five_bar", "--motion", "lift", "--period", "0.01", "--bandwidth", "10,15", "--plants", "3"]
    result = CliRunner().invoke(app, [*command, "--json", "-o", str(out), *more])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_tune_can_be_kept_and_resumed(tmp_path: Path) -> None:
    plain = tuned(tmp_path / "plain")
    folder = ("--folder", str(tmp_path / "job"))
    assert tuned(tmp_path / "kept", *folder) == plain
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "job").glob("rows-*")}
    assert files
    assert tuned(tmp_path / "again", *folder, "--resume") == plain
    assert {path: path.stat().st_mtime_ns for path in files} == files
    texts = {(tmp_path / name / "runs.csv").read_text() for name in ("plain", "kept", "again")}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            "--workers 2 --scheduler tcp://127.0.0.1:1",
            "--workers: are processes of this machine",
        ),
        ("--scheduler tcp://127.0.0.1:1", "--scheduler: workers of a cluster answer by files: give a --folder"),
        ("--resume", "--resume: needs the --folder of the job"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: str, words: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["tune", "five_bar", "-o", str(tmp_path), *options.split()])
    assert result.exit_code == 1
    assert words in result.output
