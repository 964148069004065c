"""Calls on one state, through arrays that are bound once and used again and again."""

from __future__ import annotations

from array import array as packed
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.kernels.arguments import FLOAT64, Socket, as_array
from parakin.kernels.bound import BoundKernel, bind
from parakin.kernels.machine_code import MachineCode
from parakin.kernels.signature import Result, Signature

_ndarray = np.ndarray  # a name of this module is found quicker, three times in a call of three microseconds
_type: Callable[[object], object] = type  # as a function, whose result does not narrow the type of its argument

Direct = Callable[[Sequence[ArrayLike]], Array | None]
"""What evaluates one state and returns one output; None where `StateCalls.direct` says so."""


class _Prepared(NamedTuple):
    """One state's bound arrays, taken apart for a quick call."""

    run: Callable[[], int]
    """Evaluates the state."""
    targets: Sequence[tuple[tuple[int, ...], Array]]
    """Shape and bound array of each input."""
    copies: Mapping[str, Callable[[], Array]]
    """What copies the bound array of each output, by name."""
    status: memoryview | None
    """The number of the status; None where there is none that is a single number."""
    views: Sequence[memoryview]
    """The memory of each input."""


class StateCalls:
    """Calls on one state.

    A call takes bound arrays off a pile and puts them back, or binds new ones where the pile is empty. So threads never
    share any, and neither does a signal handler that interrupts a call to make another.
    """

    def __init__(self, signature: Signature, outputs: Sequence[Socket], code: MachineCode) -> None:
        self._signature = signature
        self._outputs = outputs
        self._code = code
        self._pile: list[_Prepared] = []

    def bind(self, ticks: int = 1) -> BoundKernel:
        """Return new arrays of one state with a `run` between them; it keeps Python's lock if there are no loops."""
        machine = self._code.machine(1)
        run = machine.run_unlocked if self._code.interface.has_loops else machine.run
        return bind(self._signature.inputs, self._outputs, ticks, run, machine)

    def evaluate(self, values: Sequence[ArrayLike]) -> Result | None:
        """Evaluate one state, or return None if the values' shapes say that they are a batch."""
        try:
            prepared = self._pile.pop()
        except IndexError:
            if any(self._of_one_state(k, value) is None for k, value in enumerate(values)):
                return None  # nothing is compiled for one state before one comes
            prepared = self._prepare()
        run, targets, copies, _, _ = prepared
        try:
            for k, (shape, target) in enumerate(targets):
                value = values[k]
                if type(value) is _ndarray and value.dtype is FLOAT64 and value.shape == shape:
                    target[...] = value
                    continue
                array = self._of_one_state(k, value)
                if array is None:
                    return None
                target[...] = array
            if run():
                raise self._signature.unusable([target for _, target in targets])
            result = Result()
            for name, copy in copies.items():
                result[name] = copy()
            return result
        finally:
            self._pile.append(prepared)

    def direct(self, output: str) -> Direct:
        """Return what evaluates one state whose inputs are arrays or lists in their order, and returns one output.

        It returns None for anything else: another number of them, another type or shape, a state that is not usable or
        not good. Such a call is then made by `evaluate`, which has every check and every message.
        """
        vectors = all(len(s.shape) == 1 for s in self._signature.inputs)
        return self._direct_on_vectors(output) if vectors else self._direct_on_arrays(output)

    def _direct_on_vectors(self, output: str) -> Direct:
        """The same for a kernel of vectors: assigning to a memoryview copies, and checks type and shape, at once.

        Lists and tuples of numbers are taken too.
        """
        pile, count = self._pile, len(self._signature.inputs)

        def call(values: Sequence[ArrayLike]) -> Array | None:
            if not pile or len(values) != count:
                return None
            try:
                prepared = pile.pop()
            except IndexError:  # another thread was quicker
                return None
            result = None
            run, _, copies, status, views = prepared
            try:
                for k, view in enumerate(views):  # a strict zip takes 0.2 us more
                    value: Any = values[k]
                    kind = _type(value)
                    if kind is _ndarray:
                        view[:] = value
                    elif kind is list or kind is tuple:
                        view[:] = packed("d", value)
                    else:
                        break
                else:
                    if not run() and (status is None or status[()] == 0):
                        result = copies[output]()
            except (ValueError, TypeError, OverflowError):  # another type of numbers, or another shape
                pass
            pile.append(prepared)
            return result

        return call

    def _direct_on_arrays(self, output: str) -> Direct:
        """The same for any kernel."""
        pile, count = self._pile, len(self._signature.inputs)

        def call(values: Sequence[ArrayLike]) -> Array | None:
            if not pile or len(values) != count:
                return None
            try:
                prepared = pile.pop()
            except IndexError:  # another thread was quicker
                return None
            result = None
            for k, (shape, target) in enumerate(prepared[1]):  # a strict zip takes 0.2 us more
                value = values[k]
                if type(value) is not _ndarray or value.dtype is not FLOAT64 or value.shape != shape:
                    break
                target[...] = value
            else:
                status = prepared[3]
                if not prepared[0]() and (status is None or status[()] == 0):
                    result = prepared[2][output]()
            pile.append(prepared)
            return result

        return call

    def _prepare(self) -> _Prepared:
        bound = self.bind()
        targets = [(s.shape, bound.inputs[s.name]) for s in self._signature.inputs]
        copies = {name: array.copy for name, array in bound.outputs.items()}
        told = [bound.outputs[s.name].data for s in self._outputs if s.dtype != FLOAT64 and s.shape == ()]
        views = [target.data for _, target in targets]
        return _Prepared(bound.run, targets, copies, told[0] if told else None, views)

    def _of_one_state(self, k: int, value: ArrayLike) -> Array | None:
        """Return the value of input k as an array; None where it is a batch, found out before a large conversion."""
        s = self._signature.inputs[k]
        if isinstance(value, np.ndarray):
            value = cast("Array", value)
            if value.shape != s.shape:
                return None
        array = as_array(self._signature.kernel, s.name, value)
        return array if array.shape == s.shape else None
