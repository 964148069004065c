"""Figures of the study of [Sinatra2009]: forces and powers of the actuators, and what the forces are for."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, letter_panels, plain_powers

_PARTS = ("all", "platform", "weight of legs", "inertia of legs")


def parts_figure(motions: Mapping[str, tuple[Array, ...]], actuator: str) -> Figure:
    """Draw the force of one actuator and the parts that it is the sum of, one panel for each motion.

    motions: name -> (t [s], the whole force, then what platform, legs' weight and legs' inertia ask for [N])
    """
    figure = Figure(figsize=(7.4, 2.9), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(motions), sharey=True))
    for axes, (name, (t, *values)) in zip(panels, motions.items(), strict=True):
        for k, (part, force) in enumerate(zip(_PARTS, values, strict=True)):
            axes.plot(t, force, color=("0.2", *COLOURS)[k], linestyle=LINES[k], linewidth=1.8, label=part)
        axes.set_title(name, loc="left", fontsize=11)
        axes.set_xlabel("time [s]")
        dressed(axes, f"force of {actuator} [N]" if axes is panels[0] else "")
    letter_panels(panels)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(_PARTS), fontsize=9, frameon=False)
    return figure


def shares_figure(times: Array, printed: Mapping[str, Array], uniform: Mapping[str, Array]) -> Figure:
    """Draw the legs' share of the forces over the time that a motion takes, with the printed tensor and uniform rods.

    times (T,) [s]
    printed, uniform: motion -> shares (T, 2) [%] of the legs' inertia, and of their inertia and weight together
    """
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
    letter_panels(panels)
    return figure


def actuators_figure(motions: Mapping[str, tuple[Array, Array, Array]], names: Sequence[str]) -> Figure:
    """Draw forces and powers, one column for each motion and one line for each group of actuators with equal curves.

    motions: name -> (t [s], forces (N, actuators) [N], powers (N, actuators) [W])
    """
    figure = Figure(figsize=(7.4, 4.6), layout="constrained")
    panels = np.reshape(figure.subplots(2, len(motions), sharex="col"), (2, -1))
    for column, (name, (t, *quantities)) in enumerate(motions.items()):
        for k, group in enumerate(_groups(quantities[0])):
            everyone = f"{names[0]} to {names[-1]}"
            label = everyone if len(group) == len(names) else " = ".join(names[actuator] for actuator in group)
            for row, values in enumerate(quantities):
                style = {"color": COLOURS[k], "linestyle": LINES[k], "linewidth": 2.0}
                panels[row, column].plot(t, values[:, group[0]], label=label, **style)
        for row, label in enumerate(("force [N]", "power [W]")):
            dressed(panels[row, column], label if column == 0 else "")
        panels[0, column].set_title(name, loc="left", fontsize=11)
        panels[0, column].legend(fontsize=8, frameon=False)
        panels[1, column].set_xlabel("time [s]")
    letter_panels(panels.flat)
    return figure


def _groups(values: Array) -> list[list[int]]:
    """Return the columns (N, columns) whose curves are the same to the eye, a thousandth of the largest value apart."""
    groups: list[list[int]] = []
    for k in range(values.shape[1]):
        near = (g for g in groups if np.abs(values[:, k] - values[:, g[0]]).max() < 1e-3 * np.abs(values).max())
        group = next(near, None)
        if group is None:
            groups.append([k])
        else:
            group.append(k)
    return groups
