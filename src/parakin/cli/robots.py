"""The commands about robots and their files: list, info, check and schema."""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict
from typing import Annotated

import typer

from parakin.cli.application import RobotName, app, fail
from parakin.cli.outputs import finite
from parakin.errors import DescriptionError, ImplausibleValueWarning, ParakinError
from parakin.files import printable


@app.command(name="list")
def list_robots(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the robots of the library.

    Example: parakin list --json
    """
    from parakin.description import library, load_description

    robots = {name: load_description(name) for name in library()}
    if as_json:
        entries = [{"name": name, "title": robot.title, "motion": robot.motion} for name, robot in robots.items()]
        typer.echo(json.dumps(entries, indent=1))
        return
    width = max(map(len, robots))
    for name, robot in robots.items():
        typer.echo(f"{name:{width}}  {robot.title}")


@app.command()
def info(
    robot: RobotName,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole description as JSON, for programs.")] = False,
) -> None:
    """Show a robot's card: motion, legs, bodies, actuators, reach, sources and what is assumed.

    Example: parakin info delta
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from parakin.robot import card, load

    try:
        loaded = load(robot)
    except ParakinError as error:
        fail(error)
    if as_json:
        typer.echo(loaded.description.model_dump_json(indent=1))
        return
    console = Console()
    console.print(f"[bold]{escape(printable(loaded.description.title))}[/bold] ({loaded.name})")
    for heading, rows in card(loaded):
        table = Table(box=None, show_header=False, title=heading, title_justify="left", title_style="bold")
        table.add_column(style="cyan", no_wrap=True)
        table.add_column()
        for what, value in rows:
            table.add_row(escape(printable(what)), escape(printable(value)))
        console.print(table)


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="A robot file, or a name from `parakin list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print problems and survey as JSON, for programs.")] = False,
) -> None:
    """Check a robot file: tell every problem with its key, value and remedy, then whether home and box can be reached.

    It also tells whether the joints let the platform move as the file claims, neither more nor less. Implausible
    numbers are told as warnings, with the unit that was probably meant.

    Example: parakin check my_delta.toml
    """
    from parakin.mechanism import mobility_of
    from parakin.robot import load
    from parakin.robot.surveys import survey

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ImplausibleValueWarning)
            robot = load(file)
        moving = mobility_of(robot.description)
    except DescriptionError as error:
        if as_json:
            problems = [{"key": key, "problem": reason} for key, reason in error.problems]
            typer.echo(json.dumps({"good": False, "problems": problems}, indent=1))
            raise typer.Exit(1) from None
        fail(error)
    except ParakinError as error:
        fail(error)
    doubts = [entry.message for entry in caught if isinstance(entry.message, ImplausibleValueWarning)]
    surveyed = survey(robot)
    good = surveyed.good and moving.good
    if as_json:
        facts = asdict(surveyed) | {"home": surveyed.home.name.lower()}
        told = {"warnings": [{"key": doubt.key, "problem": doubt.reason} for doubt in doubts]}
        problems = [{"key": "motion", "problem": problem} for problem in moving.problems]
        verdict = {"good": good, "problems": problems}
        typer.echo(json.dumps(verdict | told | finite(facts) | {"mobility": asdict(moving)}, indent=1))
    else:
        typer.echo(
            f"{file}: {printable(robot.description.title)}: {len(robot.legs)} legs, {len(robot.body_names)} bodies"
        )
        for doubt in doubts:
            typer.echo(f"warning: {doubt.key}: {doubt.reason}")
        typer.echo(str(surveyed))
        typer.echo(str(moving))
    if not good:
        raise typer.Exit(1)


@app.command()
def schema() -> None:
    """Print the JSON Schema of robot files, for editors that complete and check TOML.

    Example: parakin schema > robot.schema.json
    """
    from parakin.description import file_schema

    typer.echo(json.dumps(file_schema(), indent=1))
