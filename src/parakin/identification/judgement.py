"""The whole way: a log is checked, parameters are estimated and judged, a robot file is made of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parakin.identification.column_map import ColumnMap
from parakin.identification.consistent import Consistent, consistent
from parakin.identification.essential import essential
from parakin.identification.estimate import Estimate, estimate
from parakin.identification.identified import with_parameters
from parakin.identification.linear import base_model, nacelle_model
from parakin.identification.log_source import open_log
from parakin.identification.moments import WHOLE, Cut
from parakin.identification.preparation import Preparation, Report, prepare
from parakin.identification.validation import Validation, validate
from parakin.robot import Robot


@dataclass(frozen=True)
class Question:
    """What is asked of a log. model: "base" or "nacelle"; the rest as in `prepare` and `estimate`."""

    columns: ColumnMap = field(default_factory=ColumnMap)
    model: str = "base"
    shared: bool = False
    method: str = "weighted"
    cut: Cut = WHOLE
    preparation: Preparation = field(default_factory=Preparation)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a log says about a robot.

    essential: names of the parameters that are left by backward elimination; physical, identified: parameters of real
    bodies and the robot with them, None where the model has no bodies or the data are not to be trusted, which
    `refused` then says. independent: was it validated on another log?
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

    def __str__(self) -> str:
        kinds = [verdict.kind for verdict in self.estimate.verdicts]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        lines = [str(self.report), "", str(self.estimate), "", f"{counts}; {len(self.essential)} are essential"]
        if self.physical is not None:
            distance = f"{self.physical.distance:.2f} standard deviations from the measured"
            lines.append(f"parameters of real bodies, {distance}: identified.toml")
        if self.refused:
            lines.append(f"no robot file: {self.refused}")
        lines += [
            "",
            "on another log:" if self.independent else "on the same log, which flatters:",
            str(self.validation),
        ]
        return "\n".join(lines)

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
            "method": self.estimate.method,
            "condition": self.estimate.condition,
            "biased": self.estimate.biased,
            "parameters": [dict(zip(HEADER, row, strict=True)) for row in self.rows()],
            "essential": list(self.essential),
            "validation": {
                "independent": self.independent,
                "states": self.validation.states,
                "rms": dict(zip(self.validation.actuators, self.validation.rms.tolist(), strict=True)),
                "percent": dict(zip(self.validation.actuators, self.validation.percent.tolist(), strict=True)),
                "white": not bool(self.validation.whiteness.structured.any()),
            },
            "robot_file": self.identified is not None,
            "refused": self.refused,
        }


HEADER = ("parameter", "unit", "estimate", "std", "prior", "verdict", "reason")


def _number(value: float) -> str:
    return f"{value:.6g}"


def judge(
    robot: Robot,
    log: str | Path,
    question: Question,
    validation: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> Judgement:
    """Check, estimate, validate; robot: the prior, which a better file is made from."""
    say = progress or _silent
    say(f"{robot.name}: checking {log}")
    data = prepare(robot, open_log(robot, log, question.columns), question.preparation)
    other = data
    if validation is not None:
        say(f"{robot.name}: checking {validation}")
        other = prepare(robot, open_log(robot, validation, question.columns), question.preparation)
    say(f"{robot.name}: model")
    model = nacelle_model(robot) if question.model == "nacelle" else base_model(robot, shared=question.shared)

    def told(rows: int) -> None:
        say(f"{robot.name}: {rows:,} of {data.report.states:,} states")

    found = estimate(model, data, method=question.method, cut=question.cut, progress=told)
    say(f"{robot.name}: judging")
    physical, identified, refused = None, None, found.biased
    if model.base is None:
        refused = refused or "the simplified model has no bodies"
    elif not refused:
        physical = consistent(found)
        identified = with_parameters(robot, physical.parameters, f"identified from {Path(log).name}")
    return Judgement(
        robot,
        question,
        data.report,
        found,
        tuple(found.names[k] for k in essential(found).kept),
        physical,
        identified,
        refused,
        validate(model, found.values, other),
        validation is not None,
    )


def _silent(text: str) -> None:
    del text
