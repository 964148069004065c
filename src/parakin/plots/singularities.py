"""Figures of singularities: curves on a slice, and a robot at a singular pose with the motion that is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from parakin.analysis import Locus, Singularity
from parakin.arrays import Array
from parakin.motions.offsets import frame_at, in_space
from parakin.plots.style import COLOURS, FAILURE, dressed
from parakin.robot import Robot, need_legs

ARROW = 0.35
"""Length of the longest arrow, in lengths of the robot."""
BEFORE = 1e-3
"""Share of the way from home by which a singular pose is drawn before it, where every leg still closes."""


def locus_figure(locus: Locus, title: str = "") -> Figure:
    """Draw the singular curves of a slice over the platform's margin.

    >>> pk.plots.locus_figure(pk.analysis.locus(pk.load("five_bar"), cells=48)).savefig("locus.png")
    """
    figure: Any = Figure(figsize=(6.4, 5.6), layout="constrained")
    axes = figure.subplots()
    region, lattice = locus.region, locus.lattice
    x, y = lattice.axis(0), lattice.axis(1)
    image = axes.pcolormesh(x, y, np.abs(locus.values).T, cmap="viridis", vmin=0.0, shading="nearest", rasterized=True)
    figure.colorbar(image, ax=axes, label="smallest singular value of A, unit rows, length-scaled [1]")
    axes.add_collection(LineCollection(list(locus.type_1), colors="black", linewidths=1.4))
    axes.add_collection(LineCollection(list(locus.type_2), colors=FAILURE, linewidths=1.8))
    axes.plot(*region.origin, "+", color="white", markersize=9)
    axes.set_aspect("equal" if region.units[0] == region.units[1] else "auto")
    dressed(axes, f"{region.axes[1]} [{region.units[1]}]")
    axes.grid(visible=False)
    axes.set_xlabel(f"{region.axes[0]} [{region.units[0]}]")
    kinds = {"type 2: det A = 0": FAILURE, "type 1: a leg is stretched or folded": "black"}
    handles = [Line2D([], [], color=colour, label=text) for text, colour in kinds.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    axes.set_title(title or f"{locus.robot}: singular poses", loc="left", fontsize=10)
    return figure


def singularity_figure(robot: Robot, singularity: Singularity, title: str = "") -> Figure:
    """Draw a robot of legs at a singular pose, with the motion of its platform that is free or lost there as arrows.

    Planar robots are drawn in their plane, others seen from the front and from above.

    >>> found = pk.analysis.nearest_singularity(robot)
    >>> pk.plots.singularity_figure(robot, found).savefig("singularity.png")
    """
    need_legs(robot, "singularity_figure takes")
    planes = [(0, 1)] if robot.motion_type.planar else [(0, 2), (0, 1)]
    figure = Figure(figsize=(5.2 * len(planes), 5.2), layout="constrained")
    panels: Any = figure.subplots(1, len(planes), squeeze=False)[0]
    pose = _drawable(robot, singularity.pose)
    points = robot.points(pose)
    p_OE, R_OE = frame_at(robot.motion_type, pose)
    ends = np.array([p_OE + R_OE @ leg.attachment.b + leg.attachment.c for leg in robot.legs])
    twist = in_space(robot.motion_type, singularity.velocity)
    speeds = twist[:3] + np.cross(twist[3:], np.vstack([ends, p_OE]) - p_OE)
    arrows = ARROW * robot.length * speeds / np.max(np.linalg.norm(speeds, axis=1))
    for axes, (i, k) in zip(panels, planes, strict=True):
        for root, tip in zip(points.root, points.tip, strict=True):
            axes.plot([root[i], tip[i]], [root[k], tip[k]], "-o", color=COLOURS[0], linewidth=2, markersize=3)
        outline = _closed(ends)
        axes.fill(outline[:, i], outline[:, k], color="0.8", edgecolor="0.4")
        heads = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "color": FAILURE, "zorder": 5, "width": 0.006}
        starts = np.vstack([ends, p_OE])
        axes.quiver(starts[:, i], starts[:, k], arrows[:, i], arrows[:, k], **heads)
        axes.update_datalim((starts + arrows)[:, [i, k]])
        axes.autoscale_view()
        axes.set_aspect("equal", adjustable="datalim")
        dressed(axes, f"{'xyz'[k]} [m]")
        axes.set_xlabel(f"{'xyz'[i]} [m]")
    text = title or f"{robot.name}: {singularity.kind}, {singularity.words}"
    figure.suptitle(text, x=0.01, ha="left", fontsize=9, wrap=True)  # pyright: ignore[reportUnknownMemberType]
    return figure


def _drawable(robot: Robot, pose: Array) -> Array:
    """The pose, or one just before it on the way from home if legs do not close there by rounding."""
    from parakin.motions.offsets import displaced, offset_between

    if np.isfinite(robot.evaluate("points", pose=pose[None])["tip"]).all():
        return pose
    away = offset_between(robot.motion_type, robot.home, pose)
    return displaced(robot.motion_type, robot.home, (1 - BEFORE) * away)


def _closed(points: Array) -> Array:
    """The points in their order, the first once more at the end."""
    return np.vstack([points, points[:1]])
