"""What is asked of a log, and what the log says about a robot."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field

import numpy as np

from parakin.errors import EstimationError
from parakin.identification.bodies.consistent import Consistent
from parakin.identification.fit.estimate import Estimate
from parakin.identification.fit.moments import EVERY_ROW, Cut
from parakin.identification.identifying.validation import Validation
from parakin.identification.logs.column_map import ColumnMap
from parakin.identification.preparation.options import Preparation
from parakin.identification.preparation.prepared import Report
from parakin.robot import Robot

HEADER = ("parameter", "unit", "estimate", "std", "prior", "assessment", "reason")
"""Columns of the table of parameters, in CSV, JSON and the report."""


@dataclass(frozen=True)
class Question:
    """What is asked of a log.

    >>> question = pk.identification.Question(shared=True, method="robust")
    >>> pk.identification.identify(robot, path, question).estimate.method
    'robust'
    """

    columns: ColumnMap = field(default_factory=ColumnMap)
    """Which column of the log is which signal."""
    model: str = "base"
    """What is estimated: "base" for all base parameters, "nacelle" for those of [Vivas2003]."""
    shared: bool = False
    """Whether identical legs have the same bodies; friction and rotors are always each leg's own."""
    method: str = "weighted"
    """How residuals are weighed, one of `estimate.METHODS`."""
    cut: Cut = EVERY_ROW
    """How the states are averaged and cut into segments."""
    average_periods: bool = False
    """Whether the log is averaged over whole periods first, of `cut.period` or of a period that is searched for."""
    reversals: float | None = None
    """Time left out on either side of a reversal of friction [s]; None takes what the cut-off asks for, but
    leaves half of the states in, which count less by their residuals."""
    preparation: Preparation = field(default_factory=Preparation)
    """How the log becomes states."""
    write_anyway: bool = False
    """Whether a robot is made of the estimate even where something speaks against it."""

    def __post_init__(self) -> None:
        if self.reversals is not None and not 0 <= self.reversals < np.inf:
            raise EstimationError("question", "reversals", f"must be finite and >= 0 s, got {self.reversals:g}")


@dataclass(frozen=True, eq=False)
class Identification:
    """What a log says about a robot."""

    robot: Robot
    """The robot as its file describes it, which is the prior."""
    question: Question
    """What was asked."""
    report: Report
    """What was found in the log and done to it."""
    estimate: Estimate
    """The parameters, with an assessment of each.

    They are estimated beside forces that many machines have and the model does not (a cable, an offset of the force,
    Stribeck friction); its `solution`, and the robot that is made of it, are without those."""
    essential: tuple[str, ...]
    """Names of the parameters that are left by backward elimination."""
    physical: Consistent | None
    """Parameters of real bodies; None where the model has no bodies or the data are not to be trusted."""
    identified: Robot | None
    """The robot with these parameters; None where there are none."""
    refused: str
    """What speaks against an identified robot, so that there is none unless it was asked for; "" if nothing does."""
    validation: Validation
    """Measured and predicted forces."""
    independent: bool
    """Whether the validation is on another log."""
    notes: tuple[str, ...]
    """How the data were used, and what to bear in mind, in sentences."""

    @property
    def counts(self) -> str:
        """How many parameters are identified, weak, impossible and not identifiable, and how many are essential."""
        kinds = [assessment.kind for assessment in self.estimate.assessments]
        order = ("identified", "weak", "impossible", "not identifiable")
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in order if kind in kinds)
        return f"{counted}; {len(self.essential)} of {len(kinds)} are essential"

    @property
    def made(self) -> str:
        """What became of the robot file, in a sentence."""
        if self.physical is None:
            return f"no robot file: {self.refused}"
        asked = f"identified.toml is written as asked, although {self.refused}; " if self.refused else ""
        distance = f"{self.physical.distance:.2f} standard deviations from the estimate"
        bodies = f"parameters of real bodies, as close to the robot file as the log allows, {distance}"
        return f"{asked}identified.toml: {bodies}"

    @property
    def validated(self) -> str:
        """On which log the forces were compared, in words."""
        return "on another log" if self.independent else "on the same log, which flatters"

    @property
    def headline(self) -> str:
        """The force error before and after, against the noise, in one line."""
        return f"force error {self.validated}: {self.validation.headline}"

    def __str__(self) -> str:
        log = [self.headline, "", str(self.report), *self.notes, ""]
        said = [str(self.estimate), "", self.counts, self.made, ""]
        return "\n".join([*log, *said, f"{self.validated}: {self.validation}"])

    def rows(self) -> list[tuple[str, str, str, str, str, str, str]]:
        """Return the rows of the table of parameters as text, with the columns of HEADER.

        >>> found = pk.identification.identify(robot, path, pk.identification.Question())
        >>> len(found.rows()) == len(found.estimate.names)
        True
        """
        e = self.estimate
        return [
            (name, unit, _number(value), _number(std), _number(prior), assessment.kind, assessment.reason)
            for name, unit, value, std, prior, assessment in zip(
                e.names, e.units, e.values.tolist(), e.std.tolist(), e.prior.tolist(), e.assessments, strict=True
            )
        ]

    def table_csv(self) -> str:
        """Return the table of parameters as CSV.

        >>> found = pk.identification.identify(robot, path, pk.identification.Question())
        >>> found.table_csv().splitlines()[0]
        'parameter,unit,estimate,std,prior,assessment,reason'
        """
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(self.rows())
        return stream.getvalue()

    def as_dict(self) -> dict[str, object]:
        """Return everything that was found, for JSON.

        >>> found = pk.identification.identify(robot, path, pk.identification.Question())
        >>> sorted(found.as_dict())[:3]
        ['biased', 'condition', 'damage']
        """
        return {
            "headline": self.headline,
            "robot": self.robot.name,
            "log": self.report.file,
            "states": self.report.states,
            "damage": [str(damage) for damage in self.report.damage],
            "notes": list(self.notes),
            "method": self.estimate.method,
            "condition": self.estimate.condition,
            "biased": self.estimate.biased,
            "force_delay": {
                "rows": self.report.timing.delay,
                "std": self.report.timing.std,
                "origin": self.report.timing.origin,
            },
            "parameters": [self._entry(k) for k in range(len(self.estimate.names))],
            "essential": list(self.essential),
            "validation": {
                "independent": self.independent,
                "states": self.validation.states,
                "prior_rms": dict(zip(self.validation.actuators, self.validation.prior_rms.tolist(), strict=True)),
                "noise": dict(zip(self.validation.actuators, self.validation.noise.tolist(), strict=True)),
                "rms": dict(zip(self.validation.actuators, self.validation.rms.tolist(), strict=True)),
                "percent": dict(zip(self.validation.actuators, self.validation.percent.tolist(), strict=True)),
                "residual": dict(zip(self.validation.actuators, self.validation.words, strict=True)),
            },
            "robot_file": self.identified is not None,
            "refused": self.refused,
        }

    def _entry(self, k: int) -> dict[str, str | float]:
        e = self.estimate
        numbers = (float(e.values[k]), float(e.std[k]), float(e.prior[k]))
        assessment = e.assessments[k]
        return dict(zip(HEADER, (e.names[k], e.units[k], *numbers, assessment.kind, assessment.reason), strict=True))


def _number(value: float) -> str:
    """The number as text; "" where nothing is known."""
    return f"{value:.6g}" if np.isfinite(value) else ""
