"""Figure of a workspace: sections through home, coloured by what ends it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Patch, Rectangle

from parakin.analysis import Inscribed, Reason, Workspace
from parakin.arrays import Array
from parakin.plots.style import dressed

FILLS = {
    Reason.GOOD: "#56B4E9",
    Reason.UNREACHABLE: "#EEEEEE",
    Reason.NOT_CONVERGED: "#EEEEEE",
    Reason.UNUSABLE: "#EEEEEE",
    Reason.SINGULAR: "#B00020",
    Reason.OUT_OF_STROKE: "#F5DCC8",
    Reason.JOINT_LIMIT: "#F7F2B4",
    Reason.CLEARANCE: "#E3CBDD",
    Reason.BEYOND_SINGULARITY: "#D9D2E9",
    Reason.ILL_CONDITIONED: "#CDE8DF",
}
"""Colour of each reason, pale outside and full inside."""
ELSEWHERE = "#BBDFF5"
"""Colour of parts that are not connected with home."""


def workspace_figure(workspace: Workspace, fitted: Inscribed | None = None, title: str = "") -> Figure:
    """Draw a workspace of one to three axes: a plane, or the three sections through home of a space.

    What is connected with home is dark, other parts light, and what is outside has the colour of what keeps the robot
    out. Home is a cross; fitted: a shape that is drawn into it.

    >>> five_bar = pk.load("five_bar")
    >>> pk.plots.workspace_figure(pk.analysis.workspace(five_bar, levels=3)).savefig("workspace.png")
    """
    d = len(workspace.region.axes)
    pairs: list[tuple[int, ...]] = list(combinations(range(d), 2))[:3] or [(0,)]
    figure = Figure(figsize=(4.4 * len(pairs) + 0.4, 4.9), layout="constrained")
    panels: Any = figure.subplots(1, len(pairs), squeeze=False)[0]
    seen: set[Reason] = set()
    for axes, pair in zip(panels, pairs, strict=True):
        seen |= _section(axes, workspace, pair)
        if fitted is not None and len(pair) == 2:
            _draw_shape(axes, fitted, pair)
    _legend(figure, workspace, seen, 2 if len(pairs) == 1 else 4)
    figure.suptitle(title or str(workspace), x=0.01, ha="left", fontsize=10, wrap=True)  # pyright: ignore[reportUnknownMemberType]
    return figure


def _legend(figure: Figure, workspace: Workspace, seen: set[Reason], columns: int) -> None:
    named = [reason for reason in FILLS if reason in seen and reason is not Reason.GOOD]
    patches = [Patch(color=FILLS[Reason.GOOD], label="connected with home")]
    if (workspace.lattice.inside & ~workspace.home_part).any():
        patches.append(Patch(color=ELSEWHERE, label="reachable, not connected"))
    patches += [Patch(color=FILLS[reason], label=reason.name.lower().replace("_", " ")) for reason in named]
    figure.legend(handles=patches, loc="outside lower center", ncols=columns, fontsize=8, frameon=False)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]


def _section(axes: Axes, workspace: Workspace, pair: tuple[int, ...]) -> set[Reason]:
    """Draw the plane of two axes through home, and return the reasons seen in it."""
    lattice, region = workspace.lattice, workspace.region
    nearest = np.rint((region.origin - lattice.lower) / lattice.step).astype(int)
    nearest = np.clip(nearest, 0, np.array(lattice.codes.shape) - 1)
    section = tuple(slice(None) if k in pair else int(nearest[k]) for k in range(len(region.axes)))
    reasons = np.array([int(cause.reason) for cause in workspace.causes])[lattice.codes[section]]
    shown = np.where(lattice.inside[section] & ~workspace.home_part[section], max(Reason) + 1, reasons)
    if len(pair) == 1:
        shown = np.repeat(shown[:, None], 2, axis=1)
    colours = ListedColormap([FILLS.get(reason, ELSEWHERE) for reason in sorted(Reason)] + [ELSEWHERE])
    x = lattice.axis(pair[0])
    y = lattice.axis(pair[1]) if len(pair) == 2 else np.array([0.0, 1.0])
    half_x, half_y = (x[1] - x[0]) / 2, (y[1] - y[0]) / 2
    extent = (x[0] - half_x, x[-1] + half_x, y[0] - half_y, y[-1] + half_y)
    limits = {"vmin": min(Reason) - 0.5, "vmax": max(Reason) + 1.5}
    axes.imshow(shown.T, origin="lower", extent=extent, cmap=colours, interpolation="nearest", **limits)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
    same = len(pair) == 2 and region.units[pair[0]] == region.units[pair[1]]
    axes.set_aspect("equal" if same else "auto")
    if len(workspace.outline):
        axes.add_collection(LineCollection(list(workspace.outline), colors="#0072B2", linewidths=0.8))
    axes.plot(region.origin[pair[0]], region.origin[pair[1]] if len(pair) == 2 else 0.5, "+", color="black")  # pyright: ignore[reportUnknownMemberType]
    dressed(axes, f"{region.axes[pair[1]]} [{region.units[pair[1]]}]" if len(pair) == 2 else "")
    axes.grid(visible=False)  # pyright: ignore[reportUnknownMemberType]
    axes.set_xlabel(f"{region.axes[pair[0]]} [{region.units[pair[0]]}]")  # pyright: ignore[reportUnknownMemberType]
    others = [k for k in range(len(region.axes)) if k not in pair]
    if others:
        where = ", ".join(f"{region.axes[k]} = {lattice.axis(k)[nearest[k]]:.3g} {region.units[k]}" for k in others)
        axes.set_title(where, fontsize=9, loc="left")  # pyright: ignore[reportUnknownMemberType]
    return {Reason(int(value)) for value in np.unique(reasons)}


def _draw_shape(axes: Axes, fitted: Inscribed, pair: tuple[int, ...]) -> None:
    """Draw the outline of a fitted shape, seen along the third axis."""
    centre, half = (np.array(values)[list(pair)] for values in (fitted.centre, fitted.half))
    look = {"fill": False, "edgecolor": "black", "linewidth": 1.2, "linestyle": "--"}
    seen_round = fitted.shape == "sphere" or (fitted.shape == "cylinder" and pair == (0, 1))
    if seen_round:
        patch = Circle(_pair(centre), float(half[0]), **look)  # pyright: ignore[reportArgumentType]
    else:
        patch = Rectangle(_pair(centre - half), *_pair(2 * half), **look)  # pyright: ignore[reportArgumentType]
    axes.add_patch(patch)


def _pair(values: Array) -> tuple[float, float]:
    return float(values[0]), float(values[1])
