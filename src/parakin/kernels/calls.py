"""The path of a call from the caller's values to a dictionary of outputs.

`Signature` puts values in order, `StateCalls` evaluates one state through arrays that were bound before, `BatchCalls`
evaluates everything else. What does not change from call to call is worked out once and kept in these objects.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.errors import KernelInputError
from parakin.kernels import compiler
from parakin.kernels.arguments import FLOAT64, Socket, Walk, address, as_array, new_output, walk, whole_number
from parakin.kernels.bound import BoundKernel, aligned, bind
from parakin.kernels.driver_text import LARGEST_INPUT
from parakin.kernels.machine_code import MachineCode
from parakin.kernels.threads import Work, cores, spread

_ndarray = np.ndarray  # a name of this module is found quicker, three times in a call of three microseconds
_BLOCK_WORK = 4_000_000
"""Instructions in a block of states: a fraction of a millisecond, still far above what handing a block out costs."""


if TYPE_CHECKING:

    class Result(dict[str, Array]):
        """Outputs of a call by name: float64, except that the declared status is int32.

        Type checkers are told so for a status of the usual name, `status`. When the program runs, it is a plain dict.
        """

        @overload
        def __getitem__(self, name: Literal["status"], /) -> NDArray[np.int32]: ...  # pyright: ignore[reportOverlappingOverload]
        @overload
        def __getitem__(self, name: str, /) -> Array: ...
        def __getitem__(self, name: str, /) -> Array | NDArray[np.int32]: ...

else:
    Result = dict  # a class of its own would make a call on one state 5 % slower


class Signature:
    """The inputs of a kernel in their order: turns values given by position and by name into a sequence."""

    def __init__(self, kernel: str, inputs: Sequence[Socket]) -> None:
        self.kernel = kernel
        self.inputs = inputs
        self._names = tuple(s.name for s in inputs)
        self._pick = _picker(self._names)

    def ordered(self, args: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> Sequence[ArrayLike]:
        """Return one value for each input, in their order."""
        if not args and len(named) == len(self._names):
            try:
                return self._pick(named)
            except KeyError:
                pass
        return self._merged(args, named)

    def _merged(self, args: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> Sequence[ArrayLike]:
        """Merge positions and names, and refuse what is missing, unknown or given twice."""
        names = ", ".join(self._names)
        if len(args) > len(self.inputs):
            raise KernelInputError(self.kernel, "arguments", f"at most {len(self.inputs)} ({names})", str(len(args)))
        values: dict[str, ArrayLike] = {s.name: value for s, value in zip(self.inputs, args, strict=False)}
        for name, value in named.items():
            if name not in self._names:
                raise KernelInputError(self.kernel, name, f"an input among {names}", "an unknown name")
            if name in values:
                raise KernelInputError(self.kernel, name, "one value", "a position and a name")
            values[name] = value
        for s in self.inputs:
            if s.name not in values:
                raise KernelInputError(self.kernel, s.name, f"an array of shape {s.describe()}", "nothing")
        return [values[s.name] for s in self.inputs]

    def unusable(self, arrays: Sequence[Array]) -> KernelInputError:
        """Return the error that names the first element that cannot be used.

        It is not finite, or not zero where the model has none; or it is the first that is too large.
        """
        too_large: KernelInputError | None = None
        for s, array in zip(self.inputs, arrays, strict=True):
            for element, value in enumerate(array.reshape(-1).tolist()):
                element_of_state = element % s.size
                place = "".join(f"[{k}]" for k in np.unravel_index(element_of_state, s.shape)) if s.shape else ""
                if not np.isfinite(value):
                    return KernelInputError(self.kernel, f"{s.name}{place}", "a finite number", str(value))
                if value != 0.0 and element_of_state not in s.port.pattern:
                    expected = "0, for the model has a structural zero there"
                    return KernelInputError(self.kernel, f"{s.name}{place}", expected, str(value))
                if abs(value) > LARGEST_INPUT and too_large is None:
                    expected = f"a number of size {LARGEST_INPUT:.2g} or less, in SI units"
                    too_large = KernelInputError(self.kernel, f"{s.name}{place}", expected, str(value))
        return too_large or KernelInputError(
            self.kernel, "inputs", "finite numbers", "a value that changed during the call"
        )


def _picker(names: tuple[str, ...]) -> Callable[[Mapping[str, ArrayLike]], Sequence[ArrayLike]]:
    """Return what takes the values of these names out of a mapping, in their order; KeyError where one is missing."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda named: [named[name] for name in names]


