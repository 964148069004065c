"""One look for all figures: colours that colour-blind readers tell apart, and sizes that survive small print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase
from typing import TypedDict

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from parakin.arrays import Array

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
"""Colours of lines, in the order of use: the palette of Okabe and Ito."""
FAILURE = "#B00020"
"""Colour of what marks a failed run."""
EQUAL = 0.01
"""Largest difference of equal curves, in spans of all curves together."""
DASH = 5.0
"""Length of the dashes in which equal curves take turns, in widths of the line."""
HALF_DECADE, TWO_DECADES = 3.2, 100.0
"""Ratios of the ends of a logarithmic axis up to which it is labelled evenly, and by 1, 2 and 5 times powers of ten."""
LINES = ("-", "--", "-.", ":")
"""Line styles, in the order of use."""


class LineStyle(TypedDict, total=False):
    """How a curve is drawn, in the words of Matplotlib."""

    color: str
    """Its colour."""
    linewidth: float
    """Its width [points]."""
    linestyle: tuple[float, tuple[float, float]]
    """Where its dashes begin, and how long dash and gap are [widths]; not there for a solid line."""
    dash_capstyle: str
    """How dashes end."""


def dressed(axes: Axes, ylabel: str) -> None:
    """Label the y axis, draw a light grid, and remove the frame above and at the right."""
    axes.set(ylabel=ylabel)
    axes.grid(visible=True, color="0.9", linewidth=0.6)  # pyright: ignore[reportUnknownMemberType]
    axes.spines[["top", "right"]].set_visible(False)


def plain_powers(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers, at its main ticks only."""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def readable_powers(axis: Axis) -> None:
    """Label a logarithmic axis by plain numbers that do not touch each other, however little of it is shown.

    Over some decades these are powers of ten; over less, 1, 2 and 5 times them; over less than half a decade, evenly
    spaced numbers.
    """
    low, high = axis.get_view_interval()
    ratio = high / low
    if ratio < HALF_DECADE:
        axis.set_major_locator(MaxNLocator(5))
    else:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if ratio < TWO_DECADES else (1.0,), numticks=8))
    plain_powers(axis)


def lines_of(curves: Array, width: float = 1.4) -> list[LineStyle]:
    """Return styles for curves (N, m) in which none hides another: equal ones take turns in dashes of their colours.

    Curves are equal that differ nowhere by more than EQUAL of what all of them span.
    """
    count, known = curves.shape[1], np.nan_to_num(curves)
    span = float(np.max(known, initial=-np.inf) - np.min(known, initial=np.inf))
    leaders: list[int] = []
    for k in range(count):
        alike = [m for m in range(k) if np.max(np.abs(known[:, k] - known[:, m]), initial=-np.inf) <= EQUAL * span]
        leaders.append(leaders[alike[0]] if alike else k)
    styles: list[LineStyle] = []
    for k, leader in enumerate(leaders):
        style: LineStyle = {"color": COLOURS[k % len(COLOURS)], "linewidth": width}
        together = [m for m in range(count) if leaders[m] == leader]
        if len(together) > 1:
            dashes = (DASH, DASH * (len(together) - 1))
            style["linestyle"] = (DASH * together.index(k), dashes)
            style["dash_capstyle"] = "butt"
        styles.append(style)
    return styles


def legend_below(figure: Figure, panels: Sequence[Axes]) -> None:
    """Put one legend for these panels below the whole figure, where it hides nothing."""
    named = [pair for axes in panels for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
    if not named:
        return
    handles, labels = zip(*named, strict=True)
    columns = min(4, len(labels))
    place = {"loc": "outside lower center", "ncols": columns, "fontsize": 8, "frameon": False, "handlelength": 3}
    figure.legend(handles, labels, **place)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]


def letter_panels(panels: Iterable[Axes]) -> None:
    """Write (a), (b), ... above the upper left corner of each panel, so that a text can name it."""
    for letter, axes in zip(ascii_lowercase, panels, strict=False):
        place = {"xycoords": "axes fraction", "xytext": (-24, 5), "textcoords": "offset points"}
        axes.annotate(f"({letter})", (0.0, 1.0), fontsize=9, fontweight="bold", **place)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]


def mark_stop(axes: Axes, time: float, text: str = "") -> None:
    """Mark where a run failed: a red line at that time [s], what follows shaded, and a text above at the right."""
    axes.axvline(time, color=FAILURE, linewidth=1.2)  # pyright: ignore[reportUnknownMemberType]
    axes.axvspan(time, axes.get_xlim()[1], color=FAILURE, alpha=0.08, linewidth=0)  # pyright: ignore[reportUnknownMemberType]
    if text:
        axes.set_title(text, loc="right", fontsize=9, color=FAILURE)  # pyright: ignore[reportUnknownMemberType]
