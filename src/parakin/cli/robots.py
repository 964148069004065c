"""The commands about robots, mechanisms and their files: list, info, check and schema."""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import finite, refuse_file_output, working, write_whole
from parakin.errors import DataError, DescriptionError, ImplausibleValueWarning, ParakinError
from parakin.files import printable

if TYPE_CHECKING:
    from parakin.robot.cards import Section


def check_mechanism(file: str, as_json: bool) -> None:
    """Print the plan of a mechanism and whether its box is good; if anything is wrong, end with exit code 1."""
    try:
        with working(file):
            from parakin.robot import load, survey_mechanism

            mechanism = load(file).graph
            surveyed = survey_mechanism(mechanism)
    except ParakinError as error:
        fail_check(error, as_json)
    plan = mechanism.plan
    good = surveyed.good and not plan.singular_home
    if as_json:
        facts = asdict(surveyed) | {"home": surveyed.home.name.lower()}
        planned = {
            "independent": plan.independent_names,
            "motors": plan.actuator_names,
            "cut": [cut.joint.name for cut in plan.skeleton.cuts],
            "closure": plan.assembly.closure,
            "rods": [asdict(rod) for rod in plan.rods],
            "rows": plan.rows,
            "redundant": plan.redundant,
            "idle": plan.idle,
            "loose": plan.loose,
            "openings": plan.openings,
            "singular_home": plan.singular_home,
        }
        typer.echo(json.dumps({"good": good, "problems": []} | finite({"plan": planned} | facts), indent=1))
    else:
        bodies, joints = len(mechanism.body_names), len(mechanism.graph_description.joints)
        typer.echo(f"{file}: {printable(mechanism.title)}: {bodies} bodies, {joints} joints")
        typer.echo(f"{plan}\n{surveyed}")
    if not good:
        raise typer.Exit(1)


def fail_check(error: ParakinError, as_json: bool) -> NoReturn:
    """End a check with exit code 1: with the problems of a file as JSON if that is asked for, else in words."""
    if as_json and isinstance(error, DescriptionError):
        problems = [{"key": key, "problem": reason} for key, reason in error.problems]
        typer.echo(json.dumps({"good": False, "problems": problems}, indent=1))
        raise typer.Exit(1) from None
    fail(error)


def check_thoroughly(file: str, as_json: bool) -> None:
    """Print all findings about a file; if any of them is a problem, end with exit code 1."""
    try:
        with working(f"{file}: loading") as tell:
            from parakin.analysis import thorough
            from parakin.robot import load_unchecked

            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ImplausibleValueWarning)
                robot = load_unchecked(file)
            told = [entry.message for entry in caught if isinstance(entry.message, ImplausibleValueWarning)]
            doubts = tuple((doubt.key, doubt.reason) for doubt in told)
            findings = thorough(robot, doubts, tell=lambda topic: tell(f"{file}: {topic}"))
    except ParakinError as error:
        fail_check(error, as_json)
    good = not any(finding.grade == "problem" for finding in findings)
    if as_json:
        table = {"good": good, "findings": [asdict(finding) for finding in findings]}
        typer.echo(json.dumps(table, indent=1))
    else:
        typer.echo(f"{file}: {printable(robot.title)}")
        typer.echo("\n".join(printable(line) for finding in findings for line in str(finding).split("\n")))
        typer.echo("nothing to mend" if good else "to be mended: what is called a problem above")
    if not good:
        raise typer.Exit(1)


