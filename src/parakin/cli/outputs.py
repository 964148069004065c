"""Output of commands: files that are written all or not at all, JSON, tables as text, and live pages."""

from __future__ import annotations

import errno
import math
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import typer

from parakin.files import printable, replacing, replacing_together

if TYPE_CHECKING:
    from parakin.robot import Robot
    from parakin.viewer.layers import Shown


@contextmanager
def working(text: str) -> Generator[Callable[[str], None]]:
    """Show on a terminal's stderr that something goes on, and what; yield the function that changes the text.

    Commands begin with this, before they import anything that takes time.
    """
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(printable(text))) as status:
        yield lambda changed: status.update(escape(printable(changed)))


def check_room(output: Path) -> None:
    """End the command now, before its work, if this directory cannot be made or written to.

    Nothing is left behind.
    """
    try:
        with tempfile.TemporaryFile(dir=next(place for place in (output, *output.parents) if place.exists())):
            pass
    except OSError as error:
        refuse(output, error)


def refuse_file_output(target: Path) -> None:
    """End the command now, before its work, if no file of this name can be written: no directory is made for it."""
    if target.is_dir():
        refuse(target, OSError(errno.EISDIR, "it is a directory; name a file"))
    if not target.parent.is_dir():
        refuse(target, OSError(errno.ENOENT, f"there is no directory {target.parent}"))
    check_room(target.parent)


def write_whole(target: Path, content: bytes) -> None:
    """Write a file whole, or end the command and leave what was there before."""
    try:
        with replacing(target) as partial:
            partial.write_bytes(content)
    except OSError as error:
        refuse(target, error)


def refuse(output: Path, error: OSError) -> NoReturn:
    """End the command because a file or directory cannot be written."""
    typer.echo(f"{output}: cannot be written: {error.strerror or error}", err=True)
    raise typer.Exit(1) from None


@contextmanager
def staged(output: Path) -> Generator[Path]:
    """Yield a directory to write to. Its files go to `output` when the block has ended well; otherwise nothing does."""
    try:
        with replacing_together(output) as place:
            yield place
    except OSError as error:
        refuse(output, error)


def finite(table: Mapping[str, object]) -> dict[str, object]:
    """Return a table that JSON can hold: arrays become lists, NaN and infinity become null."""
    return {str(key): _finite(value) for key, value in table.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return finite(cast(dict[str, object], value))
    if hasattr(value, "tolist"):  # numpy's, which is not imported for this
        return _finite(value.tolist())
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in cast(list[object], value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as text that pipes do not cut: the first column flush left, the others flush right."""
    lines = [list(heads), *map(list, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(heads))]
    texts = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in texts)


def write_page(path: Path, robot: Robot, results: Sequence[Shown]) -> None:
    """Write the live page of a robot with results as layers."""
    from parakin.viewer import view

    path.write_text(view(robot, layers=results).html, encoding="utf-8", newline="\n")
