"""Calling a kernel: names, positions, shapes, batches, and every way to get it wrong."""

from __future__ import annotations

import ctypes
import mmap
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.errors import KernelError, KernelInputError, UnsupportedModelError, UnsupportedOperationError
from parakin.kernels import compiler
from parakin.kernels.arguments import address
from tests.kernels.graphs import FUNCTION, draw
from tests.support import WIDTHS, same_bits

KERNEL = pk.Kernel(FUNCTION)
NUMBERS = [ca.SX.sym("a"), ca.SX.sym("b")]
PAIR = pk.Kernel(ca.Function("pair", NUMBERS, [NUMBERS[0] * NUMBERS[1]], ["a", "b"], ["product"]))


def reference(x: np.ndarray, s: np.ndarray, a: np.ndarray) -> dict[str, np.ndarray]:
    """The same model in numpy."""
    product = np.einsum("...ij,...j->...i", a, x)
    low = np.zeros((*product.shape[:-1], 2, 2))
    low[..., 0, 0], low[..., 1, 0] = s, np.sin(product[..., 1])
    return {
        "y": product * s[..., None],
        "e": np.sum(x * x, -1),
        "P": x[..., :, None] * x[..., None, :],
        "L": low,
    }


def assert_close(got: dict[str, np.ndarray], want: dict[str, np.ndarray]) -> None:
    assert list(got) == list(want)
    for name, value in want.items():
        assert got[name].shape == value.shape, name
        np.testing.assert_allclose(got[name], value, rtol=1e-13, atol=1e-14, err_msg=name)


W = compiler.host().width


@pytest.mark.parametrize("lead", [(), (0,), (1,), (W - 1,), (W,), (W + 1,), (1000,), (2, 3), (5, 0), (3, 1, 4)])
def test_outputs_have_the_batch_shape_and_the_right_values(lead: tuple[int, ...]) -> None:
    x, s, a = draw(*lead)
    assert_close(KERNEL(x, s, a), reference(x, np.asarray(s), a))


def test_addresses_are_those_that_numpy_tells() -> None:
    """They are read where numpy's C API has them, of views and read-only arrays too."""
    whole = np.arange(24.0).reshape(4, 6)
    locked = whole[1:]
    locked.flags.writeable = False
    buffer = np.frombuffer(b"12345678" * 3)
    mapped = np.arange(5, dtype=np.int32).view(np.recarray)
    for array in (whole, whole[2:, ::-2], locked, whole[:0], buffer, mapped, np.float64(2.0) + np.zeros(())[None]):
        assert address(array) == array.__array_interface__["data"][0]


def test_names_positions_and_lists_mix() -> None:
    x, s, a = draw()
    want = reference(x, s, a)
    assert_close(KERNEL(x, A=a, s=s), want)
    assert_close(KERNEL(x.tolist(), float(s), a.tolist()), want)
    assert_close(KERNEL(x.astype(np.float32), s, a), reference(x.astype(np.float32).astype(float), s, a))
    assert_close(KERNEL([1, 2, 3], 2, np.zeros((2, 3), int)), reference(np.array([1.0, 2, 3]), np.array(2.0), a * 0))


@pytest.mark.parametrize("lead", [(), (3,)])
def test_names_in_any_order_give_what_positions_give(lead: tuple[int, ...]) -> None:
    x, s, a = draw(*lead)
    assert_close(KERNEL(A=a, s=s, x=x), KERNEL(x, s, a))
    double = pk.Kernel(ca.Function("double", NUMBERS[:1], [2 * NUMBERS[0]], ["a"], ["twice"]))
    np.testing.assert_array_equal(double(a=s)["twice"], 2 * s)
    with pytest.raises(KernelInputError, match="double: b: expected an input among a, got an unknown name"):
        double(b=s)


def test_leading_shapes_broadcast_between_inputs() -> None:
    x, _, a = draw(7, 1)
    s = np.arange(5.0)
    full = np.broadcast_to(x, (7, 5, 3)), np.broadcast_to(s, (7, 5)), np.broadcast_to(a, (7, 5, 2, 3))
    assert_close(KERNEL(x, s, a), reference(*full))


SIZES = st.integers(1, 5)


@given(lead=st.lists(SIZES, min_size=1, max_size=3).map(tuple), vector=st.booleans())
def test_a_column_of_numbers_beside_a_batch_is_refused(lead: tuple[int, ...], vector: bool) -> None:
    """s (N, 1) with x (N, 3) must not become N x N states, nor with another number given as (N,)."""
    x, s, a = draw(*lead)
    remedy = rf"drop the last one by \[{':, ' * len(lead)}0\]"
    with pytest.raises(KernelInputError, match=rf": s: expected one number for each state, .*{remedy}.* got shape \("):
        KERNEL(x if vector else x[(0,) * len(lead)], s[..., None], a)
    with pytest.raises(KernelInputError, match=rf"pair: b: .*{remedy}"):
        PAIR(s, s[..., None])
    assert KERNEL(x, s[..., None][..., 0], a)["e"].shape == lead


