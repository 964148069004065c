"""`parakin import` makes a robot file of a file of another program, and reports what became of what it holds."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from parakin.cli.application import app, fail
from parakin.cli.outputs import refuse_file_output, working, write_whole
from parakin.errors import ParakinError, RefusedImportError
from parakin.files import printable

if TYPE_CHECKING:
    from parakin.mechanism.readers import ImportReport
    from parakin.robot import Robot


@app.command(name="import")
def import_file(
    file: Annotated[
        Path, typer.Argument(help="An MJCF, URDF or SDF file, a Klipper printer.cfg or a Marlin Configuration.h.")
    ],
    *,
    output_file: Annotated[
        Path | None, typer.Option("-o", "--output-file", help="Write the robot file here (.toml).")
    ] = None,
    output: Annotated[str | None, typer.Option(help="The body or frame (MJCF: site) that is the output.")] = None,
    base: Annotated[str | None, typer.Option(help="The body that is fixed to the world.")] = None,
    drive: Annotated[
        list[str] | None, typer.Option(help="A joint that has a motor; give it again for each, and no other has one.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Leave this out although it matters: a name that the import refuses.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where included files and meshes may be; the model's own folder if not given.")
    ] = None,
    loops: Annotated[
        Path | None, typer.Option(help="The YAML file that closes a URDF's loops, if not beside it.")
    ] = None,
    balance_inertia: Annotated[
        bool,
        typer.Option("--balance-inertia", help="Put their mean in place of principal moments that no body can have."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON, for programs.")] = False,
) -> None:
    """Import a robot from a file of another program: a robot file, and a report of what is not in it.

    MJCF is read by MuJoCo (parakin's extra mjcf), URDF with the loops of Gepetto's tools (a YAML file beside it).
    The report lists what was merged, approximated, dropped or chosen. What a mechanism file cannot say, although the
    mechanism depends on it, is refused with exit code 1, unless --without names it.

    Example: parakin import robot.urdf -o robot.toml
    """
    if output_file is not None:
        refuse_file_output(output_file)
    try:
        with working(str(file)) as tell:
            from parakin.mechanism.readers import Choices, import_robot
            from parakin.mechanism.readers.choosing import BALANCED
            from parakin.robot.loading import imported_robot

            named = Choices(
                output,
                base,
                tuple(drive or ()),
                tuple(without or ()),
                None if loops is None else str(loops),
                None if folder is None else str(folder),
                balance_inertia,
            )
            imported = import_robot(file, named)
            tell(f"{file}: closing the loops")
            robot = imported_robot(imported)
    except ParakinError as error:
        _fail_import(error, as_json)
    if output_file is not None:
        write_whole(output_file, robot.to_toml().encode("utf-8"))
    _tell(imported.report, robot, as_json)
    if balance_inertia:
        balanced = [body.name for body in robot.graph_description.bodies if (body.source or "").startswith(BALANCED)]
        if balanced:
            names = printable(", ".join(balanced))
            typer.echo(f"warning: {BALANCED}, a guess that forces depend on: {names}", err=True)
    if output_file is not None:
        typer.echo(f"written: {output_file}", err=True)


def _tell(report: ImportReport, robot: Robot, as_json: bool) -> None:
    """Print a report with what a pose and the motors of the robot are."""
    if as_json:
        facts = {"pose": robot.pose_names, "motors": robot.actuator_names, "bodies": robot.body_names}
        typer.echo(json.dumps({"imported": True} | asdict(report) | facts, indent=1))
        return
    for line in str(report).split("\n"):
        typer.echo(printable(line))
    typer.echo(f"pose: {', '.join(robot.pose_names)}")
    typer.echo(f"motors: {', '.join(robot.actuator_names) or 'none'}")


def _fail_import(error: ParakinError, as_json: bool) -> NoReturn:
    """End with exit code 1; as JSON with all entries of the report if that is asked for."""
    if as_json and isinstance(error, RefusedImportError):
        entries = [dict(zip(("kind", "place", "words"), entry, strict=True)) for entry in error.entries]
        typer.echo(json.dumps({"imported": False, "file": error.file, "entries": entries}, indent=1))
        raise typer.Exit(1) from None
    fail(error)
