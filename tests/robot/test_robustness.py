"""Kernels where things go wrong around them: interruptions, forks, small stacks, handlers, odd names and odd values."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.errors import CExportError, KernelInputError, ProgramError, UnsupportedModelError
from tests.c_code import selftest

a, b = ca.SX.sym("a"), ca.SX.sym("b")
PAIR = ca.Function("pair", [a, b], [a - b, a * b], ["a", "b"], ["p", "q"])
INCREMENT = ca.Function("increment", [a], [a + 1], ["a"], ["next"])


def python(script: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=timeout, check=False, text=True)


def test_an_interrupted_batch_writes_to_nobody_elses_memory() -> None:
    """The helper thread is still in its block when the caller has left."""
    script = """
import signal, threading, time, numpy as np, casadi as ca, parakin as pk, os
x, n = ca.SX.sym("x"), ca.SX.sym("n")
step = ca.Function("step", [x, n], [x * 0.999 + 1, x < 0], ["x", "n"], ["next", "done"])
kernel = pk.Kernel(pk.Program(pk.iterate(pk.stage(step, next="x"), until="done", limit=30_000_000), outputs=["x"]))
states = np.ones((2, ))
kernel.compile()
import parakin.kernels.batch_calls as module
module._BLOCK_WORK = 1
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    kernel(np.ones(16), 0.0, threads=2)
except KeyboardInterrupt:
    pass
del states
canaries = [np.zeros(16) for _ in range(2000)]
time.sleep(1.0)
assert not any(canary.any() for canary in canaries)
"""
    assert python(script).returncode == 0


def test_a_fork_while_another_thread_compiles_leaves_a_working_child() -> None:
    script = """
import os, threading, numpy as np, casadi as ca, parakin as pk
x = ca.SX.sym("x", 20)
values = [x[k] for k in range(20)]
for k in range(8000):
    values.append(values[-1] * values[-7] + 0.5 * values[k % 20])
large = pk.Kernel(ca.Function("large", [x], [values[-1]], ["x"], ["y"]))
small = pk.Kernel(ca.Function("small", [x], [2 * x], ["x"], ["y"]))
thread = threading.Thread(target=large.compile)
thread.start()
child = os.fork()
if child == 0:
    small(np.ones((9, 20)))
    os._exit(0)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
thread.join()
raise SystemExit(status)
"""
    assert python(script).returncode == 0


def test_a_large_model_runs_on_a_small_stack() -> None:
    """What parts of a stage hand on lies in the workspace, not on the stack."""
    x = ca.SX.sym("x", 2)
    values = [x[0] * float(k + 2) for k in range(3000)]
    total = x[1]
    for value in (*values, *reversed(values)):
        total = total * 0.5 + value
    kernel = pk.Kernel(ca.Function("wide", [x], [total], ["x"], ["y"]))
    assert "@stage0.1(" in kernel.llvm_text()
    want = kernel([1.0, 2.0])["y"]
    found: list[np.ndarray] = []
    before = threading.stack_size(128 * 1024)
    try:
        worker = threading.Thread(target=lambda: found.append(kernel(np.tile([1.0, 2.0], (9, 1)))["y"]))
        worker.start()
        worker.join()
    finally:
        threading.stack_size(before)
    assert (found[0] == want).all()


def test_a_kernel_may_be_called_while_it_is_being_called() -> None:
    kernel = pk.Kernel(INCREMENT)
    kernel(1.0)

    class Sly:
        def __array__(self, *_: object, **__: object) -> np.ndarray:
            assert kernel(8.0)["next"] == 9.0
            return np.array(1.0)

    assert kernel(Sly())["next"] == 2.0


def test_a_large_batch_at_exit_runs_without_helpers() -> None:
    script = """
import atexit, numpy as np, casadi as ca, parakin as pk
x = ca.SX.sym("x", 8)
kernel = pk.Kernel(ca.Function("f", [x], [ca.sin(x)], ["x"], ["y"]))
kernel(np.ones((9, 8)))
atexit.register(lambda: print(kernel(np.ones((2_000_000, 8)), threads=2)["y"][0, 0]))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout.startswith("0.84")
    assert not run.stderr


