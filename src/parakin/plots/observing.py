"""Figures of what cameras saw: poses over time with deviations, and pictures with contours and regions drawn in."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.motions.offsets import offset_between
from parakin.plots.style import COLOURS, FAILURE, dressed, legend_below
from parakin.units import ANGLE
from parakin.vision import Observation, Rig
from parakin.vision.estimation.estimates import EstimateStatus
from parakin.vision.estimation.observing import Observed
from parakin.vision.pictures.picture_files import Picture
from parakin.vision.rigs.sightings import contour_curves

Coloured = NDArray[np.uint8]
"""A picture in colours (rows, columns, 3)."""
WIDTH = 3
"""Width of lines that are drawn into pictures [px]."""
_REGION, _REFUSED, _CONTOUR = (0, 158, 115), (176, 0, 32), (230, 159, 0)


def observation_figure(times: Array, found: Observation, truth: Array | None = None) -> Figure:
    """Return the figure of the poses in pictures over time, with bands of two standard deviations.

    truth: the true poses (instants, coordinates), if they are known; errors are then shown instead of poses.

    >>> found = pk.vision.observe(rig, [[picture]] * 2, quattro.home)
    >>> figure = pk.plots.observation_figure(np.array([0.0, 0.1]), found)
    >>> len(figure.axes)
    4
    """
    robot = found.rig.robot
    names, axes_of = robot.motion_type.offset_names, robot.motion_type.axes
    reference = np.broadcast_to(robot.home, found.pose.shape) if truth is None else truth
    values = offset_between(robot.motion_type, reference, found.pose)
    figure = Figure(figsize=(7.2, 1.5 * len(names) + 1.0), layout="constrained")
    panels: list[Any] = list(figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0])  # pyright: ignore[reportUnknownMemberType]
    for k, panel in enumerate(panels):
        turns = axes_of[k] is ANGLE
        scale, unit = _scales(turns, exact=truth is not None)
        value, band = scale * values[:, k], 2 * scale * found.deviation[:, k]
        panel.fill_between(times, value - band, value + band, color=COLOURS[0], alpha=0.2, linewidth=0)
        panel.plot(times, value, ".-", color=COLOURS[0], label="pose from pictures" if k == 0 else None)
        for lost in times[~np.isfinite(value)]:
            panel.axvline(lost, color=FAILURE, linewidth=0.8)
        dressed(panel, f"{names[k]} [{unit}]")
    panels[-1].set_xlabel("time [s]")
    what = "displacements from home" if truth is None else "errors"
    panels[0].set_title(f"{robot.name}: {what}, bands of two standard deviations")
    legend_below(figure, panels)
    return figure


def _scales(turns: bool, *, exact: bool) -> tuple[float, str]:
    """Return the factor and the unit in which a displacement is shown: finer where errors are known."""
    if turns:
        return 1e3, "mrad"
    return (1e6, "µm") if exact else (1e3, "mm")


def drawn_in(rig: Rig, picture: Picture, one: Observed, camera: int = 0) -> Coloured:
    """Return a picture with the regions in which was looked, and the contours of the pose that was found.

    Regions of which an edge was refused are red.

    >>> found = pk.vision.observe(rig, [[picture]], quattro.home)
    >>> pk.plots.drawn_in(rig, picture, found.instants[0]).shape
    (1024, 1024, 3)
    """
    from PIL import Image, ImageDraw

    coloured = Image.fromarray(picture).convert("RGB")
    pen = ImageDraw.Draw(coloured)
    refused = {report.region for report in one.reports if report.status != 0}
    for number, region in enumerate(one.regions):
        if region.camera == camera:
            corners = (region.column, region.row, region.column + region.size - 1, region.row + region.size - 1)
            pen.rectangle(corners, outline=_REFUSED if number in refused else _REGION, width=WIDTH)
    if one.estimate.status == EstimateStatus.GOOD:
        for curve in contour_curves(rig, one.estimate.pose, camera):
            pen.line([(float(u), float(v)) for u, v in curve], fill=_CONTOUR, width=WIDTH)
    return np.asarray(coloured)
