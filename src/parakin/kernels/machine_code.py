"""The machine code of one program, for every vector width that is asked for.

LLVM is imported when code is first asked for, and under the lock that is held across a fork: a child whose parent was
importing would wait for that import forever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parakin.kernels.interface import Interface
from parakin.kernels.threads import COMPILING

if TYPE_CHECKING:
    from parakin.kernels.compiler import Machine
    from parakin.kernels.options import Options
    from parakin.kernels.plan import Plan


class MachineCode:
    """Machine code of a program, compiled or taken from the cache when a vector width is first needed.

    plan: returns the wired program, and is called where there is nothing in the cache.
    """

    def __init__(
        self,
        interface: Interface,
        plan: Callable[[], Plan],
        status: str | None,
        *,
        contraction: bool,
        reciprocals: bool,
        unchecked: tuple[str, ...] = (),
    ) -> None:
        self.interface = interface
        self._plan = plan
        self._status = status
        self._contraction = contraction
        self._reciprocals = reciprocals
        self._unchecked = unchecked
        self._machines: dict[int, Machine] = {}
        self._width = 0

    def machine(self, width: int) -> Machine:
        """Return the loaded code for so many lanes; threads that ask at once compile it once."""
        if width not in self._machines:
            with COMPILING:
                from parakin.kernels import compiler

                if width not in self._machines:
                    key = compiler.code_key(self.interface.digest, self._options(width))
                    self._machines[width] = compiler.compiled(key, width, lambda: self.text(width))
        return self._machines[width]

    @property
    def width(self) -> int:
        """Lanes of this host's registers: the width of the code that batches run."""
        if not self._width:
            with COMPILING:
                from parakin.kernels import compiler

                self._width = compiler.host().width
        return self._width

    def text(self, width: int) -> str:
        """Return the LLVM text of the code for so many lanes."""
        from parakin.kernels.module_text import module_text

        return module_text(self._plan(), self._options(width))

    def _options(self, width: int) -> Options:
        from parakin.kernels import compiler
        from parakin.kernels.options import Options

        fused = compiler.host().fused
        return Options(width, self._status, self._contraction, self._reciprocals, fused, self._unchecked)
