"""Logs are written to files and read again: CSV, NPZ, and Parquet where pyarrow is installed.

The ending of the file's name decides. All of them keep every digit.
"""

from __future__ import annotations

import re
from pathlib import Path

from parakin.errors import LogFileError
from parakin.simulation.log import Column, Log
from parakin.tables import open_table, write_table

_HEADER = re.compile(r"(?P<quantity>\w+)(?:\.(?P<part>[^\[\]]+?))? \[(?P<unit>[^\[\]]+)\]")


def write_log(path: str | Path, log: Log) -> Path:
    """Write a log to a file whole or not at all: an interrupted or failed call leaves what was there before.

    >>> pk.simulation.write_log("run.csv", log).name
    'run.csv'
    """
    return write_table(path, [column.header for column in log.columns], log.table)


def read_log(path: str | Path) -> Log:
    """Read a log that `write_log` wrote, to the last bit.

    >>> path = pk.simulation.write_log("run.csv", log)
    >>> np.array_equal(pk.simulation.read_log(path)["tau"], log["tau"])
    True
    """
    table = open_table(path)
    return Log(tuple(_column(str(path), header) for header in table.names), table.read())


def _column(file: str, header: str) -> Column:
    match = _HEADER.fullmatch(header)
    if match is None:
        raise LogFileError(file, f"column {header!r} must read like 'q.leg1.arm [rad]' or 't [s]'")
    return Column(match["quantity"], match["part"] or "", match["unit"])
