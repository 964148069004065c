"""A kernel's speed averaged over places of its code in memory, beside what the processor could do at best.

Identical code moved in memory changes its best time by a tenth and more, so that small gains are claimed only of a mean
over places. Each place is the same code behind another number of bytes that are never run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import parakin as pk
from benchmarks.peers import multiply_add_peak
from benchmarks.timing import Figure, best_of
from parakin.kernels import compiler
from parakin.kernels.passes import prepare
from parakin.kernels.plan import Action, Call, Shortened

PADDING = tuple(range(0, 192, 16))
"""Bytes before the code: all sixteenths of a cache line, over three lines."""
DIVISIONS = ("div", "inv", "sqrt")
"""Operations that the processor divides for."""


@dataclass(frozen=True)
class Placed:
    """Best times of one state in a batch on one thread [s], over places of the code."""

    mean: float
    """Mean over places."""
    least: float
    """The best place."""
    largest: float
    """The worst place."""


def placed(kernel: pk.Kernel, states: list[np.ndarray], rounds: int = 20) -> Placed:
    """Run a kernel at every place, in turns, and return the best times of a state."""
    width, code = compiler.host().width, kernel._code
    original = code.machine(width)
    machines = {str(bytes_before): _behind(kernel, bytes_before) for bytes_before in PADDING}

    def at(machine: compiler.Machine) -> Callable[[], object]:
        def run() -> None:
            code._machines[width] = machine
            kernel(*states, threads=1)

        return run

    try:
        best = best_of({name: at(machine) for name, machine in machines.items()}, rounds)
    finally:
        code._machines[width] = original
    each = np.array(list(best.values())) / len(states[0])
    return Placed(float(each.mean()), float(each.min()), float(each.max()))


def _behind(kernel: pk.Kernel, size: int) -> compiler.Machine:
    """Load a kernel's code behind a function of about so many bytes: a store takes seven on x86-64."""
    width = compiler.host().width
    stores = "\n".join(["  store volatile i64 0, ptr %p"] * (size // 7))
    padding = f"define void @padding(ptr %p) {{\n{stores}\n  ret void\n}}\n" if size else ""
    return compiler.load(compiler.object_code(padding + kernel.llvm_text(width)), width)


@dataclass(frozen=True)
class Bounds:
    """Times that a state cannot go below [s], each if nothing else took any."""

    ports: float
    """All arithmetic, at the measured rate of multiply-adds."""
    division: float
    """Divisions and square roots, at the measured rate of divisions."""
    memory: float
    """Inputs and outputs, at the measured rate of a copy."""


def bounds(kernel: pk.Kernel) -> Bounds:
    """Apply measured rates of this machine to what a kernel does for a state, by its quick way if it has one."""
    width = compiler.host().width
    peak, operations = multiply_add_peak()
    x, y = np.random.default_rng(0).uniform(1, 2, (2, 4096)), np.empty((2, 4096))
    large, copy = np.ones(2**22), np.empty(2**22)
    best = best_of(
        {"peak": peak, "divide": lambda: np.divide(x[0], x[1], out=y[0]), "copy": lambda: np.copyto(copy, large)}
    )
    instruction = best["peak"] / (operations / 2 / width)
    counts = _counts(kernel, kernel.plan.actions)
    size = sum(s.size * s.dtype.itemsize for s in (*kernel.inputs, *kernel.outputs))
    return Bounds(
        ports=counts["arithmetic"] * instruction / width,
        division=counts["division"] * best["divide"] / x.shape[1],
        memory=size * best["copy"] / (2 * large.nbytes),
    )


def _counts(kernel: pk.Kernel, actions: tuple[Action, ...]) -> dict[str, int]:
    """Count arithmetic and divisions of a pass over actions, as they are compiled."""
    total = {"arithmetic": 0, "division": 0}
    for action in actions:
        if isinstance(action, Shortened):
            for name, count in _counts(kernel, action.quick).items():
                total[name] += count
        elif isinstance(action, Call):
            stage = kernel.plan.stages[action.stage]
            code = prepare(stage.code, contraction=compiler.host().fused, reciprocals=True)
            names = [node.op for node in code.nodes if node.op not in ("const", "input")]
            total["arithmetic"] += len(names)
            total["division"] += sum(name in DIVISIONS for name in names)
    return total


def figures_of(label: str, kernel: pk.Kernel, states: list[np.ndarray]) -> Iterator[Figure]:
    """What a kernel takes over places, and its lower bounds; for kernels without loops."""
    times, least = placed(kernel, states), bounds(kernel)
    yield Figure(f"{label}: one state, one thread, mean over {len(PADDING)} places", 1e9 * times.mean, "ns")
    yield Figure(f"{label}: worst place against the best", times.largest / times.least, "x")
    yield Figure(f"{label}: share of the multiply-add rate", 100 * least.ports / times.mean, "%")
    for what, bound in (("ports", least.ports), ("division", least.division), ("memory", least.memory)):
        yield Figure(f"{label}: lower bound of {what}", 1e9 * bound, "ns")
