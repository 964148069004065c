"""Controllers in C: they compile without a warning, are clean under the sanitizers, and repeat the closed loop."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.cli import app
from parakin.errors import CExportError, LoopWarning
from parakin.export import ControllerFiles, export_controller
from parakin.kernels import Kernel
from tests.c_code import SANITIZED, STRICT, selftest
from tests.wasm_modules import WasmKernel, same_numbers


def exported(robot: str, law: str, directory: Path) -> ControllerFiles:
    return export_controller(control.law(law, pk.load(robot)), directory)


def check(directory: Path, target: str = "check") -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-C", str(directory), target], capture_output=True, text=True, check=False)


def test_a_controller_may_have_the_name_of_our_own_functions(tmp_path: Path) -> None:
    export_controller(control.law("pid", pk.load("five_bar")), tmp_path, "steady")
    run = check(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("name", ["selftest", "selftest_first", "first", "recorded", "replayed", "scale"])
def test_a_controller_may_have_the_name_of_the_selftests_tables(name: str, tmp_path: Path) -> None:
    export_controller(control.law("pid", pk.load("five_bar")), tmp_path, name)
    run = check(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


def test_fast_mathematics_is_refused(tmp_path: Path) -> None:
    """With it, predictive control commanded eight times the actuator's force."""
    export_controller(control.law("pid", pk.load("five_bar")), tmp_path, "loop")
    for file in ("loop.c", "loop_selftest.c"):
        command = [*STRICT, "-ffast-math", "-c", str(tmp_path / file), "-o", str(tmp_path / "out.o")]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode != 0
        assert "compile it without -ffast-math" in run.stderr


def test_a_title_cannot_move_the_cursor(tmp_path: Path) -> None:
    description = pk.load("five_bar").description.model_copy(update={"title": "A \x1b]0;mine\x07 robot\r"})
    files = export_controller(control.law("pid", pk.Robot(description)), tmp_path, "loop")
    for path in vars(files).values():
        assert all(letter.isprintable() or letter in "\n\t" for letter in path.read_text())
    assert "A ?\\]0;mine? robot?" in files.readme.read_text()


def test_a_title_cannot_bring_html_or_links_into_the_page(tmp_path: Path) -> None:
    title = "<img src=x onerror=alert(1)> [here](javascript:alert(1)) & `co`"
    description = pk.load("five_bar").description.model_copy(update={"title": title})
    page = export_controller(control.law("pid", pk.Robot(description)), tmp_path, "loop").readme.read_text()
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt; \\[here\\](javascript:alert(1)) &amp; \\`co\\`" in page


