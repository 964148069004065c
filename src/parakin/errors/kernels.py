"""Errors of kernels, programs and C code."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.errors.base import DataError, ParakinError, SubjectError


class KernelError(ParakinError):
    """Something about a kernel: its model, its inputs or its surroundings."""


@dataclass(eq=False, repr=False)
class KernelInputError(KernelError, ValueError):
    """A call with a wrong name, shape, type or value."""

    kernel: str
    """Name of the kernel."""
    name: str
    """The input, with the place inside it where one is meant."""
    expected: str
    """What would be right."""
    received: str
    """What was given."""

    def __str__(self) -> str:
        return f"{self.kernel}: {self.name}: expected {self.expected}, got {self.received}"


class UnsupportedModelError(SubjectError, KernelError):
    """A casadi.Function that is not a plain SX graph of named inputs and outputs."""


class UnsupportedOperationError(UnsupportedModelError):
    """An SX operation that kernels do not translate."""

    def __init__(self, function: str, operation: str, supported: tuple[str, ...]) -> None:
        super().__init__(function, f"operation {operation} is not supported; supported are {', '.join(supported)}")
        self.args = (function, operation, supported)
        self.operation = operation
        self.supported = supported


class ProgramError(DataError, KernelError):
    """Stages that cannot be wired as asked; the datum is a signal between them."""

    def __str__(self) -> str:
        return f"{self.subject}: signal '{self.name}': {self.reason}"


class CExportError(SubjectError, KernelError, ValueError):
    """A kernel that cannot be written as C as asked."""
