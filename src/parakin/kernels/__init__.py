"""Symbolic models as fast, checked, exportable functions of numpy arrays."""

from parakin.kernels.bound import BoundKernel
from parakin.kernels.interface import Derivation
from parakin.kernels.kernel import Kernel
from parakin.kernels.operations import OperationCount
from parakin.kernels.program import Program, iterate, repeat, scan, shortcut, stage

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
