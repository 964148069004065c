"""Write outputs from the workspace to the caller's arrays, W states at a time, and judge them on the way.

Outputs of a call that are more than caches hold are *streamed*: whole lines are written past the caches, which would
otherwise fetch each line from memory before it is written to.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from parakin.kernels.context import LINE_BYTES, UNUSABLE_STATUS
from parakin.kernels.layout import is_staged, is_streamed
from parakin.kernels.port_text import PortWriter
from parakin.kernels.ports import Port


class _Rows(NamedTuple):
    """Where the elements of W states are written to."""

    places: Sequence[str]
    """Pointer to the first element of each state."""
    streamed: str | None = None
    """An i1: whether they are written past the caches; None where they never are."""


class DeliveryWriter(PortWriter):
    """A writer of the code that delivers outputs, for one plan and width."""

    def deliver_judged(self) -> None:
        """Write all outputs while adding up their products with 0; if a good state has a sum that is NaN, do it again.

        Such states are marked, so that the second time they come out NaN.
        """
        b, kind = self.b, f"<{self.side} x double>"
        with b.loop(2):
            for place in self.sums:
                b.put(b.real, b.number(0.0), place)
            b.put(kind, "zeroinitializer", self.row)
            usable = b.inverted(self.unusable())
            for k, port in enumerate(self.plan.outputs):
                self.deliver(len(self.plan.inputs) + k, port, "0")
            total = self.total(self.sums)
            if b.width == 1:
                row = b.get(kind, self.row)
                for k in range(self.side):
                    total = b.add(total, b.let(f"extractelement {kind} {row}, i64 {k}"))
            good = b.compare("oeq", b.load(self.signal(str(self.status))), b.number(0.0))
            infinite = b.compare("uno", total, total)
            broken = b.both(usable, b.both(good, infinite))
            b.put(b.real, b.select(broken, b.number(math.nan), b.get(b.real, self.bad[0])), self.bad[0])
            b.leave_if(b.let(f"xor i1 {b.any(broken)}, true"))

    def deliver(self, k: int, port: Port, tick: str) -> None:
        """Write a signal to its port, NaN in the lanes that have been marked."""
        rows, source, unusable = self.rows(k, tick), self.signal(port.name), self.unusable()
        if port.name == self.status:
            for element in range(port.size):
                self.deliver_status(rows, source, element, unusable)
        else:
            self.deliver_rows(port, rows, source, unusable)

    def deliver_rows(self, port: Port, rows: Sequence[str], source: str, unusable: str) -> None:
        """Write the elements of W states to their rows: past the caches, if the outputs of the call are streamed.

        Where each row is whole lines, they are written one by one. Where only W rows are, the rows are put together on
        a stage, which stays in a cache, and its lines are written on: a line written bit by bit would first be fetched
        from memory, and lines written by halves at long intervals go to memory twice.
        """
        b, size = self.b, 8 * port.size
        if not is_streamed(port, b.width):
            self.by_squares(port, lambda first: self.write_square(port, _Rows(rows), source, first, unusable))
        elif not is_staged(port, b.width):
            lines = _Rows(rows, self.both(self.streamed, self.on_lines(rows)))
            self.by_squares(port, lambda first: self.write_square(port, lines, source, first, unusable))
        else:
            span = b.count("sub", *(b.let(f"ptrtoint ptr {row} to i64") for row in (rows[-1], rows[0])))
            adjacent = b.let(f"icmp eq i64 {span}, {(b.width - 1) * size}")
            streamed = self.both(self.streamed, self.both(self.on_lines(rows[:1]), adjacent))
            stage = b.address("%work", self.layout.stage)
            with b.when(streamed):
                places = _Rows([b.address(stage, lane * size) for lane in range(b.width)])
                self.by_squares(port, lambda first: self.write_square(port, places, source, first, unusable))
                with b.loop(port.size) as line:
                    offset = b.count("mul", line, 8 * b.width)
                    b.store_past_caches(b.load(b.address(stage, offset)), b.address(rows[0], offset))
            with b.when(b.let(f"xor i1 {streamed}, true")):
                self.by_squares(port, lambda first: self.write_square(port, _Rows(rows), source, first, unusable))

    def both(self, a: str, b: str) -> str:
        """Write the conjunction of two i1."""
        return self.b.let(f"and i1 {a}, {b}")

    def on_lines(self, rows: Sequence[str]) -> str:
        """Write whether all rows begin on a cache line."""
        b = self.b
        places = [b.let(f"ptrtoint ptr {row} to i64") for row in rows]
        union = functools.reduce(lambda one, other: b.count("or", one, other), places)
        return b.let(f"icmp eq i64 {b.count('and', union, LINE_BYTES - 1)}, 0")

    def end_stream(self) -> None:
        """Let other threads see what was written past the caches before they see anything that is written later."""
        with self.b.when(self.streamed):
            self.b.do("fence seq_cst")

    def write_square(self, port: Port, rows: _Rows, source: str, first: str, unusable: str) -> None:
        """Write a square of elements to W states, NaN in the lanes of the mask."""
        b = self.b
        place, offset = self.element(source, first), b.count("mul", first, 8)
        square = self.square(port)
        if b.width == 1 and square > 1:
            self.write_row(place, b.address(rows.places[0], offset), unusable)
            return
        values = [b.load(b.address(place, 8 * b.width * element)) for element in range(square)]
        if self.judged:
            for value, total in zip(values, self.sums, strict=False):
                b.put(b.real, b.fma(value, b.number(0.0), b.get(b.real, total)), total)
        values = [b.select(unusable, b.number(math.nan), value) for value in values]
        near = [b.address(row, offset) for row in rows.places]
        if square == 1:
            for lane, row in enumerate(near):
                b.put("double", b.lane(values[0], lane), row)
        else:
            self.write_vectors(b.transposed(values), _Rows(near, rows.streamed))

    def write_vectors(self, values: Sequence[str], rows: _Rows) -> None:
        """Write W lanes to each row."""
        b = self.b

        def store() -> None:
            for value, place in zip(values, rows.places, strict=True):
                b.do(f"store {b.real} {value}, ptr {place}, align 8")

        if rows.streamed is None:
            store()
            return
        with b.when(rows.streamed):
            for value, place in zip(values, rows.places, strict=True):
                b.store_past_caches(value, place)
        with b.when(b.let(f"xor i1 {rows.streamed}, true")):
            store()

    def write_row(self, source: str, target: str, unusable: str) -> None:
        """Write eight elements of a single state at once, NaN if it is unusable, and add up their products with 0."""
        b, kind = self.b, f"<{self.side} x double>"
        values = b.let(f"load {kind}, ptr {source}, align 8")
        if self.judged:
            nothing = b.let(f"fmul {kind} {values}, zeroinitializer")
            b.put(kind, b.let(f"fadd {kind} {b.get(kind, self.row)}, {nothing}"), self.row)
        nothing = f"<{', '.join([f'double {b.number(math.nan)}'] * self.side)}>"
        values = b.let(f"select i1 {unusable}, {kind} {nothing}, {kind} {values}")
        b.do(f"store {kind} {values}, ptr {target}, align 8")

    def deliver_status(self, rows: Sequence[str], source: str, element: int, unusable: str) -> None:
        """Write one element of a status to each lane's state as a 32-bit integer."""
        b = self.b
        value = b.load(self.element(source, str(element)))
        value = b.select(self.no_status(value, unusable), b.number(float(UNUSABLE_STATUS)), value)
        for row, whole in zip(rows, b.short_integers(value), strict=True):
            b.put("i32", whole, b.address(row, 4 * element))

    def no_status(self, value: str, unusable: str) -> str:
        """Return the mask of lanes in which an input was unusable, or the model's status is no integer that fits."""
        b = self.b
        broken = b.compare("une", value, b.intrinsic("floor", value))
        too_large = b.compare("uge", b.intrinsic("fabs", value), b.number(2.0**31))
        return b.either(unusable, b.either(broken, too_large))
