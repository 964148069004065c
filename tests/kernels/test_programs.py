"""Programs against plain Python loops over their stages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.errors import KernelInputError, ProgramError, UnsupportedModelError
from tests.kernels.graphs import EULER, NEWTON, ROOT, scan_program
from tests.support import WIDTHS, same_bits


def python_root(z: float, a: float, limit: int = 40) -> tuple[float, int, float]:
    kernel = pk.Kernel(NEWTON)
    steps, residual = 0, 0.0
    for _ in range(limit):
        out = kernel(z, a)
        z, residual = float(out["z_next"]), float(out["residual"])
        steps += 1
        if out["done"]:
            break
    return z, steps, residual


def test_stages_pass_signals_by_name() -> None:
    x = ca.SX.sym("x", 2)
    first = ca.Function("first", [x], [ca.sin(x), x[0] * x[1]], ["x"], ["s", "p"])
    s, p = ca.SX.sym("s", 2), ca.SX.sym("p")
    second = ca.Function("second", [p, s], [s * p], ["p", "s"], ["y"])
    kernel = pk.Kernel(pk.Program(first, second, outputs=("y", "p")))
    states = np.random.default_rng(0).normal(size=(9, 2))
    out = kernel(states)
    assert [s.name for s in kernel.inputs] == ["x"]
    np.testing.assert_allclose(out["y"], np.sin(states) * states.prod(1)[:, None], rtol=1e-14)
    np.testing.assert_array_equal(out["p"], states.prod(1))


def test_repeat_is_a_loop() -> None:
    kernel = pk.Kernel(pk.Program(pk.repeat(7, pk.stage(EULER, x_next="x")), outputs=("x",)))
    step = pk.Kernel(EULER)
    x = np.random.default_rng(0).normal(size=(11, 2))
    got = kernel(x=x, u=0.3, h=0.01)["x"]
    for _ in range(7):
        x = step(x, 0.3, 0.01)["x_next"]
    assert same_bits(got, x).all()
    assert kernel.operations.total == 7 * step.operations.total
    np.testing.assert_allclose(
        np.asarray(kernel.casadi(x[0], 0.3, 0.01)).ravel(), kernel(x[0], 0.3, 0.01)["x"], rtol=1e-13
    )


def test_a_stage_used_twice_is_compiled_once() -> None:
    x = ca.SX.sym("x")
    double = ca.Function("double", [x], [ca.sin(x) * 2], ["x"], ["y"])
    kernel = pk.Kernel(pk.Program(double, pk.stage(double, x="y", y="z"), outputs=("y", "z")))
    assert len(kernel.plan.stages) == 1
    assert kernel.llvm_text(4).count("@stage0(") == 3
    out = kernel([0.1, 0.2])
    np.testing.assert_allclose(out["z"], 2 * np.sin(2 * np.sin([0.1, 0.2])), rtol=1e-15)


@pytest.mark.parametrize("width", WIDTHS)
def test_iterate_stops_each_lane_by_itself(width: int) -> None:
    kernel = pk.Kernel(ROOT)
    a = np.concatenate([np.linspace(0.5, 1e6, 37), [27.0, 8.0]])
    arrays = [np.ones(39), a]
    got, _ = kernel._batches.run(arrays, kernel._batches.walk(arrays, None), width, None)
    want = np.array([python_root(1.0, float(value)) for value in a])
    assert same_bits(got["z"], want[:, 0].copy()).all()
    assert np.array_equal(got["steps"], want[:, 1])
    assert same_bits(got["residual"], want[:, 2].copy()).all()
    assert len(set(want[:, 1])) > 3, "lanes should need different numbers of steps"


def test_iterate_gives_up_at_its_limit() -> None:
    program = pk.Program(
        pk.iterate(pk.stage(NEWTON, z_next="z"), until="done", limit=3), outputs=("z", "steps", "done")
    )
    out = pk.Kernel(program)(z=[1.0, 3.0], a=[1e6, 27.0])
    assert out["steps"].tolist() == [3, 1]
    assert out["done"].tolist() == [0, 1]


@pytest.mark.parametrize("lead", [(), (1,), (6,), (2, 3)])
def test_scan_is_a_loop_over_ticks(lead: tuple[int, ...]) -> None:
    kernel = pk.Kernel(scan_program())
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(*lead, 2)), rng.normal(size=(*lead, 50))
    got = kernel(x=x, u=u, h=0.01)
    step = pk.Kernel(EULER)
    energy = np.empty((*lead, 50))
    for tick in range(50):
        for _ in range(4):
            x = step(x, u[..., tick], 0.01)["x_next"]
        energy[..., tick] = x[..., 1] ** 2 / 2 - np.cos(x[..., 0])
    assert same_bits(got["x"], x).all()
    np.testing.assert_allclose(got["energy"], energy, rtol=1e-14)


def test_scan_resumes_from_its_carry() -> None:
    kernel = pk.Kernel(scan_program())
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(5, 2)), rng.normal(size=(5, 90))
    whole = kernel(x=x, u=u, h=0.01)
    parts = []
    for block in np.split(u, [20, 21, 60], axis=1):
        out = kernel(x=x, u=block, h=0.01)
        x = out["x"]
        parts.append(out["energy"])
    assert same_bits(x, whole["x"]).all()
    assert same_bits(np.concatenate(parts, axis=1), whole["energy"]).all()


def test_scan_of_no_ticks_returns_its_carry() -> None:
    out = pk.Kernel(scan_program())(x=np.ones((3, 2)), u=np.ones((3, 0)), h=0.01)
    assert out["energy"].shape == (3, 0)
    np.testing.assert_array_equal(out["x"], np.ones((3, 2)))


def test_scan_without_arrays_takes_its_length_from_the_call() -> None:
    kernel = pk.Kernel(pk.Program(pk.scan(pk.stage(EULER, x_next="x")), outputs=("x",)))
    with pytest.raises(KernelInputError, match=r"ticks: expected a number of ticks \(ticks=...\), got nothing"):
        kernel(x=[0.1, 0.0], u=0.0, h=0.01)
    x = np.array([0.1, 0.0])
    for _ in range(5):
        x = pk.Kernel(EULER)(x, 0.0, 0.01)["x_next"]
    assert same_bits(kernel(x=[0.1, 0.0], u=0.0, h=0.01, ticks=5)["x"], x).all()


def test_one_array_for_all_lanes_is_not_copied_for_each() -> None:
    kernel = pk.Kernel(scan_program())
    u = np.random.default_rng(0).normal(size=40)
    x = np.random.default_rng(1).normal(size=(6, 2))
    got = kernel(x=x, u=u, h=0.01)
    for k in range(6):
        assert same_bits(got["x"][k], kernel(x=x[k], u=u, h=0.01)["x"]).all()


def test_a_lane_with_a_bad_tick_is_nan_from_there_on() -> None:
    kernel = pk.Kernel(scan_program())
    u = np.zeros((5, 30))
    u[2, 10] = np.nan
    out = kernel(x=np.ones((5, 2)), u=u, h=0.01)
    assert np.isnan(out["energy"][2, 10:]).all()
    assert np.isfinite(out["energy"][2, :10]).all()
    assert np.isnan(out["x"][2]).all()
    assert np.isfinite(np.delete(out["energy"], 2, axis=0)).all()
    with pytest.raises(KernelInputError, match="u: expected a finite number, got nan"):
        kernel(x=np.ones(2), u=u[2], h=0.01)


def test_different_numbers_of_ticks_are_refused() -> None:
    x, u, w = ca.SX.sym("x"), ca.SX.sym("u"), ca.SX.sym("w")
    step = ca.Function("step", [x, u, w], [x + u * w], ["x", "u", "w"], ["x_next"])
    kernel = pk.Kernel(pk.Program(pk.scan(pk.stage(step, x_next="x"), inputs=("u", "w")), outputs=("x",)))
    with pytest.raises(KernelInputError, match="w: expected 4 ticks, got 5"):
        kernel(x=0.0, u=np.ones(4), w=np.ones(5))


def test_bound_scan_runs_a_block_of_ticks() -> None:
    kernel = pk.Kernel(scan_program())
    bound = kernel.bind(ticks=3)
    bound.inputs["x"][:], bound.inputs["u"][:], bound.inputs["h"][...] = 0.1, [1.0, 2.0, 3.0], 0.01
    assert bound.run() == 0
    want = kernel(x=[0.1, 0.1], u=[1.0, 2.0, 3.0], h=0.01)
    assert same_bits(bound.outputs["energy"], want["energy"]).all()


def test_data_dependent_programs_have_no_single_function() -> None:
    with pytest.raises(UnsupportedModelError, match="iterations and scans are not one expression"):
        _ = pk.Kernel(ROOT).casadi


# What cannot be wired -------------------------------------------------------------------------------------------------


def function(inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    return ca.Function("f", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))


x2, x3, diagonal = ca.SX.sym("x", 2), ca.SX.sym("x", 3), ca.SX.sym("y", ca.Sparsity.diag(2))
SIMPLE = function({"x": x2}, {"y": 2 * x2})


@pytest.mark.parametrize(
    ("steps", "outputs", "message"),
    [
        ([SIMPLE, function({"y": x3}, {"z": x3})], ("z",), "signal 'y': is 3 x 1 here, 2 x 1 before"),
        ([SIMPLE], ("z",), "signal 'z': is asked for but never written; the stages write y"),
        ([pk.stage(SIMPLE, q="y")], ("y",), "signal 'q': f has no input or output of that name"),
        ([function({"x": x2}, {"y": x2, "z": x2}), pk.stage(function({"x": x2}, {"a": x2, "b": x2}), a="w", b="w")],
         ("y",), "signal 'w': written twice by f"),
        ([pk.repeat(0, SIMPLE)], ("y",), "at least once, got 0"),
        ([pk.iterate(SIMPLE, until="y", limit=3)], ("y",), "signal 'y': must be a single number"),
        ([pk.iterate(SIMPLE, until="q", limit=3)], ("y",), "signal 'q': is not written inside the iteration"),
        ([pk.iterate(NEWTON, until="done", limit=3, steps="z")], ("z",), "counts the steps of an iteration"),
        ([pk.shortcut(SIMPLE, SIMPLE, doubt="q")], ("y",), "signal 'q': is not written by the quick steps"),
        ([pk.shortcut(SIMPLE, SIMPLE, doubt="y")], ("y",), "signal 'y': must be a single number"),
        ([pk.shortcut(NEWTON, SIMPLE, doubt="done")], ("y",), "signal 'y': is written by sure steps, but not by"),
        ([pk.shortcut(NEWTON, pk.stage(NEWTON, a="residual"), doubt="done")], ("done",), "the sure ones cannot"),
        ([pk.repeat(2, pk.scan(SIMPLE))], ("y",), "a program has at most one scan, and not inside another loop"),
        ([pk.scan(SIMPLE), pk.scan(SIMPLE)], ("y",), "a program has at most one scan"),
        ([pk.scan(SIMPLE, inputs=("q",))], ("y",), "signal 'q': is an input of each tick"),
        ([pk.scan(SIMPLE, outputs=("q",))], ("y",), "signal 'q': is an output of each tick, but nothing"),
        ([pk.scan(SIMPLE, outputs=("y",))], ("y",), "signal 'y': is returned for each tick"),
        ([function({"x": x2}, {"y": ca.diag(x2) + 1}), function({"y": diagonal}, {"z": ca.diag(diagonal)})],
         ("z",), "signal 'y': has elements that a stage reading it takes for structurally zero"),
    ],
)  # fmt: skip
def test_programs_that_do_not_fit_are_refused(steps: list, outputs: tuple[str, ...], message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        pk.Kernel(pk.Program(*steps, outputs=outputs))


QUICK = function({"x": x2}, {"y": x2 + 1, "doubt": ca.if_else(x2[0] > 0, 0, ca.sqrt(x2[1]))})
SURE = function({"x": x2}, {"y": 10 * x2})


@pytest.mark.parametrize("width", WIDTHS)
def test_a_shortcut_is_taken_lane_by_lane(width: int, tmp_path: Path) -> None:
    """Where doubt is not zero, and where it is NaN; C and expressions have the sure way alone."""
    kernel = pk.Kernel(pk.Program(pk.shortcut(QUICK, SURE, doubt="doubt"), outputs=("y",)))
    x = np.random.default_rng(0).normal(size=(41, 2))
    x[:5] = [[1, 1], [-1, 0], [-1, 1e-300], [1, 2], [0, -1]]
    got, _ = kernel._batches.run([x], kernel._batches.walk([x], None), width, None)
    quick = (x[:, 0] > 0) | (x[:, 1] == 0)
    assert 5 < quick.sum() < 36
    np.testing.assert_array_equal(got["y"], np.where(quick[:, None], x + 1, 10 * x))
    np.testing.assert_array_equal(np.asarray(kernel.casadi([1.0, 2.0])).ravel(), [10.0, 20.0])
    assert kernel.operations == pk.Kernel(SURE).operations
    assert "+ 1.0" not in kernel.to_c(tmp_path).source.read_text()


def test_sure_steps_have_signals_of_their_own() -> None:
    """They may search where the quick steps guess; what they hold on the way is nobody else's."""
    x, a = ca.SX.sym("x"), ca.SX.sym("a")
    step = function({"w": x, "x": a}, {"next": (x + a / x) / 2, "done": ca.fabs(x * x - a) < 1e-15 * a})
    begin, end = function({"x": a}, {"w": 1 + a}), function({"w": x, "x": a}, {"y": x + 0 * a})
    sure = (begin, pk.iterate(pk.stage(step, next="w"), until="done", limit=60), end)
    quick = function({"x": a}, {"y": ca.sqrt(a), "doubt": a > 2})
    kernel = pk.Kernel(pk.Program(pk.shortcut([quick], sure, doubt="doubt"), outputs=("y",)))
    values = np.linspace(0.1, 9, 57)
    np.testing.assert_allclose(kernel(values)["y"], np.sqrt(values), rtol=1e-15)
    assert [socket.name for socket in kernel.inputs] == ["x"]
    for steps, outputs in (([], ("y", "w")), ([function({"w": x}, {"z": x})], ("z",))):
        with pytest.raises(ProgramError, match="signal 'w': is written by sure steps, but not by the quick ones"):
            pk.Kernel(pk.Program(pk.shortcut([quick], sure, doubt="doubt"), *steps, outputs=outputs))


def test_threads_survive_a_fork() -> None:
    """A child forked after threads were used makes its own."""
    script = """
import os, sys, numpy as np, casadi as ca, parakin as pk
x = ca.SX.sym("x", 8)
kernel = pk.Kernel(ca.Function("f", [x], [ca.sin(x)], ["x"], ["y"]))
states = np.ones((2_000_000, 8))
first = kernel(states, threads=2)["y"]
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(kernel(states, threads=2)["y"], first) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=120, check=False).returncode == 0
