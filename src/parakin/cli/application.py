"""The command `parakin` itself, and how its commands end when something is wrong."""

from __future__ import annotations

import copy
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from types import FrameType
from typing import Annotated, NoReturn, cast

import typer
from typer.core import TyperCommand
from typer.models import CommandFunctionType, CommandInfo

import parakin
from parakin.errors import LoopWarning, ParakinError, RobotFileWarning
from parakin.files import printable

AnyName = Annotated[str, typer.Argument(help="A name from `parakin list`, or a robot or mechanism file.")]
"""The argument that names a robot or a mechanism, in every command that takes one."""

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
    """Tell of doubts about robot files and loops as of anything else, each once; others are Python's to show."""
    with warnings.catch_warnings():
        warnings.showwarning = _teller(warnings.showwarning)
        yield


def _teller(others: Callable[..., None]) -> Callable[..., None]:
    """Return what takes the place of `warnings.showwarning`; `others` shows what is not parakin's."""
    told: set[str] = set()

    def show(message: Warning | str, category: type[Warning], filename: str, lineno: int, *where: object) -> None:
        if not isinstance(message, RobotFileWarning | LoopWarning):
            others(message, category, filename, lineno, *where)
        elif str(message) not in told:
            told.add(str(message))
            _tell(f"warning: {message}")

    return show


class Command(TyperCommand):
    """A command that refuses options with an empty text, which as a folder would be the one that one is in."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Read the words of a command line."""
        for option, word in pairwise([*args, "."]):
            if option.startswith("-") and (word == "" or option.endswith("=")):
                raise typer.BadParameter(
                    f"{option.rstrip('=')} is given an empty text; the folder that you are in is .", ctx
                )
        return super().parse_args(ctx, args)

    def invoke(self, ctx: typer.Context) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Run the command."""
        with interruptible():
            return super().invoke(ctx)


@contextmanager
def interruptible() -> Generator[None]:
    """End a command that is interrupted as such, also where a library takes the KeyboardInterrupt for another error.

    Bindings of C++ take it for a wrong argument if it comes while they convert one.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except typer.Exit:
        raise
    except Exception as error:
        if interrupts:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, usual)


class CommandLine(typer.Typer):
    """A command line that makes ready what is asked for, instead of every option of all its commands each time."""

    def command(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, name: str | None = None
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Add a function as a command."""
        return super().command(name, cls=Command)

    def __call__(self, *args: object, **named: object) -> object:
        """Run a command; its words are those of the process, if none are given."""
        every = self.registered_commands
        words = args[0] if args else named.get("args")
        self.registered_commands = _asked_for(every, sys.argv[1:] if words is None else cast("Sequence[str]", words))
        try:
            return super().__call__(*args, **named)
        except KeyboardInterrupt:  # before typer listens, while it makes commands ready
            raise SystemExit(130) from None
        finally:
            self.registered_commands = every


def _asked_for(every: list[CommandInfo], words: Sequence[str]) -> list[CommandInfo]:
    """Return the commands that some words need: one that is named, or all; in the list of commands, without options."""
    if list(words) == ["--help"]:
        return [_without_options(command) for command in every]
    named = [command for command in every if _name(command) in words[:1]]
    return named or every


def _name(command: CommandInfo) -> str | None:
    """Return the name by which a command is called."""
    made_of = command.callback.__name__.lower().replace("_", "-") if command.callback else None
    return command.name or made_of


def _without_options(command: CommandInfo) -> CommandInfo:
    """Return a command of the same name and help that takes nothing."""

    def bare() -> None:
        pass

    bare.__doc__ = command.callback.__doc__
    copied = copy.copy(command)
    copied.name, copied.callback = _name(command), bare
    return copied


app = CommandLine(
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
