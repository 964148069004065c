"""What `parakin simulate` found: as files, as text, and for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from parakin.cli.outputs import aligned

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from parakin.robot import Robot
    from parakin.simulation import Comparison, Log


@dataclass(frozen=True, eq=False)
class Result:
    """Logs and figures by the names of their files; data: the summary; show: prints it."""

    logs: Mapping[str, Log]
    figures: Mapping[str, Figure]
    data: dict[str, Any]
    show: Callable[[], None]

    def write(self, place: Path, form: str) -> list[str]:
        """The names of the files."""
        from parakin.plots.files import png
        from parakin.simulation import write_log

        written = [write_log(place / f"{name}.{form}", log).name for name, log in self.logs.items()]
        for name, figure in self.figures.items():
            (place / f"{name}.png").write_bytes(png(figure))
            written.append(f"{name}.png")
        return written


def of_one(robot: Robot, log: Log, title: str) -> Result:
    from parakin.plots import force_figure, tracking_figure

    unit = ", ".join(sorted(set(robot.actuator_units)))
    summary = log.summary()
    figures = {
        "forces": force_figure(log.t, log["tau"], robot.actuator_names, unit, title=title),
        "errors": tracking_figure(log, title),
    }
    data = {"summary": vars(summary) | {"status": log.status.name.lower()}}
    return Result({"log": log}, figures, data, lambda: typer.echo(str(summary)))


def of_several(found: Comparison, title: str) -> Result:
    from parakin.plots import comparison_figure, law_forces_figure

    figures = {"errors": comparison_figure(found.logs, title), "forces": law_forces_figure(found.logs, title)}
    data = {"rule": found.rule, "target": found.target, "integral": found.integral, "laws": found.rows()}
    return Result({f"log_{name}": log for name, log in found.logs.items()}, figures, data, lambda: _show(found))


SHOWN = {
    "error_rms": ("actuator rms", 1e3),
    "error_peak": ("peak", 1e3),
    "distance_rms": ("platform rms", 1e3),
    "distance_peak": ("peak", 1e3),
    "force_rms": ("force rms", 1.0),
    "force_noise": ("noise", 1.0),
    "gain_margin": ("gain margin", 1.0),
    "delay_margin": ("delay", 1e3),
}
"""Column of a comparison -> its heading, and how many of the unit shown make one."""


def _show(found: Comparison) -> None:
    typer.echo(f"{found.said}.")
    typer.echo("Worst actuator, mrad or mm; platform, mm; forces, N or N m; delay margin, ms.")
    rows: list[list[str]] = []
    for row in found.rows():
        numbers = [f"{float(row[name]) * factor:.4g}" for name, (_, factor) in SHOWN.items()]
        rows.append([str(row["law"]), *numbers, str(row["ending"])])
    typer.echo(aligned(["law", *(head for head, _ in SHOWN.values()), "ending"], rows))
