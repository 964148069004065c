"""Figure of what tracking costs: settings of a law as points, and the front of those that no other beats."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from parakin.plots.style import COLOURS, dressed, legend_below, readable_powers
from parakin.simulation import Sweep


def tradeoff_figure(sweep: Sweep, title: str = "") -> Figure:
    """Draw platform error against force noise or peak force, with its spread over the plants.

    The Pareto front is a line, the setting that is recommended a star.

    >>> settings = pk.simulation.bandwidth_settings(laws[0], (40.0, 80.0), (1.0,))
    >>> sweep = pk.simulation.sweep(robot, laws[0], reference, settings, (pk.simulation.Scenario(),))
    >>> pk.plots.tradeoff_figure(sweep).savefig("tradeoff.png")
    """
    figure = Figure(figsize=(7.0, 4.6), layout="constrained")
    axes: Any = figure.subplots()
    good = sweep.completed
    low, middle, high = 1e3 * sweep.error
    spread = np.stack([middle - low, high - middle])[:, good]
    axes.errorbar(
        sweep.cost[good],
        middle[good],
        yerr=spread,
        fmt="o",
        color=COLOURS[0],
        ecolor="0.75",
        markersize=4,
        label="settings",
    )
    front = [k for k in np.argsort(sweep.cost) if sweep.front[k]]
    axes.plot(
        sweep.cost[front], middle[front], "-o", color=COLOURS[1], markersize=6, linewidth=1.4, label="Pareto front"
    )
    if sweep.best is not None:
        axes.plot(
            sweep.cost[sweep.best],
            middle[sweep.best],
            "*",
            color=COLOURS[2],
            markersize=16,
            markeredgecolor="black",
            zorder=5,
            label=f"recommended: {sweep.settings[sweep.best]}",
        )
    scale = "log" if good.any() else "linear"
    axes.set(xscale=scale, yscale=scale, xlabel=f"{sweep.cost_name} [{sweep.unit}]")
    if good.any():
        readable_powers(axes.xaxis)
        readable_powers(axes.yaxis)
    dressed(axes, f"platform error, rms [m{sweep.summary.platform_unit}]: median, 5 to 95 %")
    axes.set_title(title, loc="left", fontsize=11)
    legend_below(figure, [axes])
    return figure
