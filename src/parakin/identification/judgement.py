"""What is asked of a log, and what it says about a robot."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from parakin.errors import EstimationError
from parakin.identification.column_map import ColumnMap
from parakin.identification.consistent import Consistent
from parakin.identification.estimate import Estimate
from parakin.identification.moments import WHOLE, Cut
from parakin.identification.preparation import Preparation, Report
from parakin.identification.validation import Validation
from parakin.robot import Robot


@dataclass(frozen=True)
class Question:
    """What is asked of a log.

    model: "base" or "nacelle". average_periods: the log is averaged over whole periods first (cut.period, or what is
    found). reversals [s]: states nearer to one of friction are left out; by default as the cut-off has it. The rest is
    as in `prepare` and `estimate`.
    """

    columns: ColumnMap = field(default_factory=ColumnMap)
    model: str = "base"
    shared: bool = False
    method: str = "weighted"
    cut: Cut = WHOLE
    average_periods: bool = False
    reversals: float | None = None
    preparation: Preparation = field(default_factory=Preparation)

    def __post_init__(self) -> None:
        if self.reversals is not None and not 0 <= self.reversals < np.inf:
            raise EstimationError("question", "reversals", f"must be finite and >= 0 s, got {self.reversals:g}")


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a log says about a robot.

    essential: names of the parameters that are left by backward elimination; physical, identified: parameters of real
    bodies and the robot with them, None where the model has no bodies or the data are not to be trusted, which
    `refused` then says. independent: was it validated on another log? notes: how the data were used, in sentences, and
    what to bear in mind.
    """

    robot: Robot
    question: Question
    report: Report
    estimate: Estimate
    essential: tuple[str, ...]
    physical: Consistent | None
    identified: Robot | None
    refused: str
    validation: Validation
    independent: bool
    notes: tuple[str, ...]

    @property
    def counts(self) -> str:
        """How many parameters have which verdict."""
        kinds = [verdict.kind for verdict in self.estimate.verdicts]
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        return f"{counted}; {len(self.essential)} of {len(kinds)} are essential"

    @property
    def made(self) -> str:
        """What became of the robot file."""
        if self.physical is None:
            return f"no robot file: {self.refused}"
        distance = f"{self.physical.distance:.2f} standard deviations from the estimate"
        return f"identified.toml: parameters of real bodies, as close to the robot file as the log allows, {distance}"

    @property
    def validated(self) -> str:
        return "on another log" if self.independent else "on the same log, which flatters"

    def __str__(self) -> str:
        known = [str(self.report), *self.notes, "", str(self.estimate), "", self.counts, self.made, ""]
        return "\n".join([*known, f"{self.validated}: {self.validation}"])

    def rows(self) -> list[tuple[str, str, str, str, str, str, str]]:
        """Of the table: name, unit, estimate, standard deviation, prior, verdict, reason."""
        e = self.estimate
        return [
            (name, unit, _number(value), _number(std), _number(prior), verdict.kind, verdict.reason)
            for name, unit, value, std, prior, verdict in zip(
                e.names, e.units, e.values.tolist(), e.std.tolist(), e.prior.tolist(), e.verdicts, strict=True
            )
        ]

    def table_csv(self) -> str:
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(self.rows())
        return stream.getvalue()

    def as_dict(self) -> dict[str, Any]:
        return {
            "robot": self.robot.name,
            "log": self.report.file,
            "states": self.report.states,
            "findings": [str(finding) for finding in self.report.findings],
            "notes": list(self.notes),
            "method": self.estimate.method,
            "condition": self.estimate.condition,
            "biased": self.estimate.biased,
            "parameters": [self._entry(k) for k in range(len(self.estimate.names))],
            "essential": list(self.essential),
            "validation": {
                "independent": self.independent,
                "states": self.validation.states,
                "rms": dict(zip(self.validation.actuators, self.validation.rms.tolist(), strict=True)),
                "percent": dict(zip(self.validation.actuators, self.validation.percent.tolist(), strict=True)),
                "residual": dict(zip(self.validation.actuators, self.validation.whiteness.words, strict=True)),
            },
            "robot_file": self.identified is not None,
            "refused": self.refused,
        }

    def _entry(self, k: int) -> dict[str, Any]:
        e = self.estimate
        numbers = (float(e.values[k]), float(e.std[k]), float(e.prior[k]))
        verdict = e.verdicts[k]
        return dict(zip(HEADER, (e.names[k], e.units[k], *numbers, verdict.kind, verdict.reason), strict=True))


HEADER = ("parameter", "unit", "estimate", "std", "prior", "verdict", "reason")


def _number(value: float) -> str:
    """Empty where nothing is known."""
    return f"{value:.6g}" if np.isfinite(value) else ""
