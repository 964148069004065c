"""Tables that are no tables: CSV, NPZ and Parquet files made to mislead, to fill memory or to take for ever."""

from __future__ import annotations

import copy
import io
import os
import re
import socket
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from parakin.errors import LogFileError
from parakin.identification.logs.column_map import load_column_map
from parakin.kernels import disk_cache
from parakin.simulation import read_log
from parakin.tables import BadRow, open_table, write_table
from parakin.trajectory import read_csv
from tests.abuse.confined import Case

Make = Callable[[Path], Callable[[], object]]

try:
    import pyarrow as arrow
    from pyarrow import parquet
except ImportError:
    arrow = parquet = None

ROWS = 40
THREE = np.arange(3.0)


def reading(path: Path, **dialect: str) -> Callable[[], object]:
    return lambda: open_table(path, **dialect).read()


# CSV -----------------------------------------------------------------------------------------------------------------


def text(content: bytes | str | Iterable[bytes], **dialect: str) -> Make:
    """Write a CSV file, from pieces where it is long."""

    def make(folder: Path) -> Callable[[], object]:
        path = folder / "log.csv"
        with path.open("wb") as file:
            pieces = [content.encode()] if isinstance(content, str) else content
            for piece in [pieces] if isinstance(pieces, bytes) else pieces:
                file.write(piece)
        return reading(path, **dialect)

    return make


def sparse(size: int) -> Make:
    def make(folder: Path) -> Callable[[], object]:
        with (folder / "log.csv").open("wb") as file:
            file.truncate(size)
        return reading(folder / "log.csv")

    return make


def table(last: str, end: str = "", form: str = "%.3f", count: int = ROWS, start: float = 123.4) -> str:
    """Return a log of two columns whose last value is `last`."""
    lines = [f"{k / 100:.2f},{form % (start + 0.01 * k)}" for k in range(count)]
    return "\n".join(["t,q", *lines, f"{count / 100:.2f},{last}"]) + end


def tolerant(content: bytes, repeats: int) -> Make:
    """Read a log with bad rows, which are collected."""

    def make(folder: Path) -> Callable[[], object]:
        path = folder / "log.csv"
        with path.open("wb") as file:
            file.write(b"a,b\n1,2\n")
            for _ in range(repeats):
                file.write(content)
        bad: list[BadRow] = []
        return lambda: sum(len(block) for block in open_table(path).blocks(on_bad=bad.append))

    return make


def wide(count: int) -> bytes:
    names = ",".join(f"c{k}" for k in range(count)).encode()
    return names + b"\n" + b",".join([b"1.5"] * count) + b"\n"


PLAIN = "a,b\n1,2\n3,4\n"
LONG = [b"7" * 2**20] * 100
WHOLE_LINES = [b"a,b\n", *[b"1.25,2.5\n" * 2**14] * 10]

