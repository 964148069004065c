"""Files with random damage: each is refused by a ParakinError, or read as somebody else reads it.

    python -m tests.abuse.fuzzing 5000 1            # that many files of each kind, from this seed
    python -m tests.abuse.fuzzing 5000 1 csv npz    # of these kinds only

Robot and mechanism files are compared with tomllib and with themselves after writing and reading again, and home of a
mechanism with its joints; CSV with a reader of ten lines, NPZ with what it held before the damage: its checksums leave
no other way. Parquet is compared with pyarrow's own reader of whole files, for its footer has no checksum.
"""

from __future__ import annotations

import csv
import io
import json
import re
import resource
import sys
import tempfile
import time
import tomllib
import warnings
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
from pyarrow import parquet
from pydantic import BaseModel

from parakin.description import describe, library, load_description, to_toml
from parakin.description.shapes import SIZES
from parakin.errors import ImplausibleValueWarning, ParakinError
from parakin.mechanism import describe_mechanism, load_mechanism_description, mechanism_library, mechanism_to_toml
from parakin.mechanism.plan import plan
from parakin.mechanism.shorthand import BODY_SHORTHAND
from parakin.tables import open_table
from tests.abuse.witnesses import read_right, robot_shapes_differ
from tests.mechanism.zoo import ZOO

MOST_SECONDS = 3.0
"""Processor time that a file may take."""
_TOKENS = [
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\xff",
        b"\xc3",
        b"\xf0\x9f",
        b",",
        b";",
        b".",
        b"-",
        b"e",
        b"=",
        b"[",
        b"]",
        b"{",
        b'"',
        b"'",
    ),
    *(b"nan", b"-inf", b"1e999", b"1_0", b"0x10", b"[[legs]]\n", b"[platform]\n", b"name = 'x'\n", b"PK\x01\x02", b"#"),
    *(b" ", b"\t", b"\xe2\x80\xa8", b"\x1b[2J", b"99999999999999999999", b"true", b"1979-05-27", b"''''''"),
]
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_VALUES = [
    *(b"0", b"-0.0", b"1", b"-1", b"2", b"1e-320", b"1e308", b"1e100", b"-1e100", b"1e-17", b"0.1", b"100.0", b"nan"),
    *(b"-inf", b"true", b"'1'", b"[1]", b"{}", b"0xff", b"1_000", b"9" * 25, b"9" * 5000, b"0x" + b"f" * 5000, b"1.5"),
]

_FACTORS = (-1.0, 0.0, 1.0 + 1e-12, 1.0 + 1e-5, 1.1, 2.0, 1e3, 1e-3, 1e-17)
"""What a number is multiplied by that stays a number: signs, rounding, other dimensions, other units."""


class Count(NamedTuple):
    """What came of the files of one kind."""

    files: int
    accepted: int
    wrong: list[str]
    """Tracebacks, silent wrongs and files that took too long."""


def damaged(content: bytes, random: np.random.Generator) -> bytes:
    """Return a copy with up to four random changes, or in every third file with one number that is another."""
    data = bytearray(content)
    if random.random() < 1 / 3 and (numbers := list(_NUMBER.finditer(data))):
        number = numbers[int(random.integers(0, len(numbers)))]
        factor = _FACTORS[int(random.integers(0, len(_FACTORS)))]
        data[slice(*number.span())] = repr(factor * float(number.group())).encode()
        return bytes(data)
    for _ in range(int(random.integers(1, 5))):
        place = int(random.integers(0, len(data) + 1))
        length = int(random.integers(1, 2 ** int(random.integers(1, 8))))
        kind = random.integers(0, 7)
        if kind == 0 and place < len(data):
            data[place] ^= 1 << int(random.integers(0, 8))
        elif kind == 1:
            data[place : place + length] = b""
        elif kind == 2:
            data[place:place] = _TOKENS[int(random.integers(0, len(_TOKENS)))]
        elif kind == 3:
            source = int(random.integers(0, len(data) + 1))
            data[place:place] = data[source : source + length]
        elif kind == 4:
            data[place : place + length] = random.bytes(length)
        elif kind == 5 and (numbers := list(_NUMBER.finditer(data))):
            number = numbers[int(random.integers(0, len(numbers)))]
            data[slice(*number.span())] = _VALUES[int(random.integers(0, len(_VALUES)))]
        elif random.random() < 0.3:
            del data[place:]
    return bytes(data)


# Robot files ---------------------------------------------------------------------------------------------------------


