"""What the search for an exciting motion gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from parakin.arrays import Array
from parakin.identification.excitation.options import ExciteOptions
from parakin.identification.excitation.quality import Quality
from parakin.identification.excitation.weak import WEAK, Hidden, Weak
from parakin.robot.base_parameters import BaseParameters
from parakin.trajectory.check_result import MotionCheck
from parakin.trajectory.motions.fourier import Series
from parakin.trajectory.states import Motion

SHOWN = 12
"""Of the poorly excited parameters, as text; as data there are all."""


@dataclass(frozen=True, eq=False)
class Excitation:
    """A motion that shows a robot's parameters, and how well.

    options: as asked, with the period; start: the motion before the search, drawn and made to fit. shares: of each
    limit that may be used, at its largest. deviations (rank,): standard, of the base parameters, expected, as parts of
    their sizes: prior values, or the least that matters. starts and
    evaluations: of the search; interrupted: it was stopped by hand.
    """

    robot: str
    options: ExciteOptions
    series: Series
    motion: Motion
    check: MotionCheck
    shares: dict[str, float]
    start: Motion
    before: Quality
    after: Quality
    base: BaseParameters
    sizes: Array
    deviations: Array
    weak: tuple[Weak, ...]
    hidden: tuple[Hidden, ...]
    starts: int
    evaluations: int
    interrupted: bool

    def as_dict(self) -> dict[str, Any]:
        """Everything but the functions, for JSON."""
        return {
            "robot": self.robot,
            "options": asdict(self.options),
            "series": {name: values.tolist() for name, values in self._coefficients().items()},
            "frequency": self.series.frequency,
            "duration": self.motion.duration,
            "check": str(self.check),
            "shares": self.shares,
            "before": _numbers(self.before),
            "after": _numbers(self.after),
            "parameters": [
                {"name": name, "unit": unit, "value": value, "size": size, "deviation": deviation}
                for name, unit, value, size, deviation in zip(
                    self.base.names,
                    self.base.units,
                    self.base.values.tolist(),
                    self.sizes.tolist(),
                    self.deviations.tolist(),
                    strict=True,
                )
            ],
            "weak": [asdict(one) for one in self.weak],
            "hidden": [asdict(one) for one in self.hidden],
            "starts": self.starts,
            "evaluations": self.evaluations,
            "interrupted": self.interrupted,
        }

    def _coefficients(self) -> dict[str, Array]:
        return {"offset": self.series.offset, "sine": self.series.sine, "cosine": self.series.cosine}

    def __str__(self) -> str:
        before, after, options = self.before, self.after, self.options
        asked = f"{options.harmonics} harmonics of {options.period:g} s in {options.space} coordinates"
        measured = f"after {options.periods} periods at {options.rate:g} Hz with noise of {100 * options.noise:g} %"
        lines = [
            f"{self.robot}: {asked}, {self.base.rank} base parameters",
            f"condition number {before.condition:.4g} before, {after.condition:.4g} after",
            f"the same with columns of unit length {before.angles:.4g} before, {after.angles:.4g} after",
            f"log-determinant {before.log_determinant:.4g} before, {after.log_determinant:.4g} after",
            f"{self.evaluations} evaluations from {self.starts} starts" + (", interrupted" * self.interrupted),
            str(self.check),
            "used: " + ", ".join(f"{kind} {100 * share:.3g} %" for kind, share in self.shares.items() if share > 0),
            f"poorly excited: {len(self.weak)} of {self.base.rank} deviate by more than {100 * WEAK:g} % {measured}",
            *(f"  {one}" for one in self.weak[:SHOWN]),
            *([f"  and {len(self.weak) - SHOWN} more"] if len(self.weak) > SHOWN else []),
        ]
        return "\n".join(lines + self._unseen())

    def _unseen(self) -> list[str]:
        """What no motion shows."""
        turned = [one.name for one in self.hidden if one.kind == "gravity"]
        still = len(self.hidden) - len(turned)
        lines = [f"without effect in any motion: {still} parameters (symmetry, axes that nothing turns about)"]
        if turned:
            lines += [f"without effect as gravity points: {', '.join(turned)}"]
        return lines


def _numbers(quality: Quality) -> dict[str, Any]:
    return {
        "condition": quality.condition,
        "condition_of_unit_columns": quality.angles,
        "log_determinant": quality.log_determinant,
        "singular_values": quality.singular_values.tolist(),
    }
