"""Expressions by which keys of a robot file follow from a study's parameters: arithmetic on names, nothing else.

    "0.15 + 1.25 * arm",   "mass * length**2 / 12",   "radius * cos(2 * pi / 3)"

A text is read once, by Python's own grammar, and only numbers, names, + - * / **, parentheses and the functions of
FUNCTIONS are accepted: nothing in a file is executed.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

LONGEST = 300
"""Characters that an expression has at most."""
FUNCTIONS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sqrt": (np.sqrt, ca.sqrt),
    "sin": (np.sin, ca.sin),
    "cos": (np.cos, ca.cos),
    "tan": (np.tan, ca.tan),
    "exp": (np.exp, ca.exp),
    "log": (np.log, ca.log),
}
"""Functions that expressions may call: on numbers, on symbols."""
CONSTANTS: Mapping[str, float] = {"pi": math.pi}
"""Names that mean a number."""
_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


@dataclass(frozen=True)
class Expression:
    """An expression that has been read.

    >>> formula = pk.design.Expression.read("0.15 + 1.25 * arm")
    >>> formula.names, formula.number({"arm": 0.2})
    (('arm',), 0.4)
    """

    text: str
    """The expression as the file has it."""
    names: tuple[str, ...]
    """Names of the parameters in it, each once."""
    _tree: ast.expr

    @classmethod
    def read(cls, text: str) -> Expression:
        """Read an expression, or raise ValueError that says what is wrong with it.

        >>> pk.design.Expression.read("a * b**2").names
        ('a', 'b')
        """
        if len(text) > LONGEST:
            raise ValueError(f"is longer than {LONGEST} characters: give names to parts of it")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"is no arithmetic expression: {text!r}") from None
        names: dict[str, None] = {}
        _check(tree, names)
        return cls(text, tuple(names), tree)

    def number(self, values: Mapping[str, float]) -> float:
        """Return the value for numbers by the names of the parameters.

        >>> pk.design.Expression.read("sqrt(a) + pi - pi").number({"a": 4.0})
        2.0
        """
        return float(_value(self._tree, values, 0))

    def symbol(self, values: Mapping[str, ca.SX]) -> ca.SX:
        """Return the value for CasADi symbols by the names of the parameters.

        >>> import casadi as ca
        >>> pk.design.Expression.read("a + b").symbol({"a": ca.SX.sym("a"), "b": ca.SX.sym("b")})
        SX((a+b))
        """
        return ca.SX(_value(self._tree, values, 1))


def _check(node: ast.expr, names: dict[str, None]) -> None:
    """Collect the names of an expression, or raise ValueError where it is more than arithmetic."""
    match node:
        case ast.Constant(value=bool()):
            raise ValueError("holds True or False: write a number")
        case ast.Constant(value=int() | float()):
            return
        case ast.Name(id=name):
            if name not in CONSTANTS:
                names[name] = None
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=inner):
            _check(inner, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            _check(left, names)
            _check(right, names)
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in FUNCTIONS:
            _check(inner, names)
        case _:
            known = f"numbers, names of parameters, + - * / **, pi and {', '.join(FUNCTIONS)}"
            raise ValueError(f"{ast.unparse(node)!r} is not among {known}")


def _value(node: ast.expr, values: Mapping[str, Any], side: int) -> Any:
    match node:
        case ast.Constant(value=number):
            return float(number)  # pyright: ignore[reportArgumentType]
        case ast.Name(id=name):
            return CONSTANTS.get(name) if name in CONSTANTS else values[name]
        case ast.UnaryOp(op=op, operand=inner):
            value = _value(inner, values, side)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_value(left, values, side), _value(right, values, side))
        case ast.Call(func=ast.Name(id=name), args=[inner]):
            return FUNCTIONS[name][side](_value(inner, values, side))
        case _:
            raise AssertionError("expressions are checked as they are read")
