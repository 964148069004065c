"""The command `parakin` itself, and how its commands end when something is wrong."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

import parakin
from parakin.errors import ParakinError
from parakin.files import printable

RobotName = Annotated[str, typer.Argument(help="A name from `parakin list`, or a robot file.")]
"""The argument that names a robot, in every command that takes one."""

FAILED_RUN = 4
"""Exit code of a command whose simulation did not run to its end."""

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Parallel robots: kinematics, dynamics, identification, control and simulation.",
)
"""The command line; the modules of this package add their commands to it."""


def fail(error: ParakinError) -> NoReturn:
    """Print an error on stderr, without a traceback, and end the command with exit code 1.

    Control characters, which file names and values in a message may have, are printed as `?`.
    """
    typer.echo("\n".join(map(printable, str(error).split("\n"))), err=True)
    raise typer.Exit(1)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"parakin {parakin.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Parallel robots: kinematics, dynamics, identification, control and simulation."""
