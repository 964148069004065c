"""A casadi.Function in fifty digits: every instruction carried out by mpmath on the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import mpmath
import numpy as np

DIGITS = 50

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "DIV": lambda a, b: a / b,
    "NEG": lambda a: -a,
    "SQ": lambda a: a * a,
    "TWICE": lambda a: 2 * a,
    "INV": lambda a: 1 / a,
    "SQRT": mpmath.sqrt,
    "SIN": mpmath.sin,
    "COS": mpmath.cos,
    "ATAN2": mpmath.atan2,
    "FABS": abs,
    "SIGN": mpmath.sign,
    "FMIN": min,
    "FMAX": max,
    "LT": lambda a, b: mpmath.mpf(a < b),
    "LE": lambda a, b: mpmath.mpf(a <= b),
    "EQ": lambda a, b: mpmath.mpf(a == b),
    "NE": lambda a, b: mpmath.mpf(a != b),
    "NOT": lambda a: mpmath.mpf(a == 0),
    "AND": lambda a, b: mpmath.mpf(a != 0 and b != 0),
    "OR": lambda a, b: mpmath.mpf(a != 0 or b != 0),
    "IF_ELSE_ZERO": lambda a, b: b if a != 0 else mpmath.mpf(0),
    "ASSIGN": lambda a: a,
}
_NAMES = {getattr(ca, f"OP_{name}"): name for name in _OPERATIONS}


def evaluated(function: ca.Function, arguments: Sequence[np.ndarray | Sequence[Any]]) -> list[list[Any]]:
    """The outputs' nonzeros as numbers of fifty digits, from doubles or from such numbers."""
    with mpmath.workdps(DIGITS):
        inputs = [[mpmath.mpf(value) for value in np.ravel(np.asarray(one, object), "F")] for one in arguments]
        outputs: list[list[Any]] = [[None] * function.nnz_out(k) for k in range(function.n_out())]
        work: dict[int, Any] = {}
        for k in range(function.n_instructions()):
            kind, into, of = function.instruction_id(k), function.instruction_output(k), function.instruction_input(k)
            if kind == ca.OP_CONST:
                work[into[0]] = mpmath.mpf(function.instruction_constant(k))
            elif kind == ca.OP_INPUT:
                work[into[0]] = inputs[of[0]][of[1]]
            elif kind == ca.OP_OUTPUT:
                outputs[into[0]][into[1]] = work[of[0]]
            else:
                work[into[0]] = _OPERATIONS[_NAMES[kind]](*(work[place] for place in of))
    return outputs
