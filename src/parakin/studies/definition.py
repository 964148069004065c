"""What a study is: a paper's claims as data, each with the rule by which it is judged, and a run that measures.

A run never sets a verdict. It returns numbers; `parakin.studies.judging` compares them with the claim's criteria.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from parakin.studies.criteria import Criterion, Evidence, Measured, NominalLoop, Verdict

AS_PRINTED = "as printed"
"""Name of the only configuration of an apparatus that leaves nothing to choose."""


@dataclass(frozen=True)
class Apparatus:
    """What several claims of a paper speak of, and every configuration in which it is tried here.

    Claims about one apparatus are judged in the same configurations, and hold together in one of them or not at all.
    """

    name: str
    """A short name, such as "the H4 and its cell"."""
    needs: str
    """What the paper used, and what stands in its place here."""
    configurations: tuple[str, ...] = (AS_PRINTED,)
    """Names of the configurations tried; a finding has numbers for each of them."""
    loops: bool = False
    """Whether it is a closed loop, so that each configuration must be shown to be stable before it is judged."""


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, what decides about it, and the verdict on it that is on record."""

    key: str
    """One word that names the claim, unique in its study."""
    where: str
    """The place in the paper, such as "eq. (45)"; "added" for what the paper does not say."""
    quote: str
    """The paper's own words, at most a sentence; empty for what the paper does not say."""
    says: str
    """The claim in our words, as it is tested here."""
    apparatus: Apparatus
    """What the claim speaks of."""
    evidence: Evidence
    """What the measurement is compared with."""
    criteria: tuple[Criterion, ...]
    """What must be met, all of it; empty for claims that are not judged."""
    recorded: Verdict
    """The verdict of the run when the study was written; another one is news."""


def added(key: str, says: str, apparatus: Apparatus) -> Claim:
    """Return a claim that the paper does not make, and that is measured and not judged."""
    return Claim(key, "added", "", says, apparatus, Evidence.NONE, (), Verdict.ADDED)


@dataclass(frozen=True)
class Finding:
    """What a run measured about a claim."""

    measured: str | Mapping[str, str]
    """The numbers with their units, for the table of the report; by configuration where they differ with it."""
    cases: Mapping[str, tuple[Measured, ...]] = field(default_factory=dict[str, tuple[Measured, ...]])
    """Configuration of the apparatus -> one number for each criterion of the claim; empty if it is not judged."""
    remark: str = ""
    """The assumptions behind the numbers, or the condition under which the claim holds."""
    timed: bool = False
    """Whether `measured` is a computing time, which differs from run to run."""

    def measured_in(self, configuration: str) -> str:
        """Return what was measured in the configuration that a claim was judged in, so that verdict and numbers agree.

        configuration: empty for a claim that was judged in none
        """
        if isinstance(self.measured, str):
            return self.measured
        return self.measured.get(configuration, "no configuration could be judged")


def single(*values: Measured | float) -> dict[str, tuple[Measured, ...]]:
    """Return the cases of a finding whose apparatus leaves nothing to choose: one number for each criterion."""
    return {AS_PRINTED: tuple(v if isinstance(v, Measured) else Measured(float(v)) for v in values)}


@dataclass(frozen=True)
class Outcome:
    """What the run of a study returns."""

    findings: Mapping[str, Finding]
    """One finding for each claim, by the claim's key."""
    figures: Mapping[str, tuple[Figure, str]]
    """Name -> (figure, caption)."""
    loops: Mapping[str, tuple[NominalLoop, ...]] = field(default_factory=dict[str, tuple[NominalLoop, ...]])
    """Configuration of the apparatus with loops -> its loops with the model correct."""


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
