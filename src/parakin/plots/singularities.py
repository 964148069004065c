"""Figures of singularities: curves on a slice, and a robot at a singular pose with the motion that is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from parakin.analysis import Locus, Singularity
from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.bars import joint_places
from parakin.mechanism.model import BASE
from parakin.mechanism.numeric import posture
from parakin.motions.offsets import displaced, frame_at, offset_between
from parakin.plots.style import COLOURS, FAILURE, dressed
from parakin.robot import Robot, leg_description

ARROW = 0.35
"""Length of the longest arrow, in lengths of the robot."""
FLAT = 1e-6
"""Share of its largest extent below which a mechanism has none."""
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


def can_be_drawn(robot: Robot, singularity: Singularity) -> bool:
    """Tell whether a singularity can be drawn: of a mechanism, one whose configuration is known."""
    return bool(robot.legs) or singularity.configuration.size > 0


def singularity_figure(robot: Robot, singularity: Singularity, title: str = "") -> Figure:
    """Draw a robot at a singular pose, with the motion that is free, lost or gained there as arrows.

    Flat robots are drawn in their plane, others seen from the front and from above. The element that a universal joint
    spins about itself is drawn in red. Of mechanisms only constraint singularities can be drawn.

    >>> found = pk.analysis.nearest_singularity(robot)
    >>> pk.plots.singularity_figure(robot, found).savefig("singularity.png")
    """
    if not can_be_drawn(robot, singularity):
        leg_description(robot, f"singularity_figure of kind '{singularity.kind}'")
    drawn = _legs_drawn(robot, singularity) if robot.legs else _bodies_drawn(robot, singularity)
    figure = Figure(figsize=(5.2 * len(drawn.planes), 5.2), layout="constrained")
    panels: Any = figure.subplots(1, len(drawn.planes), squeeze=False)[0]
    arrows = drawn.arrows(ARROW * robot.length)
    for axes, (i, k) in zip(panels, drawn.planes, strict=True):
        for bar, marked in zip(drawn.bars, drawn.marked, strict=True):
            colour, width = (FAILURE, 4) if marked else (COLOURS[0], 2)
            axes.plot(bar[:, i], bar[:, k], "-o", color=colour, linewidth=width, markersize=3)
        if len(drawn.outline):
            axes.fill(drawn.outline[:, i], drawn.outline[:, k], color="0.8", edgecolor="0.4")
        heads = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "color": FAILURE, "zorder": 5, "width": 0.006}
        axes.quiver(drawn.points[:, i], drawn.points[:, k], arrows[:, i], arrows[:, k], **heads)
        axes.update_datalim((drawn.points + arrows)[:, [i, k]])
        axes.autoscale_view()
        axes.set_aspect("equal", adjustable="datalim")
        dressed(axes, f"{'xyz'[k]} [m]")
        axes.set_xlabel(f"{'xyz'[i]} [m]")
    text = title or f"{robot.name}: {singularity.kind}, {singularity.words}"
    figure.suptitle(text, x=0.01, ha="left", fontsize=9, wrap=True)  # pyright: ignore[reportUnknownMemberType]
    return figure


@frozen_arrays
class _Drawn:
    """What is drawn of a robot at a singular pose."""

    bars: list[Array]
    """Ends of bars (2, 3) [m]."""
    marked: list[bool]
    """Which of them are drawn in red."""
    outline: Array
    """Corners of the platform (N, 3) [m]; none of a mechanism."""
    points: Array
    """Where arrows begin (N, 3) [m]."""
    speeds: Array
    """Velocities that they show (N, 3) [m/s]."""
    planes: list[tuple[int, int]]
    """Coordinates of each panel."""

    def arrows(self, longest: float) -> Array:
        """Return the arrows (N, 3) [m]; none longer than a given length."""
        fastest = float(np.max(np.linalg.norm(self.speeds, axis=1)))
        return longest * self.speeds / fastest if fastest > 0.0 else np.zeros_like(self.speeds)


def _legs_drawn(robot: Robot, singularity: Singularity) -> _Drawn:
    pose = _drawable(robot, singularity.pose)
    found = robot.points(pose)
    p_OE, R_OE = frame_at(robot.motion_type, pose)
    ends = np.array([p_OE + R_OE @ leg.attachment.b + leg.attachment.c for leg in robot.legs])
    points, twist = np.vstack([ends, p_OE]), singularity.twist
    spins = singularity.kind == "universal"
    speeds = np.zeros_like(points) if spins else twist[:3] + np.cross(twist[3:], points - p_OE)
    bars = [np.array(pair) for pair in zip(found.root, found.tip, strict=True)]
    marked = [spins and name == singularity.part for name in robot.element_names]
    planes = [(0, 1)] if robot.motion_type.planar else [(0, 2), (0, 1)]
    return _Drawn(bars, marked, _closed(ends), points, speeds, planes)


def _bodies_drawn(robot: Robot, singularity: Singularity) -> _Drawn:
    """The bodies of a mechanism as bars between the places of their joints, arrows on the one that gains a motion."""
    tree = robot.graph.plan.skeleton
    at = posture(tree, singularity.configuration)
    frames = {body.name: at.frame(place) for body, place in zip(tree.description.bodies, tree.bodies, strict=True)}
    frames[BASE] = np.zeros(3), np.eye(3)

    def placed(body: str, places: ArrayLike) -> Array:
        p, R = frames[body]
        return p + np.reshape(places, (-1, 3)) @ R.T

    bars: list[Array] = []
    for body in tree.description.bodies:
        places = placed(body.name, list(joint_places(tree.description, body.name).values()))
        bars += [places] if len(places) == 2 else [np.array([np.mean(places, axis=0), one]) for one in places]
    for joint in tree.description.joints:
        if joint.type == "distance":
            ends = (joint.parent, joint.parent_frame.position), (joint.child, joint.frame_on_child.position)
            bars.append(np.concatenate([placed(*end) for end in ends]))
    part = singularity.part or tree.description.output.body
    about = frames[part][0] if singularity.part else at.frame(tree.output)[0]
    points = placed(part, [*joint_places(tree.description, part).values()])
    speeds = singularity.twist[:3] + np.cross(singularity.twist[3:], points - about)
    return _Drawn(bars, [False] * len(bars), np.zeros((0, 3)), points, speeds, _planes(np.concatenate(bars)))


def _planes(points: Array) -> list[tuple[int, int]]:
    """The panels of a mechanism: its plane if it is flat, else from the front and from above."""
    wide = np.ptp(points, axis=0)
    flat = np.flatnonzero(wide < FLAT * wide.max())
    if not len(flat):
        return [(0, 2), (0, 1)]
    return [{0: (1, 2), 1: (0, 2), 2: (0, 1)}[int(flat[-1] if 0 in flat and len(flat) > 1 else flat[0])]]


def _drawable(robot: Robot, pose: Array) -> Array:
    """The pose, or one just before it on the way from home if legs do not close there by rounding."""
    if np.isfinite(robot.evaluate("points", pose=pose[None])["tip"]).all():
        return pose
    away = offset_between(robot.motion_type, robot.home, pose)
    return displaced(robot.motion_type, robot.home, (1 - BEFORE) * away)


def _closed(points: Array) -> Array:
    """The points in their order, the first once more at the end."""
    return np.vstack([points, points[:1]])
