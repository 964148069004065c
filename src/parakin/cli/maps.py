"""`parakin map` shows how well a robot works over a slice of its poses."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parakin.cli import executor_options
from parakin.cli.application import AnyName, app, fail
from parakin.cli.coordinate_options import assignments, check_units, names_in, number
from parakin.cli.loop_options import check_payload
from parakin.cli.motion_options import numbers_of
from parakin.cli.outputs import aligned, check_room, finite, staged, working, write_page
from parakin.errors import DataError, ParakinError, UnknownNameError

if TYPE_CHECKING:
    from parakin.analysis import PerformanceMap
    from parakin.robot import Robot

FIGURE, STEM, PAGE = "map.png", "map", "map.html"
"""Names of the figure, of the table, without its ending, and of the page."""
TABLES = ("npz", "parquet", "csv")
"""Formats of the table."""


@app.command(name="map")
def map_command(
    robot: AnyName,
    *,
    of: Annotated[
        list[str],
        typer.Option(
            help="Quantities, once each or with commas: condition, dexterity, isotropy, velocity, force, acceleration, "
            "payload, inertia, inertia_free, stiffness, frequency, accuracy."
        ),
    ],
    held: Annotated[
        list[str] | None,
        typer.Option(
            "--slice",
            help="A coordinate that is held, in m or rad, as z=-0.8 or, of a mechanism, knee.angle=0.3; rx, ry, rz are "
            "turns from home.",
        ),
    ] = None,
    axes: Annotated[
        str | None, typer.Option(help="The one or two coordinates that vary, as x,z; the first two not held if left.")
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option("--range", help="Ends of one that varies, as x=-0.3:0.3; 1.5 times the box if left out."),
    ] = None,
    orientation: Annotated[
        str | None,
        typer.Option(help="Orientation that is held: the angle, or a rotation vector from home, numbers in rad."),
    ] = None,
    grid: Annotated[int, typer.Option(help="Poses along each axis.")] = 41,
    space: Annotated[
        str | None,
        typer.Option(
            help="Which directions count: translation (of a mechanism, coordinates in m), rotation (those in rad), or "
            "all, a turn as the way at --length."
        ),
    ] = None,
    direction: Annotated[
        str | None, typer.Option(help="One direction alone, as many numbers as a velocity has, with commas.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="What condition, dexterity, isotropy and accuracy of a mechanism look at: output, its output frame, "
            "or pose, its independent coordinates."
        ),
    ] = None,
    length: Annotated[float | None, typer.Option(help="Characteristic length in m; the robot's if left out.")] = None,
    payload: Annotated[float, typer.Option(help="Mass in kg that the robot carries at E.")] = 0.0,
    actuator: Annotated[str | None, typer.Option(help="The actuator whose inertia is mapped.")] = None,
    acceleration: Annotated[
        float, typer.Option(help="Acceleration that a payload must reach, m/s^2 or rad/s^2.")
    ] = 0.0,
    drive_stiffness: Annotated[
        float | None, typer.Option(help="Stiffness of every drive, joint side, in N/m or N m/rad.")
    ] = None,
    resolution: Annotated[float | None, typer.Option(help="Step of every encoder, joint side, in m or rad.")] = None,
    clearance: Annotated[float | None, typer.Option(help="Radial play of every joint in m.")] = None,
    workers: executor_options.Workers = None,
    scheduler: executor_options.Scheduler = None,
    folder: executor_options.Folder = None,
    resume: executor_options.Resume = False,
    table: Annotated[str, typer.Option(help="Format of the table: npz, parquet or csv.")] = "npz",
    page: Annotated[
        bool, typer.Option("--page", help="Also write map.html: the robot's live page with the maps in its scene.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON, for programs.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for map.png and the table.")] = Path("out"),
) -> None:
    """Map how well a robot works over a slice of its poses: dexterity, force, stiffness, frequency and more.

    Writes a figure in which poses without a value are grey and say why, and a table of all poses; `parakin view ROBOT
    --layer map.npz` shows it in the robot's page. Numbers that the robot file does not have, such as stiffness, can be
    given here.

    Example: parakin map delta --of force,dexterity --slice z=-0.5 -o out
    """
    try:
        with working(f"{robot}: map") as told:
            from parakin.analysis import Slice, performance_map
            from parakin.analysis.options import Options, end_named, space_named
            from parakin.plots import map_figure
            from parakin.plots.files import png
            from parakin.robot import load

            if table not in TABLES:
                raise UnknownNameError("format of tables", table, TABLES)
            loaded = load(robot)
            check_payload(loaded, payload)
            carrying = loaded.with_payload(payload) if payload else loaded
            check_room(output)
            options = Options(
                space=None if space is None else space_named(space),
                direction=None if direction is None else tuple(numbers_of("--direction", direction)),
                length=length,
                at=None if at is None else end_named(at),
                actuator=actuator,
                acceleration=acceleration,
                drive_stiffness=drive_stiffness,
                resolution=resolution,
                clearance=clearance,
            )
            places = _places(carrying, held or [], orientation)
            chosen = None if axes is None else names_in(axes)
            where = Slice(places, chosen, _ends(carrying, ranges or []), grid)
            names = [name for text in of for name in names_in(text)]
            if page:
                from parakin.viewer.map_layers import check_slice

                check_slice(carrying, where)

            def tell(done: int, count: int) -> None:
                told(f"{loaded.name}: {done} of {count} poses")

            placement = executor_options.placement_of(workers, scheduler, folder, resume=resume)
            result = performance_map(carrying, names, where, options, tell, placement=placement)
            with staged(output) as place:
                (place / FIGURE).write_bytes(png(map_figure(result)))
                _write_table(place / f"{STEM}.{table}", result)
                if page:
                    told(f"{loaded.name}: making the page")
                    write_page(place / PAGE, carrying, [result])
    except ParakinError as error:
        fail(error)
    if as_json:
        typer.echo(json.dumps(finite(_data(result)), indent=1))
        return
    _show(result)
    written = [FIGURE, f"{STEM}.{table}", *([PAGE] if page else [])]
    typer.echo(f"written: {', '.join(str(output / name) for name in written)}")


def _write_table(path: Path, result: PerformanceMap) -> None:
    """Write a map; as NPZ with all that is known of it, so that `parakin view --layer` can show it."""
    if path.suffix == ".npz":
        import numpy as np

        np.savez_compressed(path, allow_pickle=False, **result.to_arrays())
        return
    from parakin.tables import write_table

    write_table(path, *result.table())


def _places(robot: Robot, held: list[str], orientation: str | None) -> dict[str, float]:
    """Return the coordinates that --slice and --orientation hold, and where."""
    from parakin.units import ANGLE

    fixed = assignments("map", "--slice", held, "must be NAME=VALUE, as z=-0.8")
    places = {name: number("map", "--slice", value) for name, value in fixed.items()}
    check_units("map", "--slice", robot, {name: (value,) for name, value in places.items()})
    if orientation is None:
        return places
    motion = robot.coordinates
    turns = [name for name, axis in zip(motion.offset_names, motion.axes, strict=True) if axis == ANGLE]
    values = numbers_of("--orientation", orientation)
    if len(values) != len(turns) or motion.of_joints:
        has = f"needs {len(turns)}: {', '.join(turns)}"
        if motion.of_joints:
            has = f"has coordinates of joints: hold these with --slice, as {motion.coordinates[0]}=0.1"
        elif not turns:
            has = "has no orientation"
        raise DataError("map", "--orientation", f"{robot.name} {has}; got {len(values)} numbers")
    turned = dict(zip(turns, values, strict=True))
    both = [name for name in turned if name in places]
    if both:
        raise DataError("map", "--orientation", f"--slice holds {both[0]} too: give one of them")
    check_units("map", "--orientation", robot, {name: (value,) for name, value in turned.items()})
    return places | turned


def _ends(robot: Robot, ranges: list[str]) -> dict[str, tuple[float, float]]:
    """Return the ends of coordinates that --range gives."""
    ends: dict[str, tuple[float, float]] = {}
    for name, text in assignments("map", "--range", ranges, "must be NAME=LOW:HIGH").items():
        low, colon, high = text.partition(":")
        if not colon:
            raise DataError("map", "--range", f"must be NAME=LOW:HIGH, got {name}={text}")
        ends[name] = number("map", "--range", low), number("map", "--range", high)
    check_units("map", "--range", robot, ends)
    return ends


def _data(result: PerformanceMap) -> dict[str, object]:
    """Return a summary of a map for JSON."""
    maps: dict[str, object] = {}
    for quantity in result.quantities:
        summary = result.summary(quantity.name)
        maps[quantity.name] = {
            "title": quantity.title,
            "unit": result.values[quantity.name].unit,
            "better": quantity.better,
            "subject": result.subjects[quantity.name],
            **summary._asdict(),
        }
    axes = {axis.name: {"unit": axis.unit, "from": axis.values[0], "to": axis.values[-1]} for axis in result.axes}
    grid = len(result.axes[0].values)
    return {
        "robot": result.robot,
        "axes": axes,
        "grid": grid,
        "held": result.held,
        "held_units": result.held_units,
        "directions": result.directions,
        "length": result.length,
        "payload": result.payload.model_dump(),
        "options": asdict(result.options),
        "given": list(result.given),
        "failure": result.failure,
        "maps": maps,
    }


def _show(result: PerformanceMap) -> None:
    """Print a table of what was mapped, and of poses without a value."""
    from parakin.analysis.slices import place_in_words

    heads = ["", "of", "least", "median", "largest", "unit", "largest at"]
    lines: list[list[str]] = []
    for quantity in result.quantities:
        summary = result.summary(quantity.name)
        numbers = [f"{value:.4g}" for value in (summary.least, summary.median, summary.largest)]
        places = zip(result.axes, summary.largest_at, strict=True)
        at = ", ".join(place_in_words(axis.name, value, axis.unit) for axis, value in places)
        lines.append([quantity.name, result.subjects[quantity.name], *numbers, result.values[quantity.name].unit, at])
    typer.echo(aligned(heads, lines))
    if result.given:
        typer.echo("; ".join(result.given))
    for quantity in result.quantities:
        shares = result.summary(quantity.name).shares
        bad = [f"{100 * share:.3g} % {words}" for words, share in shares.items() if words != "good"]
        if bad:
            typer.echo(f"{quantity.name}: no value at {', '.join(bad)}")
    if result.failure:
        typer.echo(f"the first pose that could not be computed: {result.failure}")
