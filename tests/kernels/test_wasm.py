"""Kernels as WebAssembly: the bits of the kernel without fused operations, whatever the program and the state."""

from __future__ import annotations

from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.errors import UnsupportedModelError
from parakin.kernels import wasm
from parakin.kernels.context import LARGEST_INPUT
from parakin.kernels.stage_text import PART_NODES
from parakin.kernels.wasm.binary import signed, unsigned
from tests.c_code import all_operations
from tests.kernels.graphs import EULER, FUNCTION, NEWTON, ROOT, draw, scan_program, smooth_graph
from tests.kernels.lane_functions import ULPS, arguments, kernel_of
from tests.support import SPECIAL, arithmetic_graph
from tests.wasm_modules import WasmKernel, description, function_sizes, same_numbers

LARGEST_BODY, MOST_LOCALS = 7_654_321, 50_000
"""Limits of V8, Firefox and wasmtime on the bytes of a function's body and on its local variables."""


def unfused(model: ca.Function | pk.Program, status: str | None = None) -> pk.Kernel:
    return pk.Kernel(model, status=status, contraction=False)


def assert_equal(kernel: pk.Kernel, module: WasmKernel, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The module has the bits of the kernel, state for state; returns the kernel's results."""
    want, got = kernel.evaluate(inputs), module(**inputs)
    for name, values in want.items():
        equal = same_numbers(got[name], values).reshape(len(values), -1).all(axis=1)
        assert equal.all(), (kernel.name, name, np.flatnonzero(~equal)[:5], got[name][~equal][:3], values[~equal][:3])
    return want


def assert_within_limits(data: bytes) -> None:
    """No function comes near to the limits of engines, however long its stage."""
    sizes = function_sizes(data)
    assert max(size.body for size in sizes) < LARGEST_BODY / 50
    assert max(size.locals for size in sizes) < MOST_LOCALS / 50


def special_states(count: int, size: int, seed: int) -> np.ndarray:
    """Numbers of all sizes, zeros, infinities and NaN."""
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(count, size)) * 10.0 ** rng.integers(-3, 3, (count, size))
    chosen = rng.random((count, size)) < 0.2
    states[chosen] = rng.choice(SPECIAL, chosen.sum())
    return states


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_of_every_operation_have_the_same_bits(seed: int) -> None:
    kernel = unfused(arithmetic_graph(seed, 200))
    states = special_states(200, 6, seed)
    states[:100][~np.isfinite(states[:100])] = 1e300
    assert_equal(kernel, WasmKernel(kernel.to_wasm()), {"x": states})


@pytest.mark.parametrize("name", sorted(ULPS))
def test_functions_have_the_same_bits_on_their_whole_domain(name: str) -> None:
    kernel = unfused(kernel_of(name).casadi)
    states = arguments(name)
    assert_equal(kernel, WasmKernel(kernel.to_wasm()), {"x": np.concatenate([states[::17], states[-600:]])})


def test_every_operation_is_there() -> None:
    kernel = unfused(all_operations())
    rng = np.random.default_rng(0)
    inputs = {s.name: rng.normal(size=(100, *s.shape)) for s in kernel.inputs}
    assert_equal(kernel, WasmKernel(kernel.to_wasm()), inputs)


def test_matrices_and_structural_zeros() -> None:
    kernel = unfused(FUNCTION)
    x, s, a = draw(40)
    a[3, 0, 1] = 1.0  # where the model has a structural zero
    a[4, 0, 0] = np.inf
    module = WasmKernel(kernel.to_wasm())
    want = assert_equal(kernel, module, {"x": x, "s": s, "A": a})
    assert np.flatnonzero(np.isnan(want["e"])).tolist() == [3, 4]
    assert np.flatnonzero(module.flags).tolist() == [3, 4]


