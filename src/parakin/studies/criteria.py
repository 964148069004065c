"""What decides about a claim: thresholds, measured numbers with intervals, nominal loops; and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from parakin.control.tuning.margins import STABLE
from parakin.errors import StudyError


class Verdict(StrEnum):
    """What became of a claim; the value is the text that reports print."""

    HOLDS = "holds"
    """The run agrees with the claim in every configuration of its apparatus."""
    CONDITIONAL = "holds under conditions"
    """The run agrees in the one configuration in which most claims about this apparatus hold, and not in all others."""
    UNDECIDED = "undecided"
    """The interval of what was measured contains the threshold."""
    REFUTED = "does not hold"
    """The run contradicts the claim in the one configuration in which most claims about this apparatus hold."""
    NOT_REPRODUCED = "not reproduced"
    """What parakin implements does not show what the paper claims, which says nothing about the paper's own work."""
    CONSISTENT = "self-consistent"
    """The run agrees with the claim, but both sides of the comparison come from parakin: no independent evidence."""
    OPEN = "cannot be checked"
    """The paper or this package lacks what a run could be compared with; the remark says what."""
    ADDED = "not in the paper"
    """The paper makes no such claim; the study measured it besides."""


class Evidence(StrEnum):
    """What a measurement is compared with; the value is the text that reports print."""

    INDEPENDENT = "independent"
    """What the paper prints, or a behaviour that a run could have shown otherwise."""
    COUNT = "own count against a printed one"
    """What the paper prints, beside the operations of an own transcription, which bound those needed from above."""
    OWN = "own implementations"
    """Another implementation of this package: how the two compare says nothing about implementations of others."""
    CONSISTENCY = "self-consistency only"
    """Another computation of this package, with the same kinematics below."""
    NONE = "nothing to compare with"
    """Nothing: the claim is not judged."""


class Sense(StrEnum):
    """On which side of a threshold a criterion is met; the value is the text that reports print."""

    AT_MOST = "at most"
    """Met by the threshold and by smaller numbers."""
    AT_LEAST = "at least"
    """Met by the threshold and by larger numbers."""


@dataclass(frozen=True)
class Measured:
    """A number that a run measured, with its interval over seeds, plants, signs or robots."""

    value: float
    """The number itself, in the unit of its criterion."""
    low: float | None = None
    """Lower end of the interval; None where the number is not a matter of chance."""
    high: float | None = None
    """Upper end of the interval; None where the number is not a matter of chance."""
    over: str = ""
    """What the interval is over, such as "8 plants"; empty where there is none."""

    @property
    def interval(self) -> tuple[float, float]:
        """The interval, or twice the number where there is none."""
        return self.value if self.low is None else self.low, self.value if self.high is None else self.high


def spread(value: float, values: Sequence[float] | np.ndarray, over: str) -> Measured:
    """Return a number with the interval from the smallest to the largest of several values of it."""
    return Measured(float(value), float(np.min(values)), float(np.max(values)), over)


@dataclass(frozen=True)
class Criterion:
    """A quantity compared with a threshold. Thresholds that no value can miss, or none can meet, are refused."""

    quantity: str
    """What is compared, in a few words."""
    sense: Sense
    """On which side of the threshold the criterion is met."""
    threshold: float
    """The number that decides."""
    unit: str
    """Unit of the quantity and of the threshold; empty for a ratio or a count."""
    reason: str
    """Where the threshold comes from: a word of the paper and how it is read."""
    possible: tuple[float, float] = (0.0, np.inf)
    """Smallest and largest value that the quantity can have."""

    def __post_init__(self) -> None:
        least, most = self.possible
        never = self.threshold < least if self.sense is Sense.AT_MOST else self.threshold > most
        always = self.threshold >= most if self.sense is Sense.AT_MOST else self.threshold <= least
        if never or always:
            how = "always" if always else "never"
            reason = f"{self.sense} {self.threshold:g} is {how} met by a quantity between {least:g} and {most:g}"
            raise StudyError("criterion", self.quantity, reason)

    def met(self, measured: Measured) -> bool | None:
        """Return whether the criterion is met; None if the interval of the number contains the threshold."""
        good = [self._met(end) for end in measured.interval]
        return None if good[0] != good[1] else good[0]

    def _met(self, value: float) -> bool:
        return value <= self.threshold if self.sense is Sense.AT_MOST else value >= self.threshold

    def example(self, *, met: bool) -> Measured:
        """Return a possible number that meets the criterion, or one that misses it."""
        if met:
            return Measured(self.threshold)
        step = max(abs(self.threshold), 1.0)
        beyond = self.threshold + step if self.sense is Sense.AT_MOST else self.threshold - step
        return Measured(float(np.clip(beyond, *self.possible)))


@dataclass(frozen=True)
class NominalLoop:
    """A loop whose controller has the correct model, linearised at rest: what must be stable before it is judged."""

    law: str
    """Name of the control law."""
    radius: float
    """Magnitude of the largest pole of the sampled loop, stable below 1."""
    gain: float
    """Largest factor on all forces that the loop bears, as far as it was looked for; 0 if it is unstable."""
    delay: float
    """Additional delay of all forces that the loop bears, as far as it was looked for; 0 if it is unstable [s]."""

    @property
    def stable(self) -> bool:
        """Whether the loop is stable."""
        return self.radius <= STABLE
