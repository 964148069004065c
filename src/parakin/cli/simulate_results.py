"""The results of `parakin simulate` as files, as text, and for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from parakin.cli.outputs import aligned

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from parakin.robot import Robot
    from parakin.simulation import Comparison, Log, Summary

REPORT = "report.html"
"""Name of the page that is written."""
SATURATED = 0.2
"""Share of the time at a force limit from which a run is no longer the law's doing, and a remark is printed."""


@dataclass(frozen=True, eq=False)
class Result:
    """What a simulation or a comparison leaves: files, a summary for programs, and one for the terminal."""

    logs: Mapping[str, Log]
    """The logs, by the names of their files without suffix."""
    figures: Mapping[str, Figure]
    """The figures, by the names of their files without suffix."""
    data: Mapping[str, object]
    """The summary for --json."""
    text: str
    """The summary for the terminal and the report."""
    failures: tuple[str, ...] = ()
    """A line for each run that failed: how, and when."""
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further files, by their names: the gains of compared laws."""

    def write(self, place: Path, form: str, robot: Robot, title: str) -> list[str]:
        """Write logs in this format, figures, report.html and texts into `place`; return the names of the files."""
        from parakin.cli.draw import picture_of
        from parakin.plots.files import png
        from parakin.plots.simulation_report import report_of
        from parakin.simulation import write_log

        written = [write_log(place / f"{name}.{form}", log).name for name, log in self.logs.items()]
        pictures = {name: png(figure) for name, figure in self.figures.items()}
        for name, content in pictures.items():
            (place / f"{name}.png").write_bytes(content)
            written.append(f"{name}.png")
        page = report_of(title, (picture_of(robot), f"{robot.name} at home"), self.text, pictures)
        (place / REPORT).write_text(page, encoding="utf-8")
        for name, text in self.texts.items():
            (place / name).write_text(text, encoding="utf-8", newline="\n")
        return [*written, REPORT, *self.texts]


def of_one(robot: Robot, log: Log, title: str) -> Result:
    """Return the result of one run."""
    from parakin.plots import force_figure, tracking_figure
    from parakin.plots.tracking import mark_failure, until_failure

    unit = ", ".join(sorted(set(robot.actuator_units)))
    summary = log.summary()
    forces = force_figure(log.t, until_failure(log, "tau"), robot.actuator_names, unit, title=title)
    mark_failure(forces.axes, log)
    figures = {"forces": forces, "errors": tracking_figure(log, title)}
    merit = {"actuators": summary.actuators} | summary.arrays() | {"status": log.status.name.lower()}
    beyond = [asdict(entry) for entry in log.beyond]
    data = {"failed": bool(summary.failure), "summary": merit, "beyond": beyond}
    failures = (summary.failure,) if summary.failure else ()
    return Result({"log": log}, figures, data, _told_one(summary), failures)


def _told_one(summary: Summary) -> str:
    worst = int(summary.saturation.argmax())
    if summary.saturation[worst] > SATURATED:
        share = f"{summary.actuators[worst]} is at its force limit for {summary.saturation[worst]:.0%} of the time"
        return f"{summary}\n{share}: the motion asks too much (see `parakin forces`), or the loop is not stable"
    return str(summary)


def of_several(comparison: Comparison, title: str) -> Result:
    """Return the result of several laws compared along one motion."""
    from parakin.control.gains_file import gains_text
    from parakin.plots import comparison_figure, law_forces_figure

    figures = {"errors": comparison_figure(comparison.logs, title), "forces": law_forces_figure(comparison.logs, title)}
    data = {
        "rule": comparison.rule,
        "target": comparison.target,
        "integral": comparison.integral,
        "laws": comparison.rows(),
        "left_out": [
            {"law": name, "reached": one.reached, "bandwidth": one.bandwidth, "reason": one.reason}
            for name, one in comparison.left_out.items()
        ],
    }
    logs = {f"log_{name}": log for name, log in comparison.logs.items()}
    failures = tuple(f"{name} {log.summary().failure}" for name, log in comparison.logs.items() if log.ran < len(log))
    source = f"parakin simulate --compare, {title}: {comparison.said}"
    gains = {f"gains_{name}.toml": gains_text(one.law, source) for name, one in comparison.contestants.items()}
    return Result(logs, figures, data, told(comparison, failures), failures, gains)


SHOWN = {
    "error_rms": ("actuator rms", 1e3),
    "error_peak": ("peak", 1e3),
    "distance_rms": ("platform rms", 1e3),
    "distance_peak": ("peak", 1e3),
    "angle_rms": ("platform rms", 1e3),
    "angle_peak": ("peak", 1e3),
    "force_rms": ("force rms", 1.0),
    "force_noise": ("noise", 1.0),
    "gain_margin": ("gain margin", 1.0),
    "delay_margin": ("delay", 1e3),
}
"""Column of a comparison -> its heading, and the factor from its unit to the one shown."""


def told(comparison: Comparison, failures: tuple[str, ...] = ()) -> str:
    """Return a comparison as text, in small units."""
    lines = [*failures, *(f"{name} is left out: it {error.reason}" for name, error in comparison.left_out.items())]
    lines.append(f"{comparison.said}.")
    slides = any(math.isfinite(float(row["distance_peak"])) for row in comparison.rows())
    shown = {name: entry for name, entry in SHOWN.items() if not name.startswith("angle" if slides else "distance")}
    platform = "mm" if slides else "mrad"
    lines.append(f"Worst actuator, mrad or mm; platform, {platform}; forces, N or N m; delay margin, ms.")
    rows: list[list[str]] = []
    for row in comparison.rows():
        numbers = [f"{float(row[name]) * factor:.4g}" for name, (_, factor) in shown.items()]
        rows.append([str(row["law"]), *numbers, str(row["ending"])])
    return "\n".join([*lines, aligned(["law", *(head for head, _ in shown.values()), "ending"], rows)])
