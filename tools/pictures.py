"""Draw all robots and mechanisms of the library side by side: docs/robots.png of the README.

python tools/pictures.py [FILE]
"""

from __future__ import annotations

import sys
from math import ceil
from pathlib import Path

from matplotlib.figure import Figure

import parakin as pk
from parakin.files import replacing

COLUMNS, SIDE, DOTS_PER_INCH = 6, 2.75, 100
"""Pictures in a row, the side of each [inches], and dots in an inch."""


def gallery() -> Figure:
    """Return the figure."""
    shown = [*map(pk.load, pk.library())]
    rows = ceil(len(shown) / COLUMNS)
    figure = Figure(figsize=(SIDE * COLUMNS, SIDE * rows), layout="constrained")
    for k, robot in enumerate(shown):
        pk.draw(robot, ax=figure.add_subplot(rows, COLUMNS, k + 1))
    return figure


if __name__ == "__main__":
    with replacing(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/robots.png")) as partial:
        gallery().savefig(partial, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
