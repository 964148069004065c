"""Searches for a motion that shows the parameters of a robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from parakin.blas import one_blas_thread
from parakin.errors import MotionError, MotionLimitError
from parakin.identification.excitation.demands import Bounds, bounds_of, peaks
from parakin.identification.excitation.objective import objective_of
from parakin.identification.excitation.options import MOTION_NAME, ExciteOptions
from parakin.identification.excitation.quality import Quality, Scaling, quality_of, scaling_of
from parakin.identification.excitation.result import Excitation
from parakin.identification.excitation.search import Budget, Descent, OutOfBudget, Step
from parakin.identification.excitation.space import Space, motion_of, scaled, space_of
from parakin.identification.excitation.weak import hidden_parameters, weak_parameters
from parakin.robot import Robot
from parakin.robot.base_parameters import sharing_of
from parakin.trajectory.checking import STATES, check
from parakin.trajectory.motions.fourier import Series
from parakin.trajectory.states import MOST_STATES, State

PERIODS = (10.0, 5.0, 2.0, 1.0)
"""Periods that are tried where none is given [s]: the shortest in which the start motion keeps its limits is taken."""
SIZE_TOLERANCE = 1e-3
"""Precision of the size of a motion that had to be made smaller, as a part of its size."""
SMALLEST_SIZE = 1e-3
"""Size, as a part of what was drawn, at which a motion that still does not fit has no room at all."""
STATES_PER_HARMONIC = 64
"""States that are checked for each period of the highest harmonic, four times those of the search."""
CHECKED_PERIODS = 10
"""Periods that the check at the end looks at, at most: all are alike."""


def excite(
    robot: Robot, options: ExciteOptions | None = None, progress: Callable[[Step], None] | None = None
) -> Excitation:
    """Search for a periodic motion within all limits that shows the robot's base parameters well.

    Ends with the best so far after its budget or on KeyboardInterrupt. Local optima are what it finds: more time or
    another seed may find better ones. progress: called after each evaluation.

    >>> options = pk.identification.ExciteOptions(evaluations=20, periods=2)
    >>> excitation = pk.identification.excite(robot, options)
    >>> pk.trajectory.check(excitation.motion, robot).good
    True
    """
    options = options or ExciteOptions()
    with one_blas_thread():
        return _excite(robot, options, progress)


def _excite(robot: Robot, options: ExciteOptions, progress: Callable[[Step], None] | None) -> Excitation:
    task = _task(robot, options)
    samples = _samples(task)
    sharing = sharing_of(robot.name, robot.legs, options.shared)
    base = robot.base_parameters(shared=sharing)
    first = task.fitted(task.space.drawn(options.seed, options.harmonics, 1 / task.period))
    force = task.bounds.limits.force
    scaling = scaling_of(robot, base, options.noise, force, task.period_of(first))
    before = _Candidate(first, quality_of(robot, scaling, task.period_of(first)))
    hidden = hidden_parameters(robot, base, sharing)
    search = _searched(task, scaling, before, progress)
    best = search.best
    motion = motion_of(task.space, best.series, options.periods, options.rest)
    checked = min(options.periods, CHECKED_PERIODS)
    shares, steady = task.shares(best.series), task.period_of(best.series)
    return Excitation(
        robot=robot.name,
        options=replace(options, period=task.period),
        series=best.series,
        motion=motion,
        limit_check=check(motion_of(task.space, best.series, checked, options.rest), robot, task.states * checked),
        shares=shares,
        before=before.quality,
        after=best.quality,
        start=motion_of(task.space, before.series, options.periods, options.rest),
        base=base,
        sizes=scaling.sizes,
        deviations=best.quality.deviations(samples),
        weak=weak_parameters(robot, scaling, best.quality, samples=samples, state=steady, shares=shares),
        hidden=hidden,
        starts=search.starts,
        evaluations=search.evaluations,
        interrupted=search.interrupted,
    )


def _samples(task: _Task) -> float:
    """Return how many samples will be logged; refuse, before the search, more than a motion is sampled at."""
    periods, rate = task.options.periods, task.options.rate
    samples = rate * task.period * periods
    if samples > MOST_STATES:
        reason = f"{periods} of {task.period:g} s at {rate:g} Hz are {samples:.3g} samples, more than {MOST_STATES:.0e}"
        raise MotionError(MOTION_NAME, "periods", f"{reason}: give fewer periods or a lower rate")
    return samples


@dataclass(frozen=True, eq=False)
class _Search:
    """The best motion of a search, the starts and evaluations it took, and whether it was stopped by hand."""

    best: _Candidate
    starts: int
    evaluations: int
    interrupted: bool


def _searched(task: _Task, scaling: Scaling, best: _Candidate, progress: Callable[[Step], None] | None) -> _Search:
    """Improve one start after the other until the budget is used up or the user interrupts."""
    options, comparison = task.options, _Comparison(task, scaling)
    budget = Budget(options)
    descent, start, interrupted = None, 0, False

    def tell_progress() -> None:
        if progress is not None:
            progress(Step(budget.done, start, budget.evaluations, best.quality.condition))

    try:
        objective = objective_of(task.space, scaling, task.bounds, options, task.period)
        while True:
            drawn = task.space.drawn(options.seed + start, options.harmonics, 1 / task.period)
            descent = Descent(objective, drawn, budget, tell_progress)
            for series in descent.run():
                best = comparison.better(best, series)
            start += 1
    except OutOfBudget:
        pass
    except KeyboardInterrupt:
        interrupted = True
    if descent is not None:
        best = comparison.better(best, descent.series)
    return _Search(best, start + 1, budget.evaluations, interrupted)


@dataclass(frozen=True, eq=False)
class _Task:
    """The space, the limits and the period that a series must fit."""

    space: Space
    bounds: Bounds
    options: ExciteOptions
    period: float

    @property
    def states(self) -> int:
        """Number of states that are checked for one period with its blends."""
        length = 1.0 + 2 * self.options.rest / self.period
        return max(STATES, int(np.ceil(STATES_PER_HARMONIC * self.options.harmonics * length)) + 1)

    def period_of(self, series: Series) -> State:
        """States of one undisturbed period, without its last state, which is the first again."""
        motion = motion_of(self.space, series, 1, 0.0)
        return motion.at(np.arange(self.states) / self.states * motion.duration)

    def shares(self, series: Series) -> dict[str, float]:
        motion = motion_of(self.space, series, 1, self.options.rest)
        return peaks(self.space.robot, self.bounds, motion.at(np.linspace(0.0, motion.duration, self.states)))

    def fits(self, series: Series) -> bool:
        robot = self.space.robot
        motion = motion_of(self.space, series, 1, self.options.rest)
        return max(self.shares(series).values()) <= 1.0 and check(motion, robot, self.states).good

    def fitted(self, series: Series) -> Series:
        """The series itself if it fits, or else the largest of its smaller copies about home that does."""
        if self.fits(series):
            return series
        worst = max(self.shares(series).values())
        low, high, middle = 0.0, 1.0, (1.0 - SIZE_TOLERANCE) / max(1.0, worst)
        while high - low > SIZE_TOLERANCE:
            low, high = (middle, high) if self.fits(scaled(series, middle)) else (low, middle)
            middle = (low + high) / 2
        if low < SMALLEST_SIZE:
            robot = self.space.robot
            motion = motion_of(self.space, scaled(series, SMALLEST_SIZE), 1, self.options.rest)
            limit_check, taken = check(motion, robot, self.states), self.shares(scaled(series, SMALLEST_SIZE))
            reasons = [*map(str, limit_check.troubles), *map(str, limit_check.excesses)]
            reasons += [f"{kind}: {share:.3g} of what may be used" for kind, share in taken.items() if share > 1.0]
            raise MotionLimitError(robot.name, f"{MOTION_NAME} near home", tuple(reasons))
        return scaled(series, low)


def _task(robot: Robot, options: ExciteOptions) -> _Task:
    space, bounds = space_of(options.space, robot), bounds_of(robot, options)
    if options.period is not None:
        return _Task(space, bounds, options, options.period)
    tasks = [_Task(space, bounds, options, period) for period in PERIODS]
    for longer, task in zip([tasks[0], *tasks], tasks, strict=False):
        taken = task.shares(space.drawn(options.seed, options.harmonics, 1 / task.period))
        if max(taken["speed"], taken["force"]) > 1.0:
            return longer
    return tasks[-1]


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A motion that fits, and how well it shows the parameters."""

    series: Series
    quality: Quality


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Which of two motions is better, by exact friction and fine samples, both within limits."""

    task: _Task
    scaling: Scaling

    def quality(self, series: Series) -> Quality:
        return quality_of(self.task.space.robot, self.scaling, self.task.period_of(series))

    def better(self, best: _Candidate, series: Series) -> _Candidate:
        try:
            fitted = self.task.fitted(series)
        except MotionLimitError:
            return best
        new = _Candidate(fitted, self.quality(fitted))
        criterion = self.task.options.criterion
        return new if new.quality.cost(criterion) < best.quality.cost(criterion) else best
