"""The function that evaluates one state: inputs judged, stages run in loops as the plan says, outputs judged.

    i32 run()        0, or 1 if an input was unusable

A state is treated as the row of a batch: `driver_text.py` says how. There is one lane, so that an iteration simply ends
when it has converged, and a shortcut takes its sure steps or does not.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from parakin.kernels.arguments import Socket
from parakin.kernels.context import GAUGE, UNUSABLE_STATUS
from parakin.kernels.plan import Action, Call, Copy, Iterated, Repeated, Scanned, Shortened
from parakin.kernels.wasm.binary import F64, I32, Function, Signature, f64_const, i32_const
from parakin.kernels.wasm.body import Body
from parakin.kernels.wasm.functions import Functions
from parakin.kernels.wasm.instructions import (
    ABS,
    ADD,
    AND,
    EQ,
    FLOOR,
    I32_ADD,
    I32_LESS,
    I32_NE,
    I32_STORE,
    LT,
    MEMORY_COPY,
    MUL,
    NE,
    OR,
    SELECT,
    TO_I32,
    call,
    f64_load,
    f64_store,
)
from parakin.kernels.wasm.places import DOUBLE, INTEGER, Places

if TYPE_CHECKING:
    from parakin.kernels.kernel import Kernel


class RunWriter:
    """A writer of the function that evaluates one kernel.

    stages: number of the function of each stage of its plan.
    """

    def __init__(self, functions: Functions, kernel: Kernel, stages: Sequence[int], places: Places) -> None:
        self.functions = functions
        self.inputs, self.outputs = kernel.inputs, kernel.outputs
        self.plan = kernel.plan
        self.status = kernel.status
        self.unchecked = kernel.unchecked
        self.stages = stages
        self.places = places
        self.body = Body(())

    def function(self) -> Function:
        """Write the whole function."""
        scans = any(isinstance(action, Scanned) for action in self.plan.actions)
        judged = self.status is not None and not scans
        unusable = self._unusable(judged)

        def evaluate() -> None:
            for s in self.inputs:
                self._copy(self.places.inputs[s.name], self.places.signals[s.name], s.size)
            self._run(self.plan.actions)
            if judged:
                self.body.branch(self._overflown(), self._spoil, self._deliver_status)
            else:
                self._deliver_status()

        self.body.branch(unusable, self._spoil, evaluate)
        return Function(Signature((), (I32,)), self.body.encoded(unusable))

    # Values --------------------------------------------------------------------------------------------------------

    def _whole(self, value: int) -> int:
        return self.body.constant(i32_const(value), I32)

    def _number(self, value: float) -> int:
        return self.body.constant(f64_const(struct.unpack("<Q", struct.pack("<d", value))[0]), F64)

    def _load(self, address: int) -> int:
        """Read a double now, whatever is written later."""
        return self.body.do(f64_load(0), self._whole(address), results=(F64,))[0]

    def _store(self, address: int, value: int) -> None:
        self.body.do(f64_store(0), self._whole(address), value)

    # Judging -------------------------------------------------------------------------------------------------------

    def _unusable(self, judged: bool) -> int:
        """Write whether an input is not finite, not zero where the model has a structural zero, or far too large."""
        b = self.body
        checked = [s for s in self.inputs if s.name not in self.unchecked]
        broken = self._infinite(checked, self.places.inputs, GAUGE if judged else 1.0)
        for s in self.inputs:
            for element in sorted(set(range(s.size)) - s.port.pattern):
                value = self._load(self.places.inputs[s.name] + DOUBLE * element)
                broken = b.let(OR, I32, broken, b.let(NE, I32, value, self._number(0.0)))
        return broken

    def _infinite(self, sockets: Iterable[Socket], places: dict[str, int], factor: float) -> int:
        """Write whether any element of some ports, times a factor, is not finite."""
        b = self.body
        total = self._number(0.0)
        number = self.functions.number("nothing", _nothing)
        for s in sockets:
            if s.size:
                start = places[s.name]
                arguments = self._whole(start), self._whole(start + DOUBLE * s.size), self._number(factor)
                (added,) = b.do(call(number), *arguments, results=(F64,))
                total = b.let(ADD, F64, total, added)
        return b.let(NE, I32, total, total)

    def _overflown(self) -> int:
        """Write whether the model calls a state good although an output is not finite."""
        b = self.body
        infinite = self._infinite([s for s in self.outputs if s.name != self.status], self.places.outputs, 1.0)
        good = b.let(EQ, I32, self._load(self.places.signals[str(self.status)]), self._number(0.0))
        return b.let(AND, I32, good, infinite)

    def _spoil(self) -> None:
        """Write NaN to all outputs, and UNUSABLE_STATUS to a status."""
        number = self.functions.number("fill", _fill)
        for s in self.outputs:
            start = self.places.outputs[s.name]
            if s.name == self.status:
                for element in range(s.size):
                    self.body.do(I32_STORE, self._whole(start + INTEGER * element), self._whole(UNUSABLE_STATUS))
            elif s.size:
                self.body.do(call(number), self._whole(start), self._whole(start + DOUBLE * s.size))

    def _deliver_status(self) -> None:
        """Write a status as integers; UNUSABLE_STATUS where it is no integer that fits."""
        b = self.body
        for s in self.outputs:
            if s.name == self.status:
                for element in range(s.size):
                    value = self._load(self.places.signals[s.name] + DOUBLE * element)
                    whole = b.let(EQ, I32, value, b.let(FLOOR, F64, value))
                    fits = b.let(LT, I32, b.let(ABS, F64, value), self._number(2.0**31))
                    usable = b.let(AND, I32, whole, fits)
                    told = b.let(SELECT, F64, value, self._number(float(UNUSABLE_STATUS)), usable)
                    place = self._whole(self.places.outputs[s.name] + INTEGER * element)
                    b.do(I32_STORE, place, b.let(TO_I32, I32, told))

    # Actions -------------------------------------------------------------------------------------------------------

    def _run(self, actions: Sequence[Action]) -> None:
        for action in actions:
            match action:
                case Call(stage, reads, writes):
                    addresses = [self.places.signals[name] for name in (*reads, *writes)]
                    self.body.do(call(self.stages[stage]), *map(self._whole, (*addresses, self.places.kept)))
                case Copy(source, target):
                    self._copy(self.places.signals[source], self.places.signals[target], self.plan.sizes[target])
                case Repeated(times, body):
                    self._repeat(times, body)
                case Iterated():
                    self._iterate(action)
                case Scanned(body):
                    self._run(body)
                case Shortened(quick, sure, doubt):
                    self._run(quick)
                    value = self._load(self.places.signals[doubt])
                    doubtful = self.body.let(NE, I32, value, self._number(0.0))
                    self.body.branch(doubtful, lambda sure=sure: self._run(sure))

    def _copy(self, source: int, target: int, size: int) -> None:
        if source != target and size:
            self.body.do(MEMORY_COPY, *map(self._whole, (target, source, DOUBLE * size)))

    def _repeat(self, times: int, body: Sequence[Action]) -> None:
        b = self.body
        count = b.variable(I32)
        b.assign([count], [self._whole(0)])

        def step() -> tuple[list[int], int]:
            self._run(body)
            done = b.let(I32_ADD, I32, count, self._whole(1))
            return [done], b.let(I32_LESS, I32, done, self._whole(times))

        b.loop([count], step)

    def _iterate(self, action: Iterated) -> None:
        """Write a loop that ends when `until` is not zero, or at the limit; `steps` counts the runs."""
        b = self.body
        steps, until = self.places.signals[action.steps], self.places.signals[action.until]
        self._store(steps, self._number(0.0))

        def step() -> tuple[list[int], int]:
            self._run(action.body)
            done = b.let(ADD, F64, self._load(steps), self._number(1.0))
            self._store(steps, done)
            go_on = b.let(EQ, I32, self._load(until), self._number(0.0))
            return [], b.let(AND, I32, go_on, b.let(LT, I32, done, self._number(float(action.limit))))

        b.loop([], step)


def _nothing() -> Function:
    """Write nothing(start, end, factor): the sum of 0 factor x over the doubles between two addresses, 0 or NaN."""
    b = Body((I32, I32, F64))
    start, end, factor = b.parameters
    at, total = b.variable(I32), b.variable(F64)
    b.assign([at, total], [start, b.constant(f64_const(0), F64)])

    def step() -> tuple[list[int], int]:
        value = b.let(f64_load(0), F64, at)
        following = b.let(I32_ADD, I32, at, b.constant(i32_const(DOUBLE), I32))
        product = b.let(MUL, F64, b.let(MUL, F64, value, factor), b.constant(f64_const(0), F64))
        more = b.let(ADD, F64, total, product)
        return [following, more], b.let(I32_NE, I32, following, end)

    b.loop([at, total], step)
    return Function(Signature((I32, I32, F64), (F64,)), b.encoded(total))


def _fill() -> Function:
    """Write fill(start, end): NaN to all doubles between two addresses."""
    b = Body((I32, I32))
    start, end = b.parameters
    at = b.variable(I32)
    b.assign([at], [start])
    nothing = b.constant(f64_const(struct.unpack("<Q", struct.pack("<d", math.nan))[0]), F64)

    def step() -> tuple[list[int], int]:
        b.do(f64_store(0), at, nothing)
        following = b.let(I32_ADD, I32, at, b.constant(i32_const(DOUBLE), I32))
        return [following], b.let(I32_NE, I32, following, end)

    b.loop([at], step)
    return Function(Signature((I32, I32), ()), b.encoded())
