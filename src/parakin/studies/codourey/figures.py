"""Figures of the study of [Codourey1997]: what lumping costs, and how adaptation goes."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, letter_panels, plain_powers

_MARKERS = "os^vD<>P"


def loss_figure(curves: Mapping[str, tuple[Array, Array, Array]], masses: tuple[Array, Array], limit: float) -> Figure:
    """Draw the torque error of the lumped model against acceleration, and against the mass of the forearms.

    curves: name -> (acceleration [m/s^2], rms error, largest error [% of the rms torque])
    masses: (factors on the forearms' mass, largest rms error [%]); a dashed line at the limit [%]
    """
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[2.2, 1.0])
    for k, (name, (acceleration, typical, largest)) in enumerate(curves.items()):
        left.plot(acceleration, largest, color=COLOURS[k], linestyle=LINES[1], linewidth=1.4)
        left.plot(acceleration, typical, color=COLOURS[k], linewidth=2.0, label=name)
    left.plot([], [], color="0.3", linewidth=2.0, label="rms")
    left.plot([], [], color="0.3", linestyle=LINES[1], linewidth=1.4, label="largest")
    left.set_xscale("log")
    plain_powers(left.xaxis)
    left.set_ylim(bottom=0.0)
    left.set_xlabel("acceleration [m/s²]")
    dressed(left, "torque error [% of rms torque]")
    left.legend(fontsize=8, frameon=False, loc="upper left")
    right.plot(*masses, color=COLOURS[0], marker="o", markersize=4)
    right.axhline(limit, color="0.3", linewidth=1.0, linestyle=LINES[1])
    right.set_xscale("log", base=2)
    right.set_xticks(masses[0], [f"{mass:g}" for mass in masses[0]])
    right.set_ylim(bottom=0.0)
    right.set_xlabel("forearm mass [of the file's]")
    dressed(right, "largest rms torque error [%]")
    letter_panels((left, right))
    return figure


def robots_figure(values: Mapping[str, float], limit: float, label: str) -> Figure:
    """Draw one bar for each robot, in another colour from `limit` on, and a dashed line at the limit."""
    figure = Figure(figsize=(6.4, 0.7 + 0.26 * len(values)), layout="constrained")
    axes = figure.subplots()
    names = list(values)[::-1]
    heights = [values[name] for name in names]
    bars = axes.barh(names, heights, color=[COLOURS[0] if h < limit else COLOURS[1] for h in heights], height=0.65)
    axes.bar_label(
        bars, fmt="%.1f", padding=3, fontsize=8, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    )
    axes.axvline(limit, color="0.3", linewidth=1.0, linestyle=LINES[1])
    dressed(axes, "")
    axes.grid(visible=False, axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)
    axes.set_xlabel(label)
    return figure


def adaptation_figure(
    names: Sequence[str], t: Array, wrong: Array, paths: Sequence[tuple[Array, Array]], title: str = ""
) -> Figure:
    """Draw the errors of the parameters above, and the tracking errors with and without adaptation below.

    t (N,) [s]: the middle of each period of the excitation
    wrong (N + 1, parameters) [% of rms torque]: mean parameter errors by period, after those at t = 0
    paths: for each seed the distance to the reference by period [mm], with adaptation and without
    """
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True)
    begun = np.concatenate([[0.0], t])
    for k, name in enumerate(names):
        style = {"color": COLOURS[k % len(COLOURS)], "marker": _MARKERS[k % len(_MARKERS)]}
        shown = np.where(wrong[:, k] > 0.0, wrong[:, k], np.nan)  # a parameter may begin with its true value, zero
        top.plot(begun, shown, linewidth=1.3, markersize=3, label=name, **style)
    top.set_title(title, loc="left", fontsize=11)
    dressed(top, "parameter error\n[% of rms torque]")
    for column, colour, line, label in ((1, COLOURS[1], LINES[1], "left wrong"), (0, COLOURS[0], LINES[0], "adapted")):
        values = np.array([path[column] for path in paths])
        bottom.fill_between(t, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.2, linewidth=0)
        bottom.plot(t, values[0], color=colour, linestyle=line, linewidth=1.8, label=label)
    bottom.fill_between([], [], color="0.5", alpha=0.3, linewidth=0, label=f"{len(paths)} seeds")
    bottom.set_xlim(0.0, float(t[-1]))
    bottom.set_xlabel("time [s]")
    dressed(bottom, "distance to the\nreference [mm rms]")
    for axes in (top, bottom):
        axes.set_yscale("log")
        low, high = (np.log10(limit) for limit in axes.get_ylim())
        axes.set_ylim(10 ** np.floor(low + 0.2), 10 ** max(high, np.ceil(high - 0.2)))
        plain_powers(axes.yaxis)
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    letter_panels((top, bottom))
    return figure
