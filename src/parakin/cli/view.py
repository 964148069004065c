"""`parakin view` writes a robot as one live page and opens it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli.application import AnyName, app, fail
from parakin.cli.loop_options import check_payload
from parakin.cli.motion_options import motion_or_samples
from parakin.cli.outputs import refuse, working
from parakin.errors import ParakinError

if TYPE_CHECKING:
    from parakin.viewer import View


@app.command()
def view(
    robot: AnyName,
    *,
    motion: Annotated[
        str | None, typer.Option(help="A motion to play: its name, or a file of `parakin motion` or `parakin excite`.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="A log to play: a file of `parakin simulate`, or one that `identify` takes.")
    ] = None,
    layer: Annotated[
        list[Path] | None,
        typer.Option(
            help="A result to show in the scene: map.npz, workspace.npz, singular_poses.npz; may be repeated."
        ),
    ] = None,
    payload: Annotated[
        float, typer.Option(help="Mass in kg that the robot carries, at the platform's origin E.")
    ] = 0.0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File for the page, by default ROBOT.html.")
    ] = None,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Write a robot as one page that computes: take hold of the platform, move motors, play a motion or a log.

    With --layer the page also shows maps, workspaces and singular curves of `parakin map` and `parakin workspace`.

    The page needs no server, no network and nothing installed: open it from disk, send it by e-mail. The robot's
    kinematics and forces run in it.

    Example: parakin view delta --motion pick_and_place -o delta.html
    """
    try:
        with working(f"{robot}: making the page"):
            page = _page(robot, motion, log, layer or [], payload)
    except ParakinError as error:
        fail(error)
    target = output or Path(f"{page.name}.html")
    try:
        page.save(target)
    except OSError as error:
        refuse(target, error)
    typer.echo(f"written: {target} ({len(page.html.encode()) / 1000:.0f} kB)")
    if opened:
        import webbrowser

        webbrowser.open(target.resolve().as_uri())


def _page(name: str, motion: str | None, log: Path | None, layers: list[Path], payload: float) -> View:
    from parakin.robot import load
    from parakin.viewer import view as viewed

    loaded = load(name)
    if payload:
        check_payload(loaded, payload)
        loaded = loaded.with_payload(payload)
    played = None if motion is None else motion_or_samples(motion, loaded)
    return viewed(loaded, motion=played, log=log, layers=layers)
