"""Count the base parameters of every robot of the library and write the table of docs/theory/base_parameters.md.

python tools/base_parameter_table.py
"""

from __future__ import annotations

from pathlib import Path

import parakin as pk
from parakin.description import library

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "base_parameters.md"
BEGIN, END = "<!-- counts: tools/base_parameter_table.py -->", "<!-- /counts -->"
HEAD = (
    "| robot | parameters | without effect | base | gravity general | legs shared | both | smallest gap |",
    "|---|---|---|---|---|---|---|---|",
)


def row(name: str) -> str:
    """Of gravity as in the file and in general, each leg for itself and identical ones together."""
    robot = pk.load(name)
    found = [robot.base_parameters(shared=s, gravity=g) for s in (False, True) for g in (None, "general")]
    counts = " | ".join(str(base.rank) for base in found)
    gap = min(base.gap for base in found)
    return f"| {name} | {len(robot.parameters)} | {len(found[0].zero)} | {counts} | {gap:.0e} |"


def main() -> None:
    before, rest = PAGE.read_text().split(BEGIN)
    after = rest.split(END)[1]
    table = "\n".join((*HEAD, *(row(name) for name in library())))
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


if __name__ == "__main__":
    main()
