"""Find assembly modes: every pose with given actuator positions, completely or by a search from random starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.assembly.modes import assembly_modes
    from parakin.assembly.result import AssemblyModes
    from parakin.assembly.search import SomeAssemblyModes

__getattr__ = importer(
    __name__,
    {
        "parakin.assembly.modes": "assembly_modes",
        "parakin.assembly.result": "AssemblyModes",
        "parakin.assembly.search": "SomeAssemblyModes",
    },
)

__all__ = ["AssemblyModes", "SomeAssemblyModes", "assembly_modes"]
