"""The law by which numbers become verdicts: stable loops first, one configuration for all claims, intervals."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.errors import StudyError
from parakin.studies import (
    Apparatus,
    Claim,
    Criterion,
    Evidence,
    Finding,
    Measured,
    NominalLoop,
    Outcome,
    Sense,
    Verdict,
)
from parakin.studies.criteria import spread
from parakin.studies.judging import admitted, judgements
from tests.small_studies import claim

CELLS = Apparatus("a machine", "Any.", ("one", "two", "three"))
LOOPS = Apparatus("a loop", "Any.", ("one", "two", "three"), loops=True)


def verdicts(claims: list[Claim], **values: list[float]) -> list[Verdict]:
    """Judge claims by the number of each in every configuration."""
    findings = {
        key: Finding("", {name: (Measured(value),) for name, value in zip(CELLS.configurations, each, strict=True)})
        for key, each in values.items()
    }
    return [each.verdict for each in judgements(claims, Outcome(findings, {}))]


def outcome(values: list[float], radii: list[float], gains: list[float] | None = None) -> Outcome:
    """One claim `first` on a machine with loops."""
    names = LOOPS.configurations
    cases = {name: (Measured(value),) for name, value in zip(names, values, strict=True)}
    loops = {
        name: (NominalLoop("law", radius, gain, 1e-3),)
        for name, radius, gain in zip(names, radii, gains or [2.0] * 3, strict=True)
    }
    return Outcome({"first": Finding("", cases)}, {}, loops)


def test_a_claim_holds_in_all_configurations_or_in_the_one_that_suits_most_claims() -> None:
    three = [claim(key, Verdict.HOLDS, apparatus=CELLS) for key in ("first", "second", "third")]
    assert verdicts(three, first=[1, 1, 1], second=[9, 1, 1], third=[9, 9, 1]) == [
        Verdict.HOLDS,
        Verdict.CONDITIONAL,
        Verdict.CONDITIONAL,
    ]
    # `third` holds in one configuration, but not where the two others do
    assert verdicts(three, first=[9, 1, 9], second=[9, 1, 9], third=[1, 9, 9]) == [
        Verdict.CONDITIONAL,
        Verdict.CONDITIONAL,
        Verdict.REFUTED,
    ]


def test_of_equally_large_sets_the_one_that_more_configurations_share_decides() -> None:
    two = [claim(key, Verdict.HOLDS, apparatus=CELLS) for key in ("first", "second")]
    assert verdicts(two, first=[1, 9, 9], second=[9, 1, 1]) == [Verdict.REFUTED, Verdict.CONDITIONAL]


def test_unstable_loops_are_not_judged() -> None:
    one = [claim("first", Verdict.HOLDS, apparatus=LOOPS)]
    (judged,) = judgements(one, outcome([1, 9, 9], [1.00005, 0.9, 0.9]))
    assert (judged.verdict, judged.met_in, judged.judged_in) == (Verdict.REFUTED, 0, 2)
    (judged,) = judgements(one, outcome([1, 9, 9], [0.9, 1.1, 1.1]))
    assert (judged.verdict, judged.judged_in) == (Verdict.HOLDS, 1)
    (judged,) = judgements(one, outcome([1, 1, 1], [1.1, 1.1, 1.1]))
    assert judged.verdict == Verdict.OPEN


def test_of_several_configurations_the_soundest_loop_is_shown() -> None:
    (judged,) = judgements(
        [claim("first", Verdict.HOLDS, apparatus=LOOPS)], outcome([1, 1, 9], [0.9] * 3, [1.2, 3.0, 8.0])
    )
    assert (judged.verdict, judged.configuration) == (Verdict.CONDITIONAL, "two")


def test_loops_must_be_given_for_every_configuration() -> None:
    with pytest.raises(StudyError, match="a loop: loops: every configuration needs its nominal loops"):
        admitted(LOOPS, Outcome({}, {}))


def test_agreement_with_oneself_is_no_evidence() -> None:
    same = claim("first", Verdict.HOLDS, apparatus=CELLS, evidence=Evidence.CONSISTENCY)
    assert verdicts([same], first=[1, 1, 1]) == [Verdict.CONSISTENT]
    assert verdicts([same], first=[9, 9, 9]) == [Verdict.NOT_REPRODUCED]


def test_own_implementations_refute_nothing() -> None:
    """An own count of operations is an upper bound of what is needed: larger than printed, it contradicts nothing."""
    one = [claim("first", Verdict.HOLDS, apparatus=CELLS, evidence=Evidence.COUNT)]
    assert verdicts(one, first=[1, 1, 1]) == [Verdict.HOLDS]
    assert verdicts(one, first=[9, 9, 9]) == [Verdict.NOT_REPRODUCED]
    assert verdicts(one, first=[9, 1, 9]) == [Verdict.CONDITIONAL]


@pytest.mark.parametrize("evidence", [Evidence.OWN, Evidence.CONSISTENCY])
def test_agreement_of_own_implementations_in_one_configuration_is_no_more_than_in_all(evidence: Evidence) -> None:
    one = [claim("first", Verdict.HOLDS, apparatus=CELLS, evidence=evidence)]
    assert verdicts(one, first=[1, 1, 1]) == [Verdict.CONSISTENT]
    assert verdicts(one, first=[9, 1, 9]) == [Verdict.CONSISTENT]
    assert verdicts(one, first=[9, 9, 9]) == [Verdict.NOT_REPRODUCED]


def test_an_interval_that_contains_the_threshold_decides_nothing() -> None:
    criterion = Criterion("force", Sense.AT_MOST, 2.0, "N", "")
    assert criterion.met(spread(1.0, [0.5, 2.0], "2 seeds")) is True
    assert criterion.met(spread(1.0, [0.5, 2.1], "2 seeds")) is None
    assert criterion.met(spread(3.0, [2.1, 4.0], "2 seeds")) is False
    assert Criterion("force", Sense.AT_LEAST, 2.0, "N", "").met(Measured(2.0)) is True


@pytest.mark.parametrize(
    ("sense", "threshold", "possible", "how"),
    [
        (Sense.AT_MOST, 1.0, (0.0, 1.0), "always"),
        (Sense.AT_LEAST, 0.0, (0.0, np.inf), "always"),
        (Sense.AT_MOST, -1.0, (0.0, np.inf), "never"),
        (Sense.AT_LEAST, 7.0, (0.0, 6.0), "never"),
    ],
)
def test_criteria_that_nothing_can_miss_or_meet_are_refused(
    sense: Sense, threshold: float, possible: tuple[float, float], how: str
) -> None:
    with pytest.raises(StudyError, match=f"criterion: share: {sense} .* is {how} met by a quantity between"):
        Criterion("share", sense, threshold, "", "", possible)


def test_findings_must_fit_their_claims() -> None:
    one = [claim("first", Verdict.HOLDS)]
    with pytest.raises(StudyError, match="first: finding: there is none"):
        judgements(one, Outcome({}, {}))
    with pytest.raises(StudyError, match="first: cases: must be for as printed, got elsewhere"):
        judgements(one, Outcome({"first": Finding("", {"elsewhere": (Measured(1.0),)})}, {}))
    with pytest.raises(StudyError, match="first: cases: must have 1 numbers"):
        judgements(one, Outcome({"first": Finding("", {"as printed": ()})}, {}))
    bare = Claim("bare", "eq. (1)", "words", "", CELLS, Evidence.NONE, (), Verdict.HOLDS)
    with pytest.raises(StudyError, match="bare: criteria: there are none, so the verdict cannot be holds"):
        judgements([bare], Outcome({"bare": Finding("")}, {}))
