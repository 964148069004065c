"""The whole way from a log to a robot file: check, estimate, assess, find real bodies, validate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.errors import EstimationError
from parakin.identification.bodies.consistent import consistent
from parakin.identification.fit.essential import essential
from parakin.identification.fit.estimate import Estimate, estimate
from parakin.identification.fit.linear import LinearModel, base_model, nacelle_model
from parakin.identification.fit.moments import Cut
from parakin.identification.fit.reversals import HALF_WIDTH_CUTOFF, FrictionReversal, rest_rates
from parakin.identification.identifying.identification import Identification, Question
from parakin.identification.identifying.timing import estimate_timing
from parakin.identification.identifying.validation import Validation, validate
from parakin.identification.logs.log_source import open_log
from parakin.identification.preparation.kept import KeptStates
from parakin.identification.preparation.periods import mean_period
from parakin.identification.preparation.prepared import Prepared, Report
from parakin.identification.preparation.preparing import prepare, windows
from parakin.identification.states import States
from parakin.robot import Robot
from parakin.robot.base_parameters import sharing_of

Say = Callable[[str], None]
"""Takes a line that says what is being done."""
ROWS_PER_PARAMETER = 10
"""Averaged rows for each parameter below which rows are not averaged."""
REST_STATES = 1000
"""States in each piece of a log from which usual accelerations of joints are taken."""


@dataclass(frozen=True, eq=False)
class _Used:
    """States as they are estimated from.

    total: how many there are with those near reversals of friction; half_width: what is left out there [s]; notes: what
    was done to them in words.
    """

    states: Iterable[States]
    total: int
    cut: Cut
    half_width: float
    notes: tuple[str, ...]

    def notes_of(self, estimated: Estimate) -> tuple[str, ...]:
        """The notes, with how much was left out of an estimate from these states."""
        if estimated.states == self.total:
            return self.notes
        share = f"{100 * (1 - estimated.states / self.total):.2g} % of the states"
        where = f"nearer than {1e3 * self.half_width:.3g} ms to where friction turns round or holds a joint"
        left_out = f"{share} left out, {where}"
        return (*self.notes, left_out)


def identify(
    robot: Robot,
    log: str | Path,
    question: Question,
    validation: str | Path | None = None,
    progress: Say | None = None,
) -> Identification:
    """Check a log, estimate the robot's parameters from it, and make a better robot of them if the log can be trusted.

    robot: the prior. validation: another log, on which forces are predicted; without it they are on the same one.
    progress: told what is being done. BadLogError is raised where a log is refused, EstimationError where it shows
    nothing.

    >>> found = pk.identification.identify(robot, path, pk.identification.Question())
    >>> found.counts
    '19 weak; 15 of 19 are essential'
    """
    say = progress or _silent
    say(f"{robot.name}: checking {log}")
    data = prepare(robot, open_log(robot, log, question.columns), question.preparation)
    other = data
    if validation is not None:
        say(f"{robot.name}: checking {validation}")
        other = prepare(robot, open_log(robot, validation, question.columns), question.preparation)
    say(f"{robot.name}: model")
    model = nacelle_model(robot) if question.model == "nacelle" else _base_model(robot, question)
    reversal = _reversal(model, data, question)
    shifts = None
    if data.report.timing.origin == "assumed":
        say(f"{robot.name}: when forces act")
        found = estimate_timing(model, data, reversal)
        data, shifts = data.timed(found.timing), found.shifts
    kept = KeptStates(data)
    used = _used(model, kept, question, reversal)
    estimated, doubts = _estimated(model, used, question, shifts, lambda rows: say(f"{robot.name}: {rows:,} states"))
    say(f"{robot.name}: prediction of forces")
    own = validate(model, estimated.values, kept, reversal)
    against = own
    if validation is not None:
        against = validate(model, estimated.values, _timed_alike(other, data), reversal)
    if own.whiteness.structured.any():
        slow = float(np.max(own.whiteness.slow / estimated.colour))
        estimated = estimated.widened(np.sqrt(slow), "the residual is structured")
    refused = _against(estimated, own, against)
    say(f"{robot.name}: real bodies")
    physical, identified = None, None
    if model.base is None:
        refused = refused or "the simplified model has no bodies"
    elif question.write_anyway or not refused:
        physical = consistent(estimated)
        identified = robot.with_parameters(physical.parameters, f"identified from {Path(log).name}")
    return Identification(
        robot=robot,
        question=question,
        report=data.report,
        estimate=estimated,
        essential=tuple(estimated.names[k] for k in essential(estimated).kept),
        physical=physical,
        identified=identified,
        refused=refused,
        validation=against,
        independent=validation is not None,
        notes=(*used.notes_of(estimated), *doubts),
    )


def _base_model(robot: Robot, question: Question) -> LinearModel:
    return base_model(robot, shared=sharing_of(robot.name, robot.legs, question.shared))


def _reversal(model: LinearModel, data: Prepared, question: Question) -> FrictionReversal:
    """What is left out where friction turns round or holds a joint."""
    half_width = question.reversals
    if half_width is None:
        half_width = HALF_WIDTH_CUTOFF / data.report.cutoff.frequency
    if not half_width:
        return FrictionReversal(0.0)
    pieces = windows(data.stretches, REST_STATES + 2 * data.report.dropped)
    sample = (states for piece in pieces for states in replace(data, stretches=(piece,)).states())
    return FrictionReversal(half_width, rest_rates(model, sample, half_width), question.average_periods)


def _timed_alike(other: Prepared, data: Prepared) -> Prepared:
    """The log for validation with its forces acting as late as those of the first, if it does not say itself."""
    timing = data.report.timing
    if other.report.timing.origin != "assumed":
        return other
    return other.timed(replace(timing, delay=timing.delay * data.report.period / other.report.period))


def _against(estimated: Estimate, own: Validation, other: Validation) -> str:
    """What speaks against a robot file made of an estimate; "" if nothing does."""
    if estimated.biased:
        return estimated.biased
    for validation in (own, other):
        if validation.whiteness.structured.any():
            where = "" if validation is own else "on the other log "
            return f"{where}{validation.whiteness}"
    return estimated.impossible


def _used(model: LinearModel, kept: KeptStates, question: Question, reversal: FrictionReversal) -> _Used:
    """The states that are estimated from: of a mean period if asked for, away from reversals of friction."""
    states: Iterable[States] = kept
    report, cut, notes = kept.prepared.report, question.cut, list[str]()
    total = report.states
    if cut.average is None and not question.average_periods:
        cut = replace(cut, average=_cycle(model, report))
        notes += [f"rows averaged over {1e3 * cut.average:.3g} ms, one cycle of the cut-off"] if cut.average else []
    if question.average_periods:
        mean = mean_period(kept.prepared, cut.period)
        states, total, cut = [mean.states], len(mean.states), replace(cut, period=None)
        notes.append(f"{mean.count} periods of {mean.period:.6g} s averaged: {total} states")
    if reversal.half_width:
        states = reversal.away_from(model, states)
    return _Used(states, total, cut, reversal.half_width, tuple(notes))


def _cycle(model: LinearModel, report: Report) -> float:
    """One cycle of the cut-off [s], 0 if too few rows would be left.

    Above the cut-off, forces have noise that smoothed states do not explain; below it, accelerations have more noise
    the faster it is, which would shrink estimates. An average over a cycle takes most of both away, and no motion.
    """
    rows = report.states * report.every * report.period * report.cutoff.frequency
    enough = rows * len(model.robot.actuator_names) >= ROWS_PER_PARAMETER * len(model.names)
    return 1 / report.cutoff.frequency if enough else 0.0


def _estimated(
    model: LinearModel, used: _Used, question: Question, shifts: Array | None, progress: Callable[[int], None]
) -> tuple[Estimate, tuple[str, ...]]:
    """The estimate, and what speaks against it without condemning it."""
    estimated = estimate(model, used.states, method=question.method, cut=used.cut, shifts=shifts, progress=progress)
    if not any(assessment.kind == "identified" for assessment in estimated.assessments):
        reason = (
            f"too little excitation: none of {len(estimated.names)} parameters is known to 10 %; {_best(estimated)}"
        )
        raise EstimationError(
            model.robot.name, model.title, f"{reason}. Move more (`parakin excite`), or measure better"
        )
    doubts = list[str]()
    if estimated.windows is None:
        doubts.append("the data are too few, or weighted by row, to check for noise in the states")
    if question.cut.average and not estimated.biased:
        plain = estimate(model, used.states, method=question.method, cut=replace(used.cut, average=0.0)).biased
        doubts += [f"without averages: {plain}. With them the check is less sharp"] if plain else []
    return estimated, tuple(doubts)


def _best(estimated: Estimate) -> str:
    """Which parameter is known best, and how well."""
    relative = np.where(np.isfinite(estimated.relative_std), estimated.relative_std, np.inf)
    best = int(np.argmin(relative))
    if not np.isfinite(relative[best]):
        return "this motion shows none of them"
    return f"the best, {estimated.model.labels[best].name}, to {100 * relative[best]:.2g} %"


def _silent(text: str) -> None:
    del text
