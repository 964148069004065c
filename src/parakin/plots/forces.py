"""Figure of the actuator forces along a motion, and of their differences from other formulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, legend_below, lines_of


def force_figure(
    t: Array,
    tau: Array,
    actuators: Sequence[str],
    unit: str,
    *,
    others: Mapping[str, Array] | None = None,
    title: str = "",
) -> Figure:
    """Draw tau (N, actuators) [unit] over t (N,) [s].

    others: name of a formulation -> its tau; the differences from tau are drawn in a panel below

    >>> tau = robot.inverse_dynamics(samples.pose, samples.velocity, samples.acceleration)
    >>> pk.plots.force_figure(samples.t, tau, robot.actuator_names, "N m").savefig("forces.png")
    """
    others = others or {}
    figure = Figure(figsize=(7.0, 3.0 + 1.8 * bool(others)), layout="constrained")
    heights = [2.0, 1.0] if others else [1.0]
    panels = np.atleast_1d(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights))
    top = panels[0]
    for k, (name, style) in enumerate(zip(actuators, lines_of(tau), strict=True)):
        top.plot(t, tau[:, k], label=name, **style)
    dressed(top, f"{'torque' if unit == 'N m' else 'force'} [{unit}]")
    top.set_title(title, loc="left", fontsize=11)
    for m, (formulation, other) in enumerate(others.items()):
        for k in range(tau.shape[1]):
            style = {"color": COLOURS[k % len(COLOURS)], "linestyle": LINES[m % len(LINES)], "linewidth": 1.0}
            label = f"error of {formulation}" if k == 0 else None
            panels[1].plot(t, other[:, k] - tau[:, k], label=label, **style)
    if others:
        dressed(panels[1], f"error [{unit}]")
    legend_below(figure, list(panels))
    panels[-1].set_xlabel("time [s]")
    panels[-1].set_xlim(float(t[0]), float(t[-1]))
    return figure
