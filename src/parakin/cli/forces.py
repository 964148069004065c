"""`parakin forces` says what a motion asks of the drives."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import plausible
from parakin.cli.application import AnyName, app, fail
from parakin.cli.joints import PEAKS, SAMPLES, freedom_rows, joint_rows, joints_text, write_joints
from parakin.cli.loop_options import check_payload
from parakin.cli.motion_options import samples_of
from parakin.cli.outputs import aligned, check_room, finite, staged, working
from parakin.errors import MotionLimitError, ParakinError

if TYPE_CHECKING:
    from parakin.arrays import Array
    from parakin.robot import Robot
    from parakin.trajectory import ActuatorLoads, MotionCheck

FIGURE = "forces.png"
"""Name of the figure that is written."""
TABLE = "forces.csv"
"""Name of the table that is written."""


@app.command()
def forces(
    robot: AnyName,
    motion: Annotated[
        str, typer.Argument(help="A file of `parakin motion` or `parakin excite`, or the name of a motion.")
    ],
    *,
    payload: Annotated[
        float, typer.Option(help="Mass in kg that the robot carries, at the platform's origin E.")
    ] = 0.0,
    rate: Annotated[
        float, typer.Option(callback=plausible.RATE, help="Rate in Hz at which a motion given by name is sampled.")
    ] = 1000.0,
    joints: Annotated[
        bool, typer.Option("--joints", help="Also what every joint carries, how fast it moves and how far.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON, for programs.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for forces.csv and forces.png.")] = Path(
        "out"
    ),
) -> None:
    """Compute forces, speeds and power of the actuators along a motion, and compare them with the limits.

    Prints the peaks of each actuator; writes forces.csv with all samples and forces.png. A motion beyond limits is
    computed all the same, and what it exceeds is said first. With --joints, bearings can be chosen: wrench, speed and
    travel of every joint are printed, and written to joints.csv (all samples) and joint_loads.csv (peaks).

    Example: parakin forces delta m.csv -o out
    """
    try:
        with working(f"{robot}: forces along {motion}") as told:
            from parakin.plots import loads_figure
            from parakin.plots.files import png
            from parakin.robot import load
            from parakin.tables import write_table
            from parakin.trajectory import actuator_loads, check

            loaded = load(robot)
            check_payload(loaded, payload)
            carrying = loaded.with_payload(payload) if payload else loaded
            check_room(output)
            samples = samples_of(motion, carrying, rate)
            checked = check(samples, carrying)
            if checked.troubles:
                raise MotionLimitError(loaded.name, motion, tuple(map(str, checked.troubles)))
            loads = actuator_loads(samples, carrying)
            names, table = _table(carrying, loads)
            bearings = None
            if joints:
                from parakin.analysis import joint_loads

                told(f"{robot}: what every joint carries")
                bearings = joint_loads(samples, carrying)
            with staged(output) as place:
                if bearings is not None:
                    write_joints(bearings, place)
                (place / FIGURE).write_bytes(png(loads_figure(loads, f"{loaded.name}, {Path(motion).name}")))
                write_table(place / TABLE, names, table)
    except ParakinError as error:
        fail(error)
    rows = _rows(carrying, loads)
    if as_json:
        data = {"robot": loaded.name, "motion": motion, "good": checked.good, "energy": loads.energy, "actuators": rows}
        if bearings is not None:
            data |= {"joints": joint_rows(bearings), "freedoms": freedom_rows(bearings)}
        typer.echo(json.dumps(finite(data), indent=1))
        return
    _show(checked, loads, rows)
    written = [FIGURE, TABLE]
    if bearings is not None:
        typer.echo(joints_text(bearings))
        written += [SAMPLES, PEAKS]
    typer.echo(f"written: {', '.join(str(output / name) for name in written)}")


def _table(robot: Robot, loads: ActuatorLoads) -> tuple[list[str], Array]:
    """Return the header of forces.csv, and its numbers."""
    import numpy as np

    named = list(zip(robot.actuator_names, (actuator.units for actuator in robot.actuators), strict=True))
    names = ["t [s]"]
    names += [f"q.{name} [{unit.position}]" for name, unit in named]
    names += [f"q_dot.{name} [{unit.velocity}]" for name, unit in named]
    names += [f"tau.{name} [{unit.force}]" for name, unit in named]
    names += [f"power.{name} [W]" for name, _ in named]
    return names, np.column_stack([loads.t, loads.q, loads.q_dot, loads.tau, loads.power])


def _rows(robot: Robot, loads: ActuatorLoads) -> list[dict[str, object]]:
    """Return the peaks of each actuator, by name of the quantity."""
    speed, force, rms = abs(loads.q_dot).max(axis=0), abs(loads.tau).max(axis=0), loads.force_rms
    rows: list[dict[str, object]] = []
    for k, (name, actuator) in enumerate(zip(robot.actuator_names, robot.actuators, strict=True)):
        row: dict[str, object] = {"actuator": name}
        row |= {"unit": actuator.units.position, "from": float(loads.q[:, k].min()), "to": float(loads.q[:, k].max())}
        row |= {"speed_unit": actuator.units.velocity, "speed_peak": float(speed[k])}
        row |= {"speed_share": float(speed[k] / loads.limits.speed[k]) if actuator.speed is not None else math.nan}
        row |= {"force_unit": actuator.units.force, "force_rms": float(rms[k]), "force_peak": float(force[k])}
        row |= {"force_share": float(force[k] / loads.limits.force[k]) if actuator.force is not None else math.nan}
        row |= {"power_peak": float(loads.power[:, k].max()), "power_least": float(loads.power[:, k].min())}
        rows.append(row)
    return rows


def _show(checked: MotionCheck, loads: ActuatorLoads, rows: list[dict[str, object]]) -> None:
    if checked.excesses:
        typer.echo("beyond limits:\n" + "\n".join(f"  {excess}" for excess in checked.excesses))
    heads = ["actuator", "from", "to", "", "speed", "", "of limit"]
    heads += ["force rms", "peak", "", "of limit", "power, W", "braking, W"]
    lines: list[list[str]] = []
    for row in rows:
        line = [str(row["actuator"])]
        for key in ("from", "to", "unit", "speed_peak", "speed_unit", "speed_share"):
            line.append(_cell(key, row[key]))
        for key in ("force_rms", "force_peak", "force_unit", "force_share", "power_peak", "power_least"):
            line.append(_cell(key, row[key]))
        lines.append(line)
    typer.echo(aligned(heads, lines))
    total = loads.power.sum(axis=1)
    typer.echo(f"all together: at most {total.max():.4g} W, {loads.energy:.4g} J over {loads.t[-1] - loads.t[0]:.4g} s")


def _cell(key: str, value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    if key.endswith("share"):
        return "no limit" if math.isnan(value) else f"{100 * value:.3g} %"
    return f"{value:.4g}"
