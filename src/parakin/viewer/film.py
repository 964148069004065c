"""Films of a robot that moves: GIF by Pillow, MP4 where ffmpeg is installed; written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array
from parakin.errors import DataError
from parakin.files import replacing
from parakin.robot import Robot
from parakin.viewer.drawing import Polygons, model_of, painted
from parakin.viewer.picture import camera_of, decorate, show, window_of
from parakin.viewer.placing import frames_at, scene_of
from parakin.viewer.recording import Recording

if TYPE_CHECKING:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

ENDINGS = (".gif", ".mp4")
"""Endings of films."""
RATE = 25.0
"""Pictures in a second."""
MOST_PICTURES = 1500
"""Pictures of the longest film: a minute."""
INCHES, DOTS_PER_INCH = 6.0, 80
"""Size of a picture, and dots in an inch."""
COLOURS_OF_GIF = 128
"""Colours of each picture of a GIF."""

Progress = Callable[[int, int], None]
"""Called with the pictures that are done and those there are."""


@dataclass(frozen=True)
class Film:
    """What a film is to show, and how."""

    view: str = "iso"
    """The view, a name of `VIEWS`."""
    speed: float = 1.0
    """How many times as fast as the recording it runs."""
    rate: float = RATE
    """Pictures in a second."""
    masses: bool = False
    """Whether centres of mass are shown."""


def film(robot: Robot, recording: Recording, path: str | Path, options: Film, progress: Progress | None = None) -> int:
    """Write a film of a recording and return how many of its pictures repeat the one before, for want of a pose.

    path: ends in .gif, or in .mp4, for which ffmpeg must be installed. A film that fails leaves nothing behind.
    """
    target = Path(path)
    check_film(target)
    frames, lost = _placed(robot, recording, options)
    scene = scene_of(robot)
    camera, model = camera_of(scene, options.view), model_of(scene, masses=options.masses)
    # Two rounds, to hold one picture at a time: what the window must show, and then the pictures.
    window = window_of([painted(model, frames[k], camera) for k in _corners(frames)], camera)

    def pictures() -> Iterator[Polygons]:
        for k, one in enumerate(frames):
            yield painted(model, one, camera)
            if progress is not None:
                progress(k + 1, len(frames))

    def drawn() -> Iterator[Array]:
        canvas = _canvas()
        (axes,) = canvas.figure.axes
        for polygons in pictures():
            axes.clear()
            show(axes, polygons, window)
            decorate(axes, scene, options.view)
            canvas.draw()
            yield np.asarray(canvas.buffer_rgba())[..., :3].copy()

    with replacing(target) as partial:
        _WRITERS[target.suffix.lower()](partial, drawn(), options.rate)
    return lost


def check_film(path: Path) -> None:
    """Refuse an ending that no film has, and MP4 where ffmpeg is not installed."""
    if path.suffix.lower() not in ENDINGS:
        raise DataError("film", "file", f"{path.name} must end in {' or '.join(ENDINGS)}")
    if path.suffix.lower() == ".mp4":
        from matplotlib.animation import FFMpegWriter

        if not FFMpegWriter.isAvailable():
            reason = "MP4 is written by ffmpeg, which is not installed: install it, or write a .gif"
            raise DataError("film", "file", f"{path.name}: {reason}")


def _placed(robot: Robot, recording: Recording, options: Film) -> tuple[Array, int]:
    """Return the frames (N, F, 3, 4) of all pictures; where there is no pose, those of the picture before."""
    count = recording.pictures(options.rate, options.speed)
    if count > MOST_PICTURES:
        quicker = options.speed * count / MOST_PICTURES
        reason = f"{count:.6g} pictures; a film has at most {MOST_PICTURES}: give a speed of {quicker:.2g} or more"
        raise DataError("film", "speed", reason)
    sampled = recording.sampled(options.rate, options.speed)
    frames = frames_at(robot, sampled.pose)[0]
    good = np.asarray(np.isfinite(frames).all(axis=(1, 2, 3)))
    if not good.any():
        raise DataError("film", "recording", f"{robot.name} can be at none of its poses")
    last = np.maximum.accumulate(np.where(good, np.arange(len(good)), int(np.argmax(good))))
    return frames[last], int(np.sum(~good))


def _corners(frames: Array) -> list[int]:
    """Return the pictures in which something is farthest out along one of the axes."""
    places = frames[..., 3]
    return sorted({int(k) for pick in (np.argmin, np.argmax) for k in pick(places, axis=0).ravel()})


def _canvas() -> FigureCanvasAgg:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(INCHES, INCHES), dpi=DOTS_PER_INCH, layout="constrained")
    figure.add_subplot()  # pyright: ignore[reportUnknownMemberType]
    return FigureCanvasAgg(figure)


def write_gif(path: Path, pictures: Iterator[Array], rate: float) -> None:
    """Write pictures (rows, columns, 3) as a film of so many in a second; at least one is needed."""
    from PIL import Image

    images = (Image.fromarray(one).quantize(COLOURS_OF_GIF) for one in pictures)
    with path.open("wb") as file:
        next(images).save(file, "GIF", save_all=True, append_images=images, duration=1000 / rate, loop=0)


def _write_mp4(path: Path, pictures: Iterator[Array], rate: float) -> None:
    import subprocess

    first = next(pictures)
    size = f"{first.shape[1]}x{first.shape[0]}"
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", f"{rate:g}", "-i", "-"]
    made = ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-f", "mp4", str(path)]
    command = ["ffmpeg", "-y", "-loglevel", "error", *given, *made]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None, "a pipe was asked for"
        try:
            process.stdin.write(first.tobytes())
            for picture in pictures:
                process.stdin.write(picture.tobytes())
        except BrokenPipeError:
            pass  # ffmpeg says below what is wrong
        except BaseException:
            process.kill()
            raise
        _, told = process.communicate()
    if process.returncode:
        reason = told.decode(errors="replace").strip()[-300:]
        raise DataError("film", "ffmpeg", f"it ended with code {process.returncode}: {reason}")


_WRITERS = {".gif": write_gif, ".mp4": _write_mp4}
"""What writes a film, by its ending."""