@pytest.mark.parametrize("law", control.LAWS)
def test_every_law_repeats_its_closed_loop(law: str, tmp_path: Path) -> None:
    files = exported("five_bar", law, tmp_path)
    run = check(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"five_bar_{law}: 2000 ticks, 0 values differ" in run.stdout
    assert f"int five_bar_{law}_step(" in files.header.read_text()
    assert f"FIVE_BAR_{law.upper()}_CAUSE_HEARTBEAT = 11" in files.header.read_text()
    source = files.source.read_text()
    assert re.findall(r"#include <(.*)>", source) == ["math.h", "stdint.h"]
    assert not re.search(r"\b(malloc|calloc|free|while|for|goto)\b", re.sub(r"/\*.*?\*/", "", source))
    own = source[source.index("static void five_bar") :]
    assert not re.search(r"\b(if|else|switch)\b|\?|&&|\|\|", own), "nothing to branch on"
    readme = files.readme.read_text()
    for member in re.findall(r"^    double (\w+(?:\[\d+\])?);$", files.header.read_text(), re.MULTILINE):
        assert re.search(rf"^\| `{re.escape(member)}` \| [^|]+ \| [^|]+ \|$", readme, re.MULTILINE), member


@pytest.mark.parametrize(("robot", "law"), [("h4", "computed_torque"), ("delta", "feedforward"), ("palida", "pid")])
@pytest.mark.filterwarnings("ignore::parakin.errors.LoopWarning")  # a PaLiDA under pid has a gain margin of 1.98
def test_controllers_are_clean_under_the_sanitizers(robot: str, law: str, tmp_path: Path) -> None:
    exported(robot, law, tmp_path)
    run = check(tmp_path, "sanitized")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "2000 ticks, 0 values differ" in run.stdout


def test_the_makefile_has_the_flags_of_kernels(tmp_path: Path) -> None:
    text = exported("five_bar", "pid", tmp_path).makefile.read_text()
    assert f"CC = {STRICT[0]}\nCFLAGS = {' '.join(STRICT[1:])}\n" in text
    assert f"SANITIZERS = {' '.join(SANITIZED[len(STRICT) :])}\n" in text


def test_the_selftest_fails_with_another_gain(tmp_path: Path) -> None:
    law = control.law("computed_torque", pk.load("five_bar")).with_gains(K_p=10000.0, K_d=90.0, K_i=0.0)
    files = export_controller(law, tmp_path)
    text = files.source.read_text()
    assert ".K_p = 10000.0," in text
    files.source.write_text(text.replace(".K_p = 10000.0,", ".K_p = 10000.001,"))
    run = selftest(tmp_path, "five_bar_computed_torque")
    assert run.returncode == 1
    assert re.search(r"tick \d+: tau\[\d\] is \S+, recorded \S+", run.stdout)


def test_gains_of_the_law_are_those_of_the_controller(tmp_path: Path) -> None:
    law = control.law("pid", pk.load("five_bar")).with_gains(K_p=(120.0, 130.0), K_d=4.0)
    files = export_controller(law, tmp_path, "mine")
    assert "const mine_gains mine_default_gains = {\n    .K_p = {120.0, 130.0},\n" in files.source.read_text()
    assert selftest(tmp_path, "mine").returncode == 0


def test_the_same_law_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (exported("five_bar", "adaptive_feedforward", tmp_path / name) for name in ("one", "two"))
    for path, again in zip(vars(first).values(), vars(second).values(), strict=True):
        assert path.read_bytes() == again.read_bytes()


def test_other_files_stay_and_own_ones_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "five_bar_pid.c").write_text("old")
    files = exported("five_bar", "pid", tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert "five_bar_pid_step" in files.source.read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", *(path.name for path in vars(files).values())}


@pytest.mark.parametrize("what", ["controller", "kernel"])
def test_a_directory_that_cannot_be_written_is_named(what: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    robot = pk.load("five_bar")
    write = {
        "controller": functools.partial(export_controller, control.law("pid", robot)),
        "kernel": functools.partial(robot.to_c, "inverse_dynamics"),
    }[what]
    with pytest.raises(CExportError, match=r"file/out' cannot be written: Not a directory; choose another directory"):
        write(tmp_path / "file" / "out")


def test_a_loop_that_fails_is_not_recorded(tmp_path: Path) -> None:
    """Stable at home, but not where the recorded motion begins."""
    law = control.law("computed_torque", pk.load("five_bar")).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)
    failed = "computed_torque: the closed loop that the self-test is to replay ended SINGULAR at"
    with pytest.raises(CExportError, match=failed), pytest.warns(LoopWarning, match="the loop is unstable"):
        export_controller(law, tmp_path / "out", guard=False)
    stopped = r"the guard stops the closed loop .*: the robot does not follow at"
    with pytest.raises(CExportError, match=stopped), pytest.warns(LoopWarning, match="the loop is unstable"):
        export_controller(law, tmp_path / "out")
    with pytest.raises(CExportError, match="'3d' is no name for a C function"):
        export_controller(law, tmp_path / "out", "3d")
    assert not list(tmp_path.iterdir())


def test_the_command_writes_controllers_and_models(tmp_path: Path) -> None:
    def command(*arguments: str):
        return CliRunner().invoke(app, ["export-c", "five_bar", *arguments])

    run = command("--controller", "pid", "--period", "0.002", "--no-guard", "-o", str(tmp_path / "pid"))
    assert run.stdout.startswith(f"written: {tmp_path / 'pid' / 'five_bar_pid.c'}"), run.stderr
    header = (tmp_path / "pid" / "five_bar_pid.h").read_text()
    assert "_PERIOD 0.002" in header
    assert "void five_bar_pid_step(" in header
    assert "guard" not in header
    run = command("-o", str(tmp_path / "model"))
    assert selftest(tmp_path / "model", "five_bar_inverse_dynamics").returncode == 0, run.stderr
    refused = command("--controller", "pod")
    assert refused.exit_code == 1
    assert "no law 'pod'; choose one of pid," in refused.stderr


@pytest.mark.parametrize("law", ["computed_torque", pytest.param("predictive_functional", marks=pytest.mark.slow)])
def test_laws_of_a_mechanism_repeat_their_closed_loop(law: str, tmp_path: Path) -> None:
    files = exported("four_bar", law, tmp_path)
    run = check(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"four_bar_{law}: 2000 ticks, 0 values differ" in run.stdout
    source = files.source.read_text()
    step = source[source.index(f"static void four_bar_{law}_law") :]
    assert not re.search(r"\b(malloc|while|for|goto|if|else|switch)\b|\?|&&|\|\|", step), "one path at every tick"
    assert source.count("for (int i = 0; i < 20; ++i)") == 1
    readme = files.readme.read_text()
    assert "no loops (but one of 20 passes in `init`)" in readme
    assert "| `residual` | m and rad |" in readme
    assert "| `place[3]` | rad |" in readme


@pytest.mark.slow
def test_a_controller_begins_anywhere_in_the_workspace(tmp_path: Path) -> None:
    """`init` finds the place of a first pose far from home."""
    robot = pk.load("agile_eye")
    far = robot.home + 0.9 * robot.box[1]
    reference = control.hold(robot, far, 0.02, 1e-3)
    export_controller(control.law("computed_torque", robot), tmp_path, "far", reference=reference)
    run = selftest(tmp_path, "far")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("law", ["computed_torque", "predictive_functional"])
@pytest.mark.parametrize("name", ["tripod_3rps", "agile_eye", "hexa_offset", "reachy_mini", "four_bar_leg"])
def test_larger_mechanisms_repeat_their_closed_loops(name: str, law: str, tmp_path: Path) -> None:
    """Every force of 2000 ticks, to 1e-12 of the actuator's largest: `export.selftest.TOLERANCE`."""
    export_controller(control.law(law, pk.load(name)), tmp_path, "one")
    run = check(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "one: 2000 ticks, 0 values differ" in run.stdout


def test_a_tick_in_webassembly_has_the_bits_of_its_kernel() -> None:
    robot = pk.load("four_bar")
    law = control.law("computed_torque", robot)
    kernel = Kernel(law.step, contraction=False)
    reference = control.reference(robot, trajectory.fourier(robot), 1e-3)
    log = simulation.simulate(robot, law, reference, record_state=True)
    rows = slice(0, 2000, 20)
    places = {name: log[f"state.{name}"][rows].reshape(100, -1) for name in ("place", "residual", "integral")}
    told = {"state": np.concatenate(list(places.values()), axis=1), "gains": np.tile(law.gains, (100, 1))}
    told |= {w.port: getattr(reference, w.quantity)[rows] for w in law.interface.reference}
    told |= {f"measured_{what}": log[f"measured_{what}"][rows] for what in law.interface.measurement}
    given = {s.name: told[s.name] if s.shape else told[s.name][:, 0] for s in kernel.inputs}
    expected = kernel.evaluate(given)
    found = WasmKernel(kernel.to_wasm())(**given)
    for name, values in expected.items():
        assert same_numbers(np.asarray(values), found[name]).all(), name
    assert np.isfinite(expected["tau"]).all()


def test_controllers_share_a_directory_and_are_called_from_python(tmp_path: Path) -> None:
    robot = pk.load("five_bar")
    files = [export_controller(control.law(law, robot), tmp_path) for law in ("pid", "computed_torque")]
    run = check(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("2000 ticks, 0 values differ") == 2
    assert check(tmp_path, "shared").returncode == 0
    for each in files:
        called = subprocess.run([sys.executable, str(each.binding)], capture_output=True, text=True, check=True)
        recorded = re.search(r"recorded_tau\[\d+\]\[2\] = \{\n    \{(.*?)\}", each.selftest.read_text())
        assert recorded
        np.testing.assert_allclose(
            [float(n) for n in called.stdout.split()], [float(n) for n in recorded[1].split(",")], rtol=1e-12
        )
