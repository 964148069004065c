"""Several laws along one motion, and what tracking costs with settings of one law: those that no other beats."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from parakin.plots.style import COLOURS, FAILURE, LINES, dressed, legend_below, lines_of, readable_powers
from parakin.plots.tracking import SMALL, finish, mark_failure, platform_panels, stacked

if TYPE_CHECKING:
    from parakin.simulation import Log, Sweep


def comparison_figure(logs: Mapping[str, Log], title: str = "") -> Figure:
    """Draw the errors of several laws over time, one line for each law.

    There is a panel for the worst actuator of each unit, and one each for distance and angle of the platform. The line
    of a law that failed ends in a cross.

    >>> pk.plots.comparison_figure(logs, "two laws").savefig("errors.png")
    """
    first = next(iter(logs.values()))
    actuator_units = [column.unit for column in first.columns if column.quantity == "q"]
    units = list(dict.fromkeys(actuator_units))
    platform = list(platform_panels(first))
    figure, panels = stacked(len(units) + len(platform), title)
    for number, (name, log) in enumerate(logs.items()):
        style, ran = _style(number), log.ran
        if ran < len(log):
            style |= {"marker": "X", "markevery": [max(0, ran - 1)], "markersize": 9, "markeredgecolor": FAILURE}
        error = np.abs(log["desired_q"] - log["q"])[:ran]
        label = name if ran == len(log) else f"{name} (failed: {log.status.name.lower()})"
        for axes, unit in zip(panels, units, strict=False):
            chosen = [k for k, actuator_unit in enumerate(actuator_units) if actuator_unit == unit]
            axes.plot(log.t[:ran], SMALL[unit][1] * error[:, chosen].max(axis=1), label=label, **style)
        for axes, values in zip(panels[len(units) :], platform_panels(log).values(), strict=True):
            axes.plot(log.t[:ran], values[:ran], **style)
    for axes, label in zip(panels, [f"worst actuator [{SMALL[unit][0]}]" for unit in units] + platform, strict=True):
        dressed(axes, label)
    legend_below(figure, panels[:1])
    finish(panels, first.t)
    return figure


def law_forces_figure(logs: Mapping[str, Log], title: str = "") -> Figure:
    """Draw the forces that the drives gave, one panel for each law, all to one scale; failures are marked.

    >>> pk.plots.law_forces_figure(logs).savefig("forces_of_laws.png")
    """
    first = next(iter(logs.values()))
    actuators = [column for column in first.columns if column.quantity == "tau"]
    unit = ", ".join(dict.fromkeys(actuator.unit for actuator in actuators))
    figure, panels = stacked(len(logs), title)
    for axes, (name, log) in zip(panels, logs.items(), strict=True):
        axes.sharey(panels[0])
        tau = log["tau"][: log.ran]
        for k, (actuator, style) in enumerate(zip(actuators, lines_of(tau, 0.9), strict=True)):
            axes.plot(log.t[: log.ran], tau[:, k], label=actuator.part, **style)
        dressed(axes, f"{name}\n[{unit}]")
        axes.yaxis.label.set_fontsize(8)
    legend_below(figure, panels[:1])
    finish(panels, first.t)
    for axes, log in zip(panels, logs.values(), strict=True):
        mark_failure([axes], log)
    return figure


def _style(number: int) -> dict[str, Any]:
    """Return colour and line of a law, so that laws can be told apart in print."""
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)], "linewidth": 1.3}


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
