"""Figures of errors and forces show the numbers they are given, in the units they name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import parakin as pk
from parakin import control, trajectory
from parakin.plots import comparison_figure, force_figure, law_forces_figure, loads_figure, tracking_figure
from parakin.plots.files import data_uri, png, save
from parakin.plots.style import COLOURS, plain_powers
from parakin.plots.tracking import platform_panels, until_failure
from parakin.simulation import Ending, Log, simulate


@pytest.fixture(scope="module")
def log() -> Log:
    robot = pk.load("five_bar")
    law = control.law("pid", robot)
    return simulate(robot, law, control.reference(robot, trajectory.lift(robot), law.period))


def test_errors_are_drawn_in_milliradians_and_millimetres(log: Log) -> None:
    figure = tracking_figure(log, "five-bar")
    actuators, platform = figure.axes
    assert actuators.get_ylabel() == "actuator error [mrad]"
    error = 1e3 * (log["desired_q"] - log["q"])
    for k, line in enumerate(actuators.lines):
        assert line.get_ydata() == pytest.approx(error[:, k])
    assert platform.get_ylabel() == "platform error [mm]"
    distance = 1e3 * np.linalg.norm(log["desired_pose"] - log["pose"], axis=1)
    assert platform.lines[0].get_ydata() == pytest.approx(distance)
    assert list(platform_panels(log)) == ["platform error [mm]"]
    assert platform.get_xlabel() == "time [s]"
    assert actuators.get_title(loc="left") == "five-bar"


def test_legends_hide_no_curve(log: Log) -> None:
    """They stand below the panels, with every actuator once."""
    forces = force_figure(log.t, log["tau"], ("side1.arm", "side2.arm"), "N m")
    for figure in (tracking_figure(log), forces, law_forces_figure({"pid": log}), comparison_figure({"pid": log})):
        assert all(axes.get_legend() is None for axes in figure.axes)
        (legend,) = figure.legends
        figure.draw_without_rendering()
        assert legend.get_window_extent().y1 <= min(axes.get_tightbbox().y0 for axes in figure.axes) + 1  # type: ignore[union-attr]
    assert [text.get_text() for text in forces.legends[0].get_texts()] == ["side1.arm", "side2.arm"]


def test_compared_laws_are_drawn_by_their_worst_actuator(log: Log) -> None:
    errors, _ = comparison_figure({"pid": log, "again": log}).axes
    worst = 1e3 * np.abs(log["desired_q"] - log["q"]).max(axis=1)
    assert errors.get_ylabel() == "worst actuator [mrad]"
    assert [line.get_label() for line in errors.lines] == ["pid", "again"]
    assert errors.lines[1].get_ydata() == pytest.approx(worst)
    forces = law_forces_figure({"pid": log, "again": log}).axes
    assert [axes.get_ylabel() for axes in forces] == ["pid\n[N m]", "again\n[N m]"]
    assert forces[0].get_ylim() == forces[1].get_ylim()
    assert forces[1].lines[0].get_ydata() == pytest.approx(log["tau"][:, 0])


@pytest.mark.parametrize(("unit", "word"), [("N m", "torque [N m]"), ("N", "force [N]")])
def test_other_formulations_are_drawn_as_what_they_add(unit: str, word: str) -> None:
    t, tau = np.array([0.0, 1.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
    above, below = force_figure(t, tau, ("a", "b"), unit, others={"simplified": tau + 0.5}).axes
    assert above.get_ylabel() == word
    assert above.lines[1].get_ydata().tolist() == [2.0, 4.0]  # type: ignore[union-attr]
    assert below.get_ylabel() == f"error [{unit}]"
    assert below.lines[0].get_ydata() == pytest.approx([0.5, 0.5])
    assert len(force_figure(t, tau, ("a", "b"), unit).axes) == 1


def test_figures_are_saved_in_both_forms(tmp_path: Path) -> None:
    figure = Figure(figsize=(1.0, 1.0))
    axes = figure.subplots()
    axes.set_xscale("log")
    plain_powers(axes.xaxis)
    paths = save(figure, tmp_path, "name")
    assert [path.name for path in paths] == ["name.png", "name.svg"]
    assert paths[0].read_bytes() == png(figure)
    assert data_uri(figure).startswith("data:image/png;base64,iVBOR")
    assert len(set(COLOURS)) == len(COLOURS)


def failed_at(log: Log, tick: int) -> Log:
    """The same log, of a run that became singular at a tick."""
    table = log.table.copy()
    place = [column.name for column in log.columns].index("status")
    table[tick:, place] = Ending.SINGULAR
    return Log(log.columns, table)


@pytest.mark.parametrize("tick", [0, 100])
def test_curves_end_where_a_run_failed_and_the_rest_is_marked(log: Log, tick: int) -> None:
    failed = failed_at(log, tick)
    figure = tracking_figure(failed)
    for axes in figure.axes:
        *curves, mark = axes.lines
        assert {len(np.asarray(curve.get_xdata())) for curve in curves} == {tick}
        assert np.asarray(mark.get_xdata()) == pytest.approx([log.t[tick]] * 2)
        assert axes.get_xlim()[1] == pytest.approx(log.t[-1])
        assert len(axes.patches) == 1
    assert figure.axes[0].get_title(loc="right") == f"failed at {log.t[tick]:.4g} s: singular"
    assert png(figure).startswith(b"\x89PNG")
    forces = until_failure(failed, "tau")
    assert np.isnan(forces[tick:]).all()
    assert np.array_equal(forces[:tick], log["tau"][:tick])


def test_a_law_that_failed_ends_in_a_cross_beside_one_that_did_not(log: Log) -> None:
    logs = {"pid": log, "lost": failed_at(log, 50)}
    errors = comparison_figure(logs).axes[0]
    assert [len(np.asarray(line.get_xdata())) for line in errors.lines] == [len(log), 50]
    assert [line.get_label() for line in errors.lines] == ["pid", "lost (failed: singular)"]
    whole, cut = law_forces_figure(logs).axes
    assert (whole.get_title(loc="right"), len(whole.patches)) == ("", 0)
    assert cut.get_title(loc="right").startswith("failed at")
    assert len(np.asarray(cut.lines[0].get_xdata())) == 50


def test_loads_are_drawn_with_the_limits_that_are_near() -> None:
    robot = pk.load("delta")
    loads = trajectory.actuator_loads(trajectory.pick_and_place(robot, cycle=0.3).sampled(200), robot)
    torque, speed, power = loads_figure(loads, "delta").axes
    assert [axes.get_ylabel() for axes in (torque, speed, power)] == ["torque [N m]", "speed [rad/s]", "power [W]"]
    assert torque.lines[0].get_ydata() == pytest.approx(loads.tau[:, 0])
    assert [np.asarray(line.get_ydata())[0] for line in torque.lines[3:]] == [-25.0, 25.0]
    assert power.lines[3].get_ydata() == pytest.approx(loads.power.sum(axis=1))
    slow = trajectory.actuator_loads(trajectory.pick_and_place(robot, cycle=3.0).sampled(200), robot)
    assert len(loads_figure(slow).axes[0].lines) == 3
