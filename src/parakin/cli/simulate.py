"""The command that runs a robot under a control law."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parakin.cli.app import app, fail
from parakin.errors import ParakinError


@app.command()
def simulate(
    robot: Annotated[str, typer.Argument(help="A name from `parakin list`, or a robot file.")],
    *,
    controller: Annotated[str, typer.Option(help="A law of parakin.control.LAWS.")] = "computed_torque",
    motion: Annotated[str, typer.Option(help="A motion of parakin.trajectory.MOTIONS.")] = "pick_and_place",
    period: Annotated[float, typer.Option(help="Of the controller [s].")] = 1e-3,
    payload: Annotated[float, typer.Option(help="Mass the robot carries and the controller does not know [kg].")] = 0.0,
    mismatch: Annotated[float, typer.Option(help="All parameters of the plant are off by so much [%].")] = 0.0,
    counts: Annotated[float | None, typer.Option(help="Encoder counts per m or rad; exact by default.")] = None,
    seed: Annotated[int, typer.Option(help="Of the noise.")] = 0,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for log and figure.")] = Path("out"),
) -> None:
    """Simulate a robot under a control law; write log.csv and forces.png, and print a summary.

    Example: parakin simulate h4 --controller pid --motion lift --payload 0.5 -o out
    """
    from rich.console import Console  # noqa: PLC0415

    from parakin import control, simulation, trajectory  # noqa: PLC0415
    from parakin.plots import force_figure  # noqa: PLC0415
    from parakin.robot import Payload, load  # noqa: PLC0415

    console = Console(stderr=True)
    try:
        plant = load(robot)
        with console.status(f"{plant.name}: {controller} along {motion}"):
            law = control.law(controller, plant, period)
            reference = control.reference(plant, trajectory.motion(motion, plant), period, settle=0.2)
            scenario = simulation.Scenario(
                parameters=plant.parameters * (1 + mismatch / 100) if mismatch else None,
                payload=Payload(mass=payload) if payload else None,
                counts=counts,
                seed=seed,
            )
            log = simulation.simulate(plant, law, reference, scenario)
        output.mkdir(parents=True, exist_ok=True)
        written = simulation.write_log(output / "log.csv", log)
    except ParakinError as error:
        fail(error)
    units = sorted(set(plant.actuator_units))
    title = f"{plant.name}: {controller} along {motion}"
    figure = force_figure(log["t"], log["tau"], plant.actuator_names, ", ".join(units), title=title)
    figure.savefig(output / "forces.png", dpi=150)  # pyright: ignore[reportUnknownMemberType]
    typer.echo(str(log.summary()))
    typer.echo(f"written: {written}, {output / 'forces.png'}")
