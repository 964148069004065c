"""One state's arrays, bound to machine code: what a control loop calls a thousand times a second."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from parakin.kernels.arguments import Array, Socket, address, new_output, walk
from parakin.kernels.compiler import Machine, Run

_ALIGNMENT = 64


def aligned(size: int) -> Array:
    """Uninitialised memory that starts on a cache line."""
    memory = np.empty(size // 8 + _ALIGNMENT // 8)
    start = -address(memory) % _ALIGNMENT // 8
    return memory[start : start + size // 8]


@dataclass(frozen=True)
class BoundKernel:
    """Arrays a kernel reads and writes in place, and the call between them.

    Fill `inputs`, call `run()`, read `outputs`. Nothing is checked or allocated; `run` returns 0, or 1 where an input
    was not finite (the outputs are then NaN). For one thread at a time.
    """

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]
    run: Callable[[], int]


def bind(inputs: Sequence[Socket], outputs: Sequence[Socket], ticks: int, run: Run, machine: Machine) -> BoundKernel:
    ins = [np.zeros(((ticks,) if s.ticked else ()) + s.shape) for s in inputs]
    outs = [np.zeros_like(new_output(s, (), ticks)) for s in outputs]
    words = walk("bound", inputs, outputs, ins, ticks).over((*ins, *outs))
    workspace = aligned(machine.workspace_bytes)
    call = functools.partial(run, address(words), address(workspace), 0, 1)
    # `call` knows only addresses: it must keep alive what they point to, whoever holds nothing but `run`.
    call.__dict__["keeps"] = (words, workspace, ins, outs, machine)
    return BoundKernel(
        MappingProxyType({s.name: array for s, array in zip(inputs, ins, strict=True)}),
        MappingProxyType({s.name: array for s, array in zip(outputs, outs, strict=True)}),
        call,
    )
