"""Kernel: a symbolic model as a fast function of numpy arrays."""

from __future__ import annotations

import functools
import numbers
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.errors import KernelInputError, UnsupportedModelError
from parakin.kernels import c_files, compiler
from parakin.kernels.arguments import FLOAT64, Array, Socket, Walk, address, as_array, new_output, socket, walk
from parakin.kernels.bound import BoundKernel, aligned, bind
from parakin.kernels.code import Port, check_operations
from parakin.kernels.composed import composed
from parakin.kernels.module_text import Options, module_text
from parakin.kernels.operations import OperationCount
from parakin.kernels.plan import Scanned, plan
from parakin.kernels.program import Program, names_of
from parakin.kernels.threads import COMPILING, Work, cores, spread

Result = dict[str, NDArray[Any]]
"""Output name -> float64 array; a status is int32."""

_Binding = tuple[BoundKernel, Sequence[tuple[str, tuple[int, ...], Array]], Sequence[tuple[str, Array]]]
"""Bound arrays of one state: where inputs go, with their shapes, and where outputs come from."""

_BLOCK_WORK = 4_000_000
"""Instructions in a block of states: a fraction of a millisecond, still far above what handing a block out costs."""
_RESERVED = frozenset({"threads", "ticks"})


def _one(kernel: str, name: str, shape: tuple[int, ...], value: ArrayLike) -> Array | None:
    """A value of one state as an array; None where its shape says it is not one, before anything large is converted."""
    if isinstance(value, np.ndarray):
        value = cast("Array", value)
        if value.shape != shape:
            return None
    array = as_array(kernel, name, value)
    return array if array.shape == shape else None


