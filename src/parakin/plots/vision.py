"""Figures of what cameras see: errors of poses beside their covariances, places of cameras, maps of what is seen."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from parakin.arrays import Array
from parakin.errors import DataError
from parakin.plots.style import COLOURS, FAILURE, dressed, legend_below

if TYPE_CHECKING:
    from parakin.analysis import Lattice
    from parakin.robot import Robot
    from parakin.vision import Calibration, PoseEstimates, Views

MICROMETRES = 1e6
"""Micrometres in a metre."""
TWO_DEVIATIONS = 2.0
"""Size of ellipses, in standard deviations: 86 % of normal errors in a plane lie inside."""
WORST_SHOWN = 1e4
"""Condition number from which on a map's colour is that of motions that are not seen."""


def estimates_figure(robot: Robot, found: PoseEstimates, truth: Array, title: str = "") -> Figure:
    """Draw errors of estimated poses with ellipses of two standard deviations, and how errors lie to deviations.

    truth: the poses (images, coordinates), or one for all. Only images with an estimate are drawn.

    >>> images = [pk.vision.sightings_at(rig, quattro.home, points=48, deviation=0.04, seed=k) for k in range(30)]
    >>> found = pk.vision.estimate_all(rig, images, quattro.home)
    >>> pk.plots.estimates_figure(quattro, found, quattro.home).savefig("estimates.png")
    """
    from parakin.motions.offsets import offset_between

    good = found.status == 0
    if not good.any():
        raise DataError("estimates", "status", f"must be GOOD of one image at least, got {found.status.tolist()}")
    poses = np.broadcast_to(np.asarray(truth, float), found.pose.shape)[good]
    errors = offset_between(robot.motion_type, poses, found.pose[good])
    covariances = found.covariance[good]
    planes = [(0, 1)] if robot.motion_type.planar else [(0, 1), (0, 2)]
    figure: Any = Figure(figsize=(4.3 * (len(planes) + 1), 4.4), layout="constrained")
    panels = figure.subplots(1, len(planes) + 1)
    names = robot.motion_type.offset_names
    for axes, (i, k) in zip(panels, planes, strict=False):
        typical = np.mean(covariances[:, [i, k]][:, :, [i, k]], axis=0)
        axes.plot(*(MICROMETRES * errors[:, [i, k]].T), ".", color=COLOURS[0], markersize=4, label="errors")
        axes.plot(*(MICROMETRES * _ellipse(typical)), color=COLOURS[1], label="two deviations")
        axes.axis("equal")
        dressed(axes, f"error along {names[k]} [µm]")
        axes.set_xlabel(f"error along {names[i]} [µm]")
    legend_below(figure, panels[:1])
    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    _against_normal(panels[-1], errors / deviations, names)
    label = title or f"{robot.name}: {int(good.sum())} poses from one picture each, {int((~good).sum())} without"
    figure.suptitle(label, x=0.01, ha="left", fontsize=10)
    return figure


def _against_normal(axes: Any, normalised: Array, names: tuple[str, ...]) -> None:
    """Draw how many errors are below each number of standard deviations, beside what normal ones would be."""
    ends = np.linspace(-4, 4, 201)
    normal = [0.5 * (1 + math.erf(end / math.sqrt(2))) for end in ends]
    axes.plot(ends, normal, color="0.6", linewidth=4, label="normal")
    shares = (np.arange(len(normalised)) + 0.5) / len(normalised)
    for k, name in enumerate(names):
        axes.step(np.sort(normalised[:, k]), shares, where="mid", color=COLOURS[k % len(COLOURS)], label=name)
    axes.set_xlim(-4, 4)
    dressed(axes, "share of errors below")
    axes.set_xlabel("error in its standard deviations")
    axes.legend(loc="upper left", fontsize=8, frameon=False)


def _ellipse(covariance: Array) -> Array:
    """Return points (2, N) of the ellipse of two standard deviations of a covariance (2, 2)."""
    values, vectors = np.linalg.eigh(covariance)
    angles = np.linspace(0, 2 * np.pi, 181)
    round_about = np.stack([np.cos(angles), np.sin(angles)])
    return TWO_DEVIATIONS * (vectors * np.sqrt(np.maximum(values, 0.0))) @ round_about


