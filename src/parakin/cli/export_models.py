"""`parakin export-fmu`, `export-mjcf` and `export-urdf` write a robot or its controller for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from parakin.cli import loop_options as option
from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import refuse, refuse_file_output, working
from parakin.errors import DataError, ParakinError


@app.command(name="export-fmu")
def export_fmu(
    robot: AnyName,
    *,
    controller: Annotated[
        str | None, typer.Option(help="Write this law of parakin.control.LAWS; without it, the robot as a plant.")
    ] = None,
    fmi: Annotated[Literal["2.0", "3.0"], typer.Option(help="Version of the standard.")] = "3.0",
    guard: Annotated[
        bool, typer.Option(help="Put the guard of the robot file around the law: it then says a status.")
    ] = True,
    period: option.Period = 1e-3,
    gains: option.Gains = None,
    force: option.Force = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file; ROBOT_LAW.fmu or ROBOT_plant.fmu by default.")
    ] = None,
) -> None:
    """Write a controller, or the robot as a plant, as a unit for co-simulation (FMI): C sources and a Linux binary.

    A controller takes set points and measurements and gives forces; a plant takes forces and gives positions and rates
    by the exact dynamics. A controller whose loop is unstable at home is refused, unless forced. Needs gcc. The file is
    written whole or not at all.

    Example: parakin export-fmu delta --controller computed_torque -o delta.fmu
    """
    try:
        with working(f"{robot}: {controller or 'plant'}"):
            from parakin import control, export
            from parakin.robot import load

            loaded = load(robot)
            target = Path(f"{loaded.name}_{controller or 'plant'}.fmu") if output is None else output
            if target.suffix != ".fmu":
                raise DataError("output", "name", f"must end in .fmu, got {str(target)!r}")
            refuse_file_output(target)
            model = loaded
            if controller is not None:
                model = option.with_gains(control.law(controller, loaded, period), gains, force)
            elif gains is not None:
                raise DataError("export-fmu", "gains", "a plant has none: name the law with --controller")
            written = export.export_fmu(model, target, version=fmi, guard=guard, force=force)
    except ParakinError as error:
        fail(error)
    typer.echo(f"written: {written}")


Output = Annotated[Path | None, typer.Option("-o", "--output", help="The file; ROBOT.xml or ROBOT.urdf by default.")]
"""The option that names the file."""


@app.command(name="export-mjcf")
def export_mjcf(robot: AnyName, *, output: Output = None) -> None:
    """Write a robot or mechanism as MJCF, MuJoCo's format, and tell what was said in other words.

    Loops are equality constraints; motors take parakin's forces as control; the keyframe "home" is home. The file is
    written whole or not at all.

    Example: parakin export-mjcf delta -o delta.xml
    """
    _export(robot, output, ".xml")


@app.command(name="export-urdf")
def export_urdf(robot: AnyName, *, output: Output = None) -> None:
    """Write a robot or mechanism as URDF, with the closed-loop YAML of the Gepetto tools beside it.

    FILE.urdf has the tree, FILE.yaml the loops, motors, balls, rotor inertia, springs and home. Both are written or
    neither.

    Example: parakin export-urdf delta -o delta.urdf
    """
    _export(robot, output, ".urdf")


def _export(robot: str, output: Path | None, ending: str) -> None:
    try:
        with working(f"{robot}: writing"):
            from parakin.export import write_mjcf, write_urdf
            from parakin.robot import load

            loaded = load(robot)
            target = Path(f"{loaded.name}{ending}") if output is None else output
            if target.suffix != ending:
                raise DataError("output", "name", f"must end in {ending}, got {str(target)!r}")
            refuse_file_output(target)
            try:
                exported = write_mjcf(loaded, target) if ending == ".xml" else write_urdf(loaded, target)
            except OSError as error:
                refuse(target, error)
    except ParakinError as error:
        fail(error)
    typer.echo(f"written: {', '.join(str(path) for path in exported.files)}")
    for note in exported.notes:
        typer.echo(f"note: {note}")
