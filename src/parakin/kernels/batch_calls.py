"""Calls on arrays of many states: a few of them through arrays that are bound once, any number where they are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.kernels.arguments import FLOAT64, Socket, Walk, address, as_array, new_output, walk, whole_number
from parakin.kernels.bound import aligned
from parakin.kernels.machine_code import MachineCode
from parakin.kernels.native_pool import Task
from parakin.kernels.sharing import BLOCK_WORK, Extent, run_batch, worthwhile
from parakin.kernels.signature import Result, Signature
from parakin.kernels.threads import cores

FEW = 64
"""States up to which a batch is copied to bound arrays: quicker than telling the driver where its arrays are."""
_ndarray = np.ndarray  # a name of this module is found quicker


class _Bound(NamedTuple):
    """Arrays of FEW states, bound to machine code."""

    run: Callable[[int, int], int]
    """Evaluates the states from one number to before another."""
    targets: Sequence[Array]
    """Bound array (FEW, *shape) of each input."""
    sources: Sequence[tuple[str, Array]]
    """Name and bound array of each output."""


class FewCalls:
    """Calls on two to FEW states in one axis, each input a float64 array: `BatchCalls` makes all others.

    Bound arrays are taken off a pile and put back, as those of `StateCalls` are.
    """

    def __init__(self, signature: Signature, outputs: Sequence[Socket], code: MachineCode) -> None:
        self._signature = signature
        self._outputs = outputs
        self._code = code
        self._shapes = [s.shape for s in signature.inputs]
        self._pile: list[_Bound] = []

    def evaluate(self, values: Sequence[ArrayLike]) -> Result | None:
        """Evaluate a few states, or return None where the values are anything else, or the work is worth threads."""
        count = 0
        for value, shape in zip(values, self._shapes, strict=True):
            if type(value) is not _ndarray or value.dtype is not FLOAT64:
                return None
            own = value.shape
            if own[1:] != shape or len(own) == len(shape) or not 1 < own[0] <= FEW or own[0] != (count or own[0]):
                return None
            count = own[0]
        if not count or self._code.interface.work * FEW > BLOCK_WORK:
            return None
        try:
            bound = self._pile.pop()
        except IndexError:
            bound = self._bind()
        for value, target in zip(values, bound.targets, strict=True):
            target[:count] = value
        bound.run(0, count)
        result = Result()
        for name, source in bound.sources:
            result[name] = source[:count].copy()
        self._pile.append(bound)
        return result

    def _bind(self) -> _Bound:
        inputs = self._signature.inputs
        ins = [np.zeros((FEW, *s.shape)) for s in inputs]
        outs = [new_output(s, (FEW,), 1) for s in self._outputs]
        machine = self._code.machine(self._code.width)
        words = walk(self._signature.kernel, inputs, self._outputs, ins, None).over((*ins, *outs))
        workspace = aligned(machine.workspace_bytes)
        run = functools.partial(machine.run_unlocked, address(words), address(workspace))
        run.__dict__["keeps"] = (words, workspace, machine)  # it knows only their addresses
        return _Bound(run, ins, [(s.name, array) for s, array in zip(self._outputs, outs, strict=True)])


class BatchCalls:
    """Calls on arrays of any leading shape, split over threads."""

    def __init__(self, signature: Signature, outputs: Sequence[Socket], code: MachineCode) -> None:
        self._signature = signature
        self._outputs = outputs
        self._names = [s.name for s in outputs]
        self._code = code
        self._last: tuple[object, Walk | None] = (None, None)

    def evaluate(self, values: Sequence[ArrayLike], ticks: int | None, threads: int | None) -> Result:
        """Evaluate a batch. A batch of no leading shape is one state, which is refused if it is unusable."""
        kernel, inputs = self._signature.kernel, self._signature.inputs
        arrays = [as_array(kernel, s.name, value) for s, value in zip(inputs, values, strict=True)]
        through = self.walk(arrays, ticks)
        result, unusable = self.run(arrays, through, 1 if through.count == 1 else self._code.width, threads)
        if unusable and through.shape == ():
            raise self._signature.unusable(arrays)
        return result

    def walk(self, arrays: Sequence[Array], ticks: int | None) -> Walk:
        """Return the way through these arrays: for shapes and strides as last time, the one from last time.

        Working it out takes longer than evaluating a hundred states.
        """
        key = ticks, [(array.shape, array.strides) for array in arrays]
        known, through = self._last
        if through is None or known != key:
            through = walk(self._signature.kernel, self._signature.inputs, self._outputs, arrays, ticks)
            self._last = key, through
        return through

    def run(self, inputs: Sequence[Array], through: Walk, width: int, threads: int | None) -> tuple[Result, int]:
        """Evaluate a batch with code of one width; return its outputs, and 1 if any state was unusable."""
        threads = cores() if threads is None else whole_number(self._signature.kernel, "threads", threads, 1)
        extent = Extent(through.count, width, self._code.interface.work * max(1, through.ticks))
        threads = worthwhile(extent, threads)
        outputs = through.new_outputs()
        unusable = 0
        if through.count:
            machine = self._code.machine(width)
            words = through.over((*inputs, *outputs))
            keeps = (machine, inputs, outputs, through, words)
            task = Task(machine.run_unlocked, machine.address, address(words), machine.workspace_bytes, keeps)
            unusable = run_batch(task, extent, threads)
        return Result(zip(self._names, outputs, strict=True)), unusable
