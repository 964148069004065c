"""Options of `parakin simulate` that no other command has, each with its help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from parakin.control import Law

Payload = Annotated[float, typer.Option(help="Mass in kg that the robot carries and the controller does not know of.")]
"""Mass that the robot carries [kg]."""
PayloadTime = Annotated[float, typer.Option(help="Time in s at which the payload is picked up.")]
"""Time at which it is picked up [s]."""
Mismatch = Annotated[
    list[str] | None,
    typer.Option(
        help="By how many % parameters of the plant differ from the controller's, as 20 (all of them) or "
        "'platform.*=-30'. Repeatable."
    ),
]
"""By how many % parameters of the plant are off."""
Smoothing = Annotated[
    float,
    typer.Option(
        help="Rate in m/s or rad/s below which the sign in the plant's Coulomb friction is smooth: 0.001 for logs to "
        "be identified, in which 0.01 is seen."
    ),
]
"""Rate below which Coulomb friction is smooth [m/s or rad/s]."""
Compare = Annotated[str | None, typer.Option(help="Compare these laws instead, as pid,feedforward.")]
"""Laws to compare."""
Rule = Annotated[
    Literal["margin", "noise"],
    typer.Option(help="What compared laws are given alike: the delay margin or the force noise."),
]
"""What compared laws are given alike."""
Target = Annotated[
    float | None,
    typer.Option(
        help="How much of it: a margin in s, a noise in N or N m; by default what the first law has at 60 rad/s."
    ),
]
"""How much of it."""
Guard = Annotated[
    bool, typer.Option("--guard", help="Put the guard of the robot file around the law, as exported controllers have.")
]
"""Whether laws are guarded."""
Float32 = Annotated[bool, typer.Option("--float32", help="Run the law in single precision, as `export-c --float32`.")]
"""Whether laws run in single precision."""
State = Annotated[bool, typer.Option("--state", help="Record the state of the law, too.")]
"""Whether the state of the law is recorded."""
Form = Annotated[Literal["csv", "npz", "parquet"], typer.Option("--format", help="Format of the logs.")]
"""Format of logs."""


def as_exported(law: Law, guard: bool, float32: bool) -> Law:
    """Return a law as C would have it: guarded, or in single precision, or both."""
    from parakin.control import guarded

    law = guarded(law) if guard else law
    return law.in_single() if float32 else law