def calibration_figure(calibration: Calibration, title: str = "") -> Figure:
    """Draw how well the places of cameras are known, in their own frames, and what of each image was rejected.

    >>> poses = quattro.sample(8)
    >>> images = [pk.vision.sightings_at(rig, pose, points=20, deviation=0.04, seed=k) for k, pose in enumerate(poses)]
    >>> pk.plots.calibration_figure(pk.vision.calibrate(rig, poses, images)).savefig("calibration.png")
    """
    rig = calibration.rig
    figure: Any = Figure(figsize=(13.0, 4.4), layout="constrained")
    panels = figure.subplots(1, 3)
    for axes, (i, k), names in zip(panels, ((0, 1), (0, 2)), (("right", "down"), ("right", "forwards")), strict=False):
        for number, camera in enumerate(rig.cameras):
            part = calibration.covariance[number][np.ix_([i, k], [i, k])]
            axes.plot(*(MICROMETRES * _ellipse(part)), color=COLOURS[number % len(COLOURS)], label=camera.name)
        axes.axis("equal")
        dressed(axes, f"{names[1]} [µm]")
        axes.set_xlabel(f"{names[0]} [µm]")
        axes.set_title("place, two deviations", loc="left", fontsize=9)
    legend_below(figure, panels[:1])
    shares = [100.0 * float(np.mean(flags)) if len(flags) else 100.0 for flags in calibration.rejected]
    colours = [FAILURE if few else COLOURS[0] for few in calibration.rejected_poses]
    panels[2].bar(np.arange(len(shares)), shares, color=colours, zorder=2)
    panels[2].xaxis.set_major_locator(MaxNLocator(integer=True))
    panels[2].set_ylim(0, max(5.0, *shares) * 1.05)
    panels[2].set_xlabel("image")
    panels[2].set_title("red: images that were left out", loc="left", fontsize=9)
    dressed(panels[2], "sightings that were rejected [%]")
    label = (
        title or f"{rig.robot.name}: cameras from {len(shares)} poses, residuals of {calibration.rms:.3g} deviations"
    )
    figure.suptitle(label, x=0.01, ha="left", fontsize=10)
    return figure


def visibility_figure(lattice: Lattice, views: Views, title: str = "") -> Figure:
    """Draw the condition of what is seen over a slice of two axes, with curves on which a motion is lost.

    Curves are where the determinant of square rows changes its sign; grey poses cannot be reached.

    >>> slice_of_poses = pk.analysis.lattice_of(quattro, pk.analysis.Slice(grid=21))
    >>> views = pk.vision.views_at(rig, slice_of_poses.poses)
    >>> pk.plots.visibility_figure(slice_of_poses, views).savefig("visibility.png")
    """
    if len(lattice.axes) != 2:
        raise DataError("visibility", "axes", f"must be two that vary, got {len(lattice.axes)}")
    across, up = lattice.axes
    figure: Any = Figure(figsize=(6.4, 5.8), layout="constrained")
    axes = figure.subplots()
    axes.set_facecolor("0.85")
    shown = np.clip(np.where(np.isinf(views.condition), WORST_SHOWN, views.condition), 1.0, WORST_SHOWN)
    largest = float(np.nanmax(shown, initial=10.0))
    image = axes.pcolormesh(
        across.values,
        up.values,
        np.ma.masked_invalid(shown),
        norm=LogNorm(1.0, max(10.0, largest)),
        cmap="cividis_r",
        shading="nearest",
        rasterized=True,
    )
    figure.colorbar(image, ax=axes, label="condition number of what is seen, length-scaled [1]")
    handles: list[Any] = []
    margins = np.ma.masked_invalid(views.margin)
    if views.signed and margins.min() < 0 < margins.max():
        axes.contour(across.values, up.values, margins, levels=[0.0], colors=FAILURE, linewidths=2.0)
        handles.append(Line2D([], [], color=FAILURE, linewidth=2.0, label="a motion is lost"))
    (left, right), (low, high) = across.box, up.box
    axes.plot([left, right, right, left, left], [low, low, high, high, low], "--", color="black", linewidth=1.0)
    handles.append(Line2D([], [], color="black", linestyle="--", label="box of the robot file"))
    if np.isnan(views.condition).any():
        handles.append(Patch(facecolor="0.85", label="out of reach"))
    axes.set_aspect("equal" if across.unit == up.unit else "auto")
    dressed(axes, f"{up.name} [{up.unit}]")
    axes.grid(visible=False)
    axes.set_xlabel(f"{across.name} [{across.unit}]")
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    axes.set_title(title or "what is seen of the platform's motion", loc="left", fontsize=10)
    return figure