def read_robot(path: Path, _: bytes) -> str | None:
    """Return what is wrong with a robot that was accepted."""
    description = load_description(path)
    tables = tomllib.loads(path.read_bytes().decode())
    if describe(tomllib.loads(to_toml(description)), "again") != description:
        return "is another robot when it is written and read again"
    return _differs(_without_shorthand(tables), description, "") or robot_shapes_differ(tables, description)


def _without_shorthand(table: Any) -> Any:
    """Return tables without the keys that a robot file leaves to parakin, and that a description has not."""
    if isinstance(table, list):
        return [_without_shorthand(entry) for entry in table]
    if not isinstance(table, dict):
        return table
    hidden = SIZES if "shape" in table else ("elbow",) if "elements" in table else ()
    return {key: _without_shorthand(value) for key, value in table.items() if key not in hidden}


def _differs(told: Any, read: Any, key: str) -> str | None:
    """Return the first place where a file says something else than what was read."""
    if isinstance(told, dict):
        pairs = [(told[k], getattr(read, k) if isinstance(read, BaseModel) else read[k], f"{key}.{k}") for k in told]
    elif isinstance(told, list):
        if told and all(isinstance(value, int | float) for value in told):
            vector, unit = np.array(told, float), np.array(read)
            same = np.array_equal(vector, unit) or (vector.shape == unit.shape and _parallel(vector, unit))
            return None if same else f"{key}: {told} was read as {read}"
        if len(told) != len(read):
            return f"{key}: {len(told)} were read as {len(read)}"
        pairs = [(told[k], read[k], f"{key}[{k}]") for k in range(len(told))]
    else:
        if isinstance(told, int) and isinstance(read, float):
            told = float(told)
        same = told == read and isinstance(told, bool) == isinstance(read, bool)
        return None if same else f"{key}: {told!r} was read as {read!r}"
    return next((wrong for pair in pairs if (wrong := _differs(*pair))), None)


def _parallel(vector: np.ndarray, unit: np.ndarray) -> bool:
    """Tell whether a unit vector is along a vector of any length; squares of numbers below 1e-160 are zero."""
    largest = float(np.max(np.abs(vector)))
    return largest > 0 and np.allclose(vector / largest, np.linalg.norm(vector / largest) * unit, atol=0, rtol=1e-12)


# Mechanism files -----------------------------------------------------------------------------------------------------


def read_mechanism(path: Path, _: bytes) -> str | None:
    """Return what is wrong with a mechanism that was accepted and put together."""
    description = load_mechanism_description(path)
    tables = tomllib.loads(path.read_bytes().decode())
    if describe_mechanism(tomllib.loads(mechanism_to_toml(description)), "again") != description:
        return "is another mechanism when it is written and read again"
    bodies = [{key: value for key, value in body.items() if key not in BODY_SHORTHAND} for body in tables["bodies"]]
    return _differs(tables | {"bodies": bodies}, description, "") or read_right(tables, description, plan(description))


def mechanisms(_: np.random.Generator) -> list[bytes]:
    """Return the mechanism files of the library, and small ones with every kind of joint."""
    folder = resources.files("parakin.mechanism") / "library"
    written = [(folder / f"{name}.toml").read_bytes() for name in mechanism_library()]
    return written + [mechanism_to_toml(made()).encode() for made in ZOO.values()]


# Tables --------------------------------------------------------------------------------------------------------------


def read_csv(path: Path, _: bytes) -> str | None:
    """Return how a CSV log was read otherwise than by the plainest reader."""
    table = open_table(path)
    values = table.read()
    text = path.read_bytes().decode("utf-8-sig")
    first, *lines = text.split("\n")
    names = tuple(name.strip() for name in next(csv.reader([first])))
    rows = [[float(value) for value in line.split(",")] for line in lines if line.strip(" \t\r")]
    if names != table.names or any("_" in line for line in lines):
        return f"has the names {names}, read as {table.names}"
    same = np.array_equal(np.array(rows), values, equal_nan=True)
    return None if same else "has other numbers"


def read_npz(path: Path, content: bytes) -> str | None:
    """Return what was read otherwise than it had been written."""
    table = open_table(path)
    values = table.read()
    before = np.load(io.BytesIO(content))
    if "table" in before:
        names, want = tuple(before["columns"].tolist()), before["table"]
    else:
        names, want = ("t", "q.1", "q.2"), np.column_stack([before["t"], before["q"]])
    same = table.names == names and np.array_equal(values, want)
    return None if same else f"was read as {table.names}, {values.shape}"


