"""Which #define lines of a Configuration.h count: those that its conditions do not leave out.

A condition may have numbers, names, defined(NAME), Marlin's ENABLED, DISABLED, ANY, EITHER, BOTH, ALL and NONE, !, &&,
||, comparisons and arithmetic. As in C, a name that is not defined is 0; but names that are compared with each other,
as those of boards, must be defined in the file, because Marlin's other files define more of them. Where a condition
cannot be decided, lines about the delta geometry inside it are an error; all others do not matter.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from parakin.description.values import shown
from parakin.errors import DescriptionError
from parakin.mechanism.readers.report import Journal

LONGEST_CONDITION = 500
"""Characters of a condition that are looked at."""
DEEPEST_VALUE = 20
"""How many names may stand for each other in a condition."""

DEEPEST_BRANCH = 200
"""Conditions inside each other at most."""
MOST_CONDITIONS = 2000
"""Conditions of a file at most; Marlin's own Configuration.h has some 250."""

_COMMENT_OR_STRING = re.compile(r'/\*.*?(?:\*/|\Z)|//(?:\\\r?\n|[^\n])*|"(?:\\.|[^"\\\n])*"?', re.DOTALL)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)(.*)", re.DOTALL)
_NAMED = re.compile(r"[ \t]+(\w+)(.*)", re.DOTALL)
_CONDITIONALS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif")
_COMPARED: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_COMBINED: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_SWITCHES: dict[str, Callable[[list[bool]], bool]] = {
    "defined": any,
    "ENABLED": all,
    "BOTH": all,
    "ALL": all,
    "ANY": any,
    "EITHER": any,
    "DISABLED": lambda on: not any(on),
    "NONE": lambda on: not any(on),
}
"""What conditions ask of names that are switched on, by what they call it."""


class _UndecidedError(ValueError):
    """A condition has something in it that is not known here."""


@dataclass
class _Branch:
    """One #if with what follows it until #endif."""

    outside: bool | None
    """Whether the lines around it count; None where that is not known."""
    now: bool | None
    """Whether the lines of the present part count."""
    taken: bool | None
    """Whether a part before counted."""
    line: int
    """Where it begins."""
    words: str
    """Its condition."""


def preprocessed(text: str, journal: Journal) -> dict[str, str]:
    """Return what names are defined as, comments and lines that are left out not counted; the last line counts.

    Files that are included are not read, and noted.
    """
    plain, file = _without_comments(text), journal.file
    defined: dict[str, str] = {}
    branches: list[_Branch] = []
    number, asked, raw_lines = 0, 0, plain.split("\n")
    while number < len(raw_lines):
        first, parts = number + 1, [raw_lines[number].rstrip("\r")]
        while parts[-1].endswith("\\") and number + 1 < len(raw_lines):
            number += 1
            parts[-1] = parts[-1][:-1]
            parts.append(raw_lines[number].rstrip("\r"))
        number += 1
        found = _DIRECTIVE.match(" ".join(parts))
        if found is None:
            continue
        word, rest = found[1], found[2]
        if word in _CONDITIONALS:
            asked += word != "endif"
            if asked > MOST_CONDITIONS or len(branches) > DEEPEST_BRANCH:
                reason = f"more than {MOST_CONDITIONS} conditions, or {DEEPEST_BRANCH} inside each other"
                raise DescriptionError(file, ((f"line {first}", f"{reason}: no configuration of a printer has these"),))
            _turn(branches, word, rest.strip(), defined, (file, first))
        elif word in ("define", "undef"):
            _define(branches, word, rest, defined, (file, first))
        elif word == "include" and _counts(branches) is not False:
            place = f"line {first}: #include {rest.strip()[:100]}"
            journal.dropped(place, "another file, which is not read: put what counts here")
    return defined


def _without_comments(text: str) -> str:
    """Return a text without its comments, whose line ends stay; one that nobody closes goes to the end."""

    def kept(found: re.Match[str]) -> str:
        whole = found[0]
        return " " + "\n" * whole.count("\n") if whole.startswith("/") else whole

    return _COMMENT_OR_STRING.sub(kept, text)


def _counts(branches: list[_Branch]) -> bool | None:
    return branches[-1].now if branches else True


