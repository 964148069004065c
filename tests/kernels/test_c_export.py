"""Generated C: compiles without a warning, is clean under the sanitizers, and agrees with the kernel."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.description import library
from parakin.errors import CExportError
from parakin.kernels.c_source import c_source
from tests.c_code import SANITIZED, STRICT, all_operations, selftest
from tests.kernels.graphs import FUNCTION, ROOT, draw, scan_program, smooth_graph
from tests.robots import twins_later

CASES = {
    "matrices": (pk.Kernel(FUNCTION), {"x": draw(40)[0], "s": draw(40)[1], "A": draw(40)[2]}),
    "everything": (pk.Kernel(all_operations()), None),
    "smooth": (pk.Kernel(smooth_graph(2, 400)), None),
    "iteration": (
        pk.Kernel(ROOT),
        {"z": np.full(40, 1.0), "a": np.random.default_rng(0).uniform(0.5, 100.0, 40)},
    ),
    "tick": (pk.Kernel(scan_program()), None),
}


@pytest.mark.parametrize("flags", [STRICT, SANITIZED], ids=["strict", "sanitized"])
@pytest.mark.parametrize("name", CASES)
def test_the_selftest_passes(name: str, flags: list[str], tmp_path: Path) -> None:
    kernel, samples = CASES[name]
    kernel.to_c(tmp_path, name, samples=samples)
    run = selftest(tmp_path, name, flags)
    assert run.returncode == 0, run.stdout + run.stderr
    states = int(re.search(r"(\d+) states, 0 values differ", run.stdout)[1])  # type: ignore[index]
    assert states >= 32


def test_the_selftest_fails_where_the_code_is_wrong(tmp_path: Path) -> None:
    kernel, _ = CASES["smooth"]
    files = kernel.to_c(tmp_path, "smooth")
    files.source.write_text(
        files.source.read_text().replace("0.7 *", "0.7000001 *", 1).replace("* 0.7", "* 0.7000001", 1)
    )
    run = selftest(tmp_path, "smooth")
    assert run.returncode == 1
    assert re.search(r"state \d+: y\[\d\] is \S+, recorded \S+", run.stdout)


def test_the_code_keeps_its_promises(tmp_path: Path) -> None:
    for name, (kernel, samples) in CASES.items():
        text = kernel.to_c(tmp_path, name, samples=samples).source.read_text()
        assert re.findall(r"#include <(.*)>", text) == ["math.h"]
        assert not re.search(r"\b(malloc|calloc|free|while|goto)\b", text)
        assert not re.search(r"^static (?!void)", text, re.MULTILINE), "no static data"
        assert not re.search(r"for \(.*; \w+ < (?!\d+;)", text), "loops have constant lengths"


def test_the_header_documents_the_arguments(tmp_path: Path) -> None:
    x, v = ca.SX.sym("x", 3), ca.SX.sym("v", 2, 3)
    function = ca.Function("model", [x, v], [v @ x], ["pose", "jacobian"], ["rate"])
    kernel = pk.Kernel(function, units={"pose": "m", "rate": "rad/s"})
    header = kernel.to_c(tmp_path).header.read_text()
    assert "model: 4 additions, 6 multiplications." in header
    assert re.search(r"in +pose\[3\] +3 +\[m\]", header)
    assert re.search(r"in +jacobian\[6\] +2 x 3", header)
    assert re.search(r"out +rate\[2\] +2 +\[rad/s\]", header)
    prototype = "void model( const double *restrict pose, const double *restrict jacobian, double *restrict rate);"
    assert prototype in " ".join(header.split())


def test_names_that_mean_something_in_c_are_changed(tmp_path: Path) -> None:
    header = CASES["everything"][0].to_c(tmp_path).header.read_text()
    assert "const double *restrict sin_" in header
    assert "double *restrict t1_" in header


@pytest.mark.parametrize(
    "name",
    [f"selftest_{word}" for word in ("state", "differ", "wrong", "in_x", "got_y", "want_y")]
    + ["in_x", "want_y", "got_y", "replayed_state", "selftest", "state", "wrong", "s_x", "total", "overflow"],
)
def test_a_function_may_have_any_name_of_the_selftest(name: str, tmp_path: Path) -> None:
    x = ca.SX.sym("x", 3)
    function = ca.Function("f", [x], [2 * x, ca.if_else(x[0] > 5, 1, 0)], ["x"], ["y", "status"])
    pk.Kernel(function, status="status").to_c(tmp_path, name)
    assert selftest(tmp_path, name).returncode == 0


def test_a_stage_may_be_called_as_a_signal_is(tmp_path: Path) -> None:
    x = ca.SX.sym("x")
    double, add = (
        ca.Function("double", [x], [2 * x], ["x"], ["x_stage0"]),
        ca.Function("add", [x], [x + 1], ["x_stage0"], ["s_x_stage1"]),
    )
    pk.Kernel(pk.Program(double, add, outputs=("x_stage0", "s_x_stage1"))).to_c(tmp_path, "s_x")
    assert selftest(tmp_path, "s_x").returncode == 0


@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast", "-ffinite-math-only"])
def test_inexact_mathematics_is_refused(flag: str, tmp_path: Path) -> None:
    CASES["smooth"][0].to_c(tmp_path, "smooth")
    for file in ("smooth.c", "smooth_selftest.c"):
        command = [*STRICT, flag, "-c", str(tmp_path / file), "-o", str(tmp_path / "out.o")]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode != 0
        assert "compile it without -ffast-math" in run.stderr


def test_an_output_that_is_rounding_is_judged_by_what_roundings_change(tmp_path: Path) -> None:
    """sin^2 + cos^2 - 1 is at most a few 1e-16, other in C than here; beside it, a small output still is checked."""
    x = ca.SX.sym("x")
    noise = ca.sin(x) ** 2 + ca.cos(x) ** 2 - 1
    kernel = pk.Kernel(ca.Function("f", [x], [noise, 1e-9 * ca.exp(x)], ["x"], ["noise", "small"]))
    files = kernel.to_c(tmp_path, samples={"x": np.linspace(0.1, 1.5, 64)})
    for compiler in (STRICT, ["gcc", "-O3", "-march=native"]):
        assert selftest(tmp_path, "f", compiler).returncode == 0
    text = files.source.read_text()
    assert "1e-09" in text
    files.source.write_text(text.replace("1e-09", "1.00001e-09"))
    run = selftest(tmp_path, "f")
    assert run.returncode == 1
    assert "small[0]" in run.stdout
    assert "noise" not in run.stdout


def test_a_good_status_with_a_result_that_is_not_finite_is_changed_in_c_too(tmp_path: Path) -> None:
    x = ca.SX.sym("x")
    kernel = pk.Kernel(ca.Function("f", [x], [1 / x, ca.SX(0)], ["x"], ["y", "status"]), status="status")
    kernel.to_c(tmp_path)
    test = """
