"""Figures of the study of [Vivas2003]: the two laws on a lift and under a load, who saturates, elastic drives."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, letter_panels

Bools = NDArray[np.bool_]
"""An array of truth values."""

_FINE, _WRONG, _ALWAYS = "0.93", COLOURS[4], COLOURS[1]


def pair_figure(t: Array, laws: Mapping[str, tuple[Array, Array]], actuators: Sequence[str]) -> Figure:
    """Draw joint errors above torques, one column for each law and one line for each actuator.

    laws: name -> (errors (N, actuators) [mrad], torques (N, actuators) [N m]) over t (N,) [s]
    Torques are noisy: only every fourth value is drawn.
    """
    figure = Figure(figsize=(6.6, 3.5), layout="constrained")
    panels = figure.subplots(2, len(laws), sharex=True, sharey="row")
    for column, (law, values) in enumerate(laws.items()):
        for row, label in enumerate(("joint error [mrad]", "torque [N m]")):
            axes = panels[row, column]
            for k, name in enumerate(actuators):
                style = {"linestyle": LINES[k], "linewidth": 1.4} if row == 0 else {"linewidth": 0.5}
                thin = slice(None, None, 4 if row else 1)
                axes.plot(t[thin], values[row][thin, k], color=COLOURS[k], label=name, **style)
            dressed(axes, label if column == 0 else "")
        panels[0, column].set_title(law, fontsize=10)
        panels[1, column].set_xlabel("time [s]")
    panels[0, 0].set_xlim(float(t[0]), float(t[-1]))
    letter_panels(panels.flat)
    lines, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, ncols=len(labels), fontsize=9, frameon=False, loc="outside upper center")
    return figure


def load_figure(t: Array, laws: Mapping[str, tuple[Array, Array]], actuators: Sequence[str], when: float) -> Figure:
    """Draw joint errors above torques, one column for each actuator and one line for each law.

    laws: name -> (errors (N, actuators) [mrad], torques (N, actuators) [N m]) over t (N,) [s]
    when [s]: the time at which the load comes, a dotted line
    """
    figure = Figure(figsize=(7.4, 4.0), layout="constrained")
    panels = figure.subplots(2, len(actuators), sharex=True, sharey="row")
    for k, name in enumerate(actuators):
        for row, label in enumerate(("joint error [mrad]", "torque [N m]")):
            axes = panels[row, k]
            axes.axvline(when, color="0.5", linewidth=0.9, linestyle=":")
            for m, (law, values) in enumerate(laws.items()):
                axes.plot(t, values[row][:, k], color=COLOURS[m], linewidth=1.2 if row == 0 else 0.8, label=law)
            dressed(axes, label if k == 0 else "")
        panels[0, k].set_title(name, fontsize=10)
        panels[1, k].set_xlabel("time [s]")
    panels[0, 0].set_xlim(float(t[0]), float(t[-1]))
    letter_panels(panels.flat)
    lines, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, ncols=len(labels), fontsize=9, frameon=False, loc="outside upper center")
    return figure


def mismatch_figure(
    maps: Mapping[str, tuple[Bools, Bools, Bools]], filters: Sequence[str], encoders: Sequence[str]
) -> Figure:
    """Draw a map of the cells in which drives saturate, one panel for each law.

    maps: law -> (saturates with some mismatch, saturates without any, unstable with the correct model); entries are
    ordered by filter, then encoder, then delay, the delay changing fastest
    """
    shape = len(filters), len(encoders), 2
    figure = Figure(figsize=(7.4, 4.4), layout="constrained")
    panels = figure.subplots(1, len(maps), sharey=True)

    def arranged(values: NDArray[np.generic]) -> NDArray[np.generic]:
        return values.reshape(shape).transpose(0, 2, 1).reshape(len(filters), -1)

    for axes, (law, (wrong, right, unstable)) in zip(panels, maps.items(), strict=True):
        kind = wrong.astype(int) + (wrong & right).astype(int)
        colours = ListedColormap([_FINE, _WRONG, _ALWAYS])
        axes.pcolormesh(arranged(kind), cmap=colours, vmin=0, vmax=2, edgecolor="white", lw=1.5)
        for row, column in np.argwhere(arranged(unstable)):
            axes.add_patch(Rectangle((column, row), 1, 1, fill=False, hatch="////", edgecolor="0.25", linewidth=0))
        axes.axvline(len(encoders), color="0.2", linewidth=1.2)
        axes.set_xticks(np.arange(2 * len(encoders)) + 0.5, [*encoders] * 2, fontsize=7.5, rotation=90)
        axes.set_yticks(np.arange(len(filters)) + 0.5, filters, fontsize=8.5)
        axes.set_title(law, fontsize=9.5, pad=16)
        for place, text in ((0.25, "no delay"), (0.75, "1 ms delay")):
            axes.text(place, 1.01, text, transform=axes.transAxes, ha="center", va="bottom", fontsize=8)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("encoder counts a turn", fontsize=9)
    panels[0].set_ylabel("filter of rates")
    letter_panels(panels)
    kinds = {"does not saturate": _FINE, "saturates with mismatch only": _WRONG, "saturates anyway": _ALWAYS}
    patches = [Patch(color=colour, label=text) for text, colour in kinds.items()]
    patches.append(Patch(facecolor="white", edgecolor="0.25", hatch="////", label="unstable with correct model"))
    figure.legend(handles=patches, ncols=2, fontsize=9, frameon=False, loc="outside upper center")
    return figure


def elastic_figure(hertz: Array, laws: Mapping[str, Array], needed: float) -> Figure:
    """Draw the largest stable gain of each law over the frequency of the elastic mode [Hz].

    needed: the gain that a robot half as heavy as its model asks for, a dotted line
    """
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    for k, (law, gain) in enumerate(laws.items()):
        axes.plot(hertz, gain, color=COLOURS[k], linestyle=LINES[k], marker="o", markersize=3.5, label=law)
    for value, text in ((1.0, "as modelled"), (needed, "robot half as heavy")):
        axes.axhline(value, color="0.4", linewidth=0.9, linestyle=":")
        axes.text(float(hertz[-1]), value, text, ha="right", va="bottom", fontsize=8, color="0.3")
    axes.set_xscale("log")
    ticks = [250, 300, 400, 500, 600, 800, 1000]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("elastic mode of motor and arm [Hz]")
    axes.set_ylim(bottom=0.0)
    dressed(axes, "largest stable gain")
    axes.legend(fontsize=9, frameon=False)
    return figure
