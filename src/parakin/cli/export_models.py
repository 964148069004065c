"""`parakin export-mjcf` and `parakin export-urdf` write a robot for MuJoCo, Pinocchio and other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import refuse, refuse_file_output, working
from parakin.errors import DataError, ParakinError

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
