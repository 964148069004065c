"""What measurement noise does to computed torques: two ways of measuring side by side."""

from __future__ import annotations

from matplotlib.figure import Figure

from parakin.arrays import Array
from parakin.plots.style import COLOURS, LINES, dressed

Pair = tuple[Array, Array]
"""From observed directions, from encoders."""
LABELS = ("observed directions", "encoders")


def noise_figure(sizes: tuple[Array, Pair, Pair, float], poses: tuple[Array, Pair]) -> Figure:
    """sizes: (noise [rad], rms torque errors [N m] with exact and with derived rates, rms torque); poses: (sine between
    the forearms, torque error per angle error [N m/rad])."""
    figure = Figure(figsize=(7.4, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    noise, exact, derived, torque = sizes
    sine, gains = poses
    for k, label in enumerate(LABELS):
        style = {"color": COLOURS[k], "marker": "os"[k], "markersize": 3.5}
        left.plot(1e3 * noise, exact[k], linewidth=1.8, label=label, **style)
        left.plot(1e3 * noise, derived[k], linewidth=1.4, linestyle=LINES[1], **style)
        right.plot(sine, gains[k], linewidth=1.8, label=label, **style)
    left.axhline(torque, color="0.4", linewidth=1.0, linestyle=LINES[3])  # pyright: ignore[reportUnknownMemberType]
    left.text(1e3 * noise[0], 1.2 * torque, "rms torque", fontsize=8, color="0.3")  # pyright: ignore[reportUnknownMemberType]
    left.plot([], [], color="0.3", linewidth=1.4, linestyle=LINES[1], label="rates from noisy angles")
    left.set_xlabel("noise of each angle [mrad]")
    dressed(left, "rms torque error [N m]")
    right.set_xlabel("sine between the forearms")
    dressed(right, "torque error per angle error [N m/rad]")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
    left.legend(fontsize=8, frameon=False, loc="lower right")
    right.legend(fontsize=8, frameon=False)
    right.set_xticks([0.1, 0.2, 0.5, 1.0], ["0.1", "0.2", "0.5", "1"])
    return figure