def test_loops_end_as_they_do_in_kernels() -> None:
    rng = np.random.default_rng(0)
    roots = unfused(ROOT)
    want = assert_equal(
        roots, WasmKernel(roots.to_wasm()), {"z": np.full(60, 1.0), "a": rng.uniform(-100.0, 100.0, 60)}
    )
    assert len(set(want["steps"])) > 3
    four = unfused(pk.Program(pk.repeat(4, pk.stage(EULER, x_next="x")), outputs=("x",)))
    inputs = {"x": rng.normal(size=(20, 2)), "u": rng.normal(size=20), "h": np.full(20, 0.01)}
    assert_equal(four, WasmKernel(four.to_wasm()), inputs)
    nested = pk.repeat(3, pk.iterate(pk.stage(NEWTON, z_next="z"), until="done", limit=2, residual="residual"))
    inner = unfused(pk.Program(nested, outputs=("z", "steps", "residual")))
    assert_equal(inner, WasmKernel(inner.to_wasm()), {"z": np.full(30, 1.0), "a": rng.uniform(1.0, 100.0, 30)})


def test_a_shortcut_takes_its_sure_way_where_it_doubts() -> None:
    x = ca.SX.sym("x")
    quick = ca.Function("quick", [x], [x + 1, x > 0], ["x"], ["y", "doubt"])
    sure = ca.Function("sure", [x], [ca.exp(x)], ["x"], ["y"])
    kernel = unfused(pk.Program(pk.shortcut(quick, sure, doubt="doubt"), outputs=("y",)))
    values = np.linspace(-1.0, 1.0, 21)
    want = assert_equal(kernel, WasmKernel(kernel.to_wasm()), {"x": values})
    assert (want["y"] != values + 1).sum() == 10


def test_a_scan_is_one_tick() -> None:
    kernel = unfused(scan_program())
    rng = np.random.default_rng(0)
    x, u, h = rng.normal(size=(20, 2)), rng.normal(size=20), np.full(20, 0.01)
    x[3, 0] = np.nan
    got = WasmKernel(kernel.to_wasm())(x=x, u=u, h=h)
    want = kernel(x=x, u=u[:, None], h=h)
    assert same_numbers(got["x"], want["x"]).all()
    assert same_numbers(got["energy"], want["energy"][:, 0]).all()


def test_a_status_is_judged_as_in_a_batch() -> None:
    """Bad inputs, far too large ones, good states with infinite results, and statuses that are no integers."""
    x = ca.SX.sym("x", 2)
    told = ca.vertcat(x[1])
    kernel = unfused(ca.Function("f", [x], [ca.exp(x[0]), told], ["x"], ["y", "status"]), status="status")
    first = np.array([0.0, 710.0, 710.0, np.nan, 1e60, np.inf, 1.0, 1.0, 1.0, 1.0, 1.0])
    second = np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.5, 3e9, -1.0, -7.0, np.nan])
    module = WasmKernel(kernel.to_wasm())
    want = assert_equal(kernel, module, {"x": np.stack([first, second], axis=1)})
    assert want["status"].tolist() == [0, -1, 2, -1, -1, -1, -1, -1, -1, -7, -1]
    assert module.flags.tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1]


def test_large_inputs_are_refused_one_by_one() -> None:
    """What is beyond the largest usable number is refused whatever stands beside it, at every width."""
    x = ca.SX.sym("x", 9)
    function = ca.Function("f", [x], [ca.sum1(x) * 1e-60, x[0] * 0], ["x"], ["y", "status"])
    kernel = unfused(function, status="status")
    beyond = np.nextafter(LARGEST_INPUT, np.inf)
    states = np.full((70, 9), -LARGEST_INPUT)
    states[1::2, :4] = LARGEST_INPUT
    states[2::5, 3], states[3::5, 8] = beyond, -beyond
    want = assert_equal(kernel, WasmKernel(kernel.to_wasm()), {"x": states})
    refused = (np.abs(states) > LARGEST_INPUT).any(axis=1)
    assert (want["status"] == np.where(refused, -1, 0)).all()
    bound = kernel.bind()
    for state, told in zip(states, want["status"], strict=True):
        bound.inputs["x"][:] = state
        bound.run()
        assert bound.outputs["status"] == told


