"""What the search for an exciting motion gives."""

from __future__ import annotations

from dataclasses import asdict

from parakin.arrays import Array, frozen_arrays
from parakin.identification.excitation.options import ExciteOptions
from parakin.identification.excitation.quality import Quality
from parakin.identification.excitation.weak import WEAK_DEVIATION, Hidden, Weak
from parakin.robot.base_parameters import BaseParameters
from parakin.trajectory.check_result import MotionCheck
from parakin.trajectory.motions.fourier import Series
from parakin.trajectory.states import Motion

LISTED_WEAK = 12
"""Poorly excited parameters that are listed as text; as data there are all."""


@frozen_arrays
class Excitation:
    """A motion that shows a robot's parameters, and how well."""

    robot: str
    """Name of the robot."""
    options: ExciteOptions
    """What was asked for, with the period that was taken."""
    series: Series
    """Fourier coefficients of one period."""
    motion: Motion
    """The motion, with its periods and blends."""
    limit_check: MotionCheck
    """Whether the robot can make the motion, by `trajectory.check`."""
    shares: dict[str, float]
    """Largest share of each limit that may be used."""
    start: Motion
    """The motion before the search, drawn and made to fit."""
    before: Quality
    """How well the motion before the search shows the parameters."""
    after: Quality
    """How well the motion that was found shows them."""
    base: BaseParameters
    """The base parameters."""
    sizes: Array
    """Size of each base parameter (rank,): its prior value, or the least that matters."""
    deviations: Array
    """Expected standard deviations of the base parameters (rank,), relative to their sizes."""
    weak: tuple[Weak, ...]
    """Parameters that this motion shows poorly, the worst first."""
    hidden: tuple[Hidden, ...]
    """Parameters that no motion shows."""
    starts: int
    """Start motions that the search began with."""
    evaluations: int
    """Evaluations of the objective."""
    interrupted: bool
    """Whether the search was stopped by hand."""

    def as_dict(self) -> dict[str, object]:
        """Return everything but the functions, for JSON.

        >>> options = pk.identification.ExciteOptions(evaluations=20, periods=2)
        >>> sorted(pk.identification.excite(robot, options).as_dict())[:3]
        ['after', 'before', 'duration']
        """
        return {
            "robot": self.robot,
            "options": asdict(self.options),
            "series": {name: values.tolist() for name, values in self._coefficients().items()},
            "frequency": self.series.frequency,
            "duration": self.motion.duration,
            "limit_check": str(self.limit_check),
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
        space = "independent" if self.motion.kind.of_joints and options.space == "platform" else options.space
        asked = f"{options.harmonics} harmonics of {options.period:g} s in {space} coordinates"
        measured = f"after {options.periods} periods at {options.rate:g} Hz with noise of {100 * options.noise:g} %"
        limit = f"{100 * WEAK_DEVIATION:g} %"
        lines = [
            f"{self.robot}: {asked}, {self.base.rank} base parameters",
            f"condition number {before.condition:.4g} before, {after.condition:.4g} after",
            f"the same with columns of unit length {before.angles:.4g} before, {after.angles:.4g} after",
            f"log-determinant {before.log_determinant:.4g} before, {after.log_determinant:.4g} after",
            f"{self.evaluations} evaluations from {self.starts} starts" + (", interrupted" * self.interrupted),
            str(self.limit_check),
            "used: " + ", ".join(f"{kind} {100 * share:.3g} %" for kind, share in self.shares.items() if share > 0),
            f"poorly excited: {len(self.weak)} of {self.base.rank} deviate by more than {limit} {measured}",
            *(f"  {one}" for one in self.weak[:LISTED_WEAK]),
            *([f"  and {len(self.weak) - LISTED_WEAK} more"] if len(self.weak) > LISTED_WEAK else []),
        ]
        return "\n".join(lines + self._unseen())

    def _unseen(self) -> list[str]:
        """Lines about what no motion shows."""
        turned = [one.name for one in self.hidden if one.kind == "gravity"]
        still = len(self.hidden) - len(turned)
        lines = [f"without effect in any motion: {still} parameters (symmetry, axes that nothing turns about)"]
        if turned:
            lines += [f"without effect as gravity points: {', '.join(turned)}"]
        return lines


def _numbers(quality: Quality) -> dict[str, object]:
    return {
        "condition": quality.condition,
        "condition_of_unit_columns": quality.angles,
        "log_determinant": quality.log_determinant,
        "singular_values": quality.singular_values.tolist(),
    }
