"""The body of one WebAssembly function: values that are computed where they are first needed, and few local variables.

A value that is used once stays on the stack, wherever its user stands; one that is used more often is kept in a local
variable from its first use to its last, after which the variable serves another value. All values are pure: what is
read from memory is never written by the same function. Statements (stores, branches, loops) keep their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from parakin.kernels.wasm.binary import I32, unsigned
from parakin.kernels.wasm.locals import GET, SET, TEE, Item, placed

_LOOP, _IF, _ELSE, _END, _BR_IF = b"\x03\x40", b"\x04\x40", b"\x05", b"\x0b", b"\x0d\x00"
_SHORT = 3
"""Bytes of an instruction that is rather repeated than kept in a local variable."""
_ANYWHERE = -1
"""Region of constants and parameters, which may be repeated anywhere."""


class _Value(NamedTuple):
    """A value: an instruction on earlier values."""

    code: bytes
    """The instruction; empty for a variable."""
    kind: int
    """Type of the value."""
    args: tuple[int, ...]
    """Numbers of the values that it takes from the stack."""
    region: int
    """Where it was written: 0 is the function itself, others are branches and loops."""


class _Take(NamedTuple):
    """Compute a value now, if another region uses it."""

    value: int


class _Do(NamedTuple):
    """Put values on the stack, run an instruction, and move what is then on the stack to variables."""

    args: tuple[int, ...]
    code: bytes
    results: tuple[int, ...]
    region: int


class _Branch(NamedTuple):
    """Run one of two lists of statements."""

    condition: int
    yes: list[_Statement]
    no: list[_Statement]
    region: int


class _Loop(NamedTuple):
    """Run statements again while the variable `again` is not zero."""

    body: list[_Statement]
    again: int


_Statement = _Take | _Do | _Branch | _Loop


class Body:
    """A function under construction. Values are numbers."""

    def __init__(self, parameters: Sequence[int]) -> None:
        self._values: list[_Value] = []
        self._constants: dict[bytes, int] = {}
        self._statements: list[_Statement] = []
        self._region = 0
        self._regions = 1
        self.parameters = [
            self._add(_Value(bytes([GET]) + unsigned(k), kind, (), _ANYWHERE)) for k, kind in enumerate(parameters)
        ]

    def _add(self, value: _Value) -> int:
        self._values.append(value)
        return len(self._values) - 1

    # Writing -------------------------------------------------------------------------------------------------------

    def constant(self, code: bytes, kind: int) -> int:
        """Return the value of an instruction without arguments that may stand anywhere; equal ones are one."""
        if code not in self._constants:
            self._constants[code] = self._add(_Value(code, kind, (), _ANYWHERE))
        return self._constants[code]

    def let(self, code: bytes, kind: int, *args: int) -> int:
        """Write an instruction, and return its value."""
        value = self._add(_Value(code, kind, args, self._region))
        self._statements.append(_Take(value))
        return value

    def do(self, code: bytes, *args: int, results: Sequence[int] = ()) -> list[int]:
        """Write an instruction that keeps its place among others such; return its results, given their types."""
        variables = [self.variable(kind) for kind in results]
        self._statements.append(_Do(args, code, tuple(variables), self._region))
        return variables

    def variable(self, kind: int) -> int:
        """Return a value that `assign` gives."""
        return self._add(_Value(b"", kind, (), self._region))

    def assign(self, variables: Sequence[int], values: Sequence[int]) -> None:
        """Give variables new values, all at once."""
        self._statements.append(_Do(tuple(values), b"", tuple(variables), self._region))

    def branch(self, condition: int, yes: Callable[[], None], no: Callable[[], None] | None = None) -> None:
        """Write what is done if a condition holds, and what otherwise."""
        region = self._region
        self._statements.append(_Branch(condition, self._inner(yes), self._inner(no) if no else [], region))

    def loop(self, variables: Sequence[int], step: Callable[[], tuple[Sequence[int], int]]) -> None:
        """Write a loop: `step` gives new values for the variables, and whether to go on."""
        again = self.variable(I32)

        def write() -> None:
            values, condition = step()
            self.assign([*variables, again], [*values, condition])

        body = self._inner(write)
        self._statements.append(_Loop(body, again))

    def _inner(self, write: Callable[[], None]) -> list[_Statement]:
        outside = self._statements, self._region
        self._statements, self._region = [], self._regions
        self._regions += 1
        write()
        inside = self._statements
        self._statements, self._region = outside
        return inside

    def encoded(self, *results: int) -> bytes:
        """Return the finished function, which returns these values, in binary form."""
        statements = [*self._statements, _Do(results, b"", (), 0)]
        writer = _Writer(self._values, statements)
        writer.write(statements)
        return placed(writer.items, [value.kind for value in self._values], len(self.parameters))


class _Writer:
    """A writer of statements and of the values they need: `items` are instructions on variables without a place."""

    def __init__(self, values: Sequence[_Value], statements: Sequence[_Statement]) -> None:
        self.values = values
        self.items: list[Item] = []
        self._uses = [0] * len(values)
        self._early: set[int] = set()  # values that another region uses than the one they were written in
        self._kept: set[int] = set()  # values that are in a local variable by now
        self._depth = 0
        for value in values:
            self._count(value.args, value.region)
        self._count_statements(statements)

    def _count(self, args: Sequence[int], region: int) -> None:
        for a in args:
            self._uses[a] += 1
            if self.values[a].region not in (region, _ANYWHERE):
                self._early.add(a)

    def _count_statements(self, statements: Sequence[_Statement]) -> None:
        for statement in statements:
            match statement:
                case _Do(args, _, _, region):
                    self._count(args, region)
                case _Branch(condition, yes, no, region):
                    self._count((condition,), region)
                    self._count_statements(yes)
                    self._count_statements(no)
                case _Loop(body):
                    self._count_statements(body)
                case _Take():
                    pass

    def write(self, statements: Sequence[_Statement]) -> None:
        """Write statements, in order."""
        for statement in statements:
            match statement:
                case _Take(value):
                    if value in self._early and value not in self._kept:
                        self._push(value)
                        self.items.append((SET, value))
                        self._kept.add(value)
                case _Do(args, code, results):
                    for a in args:
                        self._push(a)
                    self.items.append(code)
                    self.items += [(SET, result) for result in reversed(results)]
                case _Branch(condition, yes, no):
                    self._push(condition)
                    self._inside(_IF, yes)
                    if no:
                        self._inside(_ELSE, no)
                    self.items.append(_END)
                case _Loop(body, again):
                    self._inside(_LOOP, body)
                    self.items += [(GET, again), _BR_IF, _END]

    def _inside(self, opening: bytes, statements: Sequence[_Statement]) -> None:
        self.items.append(opening)
        self._depth += 1
        self.write(statements)
        self._depth -= 1

    def _push(self, wanted: int) -> None:
        """Write what puts a value on the stack: its arguments first, then its instruction."""
        todo = [(wanted, False)]
        while todo:
            k, ready = todo.pop()
            value = self.values[k]
            if k in self._kept or not value.code:
                self.items.append((GET, k))
            elif ready or not value.args:
                self.items.append(value.code)
                if self._worth_keeping(k):
                    self.items.append((TEE, k))
                    self._kept.add(k)
            else:
                todo.append((k, True))
                todo += [(a, False) for a in reversed(value.args)]

    def _worth_keeping(self, k: int) -> bool:
        if k in self._early:  # its place has just been asked for
            return False
        if self.values[k].region == _ANYWHERE and (self._depth or len(self.values[k].code) <= _SHORT):
            return False
        return self._uses[k] > 1
