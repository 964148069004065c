"""Run every benchmark; print a table, write it and the numbers to benchmarks/results, and README's share of it.

`python -m benchmarks waiting kernels` runs these suites alone.
"""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    assembly,
    controllers_c,
    cortex_m,
    derivatives,
    design,
    dynamics,
    executors,
    identification,
    kernels,
    kinematics,
    mechanisms,
    page,
    simulation,
    vision,
    waiting,
    workspace,
)
from benchmarks.timing import Figure
from parakin.kernels import compiler

RESULTS = Path(__file__).parent / "results"
README = Path(__file__).parents[1] / "README.md"
SUITES = {
    "kernels": kernels.figures,
    "kinematics": kinematics.figures,
    "assembly": assembly.figures,
    "dynamics": dynamics.figures,
    "mechanisms": mechanisms.figures,
    "derivatives": derivatives.figures,
    "page": page.figures,
    "identification": identification.figures,
    "simulation": simulation.figures,
    "executors": executors.figures,
    "design": design.figures,
    "controllers_c": controllers_c.figures,
    "cortex_m": cortex_m.figures,
    "vision": vision.figures,
    "waiting": waiting.figures,
    "workspace": workspace.figures,
}


def verdict(figure: Figure) -> str:
    return "" if figure.holds is None else "holds" if figure.holds else "MISSED"


def shown(figure: Figure) -> str:
    digits = 0 if abs(figure.value) >= 1000 else 3 if abs(figure.value) < 10 else 1
    return f"{figure.value:,.{digits}f} {figure.unit}".strip()


def markdown(suite: str, figures: list[Figure], machine: str) -> str:
    rows = [f"| {f.what} | {shown(f)} | {f.goal} | {verdict(f)} |" for f in figures]
    return "\n".join(
        [
            f"# Measured: {suite}",
            "",
            f"By `make bench` on {machine}.",
            "",
            "| what | measured | goal | |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def update_readme(figures: list[Figure]) -> None:
    """Replace the table between README's markers by the same rows, measured anew."""
    before, rest = README.read_text().split("<!-- figures -->")
    rows, after = rest.split("<!-- /figures -->")
    new = {figure.what: f"| {figure.what} | {shown(figure)} |" for figure in figures}
    lines = [new.get(line.split(" | ")[0].removeprefix("| "), line) for line in rows.splitlines()]
    README.write_text("".join([before, "<!-- figures -->", "\n".join(lines), "\n<!-- /figures -->", after]))


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        sys.exit(f"no suite {', '.join(unknown)}; choose of {', '.join(SUITES)}")
    console = Console()
    RESULTS.mkdir(exist_ok=True)
    machine = f"{compiler.host().cpu}, {compiler.host().width} lanes, Python {platform.python_version()}"
    for suite in names or SUITES:
        figures: list[Figure] = []
        with console.status(f"measuring {suite}") as status:
            for figure in SUITES[suite]():
                figures.append(figure)
                status.update(f"measuring {suite}: {figure.what}")
        table = Table("what", "measured", "goal", "", title=f"{suite} on {machine}")
        for figure in figures:
            table.add_row(figure.what, shown(figure), figure.goal, verdict(figure))
        if not figures:
            console.print(f"{suite}: nothing measured, results stay as they are")
            continue
        console.print(table)
        versions = {name: version(name) for name in ("parakin", "casadi", "llvmlite", "numpy")}
        document = {"machine": machine, "versions": versions, "figures": [figure.as_dict() for figure in figures]}
        (RESULTS / f"{suite}.json").write_text(json.dumps(document, indent=1) + "\n")
        (RESULTS / f"{suite}.md").write_text(markdown(suite.replace("_", " "), figures, machine))
        update_readme(figures)


if __name__ == "__main__":
    main(sys.argv[1:])
