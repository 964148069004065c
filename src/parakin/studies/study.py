"""What a study is: a paper's claims as data, and a run that finds out about each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from matplotlib.figure import Figure


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    CONDITIONAL = "holds under conditions"
    REFUTED = "does not hold"
    OPEN = "cannot be checked"
    ADDED = "not in the paper"


@dataclass(frozen=True)
class Claim:
    """key: one word, unique in its study; where: place in the paper; says: the claim in our words.

    published: what is printed, with units, or a dash; recorded: the verdict that the study found when it was written.
    """

    key: str
    where: str
    says: str
    published: str
    recorded: Verdict


@dataclass(frozen=True)
class Finding:
    """What a run measured about a claim.

    remark: the assumptions, or the condition; timed: `measured` is a time, which differs from run to run.
    """

    measured: str
    verdict: Verdict
    remark: str = ""
    timed: bool = False


@dataclass(frozen=True)
class Outcome:
    """findings: by key of the claim, one each; figures: name -> (figure, caption)."""

    findings: Mapping[str, Finding]
    figures: Mapping[str, tuple[Figure, str]]


Progress = Callable[[str], None]
"""Told what is being done now."""


@dataclass(frozen=True)
class Study:
    """A paper, the library robots it is re-enacted on, its claims and the run.

    gaps: what the paper leaves open, and how it was read here.
    """

    key: str
    paper: str
    title: str
    robots: tuple[str, ...]
    claims: tuple[Claim, ...]
    gaps: tuple[str, ...]
    run: Callable[[Progress], Outcome]