_Targets = Sequence[tuple[int, tuple[int, ...], Array]]
"""Position, shape and bound array of each input."""
_Copies = Sequence[tuple[str, Callable[[], Array]]]
"""Name of each output, and what copies its bound array."""
_Prepared = tuple[Callable[[], int], _Targets, _Copies]
"""One state's bound arrays, taken apart for a quick call: run, targets, copies."""


class StateCalls:
    """Calls on one state, through arrays that are bound once and used again and again.

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
        run = machine.run_unlocked if self._code.plan.has_loops else machine.run
        return bind(self._signature.inputs, self._outputs, ticks, run, machine)

    def evaluate(self, values: Sequence[ArrayLike]) -> Result | None:
        """Evaluate one state, or return None if the values' shapes say that they are a batch."""
        try:
            prepared = self._pile.pop()
        except IndexError:
            if any(self._of_one_state(k, value) is None for k, value in enumerate(values)):
                return None  # nothing is compiled for one state before one comes
            prepared = self._prepare()
        run, targets, copies = prepared
        try:
            for k, shape, target in targets:
                value = values[k]
                if type(value) is _ndarray and value.dtype is FLOAT64 and value.shape == shape:
                    target[...] = value
                    continue
                array = self._of_one_state(k, value)
                if array is None:
                    return None
                target[...] = array
            if run():
                raise self._signature.unusable([target for _, _, target in targets])
            result = Result()
            for name, copy in copies:
                result[name] = copy()
            return result
        finally:
            self._pile.append(prepared)

    def _prepare(self) -> _Prepared:
        bound = self.bind()
        targets = [(k, s.shape, bound.inputs[s.name]) for k, s in enumerate(self._signature.inputs)]
        return bound.run, targets, [(name, array.copy) for name, array in bound.outputs.items()]

    def _of_one_state(self, k: int, value: ArrayLike) -> Array | None:
        """Return the value of input k as an array; None where it is a batch, found out before a large conversion."""
        s = self._signature.inputs[k]
        if isinstance(value, np.ndarray):
            value = cast("Array", value)
            if value.shape != s.shape:
                return None
        array = as_array(self._signature.kernel, s.name, value)
        return array if array.shape == s.shape else None


class BatchCalls:
    """Calls on arrays of any leading shape, split over threads."""

    def __init__(self, signature: Signature, outputs: Sequence[Socket], code: MachineCode) -> None:
        self._signature = signature
        self._outputs = outputs
        self._code = code
        self._last: tuple[object, Walk | None] = (None, None)

    def evaluate(self, values: Sequence[ArrayLike], ticks: int | None, threads: int | None) -> Result:
        """Evaluate a batch. A batch of no leading shape is one state, which is refused if it is unusable."""
        kernel, inputs = self._signature.kernel, self._signature.inputs
        arrays = [as_array(kernel, s.name, value) for s, value in zip(inputs, values, strict=True)]
        through = self.walk(arrays, ticks)
        result, unusable = self.run(arrays, through, 1 if through.count == 1 else compiler.host().width, threads)
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
        outputs = [new_output(s, through.shape, through.ticks) for s in self._outputs]
        unusable = 0
        if through.count:
            machine = self._code.machine(width)
            words = through.over((*inputs, *outputs))

            def new_work() -> Work:
                workspace = aligned(machine.workspace_bytes)
                work = functools.partial(machine.run_unlocked, address(words), address(workspace))
                work.__dict__["keeps"] = (inputs, outputs, through, words, workspace)  # it knows only their addresses
                return work

            block = max(1, _BLOCK_WORK // (self._code.plan.work * max(1, through.ticks) * width)) * width
            unusable = spread(new_work, through.count, block, threads)
        return Result((s.name, array) for s, array in zip(self._outputs, outputs, strict=True)), unusable
