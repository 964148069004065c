"""What forces are for: platform, legs' weight, legs' inertia."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, plain_powers

PARTS = ("all", "platform", "weight of legs", "inertia of legs")


def parts_figure(motions: Mapping[str, tuple[Array, ...]], actuator: str) -> Figure:
    """motions: name -> (t [s], forces of an actuator [N]: all of it, and its PARTS)."""
    figure = Figure(figsize=(7.4, 2.9), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(motions), sharey=True))
    for axes, (name, (t, *values)) in zip(panels, motions.items(), strict=True):
        for k, (part, force) in enumerate(zip(PARTS, values, strict=True)):
            axes.plot(t, force, color=("0.2", *COLOURS)[k], linestyle=LINES[k], linewidth=1.8, label=part)
        axes.set_title(name, loc="left", fontsize=11)
        axes.set_xlabel("time [s]")
        dressed(axes, f"force of {actuator} [N]" if axes is panels[0] else "")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(PARTS), fontsize=9, frameon=False)  # pyright: ignore[reportUnknownMemberType]
    return figure


def shares_figure(times: Array, printed: Mapping[str, Array], uniform: Mapping[str, Array]) -> Figure:
    """Shares (times, 2) [%] of legs' inertia and of all that is the legs', by motion, over the time a motion takes."""
    figure = Figure(figsize=(7.4, 3.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for column, (axes, title) in enumerate(zip(panels, ("inertia of legs", "legs altogether"), strict=True)):
        for k, name in enumerate(printed):
            axes.plot(times, printed[name][:, column], color=COLOURS[k], linewidth=2.0, label=name)
            axes.plot(times, uniform[name][:, column], color=COLOURS[k], linewidth=1.4, linestyle=LINES[1])
        axes.plot([], [], color="0.3", linewidth=1.4, linestyle=LINES[1], label="uniform rods")
        axes.set_xscale("log")
        axes.set_xlim(times.max(), times.min())
        axes.set_xticks([3.0, 1.0, 0.3, 0.1])
        plain_powers(axes.xaxis)
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel("time for the motion [s]")
        axes.set_title(title, loc="left", fontsize=11)
        dressed(axes, "share of the forces, rms [%]" if column == 0 else "")
    panels[0].legend(fontsize=8, frameon=False, loc="upper left")
    return figure
