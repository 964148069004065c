"""The fastest motions, whose accelerations jump, are played in C as they are."""

from __future__ import annotations

import csv
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import trajectory
from parakin.arrays import Array
from parakin.cli import app
from parakin.export import Playing, export_machine, export_set_points
from parakin.export.onboard.motion_table import motion_table
from tests.c_code import STRICT, selftest
from tests.export.onboard.test_onboard_c import SLOW, tuned

A, T = 8.0, 0.05
"""A motion to and fro along x by hand: 8 m/s^2 forward and backward, switched every 50 ms."""
CLOCK = 1e-7
"""The clock is a sum of ticks: it is off by 1e-16 s, in which a jerk of 2e5 m/s^3 through a quintic shows [SI]."""
PROGRAM = """\
#include <stdio.h>
#include "{name}.h"
int main(void)
{{
    {name}_state state = {name}_initial_state;
    {name}_input input = {{0}};
    {name}_output output;
    for (int tick = 0; tick < {ticks}; ++tick) {{
        input.start = tick == 3;
        {name}_step(&state, &{name}_default_settings, &input, &output);
        for (int k = 0; k < 2; ++k)
            printf("%.17g,%.17g,%.17g,", output.pose[k], output.velocity[k], output.acceleration[k]);
        printf("\\n");
    }}
    return 0;
}}
"""


def bang_bang(robot: pk.Robot) -> trajectory.Motion:
    """Along x: forward with A until T, then -A until 3 T, then A until 4 T, where it is back at home."""
    home = np.array(robot.home)

    def function(t: Array) -> trajectory.State:
        x = np.where(t < T, A * t**2 / 2, np.where(t < 3 * T, A * T**2 - A * (t - 2 * T) ** 2 / 2, 0.0))
        x = np.where(t >= 3 * T, A * (4 * T - t) ** 2 / 2, x)
        v = np.where(t < T, A * t, np.where(t < 3 * T, -A * (t - 2 * T), A * (t - 4 * T)))
        a = np.where((t < T) | (t >= 3 * T), A, -A)
        zero = np.zeros_like(t)
        return trajectory.State(home + np.stack([x, zero], 1), np.stack([v, zero], 1), np.stack([a, zero], 1))

    return trajectory.Motion("bang_bang", robot.motion_type, 4 * T, function)


def played_in_c(directory: Path, ticks: int) -> Array:
    """Pose, velocity and acceleration (ticks, 3, 2) as the compiled program prints them."""
    name = "five_bar_set_points"
    (directory / "main.c").write_text(PROGRAM.format(name=name, ticks=ticks))
    sources = [str(directory / "main.c"), str(directory / f"{name}.c")]
    subprocess.run([*STRICT, *sources, "-o", str(directory / "main"), "-lm"], check=True)
    said = subprocess.run([str(directory / "main")], check=True, capture_output=True, text=True).stdout
    rows = np.array([[float(entry) for entry in line.rstrip(",").split(",")] for line in said.splitlines()])
    return rows.reshape(ticks, 2, 3).transpose(0, 2, 1)


def test_the_fastest_motion_goes_from_the_command_line_into_c(tmp_path: Path) -> None:
    """Ticks of the compiled set points are the rows of the file, from rest and into rest."""
    file, out = tmp_path / "m.csv", tmp_path / "out"
    made = CliRunner().invoke(app, ["motion", "five_bar", "lift", "--fastest", "-o", str(file)])
    assert made.exit_code == 0, made.output
    done = CliRunner().invoke(app, ["export-c", "five_bar", "--motion", str(file), "-o", str(out)])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert f"a table of {len(rows)} rows, 1000 Hz: every tick meets a row" in done.stderr
    assert selftest(out, "five_bar_set_points").returncode == 0
    said = played_in_c(out, 3000)
    columns = [("x [m]", "y [m]"), ("vx [m/s]", "vy [m/s]"), ("ax [m/s^2]", "ay [m/s^2]")]
    wanted = np.array([[[float(row[name]) for name in pair] for pair in columns] for row in rows])
    assert np.abs(wanted[0, 2]).max() > 10.0, "it begins with an acceleration"
    assert np.abs(wanted[-1, 2]).max() > 10.0, "and it ends with one"
    wanted[-1, 2] = 0.0  # from the end on it stands still
    last = int(np.flatnonzero(np.abs(said[:, 1]).max(axis=1) > 0.0)[-1]) + 1
    first = last - len(rows) + 1
    np.testing.assert_allclose(said[first : last + 1], wanted, rtol=CLOCK, atol=CLOCK)
    assert (said[first - 1, 1:] == 0.0).all(), "the move to its first pose has ended"
    assert (said[last:, 1:] == 0.0).all()
    np.testing.assert_allclose(said[last:, 0], np.broadcast_to(wanted[-1, 0], said[last:, 0].shape), atol=1e-12)


def test_a_switched_acceleration_has_a_row_at_every_tick() -> None:
    robot = pk.load("five_bar")
    motion = bang_bang(robot)
    table = motion_table(robot, motion)
    assert table.rate == pytest.approx(1000.0)
    exact = motion.at(np.minimum(np.arange(len(table.rows)) * 1e-3, motion.duration))
    np.testing.assert_allclose(table.rows, np.concatenate(exact, axis=1), atol=1e-12)
    assert table.jump == pytest.approx(A)
    of_samples = motion_table(robot, motion.sampled(1000.0))
    np.testing.assert_allclose(of_samples.rows, table.rows, atol=1e-12)
    assert motion_table(robot, motion.sampled(4000.0)).rate == pytest.approx(1000.0), "no finer than ticks"


def test_smooth_motions_keep_few_rows_and_jerks_that_jump_get_more() -> None:
    robot = pk.load("five_bar")
    peak = 0.0
    for name, rate in {"lift": 100.0, "fourier": 100.0, "pick_and_place": 200.0}.items():
        motion = trajectory.motion(name, robot)
        table = motion_table(robot, motion)
        assert table.rate == pytest.approx(rate), name
        peak = np.abs(table.rows[:, -2:]).max()
        assert table.error[2] <= 0.01 * peak
    assert motion_table(robot, trajectory.motion("pick_and_place", robot), 100.0).error[2] > 0.01 * peak


def test_a_machine_plays_a_motion_that_begins_with_an_acceleration(tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    playing = Playing(bang_bang(robot), limits=SLOW)
    files = export_machine(tuned("pid", robot), tmp_path, playing=playing, counts=(1e5, -1e5))
    assert "begins or ends with an acceleration of up to 8 m/s^2" in files.readme.read_text()
    assert selftest(tmp_path, "five_bar_pid_machine").returncode == 0


def test_names_of_motions_are_text_on_the_page(tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    motion = replace(bang_bang(robot), name="a `b` <script>x</script> [l](http://e)")
    page = export_set_points(robot, tmp_path, playing=Playing(motion, limits=SLOW)).readme.read_text()
    assert "<script>" not in page
    assert r"The motion a \`b\` &lt;script&gt;x&lt;/script&gt; \[l\](http://e), 0.2 s" in page
