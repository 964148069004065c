"""Single precision: what kernels make of a model rounded after each operation is what numpy's float32 makes of it."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parakin.arrays import Array
from parakin.errors import UnsupportedOperationError
from parakin.kernels import Kernel, Program, iterate, repeat, scan, stage
from parakin.kernels.c_single import literal, narrowed
from parakin.kernels.single import FARTHEST_ANGLE
from tests.wasm_modules import WasmKernel, same_numbers

FUNCTIONS = {
    "sin": (ca.sin, np.sin),
    "cos": (ca.cos, np.cos),
    "tan": (ca.tan, np.tan),
    "asin": (ca.asin, np.arcsin),
    "acos": (ca.acos, np.arccos),
    "atan": (ca.atan, np.arctan),
}
LAST_DIGITS = 4.0
"""How many units of its last digit a function may be off: some three roundings, and one of a function in double."""


def kernel(expression: ca.SX, *symbols: ca.SX) -> Kernel:
    names = [f"x{k}" for k in range(len(symbols))]
    return Kernel(Program.of(ca.Function("f", list(symbols), [expression], names, ["y"])).in_single())


def narrow(values: Array) -> Array:
    return values.astype(np.float32).astype(float)


def off(found: Array, expected: Array) -> float:
    """The largest difference, in units of the last digit of what is expected."""
    return float(np.max(np.abs(found - expected) / np.spacing(np.abs(expected).astype(np.float32))))


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=4, max_size=4))
def test_arithmetic_is_that_of_float32(values: list[float]) -> None:
    a, b, c, d = ARITHMETIC_SYMBOLS
    found = ARITHMETIC(*values)["y"]
    with np.errstate(all="ignore"):
        a, b, c, d = np.array(values, np.float32)
        expected = np.array(
            [a + b * c, (a - d) / c, np.sqrt(np.abs(b)) * d, -a + np.float32(0.1) * b, 1 / d + 2 * a, a * a - b * b]
        )
    assert same_numbers(np.asarray(found), expected.astype(float)).all()


ARITHMETIC_SYMBOLS = tuple(ca.SX.sym("abcd"[k]) for k in range(4))


def _arithmetic() -> Kernel:
    a, b, c, d = ARITHMETIC_SYMBOLS
    listed = [a + b * c, (a - d) / c, ca.sqrt(ca.fabs(b)) * d, -a + 0.1 * b, 1 / d + 2 * a, a * a - b * b]
    return kernel(ca.vertcat(*listed), a, b, c, d)


ARITHMETIC = _arithmetic()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_right_to_some_last_digits(name: str) -> None:
    written, known = FUNCTIONS[name]
    x = ca.SX.sym("x")
    rng = np.random.default_rng(0)
    near = rng.uniform(-1, 1, 5000) if name in ("asin", "acos") else rng.uniform(-4, 4, 5000)
    far = near if name in ("asin", "acos") else rng.uniform(-FARTHEST_ANGLE, FARTHEST_ANGLE, 5000)
    values = narrow(np.concatenate([near, far]))
    assert off(kernel(written(x), x)(values)["y"], known(values)) < LAST_DIGITS


def test_the_angle_of_a_point_is_right_in_every_octant_and_on_every_axis() -> None:
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    at = kernel(ca.atan2(y, x), x, y)
    axis = np.array([0.0, -0.0, 1.0, -1.0, 1e-20, -3e15])
    points = np.concatenate(
        [np.random.default_rng(1).normal(size=(5000, 2)), np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)]
    )
    points = narrow(points)
    expected = np.arctan2(points[:, 1], points[:, 0])
    found = at(points[:, 0], points[:, 1])["y"]
    assert (np.signbit(found) == np.signbit(expected)).all()
    assert (found[expected == 0.0] == 0.0).all()
    assert off(found[expected != 0.0], expected[expected != 0.0]) < LAST_DIGITS


def test_programs_with_loops_run_in_single_precision_too() -> None:
    x, a = ca.SX.sym("x"), ca.SX.sym("a")
    step = stage(ca.Function("step", [x, a], [(x + a / x) / 2], ["x", "a"], ["next_x"]), next_x="x")
    done = ca.Function("done", [x, a], [ca.fabs(x * x - a) < 3e-7], ["x", "a"], ["done"])
    for loop in (repeat(6, step), iterate(step, done, until="done", limit=20)):
        found = Kernel(Program(loop, outputs=("x",), name="root").in_single())(x=1.0, a=2.0)["x"]
        assert float(found) == float(np.sqrt(np.float32(2)))
    ticks = Kernel(Program(scan(step, inputs="a"), outputs=("x",), name="roots").in_single())(x=1.0, a=np.full(6, 2.0))
    assert float(ticks["x"]) == float(np.sqrt(np.float32(2)))


def test_webassembly_and_c_round_alike(tmp_path: Path) -> None:
    x = ca.SX.sym("x", 3)
    function = ca.Function("f", [x], [ca.sin(x[0]) / x[1] + ca.atan2(x[2], x[0])], ["x"], ["y"])
    rounding = Kernel(Program.of(function).in_single(), contraction=False)
    points = np.random.default_rng(2).normal(size=(200, 3))
    assert same_numbers(np.asarray(rounding(points)["y"]), WasmKernel(rounding.to_wasm())(x=points)["y"]).all()
    source = rounding.to_c(tmp_path, "f").source.read_text()
    assert "(double)(float)" in source


def test_a_function_that_is_not_written_is_refused() -> None:
    x = ca.SX.sym("x")
    with pytest.raises(UnsupportedOperationError, match=r"f in single precision.*exp"):
        kernel(ca.exp(x), x)(1.0)


def test_text_is_narrowed_word_by_word() -> None:
    wide = "const double t1 = pick(t0, 1.0, 2.5e-07) * sqrt(x[10]); /* 0 or 1. */ const uint64_t b = 0u;"
    short = "const float t1 = pick(t0, 1.0f, 2.5e-07f) * sqrtf(x[10]); /* 0 or 1. */ const uint32_t b = 0u;"
    assert narrowed(wide) == short


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_constants_come_back(value: float) -> None:
    text = literal(value)
    assert text.endswith("f")
    assert np.float32(text[:-1]) == np.float32(value)


def test_constants_beyond_single_precision_are_infinite() -> None:
    assert literal(1e39) == "INFINITY"
    assert literal(-1e39) == "-INFINITY"
    assert literal(float("nan")) == "NAN"
