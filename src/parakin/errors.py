"""Every error parakin raises on purpose. Each carries its data, and says what was wrong and what would be right."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from difflib import SequenceMatcher, get_close_matches

LISTED = 30
"""Names that a message lists at most; of more, those most like the one that is not there."""


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def _printable(text: str) -> str:
    """Return a text with control characters and halves of surrogate pairs written as escapes.

    Names of files and columns come from anywhere: what they hold must neither command a terminal nor fail to print.
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


class ParakinError(Exception):
    """Root of the tree: `except ParakinError` catches whatever parakin itself refuses.

    Its kinds are dataclasses; their fields become `args`, so that errors pickle.
    """

    def __post_init__(self) -> None:
        self.args = tuple(getattr(self, field.name) for field in fields(self))  # pyright: ignore[reportArgumentType]


@dataclass(eq=False, repr=False)
class SubjectError(ParakinError):
    """Something that cannot be had of a subject: a robot, a model, a kernel."""

    subject: str
    """Name of what cannot give what was asked."""
    reason: str
    """Why it cannot, and what would help."""

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}"


@dataclass(eq=False, repr=False)
class DataError(ParakinError, ValueError):
    """A thing that cannot be made, or asked, with these data."""

    subject: str
    """Name of what was to be made or asked."""
    name: str
    """Which of its data is wrong."""
    reason: str
    """What is wrong, and what would be right."""

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}: {self.reason}"


@dataclass(eq=False, repr=False)
class ProblemsError(ParakinError, ValueError):
    """Several things wrong with one file or table, the first hundred of them listed."""

    file: str
    """The file, or what stands for one."""
    problems: tuple[tuple[str, str], ...]
    """(key, what is wrong and what would be right) of what was found; the last may say that there is more."""

    def __str__(self) -> str:
        return "\n".join(
            _printable(f"{self.file}: {key}: {reason}" if key else f"{self.file}: {reason}")
            for key, reason in self.problems
        )


@dataclass(eq=False, repr=False)
class UnknownNameError(ParakinError, KeyError):
    """A name that is not among those there are."""

    kind: str
    """What the name should be a name of."""
    name: str
    """The name that was given."""
    known: tuple[str, ...]
    """The names there are."""

    def __str__(self) -> str:
        name, meant = _printable(self.name), self.suggestion
        ending = "" if meant is None else f"; did you mean '{meant}'?"
        if len(self.known) <= LISTED:
            return f"no {self.kind} '{name}'; choose one of {', '.join(self.known)}{ending}"
        nearest = sorted(self.known, key=self._likeness, reverse=True)[:LISTED]
        listed = f"{', '.join(nearest)}, ... ({len(self.known)} in all)"
        return f"no {self.kind} '{name}'; choose one of {listed}{ending}"

    @property
    def suggestion(self) -> str | None:
        """The known name that is most like the one given, upper and lower case aside; None where none is alike."""
        plain = {known.lower(): known for known in self.known}
        alike = get_close_matches(self.name.lower(), plain, n=1)
        return plain[alike[0]] if alike else None

    def _likeness(self, known: str) -> tuple[bool, float]:
        return self.name in known, SequenceMatcher(None, self.name, known).ratio()


# Kernels


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


# Robots


class DescriptionError(ProblemsError):
    """A robot file that does not describe a robot."""


