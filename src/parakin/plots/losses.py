"""What a simplified model costs: against acceleration, against the mass it leaves out, robot by robot."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, plain_powers


def loss_figure(curves: Mapping[str, tuple[Array, Array, Array]], masses: tuple[Array, Array]) -> Figure:
    """curves: name -> (acceleration [m/s^2], rms and largest error [%]); masses: (times the mass, rms error [%])."""
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
    right.set_xscale("log", base=2)
    right.set_xticks(masses[0], [f"{mass:g}" for mass in masses[0]])
    right.set_ylim(bottom=0.0)
    right.set_xlabel("forearm mass [of the file's]")
    dressed(right, "rms torque error [%]")
    return figure


def robots_figure(values: Mapping[str, float], limit: float, label: str) -> Figure:
    """A bar for each robot, and the limit that is called small."""
    figure = Figure(figsize=(6.4, 0.7 + 0.26 * len(values)), layout="constrained")
    axes = figure.subplots()
    names = list(values)[::-1]
    heights = [values[name] for name in names]
    bars = axes.barh(names, heights, color=[COLOURS[0] if h < limit else COLOURS[1] for h in heights], height=0.65)
    axes.bar_label(bars, fmt="%.1f", padding=3, fontsize=8)
    axes.axvline(limit, color="0.3", linewidth=1.0, linestyle=LINES[1])
    dressed(axes, "")
    axes.grid(visible=False, axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)
    axes.set_xlabel(label)
    return figure
