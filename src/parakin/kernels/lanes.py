"""LLVM text for values of W lanes: one writer for every width, so that bits cannot depend on the width.

LLVM's text form is written directly: it is the stable interface, it is fast to make (36,000 operations in some tenths
of a second), and a test can read it. No instruction carries a fast-math flag; what is fused is fused by us.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager

ON_LINES = "alignstack(64)"
"""Attribute of functions that keep many values on the stack: it then begins on a cache line, whoever called.

Elsewhere half of the values, or all, lie across two lines.
"""
PAST_CACHES = "!0"
"""Name of the note on a store that is not to be kept in caches; the module says what it means."""
Pair = tuple[str, str]
"""Two values, such as a sine and a cosine."""
Values = tuple[str, ...]
"""Values of a branch."""


class Lanes:
    """The body of one LLVM function under construction. Values are register names or literals, as strings."""

    def __init__(self, width: int, *, fused: bool) -> None:
        self.width = width
        self.fused = fused  # the host has a multiply-add instruction
        self.real = f"<{width} x double>" if width > 1 else "double"
        self.integer = f"<{width} x i64>" if width > 1 else "i64"
        self.mask = f"<{width} x i1>" if width > 1 else "i1"
        self.lines: list[str] = []
        self._reserved: list[str] = []
        self.declarations: set[str] = set()
        self.called: set[str] = set()  # lane functions this body needs
        self.tables: list[str] = []  # constant arrays this body reads
        self._count = 0
        self._block = "entry"
        self._exits: list[str] = []  # where leaving each open loop leads

    def let(self, instruction: str) -> str:
        """Write an instruction, and return the new register that holds its result."""
        self._count += 1
        self.lines.append(f"  %v{self._count} = {instruction}")
        return f"%v{self._count}"

    def do(self, instruction: str) -> None:
        """Write an instruction that has no result."""
        self.lines.append(f"  {instruction}")

    def _splat(self, scalar: str) -> str:
        """Return a constant, given as "type literal", in every lane."""
        return f"<{', '.join([scalar] * self.width)}>" if self.width > 1 else scalar.partition(" ")[2]

    def number(self, value: float) -> str:
        """Return a real constant."""
        return self.pattern(struct.unpack("<Q", struct.pack("<d", value))[0])

    def pattern(self, bits: int) -> str:
        """Return a real constant from its 64 bits."""
        return self._splat(f"double 0x{bits:016X}")

    def whole(self, value: int) -> str:
        """Return an integer constant."""
        return self._splat(f"i64 {value}")

    # Arithmetic on lanes -------------------------------------------------------------------------------------------

    def add(self, a: str, b: str) -> str:
        """Write a + b."""
        return self.let(f"fadd {self.real} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """Write a - b."""
        return self.let(f"fsub {self.real} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """Write a b."""
        return self.let(f"fmul {self.real} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """Write a / b."""
        return self.let(f"fdiv {self.real} {a}, {b}")

    def neg(self, a: str) -> str:
        """Write -a, which changes the sign of zero and NaN too."""
        return self.let(f"fneg {self.real} {a}")

    def intrinsic(self, name: str, *args: str) -> str:
        """Write a call of one of LLVM's own functions of reals, such as sqrt."""
        suffix = f"v{self.width}f64" if self.width > 1 else "f64"
        symbol = f"@llvm.{name}.{suffix}"
        self.declarations.add(f"declare {self.real} {symbol}({', '.join([self.real] * len(args))})")
        return self.let(f"call {self.real} {symbol}({', '.join(f'{self.real} {a}' for a in args)})")

    def single(self, a: str) -> str:
        """Write a rounded to 24 bits."""
        narrow = self.real.replace("double", "float")
        return self.let(f"fpext {narrow} {self.let(f'fptrunc {self.real} {a} to {narrow}')} to {self.real}")

    def fma(self, a: str, b: str, c: str) -> str:
        """Write a b + c, rounded once where the host can."""
        return self.intrinsic("fma", a, b, c) if self.fused else self.add(self.mul(a, b), c)

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Write a comparison by LLVM's predicate, such as olt: the mask of lanes where it holds."""
        return self.let(f"fcmp {predicate} {self.real} {a}, {b}")

    def select(self, mask: str, a: str, b: str) -> str:
        """Write a where the mask is set, b elsewhere."""
        return self.let(f"select {self.mask} {mask}, {self.real} {a}, {self.real} {b}")

    def both(self, a: str, b: str) -> str:
        """Write the mask of lanes that are in both masks."""
        return self.let(f"and {self.mask} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        """Write the mask of lanes that are in either mask."""
        return self.let(f"or {self.mask} {a}, {b}")

    def inverted(self, a: str) -> str:
        """Write the mask of lanes that are not in a mask."""
        true = self._splat("i1 true")
        return self.let(f"xor {self.mask} {a}, {true}")

    def any(self, mask: str) -> str:
        """Write whether any lane of a mask is set, as one i1."""
        if self.width == 1:
            return mask
        packed = self.let(f"bitcast {self.mask} {mask} to i{self.width}")
        return self.let(f"icmp ne i{self.width} {packed}, 0")

    # Bits of lanes -------------------------------------------------------------------------------------------------

    def bits(self, a: str) -> str:
        """Write the bits of reals as integers."""
        return self.let(f"bitcast {self.real} {a} to {self.integer}")

    def real_of(self, bits: str) -> str:
        """Write the reals that have these bits."""
        return self.let(f"bitcast {self.integer} {bits} to {self.real}")

    def on_bits(self, op: str, a: str, b: str) -> str:
        """Write an operation of LLVM on integers, such as shl."""
        return self.let(f"{op} {self.integer} {a}, {b}")

    def unequal(self, a: str, b: str) -> str:
        """Write the mask of lanes in which two integers differ."""
        return self.let(f"icmp ne {self.integer} {a}, {b}")

    def negative(self, bits: str) -> str:
        """Write the mask of lanes in which an integer is negative: the sign of the real whose bits it is."""
        return self.let(f"icmp slt {self.integer} {bits}, {self.whole(0)}")

    # Functions -----------------------------------------------------------------------------------------------------

    def call(self, name: str, *args: str) -> str:
        """Write a call of a lane function of the module."""
        self.called.add(name)
        return self.let(f"call {self.real} @lane.{name}({', '.join(f'{self.real} {a}' for a in args)})")

    def call_pair(self, name: str, x: str) -> tuple[str, str]:
        """Write a call of a lane function that returns two values."""
        self.called.add(name)
        pair = f"{{ {self.real}, {self.real} }}"
        both = self.let(f"call {pair} @lane.{name}({self.real} {x})")
        return self.let(f"extractvalue {pair} {both}, 0"), self.let(f"extractvalue {pair} {both}, 1")

    def choose(self, condition: str, yes: Callable[[], Values], no: Callable[[], Values]) -> Values:
        """Write two branches, and return the values of the one that is taken."""
        labels = [self.fresh_label(stem) for stem in ("yes", "no", "end")]
        self.do(f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
        branches: list[tuple[Values, str]] = []
        for label, write in zip(labels, (yes, no), strict=False):
            self.label(label)
            values = write()
            branches.append((values, self._block))
            self.do(f"br label %{labels[2]}")
        self.label(labels[2])
        (of_yes, from_yes), (of_no, from_no) = branches
        return tuple(
            self.let(f"phi {self.real} [ {a}, %{from_yes} ], [ {b}, %{from_no} ]")
            for a, b in zip(of_yes, of_no, strict=True)
        )

    def where_all(self, near: Callable[[], str], quick: Callable[[], Values], general: Callable[[], Values]) -> Values:
        """Write values by `quick` if the mask `near()` is set in all lanes, by `general` otherwise.

        The bits must not depend on which it is.
        """
        return self.choose(self.any(self.inverted(near())), general, quick)

    def where_any(self, rare: str, special: Callable[[], Values], usual: Values) -> Values:
        """Write the values of `special` where the mask `rare` is set, those of `usual` elsewhere.

        What is special is skipped if no lane needs it.
        """

        def merged() -> Values:
            return tuple(self.select(rare, a, b) for a, b in zip(special(), usual, strict=True))

        return self.choose(self.any(rare), merged, lambda: usual)

    def repeat_while(self, start: Values, step: Callable[[Values], tuple[Values, str]]) -> Values:
        """Write a loop on integers: `step` gives new values, and the mask of lanes that want another run."""
        before, head, after = self._block, self.fresh_label("again"), self.fresh_label("after")
        self.do(f"br label %{head}")
        self.label(head)
        place = len(self.lines)
        values = tuple(f"%{head}.{k}" for k in range(len(start)))
        following, more = step(values)
        again = self.any(more)
        self.lines[place:place] = [
            f"  {value} = phi {self.integer} [ {first}, %{before} ], [ {then}, %{self._block} ]"
            for value, first, then in zip(values, start, following, strict=True)
        ]
        self.do(f"br i1 {again}, label %{head}, label %{after}")
        self.label(after)
        return following

    def word(self, name: str, table: Sequence[int], index: str) -> str:
        """Write the word of a constant table of 64-bit integers at each lane's index."""
        words = self.table(f"lane.{name}", table)
        found = "undef"
        for k in range(self.width):
            at = self.let(f"extractelement {self.integer} {index}, i64 {k}") if self.width > 1 else index
            word = self.get("i64", self.let(f"getelementptr i64, ptr {words}, i64 {at}"))
            if self.width == 1:
                return word
            found = self.let(f"insertelement {self.integer} {found}, i64 {word}, i64 {k}")
        return found

    # Single lanes --------------------------------------------------------------------------------------------------

    def lane(self, value: str, k: int) -> str:
        """Write one lane of a value, as a double."""
        return self.let(f"extractelement {self.real} {value}, i64 {k}") if self.width > 1 else value

    def short_integers(self, value: str) -> list[str]:
        """Write each lane as a 32-bit integer."""
        if self.width == 1:
            return [self.let(f"fptosi double {value} to i32")]
        kind = f"<{self.width} x i32>"
        whole = self.let(f"fptosi {self.real} {value} to {kind}")
        return [self.let(f"extractelement {kind} {whole}, i64 {k}") for k in range(self.width)]

    def pack(self, lanes: Iterable[str]) -> str:
        """Write one value of W lanes from W doubles."""
        packed = "undef"
        for k, lane in enumerate(lanes):
            if self.width == 1:
                return lane
            packed = self.let(f"insertelement {self.real} {packed}, double {lane}, i64 {k}")
        return packed

    def transposed(self, rows: Sequence[str]) -> list[str]:
        """Write W values in which lane i of value j is lane j of value i.

        Blocks of 1, 2, 4, ... lanes change places.
        """
        rows, step = list(rows), 1
        while step < self.width:
            for i in (i for i in range(self.width) if not i & step):
                a, b = rows[i], rows[i + step]
                low = [lane if not lane & step else self.width + lane - step for lane in range(self.width)]
                rows[i] = self._shuffled(a, b, low)
                rows[i + step] = self._shuffled(a, b, [lane + step for lane in low])
            step *= 2
        return rows

    def _shuffled(self, a: str, b: str, lanes: Sequence[int]) -> str:
        chosen = ", ".join(f"i32 {lane}" for lane in lanes)
        return self.let(f"shufflevector {self.real} {a}, {self.real} {b}, <{self.width} x i32> <{chosen}>")

    # Memory and control --------------------------------------------------------------------------------------------

    def address(self, base: str, offset_bytes: str | int) -> str:
        """Write the pointer so many bytes after another."""
        return self.let(f"getelementptr i8, ptr {base}, i64 {offset_bytes}")

    def reserve(self, kind: str) -> str:
        """Return a place on the stack, taken once when the function is entered."""
        self._count += 1
        self._reserved.append(f"  %v{self._count} = alloca {kind}")
        return f"%v{self._count}"

    def get(self, kind: str, pointer: str) -> str:
        """Write a load of any type."""
        return self.let(f"load {kind}, ptr {pointer}")

    def put(self, kind: str, value: str | int, pointer: str) -> None:
        """Write a store of any type."""
        self.do(f"store {kind} {value}, ptr {pointer}")

    def count(self, op: str, a: str | int, b: str | int) -> str:
        """Write arithmetic on one 64-bit integer."""
        return self.let(f"{op} i64 {a}, {b}")

    def load(self, pointer: str) -> str:
        """Write a load of W lanes from the workspace."""
        return self.let(f"load {self.real}, ptr {pointer}, align {8 * self.width}")

    def load_kept(self, pointer: str) -> str:
        """Write a load that keeps its place among the others, as `store_kept` does.

        Thousands of loads and stores in one straight line that may be exchanged cost LLVM's instruction selection time
        with their square.
        """
        return self.let(f"load volatile {self.real}, ptr {pointer}, align {8 * self.width}")

    def store_kept(self, value: str, pointer: str) -> None:
        """Write a store of W lanes that keeps its place among the others: see `load_kept`."""
        self.do(f"store volatile {self.real} {value}, ptr {pointer}, align {8 * self.width}")

    def table(self, name: str, values: Sequence[int]) -> str:
        """Add a constant array of integers to the module, and return its name."""
        listed = ", ".join(f"i64 {value}" for value in values)
        self.tables.append(f"@{name} = internal constant [{len(values)} x i64] [{listed}]")
        return f"@{name}"

    def store(self, value: str, pointer: str) -> None:
        """Write a store of W lanes to the workspace."""
        self.do(f"store {self.real} {value}, ptr {pointer}, align {8 * self.width}")

    def store_past_caches(self, value: str, pointer: str) -> None:
        """Write a store of W lanes, side by side on a multiple of their size, that leaves no copy in the caches."""
        self.do(f"store {self.real} {value}, ptr {pointer}, align {8 * self.width}, !nontemporal {PAST_CACHES}")

    def label(self, name: str) -> None:
        """Begin a block of this name."""
        self.lines.append(f"{name}:")
        self._block = name

    def fresh_label(self, stem: str) -> str:
        """Return a name for a block that no other block has."""
        self._count += 1
        return f"{stem}{self._count}"

    @contextmanager
    def loop(self, count: str | int) -> Generator[str]:
        """Repeat what is written inside `count` times; yields the index. Leave early with `leave_if`."""
        head, body, tail, done = (self.fresh_label(stem) for stem in ("head", "body", "tail", "done"))
        before = self._block
        self.do(f"br label %{head}")
        self.label(head)
        index = f"%{head}.index"
        self.lines.append(f"  {index} = phi i64 [ 0, %{before} ], [ {index}.next, %{tail} ]")
        more = self.let(f"icmp slt i64 {index}, {count}")
        self.do(f"br i1 {more}, label %{body}, label %{done}")
        self.label(body)
        self._exits.append(done)
        yield index
        self._exits.pop()
        self.do(f"br label %{tail}")
        self.label(tail)
        self.lines.append(f"  {index}.next = add i64 {index}, 1")
        self.do(f"br label %{head}")
        self.label(done)

    @contextmanager
    def when(self, condition: str) -> Generator[None]:
        """Do what is written inside only if an i1 is set."""
        inside, after = self.fresh_label("inside"), self.fresh_label("after")
        self.do(f"br i1 {condition}, label %{inside}, label %{after}")
        self.label(inside)
        yield
        self.do(f"br label %{after}")
        self.label(after)

    def leave_if(self, condition: str) -> None:
        """Leave the innermost loop if an i1 is set."""
        stay = self.fresh_label("stay")
        self.do(f"br i1 {condition}, label %{self._exits[-1]}, label %{stay}")
        self.label(stay)

    def text(self, signature: str) -> str:
        """Return the finished function."""
        return "\n".join([f"define {signature} {{", "entry:", *self._reserved, *self.lines, "}", ""])
