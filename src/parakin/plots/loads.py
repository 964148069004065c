"""Figures of what a motion asks of actuators: forces, speeds and power with limits, and forces of formulations."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed, legend_below, lines_of
from parakin.plots.tracking import finish, stacked
from parakin.units import ANGLE, LENGTH

if TYPE_CHECKING:
    from parakin.trajectory import ActuatorLoads


def loads_figure(loads: ActuatorLoads, title: str = "") -> Figure:
    """Draw force, speed and power of every actuator over time; limits that lie near the curves are dotted lines.

    Forces and speeds of lengths and of angles have a panel each.

    >>> pk.plots.loads_figure(pk.trajectory.actuator_loads(samples, robot)).savefig("loads.png")
    """
    lengths = loads.limits.lengths
    kinds = [(kind, [k for k, length in enumerate(lengths) if length == kind]) for kind in sorted(set(lengths))]
    figure, panels = stacked(2 * len(kinds) + 1, title)
    room = iter(panels)
    for length, chosen in kinds:
        unit = LENGTH if length else ANGLE
        axes = next(room)
        _curves(axes, loads, loads.tau, chosen)
        _limits(axes, loads.limits.force[chosen])
        dressed(axes, f"{'force' if length else 'torque'} [{unit.force}]")
    for length, chosen in kinds:
        axes = next(room)
        _curves(axes, loads, loads.q_dot, chosen)
        _limits(axes, loads.limits.speed[chosen])
        dressed(axes, f"speed [{(LENGTH if length else ANGLE).velocity}]")
    axes = next(room)
    _curves(axes, loads, loads.power, range(len(loads.actuators)))
    axes.plot(loads.t, loads.power.sum(axis=1), color="0.3", linewidth=1.0, linestyle="--", label="all together")
    axes.plot([], [], color="0.3", linewidth=0.8, linestyle=":", label="limit")
    dressed(axes, "power [W]")
    legend_below(figure, [axes])
    finish(panels, loads.t)
    return figure


def _curves(axes: Axes, loads: ActuatorLoads, values: Array, chosen: list[int] | range) -> None:
    for k, style in zip(chosen, lines_of(values[:, list(chosen)]), strict=True):
        style["color"] = COLOURS[k % len(COLOURS)]
        axes.plot(loads.t, values[:, k], label=loads.actuators[k], **style)


def _limits(axes: Axes, limits: Array) -> None:
    """Draw limits up to twice as far out as the curves; farther ones would flatten the curves."""
    reach = max(map(abs, axes.get_ylim()))
    for limit in np.unique(limits[limits <= 2 * reach]):
        for side in (-limit, limit):
            axes.axhline(side, color="0.3", linewidth=0.8, linestyle=":")


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
