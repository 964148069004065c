"""One state and a few of them, through arrays that are bound before: the same bits, checks and messages."""

from __future__ import annotations

import threading

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.errors import KernelInputError
from parakin.kernels.batch_calls import FEW


def model() -> pk.Kernel:
    x, s = ca.SX.sym("x", 3), ca.SX.sym("s")
    good = ca.if_else(ca.norm_2(x) < 10, 0, 2)
    outputs = [ca.sin(x) * s + ca.exp(-(s**2)), x @ x.T, good]
    return pk.Kernel(ca.Function("f", [x, s], outputs, ["x", "s"], ["y", "M", "status"]), status="status")


def states(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count)
    return rng.normal(size=(count, 3)), rng.normal(size=count)


@pytest.mark.parametrize("count", [2, 3, 7, 8, 9, 63, FEW, FEW + 1])
def test_a_few_states_have_the_bits_of_any_batch(count: int) -> None:
    kernel, (x, s) = model(), states(count)
    x[0, 1] = np.nan
    x[-1] *= 100
    got, want = kernel(x, s), kernel(x, s, threads=1)  # asking for threads is a general call
    for name, values in want.items():
        assert got[name].dtype == values.dtype
        assert got[name].shape == values.shape
        assert np.array_equal(got[name], values, equal_nan=True)
    assert got["status"][0] == -1
    assert got["status"][-1] == 2


def test_results_of_a_call_are_nobody_elses() -> None:
    kernel, (x, s) = model(), states(5)
    first = kernel(x, s)
    kept = {name: values.copy() for name, values in first.items()}
    kernel(x + 1, s)
    assert all(np.array_equal(first[name], kept[name]) for name in kept)
    assert all(values.flags.owndata for values in first.values())


def test_views_and_readers_of_other_memory_are_taken_as_they_are() -> None:
    kernel, (x, s) = model(), states(6)
    wide = np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)
    got = kernel(wide[::2, ::2], s[::-1][::-1])["y"]
    assert np.array_equal(got, kernel(x, s)["y"])


def test_shapes_and_types_that_do_not_fit_are_refused_in_the_same_words() -> None:
    kernel, (x, s) = model(), states(4)
    with pytest.raises(KernelInputError, match=r"x.*shape \(\.\.\., 3\)"):
        kernel(x[:, :2], s)
    with pytest.raises(KernelInputError, match="leading shapes that broadcast"):
        kernel(x, s[:3])
    with pytest.raises(KernelInputError, match="real numbers"):
        kernel(x.astype(complex), s)
    assert np.array_equal(kernel(x.astype(np.float32).astype(float), s)["y"], kernel(x.astype(np.float32), s)["y"])


def test_a_direct_call_answers_for_good_states_alone() -> None:
    kernel, (x, s) = model(), states(1)
    one = [x[0], np.array(s[0])]
    direct = kernel.direct("y")
    assert direct(one) is None  # nothing is bound yet
    want = kernel(*one)["y"]
    got = direct(one)
    assert got is not None
    assert np.array_equal(got, want)
    assert got.flags.owndata
    for other in (
        one[:1],
        [*one, one[1]],
        [one[0].astype(np.float32), one[1]],
        [one[0].tolist(), one[1]],
        [one[0][:2], one[1]],
        [x, s],
        [one[0] * np.nan, one[1]],
        [one[0] * 1e60, one[1]],
        [one[0] + 100.0, one[1]],
    ):
        assert direct(other) is None
    again = direct(one)
    assert again is not None
    assert np.array_equal(again, want)


def test_threads_that_call_at_once_get_their_own_results() -> None:
    kernel = model()
    wrong: list[int] = []

    def work(seed: int) -> None:
        x, s = states(seed)
        want = kernel(x, s, threads=1)["y"]
        for _ in range(300):
            if not np.array_equal(kernel(x, s)["y"], want):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (2, 5, 17, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
