"""Every error parakin raises on purpose. Each carries its data, and says what was wrong and what would be right."""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import SequenceMatcher

LISTED = 30
"""Names that a message lists at most; of more, those most like the one that is not there."""


class ParakinError(Exception):
    """Root of the tree: `except ParakinError` catches whatever parakin itself refuses.

    Its kinds are dataclasses; their fields become `args`, so that errors pickle.
    """

    def __post_init__(self) -> None:
        self.args = tuple(getattr(self, field.name) for field in fields(self))  # pyright: ignore[reportArgumentType]


class KernelError(ParakinError):
    """Something about a kernel: its model, its inputs or its surroundings."""


@dataclass(eq=False, repr=False)
class KernelInputError(KernelError, ValueError):
    """A call with a wrong name, shape, type or value."""

    kernel: str
    name: str
    expected: str
    received: str

    def __str__(self) -> str:
        return f"{self.kernel}: {self.name}: expected {self.expected}, got {self.received}"


@dataclass(eq=False, repr=False)
class UnsupportedModelError(KernelError):
    """A casadi.Function that is not a plain SX graph of named inputs and outputs."""

    function: str
    reason: str

    def __str__(self) -> str:
        return f"{self.function}: {self.reason}"


class UnsupportedOperationError(UnsupportedModelError):
    """An SX operation that kernels do not translate."""

    def __init__(self, function: str, operation: str, supported: tuple[str, ...]) -> None:
        super().__init__(function, f"operation {operation} is not supported; supported are {', '.join(supported)}")
        self.args = (function, operation, supported)
        self.operation = operation
        self.supported = supported


@dataclass(eq=False, repr=False)
class ProgramError(KernelError, ValueError):
    """Stages that cannot be wired as asked."""

    program: str
    signal: str
    reason: str

    def __str__(self) -> str:
        return f"{self.program}: signal '{self.signal}': {self.reason}"


@dataclass(eq=False, repr=False)
class CExportError(KernelError, ValueError):
    """A kernel that cannot be written as C as asked."""

    kernel: str
    reason: str

    def __str__(self) -> str:
        return f"{self.kernel}: {self.reason}"


@dataclass(eq=False, repr=False)
class DescriptionError(ParakinError, ValueError):
    """A robot file that does not describe a robot. `problems`: (key, what is wrong), all that were found."""

    file: str
    problems: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "\n".join(
            f"{self.file}: {key}: {reason}" if key else f"{self.file}: {reason}" for key, reason in self.problems
        )


@dataclass(eq=False, repr=False)
class UnknownNameError(ParakinError, KeyError):
    """A name that is not among those there are."""

    kind: str
    name: str
    known: tuple[str, ...]

    def __str__(self) -> str:
        if len(self.known) <= LISTED:
            return f"no {self.kind} '{self.name}'; choose one of {', '.join(self.known)}"
        nearest = sorted(self.known, key=self._likeness, reverse=True)[:LISTED]
        return f"no {self.kind} '{self.name}'; choose one of {', '.join(nearest)}, ... ({len(self.known)} in all)"

    def _likeness(self, known: str) -> tuple[bool, float]:
        return self.name in known, SequenceMatcher(None, self.name, known).ratio()


@dataclass(eq=False, repr=False)
class UnsupportedRobotError(ParakinError, ValueError):
    """A robot for which what was asked is not there."""

    robot: str
    reason: str

    def __str__(self) -> str:
        return f"{self.robot}: {self.reason}"


@dataclass(eq=False, repr=False)
class NotLinearInParametersError(ParakinError):
    """A formulation whose forces are not linear in the dynamic parameters cannot give a regressor."""

    robot: str

    def __str__(self) -> str:
        return f"{self.robot}: the required force is not linear in the parameters"


@dataclass(eq=False, repr=False)
class UnclearRankError(ParakinError):
    """A regressor whose rank does not show, so that there is no telling which parameters have an effect."""

    robot: str
    reason: str

    def __str__(self) -> str:
        return f"{self.robot}: base parameters are not clear: {self.reason}"


class PoseError(ParakinError, ValueError):
    """A single state that a robot cannot be in, or not be moved from. Batches flag such states instead."""


@dataclass(eq=False, repr=False)
class UnreachablePoseError(PoseError):
    """A leg cannot close. `excess` in m: how much is missing, or too much."""

    pose: tuple[float, ...]
    leg: str
    excess: float

    def __str__(self) -> str:
        return f"{self.leg} cannot close at pose {_listed(self.pose)}: {1e3 * self.excess:.3g} mm missing"