CSV: dict[str, tuple[str, Make, Make]] = {
    "CR line ends": ("line 1: has a carriage return", text("a,b\r1,2\r3,4\r"), text("a,b\r\n1,2\r\n3,4\r\n")),
    "CR line ends, 2 MB": (
        "has a carriage return",
        text("a,b\r" + "1,2\r" * 2**19),
        text("a,b\r\n" + "1,2\r\n" * 2**16),
    ),
    "a CR within a line": ("line 3: has a carriage return", text("a,b\n1,2\n3,4\r5,6\n"), text("a,b\n1,2\n3,4\n5,6\n")),
    "CR CR LF": ("line 1: has a carriage return", text("a,b\r\r\n1,2\r\r\n"), text("a,b\r\n1,2\r\n")),
    "CR in a late line": ("line 16386: has a carri", text("a,b\n" + "1,2\n" * 2**14 + "1,2\r3,4\n"), text(PLAIN)),
    "name of 200 KB": (
        "line 1: the header cannot be read, field larger",
        text(f"a,{'b' * 200_000}\n1,2\n"),
        text(PLAIN),
    ),
    "quoted name of 200 KB": ("header cannot be read", text(f'a,"{"b" * 200_000}"\n1,2\n'), text('a,"b,c"\n1,2\n')),
    "name of 1001 characters": (
        "column 2 has 1001 char",
        text(f"a,{'b' * 1001}\n1,2\n"),
        text(f"a,{'b' * 1000}\n1,2\n"),
    ),
    "header of 3 MB": ("line 1: goes on for more than 1048576 bytes", text("ab," * 2**20 + "\n1,2\n"), text(PLAIN)),
    "header without an end": ("line 1: goes on for more", text(LONG), text(WHOLE_LINES)),
    "100,000 columns": ("has 100000 columns, a log has at most 16384", text(wide(100_000)), text(wide(16_384))),
    "16,385 columns": ("has 16385 columns", text(wide(16_385)), text(wide(16_384))),
    "16,384 columns of one name": ("stands twice", text(b",".join([b"a"] * 16_384) + b"\n"), text(wide(16_384))),
    "a line without an end": ("line 2: goes on for more", text([b"a,b\n", *LONG]), text(WHOLE_LINES)),
    "a late line without an end": ("line 4: goes on", text([b"a,b\n1,2\n3,4\n5,", *LONG]), text(WHOLE_LINES)),
    "a line of 2 MB among others": ("line 3: goes on", text(f"a,b\n1,2\n{'7' * 2**21},1\n5,6\n"), text(PLAIN)),
    "a line of 900,000 commas": (
        "line 3: has 900001 val",
        text(f"a,b\n1,2\n{',' * 900_000}\n"),
        text("a,b\n1,2\n3,4\n"),
    ),
    "10^5 short lines are bad": ("this is no log", tolerant(b"x\n" * 2**15, 200), tolerant(b"x\n1,2\n", 1000)),
    "10^5 long lines are bad": ("this is no log", tolerant(b"1,2,3,4,5\n" * 2**15, 100), tolerant(b"1,2\n", 1000)),
    "number cut: 12 of 123.456": (
        "line 4, column 'q': the file ends here without a line end, and '12' has fewer",
        text(table("12", count=2)),
        text(table("123.456", count=2)),
    ),
    "number cut, decimals": ("line 42, column 'q': the file ends here", text(table("123.4")), text(table("123.456"))),
    "number cut, at the point": ("the file ends here", text(table("123.")), text(table("123.456"))),
    "number cut, before the point": ("the file ends here", text(table("12")), text(table("12", "\n"))),
    "number cut, counts": (
        "the file ends here",
        text(table("12", form="%d", start=1200)),
        text(table("1200", form="%d", start=1200)),
    ),
    "number cut, exponent": (
        "the file ends here",
        text(table("1.2e-0", form="%.1e")),
        text(table("1.2e-05", form="%.1e")),
    ),
    "number cut, no exponent": (
        "the file ends here",
        text(table("1.2", form="%.1e")),
        text(table("1.2e-05", form="%.1e")),
    ),
    "number cut, to the last digit": (
        "the file ends here",
        text(table("123.4", form="%r", start=123.4567891234567)),
        text(table("123.8567891234567", form="%r", start=123.4567891234567)),
    ),
    "number cut, after its sign": ("ends within a number, '-'", text(table("-")), text(table("-123.456"))),
    "number cut, after e": ("ends within a number, '1.2e-'", text(table("1.2e-")), text(table("1.2e-05", form="%.1e"))),
    "number cut, all of it": ("ends within a number, ''", text(table("")), text(table("123.456"))),
    "number cut, CR of CR LF": ("the file ends here", text(table("12\r")), text(table("123.456\r"))),
    "number cut, decimal comma": (
        "the file ends here",
        text(table("12").replace(",", ";").replace(".", ","), separator=";", decimal=","),
        text(table("123.456").replace(",", ";").replace(".", ","), separator=";", decimal=","),
    ),
    "line cut": (
        "line 42: the file ends within a line, after 1 values",
        text(table("1").rpartition(",")[0]),
        text(table("123.456")),
    ),
    "zero byte in the header": ("line 1: holds zero bytes", text("a,\0b\n1,2\n"), text(PLAIN)),
    "zero byte among numbers": ("line 3: holds zero bytes", text("a,b\n1,2\n3,\0004\n"), text(PLAIN)),
    "8 GiB of zero bytes": ("line 1: holds zero bytes", sparse(2**33), text(PLAIN)),
    "UTF-16": ("is UTF-16 text", text(PLAIN.encode("utf-16")), text(PLAIN.encode("utf-8-sig"))),
    "UTF-16, other order": ("is UTF-16 text", text(b"\xfe\xff" + PLAIN.encode("utf-16-be")), text(PLAIN)),
    "UTF-32": ("UTF-16 text|zero bytes", text(PLAIN.encode("utf-32")), text(PLAIN)),
    "Latin-1 name": (r"line 1: is not UTF-8 text \(byte 0xb5\)", text(b"a,\xb5\n1,2\n"), text("a,µ\n1,2\n")),
    "Latin-1 value": (r"line 3: is not UTF-8 text", text(b"a,b\n1,2\n3,\xb54\n"), text(PLAIN)),
    "half a character at the end": ("is not UTF-8 text", text(b"a,b\n1,2\n3,4\xc3"), text(PLAIN)),
    "form feed between numbers": ("line 2, column 'b': must be a number", text("a,b\n1,2\f3\n"), text("a,b\n1,2\n")),
    "file separator between rows": ("line 2: has 3 values", text("a,b\n1,2\x1c3,4\n"), text(PLAIN)),
    "line separator between rows": ("line 2: has 3 values", text("a,b\n1,2\u20283,4\n"), text(PLAIN)),
    "record separator before a number": ("column 'b': must be a number", text("a,b\n1,\x1e2\n"), text("a,b\n1, 2\n")),
    "underscores": ("must be a number", text("a,b\n1,2_000\n"), text("a,b\n1,2000\n")),
    "hexadecimal": ("must be a number", text("a,b\n1,0x10\n"), text("a,b\n1,16\n")),
    "two points": ("must be a number", text("a,b\n1,1.2.3\n"), text("a,b\n1,1.23\n")),
    "quoted numbers": ("must be a number", text('a,b\n"1","2"\n'), text('"a","b"\n1,2\n')),
    "a number of 10^6 digits": ("goes on for more", text(f"a,b\n1,{'9' * 2**20}\n"), text(f"a,b\n1,{'9' * 300}\n")),
    "text of 10^6 letters": (r"got 'xxx.{37}'$", text(f"a,b\n1,{'x' * 10**6}\n"), text("a,b\n1,nan\n")),
    "nothing": ("is empty", text(""), text(PLAIN)),
    "spaces alone": ("is empty", text("   \r\n"), text("  a , b\r\n1,2\r\n")),
    "a header alone": ("has a header and no rows", text("a,b\n"), text("a,b\n1,2")),
    "50 MB of empty lines": (
        "has a header and no rows",
        text([b"a,b\n", *[b"\n" * 2**20] * 50]),
        text([b"a,b\n", *[b"\n" * 2**20] * 5, b"1,2\n"]),
    ),
    "numbers alone": ("begins with numbers", text("1,2\n3,4\n"), text(PLAIN)),
    "escape sequences in a name": (r"cannot be shown, '\\x1b", text("a,\x1b[2Jb\n1,2\n"), text("a,[2J b\n1,2\n")),
    "a name twice": ("stands twice", text("a,a\n1,2\n"), text(PLAIN)),
}


