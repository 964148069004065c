"""Options of `parakin identify`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from parakin.cli import plausible

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
