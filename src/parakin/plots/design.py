"""Figures of a design study: what objectives cost each other, and the designs of the front as lines."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.design import QUANTITIES, Found, Study
from parakin.design.evaluating import DesignStatus
from parakin.plots.style import COLOURS, dressed, legend_below, letter_panels
from parakin.robot import Robot

MOST_PANELS = 6
"""Pairs of objectives that a figure shows at most."""


def labels_of(study: Study, robot: Robot) -> dict[str, str]:
    """Return what stands at the axis of each parameter, objective and constraint, with its unit."""
    labels = {name: _with_unit(name, one.unit) for name, one in study.parameters.items()}
    for name, one in {**study.objectives, **study.constraints}.items():
        labels[name] = _with_unit(name, QUANTITIES[one.of].unit(robot))
    return labels


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit not in ("", "1") else name


def design_tradeoff_figure(found: Found, robot: Robot, better: Array, chosen: Array, title: str = "") -> Figure:
    """Draw each pair of objectives: good designs as dots, the Pareto front, better ones of an optimiser, the chosen.

    better: rows of an optimiser, in the columns of the study; chosen: one row. With one objective, it is drawn over the
    parameters.

    >>> pk.plots.design_tradeoff_figure(found, robot, found.front[:0], found.front[0]).savefig("tradeoff.png")
    """
    labels, study = labels_of(found.study, robot), found.study
    objectives = list(study.objectives)
    pairs = list(combinations(objectives, 2)) or [(name, objectives[0]) for name in study.parameters]
    pairs = pairs[:MOST_PANELS]
    figure = Figure(figsize=(4.2 * min(len(pairs), 3), 3.9 * -(-len(pairs) // 3)), layout="constrained")
    panels: Any = figure.subplots(-(-len(pairs) // 3), min(len(pairs), 3), squeeze=False)
    good = found.sample[found.sample[:, -1] == int(DesignStatus.GOOD)]
    for panel, (across, up) in zip(panels.flat, pairs, strict=False):
        x, y = found.names.index(across), found.names.index(up)
        panel.plot(good[:, x], good[:, y], ".", color="0.75", markersize=3, label="good designs", zorder=1)
        panel.plot(found.front[:, x], found.front[:, y], "o", color=COLOURS[0], markersize=4, label="Pareto front")
        if len(better):
            panel.plot(better[:, x], better[:, y], "D", color=COLOURS[1], markersize=5, label="by the optimiser")
        panel.plot(chosen[x], chosen[y], "*", color=COLOURS[2], markersize=15, markeredgecolor="black", label="chosen")
        panel.set(xlabel=labels[across])
        dressed(panel, labels[up])
    for panel in panels.flat[len(pairs) :]:
        panel.set_visible(False)
    if len(pairs) > 1:
        letter_panels(panels.flat[: len(pairs)])
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)  # pyright: ignore[reportUnknownMemberType]
    legend_below(figure, [panels.flat[0]])
    return figure


def parallel_figure(found: Found, robot: Robot, chosen: Array, title: str = "") -> Figure:
    """Draw each design of the front as a line through its parameters, objectives and constraints.

    Every axis has its own scale, from the least to the largest value on the front; colours follow the first objective.

    >>> pk.plots.parallel_figure(found, robot, found.front[0]).savefig("parallel.png")
    """
    labels = labels_of(found.study, robot)
    columns = [found.names.index(name) for name in labels]
    rows = np.concatenate([found.front, chosen[None]])[:, columns]
    low, high = rows.min(axis=0), rows.max(axis=0)
    shares = (rows - low) / np.where(high > low, high - low, 1.0)
    shares[:, high <= low] = 0.5
    first = next(iter(found.study.objectives))
    colour = found.front[:, found.names.index(first)]
    scale = Normalize(colour.min(), colour.max() if np.ptp(colour) else colour.min() + 1.0)
    figure = Figure(figsize=(1.5 * len(columns) + 1.6, 4.2), layout="constrained")
    axes: Any = figure.subplots()
    places, colours = np.arange(len(columns)), colormaps["viridis"]
    share_of: Any = scale
    for share, value in zip(shares[:-1], colour, strict=True):
        axes.plot(places, share, color=colours(share_of(value)), linewidth=0.9, alpha=0.8)
    axes.plot(places, shares[-1], color="black", linewidth=2.4, label="chosen")
    for place, bottom, top in zip(places, low, high, strict=True):
        axes.axvline(place, color="0.6", linewidth=0.8, zorder=0)
        axes.text(place, -0.04, f"{bottom:.4g}", ha="center", va="top", fontsize=8)
        axes.text(place, 1.03, f"{top:.4g}", ha="center", va="bottom", fontsize=8)
    axes.set_xticks(places, list(labels.values()), fontsize=9)
    axes.tick_params(axis="x", length=0, pad=16)
    axes.set(ylim=(-0.02, 1.02), yticks=[])
    axes.spines[:].set_visible(False)
    shown = ScalarMappable(scale, "viridis")
    figure.colorbar(shown, ax=axes, label=labels[first], pad=0.02)  # pyright: ignore[reportUnknownMemberType]
    axes.set_title(title, loc="left", fontsize=11, pad=22)
    legend_below(figure, [axes])
    return figure
