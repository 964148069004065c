"""`parakin identify` estimates parameters from a log and says how far each can be trusted."""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from parakin.cli import plausible
from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import check_room, finite, staged, working
from parakin.errors import LogFileError, ParakinError

if TYPE_CHECKING:
    from parakin.identification.identifying.identification import Identification

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's settings M_TRIM_THRESHOLD and M_MMAP_THRESHOLD in malloc.h."""
KEPT = 2**29
"""Free memory that the process keeps, and size from which a block is mapped by itself [bytes]: more than is needed."""


def keep_freed_memory() -> None:
    """Let this process keep memory that it frees, where glibc allocates it, and elsewhere do nothing.

    By default glibc gives large blocks back to the system at once and gets them anew, a page at a time, for each block
    of a log: a fifth of a million faults with 10^6 rows. For the whole process, so a matter of commands alone.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for setting in (TRIM_THRESHOLD, MMAP_THRESHOLD):
            mallopt(setting, KEPT)


ROBOT_FILE = "identified.toml"
"""Name of the robot file that is written with the identified parameters."""
LogFile = Annotated[Path, typer.Argument(help="The log: a CSV, NPZ or Parquet file.")]
"""The log."""
Validate = Annotated[Path | None, typer.Option(help="Another log, on which the estimate is tested.")]
"""Another log, for validation."""
Columns = Annotated[Path | None, typer.Option(help="TOML file that maps signals to columns and units.")]
"""File that maps signals to columns."""
ColumnTexts = Annotated[
    list[str] | None,
    typer.Option(help=r"Map one signal to a column and its unit, as 'q.leg1.arm=joint_1 \[deg]'. Repeatable."),
]
"""Texts that map signals to columns."""
Shared = Annotated[
    bool,
    typer.Option("--shared", help="Take identical legs to have the same bodies; friction and rotors may differ."),
]
"""Whether identical legs share their bodies."""
Model = Annotated[
    Literal["base", "nacelle"],
    typer.Option(help=r"Estimate all base parameters, or those of \[Vivas2003]."),
]
"""What is estimated."""
Method = Annotated[Literal["ordinary", "weighted", "robust"], typer.Option(help="Kind of least squares.")]
"""Kind of least squares."""
Policy = Annotated[
    Literal["refuse", "cut"],
    typer.Option(help="Refuse a damaged log, or cut out the damage where that can be done."),
]
"""What is done about damage."""
Accept = Annotated[list[str] | None, typer.Option(help="A kind of damage that is known to be harmless. Repeatable.")]
"""Kinds of damage that are accepted."""
Cutoff = Annotated[
    float | None,
    typer.Option(callback=plausible.CUTOFF, help="Cut-off of the low-pass in Hz; by default taken from the spectrum."),
]
"""Cut-off of the low-pass [Hz]."""
Average = Annotated[
    float | None,
    typer.Option(
        callback=plausible.SHORT_TIME,
        help="Time in s over which rows are averaged; 0 for none. Without it: one cycle of the low-pass's cut-off.",
    ),
]
"""Time over which rows are averaged [s]."""
Period = Annotated[
    float | None,
    typer.Option(callback=plausible.TIME, help="Period of the motion in s, for bootstrap and averages."),
]
"""Period of the motion [s]."""
AveragePeriods = Annotated[bool, typer.Option("--average-periods", help="Estimate from the mean period of the log.")]
"""Whether the mean period is used."""
Reversals = Annotated[
    float | None,
    typer.Option(
        callback=plausible.SHORT_TIME,
        help="Time in s left out on either side of friction's reversals; by default 0.75 / cut-off, or half the log.",
    ),
]
"""Time left out around friction's reversals [s]."""
ForceDelay = Annotated[
    float | None,
    typer.Option(
        help="Sampling periods by which a force acts after its row; by default as the log says, or estimated."
    ),
]
"""Sampling periods by which forces act later."""
WriteAnyway = Annotated[
    bool,
    typer.Option("--write-anyway", help="Write identified.toml even where something speaks against the estimate."),
]
"""Whether identified.toml is written in any case."""


@app.command()
def identify(
    robot: AnyName,
    log: LogFile,
    *,
    validate: Validate = None,
    columns: Columns = None,
    column: ColumnTexts = None,
    shared: Shared = False,
    model: Model = "base",
    method: Method = "weighted",
    damage: Policy = "refuse",
    accept: Accept = None,
    cutoff: Cutoff = None,
    average: Average = None,
    period: Period = None,
    average_periods: AveragePeriods = False,
    reversals: Reversals = None,
    force_delay: ForceDelay = None,
    write_anyway: WriteAnyway = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for the files.")] = Path("out"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")] = False,
) -> None:
    """Identify a robot's dynamic parameters from a log; say how sure each is, and write a better robot file.

    The robot file is the prior. Writes parameters.csv, fit.png, residual.png, parameters.png, report.html and
    identified.toml. When forces act is read from the log, as `parakin simulate` writes it, or else estimated. Where the
    log cannot be trusted, no identified.toml is written unless asked for, and the exit code is 1; where it shows
    nothing, nothing is.

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
            keep_freed_memory()
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
    if ROBOT_FILE not in written and model == "base":
        raise typer.Exit(1)


def _write(identification: Identification, place: Path) -> list[str]:
    """The names of the files."""
    from parakin.cli.draw import picture_of
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
    files["report.html"] = report_of(identification, pictures, picture_of(identification.robot)).encode()
    for name, content in files.items():
        (place / name).write_bytes(content)
    return list(files)