@app.command(name="list")
def list_robots(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the robots of the library, and its mechanisms of bodies and joints.

    Example: parakin list --json
    """
    from parakin.description import library, load_description
    from parakin.mechanism import load_mechanism_description, mechanism_library

    robots = {name: load_description(name) for name in library()}
    mechanisms = {name: load_mechanism_description(name) for name in mechanism_library()}
    if as_json:
        entries = [
            {"name": name, "kind": "robot", "title": robot.title, "motion": robot.motion}
            for name, robot in robots.items()
        ]
        entries += [{"name": name, "kind": "mechanism", "title": one.title} for name, one in mechanisms.items()]
        typer.echo(json.dumps(entries, indent=1))
        return
    width = max(map(len, [*robots, *mechanisms]))
    for heading, listed in (
        ("Robots, for every command:", robots),
        ("Mechanisms of bodies and joints, for every command but count and demo:", mechanisms),
    ):
        typer.echo(heading)
        for name, one in listed.items():
            typer.echo(f"  {name:{width}}  {one.title}")


@app.command()
def info(
    robot: AnyName,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole description as JSON, for programs.")] = False,
) -> None:
    """Show the card of a robot or mechanism: freedoms, legs or joints, bodies, motors, limits, sources.

    Example: parakin info delta
    """
    try:
        with working(robot):
            from parakin.robot import card, load_unchecked

            loaded = load_unchecked(robot)
            sections = [] if as_json else card(loaded)
    except ParakinError as error:
        fail(error)
    if as_json:
        description = loaded.machine
        typer.echo(description.model_dump_json(indent=1))
        return
    _print_card(loaded.title, loaded.name, sections)
    typer.echo(f"See it: parakin view {robot}, or parakin draw {robot} -o {loaded.name}.png")


def _print_card(title: str, name: str, sections: list[Section]) -> None:
    """Print the sections of a card under a title."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    console.print(f"[bold]{escape(printable(title))}[/bold] ({name})")
    for heading, rows in sections:
        table = Table(box=None, show_header=False, title=heading, title_justify="left", title_style="bold")
        table.add_column(style="cyan", no_wrap=True)
        table.add_column()
        for what, value in rows:
            table.add_row(escape(printable(what)), escape(printable(value)))
        console.print(table)


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="A robot or mechanism file, or a name from `parakin list`.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print problems and survey as JSON, for programs.")] = False,
    draw: Annotated[
        Path | None, typer.Option("--draw", help="Also write a picture of home to this file (.png or .svg).")
    ] = None,
    thorough: Annotated[
        bool,
        typer.Option("--thorough", help="Look at everything: singularities, workspace, limits, gains, ..."),
    ] = False,
) -> None:
    """Check a robot or mechanism file: tell every problem, then whether home and box can be reached.

    Problems come with key, value and remedy. Of a robot it is told whether the joints let the platform move as the file
    claims, neither more nor less; of a mechanism the plan: freedoms, motors, loops. Implausible numbers are told as
    warnings on stderr, as by every command, with the unit that was probably meant. A picture (--draw) shows at once
    what no number tells: an arm on the wrong side, legs that cross. --thorough gathers all that follows from the file
    in ten seconds to a minute: mobility, redundant constraints, closure, branches, conditioning, the nearest
    singularity, the workspace, limits that are never reached, margins of default gains, each with a remedy.

    Example: parakin check my_delta.toml --draw my_delta.png
    """
    with working(file):
        from parakin.mechanism import names_mechanism

        mechanism = names_mechanism(file)
    if draw is not None:
        _draw_home(file, draw)
    if thorough:
        check_thoroughly(file, as_json)
        return
    if mechanism:
        check_mechanism(file, as_json)
        return
    doubts: list[ImplausibleValueWarning] = []
    try:
        with working(file):
            from parakin.robot import load_unchecked
            from parakin.robot.remembering import remembered_mobility
            from parakin.robot.surveys import survey_legs

            if as_json:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always", ImplausibleValueWarning)
                    robot = load_unchecked(file)
                doubts = [entry.message for entry in caught if isinstance(entry.message, ImplausibleValueWarning)]
            else:
                robot = load_unchecked(file)
            moving = remembered_mobility(robot.description)
            surveyed = survey_legs(robot)
    except ParakinError as error:
        fail_check(error, as_json)
    good = surveyed.good and moving.good and not moving.warnings
    if as_json:
        facts = asdict(surveyed) | {"home": surveyed.home.name.lower()}
        told = {"warnings": [{"key": doubt.key, "problem": doubt.reason} for doubt in doubts]}
        problems = [{"key": "motion", "problem": problem} for problem in moving.problems]
        problems += [{"key": "workspace.home", "problem": warning} for warning in moving.warnings]
        verdict = {"good": good, "problems": problems}
        typer.echo(json.dumps(verdict | told | finite(facts) | {"mobility": asdict(moving)}, indent=1))
    else:
        typer.echo(
            f"{file}: {printable(robot.description.title)}: {len(robot.legs)} legs, {len(robot.body_names)} bodies"
        )
        typer.echo(str(surveyed))
        typer.echo(str(moving))
    if not good:
        raise typer.Exit(1)


def _draw_home(file: str, target: Path) -> None:
    """Write a picture of home, if there is one: what is wrong with a file is told by the check."""
    from parakin.cli.draw import STILLS, picture_of
    from parakin.robot import load

    if target.suffix.lower() not in STILLS:
        fail(DataError("check", "--draw", f"a picture ends in {' or '.join(STILLS)}, got {target.name}"))
    refuse_file_output(target)
    try:
        with working(f"{file}: drawing"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ImplausibleValueWarning)
            content = picture_of(load(file), ending=target.suffix.lower())
    except ParakinError:
        typer.echo(f"no picture of {file}", err=True)
        return
    write_whole(target, content)
    typer.echo(f"written: {target}", err=True)


@app.command()
def schema(
    mechanism: Annotated[
        bool, typer.Option("--mechanism", help="That of mechanism files, not of robot files.")
    ] = False,
) -> None:
    """Print the JSON Schema of robot or mechanism files, for editors that complete and check TOML.

    Example: parakin schema > robot.schema.json
    """
    from parakin.description import file_schema
    from parakin.mechanism import mechanism_schema

    typer.echo(json.dumps(mechanism_schema() if mechanism else file_schema(), indent=1))
