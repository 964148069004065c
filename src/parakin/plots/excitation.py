"""Figure of an exciting motion: how it uses its limits, and the singular values that it was made for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.motions.offsets import offset_between
from parakin.plots.style import COLOURS, dressed, lines_of
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

if TYPE_CHECKING:
    from parakin.identification.excitation import Excitation

_STATES = 1500
_TURNS = ("rx", "ry", "rz")
"""Names of a rotation vector's coordinates."""


def excitation_figure(robot: Robot, excitation: Excitation) -> Figure:
    """Draw positions, speeds and forces of one period as shares of their limits, and the singular values.

    A motion that is blended from rest is drawn from its beginning, blend included.

    >>> options = pk.identification.ExciteOptions(evaluations=5, periods=2)
    >>> excitation = pk.identification.excite(robot, options)
    >>> pk.plots.excitation_figure(robot, excitation).savefig("excitation.png")
    """
    figure = Figure(figsize=(10.0, 6.6), layout="constrained")
    axes = figure.subplots(2, 2)
    t = np.linspace(0.0, excitation.options.rest + 1 / excitation.series.frequency, _STATES)
    pose, velocity, acceleration = excitation.motion.at(t)
    limits, use = limits_of(robot), excitation.options.use
    lower, upper = robot.box
    offsets = (2 * offset_between(robot.motion_type, robot.home, pose) - upper - lower) / (upper - lower)
    names = robot.motion_type.offset_names
    _shares(axes[0, 0], t, offsets, names, label="position [% of the box]", most=1.0)
    speed = _of_limit(robot.actuator_velocity(pose, velocity), limits.speed)
    _shares(axes[0, 1], t, speed, robot.actuator_names, label="actuator speed [% of limit]", most=use)
    force = _of_limit(robot.inverse_dynamics(pose, velocity, acceleration), limits.force)
    _shares(axes[1, 0], t, force, robot.actuator_names, label="actuator force [% of limit]", most=use)
    _singular_values(axes[1, 1], excitation)
    figure.suptitle(f"{excitation.robot}: exciting motion", x=0.01, ha="left", fontsize=11)  # pyright: ignore[reportUnknownMemberType]
    return figure


def _of_limit(values: Array, limit: Array) -> Array:
    """Return values as shares of their limit, or of their largest size where there is no limit."""
    return values / np.where(np.isfinite(limit), limit, np.abs(values).max(axis=0))


def _shares(axes: Any, t: Array, values: Array, names: Sequence[str], *, label: str, most: float) -> None:
    for k, (name, style) in enumerate(zip(names, lines_of(values, 1.3), strict=True)):
        axes.plot(t, 100 * values[:, k], label=name, **style)
    for side in (-most, most):
        axes.axhline(100 * side, color="0.3", linewidth=0.8, linestyle="--")
    dressed(axes, label)
    axes.set_xlabel("time [s]")
    axes.set_xlim(float(t[0]), float(t[-1]))
    axes.legend(
        ncols=len(names) if len(names) <= 4 else 3,
        fontsize=7,
        frameon=False,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        handlelength=1.2,
        borderpad=0,
    )


def _singular_values(axes: Any, excitation: Excitation) -> None:
    number = np.arange(1, excitation.base.rank + 1)
    for quality, what, colour, marker in (
        (excitation.before, "before", "0.55", "o"),
        (excitation.after, "after", COLOURS[0], "s"),
    ):
        label = f"{what}: condition number {quality.condition:.3g}"
        style = {"color": colour, "marker": marker, "markersize": 3.5, "linewidth": 1.0}
        axes.semilogy(number, quality.singular_values, label=label, **style)
    dressed(axes, "singular value [force noise]")
    axes.set_xlabel("number")
    axes.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), borderpad=0)