@given(first=SIZES, second=SIZES)
def test_a_batch_is_never_larger_than_axes_were_asked_for(first: int, second: int) -> None:
    """Numbers give a batch an axis only where another input has that axis too, or where nothing else has one."""
    a, b = np.arange(1.0, first + 1), np.arange(1.0, second + 1)
    np.testing.assert_array_equal(PAIR(a[:, None], b[None, :])["product"], np.outer(a, b))
    np.testing.assert_array_equal(PAIR(a[:, None], 2.0)["product"], 2 * a[:, None])
    np.testing.assert_array_equal(PAIR(a[:, None], a[:, None])["product"], (a * a)[:, None])
    with pytest.raises(KernelInputError, match="pair: a: expected one number for each state"):
        PAIR(a[:, None], b)
    x, s, matrix = draw(first, 1)
    assert KERNEL(x, b, matrix)["y"].shape == (first, second, 2)
    assert KERNEL(x, s, matrix[0, 0])["y"].shape == (first, 1, 2)


@settings(max_examples=40)
@given(
    order=st.permutations(range(4)),
    steps=st.tuples(*[st.sampled_from([1, 2, -1])] * 4),
    lead=st.tuples(st.integers(1, 6), st.integers(1, 6)),
)
def test_any_strides_give_the_same_bits(order: list[int], steps: tuple[int, ...], lead: tuple[int, int]) -> None:
    """Transposed, sliced, reversed and Fortran-ordered views are read where they are."""
    x, s, a = draw(*lead)
    stored = np.empty(tuple(a.shape[k] * abs(steps[k]) for k in order))
    view = stored.transpose(np.argsort(order))[tuple(slice(None, None, step) for step in steps)]
    view[...] = a
    assert view.shape == a.shape
    want, got = KERNEL(x, s, a), KERNEL(np.asfortranarray(x), s, view)
    for name in want:
        assert same_bits(want[name], got[name]).all()


@settings(max_examples=20)
@given(count=st.integers(1, 40), threads=st.integers(1, 5), width=st.sampled_from(WIDTHS), seed=st.integers(0, 99))
def test_bits_do_not_depend_on_split_or_width(count: int, threads: int, width: int, seed: int) -> None:
    arrays = draw(count, seed=seed)
    alone = [KERNEL(*(array[k] for array in arrays)) for k in range(count)]
    got, _ = KERNEL._batches.run(arrays, KERNEL._batches.walk(arrays, None), width, threads)
    for name in got:
        assert same_bits(got[name], np.array([one[name] for one in alone])).all()


def test_a_batch_large_enough_for_threads_is_the_same_for_any_number_of_them() -> None:
    arrays = draw(3_000_000)
    one = KERNEL(*arrays, threads=1)
    for threads in (2, 3, None):
        many = KERNEL(*arrays, threads=threads)
        assert all(same_bits(one[name], many[name]).all() for name in one)


def test_a_kernel_serves_many_threads_at_once() -> None:
    arrays = draw(200)
    want = KERNEL(*arrays)["y"]
    wrong: list[int] = []

    def work() -> None:
        for k in range(200):
            got = KERNEL(*(array[k] for array in arrays))["y"]
            if not same_bits(got, want[k]).all():
                wrong.append(k)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.skipif(sys.platform != "linux", reason="guards a page with mprotect")
@pytest.mark.parametrize("count", [2, W - 1, W, W + 1, 3 * W + 2])
def test_nothing_is_read_beyond_an_array(count: int) -> None:
    """The array ends where a page begins that must not be touched."""
    x, s, a = draw(count)
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(address + page), page, 0) == 0
    guarded = np.frombuffer(memory, np.float64, x.size, page - 8 * x.size).reshape(x.shape)
    guarded[:] = x
    want, got = KERNEL(x, s, a), KERNEL(guarded, s, a)
    assert all(same_bits(want[name], got[name]).all() for name in want)


def test_declared_matrices_keep_both_dimensions() -> None:
    x, s, a = draw(4)
    kernel = pk.Kernel(FUNCTION, matrices=("x", "e"))
    out = kernel(x[..., None], s, a)
    assert out["e"].shape == (4, 1, 1)
    np.testing.assert_array_equal(out["y"], KERNEL(x, s, a)["y"])


def test_empty_ports_are_allowed() -> None:
    x, none = ca.SX.sym("x", 2), ca.SX.sym("none", 0)
    kernel = pk.Kernel(ca.Function("f", [x, none], [2 * x, none], ["x", "none"], ["y", "nothing"]))
    out = kernel(np.ones((5, 2)), np.ones((5, 0)))
    assert out["y"].shape == (5, 2)
    assert out["nothing"].shape == (5, 0)


