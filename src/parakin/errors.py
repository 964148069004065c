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


class DescriptionError(ParakinError, ValueError):
    """A robot file that does not describe a robot. `problems`: (key, what is wrong), all that were found."""

    def __init__(self, file: str, problems: tuple[tuple[str, str], ...]) -> None:
        super().__init__(file, problems)
        self.file = file
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(
            f"{self.file}: {key}: {reason}" if key else f"{self.file}: {reason}" for key, reason in self.problems
        )


class UnknownNameError(ParakinError, KeyError):
    """A name that is not among those there are."""

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(kind, name, known)
        self.kind = kind
        self.name = name
        self.known = known

    def __str__(self) -> str:
        return f"no {self.kind} '{self.name}'; choose one of {', '.join(self.known)}"


class UnsupportedRobotError(ParakinError, ValueError):
    """A robot for which what was asked is not there."""

    def __init__(self, robot: str, reason: str) -> None:
        super().__init__(robot, reason)
        self.robot = robot
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.robot}: {self.reason}"


class NotLinearInParametersError(ParakinError):
    """A formulation whose forces are not linear in the dynamic parameters cannot give a regressor."""

    def __init__(self, robot: str) -> None:
        super().__init__(robot)
        self.robot = robot

    def __str__(self) -> str:
        return f"{self.robot}: the required force is not linear in the parameters"


class UnclearRankError(ParakinError):
    """A regressor whose rank does not show, so that there is no telling which parameters have an effect."""

    def __init__(self, robot: str, reason: str) -> None:
        super().__init__(robot, reason)
        self.robot = robot
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.robot}: base parameters are not clear: {self.reason}"


class PoseError(ParakinError, ValueError):
    """A single state that a robot cannot be in, or not be moved from. Batches flag such states instead."""


class UnreachablePoseError(PoseError):
    """A leg cannot close. `excess` in m: how much is missing, or too much."""

    def __init__(self, pose: tuple[float, ...], leg: str, excess: float) -> None:
        super().__init__(pose, leg, excess)
        self.pose = pose
        self.leg = leg
        self.excess = excess

    def __str__(self) -> str:
        return f"{self.leg} cannot close at pose {_listed(self.pose)}: {1e3 * self.excess:.3g} mm missing"


class SingularPoseError(PoseError):
    """A singular pose. `condition`: of the length-scaled J_qv.

    kind: "leg" where a leg's drive cannot move its tip (type 1), "universal" where a line lies along axis 1 of its
    universal joint, "platform" where the drives cannot hold the platform (type 2). place: the leg or element, or the
    motion of the platform that nothing resists.
    """

    def __init__(self, pose: tuple[float, ...], kind: str, place: str, condition: float) -> None:
        super().__init__(pose, kind, place, condition)
        self.pose = pose
        self.kind = kind
        self.place = place
        self.condition = condition

    def __str__(self) -> str:
        what = {
            "leg": f"{self.place} is stretched or folded, its drive cannot move its tip",
            "universal": f"{self.place} lies along axis 1 of its universal joint",
            "platform": f"no drive resists the motion {self.place}",
        }[self.kind]
        return f"pose {_listed(self.pose)} is singular ({self.kind}): {what}; condition number {self.condition:.3g}"


class MeasurementError(PoseError):
    """Measured elements or encoder values that are incomplete, belong to no pose, or to a singular one."""

    def __init__(self, robot: str, reason: str) -> None:
        super().__init__(robot, reason)
        self.robot = robot
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.robot}: {self.reason}"


class QuaternionError(PoseError):
    """An orientation whose quaternion is not of length 1."""

    def __init__(self, pose: tuple[float, ...], norm: float) -> None:
        super().__init__(pose, norm)
        self.pose = pose
        self.norm = norm

    def __str__(self) -> str:
        return f"the quaternion (w, x, y, z) of pose {_listed(self.pose)} has length {self.norm:.9g}: normalise it"


class ForwardKinematicsError(PoseError):
    """No pose was found for these actuator positions, near where it was looked for."""

    def __init__(self, q: tuple[float, ...], reason: str, residual: float) -> None:
        super().__init__(q, reason, residual)
        self.q = q
        self.reason = reason
        self.residual = residual

    def __str__(self) -> str:
        return f"no pose found for q {_listed(self.q)}: {self.reason} (residual {self.residual:.3g})"


class MotionError(ParakinError, ValueError):
    """A motion that cannot be made, or asked, like this. `name`: which of its data."""

    def __init__(self, motion: str, name: str, reason: str) -> None:
        super().__init__(motion, name, reason)
        self.motion = motion
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.motion}: {self.name}: {self.reason}"


class MotionLimitError(ParakinError, ValueError):
    """A motion that a robot cannot make however slowly. `reasons`: all that were found."""

    def __init__(self, robot: str, motion: str, reasons: tuple[str, ...]) -> None:
        super().__init__(robot, motion, reasons)
        self.robot = robot
        self.motion = motion
        self.reasons = reasons

    def __str__(self) -> str:
        return "\n".join((f"{self.robot}: {self.motion}: more time does not help:", *self.reasons))


class MotionFileError(ParakinError, ValueError):
    """A file that does not hold a sampled motion. line and column count from 1 and are None where all are meant."""

    def __init__(self, file: str, line: int | None, column: str | None, reason: str) -> None:
        super().__init__(file, line, column, reason)
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason

    def __str__(self) -> str:
        where = [self.file]
        where += [] if self.line is None else [f"line {self.line}"]
        where += [] if self.column is None else [f"column '{self.column}'"]
        return f"{', '.join(where)}: {self.reason}"


class ControlError(ParakinError, ValueError):
    """A law that cannot be made, or asked, like this. `name`: which of its data."""

    def __init__(self, law: str, name: str, reason: str) -> None:
        super().__init__(law, name, reason)
        self.law = law
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.law}: {self.name}: {self.reason}"


class SimulationError(ParakinError, ValueError):
    """A simulation that cannot be run as asked. `name`: which of its data."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"simulation: {self.name}: {self.reason}"


class LogFileError(ParakinError, ValueError):
    """A file that does not hold a log, or cannot be read or written."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(file, reason)
        self.file = file
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


def _listed(values: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{value:.6g}' for value in values)}]"
