"""`pk.view`: a robot as one self-contained page that computes, to look at, to take hold of and to share."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from parakin.errors import DataError
from parakin.files import write_texts
from parakin.robot import Robot
from parakin.viewer.bundle import page
from parakin.viewer.page_data import page_data
from parakin.viewer.recording import Recording, recording_of_log, recording_of_motion

if TYPE_CHECKING:
    from parakin.simulation import Log
    from parakin.trajectory import Motion, Samples
    from parakin.viewer.layer import Layer
    from parakin.viewer.layers import Shown
    from parakin.viewer.live import LiveView

    Played = Motion | Samples | None
    """A motion that a page plays."""
    Logged = Log | str | Path | None
    """A log that a page plays: of a simulation, or in a file."""
INLINE_HEIGHT = 620
"""Height of the page inside a notebook, in pixels."""


class View:
    """A live page of a robot. It shows itself in a notebook; `save` writes it, `open` shows it in a browser.

    >>> page = pk.view(robot)
    >>> page.name, page.html.startswith("<!doctype html>")
    ('delta', True)
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        """The robot's short name."""
        self.html = text
        """The whole page."""

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, whole or not at all, and return its path.

        >>> pk.view(robot).save("delta.html").name
        'delta.html'
        """
        target = Path(path)
        write_texts(target.parent, {target.name: self.html})
        return target

    def open(self) -> Path:
        """Write the page to a temporary file, open it in the browser, and return its path.

        >>> pk.view(robot).open().suffix
        '.html'
        """
        place = self.save(Path(tempfile.mkdtemp(prefix="parakin-")) / f"{self.name}.html")
        webbrowser.open(place.resolve().as_uri())
        return place

    def _repr_html_(self) -> str:
        """The page as a frame inside a notebook; it is kept apart from the notebook's own page."""
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:{INLINE_HEIGHT}px;border:0" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


@overload
def view(
    robot: Robot,
    *,
    motion: Played = None,
    log: Logged = None,
    layers: Sequence[Shown] = ...,
    live: Literal[False] = False,
) -> View: ...


@overload
def view(
    robot: Robot,
    *,
    live: Literal[True],
    layers: Sequence[Shown] = ...,
    host: str = ...,
    port: int = ...,
    browser: bool = ...,
) -> LiveView: ...


def view(
    robot: Robot,
    *,
    motion: Played = None,
    log: Logged = None,
    layers: Sequence[Shown] = (),
    live: bool = False,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
) -> View | LiveView:
    """Return a robot as a live page: kinematics and forces run in it, compiled to WebAssembly, without a server.

        pk.view(robot).open()                          # in the browser; in a notebook the page shows itself
        pk.view(robot, motion=m).save("robot.html")    # a file to share

    motion: what it plays, with the forces that the motion needs; log: a simulation, or a file of `parakin simulate` or
    of a machine, with the forces that were recorded; layers: results of analysis that are drawn in the robot's scene,
    each with a switch: maps, workspaces, singular curves (`pk.viewer.layers_of`).

        found = pk.analysis.performance_map(robot, ["dexterity"])
        pk.view(robot, layers=[found, pk.analysis.workspace(robot)]).open()

    live: open a page that shows the poses of this program instead, and tells where the robot is set by hand:

        with pk.view(robot, live=True) as page:
            page.show(pose)
            page.pose          # where the robot was last set by hand, or None

    It comes from a small server on this machine alone. host, port: where that listens, port 0 takes any that is free;
    browser: whether a browser is opened.

    >>> page = pk.view(robot)
    >>> page.save("delta.html").name
    'delta.html'
    """
    if live:
        if motion is not None or log is not None:
            raise DataError("view", "live", "shows the poses of this program: leave motion and log out")
        from parakin.viewer.live import LiveView

        return LiveView(robot, host, port, browser=browser, layers=_drawn(robot, layers))
    recording = recording_for(robot, motion, log)
    data = page_data(robot, recording, layers=_drawn(robot, layers))
    return View(robot.name, page(robot.title or robot.name, data))


def _drawn(robot: Robot, results: Sequence[Shown]) -> list[Layer]:
    """Return all layers of results; what makes them is imported where there are any."""
    if not results:
        return []
    from parakin.viewer.layers import layers_of

    return [layer for result in results for layer in layers_of(robot, result)]


def recording_for(robot: Robot, motion: Played, log: Logged) -> Recording | None:
    """Return what a page or film plays, from a motion or from a log; None from neither."""
    if motion is None and log is None:
        return None
    if motion is not None and log is not None:
        raise DataError("view", "log", "give a motion or a log, not both: a log of a simulation has its motion in it")
    if isinstance(log, str | Path):
        from parakin.viewer.recording_files import read_recording

        return read_recording(log, robot)
    if log is not None:
        return recording_of_log(log)
    assert motion is not None
    kind = motion.kind
    if kind != robot.motion_type:
        raise DataError("view", "motion", f"is {kind} motion, but {robot.name} makes {robot.motion_type} motion")
    return recording_of_motion(motion)
