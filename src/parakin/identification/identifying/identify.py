"""The whole way from a log to a robot file: check, estimate, assess, find real bodies, validate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.dynamics.parameters import Quantity
from parakin.errors import EstimationError
from parakin.identification.bodies.consistent import consistent
from parakin.identification.fit.essential import essential
from parakin.identification.fit.estimate import Estimate, estimate
from parakin.identification.fit.linear import LinearModel, base_model, nacelle_model
from parakin.identification.fit.moments import Cut
from parakin.identification.fit.reversals import HALF_WIDTH_CUTOFF, FrictionReversal, rest_rates, weighed
from parakin.identification.identifying.identification import Identification, Question
from parakin.identification.identifying.omissions import Examination, Sampling, examine
from parakin.identification.identifying.outliers import MOST_OUTLIERS, Outliers, find_outliers
from parakin.identification.identifying.timing import coarse_delay, estimate_timing, pieces_of
from parakin.identification.identifying.validation import Validation, validate
from parakin.identification.logs.log_source import open_log
from parakin.identification.preparation.kept import KeptStates
from parakin.identification.preparation.periods import mean_period
from parakin.identification.preparation.prepared import ForceTiming, Prepared, Report
from parakin.identification.preparation.preparing import prepare, windows
from parakin.identification.states import States
from parakin.robot import Robot
from parakin.robot.base_parameters import sharing_of

Say = Callable[[str], None]
"""Takes a line that says what is being done."""
ROWS_PER_PARAMETER = 10
"""Averaged rows for each parameter below which rows are not averaged."""
MOST_HEAVIER = 2.5
"""Mass of an identified body, relative to the robot file's, beyond which something else is more likely."""
REST_STATES = 1000
"""States in each piece of a log from which usual accelerations of joints are taken."""


@dataclass(frozen=True, eq=False)
class _Used:
    """States as they are estimated from.

    total: how many there are with those near reversals of friction; reversal: what is left out or counts less there;
    notes: what was done to them in words.
    """

    states: Iterable[States]
    total: int
    cut: Cut
    reversal: FrictionReversal
    notes: tuple[str, ...]

    def notes_of(self, estimated: Estimate) -> tuple[str, ...]:
        """The notes, with how much was left out of an estimate from these states."""
        if estimated.states == self.total:
            return self.notes
        share = f"{100 * (1 - estimated.states / self.total):.2g} % of the states"
        where = f"nearer than {1e3 * self.reversal.half_width:.3g} ms to where friction turns round or holds a joint"
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
    fit = _fitted(model, data, question, say)
    if fit.outliers is not None and fit.outliers.part <= MOST_OUTLIERS:
        say(f"{robot.name}: {fit.outliers}")
        fit = _fitted(model, data, question, say, fit.outliers)
    data, estimated, own = fit.data, fit.estimated, fit.validation
    against = own
    if validation is not None:
        against = _validated(model, estimated, _timed_alike(other, data), fit.used, estimated.covariance)
    if own.structured.any():
        slow = float(np.max((own.whiteness.slow / estimated.colour)[own.structured]))
        estimated = estimated.widened(np.sqrt(slow), "the residual is structured")
    say(f"{robot.name}: what the model leaves out")
    examined = _examined(fit)
    refused = _against(fit, against, examined)
    if refused:
        estimated = estimated.widened(1.0, refused)
    say(f"{robot.name}: real bodies")
    physical, identified = None, None
    if model.base is None:
        refused = refused or "the simplified model has no bodies"
    elif question.write_anyway or not refused:
        physical = consistent(estimated)
        refused = refused or _too_heavy(robot, physical.parameters)
    if physical is not None and (question.write_anyway or not refused):
        identified = robot.with_parameters(physical.parameters, f"identified from {Path(log).name}")
    kept = tuple(estimated.names[k] for k in essential(estimated).kept)
    if refused and identified is None:
        physical, estimated = None, estimated.widened(1.0, refused)
    elif not refused and examined is not None:
        estimated = examined.allowed
    return Identification(
        robot=robot,
        question=question,
        report=data.report,
        estimate=estimated,
        essential=kept,
        physical=physical,
        identified=identified,
        refused=refused,
        validation=against,
        independent=validation is not None,
        notes=(*fit.used.notes_of(estimated), *fit.doubts),
    )