#include <math.h>
#include "f.h"
int main(void)
{
    const double zero = 0.0, two = 2.0;
    double y, status;
    f(&zero, &y, &status);
    if (!isnan(y) || status != -1.0) return 1;
    f(&two, &y, &status);
    return y != 0.5 || status != 0.0;
}
"""
    (tmp_path / "f_selftest.c").write_text(test)
    assert selftest(tmp_path, "f").returncode == 0
    assert kernel([0.0, 2.0])["status"].tolist() == [-1, 0]
    assert kernel(0.0)["status"] == -1


def test_units_cannot_move_the_cursor(tmp_path: Path) -> None:
    x = ca.SX.sym("x")
    kernel = pk.Kernel(ca.Function("f", [x], [x], ["x"], ["y"]), units={"x": "m\x1b[2J\r??/", "y": "\x9b1mN\ud800"})
    header = kernel.to_c(tmp_path).header.read_text()
    assert "[m?[2J? ? ?/]" in header
    assert all(character.isprintable() or character == "\n" for character in header)
    assert selftest(tmp_path, "f").returncode == 0


@pytest.mark.parametrize("name", twins_later(library()))
def test_forward_kinematics_of_every_robot_is_right_in_c(name: str, tmp_path: Path) -> None:
    """Also where the compiler fuses products with sums."""
    pk.load(name).to_c("forward_kinematics", tmp_path, "forward")
    for compiler in (STRICT, ["gcc", "-O3", "-march=native"]):
        run = selftest(tmp_path, "forward", compiler)
        assert run.returncode == 0, run.stdout
        assert "64 states, 0 values differ" in run.stdout


def test_several_kernels_share_one_file(tmp_path: Path) -> None:
    """The pieces compose: two kernels, one translation unit."""
    parts = [
        c_source(kernel.plan, kernel.inputs, kernel.outputs, name, reciprocals=True)
        for name, kernel in (("first", CASES["smooth"][0]), ("second", CASES["iteration"][0]))
    ]
    text = "\n".join(
        ["#include <math.h>", *(part.declaration for part in parts), *(part.definitions for part in parts)]
    )
    (tmp_path / "library.c").write_text(text)
    subprocess.run([*STRICT, "-c", str(tmp_path / "library.c"), "-o", str(tmp_path / "library.o")], check=True)


def test_what_cannot_be_exported_says_why(tmp_path: Path) -> None:
    x = ca.SX.sym("x")
    kernel = pk.Kernel(ca.Function("f", [x], [ca.log(x - 100)], ["x"], ["y"]))
    with pytest.raises(
        CExportError, match="only 0 of 256 sample states have finite outputs, 32 are needed; pass samples"
    ):
        kernel.to_c(tmp_path)
    with pytest.raises(CExportError, match="f: samples lack x"):
        kernel.to_c(tmp_path, samples={})
    with pytest.raises(CExportError, match="'3d' is no name for a C function"):
        kernel.to_c(tmp_path, name="3d")
    no_residual = pk.Program(ROOT.steps[0], outputs=("z",))
    with pytest.raises(CExportError, match="C runs the iteration until 'done' a fixed 40 times: name the signal"):
        pk.Kernel(no_residual).to_c(tmp_path, samples=CASES["iteration"][1])
    assert not list(tmp_path.iterdir()), "nothing is half-written"