# NPZ -----------------------------------------------------------------------------------------------------------------


def saved(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def bytes_of(content: bytes | Callable[[], bytes], ending: str = "npz") -> Make:
    """Return what writes a file; content that takes long to make is made then."""

    def make(folder: Path) -> Callable[[], object]:
        path = folder / f"log.{ending}"
        path.write_bytes(content if isinstance(content, bytes) else content())
        return reading(path)

    return make


def array_bytes(header: str | bytes, data: bytes = b"", version: int = 1) -> bytes:
    """Return a .npy file with any header."""
    told = header.encode() if isinstance(header, str) else header
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(told)) + told + data


def described(shape: object, kind: str = "<f8", order: object = False) -> str:
    return f"{{'descr': {kind!r}, 'fortran_order': {order!r}, 'shape': {shape}}}\n"


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def one(content: bytes) -> Make:
    """Return an archive of one array, packed so that nothing but its header is odd."""
    return bytes_of(zipped({"a.npy": content}))


def flagged(offset_local: int, offset_directory: int, value: int) -> bytes:
    """Return an archive in which 16 bits of every member's two headers are changed."""
    data = bytearray(saved(t=np.arange(3.0)))
    for mark, offset in ((b"PK\x03\x04", offset_local), (b"PK\x01\x02", offset_directory)):
        for match in re.finditer(re.escape(mark), bytes(data)):
            struct.pack_into("<H", data, match.start() + offset, value)
    return bytes(data)


