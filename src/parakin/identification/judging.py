"""The whole way: a log is checked, parameters are estimated and judged, a robot file is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parakin.errors import EstimationError
from parakin.identification.consistent import consistent
from parakin.identification.essential import essential
from parakin.identification.estimate import Estimate, estimate
from parakin.identification.identified import with_parameters
from parakin.identification.judgement import Judgement, Question
from parakin.identification.linear import LinearModel, base_model, nacelle_model
from parakin.identification.log_source import open_log
from parakin.identification.moments import Cut
from parakin.identification.periods import mean_period
from parakin.identification.preparation import Prepared, prepare
from parakin.identification.reversals import CUTOFFS, Away
from parakin.identification.states import States
from parakin.identification.validation import validate
from parakin.identification.verdicts import short
from parakin.robot import Robot

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class _Used:
    """States as they are estimated from; width [s]: what was left out around reversals; notes: all this in words."""

    states: Iterable[States]
    cut: Cut
    width: float
    notes: tuple[str, ...]


def judge(
    robot: Robot,
    log: str | Path,
    question: Question,
    validation: str | Path | None = None,
    progress: Say | None = None,
) -> Judgement:
    """Check, estimate, validate; robot: the prior, which a better file is made from."""
    say = progress or _silent
    say(f"{robot.name}: checking {log}")
    data = prepare(robot, open_log(robot, log, question.columns), question.preparation)
    other = data
    if validation is not None:
        say(f"{robot.name}: checking {validation}")
        other = prepare(robot, open_log(robot, validation, question.columns), question.preparation)
    say(f"{robot.name}: model")
    model = nacelle_model(robot) if question.model == "nacelle" else base_model(robot, shared=question.shared)
    used = _used(model, data, question)
    found, doubts = _estimated(model, used, question, lambda rows: say(f"{robot.name}: {rows:,} states"))
    say(f"{robot.name}: judging")
    physical, identified, refused = None, None, found.biased
    if model.base is None:
        refused = refused or "the simplified model has no bodies"
    elif not refused:
        physical = consistent(found)
        identified = with_parameters(robot, physical.parameters, f"identified from {Path(log).name}")
    return Judgement(
        robot,
        question,
        data.report,
        found,
        tuple(found.names[k] for k in essential(found).kept),
        physical,
        identified,
        refused,
        validate(model, found.values, other, used.width),
        validation is not None,
        (*used.notes, *doubts),
    )


def _used(model: LinearModel, data: Prepared, question: Question) -> _Used:
    states: Iterable[States] = data
    total, cut, notes = data.report.states, question.cut, list[str]()
    if question.average_periods:
        mean = mean_period(data, cut.period)
        states, total, cut = [mean.states], len(mean.states), replace(cut, period=None)
        notes.append(f"{mean.count} periods of {mean.period:.6g} s averaged: {total} states")
    width = CUTOFFS / data.report.cutoff.frequency if question.reversals is None else question.reversals
    if width:
        away = Away(model, states, width, round=question.average_periods)
        kept = sum(len(part) for part in away)
        states = away
        if kept < total:
            share = f"{100 * (1 - kept / total):.2g} % of the states"
            notes.append(f"{share} left out, nearer than {1e3 * width:.3g} ms to where friction turns round")
    return _Used(states, cut, width, tuple(notes))


def _estimated(
    model: LinearModel, used: _Used, question: Question, progress: Callable[[int], None]
) -> tuple[Estimate, tuple[str, ...]]:
    """The estimate, and what speaks against it without condemning it."""
    found = estimate(model, used.states, method=question.method, cut=used.cut, progress=progress)
    if not any(verdict.kind == "identified" for verdict in found.verdicts):
        reason = f"too little excitation: none of {len(found.names)} parameters is known to 10 %; {_best(found)}"
        raise EstimationError(
            model.robot.name, model.title, f"{reason}. Move more (`parakin excite`), or measure better"
        )
    doubts = list[str]()
    if found.windows is None:
        doubts.append("the data are too few, or weighted by row, to check for noise in the states")
    if used.cut.average and not found.biased:
        plain = estimate(model, used.states, method=question.method, cut=replace(used.cut, average=0.0)).biased
        doubts += [f"without averages: {plain}. With them the check is less sharp"] if plain else []
    return found, tuple(doubts)


def _best(found: Estimate) -> str:
    relative = np.where(np.isfinite(found.relative_std), found.relative_std, np.inf)
    best = int(np.argmin(relative))
    if not np.isfinite(relative[best]):
        return "this motion shows none of them"
    return f"the best, {short(found.names[best])}, to {100 * relative[best]:.2g} %"


def _silent(text: str) -> None:
    del text
