"""Figures of the study of [Ozgur2013]: operation counts, and what measurement noise does to computed torques."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, letter_panels, plain_powers

Pair = tuple[Array, Array]
"""One array computed from observed directions, and one computed from encoders."""
_LABELS = ("observed directions", "encoders")


def noise_figure(sizes: tuple[Array, Pair, Pair, float], poses: tuple[Array, Pair]) -> Figure:
    """Draw torque errors against the noise of angles along a circle, and against the angle between the forearms.

    sizes: (noise [rad], torque errors (seeds, noise) with exact rates, with rates from noisy angles, rms torque [N m])
    poses: (sine of the angle between the forearms, torque error per angle error [N m/rad])
    """
    figure = Figure(figsize=(7.4, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    noise, exact, derived, torque = sizes
    sine, gains = poses
    for k, label in enumerate(_LABELS):
        style = {"color": COLOURS[k], "marker": "os"[k], "markersize": 3.5}
        left.plot(1e3 * noise, exact[k].mean(axis=0), linewidth=1.8, label=label, **style)
        left.plot(1e3 * noise, derived[k].mean(axis=0), linewidth=1.4, linestyle=LINES[1], **style)
        for errors in (exact[k], derived[k]):
            ends = errors.min(axis=0), errors.max(axis=0)
            left.fill_between(1e3 * noise, *ends, color=COLOURS[k], alpha=0.3, linewidth=0)
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
    letter_panels((left, right))
    return figure


def operations_figure(counts: Mapping[str, Sequence[int | None]], labels: Sequence[str]) -> Figure:
    """Draw a row of points for each robot, on a logarithmic axis.

    counts: robot -> one number of operations for each label, None where there is none
    """
    figure = Figure(figsize=(7.0, 1.0 + 0.42 * len(counts)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(counts))[::-1]
    for k, label in enumerate(labels):
        there = [(values[k], place) for values, place in zip(counts.values(), places, strict=True)]
        shown = [(value, place) for value, place in there if value is not None]
        axes.plot(*zip(*shown, strict=True), "osD"[k], color=COLOURS[k], markersize=7, label=label)
        for value, place in shown:
            axes.annotate(f"{value:,}", (value, place), (0, 6), textcoords="offset points", ha="center", fontsize=7)
    axes.set_yticks(places, list(counts))
    axes.set_ylim(-0.6, len(counts) - 0.3)
    axes.set_xscale("log")
    plain_powers(axes.xaxis)
    axes.set_xlabel("operations (logarithmic)")
    dressed(axes, "")
    figure.legend(loc="outside lower center", ncols=len(labels), fontsize=8, frameon=False)
    return figure
