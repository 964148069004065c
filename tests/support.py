"""What several tests share: code below the checks, random graphs, and special numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import casadi as ca
import llvmlite.binding as llvm
import numpy as np

from parakin.kernels import Kernel, compiler
from parakin.kernels.bound import aligned

WIDTHS = (1, 2, 4, 8)

SPECIAL = np.array(
    [0.0, 1.0, 0.5, 2.0, 3.0, np.pi, 1e-300, 1e300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, np.inf]
)
SPECIAL = np.concatenate([SPECIAL, -SPECIAL, [np.nan, 1e-310, -1e-310]])


def below_the_checks(kernel: Kernel, width: int) -> Callable[..., list[np.ndarray]]:
    """The compiled stage of a one-stage kernel, called on whole groups of lanes: no prologue, no NaN rows."""
    text = kernel.llvm_text(width).replace("define internal void @stage0", "define void @stage0")
    code = compiler.object_code(text)
    machine = compiler._target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    pointers = [ctypes.c_void_p] * (len(kernel.inputs) + len(kernel.outputs) + 1)
    kept = aligned(compiler.load(code, width).workspace_bytes)
    stage = ctypes.CFUNCTYPE(None, *pointers)(engine.get_function_address("stage0"))

    def call(*arrays: np.ndarray) -> list[np.ndarray]:
        count = len(arrays[0])
        assert engine is not None
        assert count % width == 0
        results = [np.empty((count, s.size)) for s in kernel.outputs]
        sockets = (*kernel.inputs, *kernel.outputs)
        buffers = [aligned(8 * width * max(1, s.size)).reshape(-1, width) for s in sockets]
        for first in range(0, count, width):
            group = slice(first, first + width)
            for buffer, array in zip(buffers, arrays, strict=False):
                buffer[:] = array[group].reshape(width, -1).T
            stage(*(buffer.ctypes.data for buffer in buffers), kept.ctypes.data)
            for result, buffer in zip(results, buffers[len(arrays) :], strict=True):
                result[group] = buffer[: result.shape[1]].T
        return results

    return call


UNARY: dict[str, Callable[[ca.SX], ca.SX]] = {
    "neg": lambda a: -a,
    "sq": lambda a: a**2,
    "twice": lambda a: 2 * a,
    "inv": lambda a: 1 / a,
    "sqrt": ca.sqrt,
    "abs": ca.fabs,
    "sign": ca.sign,
    "floor": ca.floor,
    "ceil": ca.ceil,
    "not": ca.logic_not,
}
BINARY: dict[str, Callable[[ca.SX, ca.SX], ca.SX]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "fmod": ca.fmod,
    "copysign": lambda a, b: ca.copysign(a, ca.fmax(b, -2.0)),  # never a NaN, whose sign is nobody's promise
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": ca.eq,
    "ne": ca.ne,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "if_else_zero": lambda a, b: ca.if_else(a, b, 0.0),
}
FUNCTIONS: dict[str, Callable[..., ca.SX]] = {
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan": ca.atan,
    "exp": ca.exp,
    "log": ca.log,
    "tanh": ca.tanh,
    "atan2": ca.atan2,
    "pow": ca.power,
}


def arithmetic_graph(seed: int, size: int, inputs: int = 6) -> ca.Function:
    """A random graph over every operation that has one right answer."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", inputs)
    values: list[ca.SX] = [x[k] for k in range(inputs)]
    values += [ca.SX(float(c)) for c in (0.5, -3.0, 1.25)]
    names = [*UNARY, *BINARY, *BINARY, "if_else"]
    for _ in range(size):
        a, b, c = (values[k] for k in rng.integers(0, len(values), 3))
        name = names[rng.integers(len(names))]
        if name == "if_else":
            values.append(ca.if_else(a, b, c))
        else:
            values.append(UNARY[name](a) if name in UNARY else BINARY[name](a, b))
    outputs = ca.vertcat(*values[-max(4, size // 4) :])
    return ca.Function("graph", [x], [outputs], ["x"], ["y"])


def casadi_values(function: ca.Function, states: np.ndarray) -> np.ndarray:
    """CasADi's own evaluation of a function of one vector, state by state."""
    return np.array([np.asarray(function(state)).reshape(-1) for state in states])


def same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Equal bit for bit, one NaN being as good as another."""
    return (np.isnan(a) & np.isnan(b)) | (a.view(np.int64) == b.view(np.int64))
