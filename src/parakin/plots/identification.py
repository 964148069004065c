"""Figures that show how well identified parameters explain a log."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.identification.fit.estimate import NORMAL_95, Estimate
from parakin.identification.identifying.validation import Validation
from parakin.plots.style import COLOURS, dressed, legend_below

SECONDS = 5.0
"""Length of the part of a log that a figure shows [s]."""
FEW = 3
"""Largest number of actuators whose panels stand in one column."""
FEWEST_ROWS = 5
"""Rows for which a figure of parameters has room, however few there are."""
BANDS = 16
"""Bands in a decade, over which a spectrum is averaged."""
WIDE = 300.0
"""Deviation beyond which the axis is logarithmic [%]."""


def fit_figure(validation: Validation) -> Figure:
    """Draw measured and predicted force of every actuator, and their difference on the same scale."""
    columns = 1 if len(validation.actuators) <= FEW else 2
    rows = -(-len(validation.actuators) // columns)
    figure = Figure(figsize=(9.0, 2.1 * rows + 0.6), layout="constrained")
    panels = np.ravel(figure.subplots(rows, columns, sharex=True, squeeze=False))
    t = validation.t
    seen = t <= t[0] + SECONDS
    for k, (panel, name) in enumerate(zip(panels, validation.actuators, strict=False)):
        panel.plot(t[seen], validation.measured[seen, k], color="0.65", linewidth=2.2, label="measured")
        panel.plot(t[seen], validation.predicted[seen, k], color=COLOURS[0], linewidth=0.9, label="predicted")
        residual = validation.measured[seen, k] - validation.predicted[seen, k]
        panel.plot(t[seen], residual, color=COLOURS[1], linewidth=0.7, label="residual")
        dressed(panel, f"force [{validation.units[k]}]")
        panel.set_title(f"{name}: residual {validation.percent[k]:.2f} % rms", loc="left", fontsize=9)
    for panel in panels[len(validation.actuators) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(validation.actuators) - columns) : len(validation.actuators)]:
        panel.set_xlabel("time [s]")
        panel.tick_params(labelbottom=True)
    figure.align_ylabels()
    legend_below(figure, [panels[0]])
    return figure


def residual_figure(validation: Validation) -> Figure:
    """Draw spectrum and autocorrelation of the residual.

    The autocorrelation of a white residual stays between the dashed lines 95 % of the time.
    """
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    correlation = validation.whiteness.autocorrelation
    lags: Array = 1e3 * (validation.t[1] - validation.t[0]) * np.arange(correlation.shape[1], dtype=np.float64)
    for k, name in enumerate(validation.actuators):
        colour = COLOURS[k % len(COLOURS)]
        inner = slice(1, -1)  # of a one-sided spectrum, 0 and half the sampling rate are not doubled as the others are
        frequency, density = smoothed(validation.frequency[inner], validation.density[k, inner])
        left.loglog(frequency, np.sqrt(density), color=colour, linewidth=1.1)
        right.plot(lags[1:], correlation[k, 1:], color=colour, linewidth=0.9, label=name)
    unit = ", ".join(sorted(set(validation.units)))
    dressed(left, f"residual [{unit} / √Hz]")
    left.set_xlabel("frequency [Hz]")
    dressed(right, "autocorrelation")
    for sign in (-1, 1):
        right.axhline(
            sign * NORMAL_95 / np.sqrt(validation.whiteness.count), color="0.4", linewidth=0.8, linestyle="--"
        )
    right.set_xlabel("lag [ms]")
    legend_below(figure, [right])
    return figure


def smoothed(frequency: Array, density: Array) -> tuple[Array, Array]:
    """Return means of a spectrum over bands of equal width on a logarithmic axis, BANDS in a decade.

    A raw spectrum scatters by as much as it is large, at every frequency and whatever its length.
    """
    number = np.floor(BANDS * np.log10(frequency)).astype(int)
    bands = np.unique(number)
    return (
        np.array([float(np.mean(frequency[number == band])) for band in bands]),
        np.array([float(np.mean(density[number == band])) for band in bands]),
    )


def parameter_figure(estimate: Estimate) -> Figure:
    """Draw estimates with their 95 % intervals as deviations from the robot file.

    Parameters that are zero in the file are left out.
    """
    known = np.flatnonzero(np.isfinite(estimate.values) & (estimate.prior != 0.0))
    figure = Figure(figsize=(7.5, max(0.24 * len(known), FEWEST_ROWS * 0.24) + 1.2), layout="constrained")
    axes: Any = figure.subplots()
    prior = np.abs(estimate.prior[known])
    shift = 100 * (estimate.values[known] - estimate.prior[known]) / prior
    spread = 100 * NORMAL_95 * estimate.std[known] / prior
    order = np.arange(len(known))[::-1]
    kinds = np.array([estimate.assessments[k].kind for k in known])
    for kind, colour in (("identified", COLOURS[0]), ("weak", COLOURS[1]), ("impossible", COLOURS[3])):
        chosen = kinds == kind
        if chosen.any():
            bars = {"fmt": "o", "color": colour, "markersize": 3, "linewidth": 1.2, "label": kind}
            axes.errorbar(shift[chosen], order[chosen], xerr=spread[chosen], **bars)
    axes.axvline(0.0, color="0.4", linewidth=0.8)
    axes.set_ylim(min(-0.7, (len(known) - FEWEST_ROWS) / 2), max(len(known) - 0.3, (len(known) + FEWEST_ROWS) / 2 - 1))
    axes.set_yticks(order, [estimate.model.labels[k].name for k in known], fontsize=7)
    if np.max(np.abs(shift) + spread, initial=0.0) > WIDE:
        axes.set_xscale("symlog", linthresh=10.0)
    dressed(axes, "")
    axes.set_xlabel("estimate against robot file, with 95 % interval [%]")
    legend_below(figure, [axes])
    return figure
