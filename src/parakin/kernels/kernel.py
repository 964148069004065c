"""Kernel: a symbolic model as a fast function of numpy arrays."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from parakin.errors import KernelInputError, UnsupportedModelError
from parakin.kernels.arguments import Socket, socket, whole_number
from parakin.kernels.batch_calls import BatchCalls, FewCalls
from parakin.kernels.bound import BoundKernel
from parakin.kernels.interface import Derivation, Interface, remembered
from parakin.kernels.machine_code import MachineCode
from parakin.kernels.options import C_TOLERANCE
from parakin.kernels.ports import Port, names_of
from parakin.kernels.signature import Result, Signature
from parakin.kernels.state_calls import Direct, StateCalls
from parakin.kernels.threads import COMPILING

if TYPE_CHECKING:
    import casadi as ca

    from parakin.kernels.c_files import CFiles
    from parakin.kernels.operations import OperationCount
    from parakin.kernels.plan import Plan
    from parakin.kernels.program import Program

_RESERVED = frozenset({"threads", "ticks"})
"""Names that no input may have, because a call has arguments of these names."""


class Kernel:
    """A model compiled for this machine.

        kernel = Kernel(function)                    # a casadi.Function of SX, a Program or a Derivation
        tau = kernel(pose, velocity=v)["tau"]        # arrays with any leading batch shape, by name or position

    matrices: inputs and outputs that stay (..., rows, columns) although they have one column;
    numbers: those that are one number, where all others with one entry are vectors (..., 1); by default everything that
    has one entry is a number;
    status: the output that is an integer, 0 for good; units: name -> unit, shown in C headers;
    contraction: round a product and a sum once, where the host can; reciprocals: divide repeatedly by one value
    through its reciprocal, which costs a rounding and assumes divisors between 2^-1022 and 2^1022;
    unchecked: inputs that the model looks at itself: they reach it as they come, finite or not.

    >>> x = ca.SX.sym("x", 2)
    >>> kernel = pk.Kernel(ca.Function("model", [x], [ca.norm_2(x)], ["x"], ["length"]))
    >>> kernel(np.array([[3.0, 4.0], [6.0, 8.0]]))["length"]
    array([ 5., 10.])
    """

    def __init__(
        self,
        model: ca.Function | Program | Derivation,
        *,
        matrices: str | Iterable[str] = (),
        numbers: Iterable[str] | None = None,
        status: str | None = None,
        units: Mapping[str, str] | None = None,
        contraction: bool = True,
        reciprocals: bool = True,
        unchecked: str | Iterable[str] = (),
    ) -> None:
        self._model: Program | Derivation = model if isinstance(model, Derivation) else _program_of(model)
        self._plan: Plan | None = None
        self._casadi: ca.Function | None = None
        self._interface = self._known_interface()
        self.name = self._interface.name
        self.matrices = names_of(matrices)
        self.numbers = None if numbers is None else frozenset(numbers)
        self.status = status
        self.units = dict(units or {})
        self.contraction = contraction
        self.reciprocals = reciprocals
        self.unchecked = names_of(unchecked)
        self._check()
        known = self._interface
        self.inputs = tuple(self._socket(port, port.name in known.ticked_inputs) for port in known.inputs)
        self.outputs = tuple(self._socket(port, port.name in known.ticked_outputs) for port in known.outputs)
        self.scans = known.scans
        self._code = MachineCode(
            known,
            lambda: self.plan,
            status,
            contraction=contraction,
            reciprocals=reciprocals,
            unchecked=self.unchecked,
        )
        self._signature = Signature(self.name, self.inputs, self.unchecked)
        self._states = StateCalls(self._signature, self.outputs, self._code)
        self._few = FewCalls(self._signature, self.outputs, self._code)
        self._batches = BatchCalls(self._signature, self.outputs, self._code)

    def _known_interface(self) -> Interface:
        """Return the interface of the model; that of a derivation from the cache, if it is there."""
        with COMPILING:
            if isinstance(self._model, Derivation):
                return remembered(self._model, lambda: self.plan.interface)
            return self.plan.interface

    # No cached_property here: Python 3.11 holds a lock of all kernels in it, which a fork could leave locked.

    @property
    def program(self) -> Program:
        """The model as a program; derived now where the kernel was found in the cache."""
        with COMPILING:
            if isinstance(self._model, Derivation):
                self._model = self._model.derive()
            return self._model

    @property
    def plan(self) -> Plan:
        """The program wired, its operations known to be ones that kernels translate."""
        with COMPILING:
            if self._plan is None:
                from parakin.kernels.code import check_operations
                from parakin.kernels.wiring import wired

                self._plan = wired(self.program)
                for stage in self._plan.stages:
                    check_operations(stage.function)
            return self._plan

    def _check(self) -> None:
        names_in = [port.name for port in self._interface.inputs]
        names_out = [port.name for port in self._interface.outputs]
        asked = [(name, (*names_in, *names_out)) for name in (*self.matrices, *self.units)]
        asked += [(name, names_in) for name in self.unchecked]
        for name, known in asked + ([] if self.status is None else [(self.status, names_out)]):
            if name not in known:
                raise UnsupportedModelError(self.name, f"has no '{name}'; it has {', '.join(known)}")
        for name in _RESERVED.intersection(names_in):
            raise UnsupportedModelError(self.name, f"an input cannot be named '{name}', a call's own argument")

    def _socket(self, port: Port, ticked: bool) -> Socket:
        unit = self.units.get(port.name, "")
        named = port.name == self.status
        number = self.numbers is None or port.name in self.numbers
        return socket(port, matrix=port.name in self.matrices, number=number, ticked=ticked, unit=unit, status=named)

    def __repr__(self) -> str:
        def signature(sockets: tuple[Socket, ...]) -> str:
            return ", ".join(f"{s.name}{s.describe()}" for s in sockets)

        return f"Kernel({self.name}: {signature(self.inputs)} -> {signature(self.outputs)})"

    def _options(self) -> dict[str, Any]:
        return {
            "matrices": self.matrices,
            "numbers": self.numbers,
            "status": self.status,
            "units": self.units,
            "contraction": self.contraction,
            "reciprocals": self.reciprocals,
            "unchecked": self.unchecked,
        }

    def __reduce__(self) -> tuple[object, ...]:
        return functools.partial(Kernel, **self._options()), (self.program,)

    # Calls ---------------------------------------------------------------------------------------------------------

    def __call__(
        self, /, *args: ArrayLike, threads: int | None = None, ticks: int | None = None, **named: ArrayLike
    ) -> Result:
        """Evaluate the model on arrays of shape (..., *shape), and return outputs whose leading shape is broadcast.

        Leading shapes broadcast as numpy's do, except that a column (N, 1) for an input of shape () is refused beside
        inputs of N states: it would make N x N states of them.
        A single state (no leading shape) with a non-finite input is refused; in a batch its rows come out NaN, and a
        status -1; `unchecked` inputs are taken as they come. A kernel with a status also refuses inputs beyond 1e48 in
        size, and gives status -1 and NaN where the model says 0 although a result is not finite (programs with a scan
        do neither).
        threads: at most so many for a large batch (all cores by default). ticks: length of a scan without per-tick
        inputs.
        """
        values = args if not named and len(args) == len(self.inputs) else self._signature.ordered(args, named)
        return self._result(values, threads, ticks)

    def evaluate(self, inputs: Mapping[str, ArrayLike]) -> Result:
        """Evaluate as a call does, with all inputs in one mapping by name.

        >>> robot.kernel("inverse_kinematics").evaluate({"pose": pose})["q"].round(4)
        array([-0.1802, -0.5425, -0.7979])
        """
        return self._result(self._signature.ordered((), inputs), None, None)

    def direct(self, output: str) -> Direct:
        """Return the quickest way to one output of one state, for methods that stand on this kernel.

        It takes float64 arrays, and for vectors lists of numbers, in the order of the inputs, and returns None wherever
        a call must look closer: before the kernel's first call, for other types and shapes, and for a state that is not
        good.

        >>> kernel = robot.kernel("inverse_kinematics")
        >>> first, quickest = kernel(pose)["q"], kernel.direct("q")
        >>> quickest([np.array(pose)]).round(4)
        array([-0.1802, -0.5425, -0.7979])
        """
        return self._states.direct(output)

    def _result(self, values: Sequence[ArrayLike], threads: int | None, ticks: int | None) -> Result:
        """Evaluate inputs in their order: one state or a few through bound arrays, anything else where it is."""
        if threads is None and ticks is None and not self.scans:
            result = self._states.evaluate(values) or self._few.evaluate(values)
            if result is not None:
                return result
        return self._batches.evaluate(values, self._ticks(ticks), threads)

    def _ticks(self, ticks: int | None) -> int | None:
        """Check the length of a scan; None where the inputs tell it, or where there is no scan."""
        if ticks is None:
            if self.scans and not self._interface.ticked_inputs:
                raise KernelInputError(self.name, "ticks", "a number of ticks (ticks=...)", "nothing")
            return None
        if not self.scans:
            raise KernelInputError(self.name, "ticks", "nothing, for the program has no scan", str(ticks))
        return whole_number(self.name, "ticks", ticks, 0)

    # Machine code --------------------------------------------------------------------------------------------------

    def llvm_text(self, width: int = 1) -> str:
        """Return the LLVM text of the code for so many lanes, for the curious.

        >>> text = robot.kernel("inverse_kinematics").llvm_text(width=4)
        >>> "<4 x double>" in text
        True
        """
        return self._code.text(width)

    def compile(self) -> Kernel:
        """Compile now what calls would compile when they first need it: the code for one state and for batches.

        >>> kernel = robot.kernel("inverse_dynamics").compile()  # before a control loop begins
        """
        self._code.machine(1)
        self._code.machine(self._code.width)
        return self

    def bind(self, *, ticks: int | None = None) -> BoundKernel:
        """Return arrays of one state with a `run` between them, for control loops: no checks, no allocation.

        >>> bound = robot.kernel("inverse_dynamics").bind()
        >>> for name, value in (("pose", pose), ("velocity", velocity), ("acceleration", acceleration)):
        ...     bound.inputs[name][:] = value
        ...
        >>> bound.run(), bound.outputs["tau"].round(3)
        (0, array([1.775, 0.869, 0.521]))
        """
        if self.scans and ticks is None:
            raise KernelInputError(self.name, "ticks", "a number of ticks (ticks=...)", "nothing")
        length = self._ticks(ticks)
        return self._states.bind(1 if length is None else length)

    # What it is ----------------------------------------------------------------------------------------------------

    @property
    def operations(self) -> OperationCount:
        """Operations of the model, constants folded and common subexpressions merged; loop bodies as `Plan` says."""
        return self.plan.operations

    @property
    def casadi(self) -> ca.Function:
        """The model as one casadi.Function, for optimal control.

        Programs that iterate or scan have none, and raise UnsupportedModelError.
        """
        with COMPILING:
            if self._casadi is None:
                from parakin.kernels.composed import composed
                from parakin.kernels.wiring import wired

                self._casadi = composed(wired(self.program.surely()))
            return self._casadi

    def surely(self, *, contraction: bool | None = None) -> Kernel:
        """Return the kernel with the sure steps of each shortcut in its place: smaller, mostly slower.

        contraction: that of the new kernel, by default the same.

        >>> small = linkage.kernel("inverse_dynamics").surely()
        >>> len(small.to_wasm()) < len(linkage.kernel("inverse_dynamics").to_wasm())
        True
        """
        kept = self.contraction if contraction is None else contraction
        options: dict[str, Any] = self._options() | {"contraction": kept}
        return Kernel(self.program.surely(), **options)

    def to_c(
        self,
        directory: str | Path,
        name: str | None = None,
        *,
        samples: Mapping[str, ArrayLike] | None = None,
        tolerance: float = C_TOLERANCE,
    ) -> CFiles:
        """Write `name.c`, `name.h` and `name_selftest.c`: C99, no heap, no state, nothing but <math.h>.

        samples: input name -> (count, *shape), states the self-test replays (at least 32; random ones by default);
        tolerance: what the self-test allows, relative to the largest value of an output.

        >>> files = robot.kernel("inverse_kinematics").to_c("c", "delta_ik", samples={"pose": robot.sample(100)})
        >>> files.source.name, files.header.name
        ('delta_ik.c', 'delta_ik.h')
        """
        from parakin.kernels import c_files

        unfused = self.surely(contraction=False)
        return c_files.write(unfused, Path(directory), name or self.name, samples, tolerance)

    def to_wasm(self) -> bytes:
        """Return the model as a WebAssembly module: functions `run`, and `memory` for inputs and outputs.

        It has the bits of a kernel made with contraction=False. The custom section `parakin` describes names, shapes
        and places in memory; `kernels.wasm.module` puts several kernels into one module.

        >>> module = robot.kernel("inverse_kinematics").to_wasm()
        >>> module[1:4].decode()
        'asm'
        """
        from parakin.kernels import wasm

        return wasm.module({"run": self})


def _program_of(model: ca.Function | Program) -> Program:
    """Return a model as a program, or refuse it."""
    with COMPILING:
        import casadi as ca

        from parakin.kernels.program import Program

        if isinstance(model, ca.Function):
            return Program.of(model)
        if isinstance(model, Program):  # pyright: ignore[reportUnnecessaryIsInstance]
            return model
    raise UnsupportedModelError(type(model).__name__, "a kernel is made of a casadi.Function or a Program")
