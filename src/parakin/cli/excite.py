"""`parakin excite` finds a motion from which a robot's parameters can be identified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import plausible
from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import check_room, finite, staged, working
from parakin.errors import MotionFileError, ParakinError

if TYPE_CHECKING:
    from parakin.identification import Excitation, ExciteOptions
    from parakin.robot import Robot


@app.command()
def excite(
    robot: AnyName,
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="File for the motion; its figure is the .png beside it.")
    ] = Path("excitation.csv"),
    criterion: Annotated[str, typer.Option(help="What the search improves: condition or determinant.")] = "condition",
    space: Annotated[str, typer.Option(help="Coordinates of the Fourier series: platform or actuator.")] = "platform",
    harmonics: Annotated[int, typer.Option(help="Number of harmonics of each coordinate.")] = 5,
    period: Annotated[
        float | None,
        typer.Option(
            callback=plausible.TIME, help="Period of the motion in s; by default 1, 2, 5 or 10, as the limits allow."
        ),
    ] = None,
    periods: Annotated[int, typer.Option(help="How often the period is repeated.")] = 10,
    rest: Annotated[
        float,
        typer.Option(
            callback=plausible.SHORT_TIME, help="Time in s over which the motion is blended from and to rest at home."
        ),
    ] = 0.0,
    use: Annotated[
        float,
        typer.Option(callback=plausible.SHARE, help="Share of the speed and force limits that may be used, 0 to 1."),
    ] = 0.9,
    condition: Annotated[
        float, typer.Option(help="Largest condition number of the Jacobian: keeps the motion away from singularities.")
    ] = 50.0,
    noise: Annotated[
        float,
        typer.Option(
            callback=plausible.SHARE, help="Standard deviation of measured forces, as a share of their limits."
        ),
    ] = 0.01,
    rate: Annotated[
        float, typer.Option(callback=plausible.RATE, help="Rate of the samples that are written, in Hz.")
    ] = 1000.0,
    shared: Annotated[
        bool,
        typer.Option("--shared", help="Take identical legs to have the same bodies; friction and rotors may differ."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random starts.")] = 0,
    time: Annotated[
        float,
        typer.Option(
            callback=plausible.TIME, help="How long to search, in s; Ctrl-C ends it earlier, with the best so far."
        ),
    ] = 25.0,
    evaluations: Annotated[
        int | None,
        typer.Option(help="Number of evaluations to search for instead of a time; gives the same result every time."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON, for programs.")] = False,
) -> None:
    """Find a periodic motion within all limits from which the robot's dynamic parameters can be identified.

    Writes the motion, with the set points of the actuators beside those of the platform, and a figure of it.

    Example: parakin excite delta --rest 1 --time 20 -o excitation.csv
    """
    try:
        with working(f"{robot}: models"):
            from parakin.identification import ExciteOptions
            from parakin.plots import excitation_figure
            from parakin.plots.files import png
            from parakin.robot import load
            from parakin.trajectory import write_csv

            options = ExciteOptions(
                criterion=criterion,
                space=space,
                harmonics=harmonics,
                period=period,
                periods=periods,
                rest=rest,
                use=use,
                condition=condition,
                noise=noise,
                rate=rate,
                shared=shared,
                seed=seed,
                time=time,
                evaluations=evaluations,
            )
            loaded = load(robot)
            _check(output)
        excitation = _searched(loaded, options)
        picture = output.with_suffix(".png")
        with working(f"{loaded.name}: writing"), staged(output.parent) as place:
            (place / picture.name).write_bytes(png(excitation_figure(loaded, excitation)))
            write_csv(place / output.name, excitation.motion.sampled(rate), loaded)
    except ParakinError as error:
        fail(error)
    typer.echo(json.dumps(finite(excitation.as_dict()), indent=1) if as_json else str(excitation))
    typer.echo(f"written: {output}, {picture}", err=as_json)


def _check(output: Path) -> None:
    """Refuse, before the search and not after it, an output that cannot be written."""
    from parakin.trajectory.files import check_ending

    if output.suffix == ".png":
        raise MotionFileError(str(output), "is where the figure goes: name it .csv")
    if output.is_dir():
        raise MotionFileError(str(output), "is a directory: name a file in it")
    check_ending(output)
    check_room(output.parent)


def _searched(robot: Robot, options: ExciteOptions) -> Excitation:
    """Search with a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from parakin.identification import excite as search
    from parakin.identification.excitation import Step

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{robot.name}: models", total=1.0)

        def show(step: Step) -> None:
            text = f"{robot.name}: start {step.start + 1}, condition number {step.best:.4g}"
            bar.update(task, completed=step.done, description=text)

        return search(robot, options, show)
