"""Tracking errors of a run: by actuator, and of the platform."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, dressed
from parakin.simulation import Log

SMALL = {"rad": ("mrad", 1e3), "m": ("mm", 1e3)}
"""Unit of a log -> unit of a figure, and how many of it."""


def tracking_figure(log: Log, title: str = "") -> Figure:
    """desired_q - q of every actuator, one panel a unit; below, distance and angle of the platform."""
    error = log["desired_q"] - log["q"]
    owners = [column for column in log.columns if column.quantity == "q"]
    units = list(dict.fromkeys(column.unit for column in owners))
    platform = platform_panels(log)
    figure, panels = stacked(len(units) + len(platform), title)
    for axes, unit in zip(panels, units, strict=False):
        name, factor = SMALL[unit]
        chosen = [k for k, column in enumerate(owners) if column.unit == unit]
        for place, k in enumerate(chosen):
            width = 2.2 - 1.2 * place / max(1, len(chosen) - 1)  # equal curves of a symmetric robot stay visible
            axes.plot(
                log.t, factor * error[:, k], color=COLOURS[k % len(COLOURS)], linewidth=width, label=owners[k].part
            )
        dressed(axes, f"actuator error [{name}]")
        axes.legend(ncols=min(4, len(chosen)), fontsize=8, frameon=False)
    for axes, (label, values) in zip(panels[len(units) :], platform.items(), strict=True):
        axes.plot(log.t, values, color=COLOURS[6], linewidth=1.2)
        dressed(axes, label)
    finish(panels, log.t)
    return figure


def platform_panels(log: Log) -> dict[str, Array]:
    """Label -> error of the platform over time; angles where it turns."""
    errors = log.platform_errors
    found = {"platform error [mm]": 1e3 * errors[:, 0]}
    if log.turns:
        found["platform error [mrad]"] = 1e3 * errors[:, 1]
    return found


def stacked(count: int, title: str) -> tuple[Figure, list[Any]]:
    """Panels over one axis of time."""
    figure = Figure(figsize=(7.0, 1.0 + 1.7 * count), layout="constrained")
    made: Any = figure.subplots(count, 1, sharex=True, squeeze=False)
    panels: list[Any] = list(made[:, 0])
    panels[0].set_title(title, loc="left", fontsize=11)
    return figure, panels


def below(figure: Any, axes: Any, count: int) -> None:
    """The legend of a panel under the whole figure, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    place = {"loc": "outside lower center", "ncols": min(4, count), "fontsize": 8, "frameon": False, "handlelength": 3}
    figure.legend(handles, labels, **place)


def finish(panels: list[Any], t: Array) -> None:
    panels[-1].set_xlabel("time [s]")
    panels[-1].set_xlim(float(t[0]), float(t[-1]))
