"""The command `parakin`. Heavy imports happen inside commands, so that --help answers at once."""

from __future__ import annotations

import json
from typing import Annotated, NoReturn

import typer

import parakin
from parakin.errors import ParakinError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Parallel robots: what they are, and what runs on them.",
)


def _fail(error: ParakinError) -> NoReturn:
    typer.echo(str(error), err=True)
    raise typer.Exit(1)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"parakin {parakin.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Parallel robots: what they are, and what runs on them."""


@app.command(name="list")
def list_robots(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the robots of the library."""
    from parakin.description import library, load_description  # noqa: PLC0415

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
    robot: Annotated[str, typer.Argument(help="A name from `parakin list`, or a robot file.")],
    as_json: Annotated[bool, typer.Option("--json", help="The whole description, for programs.")] = False,
) -> None:
    """Show a robot's card: motion, legs, bodies, actuators, reach, sources and what is assumed.

    Example: parakin info delta
    """
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from parakin.robot import card, load  # noqa: PLC0415

    try:
        loaded = load(robot)
    except ParakinError as error:
        _fail(error)
    if as_json:
        typer.echo(loaded.description.model_dump_json(indent=1))
        return
    console = Console()
    console.print(f"[bold]{escape(loaded.description.title)}[/bold] ({loaded.name})")
    for heading, rows in card(loaded):
        table = Table(box=None, show_header=False, title=heading, title_justify="left", title_style="bold")
        table.add_column(style="cyan", no_wrap=True)
        table.add_column()
        for what, value in rows:
            table.add_row(escape(what), escape(value))
        console.print(table)


@app.command()
def check(file: Annotated[str, typer.Argument(help="A robot file, or a name from `parakin list`.")]) -> None:
    """Check a robot file: every problem with its key, value and remedy; then whether home and box are within reach.

    Example: parakin check my_delta.toml
    """
    from parakin.robot import load  # noqa: PLC0415
    from parakin.robot.survey import survey  # noqa: PLC0415

    try:
        robot = load(file)
    except ParakinError as error:
        _fail(error)
    typer.echo(f"{file}: {robot.description.title}: {len(robot.legs)} legs, {len(robot.body_names)} bodies")
    found = survey(robot)
    typer.echo(str(found))
    if not found.good:
        raise typer.Exit(1)


@app.command()
def schema() -> None:
    """Print the JSON Schema of robot files, for editors that complete and check TOML."""
    from parakin.description import RobotDescription  # noqa: PLC0415

    typer.echo(json.dumps(RobotDescription.model_json_schema(), indent=1))


@app.command()
def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all compiled kernels; they are made again when used.")
    ] = False,
) -> None:
    """Show where compiled kernels are kept and how much room they take.

    PARAKIN_CACHE_DIR names another place.
    """
    from parakin.kernels import disk_cache  # noqa: PLC0415

    place = disk_cache.directory()
    if place is None:
        typer.echo("kernels are not cached (see the warning)", err=True)
        raise typer.Exit(1)
    if clear:
        typer.echo(f"removed {disk_cache.clear() / 2**20:.1f} MiB from {place}")
        return
    sizes = [size for _, size, _ in disk_cache.entries(place)]
    typer.echo(f"{place}: {len(sizes)} kernels, {sum(sizes) / 2**20:.1f} of {disk_cache.LIMIT_BYTES / 2**20:.0f} MiB")