def many_members(count: int) -> bytes:
    """Return an archive whose directory names one member many times, as overlapping bombs do."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a0.npy", array_bytes(described("(3,)"), bytes(24)))
        for k in range(1, count):
            entry = copy.copy(archive.filelist[0])
            entry.filename = entry.orig_filename = f"a{k}.npy"
            archive.filelist.append(entry)
    return stream.getvalue()


def one_hidden() -> bytes:
    """Return an archive in which the comment of the first entry is said to be as long as the second entry."""
    data = bytearray(saved(t=THREE, q=THREE))
    first, second = (match.start() for match in re.finditer(rb"PK\x01\x02", bytes(data)))
    struct.pack_into("<H", data, first + 32, data.rindex(b"PK\x05\x06") - second)
    return bytes(data)


def bomb(rows: int) -> Make:
    def make(folder: Path) -> Callable[[], object]:
        path = folder / "log.npz"
        packing = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        with packing as archive, archive.open("a.npy", "w") as member:
            member.write(array_bytes(described(f"({rows},)", "|u1")))
            for start in range(0, rows, 2**20):
                member.write(bytes(min(2**20, rows - start)))
        return reading(path)

    return make


def bent(position: int, change: int = 0x10) -> bytes:
    """Return a file of parakin's own with one byte changed."""
    data = bytearray(saved(columns=np.array(["a", "b"]), table=np.arange(8.0).reshape(4, 2)))
    data[position] ^= change
    return bytes(data)


GOOD_NPZ = bytes_of(saved(t=THREE, q=np.arange(6).reshape(3, 2)))
OWN = bytes_of(saved(columns=np.array(["a", "b"]), table=np.arange(8.0).reshape(4, 2)))
GOOD_ONE = one(array_bytes(described("(3,)"), bytes(24)))
DATA = saved(columns=np.array(["a", "b"]), table=np.arange(8.0).reshape(4, 2)).rindex(np.arange(8.0).tobytes())

