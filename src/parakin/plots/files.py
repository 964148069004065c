"""Figures as files and as text for pages."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

from matplotlib import rcParams
from matplotlib.figure import Figure

DOTS_PER_INCH = 150
rcParams["svg.hashsalt"] = "parakin"  # the same bytes for the same figure


def png(figure: Figure) -> bytes:
    return _rendered(figure, "png", {"Software": None})


def svg(figure: Figure) -> bytes:
    return _rendered(figure, "svg", {"Date": None})


def data_uri(figure: Figure) -> str:
    """For the `src` of an image in a page that stands alone."""
    return f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"


def save(figure: Figure, directory: Path, name: str) -> tuple[Path, Path]:
    """name.png and name.svg."""
    paths = directory / f"{name}.png", directory / f"{name}.svg"
    for path, content in zip(paths, (png(figure), svg(figure)), strict=True):
        path.write_bytes(content)
    return paths


def _rendered(figure: Figure, form: str, metadata: dict[str, str | None]) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format=form, dpi=DOTS_PER_INCH, metadata=metadata)  # pyright: ignore[reportUnknownMemberType]
    return stream.getvalue()
