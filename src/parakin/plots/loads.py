"""Figure of what a motion asks of the actuators: forces, speeds and power over time, with their limits."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, dressed, legend_below, lines_of
from parakin.plots.tracking import finish, stacked
from parakin.trajectory import ActuatorLoads
from parakin.units import ANGLE, LENGTH


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
