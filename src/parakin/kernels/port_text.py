"""Read inputs from the caller's arrays to the workspace, W states at a time, and judge them on the way.

Where the elements of a state lie side by side, W elements of W states are moved at a time, a square of values that is
turned over in registers; of a single state, eight elements at a time. A status is a 32-bit integer, anything else a
double.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from parakin.kernels.context import GAUGE, HEADER_WORDS, PORT_WORDS
from parakin.kernels.lanes import Lanes
from parakin.kernels.layout import layout
from parakin.kernels.plan import Plan, Scanned
from parakin.kernels.ports import Port

STRAIGHT = 8
"""Elements of a signal, or squares of a port, that are moved by straight code; more are moved by a loop."""


class PortWriter:
    """A writer of the code that finds the data of states and fetches inputs, for one plan and width.

    kept: values that the largest stage hands on between its parts. unchecked: inputs that are not judged.
    """

    def __init__(
        self,
        plan: Plan,
        width: int,
        status: str | None,
        kept: int,
        *,
        fused: bool,
        unchecked: Sequence[str] = (),
    ) -> None:
        self.plan = plan
        self.unchecked = unchecked
        self.status = status
        self.ports = (*plan.inputs, *plan.outputs)
        self.b = Lanes(width, fused=fused)
        self.layout = layout(plan, width, kept)
        self.side = width if width > 1 else STRAIGHT
        self.judged = status is not None and not any(isinstance(action, Scanned) for action in plan.actions)

    def begin(self) -> None:
        """Write what all the rest needs once: words of the context, and places for sums."""
        b = self.b
        self.dimensions = self.word(0)
        self.ticks = self.word(1)
        self.streamed = b.let(f"icmp ne i64 {self.word(2)}, 0")
        self.bad, self.sums = ([b.reserve(b.real) for _ in range(self.side)] for _ in range(2))
        self.row = b.reserve(f"<{self.side} x double>")

    # The context ---------------------------------------------------------------------------------------------------

    def word(self, index: str | int) -> str:
        """Read a word of the context."""
        return self.b.get("i64", self.b.let(f"getelementptr i64, ptr %context, i64 {index}"))

    def port_word(self, port: str | int, index: str | int) -> str:
        """Read word `index` of a port's record: HEADER_WORDS + dimensions + port (PORT_WORDS + dimensions) + index."""
        b = self.b
        record = b.count("mul", port, b.count("add", self.dimensions, PORT_WORDS))
        start = b.count("add", record, b.count("add", self.dimensions, HEADER_WORDS))
        return self.word(b.count("add", start, index))

    def lane_pointer(self, port: str | int, lane: int) -> str:
        """Return where the address of a port's data for one lane is kept."""
        b = self.b
        return b.address(b.address("%work", b.count("mul", port, 8 * b.width)), self.layout.pointers + 8 * lane)

    def point(self, first: str) -> None:
        """Work out, for each lane and port, where that state's data starts: address + sum of index x stride."""
        one = self.b.let(f"icmp eq i64 {self.dimensions}, 1")
        with self.b.when(one):
            self.point_along(first)
        with self.b.when(self.b.let(f"xor i1 {one}, true")):
            self.point_across(first)

    def point_along(self, first: str) -> None:
        """Do so in one dimension: from lane to lane by the stride, or not at all beyond the last state."""
        b = self.b
        states = [b.count("add", first, lane) for lane in range(1, b.width)]
        steps = [b.let(f"sext i1 {b.let(f'icmp slt i64 {state}, %stop')} to i64") for state in states]
        for port in range(len(self.ports)):
            record = HEADER_WORDS + 1 + port * (PORT_WORDS + 1)
            stride = self.word(record + PORT_WORDS)
            place = b.count("add", self.word(record), b.count("mul", first, stride))
            b.put("i64", place, self.lane_pointer(port, 0))
            for lane, step in enumerate(steps, 1):
                place = b.count("add", place, b.count("and", stride, step))
                b.put("i64", place, self.lane_pointer(port, lane))

    def point_across(self, first: str) -> None:
        """Do so in several dimensions: the indices from the number of the state, the last dimension first."""
        b = self.b
        last = b.count("sub", "%stop", 1)
        rest: list[str] = []
        for lane in range(b.width):
            state = b.count("add", first, lane)
            inside = b.let(f"icmp slt i64 {state}, {last}")
            place = b.reserve("i64")
            b.put("i64", b.let(f"select i1 {inside}, i64 {state}, i64 {last}"), place)
            rest.append(place)
        with b.loop(len(self.ports)) as port:
            address = self.port_word(port, 0)
            for lane in range(b.width):
                b.put("i64", address, self.lane_pointer(port, lane))
        inner = b.count("sub", self.dimensions, 1)
        with b.loop(inner) as step:  # from the last dimension to the second
            dimension = b.count("sub", inner, step)
            length = self.word(b.count("add", dimension, HEADER_WORDS))
            indices: list[str] = []
            for place in rest:
                state = b.get("i64", place)
                indices.append(b.count("urem", state, length))
                b.put("i64", b.count("udiv", state, length), place)
            self.advance(dimension, indices)
        self.advance("0", [b.get("i64", place) for place in rest])

    def advance(self, dimension: str, indices: Sequence[str]) -> None:
        """Move each lane's pointers by its index times the stride of one dimension."""
        b = self.b
        with b.loop(len(self.ports)) as port:
            stride = self.port_word(port, b.count("add", dimension, PORT_WORDS))
            for lane, index in enumerate(indices):
                kept = self.lane_pointer(port, lane)
                b.put("i64", b.count("add", b.get("i64", kept), b.count("mul", index, stride)), kept)

    # Data ----------------------------------------------------------------------------------------------------------

    def signal(self, name: str) -> str:
        """Return the place of a signal in the workspace."""
        return self.b.address("%work", self.layout.signals[name])

    def element(self, base: str, index: str) -> str:
        """Return the place of one element, W lanes wide, of a signal."""
        return self.b.let(f"getelementptr {self.b.real}, ptr {base}, i64 {index}")

    def rows(self, k: int, tick: str) -> list[str]:
        """Return for each lane the pointer to the port's data at this tick."""
        b = self.b
        offset = b.count("mul", tick, self.port_word(k, 1))
        return [b.address(b.get("ptr", self.lane_pointer(k, lane)), offset) for lane in range(b.width)]

    def fetch(self, k: int, port: Port, tick: str) -> None:
        """Read a port's elements into its signal, and mark the lanes in which one of them is unusable."""
        b = self.b
        rows, target = self.rows(k, tick), self.signal(port.name)
        address = self.port_word(k, 2)
        scattered = b.let(f"icmp ne i64 {address}, 0")
        table = b.let(f"inttoptr i64 {address} to ptr")
        with b.loop(b.let(f"select i1 {scattered}, i64 {port.size}, i64 0")) as index:
            offset = b.get("i64", b.let(f"getelementptr i64, ptr {table}, i64 {index}"))
            self.take(port, [b.pack([b.get("double", b.address(row, offset)) for row in rows])], target, index)
        with b.when(b.let(f"xor i1 {scattered}, true")):
            self.by_squares(port, lambda first: self.take(port, self.read_square(port, rows, first), target, first))
        zeros = sorted(set(range(port.size)) - port.pattern)
        if zeros:
            places = b.table(f"zeros{k}", zeros)
            with b.loop(len(zeros)) as index:
                zero = b.get("i64", b.let(f"getelementptr i64, ptr {places}, i64 {index}"))
                nonzero = b.compare("une", b.load(self.element(target, zero)), b.number(0.0))
                self.mark(b.select(nonzero, b.number(math.nan), b.number(0.0)))

    def square(self, port: Port) -> int:
        """Return how many elements of a port are moved at a time."""
        return self.side if port.size >= self.side else 1

    def by_squares(self, port: Port, move: Callable[[str], None]) -> None:
        """Let `move` move every square, given its first element; the last two overlap where they must."""
        b, square = self.b, self.square(port)
        count, last = -(-port.size // square), port.size - square
        if count <= STRAIGHT:
            for k in range(count):
                move(str(min(k * square, last)))
            return
        with b.loop(count) as index:
            start = b.count("mul", index, square)
            move(b.let(f"select i1 {b.let(f'icmp slt i64 {start}, {last}')}, i64 {start}, i64 {last}"))

    def read_square(self, port: Port, rows: Sequence[str], first: str) -> list[str]:
        """Read a square of elements from W states, and turn it over: one value of W lanes for each element."""
        b = self.b
        near = [b.address(row, b.count("mul", first, 8)) for row in rows]
        if b.width == 1:
            return [b.get("double", b.address(near[0], 8 * element)) for element in range(self.square(port))]
        if self.square(port) == 1:
            return [b.pack([b.get("double", row) for row in near])]
        return b.transposed([b.let(f"load {b.real}, ptr {row}, align 8") for row in near])

    def take(self, port: Port, values: Sequence[str], target: str, first: str) -> None:
        """Store elements of a signal, from element `first` on, and mark the lanes in which one is not finite.

        Nothing is marked of ports that are not to be judged.
        """
        b = self.b
        place = self.element(target, first)
        for k, value in enumerate(values):
            b.store(value, b.address(place, 8 * b.width * k))
            if port.name not in self.unchecked:
                self.mark(value, k)

    def mark(self, value: str, k: int = 0) -> None:
        """Add x 0 to one of several sums; a sum is NaN in a lane that has met anything but finite numbers.

        Where large numbers are refused too, x is first multiplied by a number with which these overflow. Each element
        is judged by itself, so that what is refused does not depend on how many lanes there are.
        """
        b = self.b
        if self.judged:
            value = b.mul(value, b.number(GAUGE))
        b.put(b.real, b.fma(value, b.number(0.0), b.get(b.real, self.bad[k])), self.bad[k])

    def unusable(self) -> str:
        """Return the mask of lanes that have been marked."""
        total = self.total(self.bad)
        return self.b.compare("uno", total, total)

    def total(self, places: Sequence[str]) -> str:
        """Return the sum of what is in some places."""
        b = self.b
        total = b.get(b.real, places[0])
        for place in places[1:]:
            total = b.add(total, b.get(b.real, place))
        return total
