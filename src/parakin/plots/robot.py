"""Figure of a robot as lines between its joints, at a pose."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.plots.style import COLOURS
from parakin.robot import Robot

_BASE, _PLATFORM, _DRIVEN, _OTHER = "0.25", COLOURS[2], COLOURS[1], COLOURS[0]


def robot_figure(robots: Sequence[Robot], poses: Sequence[ArrayLike] | None = None, *, columns: int = 4) -> Figure:
    """Draw each robot in a panel of its own, at its home or at the pose given.

    Driven elements, other elements, platform and base have a colour each; telescopic and screw elements a thick root.
    """
    columns = min(columns, len(robots))
    rows = ceil(len(robots) / columns)
    size = 2.6 if len(robots) > 1 else 5.0
    figure = Figure(figsize=(size * columns, size * 1.05 * rows), layout="constrained")
    for k, robot in enumerate(robots):
        axes: Any = figure.add_subplot(rows, columns, k + 1, projection="3d")
        _draw(axes, robot, np.asarray(robot.home if poses is None else poses[k], float))
    return figure


def _draw(axes: Any, robot: Robot, pose: Array) -> None:
    points = robot.points(pose)
    roots, tips = points.root, points.tip
    first = 0
    meeting: list[Array] = []
    for leg in robot.legs:
        for m, element in enumerate(leg.elements):
            A, B = roots[first + m], tips[first + m]
            colour = _DRIVEN if element.actuator is not None else _OTHER
            offsets = _rods(robot, pose, leg.name, m)
            for offset in offsets:
                _line(axes, [A + offset, B + offset], color=colour, linewidth=1.4)
            if len(offsets) > 1:
                for end in (A, B):
                    _line(axes, [end + offset for offset in offsets], color=colour, linewidth=1.4)
            if element.type in ("telescopic", "screw"):
                _line(axes, [A, A + 0.55 * (B - A)], color=colour, linewidth=4.0)
        axes.scatter(*roots[first], color=_BASE, s=10)
        meeting.append(tips[first + len(leg.elements) - 1])
        first += len(leg.elements)
    _ring(axes, [roots[k] for k in _first_elements(robot)], color=_BASE, linewidth=0.8, linestyle=":")
    _ring(axes, meeting, color=_PLATFORM, linewidth=2.4)
    axes.set_title(robot.name, fontsize=9)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_box_aspect(np.ptp([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()], axis=1), zoom=1.18)
    flat = robot.motion_type.planar
    axes.view_init(elev=90 if flat else 20, azim=-90 if flat else -68)


def _first_elements(robot: Robot) -> list[int]:
    counts = np.cumsum([0, *(len(leg.elements) for leg in robot.legs)])
    return [int(k) for k in counts[:-1]]


def _line(axes: Any, points: Sequence[Array], **style: Any) -> None:
    axes.plot(*np.transpose(points), solid_capstyle="round", **style)


def _ring(axes: Any, points: Sequence[Array], **style: Any) -> None:
    """Draw a closed line through the distinct points, in their order around the middle."""
    distinct: list[Array] = [p for k, p in enumerate(points) if all(np.linalg.norm(p - q) > 1e-9 for q in points[:k])]
    if len(distinct) < 2:
        axes.scatter(*distinct[0], color=style["color"], s=14)
        return
    middle = np.mean(distinct, axis=0)
    across = np.linalg.svd(np.array(distinct) - middle)[2]
    order = np.argsort([np.arctan2(across[1] @ (p - middle), across[0] @ (p - middle)) for p in distinct])
    ring = [distinct[int(k)] for k in order]
    for pair in pairwise([*ring, ring[0]]):
        _line(axes, pair, **style)


def _rods(robot: Robot, pose: Array, leg_name: str, m: int) -> list[Array]:
    """Return the offsets of an element's lines from its own: two rods for a parallelogram, else none."""
    leg = next(leg for leg in robot.legs if leg.name == leg_name)
    joint = leg.elements[m].joint
    if joint.type != "parallelogram" or joint.axis is None or joint.spacing is None:
        return [np.zeros(3)]
    axis = np.array(joint.axis)
    carrier = f"{leg_name}.{leg.elements[m - 1].name}"
    frames = [k for k, name in enumerate(robot.body_names) if name == carrier or name.startswith(f"{carrier}.")]
    if m and frames:
        still = np.zeros(robot.degrees_of_freedom)
        axis = robot.bodies(pose, still, still).R[frames[0]] @ axis
    half = axis * joint.spacing / 2
    return [half, -half]
