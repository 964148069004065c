"""Every error parakin raises on purpose. Each carries its data, and says what was wrong and what would be right."""

from __future__ import annotations


class ParakinError(Exception):
    """Root of the tree: `except ParakinError` catches whatever parakin itself refuses."""


class KernelError(ParakinError):
    """Something about a kernel: its model, its inputs or its surroundings."""


class KernelInputError(KernelError, ValueError):
    """A call with a wrong name, shape, type or value."""

    def __init__(self, kernel: str, name: str, expected: str, received: str) -> None:
        super().__init__(kernel, name, expected, received)
        self.kernel = kernel
        self.name = name
        self.expected = expected
        self.received = received

    def __str__(self) -> str:
        return f"{self.kernel}: {self.name}: expected {self.expected}, got {self.received}"


class UnsupportedModelError(KernelError):
    """A casadi.Function that is not a plain SX graph of named inputs and outputs."""

    def __init__(self, function: str, reason: str) -> None:
        super().__init__(function, reason)
        self.function = function
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.function}: {self.reason}"


class UnsupportedOperationError(UnsupportedModelError):
    """An SX operation that kernels do not translate."""

    def __init__(self, function: str, operation: str, supported: tuple[str, ...]) -> None:
        super().__init__(function, f"operation {operation} is not supported; supported are {', '.join(supported)}")
        self.args = (function, operation, supported)
        self.operation = operation
        self.supported = supported


class ProgramError(KernelError, ValueError):
    """Stages that cannot be wired as asked."""

    def __init__(self, program: str, signal: str, reason: str) -> None:
        super().__init__(program, signal, reason)
        self.program = program
        self.signal = signal
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.program}: signal '{self.signal}': {self.reason}"


class CExportError(KernelError, ValueError):
    """A kernel that cannot be written as C as asked."""

    def __init__(self, kernel: str, reason: str) -> None:
        super().__init__(kernel, reason)
        self.kernel = kernel
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.kernel}: {self.reason}"
