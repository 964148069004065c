"""All or nothing: an interrupted or failed write leaves what was there before."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from pathlib import Path
from uuid import uuid4


@contextlib.contextmanager
def replacing(target: Path) -> Generator[Path]:
    """A path beside the target to write to; it takes the target's place when the block ends without an error."""
    partial = target.with_name(f".{target.name}-{uuid4().hex}")
    try:
        yield partial
        os.replace(partial, target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
