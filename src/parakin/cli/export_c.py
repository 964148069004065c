"""`parakin export-c` writes C99 for a machine's controller."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parakin.cli import around_options as around
from parakin.cli import loop_options as option
from parakin.cli.application import AnyName, app, fail
from parakin.cli.outputs import staged, working
from parakin.errors import CExportError, DataError, ParakinError


@app.command(name="export-c")
def export_c(
    robot: AnyName,
    *,
    controller: Annotated[
        str | None, typer.Option(help="Write a whole controller with this law of parakin.control.LAWS.")
    ] = None,
    model: Annotated[str, typer.Option(help="Without --controller: the model that is written.")] = "inverse_dynamics",
    guard: Annotated[
        bool, typer.Option(help="Put the guard of the robot file around the law: its step then returns a status.")
    ] = True,
    period: option.Period = 1e-3,
    gains: option.Gains = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the files and functions; by default made of the robot and the law or model."),
    ] = None,
    float32: Annotated[
        bool,
        typer.Option(
            "--float32",
            help="Write the controller in single precision; refused where tracking differs by more than 1 % and 1 um.",
        ),
    ] = False,
    machine: around.Machine = False,
    motion: around.PlayedMotion = None,
    point_to_point: around.PointToPoint = False,
    table_rate: around.TableRate = None,
    velocity: around.Velocity = None,
    acceleration: around.Acceleration = None,
    jerk: around.Jerk = None,
    stop_time: around.StopTime = 0.2,
    counts: around.CountsPerUnit = None,
    cutoff: around.RateFilter = 200.0,
    notch: option.Notch = None,
    shape: option.Shape = None,
    observer: option.Observer = None,
    force: option.Force = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for the files.")] = Path("out"),
) -> None:
    """Write a controller, or one model, as C99: no heap, constant work, with a self-test recorded from Python.

    A controller comes with a page of its interface, a module that calls it from Python, and a Makefile (`make check`),
    which several controllers in one directory share. Files of the same names are replaced, others stay. A controller
    whose loop is unstable at home is refused, unless forced. An observer of --observer expects that forces act one tick
    after they were asked for.

    With --machine, what surrounds the law is written too: encoders with homing, set points of moves with limited jerk
    or of a motion from a table, and the states off, homing, hold, run and fault, as one function that takes counts and
    gives forces. With --motion or --point-to-point alone, set points with their inverse kinematics, for drives that
    close their own loops.

    Examples: parakin export-c h4 --controller computed_torque -o h4_controller

    parakin export-c delta --controller computed_torque --machine --motion pick_and_place --counts 20861 -o out

    parakin export-c delta --point-to-point --jerk 200 -o set_points
    """
    asked = around.Around(
        machine, motion, point_to_point, table_rate, velocity, acceleration, jerk, stop_time, counts, cutoff
    )
    try:
        if float32 and controller is None:
            raise CExportError(model, "--float32 is for controllers: choose a law with --controller")
        if float32 and machine:
            reason = "--machine computes in double precision: leave --float32 or --machine out"
            raise CExportError(controller or model, reason)
        with working(f"{robot}: {controller or model}"):
            from parakin.robot import load

            loaded = load(robot)
            asked.check(controller, guard)
            parts = option.Worn(notch, shape, observer, delay=True)
            if controller is None:
                parts.refuse_alone("export-c")
            if controller is None and gains is not None:
                raise DataError("export-c", "gains", "a model has none: name the law with --controller")
            with staged(output) as place:
                if controller is not None:
                    from parakin import control
                    from parakin.export import export_controller

                    law = option.with_gains(control.law(controller, loaded, period), gains, force)
                    law = parts.put_on(law)
                    law = law.in_single() if float32 else law
                    label = name or f"{loaded.name}_{controller}"
                    sources = [*vars(export_controller(law, place, label, guard=guard, force=force)).values()]
                    sources += asked.write(law, place, label)
                elif asked.points:
                    sources = asked.write_set_points(loaded, place, name, period)
                else:
                    sources = [*vars(loaded.to_c(model, place, name or f"{loaded.name}_{model}")).values()]
    except ParakinError as error:
        fail(error)
    typer.echo(f"written: {', '.join(dict.fromkeys(str(output / path.name) for path in sources))}")
