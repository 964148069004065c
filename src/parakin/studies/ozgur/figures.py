"""Figures of the study of [Ozgur2013]: operation counts, and what measurement noise does to computed torques."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, plain_powers

Pair = tuple[Array, Array]
"""One array computed from observed directions, and one computed from encoders."""
_LABELS = ("observed directions", "encoders")


def noise_figure(sizes: tuple[Array, Pair, Pair, float], poses: tuple[Array, Pair]) -> Figure:
    """Draw torque errors against the noise of angles along a circle, and against the angle between the forearms.

    sizes: (noise [rad], rms torque errors with exact rates, with rates taken from noisy angles, rms torque [N m])
    poses: (sine of the angle between the forearms, torque error per angle error [N m/rad])
    """
    figure = Figure(figsize=(7.4, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    noise, exact, derived, torque = sizes
    sine, gains = poses
    for k, label in enumerate(_LABELS):
        style = {"color": COLOURS[k], "marker": "os"[k], "markersize": 3.5}
        left.plot(1e3 * noise, exact[k], linewidth=1.8, label=label, **style)
        left.plot(1e3 * noise, derived[k], linewidth=1.4, linestyle=LINES[1], **style)
        right.plot(sine, gains[k], linewidth=1.8, label=label, **style)
    left.axhline(torque, color="0.4", linewidth=1.0, linestyle=LINES[3])
    left.text(1e3 * noise[0], 1.2 * torque, "rms torque", fontsize=8, color="0.3")
    left.plot([], [], color="0.3", linewidth=1.4, linestyle=LINES[1], label="rates from noisy angles")
    left.set_xlabel("noise of each angle [mrad]")
    dressed(left, "rms torque error [N m]")
    right.set_xlabel("sine between the forearms")
    dressed(right, "torque error per angle error [N m/rad]")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
    left.legend(fontsize=8, frameon=False, loc="lower right")
    right.legend(fontsize=8, frameon=False)
    right.set_xticks([0.1, 0.2, 0.5, 1.0], ["0.1", "0.2", "0.5", "1"])
    return figure


def operations_figure(counts: Mapping[str, Sequence[int]], labels: Sequence[str]) -> Figure:
    """Draw a group of bars for each robot. counts: robot -> one number of operations for each label."""
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
