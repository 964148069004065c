"""The command that writes C99 for a machine's own controller."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parakin.cli.app import RobotName, app, fail
from parakin.errors import ParakinError


@app.command(name="export-c")
def export_c(
    robot: RobotName,
    *,
    controller: Annotated[str | None, typer.Option(help="A law of parakin.control.LAWS: a whole controller.")] = None,
    model: Annotated[str, typer.Option(help="Without a controller: which model.")] = "inverse_dynamics",
    period: Annotated[float, typer.Option(help="Of the controller [s].")] = 1e-3,
    name: Annotated[str | None, typer.Option(help="In C; made of the robot and what it does by default.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for the files.")] = Path("out"),
) -> None:
    """Write a controller, or one model, as C99: no heap, constant work, with a self-test recorded from Python.

    A controller comes with a Makefile (`make check`) and a README of its interface. Files of the same names are
    replaced, others stay.

    Example: parakin export-c h4 --controller computed_torque -o h4_controller
    """
    from rich.console import Console

    from parakin import control
    from parakin.export import export_controller
    from parakin.robot import load

    console = Console(stderr=True)
    try:
        loaded = load(robot)
        with console.status(f"{loaded.name}: {controller or model}"):
            if controller is None:
                found = loaded.to_c(model, output, name or f"{loaded.name}_{model}")
            else:
                found = export_controller(control.law(controller, loaded, period), output, name)
    except ParakinError as error:
        fail(error)
    typer.echo(f"written: {', '.join(str(path) for path in vars(found).values())}")
