"""Instructions of WebAssembly that kernels are made of, in binary form."""

from __future__ import annotations

from parakin.kernels.wasm.binary import unsigned

ABS, NEG, CEIL, FLOOR, SQRT = b"\x99", b"\x9a", b"\x9b", b"\x9c", b"\x9f"
ADD, SUB, MUL, DIV, COPYSIGN = b"\xa0", b"\xa1", b"\xa2", b"\xa3", b"\xa6"
"""Arithmetic on doubles."""
TO_SINGLE_AND_BACK = b"\xb6\xbb"
"""Two instructions that round a double to single precision."""
EQ, NE, LT, GT, LE, GE = b"\x61", b"\x62", b"\x63", b"\x64", b"\x65", b"\x66"
"""Comparisons of doubles, 0 or 1; with NaN only NE is 1."""
SELECT = b"\x1b"
"""Of three values on the stack the first, if the third is not zero, or the second."""
NOT, AND, OR = b"\x45", b"\x71", b"\x72"
"""Logic on what comparisons give."""
I32_NE, I32_LESS, I32_ADD = b"\x47", b"\x48", b"\x6a"
"""Counting."""
I64_NE, I64_LESS = b"\x52", b"\x53"
"""Comparisons of 64-bit integers, signed."""
TO_I32, TO_ADDRESS, BITS_OF, REAL_OF = b"\xaa", b"\xa7", b"\xbd", b"\xbf"
"""A double as a 32-bit integer; the low half of a 64-bit one; the bits of a double; the double with such bits."""
BIT_OPERATIONS = {
    "add": b"\x7c",
    "sub": b"\x7d",
    "mul": b"\x7e",
    "urem": b"\x82",
    "and": b"\x83",
    "or": b"\x84",
    "xor": b"\x85",
    "shl": b"\x86",
    "ashr": b"\x87",
    "lshr": b"\x88",
}
"""Operations on 64-bit integers by LLVM's names."""
I32_STORE = b"\x36\x02\x00"
"""Store a 32-bit integer at the address below it on the stack."""
MEMORY_COPY = b"\xfc\x0a\x00\x00"
"""Copy so many bytes: target, source and number are on the stack."""
_ALIGNED = 3
"""Doubles lie at multiples of 2^3 bytes."""


def f64_load(offset: int) -> bytes:
    """Return the instruction that replaces an address on the stack by the double so many bytes behind it."""
    return b"\x2b" + unsigned(_ALIGNED) + unsigned(offset)


def i64_load(offset: int) -> bytes:
    """Return the instruction that replaces an address on the stack by the 64-bit integer so many bytes behind it."""
    return b"\x29" + unsigned(_ALIGNED) + unsigned(offset)


def f64_store(offset: int) -> bytes:
    """Return the instruction that stores the double on the stack so many bytes behind the address below it."""
    return b"\x39" + unsigned(_ALIGNED) + unsigned(offset)


def call(function: int) -> bytes:
    """Return the instruction that calls a function of the module by its number."""
    return b"\x10" + unsigned(function)
