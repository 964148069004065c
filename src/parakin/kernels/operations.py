"""The operations a model may contain: one row each, read by the reader, the passes, the counter and the C writer."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Fold = Callable[[float], float] | Callable[[float, float], float] | Callable[[float, float, float], float]
"""Value of an operation on one, two or three constants."""
Kind = Literal["addition", "multiplication", "division", "square_root", "trigonometric", "other", "free"]
"""How an operation is counted; "free" is not counted at all."""


@dataclass(frozen=True)
class Operation:
    """What one operation is, wherever it is met."""

    kind: Kind
    """How it is counted."""
    fold: Fold
    """Its value on constants; where this raises, the constant is left to run time."""
    c: str
    """A C99 expression in {0}, {1}, {2}."""
    casadi: tuple[str, ...] = ()
    """Identifiers, without OP_, that it is read from; none if only passes make it."""
    commutative: bool = False
    """Whether its two arguments may change places."""


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _sign(a: float) -> float:
    return -1.0 if a < 0.0 else 1.0 if a > 0.0 else a


def _fmin(a: float, b: float) -> float:
    """Return the lesser number. C leaves open which of two zeros that is; it is the first, as with CasADi on glibc."""
    return b if b < a or math.isnan(a) else a


def _fmax(a: float, b: float) -> float:
    return b if b > a or math.isnan(a) else a


def _floor(a: float) -> float:
    return math.copysign(float(math.floor(a)), a) if math.isfinite(a) else a


def _ceil(a: float) -> float:
    return math.copysign(float(math.ceil(a)), a) if math.isfinite(a) else a


def single(a: float) -> float:
    """Return the number of 24 bits that is nearest to a; infinite beyond 3.4e38."""
    try:
        return struct.unpack("<f", struct.pack("<f", a))[0]
    except OverflowError:
        return math.copysign(math.inf, a)


def _rounded_once(a: float, b: float, c: float) -> float:
    raise ValueError(f"fma({a}, {b}, {c}) is left to the machine")


OPERATIONS: dict[str, Operation] = {
    "add": Operation("addition", lambda a, b: a + b, "{0} + {1}", ("ADD",), commutative=True),
    "sub": Operation("addition", lambda a, b: a - b, "{0} - {1}", ("SUB",)),
    "neg": Operation("addition", lambda a: -a, "-{0}", ("NEG",)),
    "twice": Operation("addition", lambda a: a + a, "{0} + {0}", ("TWICE",)),
    "mul": Operation("multiplication", lambda a, b: a * b, "{0} * {1}", ("MUL",), commutative=True),
    "sq": Operation("multiplication", lambda a: a * a, "{0} * {0}", ("SQ",)),
    "div": Operation("division", _divide, "{0} / {1}", ("DIV",)),
    "inv": Operation("division", lambda a: _divide(1.0, a), "1.0 / {0}", ("INV",)),
    "sqrt": Operation("square_root", math.sqrt, "sqrt({0})", ("SQRT",)),
    "sin": Operation("trigonometric", math.sin, "sin({0})", ("SIN",)),
    "cos": Operation("trigonometric", math.cos, "cos({0})", ("COS",)),
    "tan": Operation("trigonometric", math.tan, "tan({0})", ("TAN",)),
    "asin": Operation("trigonometric", math.asin, "asin({0})", ("ASIN",)),
    "acos": Operation("trigonometric", math.acos, "acos({0})", ("ACOS",)),
    "atan": Operation("trigonometric", math.atan, "atan({0})", ("ATAN",)),
    "atan2": Operation("trigonometric", math.atan2, "atan2({0}, {1})", ("ATAN2",)),
    "exp": Operation("other", math.exp, "exp({0})", ("EXP",)),
    "log": Operation("other", math.log, "log({0})", ("LOG",)),
    "pow": Operation("other", math.pow, "pow({0}, {1})", ("POW", "CONSTPOW")),
    "tanh": Operation("other", math.tanh, "tanh({0})", ("TANH",)),
    "abs": Operation("other", abs, "fabs({0})", ("FABS",)),
    "sign": Operation("other", _sign, "({0} < 0.0) ? -1.0 : ({0} > 0.0) ? 1.0 : {0}", ("SIGN",)),
    "floor": Operation("other", _floor, "floor({0})", ("FLOOR",)),
    "ceil": Operation("other", _ceil, "ceil({0})", ("CEIL",)),
    "fmin": Operation("other", _fmin, "({1} < {0} || isnan({0})) ? {1} : {0}", ("FMIN",)),
    "fmax": Operation("other", _fmax, "({1} > {0} || isnan({0})) ? {1} : {0}", ("FMAX",)),
    "fmod": Operation("other", math.fmod, "fmod({0}, {1})", ("FMOD",)),
    "copysign": Operation("other", math.copysign, "copysign({0}, {1})", ("COPYSIGN",)),
    "lt": Operation("other", lambda a, b: float(a < b), "(double)({0} < {1})", ("LT",)),
    "le": Operation("other", lambda a, b: float(a <= b), "(double)({0} <= {1})", ("LE",)),
    "eq": Operation("other", lambda a, b: float(a == b), "(double)({0} == {1})", ("EQ",), commutative=True),
    "ne": Operation("other", lambda a, b: float(a != b), "(double)({0} != {1})", ("NE",), commutative=True),
    "not": Operation("other", lambda a: float(a == 0.0), "(double)({0} == 0.0)", ("NOT",)),
    "and": Operation(
        "other",
        lambda a, b: float(a != 0.0 and b != 0.0),
        "(double)(({0} != 0.0) && ({1} != 0.0))",
        ("AND",),
        commutative=True,
    ),
    "or": Operation(
        "other",
        lambda a, b: float(a != 0.0 or b != 0.0),
        "(double)(({0} != 0.0) || ({1} != 0.0))",
        ("OR",),
        commutative=True,
    ),
    "if_else_zero": Operation(
        "free", lambda c, a: a if c != 0.0 else 0.0, "({0} != 0.0) ? {1} : 0.0", ("IF_ELSE_ZERO",)
    ),
    # Those below are made by passes, never read.
    "select": Operation("free", lambda c, a, b: a if c != 0.0 else b, "({0} != 0.0) ? {1} : {2}"),
    "fma": Operation("multiplication", _rounded_once, "fma({0}, {1}, {2})"),
    "single": Operation("free", single, "(double)(float){0}"),
}
"""Every operation a model may contain, by name. A new one is a row here, and a writer on lanes."""

LOGICAL = frozenset({"lt", "le", "eq", "ne", "not", "and", "or"})
"""Operations whose value is 0 or 1."""


@dataclass(frozen=True)
class OperationCount:
    """How many operations of each kind a model has, constants folded and common subexpressions merged first.

    Selections (if_else) are not counted.

    >>> robot.kernel("inverse_kinematics").operations.square_roots
    12
    """

    additions: int = 0
    """Additions, subtractions, negations and doublings."""
    multiplications: int = 0
    """Multiplications and squares."""
    divisions: int = 0
    """Divisions and reciprocals."""
    square_roots: int = 0
    """Square roots."""
    trigonometric: int = 0
    """Trigonometric functions and their inverses."""
    other: int = 0
    """Everything else that is counted: exponentials, comparisons, rounding, ..."""

    @property
    def total(self) -> int:
        """Number of operations of all kinds."""
        return (
            self.additions + self.multiplications + self.divisions + self.square_roots + self.trigonometric + self.other
        )

    def __add__(self, more: OperationCount) -> OperationCount:
        return OperationCount(
            self.additions + more.additions,
            self.multiplications + more.multiplications,
            self.divisions + more.divisions,
            self.square_roots + more.square_roots,
            self.trigonometric + more.trigonometric,
            self.other + more.other,
        )

    def __mul__(self, times: int) -> OperationCount:
        return OperationCount(
            self.additions * times,
            self.multiplications * times,
            self.divisions * times,
            self.square_roots * times,
            self.trigonometric * times,
            self.other * times,
        )

    def __str__(self) -> str:
        named = (
            (self.additions, "additions"),
            (self.multiplications, "multiplications"),
            (self.divisions, "divisions"),
            (self.square_roots, "square roots"),
            (self.trigonometric, "trigonometric"),
            (self.other, "other"),
        )
        return ", ".join(f"{n:,} {name}" for n, name in named if n) or "no operations"
