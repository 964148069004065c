"""Files of a command: all of them, or none."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer

from parakin.files import replacing_together


def check_room(output: Path) -> None:
    """Before long work, not after it: can this directory be made or written to? Nothing is left behind."""
    try:
        with tempfile.TemporaryFile(dir=next(place for place in (output, *output.parents) if place.exists())):
            pass
    except OSError as error:
        _refuse(output, error)


def _refuse(output: Path, error: OSError) -> NoReturn:
    typer.echo(f"{output}: cannot be written: {error.strerror or error}", err=True)
    raise typer.Exit(1) from None


@contextmanager
def staged(output: Path) -> Generator[Path]:
    """Yield a directory to write to. Its files go to `output` when the block has ended well; otherwise nothing does."""
    try:
        with replacing_together(output) as place:
            yield place
    except OSError as error:
        _refuse(output, error)


def finite(value: Any) -> Any:
    """The same for JSON, which has arrays as lists and neither NaN nor infinity."""
    if isinstance(value, dict):
        return {str(key): finite(entry) for key, entry in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if hasattr(value, "tolist"):  # numpy's, which is not imported for this
        return finite(value.tolist())
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]  # pyright: ignore[reportUnknownVariableType]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text that pipes do not cut: the first column to the left, the others to the right."""
    lines = [list(heads), *map(list, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(heads))]
    texts = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in texts)
