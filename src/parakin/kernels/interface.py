"""What a kernel must know of a program to be called: kept in the cache, so that a warm start derives no model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from parakin.kernels import disk_cache
from parakin.kernels.ports import Port

if TYPE_CHECKING:
    from parakin.kernels.program import Program


@dataclass(frozen=True)
class Interface:
    """A wired program from outside."""

    name: str
    """Name of the program."""
    inputs: tuple[Port, ...]
    """Signals that enter, in the order in which they are first read."""
    outputs: tuple[Port, ...]
    """Signals that leave, those of each tick last."""
    ticked_inputs: tuple[str, ...]
    """Inputs that have a row for each tick of the scan."""
    ticked_outputs: tuple[str, ...]
    """Outputs that have a row for each tick of the scan."""
    scans: bool
    """Whether it scans over ticks."""
    has_loops: bool
    """Whether it repeats, iterates or scans."""
    work: int
    """Rough number of instructions for one state and tick."""
    digest: str
    """Digest of the computation: different wherever the computation is."""

    def to_bytes(self) -> bytes:
        """Return the interface as JSON."""
        ports = {
            name: [[port.name, port.rows, port.columns, sorted(port.pattern)] for port in getattr(self, name)]
            for name in ("inputs", "outputs")
        }
        return json.dumps(asdict(self) | ports).encode()

    @classmethod
    def of_bytes(cls, data: bytes) -> Interface:
        """Read what `to_bytes` wrote."""
        table = json.loads(data)
        for name in ("inputs", "outputs"):
            table[name] = tuple(Port(port, rows, columns, frozenset(at)) for port, rows, columns, at in table[name])
        for name in ("ticked_inputs", "ticked_outputs"):
            table[name] = tuple(table[name])
        return cls(**table)


@dataclass(frozen=True, eq=False)
class Derivation:
    """A program that is derived only where that is necessary.

    A kernel made of it finds interface and machine code in the cache by `content` alone, together with the text of this
    package and the versions of what it stands on, and derives the program when something else is asked of it: its
    operations, its C code, its expressions.
    """

    content: str
    """A text that differs wherever anything differs that the derivation reads besides the text of this package."""
    derive: Callable[[], Program]
    """Returns the program."""


def remembered(derivation: Derivation, derived: Callable[[], Interface]) -> Interface:
    """Return the interface of a derivation from the cache, or derive it and keep it there. COMPILING must be held."""
    from parakin.kernels import compiler

    key = compiler.derivation_key(derivation.content)
    data = disk_cache.read(key)
    if data is not None:
        return Interface.of_bytes(data)
    interface = derived()
    disk_cache.write(key, interface.to_bytes())
    return interface