class ImplausibleValueWarning(UserWarning):
    """A number in a robot file that a robot can have but hardly has: likely another unit, or another order."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(file, key, reason)
        self.file = file
        """The file, or what stands for one."""
        self.key = key
        """Where in the file the number stands."""
        self.reason = reason
        """The value, why it is doubted, and what it probably is."""

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.reason}"


class UnsupportedRobotError(SubjectError, ValueError):
    """A robot for which what was asked is not there."""


@dataclass(eq=False, repr=False)
class NotLinearInParametersError(ParakinError):
    """A formulation whose forces are not linear in the dynamic parameters cannot give a regressor."""

    robot: str
    """Name of the robot."""

    def __str__(self) -> str:
        return f"{self.robot}: the required force is not linear in the parameters"


class UnclearRankError(SubjectError):
    """A regressor whose rank does not show, so that there is no telling which parameters have an effect."""

    def __str__(self) -> str:
        return f"{self.subject}: base parameters are not clear: {self.reason}"


class PoseError(ParakinError, ValueError):
    """A single state that a robot cannot be in, or not be moved from. Batches flag such states instead."""


@dataclass(eq=False, repr=False)
class UnreachablePoseError(PoseError):
    """A pose at which a leg cannot close."""

    pose: tuple[float, ...]
    """The pose."""
    leg: str
    """Name of the leg that is farthest from closing."""
    excess: float
    """How much is missing, or too much [m]."""

    def __str__(self) -> str:
        return f"{self.leg} cannot close at pose {_listed(self.pose)}: {1e3 * self.excess:.3g} mm missing"


@dataclass(eq=False, repr=False)
class SingularPoseError(PoseError):
    """A pose in which the robot cannot be moved or held in some direction."""

    pose: tuple[float, ...]
    """The pose."""
    kind: str
    """"leg" where a leg's drive cannot move its tip (type 1), "universal" where a line lies along axis 1 of its
    universal joint, "platform" where the drives cannot hold the platform (type 2)."""
    place: str
    """The leg or element, or the motion of the platform that nothing resists."""
    condition: float
    """Condition number of the length-scaled J_qv."""

    def __str__(self) -> str:
        what = {
            "leg": f"{self.place} is stretched or folded, its drive cannot move its tip",
            "universal": f"{self.place} lies along axis 1 of its universal joint",
            "platform": f"no drive resists the motion {self.place}",
        }[self.kind]
        return f"pose {_listed(self.pose)} is singular ({self.kind}): {what}; condition number {self.condition:.3g}"


@dataclass(eq=False, repr=False)
class LoopClosureError(PoseError):
    """A pose for which a mechanism's loops were not closed, or only by crossing a singularity."""

    mechanism: str
    """Name of the mechanism."""
    pose: tuple[float, ...]
    """The pose, or the configuration that was given."""
    reason: str
    """Why the search ended, and what would help."""
    residual: float
    """How far the loops are from closing where it ended [m, rad]."""

    def __str__(self) -> str:
        return f"{self.mechanism}: pose {_listed(self.pose)}: {self.reason} (residual {self.residual:.3g})"


@dataclass(eq=False, repr=False)
class LimitError(PoseError):
    """A pose at which an actuator is beyond its stroke, or a passive joint beyond its limit."""

    pose: tuple[float, ...]
    """The pose."""
    place: str
    """Name of the actuator or joint."""
    value: float
    """Where it is [m or rad]."""
    lower: float
    """The least it may be [m or rad]; -inf without a limit."""
    upper: float
    """The most it may be [m or rad]; inf without a limit."""
    unit: str
    """m or rad."""

    def __str__(self) -> str:
        allowed = f"{self.lower:.6g} to {self.upper:.6g} {self.unit}"
        return f"{self.place} is at {self.value:.6g} {self.unit} at pose {_listed(self.pose)}, allowed is {allowed}"


class StrokeError(LimitError):
    """A pose at which an actuator is beyond its stroke."""


class JointLimitError(LimitError):
    """A pose at which a passive joint is beyond its limit."""


class MeasurementError(SubjectError, PoseError):
    """Measured elements or encoder values that are incomplete, belong to no pose, or to a singular one."""


@dataclass(eq=False, repr=False)
class QuaternionError(PoseError):
    """An orientation whose quaternion is not of length 1."""

    pose: tuple[float, ...]
    """The pose."""
    norm: float
    """The length of its quaternion."""

    def __str__(self) -> str:
        return f"the quaternion (w, x, y, z) of pose {_listed(self.pose)} has length {self.norm:.9g}: normalise it"


