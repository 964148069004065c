"""The lane functions as C99: sin and its kin, the same instructions for every number, from the text that LLVM gets too.

libm takes shorter ways for small arguments, so that the time of a tick would depend on the pose.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from parakin.kernels.lane_math import LANE_FUNCTIONS
from parakin.kernels.lanes import Lanes, Values
from parakin.kernels.steady import FUNCTIONS, PICK, PREFIX

_PREDICATES = {"olt": "<", "ogt": ">", "oeq": "==", "oge": ">="}
_BIT_OPERATIONS = {"and": "&", "or": "|", "xor": "^", "add": "+", "sub": "-", "mul": "*", "shl": "<<", "lshr": ">>"}
_BITS = """\
static inline uint64_t bits_of(double real)
{
    union {
        double real;
        uint64_t bits;
    } both = {real};
    return both.bits;
}

static inline double real_of(uint64_t bits)
{
    union {
        uint64_t bits;
        double real;
    } both = {bits};
    return both.real;
}
"""
_PAIR = """\
static inline double {prefix}{name}(double x)
{{
    double s, c;
    {prefix}sincos(x, &s, &c);
    return {result};
}}
"""


class _CLanes(Lanes):
    """A writer of one lane in C. Comparisons are int, bits are uint64_t."""

    def __init__(self) -> None:
        super().__init__(1, fused=False)

    def _new(self, kind: str, expression: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"    const {kind} {name} = {expression};")
        return name

    def number(self, value: float) -> str:
        if math.isnan(value):
            return "NAN"
        text = "INFINITY" if math.isinf(value) else repr(abs(value))
        return f"(-{text})" if math.copysign(1.0, value) < 0.0 else text

    def whole(self, value: int) -> str:
        return f"UINT64_C({value % 2**64})"

    def add(self, a: str, b: str) -> str:
        return self._new("double", f"{a} + {b}")

    def sub(self, a: str, b: str) -> str:
        return self._new("double", f"{a} - {b}")

    def mul(self, a: str, b: str) -> str:
        return self._new("double", f"{a} * {b}")

    def div(self, a: str, b: str) -> str:
        return self._new("double", f"{a} / {b}")

    def neg(self, a: str) -> str:
        return self._new("double", f"-{a}")

    def intrinsic(self, name: str, *args: str) -> str:
        return self._new("double", f"{name}({', '.join(args)})")

    def compare(self, predicate: str, a: str, b: str) -> str:
        if predicate == "uno":
            return self._new("int", f"({a} != {a}) | ({b} != {b})")
        return self._new("int", f"{a} {_PREDICATES[predicate]} {b}")

    def select(self, mask: str, a: str, b: str) -> str:
        return self._new("double", f"pick({mask}, {a}, {b})")

    def bits(self, a: str) -> str:
        return self._new("uint64_t", f"bits_of({a})")

    def real_of(self, bits: str) -> str:
        return self._new("double", f"real_of({bits})")

    def on_bits(self, op: str, a: str, b: str) -> str:
        if op == "ashr":  # C leaves open what >> does to a negative integer
            return self._new("uint64_t", f"({a} >> {b}) | ((UINT64_C(0) - ({a} >> 63)) << (64 - {b}))")
        return self._new("uint64_t", f"{a} {_BIT_OPERATIONS[op]} {b}")

    def unequal(self, a: str, b: str) -> str:
        return self._new("int", f"{a} != {b}")

    def negative(self, bits: str) -> str:
        return self._new("int", f"(int)({bits} >> 63)")

    def call(self, name: str, *args: str) -> str:
        self.called.add(name)
        return self._new("double", f"{PREFIX}{name}({', '.join(args)})")

    def call_pair(self, name: str, x: str) -> tuple[str, str]:
        self.called.add(name)
        s, c = f"s{len(self.lines)}", f"c{len(self.lines)}"
        self.lines += [f"    double {s}, {c};", f"    {PREFIX}{name}({x}, &{s}, &{c});"]
        return s, c

    def both(self, a: str, b: str) -> str:
        return self._new("int", f"{a} & {b}")

    def word(self, name: str, table: Sequence[int], index: str) -> str:
        if f"    static const uint64_t {name}[" not in "".join(self.lines):
            listed = ", ".join(f"UINT64_C({value})" for value in table)
            self.lines.append(f"    static const uint64_t {name}[{len(table)}] = {{{listed}}};")
        return self._new("uint64_t", f"{name}[{index}]")

    def where_all(
        self,
        near: Callable[[], str],  # noqa: ARG002 there is nothing to branch on
        quick: Callable[[], Values],  # noqa: ARG002
        general: Callable[[], Values],
    ) -> Values:
        return general()

    def where_any(self, rare: str, special: Callable[[], Values], usual: Values) -> Values:
        names = tuple(f"r{len(self.lines)}_{k}" for k in range(len(usual)))
        self.lines += [f"    double {name} = {value};" for name, value in zip(names, usual, strict=True)]
        self.lines.append(f"    if ({rare}) {{")
        values = special()
        self.lines += [f"    {name} = {value};" for name, value in zip(names, values, strict=True)]
        self.lines.append("    }")
        return names


def steady_prelude(definitions: str) -> str:
    """Return what C written with `steady=True` needs before it: `pick`, and the functions it calls."""
    needed: dict[str, str] = {}
    for name in re.findall(rf"\b{PREFIX}(\w+)\(", definitions):
        if name in FUNCTIONS:  # not a controller that somebody calls `steady`
            _add(name, needed)
    return "\n".join([PICK, *([_BITS] if needed else []), *needed.values()])


def _add(name: str, known: dict[str, str]) -> None:
    """Add a function to those known, after the functions that it calls."""
    if name in known:
        return
    if name in ("sin", "cos"):
        _add("sincos", known)
        known[name] = _PAIR.format(prefix=PREFIX, name=name, result=name[0])
        return
    arity, write = LANE_FUNCTIONS[name]
    b = _CLanes()
    arguments = [f"x{k}" for k in range(arity)]
    result = write(b, *arguments)
    for other in sorted(b.called):
        _add(other, known)
    listed = ", ".join(f"double {argument}" for argument in arguments)
    if isinstance(result, tuple):
        signature = f"static inline void {PREFIX}{name}({listed}, double *sine, double *cosine)"
        end = [f"    *sine = {result[0]};", f"    *cosine = {result[1]};"]
    else:
        signature, end = f"static inline double {PREFIX}{name}({listed})", [f"    return {result};"]
    known[name] = "\n".join([signature, "{", *b.lines, *end, "}", ""])
