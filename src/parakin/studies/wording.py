"""How reports and pages put a judgement into words."""

from __future__ import annotations

from parakin.studies.criteria import Criterion, Measured, NominalLoop
from parakin.studies.definition import Apparatus, Claim
from parakin.studies.judging import Judgement
from parakin.studies.loops import GAIN_GRID, MOST_DELAY
from parakin.studies.result import Result

TINY = 1e-6
"""A threshold below which a number that meets it is only said to be below: its digits are rounding."""


def compared(criterion: Criterion, measured: Measured) -> str:
    """Say a number, its interval, the threshold and how far apart they are."""
    unit = f" {criterion.unit}" if criterion.unit else ""
    limit = f"{criterion.quantity} {criterion.sense} {criterion.threshold:.3g}{unit}"
    if criterion.threshold < TINY and 0.0 <= measured.value <= criterion.threshold and criterion.threshold > 0.0:
        return f"{limit}: met"
    low, high = measured.interval
    interval = f" ({low:.3g} to {high:.3g} over {measured.over})" if measured.over else ""
    return f"{limit}: {measured.value:.3g}{unit}{interval}{_distance(criterion, measured.value)}"


def _distance(criterion: Criterion, value: float) -> str:
    """Say how far a number is from its threshold: as a ratio, or as a difference where numbers may be negative."""
    if criterion.possible[0] < 0.0 and criterion.threshold != 0.0:
        return f", {value - criterion.threshold:+.2g} from the threshold"
    return f", {value / criterion.threshold:.2g} of the threshold" if criterion.threshold > TINY else ""


def decided(claim: Claim, judgement: Judgement) -> str:
    """Say what decided about a claim: its criteria with their numbers, how often it holds, the evidence."""
    if not judgement.values:
        return claim.evidence.value
    parts = [compared(*pair) for pair in zip(claim.criteria, judgement.values, strict=True)]
    holds = f"; holds in {judgement.met_in} of {judgement.judged_in} configurations" if judgement.judged_in > 1 else ""
    return f"{'; '.join(parts)}{holds}; {claim.evidence}"


def quoted(claim: Claim) -> str:
    """Return the place and the paper's words in quotation marks, or what the study added."""
    return f"{claim.where}: “{claim.quote}”" if claim.quote else "added by this study"


def apparatus_of(result: Result) -> list[Apparatus]:
    """Return every apparatus that the claims of a study speak of, in their order."""
    return list(dict.fromkeys(claim.apparatus for claim, _, _ in result.findings))


def judged_in(result: Result, apparatus: Apparatus) -> str:
    """Say in which configuration the claims about an apparatus were judged, of how many, and with what margins."""
    about = [j for claim, _, j in result.findings if claim.apparatus == apparatus and j.configuration]
    if not about:
        return ""
    text = ""
    if len(apparatus.configurations) > 1:
        tried, judged = len(apparatus.configurations), about[0].judged_in
        left = f", {tried - judged} of them unstable with the correct model and not judged" if judged < tried else ""
        text = f"{tried} configurations tried{left}. Judged in: {about[0].configuration}. "
    loops = dict(result.loops).get(about[0].configuration, ()) if apparatus.loops else ()
    return text + ("Nominal loops: " + "; ".join(_margins(loop) for loop in loops) + "." if loops else "")


def _margins(loop: NominalLoop) -> str:
    gain = f"{loop.gain:.2f}" if loop.gain < GAIN_GRID[-1] else f"{GAIN_GRID[-1]:g} or more"
    delay = f"{1e3 * loop.delay:.1f} ms" if loop.delay < MOST_DELAY else f"{1e3 * MOST_DELAY:g} ms or more"
    return f"{loop.law} bears a gain of {gain} and another delay of {delay}"
