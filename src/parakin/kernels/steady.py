"""C99 in which compilers find nothing to branch on: comparisons are integers, selections are made of bits.

`c ? a : b` and `(double)(a < b)` become jumps on most machines, and the number of instructions then depends on the
numbers. `pick` costs a few instructions more and always the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from parakin.kernels.code import Code
from parakin.kernels.operations import LOGICAL, OPERATIONS

PREFIX = "steady_"
"""Begins the names of the functions that c_math.py writes."""
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh")
"""Functions that c_math.py writes anew, for libm's take shorter ways for some numbers."""
_CONDITIONS = {"select": 1, "if_else_zero": 1, "and": 2, "or": 2, "not": 1}
"""How many of an operation's first arguments are only asked whether they are zero."""
_STEADY = {
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "not": "!{0}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "select": "pick({0}, {1}, {2})",
    "if_else_zero": "pick({0}, {1}, 0.0)",
    "sign": "pick({0} < 0.0, -1.0, pick({0} > 0.0, 1.0, {0}))",
    "fmin": "pick(({1} < {0}) | ({0} != {0}), {1}, {0})",
    "fmax": "pick(({1} > {0}) | ({0} != {0}), {1}, {0})",
    **{name: f"{PREFIX}{OPERATIONS[name].c}" for name in FUNCTIONS},
}
PICK = """\
/* which ? a : b, made of their bits, so that there is nothing to branch on. which: 0 or 1. */
static inline double pick(int which, double a, double b)
{
    const uint64_t mask = 0u - (uint64_t)which;
    union {
        double real;
        uint64_t bits;
    } first = {a}, second = {b};
    first.bits = (first.bits & mask) | (second.bits & ~mask);
    return first.real;
}
"""
"""The C function `pick`; needs <stdint.h>."""


def steady_line(code: Code, k: int, names: Mapping[int, str]) -> tuple[str, str]:
    """Return the definition of a value's temporary t<k>, and how others name the value.

    names: how the values of its arguments are named.
    """
    node = code.nodes[k]
    asked = _CONDITIONS.get(node.op, 0)
    args = [_condition(code, a, names) if place < asked else names[a] for place, a in enumerate(node.args)]
    expression = _STEADY.get(node.op, OPERATIONS[node.op].c).format(*args)
    if node.op in LOGICAL:
        return f"const int t{k} = {expression};", f"pick(t{k}, 1.0, 0.0)"
    return f"const double t{k} = {expression};", f"t{k}"


def _condition(code: Code, k: int, names: Mapping[int, str]) -> str:
    """Return a C expression that is 1 where a value is not zero, and 0 where it is."""
    return f"t{k}" if code.nodes[k].op in LOGICAL else f"({names[k]} != 0.0)"