def test_without_a_home_nothing_is_cached_and_all_works() -> None:
    script = """
import os, pwd, warnings
for name in ("HOME", "XDG_CACHE_HOME", "PARAKIN_CACHE_DIR"):
    os.environ.pop(name, None)
def unknown(_): raise KeyError("uid not found")
pwd.getpwuid = unknown
import casadi as ca, parakin as pk
x = ca.SX.sym("x")
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    assert pk.Kernel(ca.Function("f", [x], [x + 1], ["x"], ["y"]))(1.0)["y"] == 2.0
assert "not cached" in str(seen[0].message)
"""
    assert python(script).returncode == 0


# Odd values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "status"), [(3.0, 3), (0.5, -1), (3e9, -1), (np.inf, -1), (-np.inf, -1)])
def test_a_status_that_is_no_integer_is_not_taken_for_good(value: float, status: int) -> None:
    said = ca.if_else(a > 0, value, 0.0)
    kernel = pk.Kernel(ca.Function("f", [a], [said], ["a"], ["status"]), status="status")
    assert kernel(1.0)["status"] == status
    assert kernel([1.0, -1.0])["status"].tolist() == [status, 0]


def test_a_masked_array_is_refused() -> None:
    with pytest.raises(KernelInputError, match="a: expected numbers everywhere, got a masked array"):
        pk.Kernel(INCREMENT)(np.ma.array([1.0, 2.0], mask=[False, True]))