def read_parquet(path: Path, _: bytes) -> str | None:
    """Return how a Parquet log was read otherwise than by pyarrow."""
    table = open_table(path)
    values = table.read()
    whole = parquet.read_table(path)
    want = np.column_stack([whole.column(k).to_numpy().astype(float) for k in range(whole.num_columns)])
    same = list(table.names) == whole.column_names and np.array_equal(values, want, equal_nan=True)
    return None if same else f"was read as {table.names}, {values.shape}"


def parquet_logs(random: np.random.Generator) -> list[bytes]:
    """Return small files, packed in several ways, with and without checksums, one of them with missing values."""
    numbers = random.normal(size=(50, 2))
    columns = [np.arange(50), numbers[:, 0], numbers[:, 1].astype("f4")]
    columns_with_gaps = [*columns[:2], pyarrow.array([None if k % 7 == 0 else float(k) for k in range(50)])]
    contents: list[bytes] = []
    for packing in ("none", "snappy", "gzip", "zstd"):
        for arrays in (columns, columns_with_gaps):
            stream = io.BytesIO()
            made = pyarrow.table(arrays, names=["t", "q.1", "tau.1"])
            checked = packing in ("none", "snappy")
            parquet.write_table(made, stream, compression=packing, write_page_checksum=checked, row_group_size=20)
            contents.append(stream.getvalue())
    return contents


def csv_logs(random: np.random.Generator) -> list[bytes]:
    """Return small logs as several programs write them."""
    numbers = np.cumsum(random.normal(size=(60, 3)), axis=0)
    formats: list[Callable[[float], str]] = [repr, "{:.6f}".format, "{:.18e}".format, "{:g}".format]
    lines = [["t [s],q.1 [rad],tau [N m]", *(",".join(map(form, row)) for row in numbers.tolist())] for form in formats]
    return [(end.join(rows) + end * ended).encode() for rows in lines for end in ("\n", "\r\n") for ended in (0, 1)]


def npz_logs(random: np.random.Generator) -> list[bytes]:
    """Return small archives, stored and deflated, with a table or with an array for each column."""
    contents: list[bytes] = []
    for save in (np.savez, np.savez_compressed):
        for arrays in (
            {"columns": np.array(["t", "q"]), "table": random.normal(size=(50, 2))},
            {"t": np.arange(30), "q": random.normal(size=(30, 2)).astype("f4")},
        ):
            stream = io.BytesIO()
            save(stream, **arrays)  # type: ignore[arg-type]
            contents.append(stream.getvalue())
    return contents


def robots(_: np.random.Generator) -> list[bytes]:
    """Return the robot files of the library and of the documentation, which have shapes and elbows."""
    folder = resources.files("parakin.description") / "library"
    pages = sorted((Path(__file__).parents[2] / "docs" / "robots").glob("*.toml"))
    return [(folder / f"{name}.toml").read_bytes() for name in library()] + [page.read_bytes() for page in pages]


KINDS: dict[str, tuple[str, Callable[..., list[bytes]], Callable[[Path, bytes], str | None]]] = {
    "robots": ("robot.toml", robots, read_robot),
    "mechanisms": ("mechanism.toml", mechanisms, read_mechanism),
    "csv": ("log.csv", csv_logs, read_csv),
    "npz": ("log.npz", npz_logs, read_npz),
    "parquet": ("log.parquet", parquet_logs, read_parquet),
}


def fuzz(kind: str, files: int, seed: int) -> Count:
    """Read so many damaged files of a kind."""
    name, contents_of, read = KINDS[kind]
    random = np.random.default_rng(seed)
    contents, accepted, wrong = contents_of(random), 0, list[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        for k in range(files):
            content = contents[k % len(contents)]
            path.write_bytes(damaged(content, random))
            start = time.process_time()
            try:
                fault = read(path, content)
                accepted += 1
            except ParakinError as error:
                fault = None if str(error).isprintable() or "\n" in str(error) else "has a message that cannot be shown"
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"
            seconds = time.process_time() - start
            if fault or seconds > MOST_SECONDS:
                wrong.append(f"{kind}, seed {seed}, file {k}: {fault or 'took'} {seconds:.1f} s")
    return Count(files, accepted, wrong)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ImplausibleValueWarning)  # a doubt that is told is no silent wrong
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
    print(json.dumps({kind: fuzz(kind, int(sys.argv[1]), int(sys.argv[2])) for kind in sys.argv[3:] or KINDS}))
