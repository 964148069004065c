"""The machine code of one plan, for every vector width that is asked for."""

from __future__ import annotations

from parakin.kernels import compiler
from parakin.kernels.module_text import Options, module_text
from parakin.kernels.plan import Plan
from parakin.kernels.threads import COMPILING


class MachineCode:
    """Machine code of a plan, compiled or taken from the cache when a vector width is first needed."""

    def __init__(self, plan: Plan, status: str | None, *, contraction: bool, reciprocals: bool) -> None:
        self.plan = plan
        self._status = status
        self._contraction = contraction
        self._reciprocals = reciprocals
        self._machines: dict[int, compiler.Machine] = {}

    def machine(self, width: int) -> compiler.Machine:
        """Return the loaded code for so many lanes; threads that ask at once compile it once."""
        if width not in self._machines:
            with COMPILING:
                if width not in self._machines:
                    options = self._options(width)
                    key = compiler.key_of(self.plan.content, options)
                    self._machines[width] = compiler.compiled(key, width, lambda: module_text(self.plan, options))
        return self._machines[width]

    def text(self, width: int) -> str:
        """Return the LLVM text of the code for so many lanes."""
        return module_text(self.plan, self._options(width))

    def _options(self, width: int) -> Options:
        return Options(width, self._status, self._contraction, self._reciprocals, compiler.host().fused)
