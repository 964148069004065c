"""What may be asked of an exciting motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.errors import MotionError, UnknownNameError
from parakin.robot.surveys import LARGEST_CONDITION
from parakin.trajectory.motions.fourier import HARMONICS
from parakin.trajectory.states import positive

CRITERIA = ("condition", "determinant")
SPACES = ("platform", "actuator")
NAME = "excitation"
"""Of the motions."""


@dataclass(frozen=True)
class ExciteOptions:
    """How an exciting motion is looked for.

    criterion: "condition" number (over the smallest singular value) or log-"determinant" of the weighted base
    regressor. space: whose coordinates are
    Fourier series, with this many harmonics of 1/period [s]; None: chosen from the start motion. periods: how often it
    is repeated. rest: seconds of blending from and to rest at home, 0 for the periods alone. use: the part of speeds
    and forces that may be used. condition: the largest of the length-scaled J_qv. noise: standard deviation of the
    measured forces, as a part of the force limits. rate: of samples [Hz]. shared: identical legs have the same
    parameters. The search ends after `time` seconds, or as many evaluations if given: those are repeatable.
    """

    criterion: str = "condition"
    space: str = "platform"
    harmonics: int = HARMONICS
    period: float | None = None
    periods: int = 10
    rest: float = 0.0
    use: float = 0.9
    condition: float = LARGEST_CONDITION
    noise: float = 0.01
    rate: float = 1000.0
    shared: bool = False
    seed: int = 0
    time: float = 25.0
    evaluations: int | None = None

    def __post_init__(self) -> None:
        for kind, asked, known in (("criterion", self.criterion, CRITERIA), ("space", self.space, SPACES)):
            if asked not in known:
                raise UnknownNameError(kind, asked, known)
        for name, unit in (("period", "s"), ("noise", ""), ("rate", "Hz"), ("time", "s")):
            value = getattr(self, name)
            if value is not None:
                positive(NAME, name, value, unit)
        counts = {"harmonics": self.harmonics, "periods": self.periods, "evaluations": self.evaluations}
        for name, count in counts.items():
            if count is not None and count < 1:
                raise MotionError(NAME, name, f"at least 1, got {count}")
        if not (np.isfinite(self.rest) and self.rest >= 0.0):
            raise MotionError(NAME, "rest", f"must be finite and >= 0 s, got {self.rest:g}")
        if not 0.0 < self.use <= 1.0:
            raise MotionError(NAME, "use", f"a part of the limits, above 0 and at most 1, got {self.use:g}")
        if not self.condition > 1.0:
            raise MotionError(NAME, "condition", f"condition numbers are above 1, got {self.condition:g}")
        if self.seed < 0:
            raise MotionError(NAME, "seed", f"must be >= 0, got {self.seed}")
