"""Local variables of a WebAssembly function: each serves one value after another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from parakin.kernels.wasm.binary import F64, I32, I64, unsigned, vector

GET, SET, TEE = 0x20, 0x21, 0x22
"""Put a variable on the stack; move the top of the stack to it; copy the top of the stack to it."""
_DROP = b"\x1a"
_LOOP, _OPENING, _END = 0x03, (0x02, 0x03, 0x04), b"\x0b"

Item = bytes | tuple[int, int]
"""One instruction, or GET, SET or TEE with the number of a value."""


def placed(items: Sequence[Item], kinds: Sequence[int], parameters: int) -> bytes:
    """Return the body of a function: what local variables it has, and its instructions with a place for each value.

    kinds: type of each value. A place is free again after a value's last use; values that no one reads have none.
    """
    ends = _ends(items)
    slots: dict[int, int] = {}
    free: defaultdict[int, list[int]] = defaultdict(list)
    taken: Counter[int] = Counter()
    leaving: defaultdict[int, list[int]] = defaultdict(list)
    for value, end in ends.items():
        leaving[end].append(value)
    chosen: list[Item] = []
    for at, item in enumerate(items):
        if isinstance(item, bytes):
            chosen.append(item)
        elif item[1] not in ends:
            chosen.append(_DROP if item[0] == SET else b"")
        else:
            kind = kinds[item[1]]
            if item[1] not in slots:
                if not free[kind]:
                    free[kind].append(taken[kind])
                    taken[kind] += 1
                slots[item[1]] = free[kind].pop()
            chosen.append((item[0], item[1]))
        for value in leaving[at]:
            free[kinds[value]].append(slots[value])
    first, start = parameters, dict[int, int]()
    for kind in (I32, I64, F64):
        start[kind] = first
        first += taken[kind]
    declared = vector(unsigned(taken[kind]) + bytes([kind]) for kind in (I32, I64, F64) if taken[kind])
    code = [
        item if isinstance(item, bytes) else bytes([item[0]]) + unsigned(start[kinds[item[1]]] + slots[item[1]])
        for item in chosen
    ]
    return declared + b"".join(code) + _END


def _ends(items: Sequence[Item]) -> dict[int, int]:
    """Return where each value is read last; one that a loop finds is needed to the end of that loop."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    opened: list[tuple[int, bool]] = []
    for at, item in enumerate(items):
        if isinstance(item, tuple):
            first.setdefault(item[1], at)
            if item[0] == GET:
                last[item[1]] = at
        elif item[:1] and item[0] in _OPENING and item[1:] == b"\x40":
            opened.append((at, item[0] == _LOOP))
        elif item == _END:
            start, is_loop = opened.pop()
            if is_loop:
                inside = {found[1] for found in items[start:at] if isinstance(found, tuple)}
                last.update({value: at for value in inside if first[value] < start and value in last})
    return last