NPZ: dict[str, tuple[str, Make, Make]] = {
    "encrypted": ("column 't.npy': is encrypted", bytes_of(flagged(6, 8, 1)), GOOD_NPZ),
    "method 97": ("packed by method 97", bytes_of(flagged(8, 10, 97)), GOOD_NPZ),
    "method 1": ("packed by method 1", bytes_of(flagged(8, 10, 1)), GOOD_NPZ),
    "LZMA": (
        "packed by method 14",
        bytes_of(zipped({"a.npy": array_bytes(described("(3,)"), bytes(24))}, zipfile.ZIP_LZMA)),
        bytes_of(zipped({"a.npy": array_bytes(described("(3,)"), bytes(24))}, zipfile.ZIP_DEFLATED)),
    ),
    "damaged LZMA": (
        "packed by method 14",
        bytes_of(zipped({"a.npy": bytes(200)}, zipfile.ZIP_LZMA).replace(b"\x5d\x00", b"\xff\xff")),
        GOOD_ONE,
    ),
    "BZIP2": (
        "packed by method 12",
        bytes_of(zipped({"a.npy": array_bytes(described("(3,)"), bytes(24))}, zipfile.ZIP_BZIP2)),
        GOOD_ONE,
    ),
    "header: no dictionary": ("header of 'a.npy' cannot be read", one(array_bytes("[1, 2]")), GOOD_ONE),
    "header: no literal": ("header of 'a.npy' cannot be read", one(array_bytes("print(1)")), GOOD_ONE),
    "header: broken off": ("header of 'a.npy' cannot be read", one(array_bytes("{'descr': '<f8', 'fortran")), GOOD_ONE),
    "header: unbalanced": ("header of 'a.npy' cannot be read", one(array_bytes("(" * 5000)), GOOD_ONE),
    "header: deep": ("header of 'a.npy' cannot be read", one(array_bytes("-" * 9000 + "1")), GOOD_ONE),
    "header: no shape": ("header of 'a.npy' cannot be read", one(array_bytes("{'descr': '<f8'}")), GOOD_ONE),
    "header: keys of no order": ("header of 'a.npy' cannot be read", one(array_bytes("{1: 2, 'a': 3}")), GOOD_ONE),
    "header: unhashable": ("header of 'a.npy' cannot be read", one(array_bytes("{[]: 2}")), GOOD_ONE),
    "header: shape of text": ("header of 'a.npy' cannot be read", one(array_bytes(described("('3',)"))), GOOD_ONE),
    "header: shape of a float": ("header of 'a.npy' cannot be read", one(array_bytes(described("(3.0,)"))), GOOD_ONE),
    "header: order of text": (
        "header of 'a.npy' cannot be read",
        one(array_bytes(described("(3,)", order="x"))),
        GOOD_ONE,
    ),
    "header: no type": ("header of 'a.npy' cannot be read", one(array_bytes(described("(3,)", "<q99"))), GOOD_ONE),
    "header: nested type": (
        "header of 'a.npy' cannot be read|must hold numbers",
        one(array_bytes(described("(3,)").replace("'<f8'", "[('a', [('b', '<f8')])]"))),
        GOOD_ONE,
    ),
    "header: odd type": (
        "header of 'a.npy' cannot be read",
        one(array_bytes(described("(3,)").replace("'<f8'", "[(), 1]"))),
        GOOD_ONE,
    ),
    "header: not UTF-8": ("header of 'a.npy' cannot be read", one(array_bytes(b"\xff" * 20, version=3)), GOOD_ONE),
    "header: zero bytes": ("header of 'a.npy' cannot be read", one(array_bytes(bytes(50))), GOOD_ONE),
    "header: number of 5000 digits": (
        "header of 'a.npy' cannot be read",
        one(array_bytes(described(f"({'9' * 5000},)"))),
        GOOD_ONE,
    ),
    "header: hexadecimal number": ("has the shape", one(array_bytes(described(f"(0x{'f' * 6000},)"))), GOOD_ONE),
    "header: hexadecimal columns": ("has the shape", one(array_bytes(described(f"(1, 0x{'f' * 6000})"))), GOOD_ONE),
    "header: longer than 4 GB": (
        "header of 'a.npy' cannot be read",
        one(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"),
        GOOD_ONE,
    ),
    "header: of 11,000 characters": (
        "header of 'a.npy' cannot be read",
        one(array_bytes(described("(3,)") + " " * 11_000, bytes(24))),
        one(array_bytes(described("(3,)") + " " * 9_000, bytes(24))),
    ),
    "header: version 9": (
        "version",
        one(array_bytes(described("(3,)"), bytes(24), 9)),
        one(array_bytes(described("(3,)"), bytes(24), 2)),
    ),
    "a column without length": (
        r"column 't': has the shape \(\)",
        bytes_of(saved(t=np.float64(3.0))),
        bytes_of(saved(t=THREE)),
    ),
    "columns without length": ("must be a list of names", bytes_of(saved(columns=np.array("a"), table=THREE)), OWN),
    "columns that are numbers": ("must be a list of names", bytes_of(saved(columns=THREE, table=THREE)), OWN),
    "columns that are objects": (
        "must be a list of names",
        bytes_of(
            zipped(
                {
                    "columns.npy": array_bytes(described("(1,)", "|O"), b"cos\nsystem\n."),
                    "table.npy": array_bytes(described("(3,)"), bytes(24)),
                }
            )
        ),
        OWN,
    ),
    "10^12 names": (
        "names",
        bytes_of(
            zipped(
                {
                    "columns.npy": array_bytes(described("(1000000000000,)", "<U9")),
                    "table.npy": array_bytes(described("(3,)"), bytes(24)),
                }
            )
        ),
        OWN,
    ),
    "names of 10^9 characters": (
        "names|cannot be read",
        bytes_of(
            zipped(
                {
                    "columns.npy": array_bytes(described("(1,)", "<U500000000")),
                    "table.npy": array_bytes(described("(3,)"), bytes(24)),
                }
            )
        ),
        OWN,
    ),
    "fewer names than columns": (
        "has 1 columns and a table",
        bytes_of(saved(columns=np.array(["a"]), table=np.ones((3, 2)))),
        OWN,
    ),
    "more names than columns": (
        "has 3 columns and a table",
        bytes_of(saved(columns=np.array(["a", "b", "c"]), table=np.ones((3, 2)))),
        OWN,
    ),
    "a name that is half a surrogate": (
        "cannot be shown",
        bytes_of(saved(columns=np.array(["a", "\ud800"]), table=np.ones((3, 2)))),
        OWN,
    ),
    "a name that is no character": (
        "NPZ log|cannot",
        bytes_of(
            zipped(
                {
                    "columns.npy": array_bytes(described("(1,)", "<U1"), b"\xff\xff\xff\x7f"),
                    "table.npy": array_bytes(described("(3,)"), bytes(24)),
                }
            )
        ),
        OWN,
    ),
    "a zero byte in a name": (
        "cannot be shown",
        bytes_of(saved(columns=np.array(["a", "b\0c"]), table=np.ones((3, 2)))),
        OWN,
    ),
    "10^12 columns in 180 bytes": (
        "has 1000000000000 columns|claims",
        one(array_bytes(described("(1, 1000000000000)"))),
        GOOD_ONE,
    ),
    "10^12 columns of no rows": (
        "has 1000000000000 columns",
        one(array_bytes(described("(0, 1000000000000)"))),
        GOOD_ONE,
    ),
    "10^12 rows of no columns": ("has the shape", one(array_bytes(described("(1000000000000, 0)"))), GOOD_ONE),
    "10^12 rows": ("claims 1000000000000 rows", one(array_bytes(described("(1000000000000,)"))), GOOD_ONE),
    "fewer rows than none": ("has the shape", one(array_bytes(described("(-3,)"))), GOOD_ONE),
    "fewer columns than none": ("has the shape", one(array_bytes(described("(-3, -3)"))), GOOD_ONE),
    "three dimensions": ("has the shape", bytes_of(saved(t=np.ones((3, 2, 2)))), bytes_of(saved(t=np.ones((3, 2))))),
    "fewer rows said than there": (
        "should hold 2 rows and holds 3",
        one(array_bytes(described("(2,)"), bytes(24))),
        GOOD_ONE,
    ),
    "more rows said than there": (
        "should hold 4 rows and holds 3",
        one(array_bytes(described("(4,)"), bytes(24))),
        GOOD_ONE,
    ),
    "half a row": ("should hold 3 rows", one(array_bytes(described("(3,)"), bytes(25))), GOOD_ONE),
    "zip bomb": ("claims 60000000 rows of 1 columns", bomb(60_000_000), bomb(3_000_000)),
    "20,000 members": (
        "holds 20000 arrays, a log has at most 1024",
        bytes_of(lambda: many_members(20_000)),
        bytes_of(saved(**{f"a{k}": THREE for k in range(1000)})),
    ),
    "a directory of 6 MB": ("directory has [0-9]+ bytes", bytes_of(lambda: many_members(100_000)), GOOD_NPZ),
    "members that overlap": ("NPZ log", bytes_of(many_members(50)), GOOD_NPZ),
    "one array twice": (
        "holds 2 arrays of one name",
        bytes_of(
            zipped(
                {"a.npy": array_bytes(described("(3,)"), bytes(24)), "b.npy": array_bytes(described("(3,)"), bytes(24))}
            ).replace(b"b.npy", b"a.npy")
        ),
        GOOD_NPZ,
    ),
    "an array lost from the directory": ("lists 1 of 2 arrays", bytes_of(one_hidden()), GOOD_NPZ),
    "objects": ("must hold numbers", one(array_bytes(described("(3,)", "|O"), b"cos\nsystem\n.")), GOOD_ONE),
    "complex numbers": ("must hold numbers", bytes_of(saved(t=THREE * 1j)), bytes_of(saved(t=THREE.astype("f2")))),
    "truth values": ("must hold numbers", bytes_of(saved(t=THREE > 1)), bytes_of(saved(t=THREE.astype("u1")))),
    "texts": ("must hold numbers", bytes_of(saved(t=np.array(["1", "2"]))), bytes_of(saved(t=THREE.astype(">f8")))),
    "records": ("must hold numbers", bytes_of(saved(t=np.zeros(3, [("a", "f8")]))), GOOD_NPZ),
    "by columns": (
        "stored by columns",
        bytes_of(saved(t=np.asfortranarray(np.ones((3, 2))))),
        bytes_of(saved(t=np.ones((3, 2)))),
    ),
    "lengths that differ": ("must hold arrays of one length", bytes_of(saved(t=THREE, q=np.arange(4.0))), GOOD_NPZ),
    "no arrays": ("must hold arrays of one length, has none", bytes_of(zipped({})), GOOD_NPZ),
    "no array in it": ("NPZ log", bytes_of(zipped({"README": b"hello"})), GOOD_NPZ),
    "an empty member": ("NPZ log", bytes_of(zipped({"a.npy": b""})), GOOD_NPZ),
    "a folder in it": ("NPZ log", bytes_of(zipped({"a/": b""})), GOOD_NPZ),
    "text": ("NPZ log", bytes_of(b"a,b\n1,2\n"), GOOD_NPZ),
    "nothing in an NPZ": ("NPZ log", bytes_of(b""), GOOD_NPZ),
    "cut archive": ("NPZ log", bytes_of(saved(t=THREE)[:-30]), GOOD_NPZ),
    "a bit of a number": ("Bad CRC-32", bytes_of(bent(DATA + 3)), OWN),
    "a bit of the last number": ("Bad CRC-32", bytes_of(bent(DATA + 63)), OWN),
    "escape sequences in an array's name": (
        "cannot be shown",
        bytes_of(zipped({"a\x1b[2J.npy": array_bytes(described("(3,)"), bytes(24))})),
        GOOD_ONE,
    ),
}


# Parquet -------------------------------------------------------------------------------------------------------------


def columnar(
    names: Sequence[str] = ("a", "zzzz"), change: Callable[[bytes], bytes] | None = None, **options: object
) -> Make:
    def make(folder: Path) -> Callable[[], object]:
        path = folder / "log.parquet"
        columns = [np.arange(1000.0) + k for k in range(len(names))]
        settings = {"compression": "NONE", "use_dictionary": False, "store_schema": False, **options}
        parquet.write_table(arrow.table(columns, names=list(names)), path, **settings)  # type: ignore[union-attr]
        path.write_bytes((change or bytes)(path.read_bytes()))
        return reading(path)

    return make


def columns_of(*values: object, **options: object) -> Make:
    def make(folder: Path) -> Callable[[], object]:
        path = folder / "log.parquet"
        names = [f"c{k}" for k in range(len(values))]
        parquet.write_table(arrow.table([arrow.array(v) for v in values], names=names), path, **options)  # type: ignore[union-attr]
        return reading(path)

    return make


def own_parquet(change: Callable[[bytes], bytes]) -> Make:
    def make(folder: Path) -> Callable[[], object]:
        path = write_table(folder / "log.parquet", ["a", "b"], np.random.default_rng(0).normal(size=(1000, 2)))
        path.write_bytes(change(path.read_bytes()))
        return reading(path)

    return make


def bit_at(share: float) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        place = int(share * len(data))
        return data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]

    return change


