"""Law 10, on random graphs: CasADi's bits where arithmetic has one right answer, true values where it rounds."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parakin.kernels import Kernel
from parakin.kernels.code import Code, number, read
from parakin.kernels.stage_text import LONGEST_STAGE
from tests.kernels.graphs import smooth_graph
from tests.support import SPECIAL, WIDTHS, arithmetic_graph, below_the_checks, casadi_values, same_bits

SEEDS = st.integers(0, 2**32 - 1)


def special_states(seed: int, count: int, size: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random((count, size)) < 0.5, rng.choice(SPECIAL, (count, size)), rng.normal(size=(count, size)))


@settings(max_examples=60)
@given(seed=SEEDS, size=st.integers(1, 120), width=st.sampled_from(WIDTHS))
def test_arithmetic_has_casadis_bits(seed: int, size: int, width: int) -> None:
    """Zeros, infinities, NaN and subnormals included; contraction and reciprocals off, below the checks."""
    function = arithmetic_graph(seed, size)
    kernel = Kernel(function, contraction=False, reciprocals=False)
    states = special_states(seed, 64, 6)
    got = below_the_checks(kernel, width)(states)[0]
    want = casadi_values(function, states)
    wrong = ~same_bits(got, want)
    assert not wrong.any(), (states[wrong.any(1)][0], got[wrong][0], want[wrong][0])


@settings(max_examples=30)
@given(seed=SEEDS, size=st.integers(1, 120))
def test_bits_do_not_depend_on_the_width(seed: int, size: int) -> None:
    """With everything on."""
    kernel = Kernel(arithmetic_graph(seed, size))
    states = special_states(seed, 16, 6)
    first, *others = (below_the_checks(kernel, width)(states)[0] for width in WIDTHS)
    for other in others:
        assert same_bits(first, other).all()


# Against 50 digits ----------------------------------------------------------------------------------------------------

TRUE_OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sq": lambda a: a * a,
    "twice": lambda a: 2 * a,
    "inv": lambda a: 1 / a,
    "sqrt": mpmath.sqrt,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "atan": mpmath.atan,
    "atan2": mpmath.atan2,
    "tanh": mpmath.tanh,
    "abs": abs,
    "fmin": min,
    "fmax": max,
}


def true_values(code: Code, state: np.ndarray) -> tuple[list[mpmath.mpf], mpmath.mpf]:
    """The outputs to 50 digits, and the largest intermediate."""
    values: list[mpmath.mpf] = []
    for node in code.nodes:
        if node.op == "const":
            values.append(mpmath.mpf(number(node)))
        elif node.op == "input":
            values.append(mpmath.mpf(float(state[node.place[1]])))
        else:
            values.append(TRUE_OPERATIONS[node.op](*(values[k] for k in node.args)))
    return [values[k] for k in code.outputs[0]], max(abs(v) for v in values)


@settings(max_examples=25)
@given(seed=SEEDS, size=st.integers(5, 80))
def test_fused_and_shared_results_are_as_accurate_as_casadis(seed: int, size: int) -> None:
    """The largest error over a graph's states: at most twice CasADi's own plus 1e-15 of the largest intermediate."""
    function = smooth_graph(seed, size)
    code = read(function)
    states = np.random.default_rng(seed).normal(size=(16, 6))
    got, theirs = Kernel(function)(states)["y"], casadi_values(function, states)
    error_got, error_theirs, largest = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0)
    with mpmath.workdps(50):
        for k, state in enumerate(states):
            want, size_of = true_values(code, state)
            largest = max(largest, size_of)
            error_got = max(error_got, *(abs(g - w) for g, w in zip(got[k].tolist(), want, strict=True)))
            error_theirs = max(error_theirs, *(abs(t - w) for t, w in zip(theirs[k].tolist(), want, strict=True)))
        if largest > 1e100:
            return
        assert error_got <= 2 * error_theirs + mpmath.mpf(1e-15) * largest, (seed, size)


@pytest.mark.parametrize("size", [3_000, 20_000])
def test_a_large_graph_has_casadis_bits_too(size: int) -> None:
    """Also where it is written as several functions that hand values on."""
    function = arithmetic_graph(size, size, inputs=20)
    kernel = Kernel(function, contraction=False, reciprocals=False)
    assert ("@stage0.1(" in kernel.llvm_text(4)) == (size > LONGEST_STAGE)
    states = np.random.default_rng(size).normal(size=(8, 20))
    assert same_bits(below_the_checks(kernel, 4)(states)[0], casadi_values(function, states)).all()
