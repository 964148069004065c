"""Write the table of docs/export.md: what single precision costs each law on each robot.

python tools/float32_table.py
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import parakin as pk
from parakin import control
from parakin.errors import LoopWarning, ParakinError
from parakin.export import precision
from parakin.export.controller import FLOOR, SHARE, Precision
from parakin.kernels import compiler

PAGE = Path(__file__).parents[1] / "docs" / "export.md"
MARKS = "<!-- float32 -->", "<!-- /float32 -->"


def rows() -> Iterator[str]:
    """Yield the lines of the table."""
    laws = list(control.LAWS)
    yield f"| robot | {' | '.join(f'`{law}`' for law in laws)} |"
    yield f"|{'---|' * (len(laws) + 1)}"
    for name in pk.library():
        cells = [name, *(cell(name, law) for law in laws)]
        print(*cells, sep=" | ", flush=True)
        yield f"| {' | '.join(cells)} |"


def cell(robot: str, law: str) -> str:
    """Return what single precision changes, or why there is no such number."""
    try:
        found = precision(control.guarded(control.law(law, pk.load(robot))))
    except ParakinError as error:
        print(robot, law, error, flush=True)
        return "stopped by the guard" if "guard stops" in str(error) else "none"
    old, new = max((found.rms, found.peak), key=lambda pair: abs(pair[1] - pair[0]) / max(SHARE * pair[0], FLOOR))
    return f"{changed(old, new)}{mark(found)}"


def changed(old: float, new: float) -> str:
    """Return the change in millionths, and as a share."""
    return f"{1e6 * abs(new - old):.2g} ({100 * abs(new / old - 1):.1g} %)"


def mark(found: Precision) -> str:
    """Return the sign of radians, and whether the law is refused."""
    return ("*" if found.unit == "rad" else "") + ("" if found.accepted else " **refused**")


if __name__ == "__main__":
    compiler.EFFORT = 0  # the same bits in a quarter of the time
    warnings.simplefilter("ignore", LoopWarning)
    table = "\n".join(rows())
    before, rest = PAGE.read_text().split(MARKS[0])
    _, after = rest.split(MARKS[1])
    PAGE.write_text("".join([before, MARKS[0], "\n", table, "\n", MARKS[1], after]))
