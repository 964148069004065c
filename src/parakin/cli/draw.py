"""`parakin draw` writes a picture of a robot, or a film of its motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli.application import AnyName, app, fail
from parakin.cli.motion_options import motion_or_samples, numbers_of
from parakin.cli.outputs import refuse_file_output, working, write_whole
from parakin.errors import DataError, LimitError, ParakinError

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.viewer.recording import Recording

STILLS, FILMS = (".png", ".svg"), (".gif", ".mp4")
"""Endings of pictures and of films."""


@app.command()
def draw(
    robot: AnyName,
    *,
    pose: Annotated[
        str | None, typer.Option(help="The pose, numbers in m and rad with commas between them; home by default.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="A log or motion file with poses or actuator positions: makes a film.")
    ] = None,
    motion: Annotated[str | None, typer.Option(help="The name of a motion: makes a film.")] = None,
    view: Annotated[str, typer.Option(help="The view: iso, front, side or top.")] = "iso",
    masses: Annotated[bool, typer.Option("--masses", help="Show centres of mass.")] = False,
    speed: Annotated[float, typer.Option(help="How many times as fast as it was a film runs.")] = 1.0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="ROBOT.png by default; .svg, and .gif or .mp4 for films.")
    ] = None,
) -> None:
    """Draw a robot or mechanism at a pose, or write a film of a log or motion.

    MP4 needs ffmpeg; GIF needs nothing. Files are written whole or not at all.

    Example: parakin draw delta --motion pick_and_place -o delta.gif
    """
    moving, notes = log is not None or motion is not None, ()
    try:
        with working(f"{robot}: drawing") as told:
            from parakin.robot import load

            loaded = load(robot)
            target = Path(f"{loaded.name}.gif" if moving else f"{loaded.name}.png") if output is None else output
            _check(target, pose, log, motion, speed)
            refuse_file_output(target)
            if moving:
                from parakin.viewer.film import Film, film

                options = Film(view, speed, masses=masses)
                recording = _recording(loaded, log, motion)
                lost = film(loaded, recording, target, options, lambda k, n: told(f"{loaded.name}: picture {k} of {n}"))
            else:
                lost = 0
                values = None if pose is None else numbers_of("--pose", pose)
                notes = _beyond(loaded, values)
                ending = target.suffix.lower()
                write_whole(target, picture_of(loaded, values, view=view, masses=masses, ending=ending))
    except ParakinError as error:
        fail(error)
    for note in notes:
        typer.echo(f"note: {note}")
    typer.echo(f"written: {target}")
    if lost:
        typer.echo(f"{lost} pictures repeat the one before: there is no pose, or one out of reach", err=True)


def picture_of(
    robot: Robot,
    pose: list[float] | None = None,
    *,
    view: str = "iso",
    masses: bool = False,
    ending: str = ".png",
) -> bytes:
    """Return a picture of a robot as a file that ends in .png or .svg."""
    from matplotlib.figure import Figure

    from parakin.plots.files import png, svg
    from parakin.viewer import draw as drawn

    figure = drawn(robot, pose, view=view, masses=masses).figure
    assert isinstance(figure, Figure), "axes of a new figure"
    return svg(figure) if ending == ".svg" else png(figure)


def _beyond(robot: Robot, pose: list[float] | None) -> tuple[str, ...]:
    """What is beyond a stroke or a joint limit at a pose, which is drawn all the same."""
    if pose is None:
        return ()
    try:
        robot.inverse_kinematics(pose)
    except LimitError as error:
        return (str(error),)
    return ()


def _check(target: Path, pose: str | None, log: Path | None, motion: str | None, speed: float) -> None:
    """Refuse what does not fit together."""
    moving = log is not None or motion is not None
    allowed, what = (FILMS, "film") if moving else (STILLS, "picture")
    if target.suffix.lower() not in allowed:
        hint = "" if moving else "; a film is made of --log or --motion"
        raise DataError("draw", "--output", f"a {what} ends in {' or '.join(allowed)}, got {target.name}{hint}")
    if sum(one is not None for one in (pose, log, motion)) > 1:
        raise DataError("draw", "--pose, --log, --motion", "give one of them")
    if not 0 < speed < 1e6:
        raise DataError("draw", "--speed", f"must be above 0, got {speed:g}")


def _recording(robot: Robot, log: Path | None, motion: str | None) -> Recording:
    from parakin.viewer.recording import recording_of_motion
    from parakin.viewer.recording_files import read_recording

    if log is not None:
        return read_recording(log, robot)
    return recording_of_motion(motion_or_samples(motion or "", robot))
