"""What may be asked of an exciting motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.errors import MotionError, UnknownNameError
from parakin.robot.surveys import LARGEST_CONDITION
from parakin.trajectory.motions.fourier import HARMONICS
from parakin.trajectory.states import positive

CRITERIA = ("condition", "determinant")
"""Measures of excitation that can be improved."""
SPACES = ("platform", "actuator")
"""Whose coordinates can be Fourier series."""
MOTION_NAME = "excitation"
"""Name of the motions, and of the subject of error messages."""


MOST = {"harmonics": 100, "periods": 10**6, "evaluations": 10**12}
"""The largest counts that are taken: of more harmonics the matrices of the search do not fit into memory."""
SMALLEST_NOISE = 1e-12
"""Least noise, as a part of the force limits: it divides the regressor, whose squares must not overflow."""


@dataclass(frozen=True)
class ExciteOptions:
    """How an exciting motion is looked for.

    >>> options = pk.identification.ExciteOptions(space="actuator", harmonics=3, evaluations=5, periods=2)
    >>> pk.identification.excite(robot, options).series.sine.shape
    (2, 3)
    """

    criterion: str = "condition"
    """What is improved: the "condition" number or the log-"determinant" of the weighted base regressor.

    The condition number is taken over the smallest singular value.
    """
    space: str = "platform"
    """Whose coordinates are Fourier series: those of the "platform" or of the "actuator"s."""
    harmonics: int = HARMONICS
    """Harmonics of 1/period in each coordinate."""
    period: float | None = None
    """Length of a period [s]; None chooses it from the start motion."""
    periods: int = 10
    """How often the period is repeated."""
    rest: float = 0.0
    """Time of blending from rest at home, and back to it [s]; 0 gives the periods alone."""
    use: float = 0.9
    """Part of the speed and force limits that may be used."""
    condition: float = LARGEST_CONDITION
    """Largest condition number of the length-scaled J_qv that is allowed."""
    noise: float = 0.01
    """Standard deviation of the measured forces, as a part of the force limits."""
    rate: float = 1000.0
    """Samples that will be logged in a second [Hz]."""
    shared: bool = False
    """Whether identical legs have the same bodies; friction and rotors are always each leg's own."""
    seed: int = 0
    """Seed of the first start motion; each later start takes the next number."""
    time: float = 25.0
    """Seconds after which the search ends, unless `evaluations` is given [s]."""
    evaluations: int | None = None
    """Evaluations after which the search ends, which is repeatable; None ends it by time."""

    def __post_init__(self) -> None:
        self._check_choices()
        self._check_counts()
        if self.noise < SMALLEST_NOISE:
            raise MotionError(MOTION_NAME, "noise", f"at least {SMALLEST_NOISE:g} of the limits, got {self.noise:g}")
        if not (np.isfinite(self.rest) and self.rest >= 0.0):
            raise MotionError(MOTION_NAME, "rest", f"must be finite and >= 0 s, got {self.rest:g}")
        if 0.0 < self.rest < 1.0 / self.rate:
            raise MotionError(MOTION_NAME, "rest", f"0 s, or at least a sample, {1 / self.rate:g} s, got {self.rest:g}")
        if not 0.0 < self.use <= 1.0:
            raise MotionError(MOTION_NAME, "use", f"a part of the limits, above 0 and at most 1, got {self.use:g}")
        if not self.condition > 1.0:
            raise MotionError(MOTION_NAME, "condition", f"condition numbers are above 1, got {self.condition:g}")
        if self.seed < 0:
            raise MotionError(MOTION_NAME, "seed", f"must be >= 0, got {self.seed}")

    def _check_choices(self) -> None:
        for kind, choice, known in (("criterion", self.criterion, CRITERIA), ("space", self.space, SPACES)):
            if choice not in known:
                raise UnknownNameError(kind, choice, known)
        for name, unit in (("period", "s"), ("noise", ""), ("rate", "Hz"), ("time", "s")):
            value = getattr(self, name)
            if value is not None:
                positive(MOTION_NAME, name, value, unit)

    def _check_counts(self) -> None:
        counts = {"harmonics": self.harmonics, "periods": self.periods, "evaluations": self.evaluations}
        for name, count in counts.items():
            if count is not None and count < 1:
                raise MotionError(MOTION_NAME, name, f"at least 1, got {count}")
            if count is not None and count > MOST[name]:
                raise MotionError(MOTION_NAME, name, f"at most {MOST[name]}, got {count}")
