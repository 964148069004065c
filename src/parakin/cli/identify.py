"""`parakin identify` estimates parameters from a log and says how far each can be trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from parakin.cli import plausible
from parakin.cli.application import RobotName, app, fail
from parakin.cli.outputs import check_room, finite, staged, working
from parakin.errors import LogFileError, ParakinError

if TYPE_CHECKING:
    from parakin.identification.identifying.identification import Identification

ROBOT_FILE = "identified.toml"
"""Name of the robot file that is written with the identified parameters."""


@app.command()
def identify(
    robot: RobotName,
    log: Annotated[Path, typer.Argument(help="The log: a CSV, NPZ or Parquet file.")],
    *,
    validate: Annotated[Path | None, typer.Option(help="Another log, on which the estimate is tested.")] = None,
    columns: Annotated[Path | None, typer.Option(help="TOML file that maps signals to columns and units.")] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help=r"Map one signal to a column and its unit, as 'q.leg1.arm=joint_1 \[deg]'. Repeatable."),
    ] = None,
    shared: Annotated[
        bool,
        typer.Option("--shared", help="Take identical legs to have the same bodies; friction and rotors may differ."),
    ] = False,
    model: Annotated[
        Literal["base", "nacelle"],
        typer.Option(help=r"Estimate all base parameters, or those of \[Vivas2003]."),
    ] = "base",
    method: Annotated[
        Literal["ordinary", "weighted", "robust"], typer.Option(help="Kind of least squares.")
    ] = "weighted",
    damage: Annotated[
        Literal["refuse", "cut"],
        typer.Option(help="Refuse a damaged log, or cut out the damage where that can be done."),
    ] = "refuse",
    accept: Annotated[
        list[str] | None, typer.Option(help="A kind of damage that is known to be harmless. Repeatable.")
    ] = None,
    cutoff: Annotated[
        float | None,
        typer.Option(
            callback=plausible.CUTOFF, help="Cut-off of the low-pass in Hz; by default taken from the spectrum."
        ),
    ] = None,
    average: Annotated[
        float, typer.Option(callback=plausible.SHORT_TIME, help="Time in s over which rows are averaged.")
    ] = 0.0,
    period: Annotated[
        float | None,
        typer.Option(callback=plausible.TIME, help="Period of the motion in s, for bootstrap and averages."),
    ] = None,
    average_periods: Annotated[
        bool, typer.Option("--average-periods", help="Estimate from the mean period of the log.")
    ] = False,
    reversals: Annotated[
        float | None,
        typer.Option(
            callback=plausible.SHORT_TIME,
            help="Time in s left out on either side of friction's reversals; by default 0.75 / cut-off.",
        ),
    ] = None,
    force_delay: Annotated[
        float | None,
        typer.Option(
            help="Sampling periods by which a force acts after its row; by default as the log says, or estimated."
        ),
    ] = None,
    write_anyway: Annotated[
        bool,
        typer.Option("--write-anyway", help="Write identified.toml even where something speaks against the estimate."),
    ] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for the files.")] = Path("out"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")] = False,
) -> None:
    """Identify a robot's dynamic parameters from a log; say how sure each is, and write a better robot file.

    The robot file is the prior. Writes parameters.csv, fit.png, residual.png, parameters.png, report.html and
    identified.toml. When forces act is read from the log, as `parakin simulate` writes it, or else estimated. Where the
    log cannot be trusted, no identified.toml is written unless asked for; where it shows nothing, nothing is.

    Example: parakin identify delta log.csv --validate other.csv --shared -o out
    """
    try:
        with working(f"{robot}: {log}") as tell:
            from parakin.identification.fit.moments import Cut
            from parakin.identification.identifying.identification import Question
            from parakin.identification.identifying.identify import identify as identify_robot
            from parakin.identification.logs.column_map import column_map_of_texts, load_column_map
            from parakin.identification.preparation.options import Preparation
            from parakin.robot import load

            if columns is not None and column:
                raise LogFileError(str(columns), "name columns in this file or by --column, not both")
            mapping = load_column_map(columns) if columns else column_map_of_texts(column or [])
            question = Question(
                columns=mapping,
                model=model,
                shared=shared,
                method=method,
                cut=Cut(period=period, average=average),
                average_periods=average_periods,
                reversals=reversals,
                write_anyway=write_anyway,
                preparation=Preparation(
                    policy=damage,
                    accept=frozenset(accept or ()),
                    cutoff=cutoff,
                    force_delay=force_delay,
                ),
            )
            prior = load(robot)
            check_room(output)
            identification = identify_robot(prior, log, question, validate, progress=tell)
            tell(f"{prior.name}: writing")
            with staged(output) as place:
                written = _write(identification, place)
    except ParakinError as error:
        fail(error)
    typer.echo(json.dumps(finite(identification.as_dict()), indent=1) if as_json else str(identification))
    typer.echo(f"written: {', '.join(str(output / name) for name in written)}", err=as_json)
    if ROBOT_FILE not in written and (output / ROBOT_FILE).exists():
        typer.echo(f"{output / ROBOT_FILE} is of an earlier run, not of this log", err=True)


def _write(identification: Identification, place: Path) -> list[str]:
    """The names of the files."""
    from parakin.plots.files import png
    from parakin.plots.identification import fit_figure, parameter_figure, residual_figure
    from parakin.plots.identification_report import report_of

    pictures = {
        "fit": (png(fit_figure(identification.validation)), "Measured and predicted force, and what is left"),
        "residual": (png(residual_figure(identification.validation)), "Spectrum and autocorrelation of the residual"),
        "parameters": (png(parameter_figure(identification.estimate)), "Parameters against the robot file"),
    }
    files: dict[str, bytes] = {f"{name}.png": content for name, (content, _) in pictures.items()}
    files["parameters.csv"] = identification.table_csv().encode()
    if identification.identified is not None:
        files[ROBOT_FILE] = identification.identified.to_toml().encode()
    files["report.html"] = report_of(identification, pictures).encode()
    for name, content in files.items():
        (place / name).write_bytes(content)
    return list(files)
