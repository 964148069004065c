"""Adaptive control over time: parameters on their way, and what that does to the path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, plain_powers

MARKERS = "os^vD<>P"


def adaptation_figure(
    names: Sequence[str], t: Array, wrong: Array, errors: tuple[Array, Array], title: str = ""
) -> Figure:
    """Means over periods with their middle at t (N,) [s].

    wrong (N + 1, parameters) [% of rms torque], the first row at the beginning; errors: distance to the reference [mm]
    with adaptation and without.
    """
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True)
    begun = np.concatenate([[0.0], t])
    for k, name in enumerate(names):
        style = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        shown = np.where(wrong[:, k] > 0.0, wrong[:, k], np.nan)  # a parameter may begin with its true value, zero
        top.plot(begun, shown, linewidth=1.3, markersize=3, label=name, **style)
    top.set_title(title, loc="left", fontsize=11)
    dressed(top, "parameter error\n[% of rms torque]")
    styles = ((errors[1], COLOURS[1], LINES[1], "left wrong"), (errors[0], COLOURS[0], LINES[0], "adapted"))
    for values, colour, line, label in styles:
        bottom.plot(t, values, color=colour, linestyle=line, linewidth=1.8, label=label)
    bottom.set_xlim(0.0, float(t[-1]))
    bottom.set_xlabel("time [s]")
    dressed(bottom, "distance to the\nreference [mm rms]")
    for axes in (top, bottom):
        axes.set_yscale("log")
        low, high = (np.log10(limit) for limit in axes.get_ylim())
        axes.set_ylim(10 ** np.floor(low + 0.2), 10 ** max(high, np.ceil(high - 0.2)))
        plain_powers(axes.yaxis)
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
