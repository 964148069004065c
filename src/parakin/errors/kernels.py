"""Errors of kernels, programs and C code."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.errors.base import DataError, ParakinError, SubjectError


class KernelError(ParakinError):
    """Something about a kernel: its model, its inputs or its surroundings."""


@dataclass(eq=False, repr=False)
class KernelInputError(KernelError, ValueError):
    """A call with a wrong name, shape, type or value.

    >>> robot.inverse_kinematics([0, 0])
    Traceback (most recent call last):
        ...
    parakin.errors.kernels.KernelInputError: delta_inverse_kinematics: pose: expected shape (..., 3), got
        shape (2,)
    """

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
    """A casadi.Function that is not a plain SX graph of named inputs and outputs.

    >>> pk.load("hexa_offset").kernel("inverse_kinematics").casadi
    Traceback (most recent call last):
        ...
    parakin.errors.kernels.UnsupportedModelError: hexa_offset_inverse_kinematics: iterations and scans are
        not one expression; take the Functions of its stages
    """


class UnsupportedOperationError(UnsupportedModelError):
    """An SX operation that kernels do not translate.

    >>> x = ca.SX.sym("x")
    >>> pk.Kernel(ca.Function("model", [x], [ca.erf(x)], ["x"], ["y"]))
    Traceback (most recent call last):
        ...
    parakin.errors.kernels.UnsupportedOperationError: model: operation OP_ERF is not supported; supported
        are OP_ADD, OP_SUB, ...
    """

    def __init__(self, function: str, operation: str, supported: tuple[str, ...]) -> None:
        super().__init__(function, f"operation {operation} is not supported; supported are {', '.join(supported)}")
        self.args = (function, operation, supported)
        self.operation = operation
        self.supported = supported


class ProgramError(DataError, KernelError):
    """Stages that cannot be wired as asked; the datum is a signal between them.

    >>> x = ca.SX.sym("x")
    >>> halve = pk.stage(ca.Function("halve", [x], [x / 2], ["x"], ["y"]))
    >>> pk.Kernel(pk.Program(halve, outputs=("z",), name="half"))
    Traceback (most recent call last):
        ...
    parakin.errors.kernels.ProgramError: half: signal 'z': is asked for but never written; the stages write
        y
    """

    def __str__(self) -> str:
        return f"{self.subject}: signal '{self.name}': {self.reason}"


class CExportError(SubjectError, KernelError, ValueError):
    """A kernel that cannot be written as C as asked.

    >>> robot.kernel("inverse_kinematics").to_c("c", "2fast")
    Traceback (most recent call last):
        ...
    parakin.errors.kernels.CExportError: delta_inverse_kinematics: '2fast' is no name for a C function:
        choose another
    """