def constants(rows: int) -> Make:
    """Make the numbers only when they are needed."""
    return lambda folder: columns_of(np.zeros(rows, np.int8), compression="ZSTD")(folder)  # noqa: PLW0108


PARQUET: dict[str, tuple[str, Make, Make]] = {
    "name that is not UTF-8": (
        "whose name is not UTF-8 text",
        columnar(change=lambda d: d.replace(b"zzzz", b"z\xff\xfez")),
        columnar(["a", "zµz"]),
    ),
    "a bit of a page": ("is damaged: .*copy it again", own_parquet(bit_at(0.3)), own_parquet(bytes)),
    "a bit of another page": (
        "is damaged: .*copy it again",
        own_parquet(bit_at(0.7)),
        columnar(write_page_checksum=False),
    ),
    "texts in Parquet": (
        "column 'c1': must hold numbers, got string",
        columns_of([1.0], ["x"]),
        columns_of([1.0], [2]),
    ),
    "lists in Parquet": (
        "must hold numbers, got list",
        columns_of([1.0], [[1.0]]),
        columns_of([1.0, 2.0], [None, 1.0]),
    ),
    "16,385 columns in Parquet": ("has 16385 columns", columns_of(*[[1.0]] * 16_385), columns_of(*[[1.0]] * 1000)),
    "bomb in Parquet": ("claims 40000000 rows", constants(40_000_000), constants(1_000_000)),
    "cut Parquet": ("is not a Parquet file", own_parquet(lambda d: d[:-100]), own_parquet(bytes)),
    "Parquet without its beginning": ("Parquet file|damaged", own_parquet(lambda d: d[5000:]), own_parquet(bytes)),
    "text in Parquet": ("is not a Parquet file", bytes_of(b"a,b\n1,2\n", "parquet"), own_parquet(bytes)),
    "nothing in Parquet": ("is not a Parquet file", bytes_of(b"", "parquet"), own_parquet(bytes)),
    "footer of zero bytes": ("Parquet file", own_parquet(lambda d: d[:-60] + bytes(52) + d[-8:]), own_parquet(bytes)),
    "footer longer than the file": (
        "Parquet file",
        own_parquet(lambda d: d[:-8] + b"\xff\xff\xff\x7fPAR1"),
        own_parquet(bytes),
    ),
    "escape sequences in Parquet": ("cannot be shown", columnar(["a", "\x1b[2J"]), columnar(["a", "b"])),
    "a name twice in Parquet": ("stands twice", columnar(["a", "a"]), columnar(["a", "b"])),
}