class Kernel:
    """A model compiled for this machine.

        kernel = Kernel(function)                    # a casadi.Function of SX, or a Program
        tau = kernel(pose, velocity=v)["tau"]        # arrays with any leading batch shape, by name or position

    matrices: inputs and outputs that stay (..., rows, columns) although they have one column;
    status: the output that is an integer, 0 for good; units: name -> unit, shown in C headers;
    contraction: round a product and a sum once, where the host can; reciprocals: divide repeatedly by one value
    through its reciprocal, which costs a rounding and assumes divisors between 2^-1022 and 2^1022.
    """

    def __init__(
        self,
        model: ca.Function | Program,
        *,
        matrices: str | Iterable[str] = (),
        status: str | None = None,
        units: Mapping[str, str] | None = None,
        contraction: bool = True,
        reciprocals: bool = True,
    ) -> None:
        if not isinstance(model, ca.Function | Program):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedModelError(type(model).__name__, "a kernel is made of a casadi.Function or a Program")
        self.program = Program.of(model) if isinstance(model, ca.Function) else model
        self.plan = plan(self.program)
        self.name = self.plan.name
        self.matrices = names_of(matrices)
        self.status = status
        self.units = dict(units or {})
        self.contraction = contraction
        self.reciprocals = reciprocals
        self._check()
        self.inputs = tuple(self._socket(port, port.name in self.plan.ticked_inputs) for port in self.plan.inputs)
        self.outputs = tuple(self._socket(port, port.name in self.plan.ticked_outputs) for port in self.plan.outputs)
        self.scans = any(isinstance(action, Scanned) for action in self.plan.actions)
        self._order = {s.name: k for k, s in enumerate(self.inputs)}
        self._machines: dict[int, compiler.Machine] = {}
        self._local = threading.local()
        self._last: tuple[object, Walk | None] = (None, None)

    def _check(self) -> None:
        for stage in self.plan.stages:
            check_operations(stage.function)
        names_in = [port.name for port in self.plan.inputs]
        names_out = [port.name for port in self.plan.outputs]
        for name in (*self.matrices, *self.units, *([] if self.status is None else [self.status])):
            known = names_out if name == self.status else (*names_in, *names_out)
            if name not in known:
                raise UnsupportedModelError(self.name, f"has no '{name}'; it has {', '.join(known)}")
        for name in _RESERVED.intersection(names_in):
            raise UnsupportedModelError(self.name, f"an input cannot be named '{name}', a call's own argument")

    def _socket(self, port: Port, ticked: bool) -> Socket:
        unit = self.units.get(port.name, "")
        named = port.name == self.status
        return socket(port, matrix=port.name in self.matrices, ticked=ticked, unit=unit, status=named)

    def __repr__(self) -> str:
        def signature(sockets: tuple[Socket, ...]) -> str:
            return ", ".join(f"{s.name}{s.describe()}" for s in sockets)

        return f"Kernel({self.name}: {signature(self.inputs)} -> {signature(self.outputs)})"

    def _options(self) -> dict[str, Any]:
        return {
            "matrices": self.matrices,
            "status": self.status,
            "units": self.units,
            "contraction": self.contraction,
            "reciprocals": self.reciprocals,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(Kernel, **self._options()), (self.program,)

    # Calls ---------------------------------------------------------------------------------------------------------

    def __call__(
        self, /, *args: ArrayLike, threads: int | None = None, ticks: int | None = None, **named: ArrayLike
    ) -> Result:
        """Evaluate. Inputs have shape (..., *shape); leading shapes broadcast; outputs have the broadcast shape.

        A single state (no leading shape) with a non-finite input is refused; in a batch its rows come out NaN, and a
        status -1. threads: at most so many for a large batch (all cores by default). ticks: length of a scan without
        per-tick inputs.
        """
        values = args if not named and len(args) == len(self.inputs) else self._ordered(args, named)
        if not self.scans and threads is None and ticks is None:
            single = self._single(values)
            if single is not None:
                return single
        arrays = [as_array(self.name, s.name, value) for s, value in zip(self.inputs, values, strict=True)]
        through = self._walk_through(arrays, self._ticks(ticks))
        result, unusable = self._run(arrays, through, 1 if through.count == 1 else compiler.host().width, threads)
        if unusable and through.shape == ():
            raise self._unusable(arrays)
        return result

    def evaluate(self, inputs: Mapping[str, ArrayLike]) -> Result:
        """Evaluate as a call does, with all inputs in one mapping by name."""
        return self(**inputs)  # pyright: ignore[reportArgumentType]

    def _walk_through(self, arrays: Sequence[Array], ticks: int | None) -> Walk:
        """The same as last time for arrays of the same shapes and strides: it takes longer than a hundred states."""
        key = ticks, [(array.shape, array.strides) for array in arrays]
        known, through = self._last
        if through is None or known != key:
            through = walk(self.name, self.inputs, self.outputs, arrays, ticks)
            self._last = key, through
        return through

    def _ordered(self, args: tuple[ArrayLike, ...], named: dict[str, ArrayLike]) -> Sequence[ArrayLike]:
        """The values in the order of the inputs."""
        names = ", ".join(self._order)
        if len(args) > len(self.inputs):
            raise KernelInputError(self.name, "arguments", f"at most {len(self.inputs)} ({names})", str(len(args)))
        given: dict[str, ArrayLike] = {s.name: value for s, value in zip(self.inputs, args, strict=False)}
        for name, value in named.items():
            if name not in self._order:
                raise KernelInputError(self.name, name, f"an input among {names}", "an unknown name")
            if name in given:
                raise KernelInputError(self.name, name, "one value", "a position and a name")
            given[name] = value
        for s in self.inputs:
            if s.name not in given:
                raise KernelInputError(self.name, s.name, f"an array of shape {s.describe()}", "nothing")
        return [given[s.name] for s in self.inputs]

    def _ticks(self, ticks: int | None) -> int | None:
        if ticks is None:
            if self.scans and not self.plan.ticked_inputs:
                raise KernelInputError(self.name, "ticks", "a number of ticks (ticks=...)", "nothing")
            return None
        if not self.scans:
            raise KernelInputError(self.name, "ticks", "nothing, for the program has no scan", str(ticks))
        return self._whole("ticks", ticks, 0)

    def _whole(self, name: str, value: int, least: int) -> int:
        if not isinstance(value, numbers.Integral) or value < least:
            raise KernelInputError(self.name, name, f"a whole number, at least {least}", repr(value))
        return int(value)

    def _single(self, values: Sequence[ArrayLike]) -> Result | None:
        """One state, through arrays bound once for each thread; None if it is not one state.

        The binding is taken away while it is used, so that a signal handler may call the same kernel.
        """
        binding = self._local.__dict__.pop("single", None)
        if binding is None:
            if any(_one(self.name, s.name, s.shape, v) is None for s, v in zip(self.inputs, values, strict=True)):
                return None  # nothing is compiled for one state before one comes
            binding = self._new_single()
        bound, targets, sources = binding
        try:
            for value, (name, shape, target) in zip(values, targets, strict=True):
                if type(value) is np.ndarray and value.dtype is FLOAT64 and value.shape == shape:
                    target[...] = value
                    continue
                array = _one(self.name, name, shape, value)
                if array is None:
                    return None
                target[...] = array
            if bound.run():
                raise self._unusable(tuple(bound.inputs.values()))
            result: Result = {name: source.copy() for name, source in sources}
        finally:
            self._local.single = binding
        return result

    def _new_single(self) -> _Binding:
        bound = self.bind()
        targets = [(s.name, s.shape, bound.inputs[s.name]) for s in self.inputs]
        return bound, targets, list(bound.outputs.items())

    def _run(self, inputs: Sequence[Array], through: Walk, width: int, threads: int | None) -> tuple[Result, int]:
        """Evaluate a batch with code of one width; also whether any state was unusable."""
        threads = cores() if threads is None else self._whole("threads", threads, 1)
        outputs = [new_output(s, through.shape, through.ticks) for s in self.outputs]
        unusable = 0
        if through.count:
            machine = self._machine(width)
            words = through.over((*inputs, *outputs))

            def new_work() -> Work:
                workspace = aligned(machine.workspace_bytes)
                work = functools.partial(machine.run_unlocked, address(words), address(workspace))
                work.__dict__["keeps"] = (inputs, outputs, through, words, workspace)  # it knows only their addresses
                return work

            block = max(1, _BLOCK_WORK // (self.plan.work * max(1, through.ticks) * width)) * width
            unusable = spread(new_work, through.count, block, threads)
        result: Result = {s.name: array for s, array in zip(self.outputs, outputs, strict=True)}
        return result, unusable

    def _unusable(self, arrays: Sequence[Array]) -> KernelInputError:
        """The error that names the first element that is not finite, or not zero where the model has none."""
        for s, array in zip(self.inputs, arrays, strict=True):
            flat = array.reshape(-1, s.size) if s.size else array.reshape(0, 0)
            for row in flat:
                for element, value in enumerate(row):
                    place = "".join(f"[{k}]" for k in np.unravel_index(element, s.shape)) if s.shape else ""
                    if not np.isfinite(value):
                        return KernelInputError(self.name, f"{s.name}{place}", "a finite number", str(value))
                    if value != 0.0 and element not in s.port.pattern:
                        expected = "0, for the model has a structural zero there"
                        return KernelInputError(self.name, f"{s.name}{place}", expected, str(value))
        return KernelInputError(self.name, "inputs", "finite numbers", "a value that changed during the call")

    # Machine code --------------------------------------------------------------------------------------------------

    def _machine(self, width: int) -> compiler.Machine:
        if width not in self._machines:
            with COMPILING:
                if width not in self._machines:
                    options = self._code_options(width)
                    key = compiler.key_of(self.plan.content, options)
                    self._machines[width] = compiler.compiled(key, width, lambda: module_text(self.plan, options))
        return self._machines[width]

    def _code_options(self, width: int) -> Options:
        return Options(width, self.status, self.contraction, self.reciprocals, compiler.host().fused)

    def llvm_text(self, width: int = 1) -> str:
        """The LLVM text of the code for so many lanes, for the curious."""
        return module_text(self.plan, self._code_options(width))

    def compile(self) -> Kernel:
        """Compile now what calls would compile when they first need it: the code for one state and for batches."""
        self._machine(1)
        self._machine(compiler.host().width)
        return self

    def bind(self, *, ticks: int | None = None) -> BoundKernel:
        """Arrays of one state with a `run` between them, for control loops: no checks, no allocation."""
        if self.scans and ticks is None:
            raise KernelInputError(self.name, "ticks", "a number of ticks (ticks=...)", "nothing")
        length = self._ticks(ticks)
        machine = self._machine(1)
        run = machine.run_unlocked if self.plan.has_loops else machine.run
        return bind(self.inputs, self.outputs, 1 if length is None else length, run, machine)

    # What it is ----------------------------------------------------------------------------------------------------

    @property
    def operations(self) -> OperationCount:
        """Operations of the model, constants folded and common subexpressions merged; loop bodies as `Plan` says."""
        return self.plan.operations

    @functools.cached_property
    def casadi(self) -> ca.Function:
        """The model as one casadi.Function, for optimal control. Programs with data-dependent loops have none."""
        return composed(plan(self.program.surely()))

    def to_c(
        self,
        directory: str | Path,
        name: str | None = None,
        *,
        samples: Mapping[str, ArrayLike] | None = None,
        tolerance: float = c_files.TOLERANCE,
    ) -> c_files.CFiles:
        """Write `name.c`, `name.h` and `name_selftest.c`: C99, no heap, no state, nothing but <math.h>.

        samples: input name -> (count, *shape), states the self-test replays (at least 32; random ones by default);
        tolerance: what the self-test allows, relative to the largest value of an output.
        """
        options: dict[str, Any] = self._options() | {"contraction": False}
        unfused = Kernel(self.program.surely(), **options)
        return c_files.write(unfused, Path(directory), name or self.name, samples, tolerance)
