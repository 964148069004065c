"""The binary form of WebAssembly: numbers of variable length, sections, and a module put together from functions.

Only what kernels need of the specification's chapter "Binary Format": functions, one memory, exports, data, and one
custom section.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

I32, I64, F64 = 0x7F, 0x7E, 0x7C
"""Types of values: integers of 32 and 64 bits, and doubles."""
PAGE = 65536
"""Memory comes in pages of so many bytes."""
_HEADER = b"\0asm\x01\0\0\0"
_CUSTOM, _TYPE, _FUNCTION, _MEMORY, _EXPORT, _CODE, _DATA = 0, 1, 3, 5, 7, 10, 11
_EXPORTED_FUNCTION, _EXPORTED_MEMORY = 0, 2


@dataclass(frozen=True)
class Signature:
    """Types of a function's parameters and results."""

    parameters: tuple[int, ...]
    """Type of each parameter."""
    results: tuple[int, ...]
    """Type of each result."""


@dataclass(frozen=True)
class Function:
    """One function of a module."""

    signature: Signature
    """What it takes and returns."""
    body: bytes
    """Its local variables and its instructions, as `Body.encoded` gives them."""


def unsigned(value: int) -> bytes:
    """Return a whole number of variable length, seven bits a byte, the lowest first (LEB128)."""
    data = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        if not value:
            data.append(low)
            return bytes(data)
        data.append(low | 0x80)


def signed(value: int) -> bytes:
    """Return a whole number of variable length in two's complement (LEB128)."""
    data = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        if (value == 0 and not low & 0x40) or (value == -1 and low & 0x40):
            data.append(low)
            return bytes(data)
        data.append(low | 0x80)


def vector(items: Iterable[bytes]) -> bytes:
    """Return items after their number."""
    listed = list(items)
    return unsigned(len(listed)) + b"".join(listed)


def text(value: str) -> bytes:
    """Return a name: its length in bytes, and UTF-8."""
    data = value.encode()
    return unsigned(len(data)) + data


def assembled(
    functions: Sequence[Function],
    exports: Mapping[str, int],
    memory_bytes: int,
    data: bytes,
    custom: tuple[str, bytes],
) -> bytes:
    """Return a module that exports its memory, and functions by their number under the names of `exports`.

    data: what is in memory from address 0 on before anything runs; custom: name and content of a section of our own.
    """
    signatures = list(dict.fromkeys(function.signature for function in functions))
    exported = [text("memory") + bytes([_EXPORTED_MEMORY, 0])]
    exported += [text(name) + bytes([_EXPORTED_FUNCTION]) + unsigned(index) for name, index in exports.items()]
    sections = [
        _section(_TYPE, vector(b"\x60" + vector(_types(s.parameters)) + vector(_types(s.results)) for s in signatures)),
        _section(_FUNCTION, vector(unsigned(signatures.index(function.signature)) for function in functions)),
        _section(_MEMORY, vector([b"\0" + unsigned(-(-memory_bytes // PAGE))])),
        _section(_EXPORT, vector(exported)),
        _section(_CODE, vector(unsigned(len(function.body)) + function.body for function in functions)),
    ]
    if data:
        sections.append(_section(_DATA, vector([b"\0\x41" + signed(0) + b"\x0b" + unsigned(len(data)) + data])))
    return b"".join([_HEADER, *sections, _section(_CUSTOM, text(custom[0]) + custom[1])])


def _types(kinds: Iterable[int]) -> list[bytes]:
    return [bytes([kind]) for kind in kinds]


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def f64_const(bits: int) -> bytes:
    """Return the instruction that puts the double with these bits on the stack."""
    return b"\x44" + struct.pack("<Q", bits)


def i64_const(value: int) -> bytes:
    """Return the instruction that puts a 64-bit integer, given signed or unsigned, on the stack."""
    return b"\x42" + signed((value + 2**63) % 2**64 - 2**63)


def i32_const(value: int) -> bytes:
    """Return the instruction that puts a 32-bit integer on the stack."""
    return b"\x41" + signed(value)
