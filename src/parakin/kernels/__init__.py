"""Symbolic models as fast, checked, exportable functions of numpy arrays.

Names are imported when first used: a robot is loaded without them, and a kernel that is in the cache is called without
what makes programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.kernels.bound import BoundKernel
    from parakin.kernels.interface import Derivation
    from parakin.kernels.kernel import Kernel
    from parakin.kernels.operations import OperationCount
    from parakin.kernels.program import Program, iterate, repeat, scan, shortcut, stage

__getattr__ = importer(
    __name__,
    {
        "parakin.kernels.bound": "BoundKernel",
        "parakin.kernels.interface": "Derivation",
        "parakin.kernels.kernel": "Kernel",
        "parakin.kernels.operations": "OperationCount",
        "parakin.kernels.program": "Program iterate repeat scan shortcut stage",
    },
)

__all__ = [
    "BoundKernel",
    "Derivation",
    "Kernel",
    "OperationCount",
    "Program",
    "iterate",
    "repeat",
    "scan",
    "shortcut",
    "stage",
]
