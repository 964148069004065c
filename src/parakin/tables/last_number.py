"""Tells whether the last number of a CSV file without a last line end was cut off.

Many files lack the last line end and are whole, so that alone proves nothing. But 12 where 123.456 stood is a number
too. The numbers above it in its column tell the two apart:

- It has fewer digits after the point, or in its exponent, than any of them, by more than they differ among themselves.
  Of MANY numbers this is proof enough. Of fewer it is, if the number is also farther from the one above than twice the
  range of all of them.
- Where all of them are whole numbers, it has fewer digits than any of them, and is that far away.

What ends in a whole number of ordinary size cannot be told from a file that is whole.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from parakin.files import open_regular
from parakin.tables.rows import Dialect

MANY = 32
"""Numbers whose way of being written shows; of those drawn alike, one in a thousand ends in so much fewer digits."""
FEWEST = 2
"""Numbers that a comparison needs at least."""
_WINDOW = 2**16
"""Bytes before the end that are looked at."""
_NUMBER = re.compile(r"[+-]?(?P<whole>\d*)(?:\.(?P<decimals>\d*))?(?:[eE](?P<exponent>[+-]?\d+))?")


class _Number(NamedTuple):
    text: str
    value: float
    whole: int
    """Digits before the point."""
    decimals: int
    """Digits after the point."""
    exponent: int
    """Characters of the exponent."""


def cut_number(path: Path, line: bytes, dialect: Dialect) -> str | None:
    """Say why the last number of a file, which ends in this line without a line end, is a piece of one; None if not."""
    last = _last_number(line, dialect)
    above = [number for text in _lines_above(path, line) if (number := _last_number(text, dialect))]
    if last is None or len(above) < FEWEST or not _cut(last, above):
        return None
    return (
        f"the file ends here without a line end, and {last.text!r} has fewer digits than the numbers above it, such as "
        f"{above[-1].text!r}: copy it again, or end the line if it is whole"
    )


def _cut(last: _Number, above: list[_Number]) -> bool:
    values = [number.value for number in above]
    far = abs(last.value - values[-1]) > 2.0 * (max(values) - min(values))
    if not any(number.decimals or number.exponent for number in (last, *above)):
        return far and last.whole < min(number.whole for number in above)
    shorter = _shorter(last.decimals, [number.decimals for number in above]) or _shorter(
        last.exponent, [number.exponent for number in above]
    )
    return shorter and (far or len(above) >= MANY)


def _shorter(last: int, above: list[int]) -> bool:
    """Tell whether something is shorter than all others by more than they differ among themselves."""
    return last < 2 * min(above) - max(above)


def _lines_above(path: Path, line: bytes) -> list[bytes]:
    """Return the whole lines before the last one, as far as they are looked at; the header is not among them."""
    with open_regular(path) as file:
        end = file.seek(0, 2)
        start = max(0, end - max(_WINDOW, 2 * MANY * len(line)))
        file.seek(start)
        text = file.read(end - start)
    return text.split(b"\n")[1:-1]


def _last_number(line: bytes, dialect: Dialect) -> _Number | None:
    """Return the last value of a line, or None if it is no finite number."""
    text = line.rpartition(dialect.separator.encode())[2].decode("utf-8", "replace").strip()
    match = _NUMBER.fullmatch(text.replace(dialect.decimal, "."))
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    decimals, exponent = match["decimals"] or "", match["exponent"] or ""
    return _Number(text, float(match[0]), len(match["whole"]), len(decimals), len(exponent))
