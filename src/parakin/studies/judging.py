"""The law by which numbers become verdicts, the same for every study.

1. A configuration whose nominal loop is unstable is not judged.
2. Of the others, all claims about one apparatus are judged in the one in which most of them hold: the reading that is
   kindest to the paper, and the same for all its claims. Of several such, the set of claims that most
   configurations share, and the soundest loops.
3. A claim holds if it holds in every configuration that is judged; under conditions, if in that one.
4. Where both sides of a comparison come from parakin, agreement is self-consistency and nothing more, whether it is
   found in all configurations or in that one.
5. Whatever was implemented here may have been implemented otherwise by the authors. So nothing that rests on own
   implementations is refuted: an own count of operations, for one, is an upper bound of what is needed. Such a claim
   is not reproduced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parakin.errors import StudyError
from parakin.studies.criteria import Evidence, Measured, Verdict
from parakin.studies.definition import Apparatus, Claim, Finding, Outcome


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim, and what it rests on."""

    verdict: Verdict
    """What became of the claim."""
    configuration: str
    """The configuration of the apparatus in which it was judged; empty for claims that are not judged."""
    values: tuple[Measured, ...]
    """The numbers in that configuration, one for each criterion."""
    met_in: int
    """In how many configurations the claim holds."""
    judged_in: int
    """How many configurations were judged: those with a stable nominal loop."""


def met(claim: Claim, values: Sequence[Measured]) -> bool | None:
    """Return whether numbers meet all criteria of a claim; None if an interval leaves it open."""
    answers = [criterion.met(value) for criterion, value in zip(claim.criteria, values, strict=True)]
    return False if False in answers else None if None in answers else True


def admitted(apparatus: Apparatus, outcome: Outcome) -> tuple[str, ...]:
    """Return the configurations of an apparatus whose nominal loops are stable; all, if it has none."""
    if not apparatus.loops:
        return apparatus.configurations
    if set(outcome.loops) != set(apparatus.configurations):
        raise StudyError(apparatus.name, "loops", "every configuration needs its nominal loops, and no other has any")
    return tuple(name for name in apparatus.configurations if all(loop.stable for loop in outcome.loops[name]))


def joint_configuration(claims: Sequence[Claim], outcome: Outcome, names: Sequence[str]) -> str:
    """Return the configuration, one of names, in which most of these claims hold.

    Where several sets of claims are equally large, it is the one that most configurations share, so that luck does not
    decide; of these configurations, the one whose nominal loops bear most gain, and without loops the first.
    """

    def held(name: str) -> tuple[str, ...]:
        return tuple(claim.key for claim in claims if met(claim, outcome.findings[claim.key].cases[name]) is True)

    def soundness(name: str) -> float:
        return min((loop.gain for loop in outcome.loops.get(name, ())), default=0.0)

    sets = {name: held(name) for name in names}
    shared = Counter(sets.values())
    return max(names, key=lambda name: (len(sets[name]), shared[sets[name]], soundness(name)), default="")


def judgements(claims: Sequence[Claim], outcome: Outcome) -> tuple[Judgement, ...]:
    """Judge all claims of a study, in their order."""
    _check(claims, outcome.findings)
    judged = [claim for claim in claims if claim.criteria]
    names: dict[Apparatus, tuple[str, ...]] = {}
    joint: dict[Apparatus, str] = {}
    for apparatus in dict.fromkeys(claim.apparatus for claim in judged):
        names[apparatus] = admitted(apparatus, outcome)
        about = [claim for claim in judged if claim.apparatus == apparatus]
        joint[apparatus] = joint_configuration(about, outcome, names[apparatus])
    return tuple(
        judgement(claim, outcome.findings[claim.key], names[claim.apparatus], joint[claim.apparatus])
        if claim.criteria
        else Judgement(claim.recorded, "", (), 0, 0)
        for claim in claims
    )


OUTCOMES: Mapping[Evidence, tuple[Verdict, Verdict, Verdict]] = {
    Evidence.INDEPENDENT: (Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.REFUTED),
    Evidence.COUNT: (Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.NOT_REPRODUCED),
    Evidence.OWN: (Verdict.CONSISTENT, Verdict.CONSISTENT, Verdict.NOT_REPRODUCED),
    Evidence.CONSISTENCY: (Verdict.CONSISTENT, Verdict.CONSISTENT, Verdict.NOT_REPRODUCED),
}
"""Evidence -> the verdicts where all criteria are met in every configuration, in that which decides, or not there."""


def judgement(claim: Claim, finding: Finding, names: Sequence[str], joint: str) -> Judgement:
    """Judge one claim: names are the configurations that may be judged, joint is the one that decides."""
    if not names:
        return Judgement(Verdict.OPEN, "", (), 0, 0)
    answers = {name: met(claim, finding.cases[name]) for name in names}
    count = sum(answer is True for answer in answers.values())
    agreed, conditional, disagreed = OUTCOMES[claim.evidence]
    if count == len(names):
        verdict = agreed
    else:
        verdict = {True: conditional, None: Verdict.UNDECIDED, False: disagreed}[answers[joint]]
    return Judgement(verdict, joint, finding.cases[joint], count, len(names))


def _check(claims: Sequence[Claim], findings: Mapping[str, Finding]) -> None:
    """Refuse findings that do not fit their claims, and claims that are not judged but say that they are."""
    for claim in claims:
        if claim.key not in findings:
            raise StudyError(claim.key, "finding", "there is none")
        cases = findings[claim.key].cases
        wanted = claim.apparatus.configurations if claim.criteria else ()
        if set(cases) != set(wanted):
            raise StudyError(
                claim.key, "cases", f"must be for {', '.join(wanted) or 'nothing'}, got {', '.join(cases)}"
            )
        measured = findings[claim.key].measured
        if not isinstance(measured, str) and set(measured) != set(wanted):
            raise StudyError(claim.key, "measured", "must be one text, or one for each configuration that is judged")
        if any(len(values) != len(claim.criteria) for values in cases.values()):
            raise StudyError(claim.key, "cases", f"must have {len(claim.criteria)} numbers, one for each criterion")
        unjudged = claim.recorded in (Verdict.OPEN, Verdict.ADDED)
        if not claim.criteria and not unjudged:
            raise StudyError(claim.key, "criteria", f"there are none, so the verdict cannot be {claim.recorded}")
