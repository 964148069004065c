"""Figures as files, and as text for pages; the same figure always gives the same bytes."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

DOTS_PER_INCH = 150
"""Resolution of PNG files."""
rcParams["svg.hashsalt"] = "parakin"  # the same bytes for the same figure


def png(figure: Figure) -> bytes:
    """Return the figure as a PNG file.

    It is drawn once, which lays it out as well. `Figure.savefig` draws twice what has a layout, the first time for the
    layout alone; the bytes are the same.
    """
    stream, canvas, dots = BytesIO(), figure.canvas, figure.dpi
    figure.dpi = DOTS_PER_INCH
    try:
        FigureCanvasAgg(figure).print_png(stream, metadata={"Software": None})  # pyright: ignore[reportUnknownMemberType]
    finally:
        figure.dpi = dots
        figure.set_canvas(canvas)
    return stream.getvalue()


def svg(figure: Figure) -> bytes:
    """Return the figure as an SVG file."""
    stream = BytesIO()
    figure.savefig(stream, format="svg", dpi=DOTS_PER_INCH, metadata={"Date": None})  # pyright: ignore[reportUnknownMemberType]
    return stream.getvalue()


def data_uri(figure: Figure) -> str:
    """Return the figure as the `src` of an image in a page that stands alone."""
    return f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"


def save(figure: Figure, directory: Path, name: str) -> tuple[Path, Path]:
    """Write name.png and name.svg into a directory that exists, and return both paths."""
    paths = directory / f"{name}.png", directory / f"{name}.svg"
    for path, content in zip(paths, (png(figure), svg(figure)), strict=True):
        path.write_bytes(content)
    return paths
