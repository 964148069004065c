"""The command about operation counts."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli.application import app, fail
from parakin.cli.outputs import working
from parakin.errors import ParakinError

if TYPE_CHECKING:
    from parakin.dynamics.count import Count
    from parakin.dynamics.count_table import Row


@app.command()
def count(
    robots: Annotated[
        list[str] | None,
        typer.Argument(help="Names from `parakin list`, or files of machines; the whole library by default."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Count the operations of a machine's models, in the formulations of its legs and as bodies and joints.

    Subtractions and negations are additions, squares and divisions are multiplications; constants and selections are
    free. Spatial robots start from position and rotation matrix, bodies and joints from the configuration, once loops
    are closed. Friction is left out unless a row says otherwise. The papers whose counts stand in the last column do
    not say how they count.

    Example: parakin count palida tripod_3rps
    """
    tables: dict[str, list[Row]] = {}
    try:
        with working("counting") as tell:
            from parakin.robot import library, load
            from parakin.robot.operation_counts import operation_counts

            for name in robots or library():
                robot, tables[name] = load(name), []
                for row in operation_counts(robot):
                    tables[name].append(row)
                    tell(f"{name}: {row.model}, {row.form}")
    except ParakinError as error:
        fail(error)
    if as_json:
        typer.echo(json.dumps({name: [asdict(row) for row in rows] for name, rows in tables.items()}, indent=1))
        return
    for name, rows in tables.items():
        _show(name, rows)


def _show(name: str, rows: list[Row]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=name, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("")
    for column in ("additions", "multipl.", "others", "published"):
        table.add_column(column, justify="right", no_wrap=True)
    headings = list(dict.fromkeys(row.model for row in rows))
    heading = ""
    for row in sorted(rows, key=lambda row: headings.index(row.model)):
        if row.model != heading:
            table.add_row(f"[bold]{row.model}[/bold]")
            heading = row.model
        number_of, published = row.count, "" if row.published is None else _short(row.published)
        others = ", ".join(
            f"{number} {what}"
            for number, what in ((number_of.square_roots, "sqrt"), (number_of.trigonometric, "sin, cos"))
            if number
        )
        table.add_row(f"  {row.form}", f"{number_of.additions:,}", f"{number_of.multiplications:,}", others, published)
    Console().print(table)


def _short(count: Count) -> str:
    return f"{count.additions:,} / {count.multiplications:,}"
