"""What kernels are measured against: CasADi's evaluation, its C, heyoka, and the machine itself."""

from __future__ import annotations

import ctypes
import importlib
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import llvmlite.binding as llvm
import numpy as np

import parakin as pk
from parakin.kernels import compiler
from parakin.kernels.bound import aligned
from parakin.kernels.code import read


def casadi_loop(function: ca.Function, states: list[np.ndarray]) -> Callable[[], None]:
    """CasADi's own evaluation of each state, through its buffer interface."""
    buffer, trigger = function.buffer()
    arguments = [np.zeros(array.shape[1]) for array in states]
    results = [np.zeros(function.numel_out(k)) for k in range(function.n_out())]
    for k, array in enumerate(arguments):
        buffer.set_arg(k, array.data)
    for k, array in enumerate(results):
        buffer.set_res(k, array.data)
    count = len(states[0])

    def run() -> None:
        assert buffer is not None, "it must live as long as its trigger"
        assert results, "and so must what it points to"
        for state in range(count):
            for argument, array in zip(arguments, states, strict=True):
                argument[:] = array[state]
            trigger()

    return run


class GeneratedC:
    """CasADi's generated C in a plain loop, by gcc -O3 -march=native; OpenMP's on several threads."""

    def __init__(self, function: ca.Function, directory: Path, threads: int = 1) -> None:
        sizes_in = [function.nnz_in(k) for k in range(function.n_in())]
        sizes_out = [function.nnz_out(k) for k in range(function.n_out())]
        name = function.name()
        generator = ca.CodeGenerator(f"{name}.c")
        generator.add(function)
        generator.generate(f"{directory}/")
        arguments = ", ".join(f"x{k} + {n} * i" for k, n in enumerate(sizes_in))
        results = ", ".join(f"y{k} + {n} * i" for k, n in enumerate(sizes_out))
        parameters = [f"const double *x{k}" for k in range(len(sizes_in))] + [
            f"double *y{k}" for k in range(len(sizes_out))
        ]
        (directory / "loop.c").write_text(
            f'#include "{name}.c"\n'
            f"void loop({', '.join(parameters)}, long n)\n{{\n"
            f"{f'#pragma omp parallel for num_threads({threads})' if threads > 1 else ''}\n"
            f"    for (long i = 0; i < n; ++i) {{\n"
            f"        double w[{max(1, function.sz_w())}];\n"
            f"        const double *arg[{function.sz_arg()}] = {{{arguments}}};\n"
            f"        double *res[{function.sz_res()}] = {{{results}}};\n"
            f"        {name}(arg, res, 0, w, 0);\n    }}\n}}\n"
        )
        library = directory / "loop.so"
        command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", str(directory / "loop.c"), "-o", str(library)]
        subprocess.run([*command, "-lm", *(["-fopenmp"] if threads > 1 else [])], check=True)
        self._loop = ctypes.CDLL(str(library)).loop
        self._loop.argtypes = [ctypes.c_void_p] * (len(sizes_in) + len(sizes_out)) + [ctypes.c_long]
        self._sizes_out = sizes_out

    def runner(self, states: list[np.ndarray]) -> Callable[[], list[np.ndarray]]:
        """Runs all states; the outputs, in arrays that the next run writes again."""
        count = len(states[0])
        inputs = [np.ascontiguousarray(array) for array in states]
        outputs = [np.empty((count, n)) for n in self._sizes_out]

        def run() -> list[np.ndarray]:
            self._loop(*(array.ctypes.data for array in (*inputs, *outputs)), count)
            return outputs

        return run