def _define(branches: list[_Branch], word: str, rest: str, defined: dict[str, str], where: tuple[str, int]) -> None:
    """Take a #define or #undef, if it counts."""
    named, counts = _NAMED.match(rest), _counts(branches)
    if named is None or counts is False:
        return
    name = named[1]
    if counts is None:
        if "DELTA" not in name:
            return
        branch = branches[-1]
        reason = f"it counts only if {shown(branch.words)} in line {branch.line}, which cannot be decided here"
        raise DescriptionError(where[0], ((f"line {where[1]}, {name}", f"{reason}: write it without the condition"),))
    if word == "undef":
        defined.pop(name, None)
    else:
        defined[name] = named[2].strip()


def _turn(branches: list[_Branch], word: str, rest: str, defined: dict[str, str], where: tuple[str, int]) -> None:
    """Begin, change or end a branch."""
    if word in ("if", "ifdef", "ifndef"):
        outside = _counts(branches)
        name = "".join(rest.split(maxsplit=1)[:1])
        held = _decided(rest, defined) if word == "if" else (name in defined) == (word == "ifdef")
        branches.append(_Branch(outside, _both(outside, held), held, where[1], rest))
        return
    if not branches:
        raise DescriptionError(where[0], ((f"line {where[1]}", f"#{word} without an #if before it"),))
    branch = branches[-1]
    if word == "endif":
        branches.pop()
        return
    held = True if word == "else" else (_decided(rest, defined) if word == "elif" else None)
    free = None if branch.taken is None else not branch.taken
    branch.now = _both(branch.outside, _both(free, held))
    branch.taken = True if branch.taken or (free and held) else (None if None in (branch.taken, held) else False)


def _both(a: bool | None, b: bool | None) -> bool | None:
    """Return a and b, where None is what nobody knows."""
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def _decided(condition: str, defined: dict[str, str]) -> bool | None:
    """Return whether a condition holds; None if that cannot be decided."""
    if len(condition) > LONGEST_CONDITION:
        return None
    text = re.sub(r"\bdefined\s+(\w+)", r"defined(\1)", condition)
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    try:
        return bool(_value(ast.parse(text.strip(), mode="eval").body, defined, 0))
    except (_UndecidedError, SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, defined: dict[str, str], depth: int) -> float:
    """Return the value of a condition or of a part of it."""
    match node:
        case ast.Constant(value=int() | float() as value) if math.isfinite(value):
            result = float(value)
        case ast.Name(id=name):
            result = _of_name(name, defined, depth)
        case ast.Call(func=ast.Name(id=switch), args=arguments) if switch in _SWITCHES:
            names = [one.id for one in arguments if isinstance(one, ast.Name)]
            if len(names) != len(arguments):
                raise _UndecidedError(switch)
            result = float(_SWITCHES[switch]([_is_on(name, defined, plain=switch == "defined") for name in names]))
        case ast.UnaryOp(op=op, operand=operand):
            value = _value(operand, defined, depth)
            negative = -value if isinstance(op, ast.USub) else value
            result = float(not value) if isinstance(op, ast.Not) else negative
        case ast.BoolOp(op=op, values=parts):
            values = [bool(_value(part, defined, depth)) for part in parts]
            result = float(all(values) if isinstance(op, ast.And) else any(values))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            if not any(isinstance(side, ast.Constant) for side in (left, right)):
                _need_defined((left, right), defined)
            result = float(_COMPARED[type(op)](_value(left, defined, depth), _value(right, defined, depth)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMBINED:
            result = _COMBINED[type(op)](_value(left, defined, depth), _value(right, defined, depth))
        case _:
            raise _UndecidedError
    return result


def _need_defined(sides: tuple[ast.expr, ast.expr], defined: dict[str, str]) -> None:
    """Raise an error where names are compared of which one is not in this file, as the names of Marlin's boards."""
    for side in sides:
        if isinstance(side, ast.Name) and side.id not in defined:
            raise _UndecidedError(side.id)


def _of_name(name: str, defined: dict[str, str], depth: int) -> float:
    """Return the number of a name; 0 if it is not defined, as in C."""
    if name in ("true", "false"):
        return float(name == "true")
    if name not in defined:
        if depth:  # what stands for another name is defined elsewhere
            raise _UndecidedError(name)
        return 0.0
    text = defined[name].strip("() ")
    if depth > DEEPEST_VALUE or not re.fullmatch(r"\w+|[-+]?[\d.]+", text):
        raise _UndecidedError(name)
    return _value(ast.parse(text, mode="eval").body, defined, depth + 1)


def _is_on(name: str, defined: dict[str, str], *, plain: bool) -> bool:
    """Tell whether a name is defined or, as Marlin's macros take it, also neither 0 nor false."""
    if name not in defined:
        return False
    return plain or defined[name] in ("", "1", "true")
