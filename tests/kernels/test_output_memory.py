"""Large outputs: memory used again and only when nobody holds it, lines written past the caches with the same bits."""

from __future__ import annotations

import gc
import os

import casadi as ca
import numpy as np
import pytest

from parakin import Program, scan, stage
from parakin.kernels import Kernel, arguments, output_memory
from parakin.kernels.arguments import address, walk
from parakin.kernels.bound import aligned
from parakin.kernels.context import LINE_BYTES
from parakin.kernels.output_memory import LEAST_BYTES, MOST_KEPT_BYTES, OutputMemory
from tests.support import WIDTHS

FLOAT64 = np.dtype(np.float64)
INT32 = np.dtype(np.int32)
SIZES = (1, 3, 8, 9, 12, 24, 70)
"""Elements of outputs: below a square, a line, whole lines, and rows that are lines only together."""


def spread_kernel() -> Kernel:
    """Outputs of all sizes, each element another number, from one input; a status besides."""
    x = ca.SX.sym("x", 2)
    outputs = [ca.vertcat(*(x[0] * (k + 1) + x[1] for k in range(size))) for size in SIZES]
    names = [f"of_{size}" for size in SIZES]
    function = ca.Function("spread", [x], [*outputs, ca.SX(0)], ["x"], [*names, "status"])
    return Kernel(function, status="status")


@pytest.mark.parametrize("width", WIDTHS)
def test_streamed_outputs_are_the_same_and_nothing_else_is_written(width: int) -> None:
    """For every number of states in the last group; arrays begin on a line, as large ones do, or anywhere."""
    kernel = spread_kernel()
    machine = kernel._code.machine(width)
    workspace = aligned(machine.workspace_bytes)
    for count in (1, width - 1, width, width + 1, 3 * width, 3 * width + width // 2):
        x = np.random.default_rng(count).normal(size=(max(count, 1), 2))
        x[-1] = np.nan
        through = walk("spread", kernel.inputs, kernel.outputs, [x], None)
        for offset in (0, 1, LINE_BYTES // FLOAT64.itemsize // 2):
            results: list[list[np.ndarray]] = []
            for streamed in (0, 1):
                rooms = [aligned(8 * (len(x) * s.size + offset + 8)) for s in kernel.outputs]
                for room in rooms:
                    room[:] = 7.0
                words = through.over((x, *(room[offset:] for room in rooms)))
                words[2] = streamed
                assert machine.run(address(words), address(workspace), 0, len(x)) == 1
                results.append(rooms)
            for plain, past in zip(*results, strict=True):
                np.testing.assert_array_equal(plain.view(np.int64), past.view(np.int64))
                assert (past[:offset] == 7.0).all()
                assert (past[-8:] == 7.0).all()


def test_large_calls_are_streamed_and_equal_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = spread_kernel()
    x = np.random.default_rng(0).normal(size=(3, 101, 2))
    want = kernel(x)
    monkeypatch.setattr(arguments, "STREAMED_BYTES", 0)
    monkeypatch.setattr(output_memory, "LEAST_BYTES", 1)
    for threads in (1, 2):
        kernel = spread_kernel()
        got = kernel(x, threads=threads)
        for name, values in want.items():
            np.testing.assert_array_equal(got[name], values)


@pytest.mark.parametrize("lead", [(1,), (17,), (3, 8)])
def test_ticks_are_streamed_with_the_same_bits(lead: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of one state at several ticks lie between those of the next; eight numbers are a line, twelve are not."""
    x, u = ca.SX.sym("x", 8), ca.SX.sym("u", 12)
    step = ca.Function("step", [x, u], [x + u[:8], 2 * u + x[0]], ["x", "u"], ["x_next", "y"])
    seen = ca.Function("seen", [x], [3 * x], ["x"], ["z"])
    program = Program(scan(stage(step, x_next="x"), seen, inputs=("u",), outputs=("y", "z")), outputs=("x",))
    rng = np.random.default_rng(0)
    values = {"x": rng.normal(size=(*lead, 8)), "u": rng.normal(size=(*lead, 5, 12))}
    want = Kernel(program).evaluate(values)
    monkeypatch.setattr(arguments, "STREAMED_BYTES", 0)
    monkeypatch.setattr(output_memory, "LEAST_BYTES", 1)
    got = Kernel(program).evaluate(values)
    for name, numbers in want.items():
        np.testing.assert_array_equal(got[name], numbers)


def test_memory_comes_back_when_the_array_and_its_views_are_gone() -> None:
    memory = OutputMemory()
    first = memory.new((LEAST_BYTES // 8, 1), FLOAT64)
    place = address(first)
    first.fill(1.0)
    assert place % LINE_BYTES == 0
    view = first[5:, 0]
    del first
    gc.collect()
    assert memory.kept_bytes == 0
    other = memory.new((LEAST_BYTES // 8,), FLOAT64)
    assert address(other) != place
    assert (view == 1.0).all()
    del view
    assert memory.kept_bytes == LEAST_BYTES
    again = memory.new((LEAST_BYTES // 4,), INT32)
    assert again.dtype == INT32
    assert address(again) == place
    assert memory.kept_bytes == 0


def test_memory_much_larger_than_the_array_is_left_for_others() -> None:
    memory = OutputMemory()
    memory.new((4 * LEAST_BYTES // 8,), FLOAT64)
    assert memory.kept_bytes == 4 * LEAST_BYTES
    small = memory.new((LEAST_BYTES // 8,), FLOAT64)
    assert memory.kept_bytes == 4 * LEAST_BYTES
    del small
    memory.clear()
    assert memory.kept_bytes == 0


def test_small_arrays_are_left_to_numpy() -> None:
    array = OutputMemory().new((LEAST_BYTES // 8 - 1,), FLOAT64)
    assert array.flags.owndata


def test_no_more_is_kept_than_said() -> None:
    """Nothing is touched, so that this takes no memory."""
    memory = OutputMemory()
    held = [memory.new((MOST_KEPT_BYTES // 8 // 3,), FLOAT64) for _ in range(5)]
    places = [address(array) for array in held]
    while held:
        del held[0]
    assert MOST_KEPT_BYTES // 2 < memory.kept_bytes <= MOST_KEPT_BYTES
    assert set(memory._kept) == set(places[-2:])


def test_too_much_memory_is_refused_by_numpy() -> None:
    for elements in (2**46, 2**60, 2**62):
        with pytest.raises((MemoryError, ValueError), match=r"Unable to allocate|too big"):
            OutputMemory().new((elements,), FLOAT64)


def test_a_forked_child_writes_to_a_copy() -> None:
    array = OutputMemory().new((LEAST_BYTES // 8,), FLOAT64)
    array[0] = 1.0
    child = os.fork()
    if child == 0:
        array[0] = 2.0
        os._exit(0)
    os.waitpid(child, 0)
    assert array[0] == 1.0