@pytest.mark.parametrize("value", [[[1, 2], 3], ca.SX.sym("x")])
def test_the_first_call_refuses_as_clearly_as_later_ones(value: object) -> None:
    with pytest.raises(KernelInputError, match="a: expected"):
        pk.Kernel(INCREMENT)(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", [{"threads": 0}, {"threads": 1.5}, {"threads": "2"}, {"ticks": 5}])
def test_wrong_threads_and_ticks_are_refused_for_one_state_too(arguments: dict) -> None:
    with pytest.raises(KernelInputError, match=r"threads|ticks"):
        pk.Kernel(INCREMENT)(1.0, **arguments)


def test_what_no_tick_wrote_is_nan() -> None:
    kernel = pk.Kernel(pk.Program(pk.scan(INCREMENT), outputs=["next"]))
    assert np.isnan(kernel(np.arange(3.0), ticks=0)["next"]).all()
    with pytest.raises(KernelInputError, match="ticks: expected a whole number, at least 0, got -1"):
        kernel.bind(ticks=-1)


# Odd names ----------------------------------------------------------------------------------------------------------


def test_duplicate_names_are_refused() -> None:
    twice = ca.Function("f", [a, b], [a - b], ["x", "x"], ["y"], {"allow_duplicate_io_names": True})
    with pytest.raises(ProgramError, match="signal 'x': f has two ports of that name"):
        pk.Kernel(twice)
    with pytest.raises(ProgramError, match="signal 'p': is asked for twice"):
        pk.Kernel(pk.Program(PAIR, outputs=["p", "p"]))
    with pytest.raises(ProgramError, match="letters, digits and _"):
        pk.Kernel(pk.Program(pk.stage(PAIR, p="x'"), outputs=["q"]))


def test_an_input_may_be_named_self_and_a_signal_function() -> None:
    kernel = pk.Kernel(ca.Function("f", [a], [a + 1], ["self"], ["function"]))
    assert kernel(self=1.0)["function"] == 2.0
    program = pk.Program(pk.stage(kernel.casadi, function="y"), outputs="y")
    assert pk.Kernel(program)(1.0)["y"] == 2.0


def test_one_name_needs_no_tuple() -> None:
    assert pk.Kernel(INCREMENT, matrices="next")(1.0)["next"].shape == (1, 1)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: pk.Kernel(a), UnsupportedModelError),  # type: ignore[arg-type]
        (lambda: pk.Kernel(INCREMENT, status=""), UnsupportedModelError),
        (lambda: pk.Program(pk.repeat(2.5, INCREMENT), outputs="next"), ProgramError),  # type: ignore[arg-type]
        (lambda: pk.Program(pk.repeat(2, pk.Kernel(INCREMENT)), outputs="next"), ProgramError),  # type: ignore[arg-type]
        (lambda: pk.Kernel(pk.Program(outputs=())), ProgramError),
        (
            lambda: pk.Kernel(
                pk.Program(INCREMENT, pk.scan(pk.stage(INCREMENT, next="c"), outputs="next"), outputs=())
            ),
            ProgramError,
        ),
        (
            lambda: pk.Kernel(pk.Program(pk.scan(INCREMENT, inputs="a"), pk.stage(INCREMENT, next="c"), outputs="c")),
            ProgramError,
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()  # type: ignore[operator]


# C ------------------------------------------------------------------------------------------------------------------

ROWS = {"a": np.linspace(0, 1, 40), "b": np.linspace(1, 2, 40)}
k, s_k, res = ca.SX.sym("k"), ca.SX.sym("s_k"), ca.SX.sym("res")
HALVE = ca.Function("halve", [k], [k / 2, k < 1e-3, k], ["k"], ["next", "done", "res"])
C_CASES: dict[str, tuple[pk.Kernel, dict[str, np.ndarray] | None]] = {
    "outputs_in_another_order": (pk.Kernel(pk.Program(PAIR, outputs=["q", "p"])), ROWS),
    "one_of_two_outputs": (pk.Kernel(pk.Program(PAIR, outputs=["q"])), ROWS),
    "one_signal_for_two_inputs": (pk.Kernel(pk.Program(pk.stage(PAIR, a="x", b="x"), outputs=["p", "q"])), None),
    "counters_as_names": (
        pk.Kernel(
            pk.Program(
                pk.iterate(pk.stage(HALVE, next="k"), until="done", limit=20, residual="res"),
                ca.Function("f", [k, s_k], [k + s_k], ["k", "s_k"], ["i"]),
                outputs=["k", "i", "res"],
            )
        ),
        None,
    ),
    "iterate_in_scan": (
        pk.Kernel(
            pk.Program(
                pk.scan(pk.iterate(pk.stage(HALVE, next="k"), until="done", limit=20, residual="res"), outputs="steps"),
                outputs=["k", "res"],
            )
        ),
        None,
    ),
    "carry_only": (pk.Kernel(pk.Program(pk.scan(pk.stage(INCREMENT, next="a")), outputs="a")), None),
    "no_inputs": (pk.Kernel(ca.Function("constant", [], [ca.SX(3.0)], [], ["y"])), None),
    "empty_ports": (
        pk.Kernel(ca.Function("f", [a, ca.SX.sym("e", 0)], [a, ca.SX(0, 1)], ["a", "e"], ["y", "n"])),
        None,
    ),
    "macros_as_names": (
        pk.Kernel(ca.Function("f", [a, b], [a + b, a * b], ["HUGE_VAL", "_Bool_"], ["NULL_", "state"])),
        None,
    ),
    "units_beyond_ascii": (pk.Kernel(PAIR, units={"a": "N·m */", "p": "°"}), None),
}


@pytest.mark.parametrize("name", C_CASES)
def test_c_is_right_for_odd_programs_too(name: str, tmp_path: Path) -> None:
    kernel, samples = C_CASES[name]
    kernel.to_c(tmp_path, name, samples=samples, tolerance=np.float64(1e-12))
    run = selftest(tmp_path, name)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("name", ["hypot", "round", "printf", "fabsf", "exit", "NULL", "double"])
def test_names_of_the_standard_library_are_refused_for_c(name: str, tmp_path: Path) -> None:
    with pytest.raises(CExportError, match="is no name for a C function"):
        pk.Kernel(PAIR).to_c(tmp_path, name)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ({"a": 1.0, "b": 1.0}, r"samples of a must have shape \(count\)"),
        ({"a": np.ones(8), "b": np.ones(8)}, "count >= 32"),
        ({"a": np.ones(40), "b": np.ones(50)}, "samples of b must have shape"),
        ({"a": np.ones(40), "b": np.ones(40), "c": np.ones(40)}, "samples have c, which is no input"),
    ],
)
def test_wrong_samples_are_refused(samples: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(CExportError, match=message):
        pk.Kernel(PAIR).to_c(tmp_path, samples=samples)


def test_a_kernel_without_outputs_is_nothing_in_c(tmp_path: Path) -> None:
    with pytest.raises(CExportError, match="has no outputs"):
        pk.Kernel(ca.Function("f", [a], [], ["a"], [])).to_c(tmp_path)
