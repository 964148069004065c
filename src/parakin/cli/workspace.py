"""`parakin workspace` says where a robot can go, how much room that is, and what ends it."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from parakin.cli import executor_options
from parakin.cli.application import AnyName, app, fail
from parakin.cli.coordinate_options import assignments, check_units, names_in, number
from parakin.cli.outputs import aligned, check_room, finite, staged, working, write_page
from parakin.cli.plausible import CLEARANCE
from parakin.errors import DataError, ParakinError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from parakin.analysis import Inscribed, Locus, Singularity, Workspace
    from parakin.robot import Robot

FIGURE = "workspace.png"
"""Name of the figure that is written."""
ARRAYS = "workspace.npz"
"""Name of the file with all arrays that is written."""
TABLE = "workspace.parquet"
"""Name of the table of points that is written where it is asked for."""
LOCUS, NEAREST, CURVES = "singular_poses.png", "singularity.png", "singular_poses.npz"
"""Names of the figures of singularities, and of the file with the curves, that are written where they are asked for;
kinds beside the nearest have theirs in the names of their figures."""
PAGE = "workspace.html"
"""Name of the page that is written where it is asked for."""
MOST_CAUSES = 8
"""Causes that are printed, the most frequent first."""


class Need(StrEnum):
    """Which orientations must be reached."""

    ALL = "all"
    """Every orientation of a range."""
    ANY = "any"
    """One of them."""


class Fit(StrEnum):
    """Shapes that can be fitted into a workspace."""

    BOX = "box"
    """A box along the axes."""
    CYLINDER = "cylinder"
    """A round cylinder along the third axis."""
    SPHERE = "sphere"
    """A sphere, or a disc in a plane."""


@app.command()
def workspace(
    robot: AnyName,
    *,
    axes: Annotated[
        str, typer.Option(help="Coordinates that vary, such as x,y; positions of the platform by default.")
    ] = "",
    slice_at: Annotated[
        list[str] | None,
        typer.Option("--slice", help="Coordinates that stand, such as z=-0.8; home's by default."),
    ] = None,
    orientation: Annotated[
        list[str] | None,
        typer.Option(help="An angle in rad that stands, rx=0.1, or a range of so many values, rx=-0.2:0.2:5."),
    ] = None,
    need: Annotated[Need, typer.Option(help="Whether all orientations of a range count, or any of them.")] = Need.ALL,
    condition: Annotated[
        float | None, typer.Option(min=1.0, help="Largest condition number of the length-scaled J_qv.")
    ] = None,
    clearance: Annotated[
        float,
        typer.Option(
            min=0.0, callback=CLEARANCE, help="Least distance in m between parts whose radius the file gives."
        ),
    ] = 0.0,
    every_aspect: Annotated[
        bool, typer.Option("--every-aspect", help="Count poses beyond singularities of the platform too.")
    ] = False,
    fit: Annotated[Fit | None, typer.Option(help="Also find the largest box, cylinder or sphere inside.")] = None,
    levels: Annotated[
        int | None, typer.Option(min=0, help="How often cells are halved near the boundary; more is finer.")
    ] = None,
    singular: Annotated[
        bool,
        typer.Option(
            "--singular", help="Also find the singularity of each kind nearest to home, and draw those of two axes."
        ),
    ] = False,
    grid: Annotated[bool, typer.Option("--grid", help="Judge every point of the finest lattice.")] = False,
    workers: executor_options.Workers = None,
    scheduler: executor_options.Scheduler = None,
    folder: executor_options.Folder = None,
    resume: executor_options.Resume = False,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Also write all points as rows of a Parquet file.")
    ] = False,
    page: Annotated[
        bool,
        typer.Option("--page", help="Also write workspace.html: the robot's live page with all this in it."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")] = False,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Directory for workspace.png and workspace.npz.")
    ] = Path("out"),
) -> None:
    """Find where a robot can be, inside strokes, joint limits and clearances: volume with its error, and what ends it.

    Prints the volume of the connected part that holds home and of all parts, and the causes that keep the robot out;
    writes workspace.png (sections through home) and workspace.npz (every point with its code). `parakin view ROBOT
    --layer workspace.npz` shows it in the robot's page.

    Example: parakin workspace delta --slice z=-0.45 --condition 5 --fit sphere -o out
    """
    try:
        with working(f"{robot}: workspace") as tell:
            import numpy as np

            from parakin.analysis import Demands, inscribed, region_of
            from parakin.analysis import workspace as find
            from parakin.plots.files import png
            from parakin.plots.workspace import workspace_figure
            from parakin.robot import load

            loaded = load(robot)
            check_room(output)
            region = _searched(loaded, axes, slice_at or [], orientation or [], need.value)
            if page:
                from parakin.viewer.workspace_layers import check_region

                check_region(loaded, region_of(loaded, *region))
            found = find(
                loaded,
                region.axes,
                at=region.at,
                orientations=region.orientations,
                need=region.need,
                demands=Demands(condition, not every_aspect, clearance),
                levels=levels,
                grid=grid,
                tell=lambda text: tell(f"{robot}: {text}"),
                placement=executor_options.placement_of(workers, scheduler, folder, resume=resume),
            )
            fitted = None if fit is None else inscribed(loaded, found, fit.value)
            around = _singular(loaded, found) if singular else Singular((), None, {})
            curves = [] if around.curves is None else [around.curves]
            with staged(output) as place:
                (place / FIGURE).write_bytes(png(workspace_figure(found, fitted)))
                _write_arrays(place, found, parquet)
                for name, figure in around.pictures.items():
                    (place / name).write_bytes(png(figure))
                for one in curves:
                    np.savez_compressed(place / CURVES, allow_pickle=False, **one.to_arrays())
                if page:
                    tell(f"{robot}: making the page")
                    write_page(place / PAGE, loaded, [found, *curves])
                written = sorted(file.name for file in place.iterdir())
    except ParakinError as error:
        fail(error)
    if as_json:
        typer.echo(json.dumps(finite(_facts(found, fitted) | _told(around.nearest)), indent=1))
        return
    _show(found, fitted)
    if singular:
        for one in around.nearest:
            typer.echo(f"from home, {one}")
        if not around.nearest:
            typer.echo("no singularity was found near home")
    typer.echo(f"written: {', '.join(str(output / name) for name in written)}")


class Searched(NamedTuple):
    """What varies and what stands, as `region_of` takes it."""

    axes: tuple[str, ...]
    """Coordinates that vary."""
    at: dict[str, float]
    """Coordinates that stand, and where."""
    orientations: dict[str, list[float]]
    """Angles in every combination."""
    need: Literal["all", "any"]
    """Which orientations count."""


class Singular(NamedTuple):
    """What was found of singular poses."""

    nearest: tuple[Singularity, ...]
    """The singularity of each kind nearest to home, the nearest first."""
    curves: Locus | None
    """Singular curves; None if they were not looked for."""
    pictures: dict[str, Figure]
    """Figures by the names of their files."""


def _singular(robot: Robot, found: Workspace) -> Singular:
    """The singularities nearest to home, and singular curves of the first two axes."""
    from parakin.analysis import locus, nearest_singularities
    from parakin.plots.singularities import can_be_drawn, locus_figure, singularity_figure

    names, home = robot.motion_type.offset_names, found.region
    nearest = nearest_singularities(robot)
    axes = home.axes[:2] if len(home.axes) > 1 else names[:2]
    pictures: dict[str, Figure] = {}
    standing = {name: value for name, value in home.fixed.items() if name not in axes}
    curves = locus(robot, axes, at=standing) if len(axes) == 2 else None
    if curves is not None:
        pictures[LOCUS] = locus_figure(curves)
    for one in nearest:
        if can_be_drawn(robot, one):
            name = NEAREST if one is nearest[0] else f"singularity_{one.kind.replace(' ', '_')}.png"
            pictures[name] = singularity_figure(robot, one)
    return Singular(nearest, curves, pictures)


def _told(nearest: tuple[Singularity, ...]) -> dict[str, object]:
    """The singularities nearest to home as numbers and texts."""
    facts = [
        {"kind": one.kind, "distance": one.distance, "length": one.length, "part": one.part, "pose": one.pose}
        | {"velocity": one.velocity, "twist": one.twist, "words": one.words, "limit": one.limit}
        for one in nearest
    ]
    return {"singularities": facts} if facts else {}


def _searched(robot: Robot, axes: str, at: list[str], orientation: list[str], need: Literal["all", "any"]) -> Searched:
    """Return what varies and what stands, in units that can be meant."""
    texts = assignments("workspace", "--slice", at, "must read name=number, such as z=-0.8")
    fixed = {name: number("workspace", "--slice", text) for name, text in texts.items()}
    check_units("workspace", "--slice", robot, {name: (value,) for name, value in fixed.items()})
    turned = _ranges(orientation)
    check_units("workspace", "--orientation", robot, turned)
    return Searched(names_in(axes), fixed, turned, need)


def _ranges(texts: list[str]) -> dict[str, list[float]]:
    """Read angles: name=value, or name=from:to:count."""
    from parakin.analysis.workspaces.region import MOST_ORIENTATIONS

    form = "must read name=angle or name=from:to:count, such as rx=-0.2:0.2:5"
    values: dict[str, list[float]] = {}
    for name, text in assignments("workspace", "--orientation", texts, form).items():
        try:
            numbers = [float(part) for part in text.split(":")]
        except ValueError:
            numbers = []
        if len(numbers) == 1:
            values[name] = numbers
        elif len(numbers) == 3 and 2 <= numbers[2] <= MOST_ORIENTATIONS and numbers[2] == int(numbers[2]):
            low, high, count = numbers
            values[name] = [low + (high - low) * k / (count - 1) for k in range(int(count))]
        else:
            most = f", at most {MOST_ORIENTATIONS:,} of them" if len(numbers) == 3 else ""
            raise DataError("workspace", "--orientation", f"{form}{most}, got {name}={text}")
    return values


def _write_arrays(place: Path, found: Workspace, parquet: bool) -> None:
    import numpy as np

    np.savez_compressed(place / ARRAYS, allow_pickle=False, **found.to_arrays())
    if parquet:
        from parakin.tables import write_table

        region, lattice = found.region, found.lattice
        points = lattice.at(np.argwhere(np.ones(lattice.codes.shape, bool)))
        names = [f"{name} [{unit}]" for name, unit in zip(region.axes, region.units, strict=True)]
        columns = [lattice.codes.ravel(), lattice.judged.ravel(), found.home_part.ravel()]
        write_table(
            place / TABLE, [*names, "code", "judged", "home_part"], np.column_stack([points, *columns]).astype(float)
        )


def _facts(found: Workspace, fitted: Inscribed | None) -> dict[str, object]:
    """The result as numbers and texts."""
    facts: dict[str, object] = {
        "robot": found.robot,
        "axes": list(found.region.axes),
        "unit": found.unit,
        "volume": {"home": found.volume("home"), "all": found.volume("all")},
        "error": {"home": found.error("home"), "all": found.error("all")},
        "bracket": {"home": list(found.home_bracket), "all": list(found.bracket)},
        "bounds": {"lower": found.lattice.lower, "upper": found.lattice.upper},
        "clipped": list(found.clipped),
        "levels": [
            {"cells": list(level.cells), "volume": {"home": level.home_volume, "all": level.volume}}
            for level in found.levels
        ],
        "poses": found.levels[-1].evaluations,
        "causes": {str(cause): count for cause, count in found.causes_outside().items()},
    }
    if fitted is not None:
        facts["fitted"] = {"shape": fitted.shape, "centre": fitted.centre, "half": fitted.half, "volume": fitted.volume}
    return facts


def _show(found: Workspace, fitted: Inscribed | None) -> None:
    typer.echo(str(found))
    low, high = found.home_bracket
    typer.echo(f"cells wholly inside hold {low:.4g} {found.unit}, with those that are cut {high:.4g} {found.unit}")
    outside = found.causes_outside()
    total = sum(outside.values())
    rows = [[str(cause), f"{100 * count / total:.3g} %"] for cause, count in list(outside.items())[:MOST_CAUSES]]
    if rows:
        typer.echo(aligned(["what keeps it out", "of points outside"], rows))
    if fitted is not None:
        typer.echo(f"{fitted}, {fitted.volume:.4g} {found.unit}")
