"""Forces and powers of all actuators, one column a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed


def actuators_figure(motions: Mapping[str, tuple[Array, Array, Array]], names: Sequence[str]) -> Figure:
    """motions: name -> (t [s], forces (N, m) [N], powers (N, m) [W])."""
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    panels = np.reshape(figure.subplots(2, len(motions), sharex="col"), (2, -1))
    for column, (name, (t, *quantities)) in enumerate(motions.items()):
        for row, (values, label) in enumerate(zip(quantities, ("force [N]", "power [W]"), strict=True)):
            axes = panels[row, column]
            for k, actuator in enumerate(names):
                width = 3.4 - 2.4 * k / max(1, len(names) - 1)  # equal curves stay visible under each other
                style = {"color": COLOURS[k % len(COLOURS)], "linestyle": LINES[k % 2], "linewidth": width}
                axes.plot(t, values[:, k], label=actuator, **style)
            dressed(axes, label if column == 0 else "")
        panels[0, column].set_title(name, loc="left", fontsize=11)
        panels[1, column].set_xlabel("time [s]")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    for handle in handles:
        handle.set_linewidth(2.2)
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize=9, frameon=False)  # pyright: ignore[reportUnknownMemberType]
    return figure