@dataclass(eq=False, repr=False)
class SingularPoseError(PoseError):
    """A singular pose. `condition`: of the length-scaled J_qv.

    kind: "leg" where a leg's drive cannot move its tip (type 1), "universal" where a line lies along axis 1 of its
    universal joint, "platform" where the drives cannot hold the platform (type 2). place: the leg or element, or the
    motion of the platform that nothing resists.
    """

    pose: tuple[float, ...]
    kind: str
    place: str
    condition: float

    def __str__(self) -> str:
        what = {
            "leg": f"{self.place} is stretched or folded, its drive cannot move its tip",
            "universal": f"{self.place} lies along axis 1 of its universal joint",
            "platform": f"no drive resists the motion {self.place}",
        }[self.kind]
        return f"pose {_listed(self.pose)} is singular ({self.kind}): {what}; condition number {self.condition:.3g}"


@dataclass(eq=False, repr=False)
class MeasurementError(PoseError):
    """Measured elements or encoder values that are incomplete, belong to no pose, or to a singular one."""

    robot: str
    reason: str

    def __str__(self) -> str:
        return f"{self.robot}: {self.reason}"


@dataclass(eq=False, repr=False)
class QuaternionError(PoseError):
    """An orientation whose quaternion is not of length 1."""

    pose: tuple[float, ...]
    norm: float

    def __str__(self) -> str:
        return f"the quaternion (w, x, y, z) of pose {_listed(self.pose)} has length {self.norm:.9g}: normalise it"


@dataclass(eq=False, repr=False)
class ForwardKinematicsError(PoseError):
    """No pose was found for these actuator positions, near where it was looked for."""

    q: tuple[float, ...]
    reason: str
    residual: float

    def __str__(self) -> str:
        return f"no pose found for q {_listed(self.q)}: {self.reason} (residual {self.residual:.3g})"


@dataclass(eq=False, repr=False)
class MotionError(ParakinError, ValueError):
    """A motion that cannot be made, or asked, like this. `name`: which of its data."""

    motion: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.motion}: {self.name}: {self.reason}"


@dataclass(eq=False, repr=False)
class MotionLimitError(ParakinError, ValueError):
    """A motion that a robot cannot make however slowly. `reasons`: all that were found."""

    robot: str
    motion: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((f"{self.robot}: {self.motion}: more time does not help:", *self.reasons))


@dataclass(eq=False, repr=False)
class FileError(ParakinError, ValueError):
    """A file that does not hold the table it should, or that cannot be read or written."""

    file: str
    """Path of the file, as it was given."""
    reason: str
    """What is wrong, and what would be right."""
    line: int | None = None
    """Line of the file, counted from 1; None where the whole file is meant, or where it has no lines."""
    column: str | None = None
    """Name of the column, as in the header; None where all columns are meant."""

    def __str__(self) -> str:
        return f"{_place(self.file, self.line, self.column)}: {self.reason}"


class MotionFileError(FileError):
    """A file that does not hold a sampled motion, or that cannot be read or written."""


class LogFileError(FileError):
    """A file that does not hold a log, or that cannot be read or written."""


@dataclass(eq=False, repr=False)
class ControlError(ParakinError, ValueError):
    """A law that cannot be made, or asked, like this. `name`: which of its data."""

    law: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.law}: {self.name}: {self.reason}"


@dataclass(eq=False, repr=False)
class SimulationError(ParakinError, ValueError):
    """A simulation that cannot be run as asked. `name`: which of its data."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"simulation: {self.name}: {self.reason}"


@dataclass(eq=False, repr=False)
class EstimationError(ParakinError, ValueError):
    """Data that do not support an estimate as asked. `name`: what was to be estimated."""

    robot: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.robot}: {self.name}: {self.reason}"


class ColumnMapError(DescriptionError):
    """Columns of a log that cannot be told apart as asked. `problems` as of a robot file."""


@dataclass(eq=False, repr=False)
class BadLogError(ParakinError, ValueError):
    """A log with damage that was not to be cut, or cannot be. `problems`: a line for each."""

    file: str
    problems: tuple[str, ...]
    remedy: str

    def __str__(self) -> str:
        shown = [*self.problems[:MOST_SHOWN]]
        more = len(self.problems) - len(shown)
        shown += [f"and {more} more"] * (more > 0)
        return "\n".join([*(f"{self.file}: {problem}" for problem in shown), self.remedy])


MOST_SHOWN = 12
"""Problems in a message; the error carries them all."""


def _place(file: str, line: int | None, column: str | None) -> str:
    where = [file]
    where += [] if line is None else [f"line {line}"]
    where += [] if column is None else [f"column '{column}'"]
    return ", ".join(where)


def _listed(values: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{value:.6g}' for value in values)}]"
