"""Machines and set points in C: bits of the kernel, no warning, clean sanitizers, constant work, pages that compile."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import control, trajectory
from parakin.arrays import Array
from parakin.cli import app
from parakin.errors import CExportError, ControlError
from parakin.export import MoveLimits, OnboardFiles, Playing, export_machine, export_set_points, move_limits
from parakin.export.interface import Struct
from parakin.export.onboard.block import Block, run
from parakin.export.onboard.motion_table import motion_table
from parakin.export.onboard.player import Player
from parakin.export.onboard.recording import recorded_machine, recorded_set_points
from parakin.export.onboard.set_points import SetPoints
from parakin.export.onboard.source import header_text, source_text
from tests.c_code import SANITIZED, STRICT, selftest
from tests.cortex_m import CORES, compiled, missing, ran
from tests.export.onboard.machines import PERIOD, encoders, machine

SLOW = MoveLimits((0.2, 0.2), (2.0, 2.0), (50.0, 50.0))
MOST_STACK = 8192
"""Bytes that a tick may take on the stack, as for controllers."""


def tuned(name: str, robot: pk.Robot) -> control.Law:
    law = control.law(name, robot)
    return law.with_gains(**control.gains_for(law, 60.0))


def replayed(block: Block, told: dict[str, Array], directory: Path) -> tuple[Array, Array]:
    """Outputs and states of every tick, from C called through ctypes."""
    (directory / "one.c").write_text(source_text(block, "one"))
    (directory / "one.h").write_text(header_text(block, "one"))
    target = directory / "one.so"
    subprocess.run([*STRICT, "-shared", "-fPIC", str(directory / "one.c"), "-o", str(target), "-lm"], check=True)
    library = ctypes.CDLL(str(target))

    def size(struct: Struct) -> int:
        return sum(one.size for one in struct.members)

    state = np.ctypeslib.as_array((ctypes.c_double * size(block.state)).in_dll(library, "one_initial_state")).copy()
    settings = (ctypes.c_double * size(block.settings)).in_dll(library, "one_default_settings")
    rows = np.ascontiguousarray(np.concatenate([told[one.name] for one in block.input.members], axis=1))
    outputs, states = np.empty((len(rows), size(block.output))), np.empty((len(rows), len(state)))
    for tick, row in enumerate(rows):
        place = ctypes.c_void_p(outputs[tick:].ctypes.data)
        library.one_step(ctypes.c_void_p(state.ctypes.data), settings, ctypes.c_void_p(row.ctypes.data), place)
        states[tick] = state
    return outputs, states


def check_bits(block: Block, robot: str, directory: Path) -> None:
    loaded = pk.load(robot)
    machine_like = any(one.name == "counts" for one in block.input.members)
    recorded = recorded_machine(block, loaded, encoders(loaded)) if machine_like else recorded_set_points(block, loaded)
    outputs, states = replayed(block, dict(recorded.told), directory)
    for values, struct, said in (
        (outputs, block.output, recorded.ticked.output),
        (states, block.state, recorded.ticked.state),
    ):
        expected = np.concatenate([said[one.name] for one in struct.members], axis=1)
        np.testing.assert_array_equal(values, expected)
    if machine_like:
        assert set(recorded.ticked.output["state"][:, 0]) == {0.0, 1.0, 2.0, 3.0, 4.0}, "every state on record"


def test_a_machine_in_c_has_the_bits_of_its_kernel(tmp_path: Path) -> None:
    check_bits(machine("five_bar", "pid"), "five_bar", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "law", "motion"),
    [
        ("five_bar", "predictive_functional", "lift"),
        ("five_bar", "computed_torque_platform", None),
        ("delta", "computed_torque", "pick_and_place"),
        ("four_bar", "computed_torque", None),
        ("gough_stewart", "feedforward", "pick_and_place"),
    ],
)
def test_machines_in_c_have_the_bits_of_their_kernels(robot: str, law: str, motion: str | None, tmp_path: Path) -> None:
    check_bits(machine(robot, law, motion), robot, tmp_path)


def points(robot: pk.Robot, motion: trajectory.Motion | None) -> Block:
    n = robot.degrees_of_freedom
    table = None if motion is None else motion_table(robot, motion)
    return SetPoints(Player(robot, PERIOD, MoveLimits((0.3,) * n, (5.0,) * n, (100.0,) * n), table, (0,))).block()


@pytest.mark.parametrize(
    "name", ["five_bar", *(pytest.param(one, marks=pytest.mark.slow) for one in ("four_bar", "gough_stewart"))]
)
def test_actuator_set_points_are_those_of_inverse_kinematics(name: str, tmp_path: Path) -> None:
    robot = pk.load(name)
    block = points(robot, None)
    said = recorded_set_points(block, robot).ticked.output
    rows = slice(60, 1000, 7)
    near = robot.configurations(said["pose"][rows])
    state = [said[what][rows] for what in ("pose", "velocity", "acceleration")]
    q = robot.evaluate("inverse_kinematics", pose=state[0], near=near)["q"]
    np.testing.assert_allclose(said["q"][rows], q, atol=1e-9)
    np.testing.assert_allclose(said["q_dot"][rows], robot.actuator_velocity(*state[:2], near=near), atol=1e-7)
    np.testing.assert_allclose(said["q_ddot"][rows], robot.actuator_acceleration(*state, near=near), atol=1e-5)
    assert np.abs(said["velocity"]).max() > 0.1
    assert (said["good"] == 1.0).all()
    check_bits(block, name, tmp_path)


def test_velocities_are_derivatives_of_poses_through_moves_and_stops() -> None:
    robot = pk.load("five_bar")
    said = recorded_set_points(points(robot, None), robot).ticked.output
    slope = (said["pose"][2:] - said["pose"][:-2]) / (2 * PERIOD)
    assert np.abs(slope - said["velocity"][1:-1]).max() < 100.0 * PERIOD**2 * 3, "a third derivative of 300 m/s^3"
    turning = (said["velocity"][2:] - said["velocity"][:-2]) / (2 * PERIOD)
    assert np.abs(turning - said["acceleration"][1:-1]).max() < 300.0 * PERIOD


def test_a_goal_out_of_reach_stands_still_for_the_drives() -> None:
    robot = pk.load("five_bar")
    told = {"start": np.ones(1), "stop": np.zeros(1), "goal": np.array([3.0, 0.3])}
    said = run(points(robot, None), lambda tick, _: told | {"start": np.array([float(tick > 2)])}, 4000).output
    assert said["good"][-1, 0] == 0.0
    assert np.isfinite(said["q"]).all()
    last = int(np.argmin(said["good"][:, 0]))
    assert (said["q"][last:] == said["q"][last - 1]).all()
    assert (said["q_dot"][last:] == 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("compiler", [STRICT, SANITIZED], ids=["strict", "sanitized"])
def test_exports_pass_their_selftests_and_sanitizers(compiler: list[str], tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    playing = Playing(trajectory.motion("lift", robot), limits=SLOW)
    files = export_machine(tuned("pid", robot), tmp_path, playing=playing, counts=(1e5, -1e5))
    again = export_machine(tuned("pid", robot), tmp_path / "again", playing=playing, counts=(1e5, -1e5))
    export_set_points(robot, tmp_path, playing=Playing(limits=SLOW))
    for path, other in zip(vars(files).values(), vars(again).values(), strict=True):
        assert path.read_bytes() == other.read_bytes()
    for name in ("five_bar_pid_machine", "five_bar_set_points"):
        done = selftest(tmp_path, name, compiler)
        assert done.returncode == 0, done.stdout
        assert f"{name}: 2000 ticks, 0 values differ, the worst by 0.0e+00" in done.stdout
    changed = files.source.read_text().replace(".jerk = {50.0, 50.0}", ".jerk = {50.0, 50.1}")
    files.source.write_text(changed)
    assert selftest(tmp_path, "five_bar_pid_machine").returncode == 1


def check_texts(files: OnboardFiles) -> None:
    """There is nothing to branch on, and every member stands on the page."""
    source = files.source.read_text()
    assert not re.search(r"\b(malloc|calloc|free|while|for|goto)\b", re.sub(r"/\*.*?\*/", "", source))
    own = source[source.index("static void five_bar") :]
    assert not re.search(r"\b(if|else|switch)\b|\?|&&|\|\|", own)
    for member in re.findall(r"^    double (\w+(?:\[\d+\])?);$", files.header.read_text(), re.MULTILINE):
        row = rf"^\| `{re.escape(member)}` \| [^|]+ \| [^|]+ \|$"
        assert re.search(row, files.readme.read_text(), re.MULTILINE), member


@pytest.mark.parametrize("what", ["machine", "points", pytest.param("played", marks=pytest.mark.slow)])
def test_the_loop_on_the_page_compiles(what: str, tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    played = Playing(trajectory.motion("lift", robot) if what == "played" else None, limits=SLOW)
    if what == "points":
        files = export_set_points(robot, tmp_path, playing=played)
        said = "const double *q, const double *q_dot, const double *q_ddot"
        panel = "double *start, double *stop"
    else:
        files = export_machine(tuned("pid", robot), tmp_path, playing=played)
        said = "const double *tau, double brake, double homing"
        panel = "double *enable, double *start, double *stop, double *reset"
    check_texts(files)
    (loop,) = re.findall(r"```c\n(.*?)```", files.readme.read_text(), re.DOTALL)
    assert len(loop.splitlines()) <= 11
    world = (
        f"void read_encoders(double *counts, double *home);\nvoid read_panel({panel});\nvoid write_drives({said});\n"
    )
    world += "extern const double goal[2];\nvoid run(void);\n"
    program = f'#include "{files.header.name}"\n{world}void run(void)\n{{\n{loop}}}\n'
    (tmp_path / "loop.c").write_text(program)
    subprocess.run([*STRICT, "-c", str(tmp_path / "loop.c"), "-o", str(tmp_path / "loop.o")], check=True)
    if what == "points":
        assert selftest(tmp_path, "five_bar_set_points").returncode == 0


def test_commands_write_what_surrounds_a_law(tmp_path: Path) -> None:
    def command(*arguments: str):
        return CliRunner().invoke(app, ["export-c", "five_bar", *arguments, "-o", str(tmp_path / "out")])

    limits = ("--velocity", "0.2", "--acceleration", "2,2", "--jerk", "50")
    gains = str(control.write_gains(tmp_path / "gains.toml", tuned("pid", pk.load("five_bar"))))
    done = command("--controller", "pid", "--gains", gains, "--machine", "--counts", "1e5,-1e5", *limits)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("Makefile") == 1
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"five_bar_pid.c", "five_bar_pid_machine.c", "five_bar_pid_machine.md"} <= names
    gain = float(tuned("pid", pk.load("five_bar")).gains[0])
    assert f".K_p = {{{gain!r}, " in (tmp_path / "out" / "five_bar_pid.c").read_text()
    assert ".counts_per_unit = {100000.0, -100000.0}," in (tmp_path / "out" / "five_bar_pid_machine.c").read_text()
    done = command("--motion", "lift", "--table-rate", "50", *limits)
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "out" / "five_bar_set_points.md").read_text()
    assert "is a table of 26 rows every 0.02 s" in page
    assert re.search(r"at 75 times between the rows it is off by at most \d\.\de-\d\d m or rad", page)
    for words, reason in {
        ("--machine",): "there is one around a law: name it with --controller",
        ("--motion", "lift", "--point-to-point"): "leave --point-to-point out",
        ("--velocity", "1"): "is for moves",
        ("--controller", "pid", "--counts", "1000"): "are read by a machine",
        ("--point-to-point", "--jerk", "-1"): "jerk: must be 2 numbers, finite and > 0, got (-1.0, -1.0)",
        ("--controller", "pid", "--machine", "--counts", "1,2,3"): "counts: must be 2 numbers",
        ("--controller", "pid", "--machine", "--no-guard"): "a machine needs the guard",
    }.items():
        refused = command(*words)
        assert refused.exit_code == 1, words
        assert reason in refused.stderr, refused.stderr


def test_moves_suit_the_robot_file() -> None:
    """Every combination of coordinates at their limits keeps the speeds and forces of the actuators at home."""
    robot = pk.load("delta")
    limits = move_limits(robot)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    v, a = signs * limits.velocity, signs * limits.acceleration
    home = np.tile(robot.home, (8, 1))
    speeds = np.array([one.speed for one in robot.actuators])
    forces = np.array([one.force for one in robot.actuators])
    assert (np.abs(robot.actuator_velocity(home, v)) <= speeds / 2).all()
    assert (np.abs(robot.inverse_dynamics(home, 0 * v, a)) <= forces).all()
    assert np.abs(robot.actuator_velocity(home, v)).max() > 0.4 * speeds.max()


def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    law = tuned("pid", robot)
    fast = Playing(limits=MoveLimits((90.0,) * 2, (2e4,) * 2, (1e7,) * 2))
    with pytest.raises(CExportError, match=r"the recorded run ends in a fault at \S+ s: "):
        export_machine(law, tmp_path, playing=fast)
    with pytest.raises(ControlError, match="cutoff: must be finite and > 0 Hz"):
        export_machine(law, tmp_path, cutoff=0.0)
    with pytest.raises(ControlError, match="period: must be finite and > 0 s"):
        export_set_points(robot, tmp_path, period=-1.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason=f"apt-get install gcc-arm-none-eabi qemu-system-arm: {missing()}")
@pytest.mark.parametrize("motion", [None, "lift"])
def test_a_machine_runs_on_a_microcontroller(motion: str | None, tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    playing = Playing(None if motion is None else trajectory.motion(motion, robot), limits=SLOW)
    files = export_machine(tuned("computed_torque", robot), tmp_path / "m", playing=playing, counts=1e5)
    for core in CORES:
        size = compiled(files, core, tmp_path)
        assert size.data == 0, "nothing but constants outlives a tick"
        assert 0 < size.stack < MOST_STACK
    wrong, instructions = ran(files, tmp_path)
    assert wrong == 0
    assert instructions > 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="apt-get install valgrind")
def test_every_tick_takes_the_same_instructions(tmp_path: Path) -> None:
    """In all five states, with encoders that are NaN among them."""
    robot = pk.load("five_bar")
    playing = Playing(trajectory.motion("lift", robot), limits=SLOW)
    export_machine(tuned("computed_torque", robot), tmp_path, "own", playing=playing, counts=1e5)
    subprocess.run(["make", "-s", "-C", str(tmp_path), "own_selftest"], check=True)
    (tmp_path / "counted").mkdir()
    command = ["valgrind", "-q", "--tool=callgrind", "--toggle-collect=own_step", "--dump-after=own_step"]
    command += [f"--callgrind-out-file={tmp_path / 'counted' / 'tick'}", str(tmp_path / "own_selftest")]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"LD_BIND_NOW": "1"})
    dumps = (path.read_text() for path in (tmp_path / "counted").glob("tick.*"))
    totals = [re.search(r"^totals: (\d+)$", dump, re.MULTILINE) for dump in dumps]
    counts = np.array([int(found[1]) for found in totals if found and int(found[1])])
    assert len(counts) >= 2000
    assert np.ptp(counts) <= 0.005 * counts.min(), (counts.min(), counts.max())


def test_a_table_is_not_looked_at_beyond_its_rows_whatever_the_state(tmp_path: Path) -> None:
    """Memory that nothing was written to has any number of a row."""
    robot = pk.load("five_bar")
    block = points(robot, trajectory.motion("lift", robot))
    told = {one.name: np.zeros((1, one.size)) for one in block.input.members}
    expected, _ = replayed(block, told, tmp_path)
    library = ctypes.CDLL(str(tmp_path / "one.so"))
    settings = (ctypes.c_double * sum(one.size for one in block.settings.members)).in_dll(
        library, "one_default_settings"
    )
    rows = np.concatenate([told[one.name] for one in block.input.members], axis=1)
    for garbage in (np.nan, np.inf, 1e300, -1e300, 1e9, -1e9):
        state = np.full(sum(one.size for one in block.state.members), garbage)
        said = np.empty(expected.shape[1])
        library.one_step(
            *(ctypes.c_void_p(a.ctypes.data) for a in (state,)),
            settings,
            *(ctypes.c_void_p(a.ctypes.data) for a in (rows, said)),
        )
        np.testing.assert_array_equal(said, expected[0])