@dataclass(eq=False, repr=False)
class OverflowStateError(PoseError):
    """A state whose numbers are finite, but so large, or zero where they divide, that a result is not."""

    robot: str
    """Name of the robot."""
    name: str
    """The input with the largest number."""
    size: float
    """The size of that number, in the input's unit."""

    def __str__(self) -> str:
        return (
            f"{self.robot}: a result is not a finite number; the largest that was given, in {self.name}, is "
            f"{self.size:.3g}: check that units are SI, and that no mass, weight or smoothing is zero"
        )


@dataclass(eq=False, repr=False)
class ForwardKinematicsError(PoseError):
    """No pose was found for these actuator positions, near where it was looked for."""

    q: tuple[float, ...]
    """The actuator positions [m or rad]."""
    reason: str
    """Why the search ended, and what would help."""
    residual: float
    """How far the actuators are off where it ended [m or rad]."""

    def __str__(self) -> str:
        return f"no pose found for q {_listed(self.q)}: {self.reason} (residual {self.residual:.3g})"


# Motions, laws, simulations, logs


class MotionError(DataError):
    """A motion that cannot be made, or asked, like this."""


@dataclass(eq=False, repr=False)
class MotionLimitError(ParakinError, ValueError):
    """A motion that a robot cannot make however slowly."""

    robot: str
    """Name of the robot."""
    motion: str
    """Name of the motion."""
    reasons: tuple[str, ...]
    """All that stands against it."""

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
        return _printable(f"{_place(self.file, self.line, self.column)}: {self.reason}")


class MotionFileError(FileError):
    """A file that does not hold a sampled motion, or that cannot be read or written."""


class LogFileError(FileError):
    """A file that does not hold a log, or that cannot be read or written."""


class ControlError(DataError):
    """A law that cannot be made, or asked, like this."""


class SimulationError(SubjectError, ValueError):
    """A simulation that cannot be run as asked; the subject is one of its data."""

    def __str__(self) -> str:
        return f"simulation: {self.subject}: {self.reason}"


class UnmatchedLawError(SimulationError):
    """A law that no bandwidth brings to the delay margin or the force noise asked for."""

    def __init__(self, law: str, rule: str, target: float, reached: float | None, bandwidth: float | None) -> None:
        def amount(size: float) -> str:
            delay = f"a delay margin of {1e3 * size:.4g} ms"
            return delay if rule == "delay" else f"a force noise of {size:.4g} N or N m rms"

        if reached is None or bandwidth is None:
            best = "it is unstable at every bandwidth from 5 to 1500 rad/s"
        else:
            best = f"it reaches {amount(reached)} at best, at {bandwidth:.3g} rad/s"
            best += f"; ask for {'less' if rule == 'delay' else 'more'}"
        super().__init__(law, f"cannot be given {amount(target)}: {best}")
        self.args = (law, rule, target, reached, bandwidth)
        self.rule = rule
        self.target = target
        self.reached = reached
        self.bandwidth = bandwidth


class StudyError(DataError):
    """A study that cannot be judged: a criterion that nothing can miss, or findings that do not fit the claims."""


class EstimationError(DataError):
    """Data that do not support an estimate as asked."""


class ColumnMapError(ProblemsError):
    """Columns of a log that cannot be told apart as asked."""


@dataclass(eq=False, repr=False)
class BadLogError(ParakinError, ValueError):
    """A log with damage that was not to be cut, or cannot be."""

    file: str
    """Path of the log."""
    problems: tuple[str, ...]
    """A line for each damage."""
    remedy: str
    """What can be done about it."""

    def __str__(self) -> str:
        shown = [*self.problems[:MOST_SHOWN]]
        more = len(self.problems) - len(shown)
        shown += [f"and {more} more"] * (more > 0)
        return "\n".join([*(f"{self.file}: {problem}" for problem in shown), self.remedy])


MOST_SHOWN = 12
"""Damages that a message lists at most; the error carries them all."""


def _place(file: str, line: int | None, column: str | None) -> str:
    where = [file]
    where += [] if line is None else [f"line {line}"]
    where += [] if column is None else [f"column '{column}'"]
    return ", ".join(where)


def _listed(values: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{value:.6g}' for value in values)}]"
