"""Figures of quantities over a slice of poses: colours where there is a value, hatched greys that say why not."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.ticker import Locator, LogLocator, MaxNLocator

from parakin.analysis import PerformanceMap, Quantity, Reason, Values
from parakin.analysis.scale import Scale, scale_of
from parakin.analysis.slices import Axis
from parakin.arrays import Array
from parakin.plots.style import COLOURS, dressed

COLOUR_MAP = "cividis"
"""Colours of values, which readers with and without colour vision order alike; light is large."""
GREYS: dict[Reason, tuple[str, str]] = {
    Reason.UNREACHABLE: ("0.92", ""),
    Reason.OUT_OF_STROKE: ("0.82", "///"),
    Reason.JOINT_LIMIT: ("0.82", "\\\\\\"),
    Reason.SINGULAR: ("0.65", "xxx"),
    Reason.NOT_CONVERGED: ("0.92", "..."),
    Reason.CLEARANCE: ("0.82", "++"),
    Reason.BEYOND_SINGULARITY: ("0.65", "//"),
    Reason.ILL_CONDITIONED: ("0.72", "**"),
    Reason.OVERLOADED: ("0.72", "|||"),
    Reason.NOT_LINEAR: ("0.72", "---"),
    Reason.UNSTABLE: ("0.65", "ooo"),
    Reason.UNUSABLE: ("0.5", ""),
    Reason.FAILED: ("0.5", "xx"),
}
"""Grey and hatching of poses without a value, by the reason."""
ACROSS = 3
"""Panels side by side at most."""
LONGEST_LABEL = 34
"""Characters of a line of a label beside an axis."""
LONGEST_BAR_LABEL = 52
"""Characters of a line of a label beside a bar of colours."""
LONGEST_TITLE = 62
"""Characters of a line of the title above each column of panels."""
HALO: list[AbstractPathEffect] = [withStroke(linewidth=2.5, foreground="white", alpha=0.8)]
"""What makes black lines stand out on dark colours."""


def map_figure(result: PerformanceMap) -> Figure:
    """Draw every quantity of a map in a panel of its own, over its one or two axes.

    The robot's box is a dashed line, home a cross.

    >>> result = pk.analysis.performance_map(robot, ["dexterity"], pk.analysis.Slice(grid=11))
    >>> pk.plots.map_figure(result).savefig("map.png")
    """
    count = len(result.quantities)
    columns = count // 2 if count == ACROSS + 1 else min(count, ACROSS)
    rows = -(-count // columns)
    plane = len(result.axes) == 2
    size = (5.4 * columns, 4.6 * rows + 0.5) if plane else (5.4 * columns, 3.2 * rows + 0.5)
    figure = Figure(figsize=size, layout="constrained")
    panels: Any = figure.subplots(rows, columns, squeeze=False)
    seen: set[Reason] = set()
    for panel, quantity in zip(panels.flat, result.quantities, strict=False):
        found = result.values[quantity.name]
        (_plane if plane else _line)(panel, result, found, _label(result, quantity))
        seen |= {Reason(int(code)) for code in np.unique(found.reasons)} - {Reason.GOOD}
    for panel in panels.flat[count:]:
        panel.set_visible(False)
    figure.suptitle("\n".join(wrap(result.words, LONGEST_TITLE * columns)), fontsize=11)
    _legend(figure, sorted(seen), plane=plane)
    return figure


def _label(result: PerformanceMap, quantity: Quantity) -> str:
    """Return what a colour or a height is: the quantity, of a mechanism whose coordinates it is of, and its unit."""
    unit = result.values[quantity.name].unit
    if not result.of_joints:
        return f"{quantity.title} [{unit}]"
    return f"{quantity.title}\n{result.subjects[quantity.name]} [{unit}]"


def _wrapped(label: str, longest: int) -> str:
    """Return a label with every line of it broken where it is too long."""
    return "\n".join(part for line in label.split("\n") for part in wrap(line, longest))


def _plane(panel: Any, result: PerformanceMap, found: Values, label: str) -> None:
    """Draw values over two axes."""
    across, up = result.axes
    shown = np.where(np.isinf(found.values), np.nan, found.values)
    scale = scale_of(shown)
    if scale is not None:
        drawn = panel.pcolormesh(
            across.values, up.values, np.ma.masked_invalid(shown), cmap=COLOUR_MAP, norm=_norm(scale), shading="nearest"
        )
        panel.figure.colorbar(drawn, ax=panel, label=_wrapped(label, LONGEST_BAR_LABEL), shrink=0.9)
        if scale.high - scale.low > 1e-9 * abs(scale.high):
            style = {"colors": "white", "linewidths": 0.6, "alpha": 0.7, "locator": _levels(drawn.norm)}
            lines = panel.contour(across.values, up.values, np.ma.masked_invalid(shown), **style)
            panel.clabel(lines, fontsize=7, fmt="%.4g")
        if np.isinf(found.values).any():
            panel.set_title("infinite where it is white", fontsize=9)
    else:
        where = "infinite" if np.isinf(found.values).any() else "nowhere"
        panel.set_title(_wrapped(f"{label}: {where}", LONGEST_TITLE), fontsize=9)
    for code in np.unique(found.reasons):
        reason = Reason(int(code))
        if reason is not Reason.GOOD:
            _hatched(panel, result, np.asarray(found.reasons == code), reason)
    (left, right), (low, high) = across.box, up.box
    box = Rectangle((left, low), right - left, high - low, fill=False, linestyle="--", edgecolor="black")
    box.set_path_effects(HALO)
    panel.add_patch(box)
    panel.plot(*([axis.home] for axis in result.axes), marker="+", color="black", markersize=9, path_effects=HALO)
    ends = {"xlim": _outer(across), "ylim": _outer(up)}
    panel.set(xlabel=f"{across.name} [{across.unit}]", ylabel=f"{up.name} [{up.unit}]", **ends)
    if across.unit == up.unit:
        panel.set_aspect("equal")


def _hatched(panel: Any, result: PerformanceMap, where: Array, reason: Reason) -> None:
    """Hatch the cells of one reason."""
    grey, hatch = GREYS[reason]
    across, up = result.axes
    cells = np.ma.masked_where(~where.astype(bool), np.zeros(where.shape))
    panel.pcolor(
        across.values,
        up.values,
        cells,
        cmap=ListedColormap([grey]),
        hatch=hatch,
        edgecolor="0.55" if hatch else grey,
        linewidth=0,
        shading="nearest",
    )


def _line(panel: Any, result: PerformanceMap, found: Values, label: str) -> None:
    """Draw values over one axis."""
    axis = result.axes[0]
    half = 0.5 * (axis.values[1] - axis.values[0])
    panel.plot(axis.values, np.where(np.isinf(found.values), np.nan, found.values), color=COLOURS[0])
    for code in np.unique(found.reasons):
        reason = Reason(int(code))
        if reason is Reason.GOOD:
            continue
        grey, hatch = GREYS[reason]
        for value in axis.values[found.reasons == code]:
            panel.axvspan(value - half, value + half, facecolor=grey, edgecolor="0.55", hatch=hatch, linewidth=0)
    for end in axis.box:
        panel.axvline(end, color="black", linestyle="--", linewidth=0.8)
    panel.set(xlabel=f"{axis.name} [{axis.unit}]", xlim=_outer(axis))
    dressed(panel, _wrapped(label, LONGEST_LABEL))
    if np.isinf(found.values).any():
        some = np.isfinite(found.values).any()
        panel.set_title("infinite where there is no line" if some else "infinite", fontsize=9)


def _outer(axis: Axis) -> tuple[float, float]:
    """Return the outer edges of the first and the last cell along an axis."""
    half = 0.5 * (axis.values[1] - axis.values[0])
    return float(axis.values[0] - half), float(axis.values[-1] + half)


def _norm(scale: Scale) -> Normalize:
    """Return how values become colours: evenly, or by their logarithm where they differ by decades."""
    return (LogNorm if scale.logarithmic else Normalize)(scale.low, scale.high)


def _levels(norm: Normalize) -> Locator:
    """Return what chooses the values of contour lines."""
    return LogLocator(subs=(1.0, 2.0, 5.0)) if isinstance(norm, LogNorm) else MaxNLocator(7)


def _legend(figure: Figure, reasons: list[Reason], *, plane: bool) -> None:
    """Say below the figure what greys and lines mean."""
    handles: list[Any] = [Line2D([], [], color="black", linestyle="--", linewidth=1.0, label="box of the robot file")]
    if plane:
        handles.append(Line2D([], [], color="black", marker="+", linestyle="none", markersize=9, label="home"))
    for reason in reasons:
        grey, hatch = GREYS[reason]
        handles.append(Patch(facecolor=grey, hatch=hatch, edgecolor="0.55", linewidth=0, label=reason.words))
    columns = min(4, len(handles))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=8, frameon=False)