# What is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((), {}, r"model: x: expected an array of shape \(\.\.\., 3\), got nothing"),
        ((np.ones(3), 1.0, np.zeros((2, 3)), 1.0), {}, r"arguments: expected at most 3 \(x, s, A\), got 4"),
        ((np.ones(3), 1.0), {"B": np.zeros((2, 3))}, "B: expected an input among x, s, A, got an unknown name"),
        ((), {"x": 1.0, "s": 1.0, "B": 1.0}, "B: expected an input among x, s, A, got an unknown name"),
        ((np.ones(3), 1.0), {"x": np.ones(3)}, "x: expected one value, got a position and a name"),
        ((np.ones(4), 1.0, np.zeros((2, 3))), {}, r"x: expected shape \(\.\.\., 3\), got shape \(4,\)"),
        ((np.ones(3), 1.0, np.zeros((3, 2))), {}, r"A: expected shape \(\.\.\., 2, 3\), got shape \(3, 2\)"),
        ((1.0, 1.0, np.zeros((2, 3))), {}, r"x: expected shape \(\.\.\., 3\), got shape \(\)"),
        ((np.ones(3) * 1j, 1.0, np.zeros((2, 3))), {}, "x: expected real numbers, got dtype complex128"),
        ((np.array([1, 2, None]), 1.0, np.zeros((2, 3))), {}, "x: expected real numbers, got dtype object"),
        ((["a", "b", "c"], 1.0, np.zeros((2, 3))), {}, "x: expected real numbers, got dtype <U1"),
        (([[1, 2], 3], 1.0, np.zeros((2, 3))), {}, "x: expected a rectangular array of real numbers"),
        ((np.ones((4, 3)), np.ones(5), np.zeros((2, 3))), {}, r"batch: expected leading shapes that broadcast, got x"),
        (
            (np.ones((4, 3)), 1.0, np.zeros((2, 3))),
            {"threads": 0},
            "threads: expected a whole number, at least 1, got 0",
        ),
        (
            (np.ones((4, 3)), 1.0, np.zeros((2, 3))),
            {"ticks": 4},
            "ticks: expected nothing, for the program has no scan",
        ),
        (([1, np.nan, 3], 1.0, np.zeros((2, 3))), {}, r"x\[1\]: expected a finite number, got nan"),
        (([1, 2, 3], -np.inf, np.zeros((2, 3))), {}, "s: expected a finite number, got -inf"),
        (([1, 2, 3], 1.0, np.ones((2, 3))), {}, r"A\[0\]\[1\]: expected 0, for the model has a structural zero there"),
    ],
)
def test_wrong_calls_say_what_was_expected(args: tuple, named: dict, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        KERNEL(*args, **named)


def test_bad_rows_of_a_batch_come_out_nan_and_the_others_right() -> None:
    x, s, a = draw(50)
    want = KERNEL(x, s, a)
    x[3, 1], s[17], a[40, 0, 1] = np.nan, np.inf, 1.0
    got = KERNEL(x, s, a)
    bad = [3, 17, 40]
    good = np.setdiff1d(np.arange(50), bad)
    for name in want:
        assert np.isnan(got[name][bad]).all()
        assert same_bits(got[name][good], want[name][good]).all()


def test_a_status_is_an_integer_and_minus_one_for_bad_rows() -> None:
    x = ca.SX.sym("x")
    kernel = pk.Kernel(ca.Function("f", [x], [ca.sqrt(x), x < 0], ["x"], ["y", "status"]), status="status")
    out = kernel([4.0, -1.0, np.nan])
    assert out["status"].dtype == np.int32
    assert out["status"].tolist() == [0, 1, -1]
    assert int(kernel(4.0)["status"]) == 0


def test_models_that_cannot_be_kernels_are_refused() -> None:
    x = ca.SX.sym("x")
    with pytest.raises(UnsupportedOperationError, match="f: operation OP_ERF is not supported; supported are OP_ADD"):
        pk.Kernel(ca.Function("f", [x], [ca.erf(x)]))
    with pytest.raises(UnsupportedModelError, match=r"f: has no 'z'; it has x, y"):
        pk.Kernel(ca.Function("f", [x], [x], ["x"], ["y"]), matrices=("z",))
    with pytest.raises(UnsupportedModelError, match=r"f: has no 'x'; it has y"):
        pk.Kernel(ca.Function("f", [x], [x], ["x"], ["y"]), status="x")
    with pytest.raises(UnsupportedModelError, match="an input cannot be named 'threads'"):
        pk.Kernel(ca.Function("f", [x], [x], ["threads"], ["y"]))


def test_mx_functions_are_expanded_or_refused() -> None:
    x = ca.MX.sym("x", 2)
    out = pk.Kernel(ca.Function("f", [x], [ca.sin(x)], ["x"], ["y"]))([0.0, 1.0])
    np.testing.assert_allclose(out["y"], np.sin([0.0, 1.0]), rtol=1e-15)
    matrix = ca.MX.sym("matrix", 3, 3)
    with pytest.raises(UnsupportedModelError, match="f: cannot be expanded to an SX graph"):
        pk.Kernel(ca.Function("f", [matrix], [ca.inv(matrix)]))
    solver = ca.rootfinder("solver", "newton", {"x": (z := ca.SX.sym("z")), "g": z**2 - 2})
    with pytest.raises(UnsupportedOperationError, match="solver: operation OP_CALL is not supported"):
        pk.Kernel(solver)


def test_errors_carry_their_data_and_survive_pickling() -> None:
    with pytest.raises(KernelError) as caught:
        KERNEL(np.ones(3), 1.0, B=1.0)
    error = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(error, KernelInputError)
    assert (error.kernel, error.name) == ("model", "B")
    assert str(error) == str(caught.value)
    unsupported = pickle.loads(pickle.dumps(UnsupportedOperationError("f", "OP_ERF", ("OP_ADD",))))
    assert unsupported.operation == "OP_ERF"


def test_kernels_can_be_pickled() -> None:
    x, s, a = draw(4)
    copy = pickle.loads(pickle.dumps(pk.Kernel(FUNCTION, matrices=("e",), units={"x": "m"}, reciprocals=False)))
    assert copy.units == {"x": "m"}
    assert copy(x, s, a)["e"].shape == (4, 1, 1)


def test_repr_shows_the_signature() -> None:
    assert (
        repr(KERNEL)
        == "Kernel(model: x(..., 3), s(...), A(..., 2, 3) -> y(..., 2), e(...), P(..., 3, 3), L(..., 2, 2))"
    )


# Bound to arrays -----------------------------------------------------------------------------------------------------


def test_bound_arrays_are_read_and_written_in_place() -> None:
    x, s, a = draw()
    bound = KERNEL.bind()
    bound.inputs["x"][:], bound.inputs["s"][...], bound.inputs["A"][:] = x, s, a
    y = bound.outputs["y"]
    assert bound.run() == 0
    np.testing.assert_array_equal(y, KERNEL(x, s, a)["y"])
    bound.inputs["x"][0] = np.nan
    assert bound.run() == 1
    assert np.isnan(y).all()


def test_run_alone_keeps_alive_what_it_works_on() -> None:
    x = ca.SX.sym("x", 1000)
    bound = pk.Kernel(ca.Function("f", [x], [x + 1], ["x"], ["y"])).bind()
    run, y = bound.run, bound.outputs["y"]
    del bound
    junk = [np.full(1000, 7.0) for _ in range(100)]
    assert run() == 0
    assert (y == 1.0).all()
    assert len(junk) == 100


def test_two_bindings_are_apart() -> None:
    first, second = KERNEL.bind(), KERNEL.bind()
    first.inputs["x"][:] = 1.0
    second.inputs["x"][:] = 2.0
    first.run()
    second.run()
    assert first.outputs["e"] == 3.0
    assert second.outputs["e"] == 12.0


@pytest.mark.parametrize(
    "form",
    [
        lambda x: np.repeat(x, 2)[::2],  # numbers that are not side by side
        lambda x: x.astype(">f8"),
        lambda x: x.astype(np.float32).astype(np.float64),
        lambda x: x.astype(np.float32),
        lambda x: x.tolist(),
        np.ma.masked_array,
    ],
)
def test_the_quickest_way_gives_what_a_call_gives_or_leaves_it_to_it(form: Callable[[np.ndarray], object]) -> None:
    x = ca.SX.sym("x", 3)
    kernel = pk.Kernel(ca.Function("f", [x], [2 * x, x[0] < 0], ["x"], ["y", "status"]), status="status")
    value: Any = form(np.array([1.0, 2.5, -3.0]))
    wanted = kernel(value)["y"]
    found = kernel.direct("y")([value])
    assert found is None or np.array_equal(found, wanted)
    plain = type(value) is np.ndarray and value.dtype == np.dtype(np.float64).newbyteorder("=")
    assert (found is not None) == (plain or type(value) in (list, tuple))
    for other in (
        np.zeros(2),
        np.zeros((1, 3)),
        np.zeros(3, int),
        np.array([np.nan, 0, 0]),
        np.array([-1.0, 0, 0]),
        [1.0, 2.0],
        [[1.0, 2.0, 3.0]],
        [1.0, "2", 3.0],
        [1.0, 2j, 3.0],
        [1.0, None, 3.0],
        [1.0, 10**400, 0.0],
    ):
        assert kernel.direct("y")([other]) is None
