"""The constants of a delta printer in Marlin's Configuration.h: lines `#define DELTA_...`.

Marlin's own kinematics: towers at 210, 330 and 90 degrees plus DELTA_TOWER_ANGLE_TRIM, at DELTA_RADIUS plus
DELTA_RADIUS_TRIM_TOWER; rods of DELTA_DIAGONAL_ROD plus DELTA_DIAGONAL_ROD_TRIM_TOWER. Lines that are commented out do
not count, nor do those that #if, #ifdef, #ifndef, #elif and #else leave out; a value may be a sum of numbers and of
other names, which are replaced by their text, as C does it. Nothing of the file is executed.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable

from parakin.description.values import LARGEST_NUMBER, shown
from parakin.errors import DescriptionError
from parakin.mechanism.readers.delta_printer import DeltaPrinter, Tower
from parakin.mechanism.readers.marlin_conditions import preprocessed
from parakin.mechanism.readers.report import Journal

_ANGLES = (210.0, 330.0, 90.0)
"""Directions of the towers [degrees]."""
_READ = frozenset(
    {
        "DELTA",
        "DELTA_DIAGONAL_ROD",
        "DELTA_RADIUS",
        "DELTA_HEIGHT",
        "DELTA_PRINTABLE_RADIUS",
        "DELTA_PRINT_RADIUS",
        "DELTA_TOWER_ANGLE_TRIM",
        "DELTA_RADIUS_TRIM_TOWER",
        "DELTA_DIAGONAL_ROD_TRIM_TOWER",
        "DELTA_SMOOTH_ROD_OFFSET",
        "DELTA_EFFECTOR_OFFSET",
        "DELTA_CARRIAGE_OFFSET",
    }
)
"""Names that are read, some only through others."""
DEEPEST_NAME = 20
"""How many names may stand for each other."""
LONGEST_VALUE = 500
"""Characters of a value at most, with its names replaced."""


def _divided(a: float, b: float) -> float:
    return int(a / b) if isinstance(a, int) and isinstance(b, int) else a / b


_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: _divided,
}
_TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[eE][+-]|[\w.])*|\S")
"""Names, numbers and signs of C."""


def read_marlin(text: str, journal: Journal) -> DeltaPrinter:
    """Return the constants of a delta printer in the text of a Configuration.h."""
    defined = preprocessed(text, journal)
    if "DELTA" not in defined and "DELTA_DIAGONAL_ROD" not in defined:
        reason = "is not there: only delta printers can be imported from Marlin (#define DELTA)"
        raise DescriptionError(journal.file, (("DELTA", reason),))
    values = _Values(defined, journal.file)
    radius, rod = values.number("DELTA_RADIUS"), values.number("DELTA_DIAGONAL_ROD")
    height = values.number("DELTA_HEIGHT")
    angles = values.three("DELTA_TOWER_ANGLE_TRIM")
    radii, rods = values.three("DELTA_RADIUS_TRIM_TOWER"), values.three("DELTA_DIAGONAL_ROD_TRIM_TOWER")
    printable = next(
        (name for name in ("DELTA_PRINTABLE_RADIUS", "DELTA_PRINT_RADIUS") if name in defined), "DELTA_RADIUS"
    )
    towers = [
        Tower(math.radians(_ANGLES[k] + angles[k]), (radius + radii[k]) * 1e-3, (rod + rods[k]) * 1e-3)
        for k in range(3)
    ]
    rest = [name for name in defined if "DELTA" in name and name not in _READ]
    if rest:
        journal.dropped(", ".join(rest), "settings of end stops, calibration and motion: no geometry")
    others = sum("DELTA" not in name for name in defined)
    if others:
        journal.dropped(f"{others} other definitions", "no geometry of the printer")
    a, b, c = towers
    return DeltaPrinter("marlin_delta", (a, b, c), height * 1e-3, 0.0, values.number(printable) * 1e-3)


class _Values:
    """Numbers that names are defined as."""

    def __init__(self, defined: dict[str, str], file: str) -> None:
        self._defined, self._file = defined, file

    def number(self, name: str) -> float:
        """Return the number of a name [mm]."""
        if name not in self._defined:
            raise DescriptionError(self._file, ((name, "is not there: a delta printer needs it, in mm"),))
        return self._value(name, self._defined[name])

    def three(self, name: str) -> tuple[float, float, float]:
        """Return three numbers in braces, zeros where the name is not defined."""
        if name not in self._defined:
            return 0.0, 0.0, 0.0
        text = self._defined[name]
        inside = re.fullmatch(r"\{(.*)\}", text)
        parts = inside[1].split(",") if inside else []
        if len(parts) != 3:
            raise DescriptionError(self._file, ((name, f"must be three numbers in braces, got {shown(text)}"),))
        a, b, c = (self._value(name, part) for part in parts)
        return a, b, c

    def _value(self, name: str, text: str) -> float:
        wrong = DescriptionError(self._file, ((name, f"must be a number in mm, got {shown(text)}"),))
        plain = self._expanded(text)
        try:
            value = float(_sum(ast.parse(plain, mode="eval").body)) if plain is not None else math.nan
        except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
            raise wrong from error
        if not abs(value) <= LARGEST_NUMBER:
            raise wrong
        return value

    def _expanded(self, text: str) -> str | None:
        """Return a text with all names replaced by theirs, as a preprocessor does it; None where that does not end."""
        for _ in range(DEEPEST_NAME):
            tokens = _TOKEN.findall(text) if len(text) <= LONGEST_VALUE else []
            names = {token for token in tokens if token in self._defined}
            if not tokens or any(len(self._defined[name]) > LONGEST_VALUE for name in names):
                return None
            if not names:
                return " ".join(_number(token) for token in tokens)
            text = " ".join(self._defined[token] if token in names else token for token in tokens)
        return None


def _number(token: str) -> str:
    """Return a number of C as Python writes it: without the F of 1.5F; other tokens stay."""
    if not token.lstrip(".")[:1].isdigit() or token[:2] in ("0x", "0X"):
        return token
    return re.sub(r"(?<=[\d.])[fFlLuU]+$", "", token).replace("_", "?")  # which no number of C has


def _sum(node: ast.expr) -> float:
    """Return the value of a sum or product of numbers, in which whole numbers are divided as C does it."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_sum(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _sum(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](_sum(left), _sum(right))
        case _:
            raise ValueError("no sum of numbers")