@dataclass(frozen=True, eq=False)
class _Fit:
    """An estimate with the log that it is from."""

    data: Prepared
    used: _Used
    estimated: Estimate
    doubts: tuple[str, ...]
    validation: Validation
    outliers: Outliers | None
    """Forces recorded wrongly for single rows: what was left out, or else what was found."""


def _fitted(model: LinearModel, data: Prepared, question: Question, say: Say, outliers: Outliers | None = None) -> _Fit:
    """When forces act, the estimate, and what it predicts on its own log; outliers: forces that are left out."""
    name, shifts = model.robot.name, None
    unknown = data.report.timing.origin == "assumed"
    start = coarse_delay(model, data) if unknown else data.force_delay
    reversal = _reversal(model, data, question, start)
    if unknown:
        say(f"{name}: when forces act")
        found = estimate_timing(model, data, reversal, start, outliers)
        data, shifts = data.timed(found.timing), found.shifts
    kept = KeptStates(data)
    used = _used(model, kept, question, reversal, outliers)
    estimated, doubts = _estimated(model, used, question, shifts, lambda rows: say(f"{name}: {rows:,} states"))
    say(f"{name}: prediction of forces")
    own = _validated(model, estimated, kept, used)
    if outliers is None and question.method != "robust" and not question.average_periods:
        p = np.where(np.isfinite(estimated.values), estimated.values, model.values)
        outliers = find_outliers(p, own.compared)
    return _Fit(data, used, estimated, doubts, own, outliers)


def _validated(
    model: LinearModel,
    estimated: Estimate,
    states: Prepared | KeptStates,
    used: _Used,
    covariance: Array | None = None,
) -> Validation:
    """The estimate's prediction of a log; covariance: of parameters that are from another."""
    prepared = states.prepared if isinstance(states, KeptStates) else states
    cutoff = prepared.report.cutoff.frequency
    return validate(model, estimated.values, states, used.reversal, cutoff=cutoff, covariance=covariance)


def _base_model(robot: Robot, question: Question) -> LinearModel:
    return base_model(robot, shared=sharing_of(robot.name, robot.legs, question.shared))


def _reversal(model: LinearModel, data: Prepared, question: Question, delay: float) -> FrictionReversal:
    """What counts less where friction turns round or holds a joint, or is left out there; delay: of forces, in rows."""
    half_width = question.reversals
    if half_width is None:
        half_width = HALF_WIDTH_CUTOFF / data.report.cutoff.frequency
    if not half_width:
        return FrictionReversal(0.0)
    pieces = windows(data.stretches, REST_STATES + 2 * data.report.dropped)
    sample = (states for piece in pieces for states in replace(data, stretches=(piece,)).states())
    reversal = FrictionReversal(half_width, rest_rates(model, sample, half_width), question.average_periods)
    if question.reversals is not None or question.average_periods:
        return reversal
    average = _cycle(model, data.report) if question.cut.average is None else question.cut.average
    timed = data.timed(ForceTiming(delay, 0.0, "estimated"))
    return weighed(reversal, model, replace(timed, stretches=pieces_of(timed)).states(), average)


def _timed_alike(other: Prepared, data: Prepared) -> Prepared:
    """The log for validation with its forces acting as late as those of the first, if it does not say itself."""
    timing = data.report.timing
    if other.report.timing.origin != "assumed":
        return other
    return other.timed(replace(timing, delay=timing.delay * data.report.period / other.report.period))