def heyoka_runner(function: ca.Function, states: list[np.ndarray]) -> tuple[Callable[[], Any], Any]:
    """The same graph through heyoka's cfunc, on its own (variable, state) layout; and heyoka, to set its threads."""
    hy: Any = importlib.import_module("heyoka")  # only with the extra "bench"
    code = read(function)
    first = np.cumsum([0, *(array.shape[1] for array in states)])
    variables = hy.make_vars(*[f"x{k}" for k in range(int(first[-1]))])
    table: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "sq": lambda a: a * a,
        "twice": lambda a: 2.0 * a,
        "neg": lambda a: -a,
        "inv": lambda a: 1.0 / a,
        "sqrt": hy.sqrt,
        "sin": hy.sin,
        "cos": hy.cos,
        "atan": hy.atan,
        "tanh": hy.tanh,
    }
    values: list[Any] = []
    for node in code.nodes:
        if node.op == "input":
            values.append(variables[int(first[node.place[0]]) + node.place[1]])
        elif node.op == "const":
            values.append(hy.expression(float(np.array([node.bits], np.uint64).view(np.float64)[0])))
        else:
            values.append(table[node.op](*(values[k] for k in node.args)))
    outputs = [values[k] for port in code.outputs for k in port]
    compiled = hy.cfunc(outputs, variables)
    inputs = np.ascontiguousarray(np.concatenate(states, axis=1).T)
    results = np.empty((len(outputs), inputs.shape[1]))
    return (lambda: compiled(inputs, outputs=results)), hy


def _sweep_text(sizes: list[int], width: int) -> str:
    """Call stage0 on consecutive groups of lane-ordered data."""
    ports = range(len(sizes))
    moves = "\n".join(
        f"  %a{k} = mul i64 %i, {8 * width * n}\n  %p{k} = getelementptr i8, ptr %b{k}, i64 %a{k}"
        for k, n in enumerate(sizes)
    )
    return f"""
define void @sweep({", ".join(f"ptr %b{k}" for k in ports)}, ptr %kept, i64 %n) {{
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
{moves}
  call void @stage0({", ".join(f"ptr %p{k}" for k in ports)}, ptr %kept)
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %next, label %done
done:
  ret void
}}
"""


def lane_sweep(kernel: pk.Kernel, states: list[np.ndarray]) -> Callable[[], None]:
    """A kernel's stage on data that already lies in lane order: no transposing, no checks."""
    width = compiler.host().width
    sizes = [s.size for s in (*kernel.inputs, *kernel.outputs)]
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), compiler._target_machine())
    text = kernel.llvm_text(width) + _sweep_text(sizes, width)
    engine.add_object_file(llvm.ObjectFileRef.from_data(compiler.object_code(text)))
    engine.finalize_object()
    sweep = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(sizes) + 1), ctypes.c_int64)(
        engine.get_function_address("sweep")
    )
    groups = len(states[0]) // width
    buffers = [aligned(8 * groups * width * n) for n in sizes]
    kept = aligned(kernel._code.machine(width).workspace_bytes)
    for buffer, array in zip(buffers, states, strict=False):
        lanes = array[: groups * width].reshape(groups, width, -1).transpose(0, 2, 1)
        buffer[:] = lanes.reshape(-1)

    def run() -> None:
        assert engine is not None
        sweep(*(buffer.ctypes.data for buffer in buffers), kept.ctypes.data, groups)

    return run


def multiply_add_peak() -> tuple[Callable[[], int], float]:
    """A loop of independent multiply-adds, and how many floating-point operations a run of it makes."""
    width, chains, turns = compiler.host().width, 12, 2_000_000
    real = f"<{width} x double>"
    links = range(chains)
    phis = "\n".join(f"  %x{k} = phi {real} [ %s, %entry ], [ %y{k}, %next ]" for k in links)
    work = "\n".join(f"  %y{k} = call {real} @llvm.fma.v{width}f64({real} %x{k}, {real} %s, {real} %s)" for k in links)
    sums = "\n".join(f"  %z{k} = fadd {real} {'%y0' if k == 1 else f'%z{k - 1}'}, %y{k}" for k in links if k)
    machine = compiler.load(
        compiler.object_code(
            f"""declare {real} @llvm.fma.v{width}f64({real}, {real}, {real})
define i64 @workspace() {{
  ret i64 0
}}
define i64 @run(ptr %p, ptr %q, i64 %first, i64 %n) {{
entry:
  %s = load {real}, ptr %p, align 8
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
{phis}
{work}
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %next, label %done
done:
{sums}
  store {real} %z{chains - 1}, ptr %q, align 8
  ret i64 0
}}"""
        ),
        width,
    )
    data, out = np.full(width, 0.5), np.zeros(width)
    return (lambda: machine.run(data.ctypes.data, out.ctypes.data, 0, turns)), 2.0 * width * chains * turns
