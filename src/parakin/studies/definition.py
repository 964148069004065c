"""What a study is: a paper's claims as data, and a run that measures something about each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from matplotlib.figure import Figure


class Verdict(StrEnum):
    """What became of a claim; the value is the text that reports print."""

    HOLDS = "holds"
    """The run agrees with the claim."""
    CONDITIONAL = "holds under conditions"
    """The run agrees in some cases only; the remark of the finding names them."""
    REFUTED = "does not hold"
    """The run contradicts the claim."""
    OPEN = "cannot be checked"
    """The paper prints nothing that a run could be compared with."""
    ADDED = "not in the paper"
    """The paper makes no such claim; the study measured it besides."""


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, and the verdict on it that is on record."""

    key: str
    """One word that names the claim, unique in its study."""
    where: str
    """The place in the paper, such as "eq. (45)"; "added" for what the paper does not say."""
    says: str
    """The claim in our words."""
    published: str
    """What the paper prints, with units, or a dash."""
    recorded: Verdict
    """The verdict of the run when the study was written; another one is news."""


@dataclass(frozen=True)
class Finding:
    """What a run measured about a claim, and the verdict that follows from it."""

    measured: str
    """The numbers with their units, for the table of the report."""
    verdict: Verdict
    """The verdict that the run came to, by code."""
    remark: str = ""
    """The assumptions behind the numbers, or the condition under which the claim holds."""
    timed: bool = False
    """Whether `measured` is a computing time, which differs from run to run."""


@dataclass(frozen=True)
class Outcome:
    """What the run of a study returns."""

    findings: Mapping[str, Finding]
    """One finding for each claim, by the claim's key."""
    figures: Mapping[str, tuple[Figure, str]]
    """Name -> (figure, caption)."""


Progress = Callable[[str], None]
"""A function that a run calls with a few words on what it does next."""


@dataclass(frozen=True)
class Study:
    """A paper, the library robots that it is re-enacted on, its claims and the run."""

    key: str
    """The name in `STUDIES`, which is also that of the package."""
    paper: str
    """Authors, title and place of publication."""
    title: str
    """The heading in reports."""
    robots: tuple[str, ...]
    """Names of the library robots that the study uses."""
    claims: tuple[Claim, ...]
    """The claims in the order of the report."""
    gaps: tuple[str, ...]
    """What the paper leaves open, and how it was read here, one sentence or two each."""
    run: Callable[[Progress], Outcome]
    """Measure everything, telling the progress."""
