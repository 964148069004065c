"""Tells whether the last number of a CSV file without a last line end was cut off.

Many files lack the last line end and are whole, so that alone proves nothing. But 12 where 123.456 stood is a number
too. The numbers above it in its column, the last MOST of them, tell the two apart. It was cut off

- if it has fewer digits after the point, or in its exponent, than all of them, by more than they differ among
  themselves, and there are MANY of them (SOME where they are all alike, as those of "%.6f");
- if it has fewer digits than each of them, and is farther from the one above than twice the range of all. Of fewer
  than SOME this holds only if they are whole numbers, or if it has fewer digits as in the first case.

Of whole files without a last line end that have MANY rows, fewer than one in a hundred is taken for one that was cut;
ending its last line helps. Of files that were cut within a number, those are missed that still have most of its digits,
so that hardly anything is lost, and those whose columns vary so much, in size and in digits, that any number fits.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from parakin.files import open_regular
from parakin.tables.rows import Dialect

MOST = 64
"""Numbers above the last one that it is compared with at most."""
MANY = 32
"""Numbers by which it shows how many digits a column is written with, where they differ."""
SOME = 16
"""Numbers by which it shows where they are all alike."""
FEWEST = 2
"""Numbers that any comparison needs."""
_WINDOW = 2**16
"""Bytes before the end that are looked at."""
_NUMBER = re.compile(r"[+-]?(?P<whole>\d*)(?:\.(?P<decimals>\d*))?(?:[eE](?P<exponent>[+-]?\d+))?")


class _Number(NamedTuple):
    text: str
    value: float
    digits: int
    """All its digits, before and after the point and in the exponent."""
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
    fewest = min(number.digits for number in above)
    if not any(number.decimals or number.exponent for number in (last, *above)):
        return far and last.digits < fewest
    decimals, exponents = [number.decimals for number in above], [number.exponent for number in above]
    alike = len(set(decimals)) == len(set(exponents)) == 1
    shorter = _shorter(last.decimals, decimals) or _shorter(last.exponent, exponents)
    if far and (shorter or (len(above) >= SOME and last.digits < fewest)):
        return True
    return shorter and len(above) >= (SOME if alike else MANY)


def _shorter(last: int, above: list[int]) -> bool:
    """Tell whether something is shorter than all others by more than they differ among themselves."""
    return last < 2 * min(above) - max(above)


def _lines_above(path: Path, line: bytes) -> list[bytes]:
    """Return the whole lines before the last one, as far as they are looked at; the header is not among them."""
    with open_regular(path) as file:
        end = file.seek(0, 2)
        start = max(0, end - max(_WINDOW, MOST * len(line)))
        file.seek(start)
        text = file.read(end - start)
    return text.split(b"\n")[1:-1][-MOST:]


def _last_number(line: bytes, dialect: Dialect) -> _Number | None:
    """Return the last value of a line, or None if it is no finite number."""
    text = line.rpartition(dialect.separator.encode())[2].decode("utf-8", "replace").strip()
    match = _NUMBER.fullmatch(text.replace(dialect.decimal, "."))
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    decimals, exponent = match["decimals"] or "", match["exponent"] or ""
    return _Number(text, float(match[0]), sum(map(str.isdigit, text)), len(decimals), len(exponent))
