"""Single precision: a stage's operations as a machine with 24-bit numbers runs them.

The product, sum, quotient or root of two numbers of 24 bits, computed with 53 and then rounded to 24, is what a machine
rounds at once [Figueroa1995]: 53 >= 2 * 24 + 2. So every backend, which computes in double precision, shows what
single precision does to a model, bit for bit, by rounding after each operation. C written in `float` has the same list
of operations without the roundings. Functions become sums and products of their own, the same for both.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from parakin.errors import UnsupportedOperationError
from parakin.kernels.code import Code, Node, constant, number
from parakin.kernels.lane_arithmetic import HALF_PI, pieces
from parakin.kernels.operations import single
from parakin.kernels.passes import Rewriter, drop_dead, rewrite

ROUNDED = ("add", "sub", "twice", "mul", "sq", "div", "inv", "sqrt")
"""Operations whose result must be rounded; the others choose, compare or change a sign."""
FARTHEST_ANGLE = 8192.0
"""Angle up to which sine and cosine are right to some 1e-7 [rad]: beyond, their reduction is no longer exact."""
_HALF_PI = pieces(HALF_PI, (11, 11, 11))
"""pi/2 in pieces of 11 bits, so that their products with whole numbers up to 2^13 are exact, and a rest."""


def in_single(code: Code, name: str, *, rounding: bool) -> Code:
    """Return prepared code in single precision; with `rounding` for machines that compute in double precision.

    name: that of the model, for the error where it has a function that is not written here.
    """
    writer = _Writer(rounding)
    rules: dict[str, Callable[[Rewriter, tuple[int, ...], Node], int]] = dict.fromkeys(ROUNDED, writer.rule)
    rules |= dict.fromkeys(_FUNCTIONS, writer.function)
    narrow = Code(tuple(_narrow_constant(node) for node in code.nodes), code.outputs)
    refused = sorted({node.op for node in code.nodes} & {"exp", "log", "pow", "tanh", "fmod", "fma"})
    if refused:
        raise UnsupportedOperationError(f"{name} in single precision", ", ".join(refused), (*ROUNDED, *rules))
    return drop_dead(rewrite(_inputs_rounded(narrow) if rounding else narrow, rules))


def _narrow_constant(node: Node) -> Node:
    return constant(single(number(node))) if node.op == "const" else node


def _inputs_rounded(code: Code) -> Code:
    """Return the code with every input rounded before it is used, as by a caller who has only such numbers."""
    nodes: list[Node] = []
    new: list[int] = []
    for node in code.nodes:
        nodes.append(node._replace(args=tuple(new[k] for k in node.args)))
        if node.op == "input":
            nodes.append(Node("single", (len(nodes) - 1,)))
        new.append(len(nodes) - 1)
    return Code(tuple(nodes), tuple(tuple(new[k] for k in values) for values in code.outputs))


class _Writer:
    """Writes operations of single precision, each rounded where that is asked for."""

    def __init__(self, rounding: bool) -> None:
        self.rounding = rounding
        self.list: Rewriter | None = None

    def rule(self, rewriter: Rewriter, args: tuple[int, ...], old: Node) -> int:
        """Write an operation and its rounding."""
        self.list = rewriter
        return self.do(old.op, *args)

    def function(self, rewriter: Rewriter, args: tuple[int, ...], old: Node) -> int:
        """Write a function as sums, products and selections."""
        self.list = rewriter
        return _FUNCTIONS[old.op](self, *args)

    def do(self, op: str, *args: int) -> int:
        """Write an operation, rounded if it is one that rounds."""
        assert self.list is not None
        value = self.list.add(op, *args)
        return self.list.add("single", value) if self.rounding and op in ROUNDED else value

    def number(self, value: float) -> int:
        """Write a constant, rounded."""
        assert self.list is not None
        return self.list.constant(single(value))

    def series(self, z: int, coefficients: list[float]) -> int:
        """Write c_0 + z (c_1 + z (c_2 + ...))."""
        total = self.number(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.do("add", self.do("mul", total, z), self.number(c))
        return total

    def turned(self, x: int) -> tuple[int, int, int]:
        """Write r = x - n pi/2 in |r| <= pi/4, n modulo 2, and whether n modulo 4 is 2 or 3 (Cody and Waite)."""
        scaled = self.do("mul", x, self.number(2 / math.pi))
        n = self.do("floor", self.do("add", scaled, self.number(0.5)))
        r = x
        for piece in _HALF_PI:
            r = self.do("sub", r, self.do("mul", n, self.number(piece)))
        pairs = self.do("floor", self.do("mul", n, self.number(0.5)))
        odd = self.do("sub", n, self.do("twice", pairs))
        even_pairs = self.do("twice", self.do("floor", self.do("mul", pairs, self.number(0.5))))
        return r, odd, self.do("ne", pairs, even_pairs)

    def sine_and_cosine(self, r: int) -> tuple[int, int]:
        """Write both series in |r| <= pi/4, to r^9 and r^10: what is left out is below a tenth of the last digit."""
        z = self.do("sq", r)
        sine = self.series(z, [(-1) ** k / math.factorial(2 * k + 1) for k in range(1, 5)])
        cosine = self.series(z, [(-1) ** k / math.factorial(2 * k) for k in range(2, 6)])
        half = self.do("sub", self.number(1.0), self.do("mul", z, self.number(0.5)))
        s = self.do("add", r, self.do("mul", self.do("mul", r, z), sine))
        return s, self.do("add", half, self.do("mul", self.do("sq", z), cosine))

    def sin(self, x: int) -> int:
        """Write sin x."""
        r, odd, behind = self.turned(x)
        s, c = self.sine_and_cosine(r)
        value = self.do("select", odd, c, s)
        return self.do("select", behind, self.do("neg", value), value)

    def cos(self, x: int) -> int:
        """Write cos x."""
        r, odd, behind = self.turned(x)
        s, c = self.sine_and_cosine(r)
        value = self.do("select", odd, self.do("neg", s), c)
        return self.do("select", behind, self.do("neg", value), value)

    def tan(self, x: int) -> int:
        """Write tan x = sin x / cos x."""
        return self.do("div", self.sin(x), self.cos(x))

    def atan2(self, y: int, x: int) -> int:
        """Write the angle of (x, y).

        With t the smaller of |x|, |y| over the larger: atan t by its series, beyond tan(pi/8) from u = (t - 1)/(t + 1);
        then the octant. Two infinite arguments give NaN.
        """
        one = self.number(1.0)
        a, b = self.do("abs", y), self.do("abs", x)
        steep = self.do("lt", b, a)
        small, large = self.do("select", steep, b, a), self.do("select", steep, a, b)
        origin = self.do("eq", large, self.number(0.0))
        t = self.do("div", small, self.do("select", origin, one, large))
        wide = self.do("lt", self.number(math.tan(math.pi / 8)), t)
        u = self.do("select", wide, self.do("div", self.do("sub", t, one), self.do("add", t, one)), t)
        z = self.do("sq", u)
        series = self.series(z, [(-1) ** k / (2 * k + 1) for k in range(1, 10)])
        near = self.do("add", u, self.do("mul", self.do("mul", u, z), series))
        angle = self.do("select", wide, self.do("add", near, self.number(math.pi / 4)), near)
        angle = self.do("select", steep, self.do("sub", self.number(math.pi / 2), angle), angle)
        behind = self.do("lt", self.do("copysign", one, x), self.number(0.0))
        angle = self.do("select", behind, self.do("sub", self.number(math.pi), angle), angle)
        return self.do("copysign", angle, y)

    def atan(self, x: int) -> int:
        """Write atan x, the angle of (1, x)."""
        return self.atan2(x, self.number(1.0))

    def leg(self, x: int) -> int:
        """Write sqrt((1 - x)(1 + x))."""
        one = self.number(1.0)
        return self.do("sqrt", self.do("mul", self.do("sub", one, x), self.do("add", one, x)))

    def asin(self, x: int) -> int:
        """Write asin x, the angle of (sqrt(1 - x^2), x)."""
        return self.atan2(x, self.leg(x))

    def acos(self, x: int) -> int:
        """Write acos x, the angle of (x, sqrt(1 - x^2))."""
        return self.atan2(self.leg(x), x)


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "sin": _Writer.sin,
    "cos": _Writer.cos,
    "tan": _Writer.tan,
    "asin": _Writer.asin,
    "acos": _Writer.acos,
    "atan": _Writer.atan,
    "atan2": _Writer.atan2,
}
