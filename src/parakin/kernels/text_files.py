"""Several text files at once, none of them ever half-written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4


def write_texts(directory: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write file name -> text; files of these names are replaced, others stay.

    All texts are on the disk before the first file gets its name. A failed or interrupted call takes away what it had
    begun, the directory too if it made it. OSError where the directory cannot be written.
    """
    made = [place for place in (directory, *directory.parents) if not place.exists()]
    new = [directory / file for file in texts if not (directory / file).exists()]
    partial = {file: directory / f".{file}-{uuid4().hex}" for file in texts}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            partial[file].write_text(text, encoding="utf-8", newline="\n")
        for file in texts:
            os.replace(partial[file], directory / file)
    except BaseException:
        for path in (*partial.values(), *new):
            with contextlib.suppress(OSError):
                path.unlink()
        for place in made:
            with contextlib.suppress(OSError):
                place.rmdir()
        raise
    return [directory / file for file in texts]
