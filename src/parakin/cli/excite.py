"""`parakin excite`: a motion that shows a robot's parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli.app import RobotName, app, fail
from parakin.cli.outputs import check_room, finite, staged
from parakin.errors import MotionFileError, ParakinError

if TYPE_CHECKING:
    from parakin.identification import Excitation, ExciteOptions
    from parakin.robot import Robot


@app.command()
def excite(
    robot: RobotName,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", help="The motion; a .png goes beside it.")] = Path(
        "excitation.csv"
    ),
    criterion: Annotated[str, typer.Option(help="condition, or determinant.")] = "condition",
    space: Annotated[str, typer.Option(help="Series in coordinates of the platform, or actuator.")] = "platform",
    harmonics: Annotated[int, typer.Option(help="Of each coordinate.")] = 5,
    period: Annotated[float | None, typer.Option(help="[s] By default 1, 2, 5 or 10, what limits allow.")] = None,
    periods: Annotated[int, typer.Option(help="How often it is repeated.")] = 10,
    rest: Annotated[float, typer.Option(help="Blend from and to rest at home over so many seconds.")] = 0.0,
    use: Annotated[float, typer.Option(help="Part of speed and force limits that may be used.")] = 0.9,
    condition: Annotated[float, typer.Option(help="Of the Jacobian: stay this far from singularities.")] = 50.0,
    noise: Annotated[float, typer.Option(help="Of measured forces, as a part of their limits.")] = 0.01,
    rate: Annotated[float, typer.Option(help="Of samples [Hz].")] = 1000.0,
    shared: Annotated[bool, typer.Option("--shared", help="Identical legs have the same parameters.")] = False,
    seed: Annotated[int, typer.Option(help="Of the starts.")] = 0,
    time: Annotated[
        float, typer.Option(help="To search for [s]; Ctrl-C ends it earlier, with the best so far.")
    ] = 25.0,
    evaluations: Annotated[int | None, typer.Option(help="Instead of a time: the same result every time.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report, for programs.")] = False,
) -> None:
    """Find a periodic motion within all limits that shows the robot's dynamic parameters; write it and a figure.

    Example: parakin excite delta --rest 1 --time 20 -o excitation.csv
    """
    from parakin.identification import ExciteOptions
    from parakin.plots import excitation_figure
    from parakin.plots.files import png
    from parakin.robot import load
    from parakin.trajectory import write_csv

    try:
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
        found = _searched(loaded, options)
        picture = output.with_suffix(".png")
        with staged(output.parent) as place:
            (place / picture.name).write_bytes(png(excitation_figure(loaded, found)))
            write_csv(place / output.name, found.motion.sampled(rate))
    except ParakinError as error:
        fail(error)
    typer.echo(json.dumps(finite(found.as_dict()), indent=1) if as_json else str(found))
    typer.echo(f"written: {output}, {picture}", err=as_json)


def _check(output: Path) -> None:
    """Before the search, not after it: a place for the files."""
    from parakin.trajectory.files import check_ending

    if output.suffix == ".png":
        raise MotionFileError(str(output), "is where the figure goes: name it .csv")
    if output.is_dir():
        raise MotionFileError(str(output), "is a directory: name a file in it")
    check_ending(output)
    check_room(output.parent)


def _searched(robot: Robot, options: ExciteOptions) -> Excitation:
    """With a bar on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from parakin.identification import excite as search
    from parakin.identification.excitation import Step

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{robot.name}: models", total=1.0)

        def told(step: Step) -> None:
            text = f"{robot.name}: start {step.start + 1}, condition number {step.best:.4g}"
            bar.update(task, completed=step.done, description=text)

        return search(robot, options, told)
