"""Pictures of a robot at a pose, by Matplotlib: parts, axes with units, a scale bar, nothing cut off."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.errors import KernelInputError, UnknownNameError
from parakin.robot import Robot
from parakin.viewer.camera import VIEWS, Camera, iso_for
from parakin.viewer.drawing import Polygons, model_of, painted
from parakin.viewer.placing import frames_at, scene_of
from parakin.viewer.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGIN = 0.05
"""Free space around a robot, in sizes of the picture."""
EDGE = 0.7
"""Width of the edges of polygons [points]: it closes the seams between neighbours."""
INK, PALE = "#374151", "#E5E7EB"
"""Colours of text and lines, and of the grid."""
TRIAD = 0.09
"""Length of the arrows that show the axes, in sizes of the picture."""
BELOW, BELOW_STRAIGHT = 0.21, 0.08
"""Free space below a robot, for the scale bar and arrows, and where axes with numbers take the place of arrows."""
STEPS = (1.0, 2.0, 5.0)
"""Scale bars are one of these times a power of ten long."""
SHARE = 0.22
"""Longest scale bar, in widths of the picture."""


@frozen_arrays
class Window:
    """The part of the picture's plane that is shown."""

    lower: Array
    """Its lower left corner: right and up [m]."""
    upper: Array
    """Its upper right corner."""

    @property
    def size(self) -> float:
        """The larger of its sides [m]."""
        return float(np.max(self.upper - self.lower))


def draw(
    robot: Robot,
    pose: ArrayLike | None = None,
    *,
    view: str = "iso",
    ax: Axes | None = None,
    masses: bool = False,
) -> Axes:
    """Draw a robot or mechanism at a pose, home by default, into Matplotlib axes, and return them.

        pk.draw(robot).figure.savefig("robot.png")

    view: iso (obliquely from above), front (from -y), side (from x) or top
    ax: axes to draw into; those of a new figure if not given
    masses: whether centres of mass are shown

    What is driven is orange, motors are yellow, what follows is blue, the platform green. A single pose that is out of
    reach raises; one that is only beyond a stroke or a joint limit is drawn.

    >>> axes = pk.draw(robot, pose, view="front")
    >>> axes.figure.savefig("robot.png")
    """
    scene = scene_of(robot)
    frames = posed(robot, pose)
    camera = camera_of(scene, view)
    polygons = painted(model_of(scene, masses=masses), frames, camera)
    axes = _new_axes() if ax is None else ax
    show(axes, polygons, window_of([polygons], camera))
    decorate(axes, scene, view)
    return axes


def posed(robot: Robot, pose: ArrayLike | None) -> Array:
    """Return the frames (F, 3, 4) of one pose, home if it is None; raise if the robot cannot be there."""
    if isinstance(pose, str | PathLike):
        expected = "numbers; a picture is saved by draw(robot).figure.savefig(path)"
        raise KernelInputError("draw", "pose", expected, repr(str(pose)))
    where = robot.home if pose is None else pose
    frames = frames_at(robot, where)[0]
    if not np.isfinite(frames).all():
        robot.inverse_kinematics(where)  # raises, and says why
    return frames


def camera_of(scene: Scene, view: str) -> Camera:
    """Return the camera of a view, by its name."""
    if view not in VIEWS:
        raise UnknownNameError("view", view, tuple(VIEWS))
    return iso_for(scene.normal) if view == "iso" else VIEWS[view]


def window_of(pictures: list[Polygons], camera: Camera) -> Window:
    """Return the window in which all pictures fit, with free space around them, and below for scale bar and arrows."""
    extents = [picture.extent for picture in pictures]
    lower, upper = np.min([low for low, _ in extents], axis=0), np.max([high for _, high in extents], axis=0)
    size = float(np.max(upper - lower))
    margin, below = MARGIN * size, (BELOW_STRAIGHT if camera.straight else BELOW) * size
    return Window(lower - np.array([margin, margin + below]), upper + margin)


def show(axes: Axes, polygons: Polygons, window: Window) -> None:
    """Paint polygons into axes, and show a window of their plane."""
    from matplotlib.collections import PolyCollection

    surface = PolyCollection(
        list(polygons.corners), facecolors=polygons.colours, edgecolors=polygons.colours, linewidths=EDGE
    )
    axes.add_collection(surface)
    axes.set(xlim=(window.lower[0], window.upper[0]), ylim=(window.lower[1], window.upper[1]), aspect="equal")


def decorate(axes: Axes, scene: Scene, view: str) -> None:
    """Add a title, axes with units and a scale bar."""
    axes.set_title(scene.name, fontsize=10, color=INK)  # pyright: ignore[reportUnknownMemberType]
    camera = camera_of(scene, view)
    if camera.straight:
        names = [_axis_name(camera.R[k]) for k in (0, 1)]
        axes.set(xlabel=f"{names[0]} [m]", ylabel=f"{names[1]} [m]")
        axes.grid(visible=True, color=PALE, linewidth=0.6)  # pyright: ignore[reportUnknownMemberType]
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    else:
        axes.set_axis_off()
        axes.set(xticks=(), yticks=())  # ticks that are not shown are laid out nevertheless
        _triad(axes, camera)
    _scale_bar(axes)


def _axis_name(direction: Array) -> str:
    k = int(np.argmax(np.abs(direction)))
    return f"{'-' if direction[k] < 0 else ''}{'xyz'[k]}"


def _window(axes: Axes) -> Window:
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return Window(np.array([left, bottom]), np.array([right, top]))


def _triad(axes: Axes, camera: Camera) -> None:
    """Draw the base's axes as arrows in the lower left corner."""
    window = _window(axes)
    length = TRIAD * window.size
    start = window.lower + 0.9 * length
    for k, name in enumerate("xyz"):
        way = length * camera.R[:2, k]
        tip = start + way
        style = {"arrowstyle": "-|>", "color": INK, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7}
        axes.annotate("", tuple(tip), tuple(start), arrowprops=style)  # pyright: ignore[reportUnknownMemberType]
        beyond = start + way + 0.3 * length * way / max(float(np.linalg.norm(way)), 1e-9 + 0.2 * length)
        axes.text(float(beyond[0]), float(beyond[1]), name, fontsize=8, color=INK, ha="center", va="center")  # pyright: ignore[reportUnknownMemberType]


def _scale_bar(axes: Axes) -> None:
    """Draw a bar of a round length in the lower right corner, with that length."""
    window = _window(axes)
    length = round_length(SHARE * float(window.upper[0] - window.lower[0]))
    text = f"{length:g} m" if length >= 0.1 else f"{1000 * length:g} mm"
    right, y = window.upper[0] - 0.04 * window.size, window.lower[1] + 0.05 * window.size
    axes.plot([right - length, right], [y, y], color=INK, linewidth=2.2, solid_capstyle="butt")  # pyright: ignore[reportUnknownMemberType]
    place = {"ha": "center", "va": "bottom", "fontsize": 8, "color": INK}
    axes.text(right - length / 2, y + 0.012 * window.size, text, **place)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]


def round_length(longest: float) -> float:
    """Return the largest of 1, 2, 5, 10, ... [m] that is no longer than a length."""
    power = 10.0 ** np.floor(np.log10(longest))
    return float(max(step * power for step in STEPS if step * power <= longest * (1 + 1e-12)))


def _new_axes() -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(6.0, 6.0), layout="constrained").add_subplot()  # pyright: ignore[reportUnknownMemberType]