def _against(fit: _Fit, other: Validation, examined: Examination | None) -> str:
    """What speaks against a robot file made of an estimate; "" if nothing does. Causes are named before symptoms."""
    own, estimated = fit.validation, fit.estimated
    if fit.outliers is not None and fit.outliers.part > MOST_OUTLIERS:
        return f"{fit.outliers}: clean the log, or take less note of them (--method robust)"
    omitted = "" if examined is None or not examined.omissions else str(examined.omissions[0])
    lines = [_on(validation, own) for validation in (own, other) if validation.lines]
    if omitted or lines:
        return lines[0] if lines and not (examined is not None and examined.explained) else omitted
    if estimated.biased:
        return estimated.biased
    for validation in (own, other):
        if validation.structured.any():
            return _on(validation, own)
    return (estimated if examined is None else examined.allowed).impossible


def _on(validation: Validation, own: Validation) -> str:
    """What the residual looks like, and on which log."""
    return f"{'' if validation is own else 'on the other log '}{validation.residual}"


def _examined(fit: _Fit) -> Examination | None:
    """What the residual says of forces that the model leaves out; None if that cannot be asked.

    Models that are simplified on purpose are not examined. Legs that differ but are taken as alike can look like
    anything.
    """
    estimated, used = fit.estimated, fit.used
    if estimated.model.base is None or (estimated.model.shared and fit.validation.structured.any()):
        return None
    repeats = fit.validation.repeating
    period = None if repeats is None or isinstance(used.states, list) else repeats.period
    measured = bool(fit.data.smoothing.source.coordinates)
    sampling = Sampling(used.cut.average or 0.0, period, used.reversal.counted, measured)
    return examine(estimated, used.states, sampling)


def _too_heavy(robot: Robot, parameters: Array) -> str:
    """Which body of the estimate is implausibly heavy, beside the robot file's, in a sentence; "" if none is."""
    masses = [k for k, p in enumerate(robot.parameter_table) if p.quantity is Quantity.M]
    before, after = robot.parameters[masses], parameters[masses]
    ratio = np.divide(after, before, out=np.ones_like(after), where=before > 0.0)
    if not (ratio > MOST_HEAVIER).any():
        return ""
    worst = int(np.argmax(ratio))
    return (
        f"{robot.parameter_table[masses[worst]].owner} would have {after[worst]:.3g} kg, {ratio[worst]:.2g} times what "
        "the robot file says: more likely than that is a force which the model does not have and this motion cannot "
        "tell from weight, such as a cable, a spring, a counterweight or an offset of the measured forces"
    )


def _used(
    model: LinearModel, kept: KeptStates, question: Question, reversal: FrictionReversal, outliers: Outliers | None
) -> _Used:
    """The states that are estimated from: of a mean period if asked for, without outliers, away from reversals."""
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
    if reversal.reach:
        states = reversal.away_from(model, states)
        notes += _weights_in_words(reversal)
    if outliers is not None:
        states = outliers.left_out(model, states)
        notes.append(f"{outliers}: left out")
    return _Used(states, total, cut, reversal, tuple(notes))


def _weights_in_words(reversal: FrictionReversal) -> list[str]:
    """What states near reversals of friction count, as a note; nothing where they are left out."""
    notes = list[str]()
    if any(one.weight < 1.0 for one in reversal.classes):
        parts = ", ".join(f"{one.weight:.2g} within {1e3 * one.half_width:.3g} ms" for one in reversal.classes)
        notes.append(f"states near where friction turns round count less, by their residuals: {parts}")
    if reversal.counted < 1.0:
        share = f"{100 * (1 - reversal.counted):.2g} % of the states in use"
        notes.append(f"{share} are near such places: intervals are as wide as if these were not there")
    return notes


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
    counted = used.reversal.counted
    estimated = estimate(
        model, used.states, method=question.method, cut=used.cut, shifts=shifts, counted=counted, progress=progress
    )
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
