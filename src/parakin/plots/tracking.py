"""Figure of the tracking errors of a run, and what figures with panels over one axis of time share."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, dressed, legend_below, lines_of, mark_stop

if TYPE_CHECKING:
    from parakin.simulation import Log

SMALL = {"rad": ("mrad", 1e3), "m": ("mm", 1e3)}
"""Unit of a log -> unit of errors in figures, and the factor to it."""


def tracking_figure(log: Log, title: str = "") -> Figure:
    """Draw the errors desired_q - q of the actuators, one panel for each unit; below, those of the platform.

    The curves of a run that failed end there, and the rest is marked.

    >>> pk.plots.tracking_figure(logs["pid"], "PID").savefig("tracking.png")
    """
    error, t, ran = log["desired_q"] - log["q"], log.t[: log.ran], log.ran
    actuators = [column for column in log.columns if column.quantity == "q"]
    units = list(dict.fromkeys(column.unit for column in actuators))
    platform = platform_panels(log)
    figure, panels = stacked(len(units) + len(platform), title)
    for axes, unit in zip(panels, units, strict=False):
        name, factor = SMALL[unit]
        chosen = [k for k, column in enumerate(actuators) if column.unit == unit]
        styles = lines_of(error[:ran, chosen])
        for k, style in zip(chosen, styles, strict=True):
            style["color"] = COLOURS[k % len(COLOURS)]
            axes.plot(t, factor * error[:ran, k], label=actuators[k].part, **style)
        dressed(axes, f"actuator error [{name}]")
    for axes, (label, values) in zip(panels[len(units) :], platform.items(), strict=True):
        axes.plot(t, values[:ran], color=COLOURS[6], linewidth=1.2)
        dressed(axes, label)
    finish(panels, log.t)
    mark_failure(panels, log)
    legend_below(figure, panels[: len(units)])
    return figure


def until_failure(log: Log, quantity: str) -> Array:
    """Return a quantity of a log (ticks, k) with NaN, which is not drawn, from where the run failed."""
    values = log[quantity].copy()
    values[log.ran :] = np.nan
    return values


def mark_failure(panels: Sequence[Axes], log: Log) -> None:
    """Mark in all panels where a run failed, if it did; the first panel says how."""
    if log.ran == len(log):
        return
    time = float(log.t[log.ran])
    for k, axes in enumerate(panels):
        mark_stop(axes, time, f"failed at {time:.4g} s: {log.status.name.lower()}" if k == 0 else "")


def platform_panels(log: Log) -> dict[str, Array]:
    """Return label -> error of the platform over time (ticks,): distance where it slides, angle where it turns."""
    errors = log.platform_errors
    panels = {"platform error [mm]": 1e3 * errors[:, 0]} if log.kind.slides else {}
    if log.turns:
        panels["platform error [mrad]"] = 1e3 * errors[:, 1]
    return panels


def stacked(count: int, title: str) -> tuple[Figure, list[Axes]]:
    """Return a figure of so many panels over one axis of time, with a title above the first."""
    figure = Figure(figsize=(7.0, 1.0 + 1.7 * count), layout="constrained")
    panels = list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])
    panels[0].set_title(title, loc="left", fontsize=11)
    return figure, panels


def finish(panels: list[Axes], t: Array) -> None:
    """Label the axis of time below the last panel, and let it span t [s]."""
    panels[-1].set_xlabel("time [s]")
    panels[-1].set_xlim(float(t[0]), float(t[-1]))