def test_long_stages_are_split_within_the_limits_of_engines() -> None:
    """Forty chains of operations that lean on each other, so that parts hand values on, and many wait for their use."""
    x = ca.SX.sym("x", 6)
    chains = [x[k % 6] for k in range(40)]
    for k in range(2500):
        chains[k % 40] = chains[7 * k % 40] + ca.sin(0.5 * chains[(3 * k + 1) % 40])
    kernel = unfused(ca.Function("chains", [x], [ca.vertcat(*chains)], ["x"], ["y"]))
    assert len(kernel.plan.stages[0].code.nodes) > PART_NODES
    data = kernel.to_wasm()
    assert_equal(kernel, WasmKernel(data), {"x": np.random.default_rng(0).normal(size=(20, 6))})
    assert_within_limits(data)


def test_several_kernels_share_functions_and_memory() -> None:
    one, other = unfused(smooth_graph(1, 300)), unfused(smooth_graph(2, 300))
    data = wasm.module({"one": one, "other": other, "again": one})
    apart = len(one.to_wasm()) + len(other.to_wasm())
    assert len(data) < apart
    states = np.random.default_rng(0).normal(size=(20, 6))
    for name, kernel in (("one", one), ("other", other), ("again", one)):
        assert_equal(kernel, WasmKernel(data, name), {"x": states})
    places = [
        (port["offset"], port["offset"] + 8 * int(np.prod(port["shape"], dtype=int)))
        for about in description(data)["kernels"].values()
        for port in (*about["inputs"], *about["outputs"])
    ]
    ordered = sorted(places)
    assert all(end <= start for (_, end), (start, _) in pairwise(ordered))
    with pytest.raises(UnsupportedModelError, match="memory"):
        wasm.module({"memory": one})


def test_the_description_says_what_is_where() -> None:
    x, v = ca.SX.sym("x", 3), ca.SX.sym("v", 2, 3)
    function = ca.Function("model", [x, v], [v @ x, x[0] > 0], ["pose", "jacobian"], ["rate", "status"])
    kernel = pk.Kernel(function, units={"pose": "m", "rate": "rad/s"}, status="status")
    about = description(kernel.to_wasm())
    assert about["version"] == pk.__version__
    assert about["kernels"]["run"] == {
        "name": "model",
        "inputs": [
            {"name": "pose", "shape": [3], "type": "f64", "offset": 0, "unit": "m"},
            {"name": "jacobian", "shape": [2, 3], "type": "f64", "offset": 24, "unit": ""},
        ],
        "outputs": [
            {"name": "rate", "shape": [2], "type": "f64", "offset": 72, "unit": "rad/s"},
            {"name": "status", "shape": [], "type": "i32", "offset": 88, "unit": ""},
        ],
        "status": "status",
    }


def test_modules_are_the_same_each_time_and_import_nothing() -> None:
    kernel = pk.Kernel(smooth_graph(1, 300))
    data = kernel.to_wasm()
    assert data == kernel.to_wasm()
    assert data[:8] == b"\0asm\x01\0\0\0"
    assert WasmKernel(data).instance is not None  # instantiated with no imports


@pytest.mark.parametrize(
    ("value", "encoded"), [(0, b"\0"), (63, b"\x3f"), (64, b"\xc0\0"), (-64, b"\x40"), (-65, b"\xbf\x7f")]
)
def test_signed_numbers(value: int, encoded: bytes) -> None:
    assert signed(value) == encoded


@pytest.mark.parametrize(
    ("value", "encoded"), [(0, b"\0"), (127, b"\x7f"), (128, b"\x80\x01"), (624485, b"\xe5\x8e\x26")]
)
def test_unsigned_numbers(value: int, encoded: bytes) -> None:
    assert unsigned(value) == encoded
