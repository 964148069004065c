"""TOML as nested dictionaries, or refused in time that grows with its size only."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import cast

MOST_TABLES = 2**13
"""Tables that a file holds at most: a hundred legs of eight elements, with all they can have, take 6,500."""
MOST_VALUES = 2**16
"""Numbers, texts, lists and tables that a file holds at most."""
DEEPEST_KEY = 16
"""Parts of a dotted key at most; tomllib takes the square of their number in time."""

_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DEEP_KEY = re.compile(rf"(?:^[ \t]*+\[{{0,2}}|[{{,])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{{DEEPEST_KEY}}}", re.MULTILINE)


class NotTomlError(ValueError):
    """Bytes that are no TOML, or more of it than a file should have; the message says what and where."""


def tables_of(data: bytes, largest: int) -> dict[str, object]:
    """Return the tables in the bytes of a TOML file of at most `largest` bytes; NotTomlError for anything else."""
    if len(data) > largest:
        raise NotTomlError(f"is too large: a file like this has at most {largest // 2**20} MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"is not UTF-8 text (byte {error.start}, at line {line}): save it as UTF-8"
        raise NotTomlError(reason) from error
    if deep := _DEEP_KEY.search(text):
        line = text.count("\n", 0, deep.end()) + 1
        raise NotTomlError(f"line {line} has a key of more than {DEEPEST_KEY} parts: nested too deeply")
    try:
        tables = tomllib.loads(text)
    except RecursionError as error:
        raise NotTomlError("nested too deeply") from error
    except ValueError as error:
        raise NotTomlError(f"is not TOML: {error}") from error
    check_size(tables)
    return tables


def check_size(tables: Mapping[str, object]) -> None:
    """Refuse more tables, or values in all, than a file of robots or columns holds; NotTomlError says where."""
    values = count = 0
    for key, table in tables.items():
        open_ends: list[object] = [table]
        while open_ends:
            value = open_ends.pop()
            values += 1
            if isinstance(value, Mapping):
                count += 1
                open_ends += cast("Mapping[str, object]", value).values()
            elif isinstance(value, list | tuple):
                open_ends += cast("list[object]", value)
            if count > MOST_TABLES or values > MOST_VALUES:
                what = f"{MOST_TABLES} tables" if count > MOST_TABLES else f"{MOST_VALUES} values"
                reason = f"up to '{str(key)[:60]}' it holds more than {what}, enough for any robot"
                raise NotTomlError(f"{reason}: write what repeats once, with a symmetry")