# What is no file -----------------------------------------------------------------------------------------------------


def special(kind: str, name: str, read: Callable[[Path], object]) -> Make:
    """Make something that is no regular file under a name, and read it."""

    def make(folder: Path) -> Callable[[], object]:
        path = folder / name
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "zero":
            path.symlink_to("/dev/zero")
        elif kind == "terminal":
            path.symlink_to("/dev/tty")
        elif kind == "folder":
            path.mkdir()
        elif kind == "loop":
            path.symlink_to(path)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(path))
        return lambda: read(path)

    return make


def regular(name: str, read: Callable[[Path], object]) -> Make:
    """Read a table through a link, which is as good as the file."""

    def make(folder: Path) -> Callable[[], object]:
        (folder / "kept").mkdir()
        target = folder / "kept" / name
        if name.endswith(".toml"):
            target.write_text('[columns]\nt = "clock [ms]"\n')
        elif name.startswith("motion"):
            target.write_text("t [s],x [m],y [m],vx [m/s],vy [m/s],ax [m/s^2],ay [m/s^2]\n0,1,2,3,4,5,6\n")
        else:
            write_table(target, ["t [s]", "b [m]"], np.ones((3, 2)))
        (folder / name).symlink_to(target)
        return lambda: read(folder / name)

    return make


