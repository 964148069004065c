"""The command `parakin` itself, and how its commands end when something is wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, NoReturn

import typer

import parakin
from parakin.errors import ParakinError, RobotFileWarning
from parakin.files import printable

RobotName = Annotated[str, typer.Argument(help="A name from `parakin list`, or a robot file.")]
"""The argument that names a robot, in every command that takes one."""

AnyName = Annotated[str, typer.Argument(help="A name from `parakin list`, or a robot or mechanism file.")]
"""The argument that names a robot or a mechanism."""

FAILED_RUN = 4
"""Exit code of a command whose simulation did not run to its end."""


def fail(error: ParakinError) -> NoReturn:
    """Print an error on stderr, without a traceback, and end the command with exit code 1.

    Control characters, which file names and values in a message may have, are printed as `?`.
    """
    _tell(str(error))
    raise typer.Exit(1)


def _tell(message: str) -> None:
    """Print a message on stderr, its control characters as `?`."""
    typer.echo("\n".join(map(printable, message.split("\n"))), err=True)


@contextmanager
def _doubts_told() -> Generator[None]:
    """Tell of doubts about robot files as of anything else, each once; other warnings are Python's to show."""
    with warnings.catch_warnings():
        warnings.showwarning = _teller(warnings.showwarning)
        yield


def _teller(others: Callable[..., None]) -> Callable[..., None]:
    """Return what takes the place of `warnings.showwarning`; `others` shows what is not about robot files."""
    told: set[str] = set()

    def show(message: Warning | str, category: type[Warning], filename: str, lineno: int, *where: object) -> None:
        if not isinstance(message, RobotFileWarning):
            others(message, category, filename, lineno, *where)
        elif str(message) not in told:
            told.add(str(message))
            _tell(f"warning: {message}")

    return show


app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Parallel robots: kinematics, dynamics, identification, control and simulation.",
)
"""The command line; the modules of this package add their commands to it."""


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"parakin {parakin.__version__}")
        raise typer.Exit


@app.callback()
def main(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Parallel robots: kinematics, dynamics, identification, control and simulation."""
    context.with_resource(_doubts_told())
