"""Operation counts side by side."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.plots.style import COLOURS, dressed, plain_powers


def operations_figure(counts: Mapping[str, Sequence[int]], labels: Sequence[str]) -> Figure:
    """counts: robot -> one for each label."""
    figure = Figure(figsize=(7.0, 0.9 + 0.55 * len(counts)), layout="constrained")
    axes = figure.subplots()
    places, width = np.arange(len(counts))[::-1], 0.8 / len(labels)
    for k, label in enumerate(labels):
        heights = [values[k] for values in counts.values()]
        bars = axes.barh(places - (k - (len(labels) - 1) / 2) * width, heights, width, color=COLOURS[k], label=label)
        axes.bar_label(bars, fmt="{:,.0f}", padding=3, fontsize=7)
    axes.set_yticks(places, list(counts))
    axes.set_xscale("log")
    every = [value for values in counts.values() for value in values]
    axes.set_xlim(0.5 * min(every), 1.8 * max(every))
    plain_powers(axes.xaxis)
    axes.set_xlabel("operations")
    dressed(axes, "")
    axes.grid(visible=False, axis="y")
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=len(labels), fontsize=8, frameon=False)
    return figure
