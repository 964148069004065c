"""Arrays of one state, bound to machine code: what a control loop calls a thousand times a second."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import numpy as np

from parakin.arrays import frozen_arrays
from parakin.kernels.arguments import Array, Socket, address, new_output, walk
from parakin.kernels.context import LINE_BYTES

if TYPE_CHECKING:
    from parakin.kernels.compiler import Machine, Run


def room(size: int) -> tuple[int, Array]:
    """Return the address of uninitialised memory that starts on a cache line, and what holds it. size: [bytes]."""
    memory = np.empty(-(-size // 8) + LINE_BYTES // 8)
    return -(-address(memory) // LINE_BYTES) * LINE_BYTES, memory


def aligned(size: int) -> Array:
    """Return uninitialised memory that starts on a cache line. size: [bytes], a multiple of 8."""
    place, memory = room(size)
    start = (place - address(memory)) // 8
    return memory[start : start + size // 8]


@frozen_arrays(eq=True)
class BoundKernel:
    """Arrays that a kernel reads and writes in place, and the call between them.

    Fill `inputs`, call `run()`, read `outputs`. Nothing is checked or allocated. For one thread at a time.

    >>> bound = robot.kernel("inverse_kinematics").bind()
    >>> bound.inputs["pose"][:] = pose
    >>> bound.run(), bound.outputs["q"].round(4)
    (0, array([-0.1802, -0.5425, -0.7979]))
    """

    inputs: Mapping[str, Array]
    """Arrays to fill, by input name, each of the shape of one state."""
    outputs: Mapping[str, Array]
    """Arrays that `run` writes, by output name."""
    run: Callable[[], int]
    """Evaluates the state; returns 0, or 1 where an input was not usable: the outputs are then NaN."""


def bind(inputs: Sequence[Socket], outputs: Sequence[Socket], ticks: int, run: Run, machine: Machine) -> BoundKernel:
    """Make arrays of one state, with so many ticks, and bind them to machine code."""
    ins = [np.zeros(((ticks,) if s.ticked else ()) + s.shape) for s in inputs]
    outs = [np.zeros_like(new_output(s, (), ticks)) for s in outputs]
    words = walk("bound", inputs, outputs, ins, ticks).over((*ins, *outs))
    workspace = aligned(machine.workspace_bytes)
    # Numbers as C has them need no conversion in a call, which takes a tenth of a microsecond.
    pointers = ctypes.c_void_p(address(words)), ctypes.c_void_p(address(workspace))
    call = functools.partial(cast("Callable[..., int]", run), *pointers, ctypes.c_int64(0), ctypes.c_int64(1))
    # `call` knows only addresses: it must keep alive what they point to, whoever holds nothing but `run`.
    call.__dict__["keeps"] = (words, workspace, ins, outs, machine)
    return BoundKernel(
        MappingProxyType({s.name: array for s, array in zip(inputs, ins, strict=True)}),
        MappingProxyType({s.name: array for s, array in zip(outputs, outs, strict=True)}),
        call,
    )