def rows_of(path: Path) -> object:
    return open_table(path).read()


def cached(kind: str) -> Make:
    """Read an entry of the cache of kernels where something else stands."""

    def make(folder: Path) -> Callable[[], object]:
        folder.chmod(0o700)

        def read() -> None:
            os.environ["PARAKIN_CACHE_DIR"] = str(folder)
            disk_cache.write("key", b"code")
            entry = folder / "key.object"
            if kind == "pipe":
                entry.unlink()
                os.mkfifo(entry)
            elif kind == "zero":
                entry.unlink()
                entry.symlink_to("/dev/zero")
            elif kind == "sparse":
                with entry.open("r+b") as file:
                    file.truncate(2**40)
            if disk_cache.read("key") != b"code":
                raise LogFileError("cache", "is as good as not there")

        return read

    return make


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "CSV": ("log.csv", rows_of),
    "NPZ": ("log.npz", rows_of),
    "Parquet": ("log.parquet", rows_of),
    "motion": ("motion.csv", read_csv),
    "simulation": ("log.npz", read_log),
    "column map": ("map.toml", load_column_map),
}
REASONS = {
    "pipe": "cannot be read: it is a named pipe",
    "zero": "cannot be read: it is a device",
    "socket": "cannot be read: it is a socket",
    "folder": "cannot be read: it is a directory",
    "loop": "cannot be read: Too many levels of symbolic links",
}
SPECIAL: dict[str, tuple[str, Make, Make]] = {
    f"{what} as {kind}": (reason, special(kind, name, read), regular(name, read))
    for what, (name, read) in READERS.items()
    for kind, reason in REASONS.items()
}
SPECIAL |= {
    "zero character in a name": (
        "no file can have this name",
        special("", "a\0b.csv", rows_of),
        regular("a.csv", rows_of),
    ),
    "surrogate in a name": (
        "no file can have this name",
        special("", "a\ud800b.csv", rows_of),
        regular("ä.csv", rows_of),
    ),
    "byte in a name": (
        r"a\\udcffb.csv: cannot be read",
        special("", "a\udcffb.csv", rows_of),
        regular("a\udcffb.csv", rows_of),
    ),
    "cached: pipe": ("as good as not there", cached("pipe"), cached("")),
    "cached: device": ("as good as not there", cached("zero"), cached("")),
    "cached: 1 TiB": ("as good as not there", cached("sparse"), cached("")),
}
if os.path.exists("/dev/tty"):
    SPECIAL["terminal"] = (
        "cannot be read: it is a device",
        special("terminal", "log.csv", rows_of),
        regular("log.csv", rows_of),
    )


def _available(cases: dict[str, tuple[str, Make, Make]]) -> dict[str, Case]:
    return {name: Case(*case) for name, case in cases.items() if parquet is not None or "Parquet" not in name}


CASES = _available(CSV | NPZ | SPECIAL | (PARQUET if parquet is not None else {}))


def _warm() -> None:
    """Import and start what reading needs, so that it is not counted as memory of a case."""
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("csv", "npz", "parquet")[: 3 if parquet is not None else 2]:
            open_table(write_table(Path(folder) / f"a.{ending}", ["a", "b"], np.ones((3, 2)))).read()


WARM = (_warm,)
