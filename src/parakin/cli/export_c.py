"""`parakin export-c` writes C99 for a machine's controller."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parakin.cli import loop_options as option
from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import working
from parakin.errors import CExportError, ParakinError


@app.command(name="export-c")
def export_c(
    robot: AnyName,
    *,
    controller: Annotated[
        str | None, typer.Option(help="Write a whole controller with this law of parakin.control.LAWS.")
    ] = None,
    model: Annotated[str, typer.Option(help="Without --controller: the model that is written.")] = "inverse_dynamics",
    guard: Annotated[
        bool, typer.Option(help="Put the guard of the robot file around the law: its step then returns a status.")
    ] = True,
    period: option.Period = 1e-3,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the files and functions; by default made of the robot and the law or model."),
    ] = None,
    float32: Annotated[
        bool,
        typer.Option(
            "--float32",
            help="Write the controller in single precision; refused where tracking differs by more than 1 % and 1 um.",
        ),
    ] = False,
    force: option.Force = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for the files.")] = Path("out"),
) -> None:
    """Write a controller, or one model, as C99: no heap, constant work, with a self-test recorded from Python.

    A controller comes with a page of its interface, a module that calls it from Python, and a Makefile (`make check`),
    which several controllers in one directory share. Files of the same names are replaced, others stay. A controller
    whose loop is unstable at home is refused, unless forced.

    Example: parakin export-c h4 --controller computed_torque -o h4_controller
    """
    try:
        if float32 and controller is None:
            raise CExportError(model, "--float32 is for controllers: choose a law with --controller")
        with working(f"{robot}: {controller or model}"):
            from parakin.robot import load

            loaded = load(robot)
            if controller is None:
                sources = loaded.to_c(model, output, name or f"{loaded.name}_{model}")
            else:
                from parakin import control
                from parakin.export import export_controller

                law = control.law(controller, loaded, period)
                chosen = law.in_single() if float32 else law
                sources = export_controller(chosen, output, name, guard=guard, force=force)
    except ParakinError as error:
        fail(error)
    typer.echo(f"written: {', '.join(str(path) for path in vars(sources).values())}")
