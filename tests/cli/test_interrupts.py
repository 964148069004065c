"""A command that is interrupted ends as such, whatever a library makes of the interrupt."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer

from parakin.cli import app
from parakin.cli.application import interruptible


def converted_while_interrupted() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise TypeError("wrong number or type of arguments") from None


@pytest.fixture(autouse=True)
def _listening() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]  (pytest calls it)
    """Listen to interrupts, which jobs of a shell are begun with ignored."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


def test_an_interrupt_that_a_library_takes_for_another_error_is_an_interrupt() -> None:
    """CasADi's bindings say "wrong number or type of arguments" if it comes while they convert one."""
    usual = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interruptible():
        converted_while_interrupted()
    assert signal.getsignal(signal.SIGINT) is usual


def test_an_error_without_an_interrupt_stays_what_it_is() -> None:
    with pytest.raises(TypeError, match="wrong number"), interruptible():
        raise TypeError("wrong number or type of arguments")


WHILE_IMPORTING = """
import builtins
usual = builtins.__import__
def imported(name, globals=None, locals=None, fromlist=(), level=0):
    if "tune" in (fromlist or ()):
        raise KeyboardInterrupt
    return usual(name, globals, locals, fromlist, level)
builtins.__import__ = imported
from parakin.cli import app
"""


def test_an_interrupt_while_commands_are_imported_has_no_traceback() -> None:
    """Of 105 commands that were interrupted within two seconds four ended in one, here or where commands are made."""
    ended = subprocess.run([sys.executable, "-c", WHILE_IMPORTING], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "")


def test_an_interrupt_while_commands_are_made_ready_has_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_words: object, **_named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(typer.Typer, "__call__", interrupted)
    with pytest.raises(SystemExit) as ended:
        app(["list"])
    assert ended.value.code == 130
