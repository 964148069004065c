"""Errors of what is done with robots: motions, laws, simulations, logs and estimates."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.errors.base import DataError, ParakinError, ProblemsError, SubjectError, escaped

MOST_SHOWN = 12
"""Damages that a message lists at most; the error carries them all."""


class MotionError(DataError):
    """A motion that cannot be made, or asked, like this.

    >>> motion.at(99.0)
    Traceback (most recent call last):
        ...
    parakin.errors.work.MotionError: circle: t: must be from 0 to 1.41... s, got 99
    """


@dataclass(eq=False, repr=False)
class MotionLimitError(ParakinError, ValueError):
    """A motion that a robot cannot make however slowly.

    >>> far = pk.trajectory.point_to_point(robot, [0, 0, -0.43], [0.6, 0, -0.43])
    >>> pk.trajectory.within_limits(far, robot)
    Traceback (most recent call last):
        ...
    parakin.errors.work.MotionLimitError: delta: point_to_point, 1 s: more time does not help:
    unreachable: leg2 cannot close, 145 mm missing at 1 s (first at 0.628 s, 745 states in all)
    ...
    """

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
        return escaped(f"{_place(self.file, self.line, self.column)}: {self.reason}")


class MotionFileError(FileError):
    """A file that does not hold a sampled motion, or that cannot be read or written.

    >>> pk.trajectory.read_csv("nothing.csv")
    Traceback (most recent call last):
        ...
    parakin.errors.work.MotionFileError: nothing.csv: cannot be read: No such file or directory
    """


class LogFileError(FileError):
    """A file that does not hold a log, or that cannot be read or written.

    >>> pk.simulation.read_log("nothing.csv")
    Traceback (most recent call last):
        ...
    parakin.errors.work.LogFileError: nothing.csv: cannot be read: No such file or directory
    """


class ControlError(DataError):
    """A law that cannot be made, or asked, like this.

    >>> pk.control.law("pid", robot, period=0.0)
    Traceback (most recent call last):
        ...
    parakin.errors.work.ControlError: default gains: period: must be finite and > 0 s, got 0
    """


class VisionError(DataError):
    """A camera, a rig or an estimate from pictures that cannot be made, or asked, like this.

    >>> pk.vision.Camera("top", (0, 480), (500.0, 500.0), [0, 0, 0], np.eye(3))
    Traceback (most recent call last):
        ...
    parakin.errors.work.VisionError: top: size: must be two whole numbers of pixels, got (0, 480)
    """


class RigFileError(ProblemsError):
    """A file that does not hold a rig of cameras, or that cannot be read or written.

    >>> pk.vision.read_rig("nothing.toml", robot)
    Traceback (most recent call last):
        ...
    parakin.errors.work.RigFileError: nothing.toml: cannot be read: No such file or directory
    """


class PictureFileError(FileError):
    """A file or folder that does not hold pictures of a rig's cameras, or that cannot be read or written.

    >>> quattro = pk.load("quattro")
    >>> camera = pk.vision.Camera("top", (64, 64), (50.0, 50.0), [0, 0, 0], np.eye(3))
    >>> pk.vision.picture_folder(pk.vision.rig_of(quattro, camera, "*.forearm", radius=0.008), "nowhere")
    Traceback (most recent call last):
        ...
    parakin.errors.work.PictureFileError: nowhere: is not a folder: name the one that holds the camera's
        pictures
    """


class SimulationError(SubjectError, ValueError):
    """A simulation that cannot be run as asked; the subject is one of its data.

    >>> pk.simulation.Scenario(noise=-1.0)
    Traceback (most recent call last):
        ...
    parakin.errors.work.SimulationError: simulation: noise: must be finite and >= 0, got -1
    """

    def __str__(self) -> str:
        return f"simulation: {self.subject}: {self.reason}"


class UnmatchedLawError(SimulationError):
    """A law that no bandwidth brings to the delay margin or the force noise asked for.

    >>> steps = pk.simulation.Scenario(counts=1000)
    >>> pk.simulation.matched(robot, law, "noise", 1e-9, steps)
    Traceback (most recent call last):
        ...
    parakin.errors.work.UnmatchedLawError: simulation: computed_torque: cannot be given a force noise of
        1e-09 N or N m rms: it reaches a force noise of ... N or N m rms at best, at 5 rad/s; ask for more
    """

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


class LoopWarning(UserWarning):
    """A closed loop that is unstable, nearly so, or computed in steps that are too long for its springs.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", errors.LoopWarning)  # a loop that is wanted so
    ...     files = pk.export.export_controller(law, "controller")
    """

    def __init__(self, law: str, robot: str, reason: str) -> None:
        super().__init__(law, robot, reason)
        self.law = law
        """Name of the law."""
        self.robot = robot
        """Name of the robot."""
        self.reason = reason
        """What is wrong with the loop, in words and numbers."""

    def __str__(self) -> str:
        return f"{self.law} on {self.robot}: the loop is {self.reason}"


@dataclass(eq=False, repr=False)
class UnstableLoopError(ParakinError, ValueError):
    """A closed loop that is unstable, and was not forced.

    >>> pk.export.export_controller(law.with_gains(K_d=5000.0), "controller")
    Traceback (most recent call last):
        ...
    parakin.errors.work.UnstableLoopError: computed_torque on delta: the loop is unstable: its largest pole is ...
    """

    law: str
    """Name of the law."""
    robot: str
    """Name of the robot."""
    reason: str
    """What is wrong with the loop, in words and numbers."""

    def __str__(self) -> str:
        remedy = "choose gains for a lower bandwidth (gains_for, `parakin tune`) or a shorter period, or force it"
        return f"{self.law} on {self.robot}: the loop is {self.reason}: {remedy}"


class ExecutorError(SubjectError, ValueError):
    """Many runs that cannot be begun, or cannot go on, as asked; the subject is a folder, a cluster or the work.

    >>> pk.executors.evaluate(print, 0)
    Traceback (most recent call last):
        ...
    parakin.errors.work.ExecutorError: rows: must be at least 1, got 0
    """


class DesignError(ProblemsError):
    """A design study that cannot be run as its file asks.

    >>> pk.design.load_study("nowhere.toml")
    Traceback (most recent call last):
        ...
    parakin.errors.work.DesignError: nowhere.toml: cannot be read: No such file or directory
    """


class StudyError(DataError):
    """A study that cannot be judged: a criterion that nothing can miss, or findings that do not fit the claims.

    >>> from parakin.studies.criteria import Criterion, Sense
    >>> Criterion("share", Sense.AT_MOST, 1.0, "", "", (0.0, 1.0))
    Traceback (most recent call last):
        ...
    parakin.errors.work.StudyError: criterion: share: at most 1 is always met by a quantity between 0 and 1
    """


class EstimationError(DataError):
    """Data that do not support an estimate as asked.

    >>> pk.identification.estimate(pk.identification.base_model(robot), [])
    Traceback (most recent call last):
        ...
    parakin.errors.work.EstimationError: delta: base parameters: 22 parameters need more than 0 states
    """


class ColumnMapError(ProblemsError):
    """Columns of a log that cannot be told apart as asked.

    >>> pk.identification.column_map_of_texts(["t=time [fortnight]"])
    Traceback (most recent call last):
        ...
    parakin.errors.work.ColumnMapError: columns: columns.t: no unit 'fortnight'; choose one of s, ms, us,
        ...
    """


@dataclass(eq=False, repr=False)
class BadLogError(ParakinError, ValueError):
    """A log with damage that was not to be cut, or cannot be.

    >>> from dataclasses import replace
    >>> log = pk.simulation.simulate(robot, law, pk.control.reference(robot, motion, 1e-3))
    >>> table = np.delete(log.table, slice(300, 500), axis=0)
    >>> gap = pk.simulation.write_log("gap.csv", replace(log, table=table))
    >>> pk.identification.prepare(robot, pk.identification.open_log(robot, gap))
    Traceback (most recent call last):
        ...
    parakin.errors.work.BadLogError: gap.csv: gap: at 0.5 s, column 't [s]': 200 rows are missing: a step of
        0.201 s, the period is 0.001 s
    cut what is damaged (--damage cut, in Python policy="cut"), or accept kinds known to be harmless
    """

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


def _place(file: str, line: int | None, column: str | None) -> str:
    where = [file]
    where += [] if line is None else [f"line {line}"]
    where += [] if column is None else [f"column '{column}'"]
    return ", ".join(where)
