"""Figures as files, and as text for pages; the same figure always gives the same bytes."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

from matplotlib import rcParams
from matplotlib.figure import Figure

DOTS_PER_INCH = 150
"""Resolution of PNG files."""
rcParams["svg.hashsalt"] = "parakin"  # the same bytes for the same figure


def png(figure: Figure) -> bytes:
    """Return the figure as a PNG file."""
    return _rendered(figure, "png", {"Software": None})


def svg(figure: Figure) -> bytes:
    """Return the figure as an SVG file."""
    return _rendered(figure, "svg", {"Date": None})


def data_uri(figure: Figure) -> str:
    """Return the figure as the `src` of an image in a page that stands alone."""
    return f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"


def save(figure: Figure, directory: Path, name: str) -> tuple[Path, Path]:
    """Write name.png and name.svg into a directory that exists, and return both paths."""
    paths = directory / f"{name}.png", directory / f"{name}.svg"
    for path, content in zip(paths, (png(figure), svg(figure)), strict=True):
        path.write_bytes(content)
    return paths


def _rendered(figure: Figure, form: str, metadata: dict[str, str | None]) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format=form, dpi=DOTS_PER_INCH, metadata=metadata)  # pyright: ignore[reportUnknownMemberType]
    return stream.getvalue()
