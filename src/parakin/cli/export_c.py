"""`parakin export-c` writes C99 for a machine's controller."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parakin.cli import loop_options as option
from parakin.cli import worn_options as worn
from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import working
from parakin.errors import ParakinError


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
    notch: worn.Notch = None,
    shape: worn.Shape = None,
    observer: worn.Observer = None,
    force: option.Force = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for the files.")] = Path("out"),
) -> None:
    """Write a controller, or one model, as C99: no heap, constant work, with a self-test recorded from Python.

    A controller comes with a page of its interface, a module that calls it from Python, and a Makefile (`make check`),
    which several controllers in one directory share. Files of the same names are replaced, others stay. A controller
    whose loop is unstable at home is refused, unless forced. An observer of --observer expects that forces act one tick
    after they were asked for.

    Example: parakin export-c h4 --controller computed_torque -o h4_controller
    """
    try:
        with working(f"{robot}: {controller or model}"):
            from parakin.robot import load

            loaded = load(robot)
            parts = worn.Worn(notch, shape, observer, delay=True)
            if controller is None:
                parts.refuse_alone("export-c")
                sources = loaded.to_c(model, output, name or f"{loaded.name}_{model}")
            else:
                from parakin import control
                from parakin.export import export_controller

                law = parts.put_on(control.law(controller, loaded, period))
                sources = export_controller(law, output, name, guard=guard, force=force)
    except ParakinError as error:
        fail(error)
    typer.echo(f"written: {', '.join(str(path) for path in vars(sources).values())}")
