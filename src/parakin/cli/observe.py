"""`parakin observe` finds the poses of a robot in pictures of its rods, or says which motions cameras can see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from parakin.cli.application import FAILED_RUN, app, fail
from parakin.cli.motion_options import pose_of
from parakin.cli.observe_pictures import Run, check_replaceable, check_sees, from_folder, rendered
from parakin.cli.outputs import aligned, check_room, finite, staged, working
from parakin.errors import DataError, ParakinError
from parakin.units import ANGLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parakin.arrays import Array
    from parakin.robot import Robot
    from parakin.vision import Observation, Rig

FIGURE, POSES, FILM, PICTURES = "observed.png", "poses.csv", "observed.gif", "pictures"
"""Names of what is written: the figure, the poses, the film, and the folder of rendered pictures."""
RENDERED_ONLY = ("motion", "noise", "seed", "keep_pictures")
"""Options that say what is rendered, and nothing of pictures that are there."""
FILM_SIZE = 640
"""Columns or rows of the film at most [px]."""
FILM_RATE = 12.0
"""Pictures of the film in a second."""


@app.command()
def observe(
    context: typer.Context,
    robot: Annotated[str, typer.Argument(help="A name from `parakin list`, or a robot file of legs and platform.")],
    *,
    camera: Annotated[Path, typer.Option("--camera", help="The rig file: cameras and the rods they look at.")],
    images: Annotated[
        Path | None, typer.Option(help="Folder of pictures; without one, a motion is rendered and observed.")
    ] = None,
    motion: Annotated[str, typer.Option(help="The motion that is rendered, a name of the table or a file.")] = "circle",
    rate: Annotated[
        float, typer.Option(min=1e-3, help="How often pictures are taken, in Hz; of a file's motion too.")
    ] = 25.0,
    near: Annotated[
        str | None, typer.Option(help="A pose near the first picture, in m and rad with commas; home by default.")
    ] = None,
    per_rod: Annotated[
        int,
        typer.Option(min=1, max=64, help="Regions of every rod in every camera at most: they do not overlap."),
    ] = 4,
    noise: Annotated[
        float, typer.Option(min=0.0, help="Standard deviation of the noise of rendered pictures, in grey levels.")
    ] = 2.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of that noise.")] = 0,
    keep_pictures: Annotated[
        bool, typer.Option("--keep-pictures", help="Also write the rendered pictures, and replace earlier ones.")
    ] = False,
    film: Annotated[bool, typer.Option("--film/--no-film", help="Whether the film is written.")] = True,
    visibility: Annotated[
        bool, typer.Option("--visibility", help="Only say which motions can be seen over the workspace.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Directory for what is written.")] = Path("out"),
) -> None:
    """Find the poses of a robot in pictures of its rods: a folder of images, or a rendered run.

    Writes poses.csv (a row for each picture: time, status, pose, standard deviations), observed.png and observed.gif,
    in which regions and contours are drawn into the pictures. Of a rendered run the errors are told. The exit code is 4
    if some pictures give no pose; their rows say why.

    Example: parakin observe quattro --camera examples/quattro_rig.toml -o out
    """
    try:
        with working(f"{robot}: reading") as tell:
            _refuse_idle(context, images=images is not None, visibility=visibility)
            from parakin.robot import load
            from parakin.vision import read_rig

            loaded = load(robot)
            rig = read_rig(camera, loaded)
            check_room(output)
            if visibility:
                from parakin.cli.observe_visibility import look

                look(rig, output, as_json=as_json, tell=tell)
                return
            check_sees(rig, camera)
            start = loaded.home if near is None else pose_of("--near", near, loaded)
            if keep_pictures:
                check_replaceable(output / PICTURES, rig)
            if images is not None:
                run = from_folder(rig, images, rate)
            else:
                run = rendered(rig, motion, rate, noise=noise, seed=seed)
            begun = start if run.truth is None or near is not None else run.truth[0]
            found = _observation(rig, run, begun, per_rod, tell)
            written = _write(output, run, found, film=film, keep=keep_pictures, tell=tell)
    except ParakinError as error:
        fail(error)
    _tell(found, run, as_json=as_json, written=written)
    if found.lost:
        raise typer.Exit(FAILED_RUN)


def _refuse_idle(context: typer.Context, *, images: bool, visibility: bool) -> None:
    """Refuse options that would do nothing."""
    sources = {name: context.get_parameter_source(name) for name in (*RENDERED_ONLY, "images")}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    idle, why = (given, "--visibility") if visibility else ([name for name in given if name != "images"], "--images")
    if idle and (images or visibility):
        does = "asks what cameras could see" if visibility else "has its pictures"
        option = f"--{idle[0].replace('_', '-')}"
        raise DataError("observe", option, f"does nothing where {why} {does}: leave one of them out")


def _observation(
    rig: Rig, run: Run, start: Array | list[float], per_rod: int, tell: Callable[[str], None]
) -> Observation:
    from parakin.vision import observe as look

    count = len(run.times)
    instants = (run.pictures(k) for k in range(count))
    return look(rig, instants, start, per_rod=per_rod, told=lambda k: tell(f"{rig.robot.name}: picture {k} of {count}"))


def _write(
    output: Path, run: Run, found: Observation, *, film: bool, keep: bool, tell: Callable[[str], None]
) -> list[Path]:
    """Write poses, figure, film and rendered pictures, all or none of them, and return what was written."""
    from parakin.plots.files import png
    from parakin.plots.observing import observation_figure
    from parakin.vision import write_pictures

    robot = run.rig.robot
    with staged(output) as place:
        (place / POSES).write_text(_table(robot, run, found), encoding="utf-8", newline="\n")
        (place / FIGURE).write_bytes(png(observation_figure(run.times, found, run.truth)))
        if film:
            tell(f"{robot.name}: film")
            _write_film(place / FILM, run, found)
        if keep:
            write_pictures(place / PICTURES, run.rig, (run.pictures(k) for k in range(len(run.times))))
    return [output / name for name in (POSES, FIGURE, *([FILM] if film else []), *([PICTURES] if keep else []))]


def _write_film(path: Path, run: Run, found: Observation) -> None:
    import numpy as np
    from PIL import Image

    from parakin.plots.observing import drawn_in
    from parakin.viewer.film import write_gif

    def drawn() -> Iterator[Array]:
        for k, one in enumerate(found.instants):
            picture = Image.fromarray(drawn_in(run.rig, run.pictures(k)[0], one))
            picture.thumbnail((FILM_SIZE, FILM_SIZE))
            yield np.asarray(picture)

    write_gif(path, drawn(), FILM_RATE)


def _table(robot: Robot, run: Run, found: Observation) -> str:
    """The poses as CSV."""
    names = [f"{name} [{unit}]" for name, unit in zip(robot.pose_names, robot.pose_units, strict=True)]
    axes = zip(robot.motion_type.offset_names, robot.motion_type.axes, strict=True)
    deviations = [f"deviation {name} [{axis.position}]" for name, axis in axes]
    lines = [",".join(["t [s]", "status", *names, *deviations, "edges found", "edges looked for", "why not"])]
    for time, one, pose, deviation in zip(run.times, found.instants, found.pose, found.deviation, strict=True):
        numbers = [repr(float(value)) for value in (*pose, *deviation)]
        told = [str(one.found), str(len(one.reports)), json.dumps(one.estimate.words) if one.estimate.words else ""]
        lines.append(",".join([repr(float(time)), one.estimate.status.name, *numbers, *told]))
    return "\n".join(lines) + "\n"


class _Sizes(NamedTuple):
    """How well poses are known, by axis [m, rad]."""

    deviation: Array | None
    """Root mean square of the standard deviations that are told; None without a pose."""
    error: Array | None
    """Root mean square of the errors; None where the truth is not known."""


def _sizes(found: Observation, run: Run) -> _Sizes:
    import numpy as np

    from parakin.motions.offsets import offset_between

    good = np.isfinite(found.pose).all(axis=1)
    if not good.any():
        return _Sizes(None, None)
    deviation = np.sqrt(np.mean(found.deviation[good] ** 2, axis=0))
    if run.truth is None:
        return _Sizes(deviation, None)
    errors = offset_between(run.rig.robot.motion_type, run.truth[good], found.pose[good])
    return _Sizes(deviation, np.sqrt(np.mean(errors**2, axis=0)))


def _facts(found: Observation, run: Run, sizes: _Sizes) -> dict[str, object]:
    """The result as numbers and texts."""
    motion = run.rig.robot.motion_type
    return {
        "robot": run.rig.robot.name,
        "pictures": len(found.instants),
        "lost": found.lost,
        "axes": list(motion.offset_names),
        "units": [axis.position for axis in motion.axes],
        "deviation": sizes.deviation,
        "error": sizes.error,
    }


def _tell(found: Observation, run: Run, *, as_json: bool, written: list[Path]) -> None:
    sizes, motion = _sizes(found, run), run.rig.robot.motion_type
    if as_json:
        typer.echo(json.dumps(finite(_facts(found, run, sizes)), indent=1))
        return
    typer.echo(f"{run.rig.robot.name}: {len(found.instants)} pictures, {found.lost} without a pose")
    for one, time in zip(found.instants, run.times, strict=True):
        if one.estimate.words:
            typer.echo(f"no pose at {time:.4g} s: {one.estimate.words}", err=True)
            break
    rows: list[list[str]] = []
    for k, name in enumerate(motion.offset_names):
        scale, unit = (1e3, "mrad") if motion.axes[k] is ANGLE else (1e6, "um")
        both = (sizes.deviation, sizes.error)
        rows.append([f"{name} [{unit}]", *("" if one is None else f"{scale * one[k]:.3g}" for one in both)])
    typer.echo(aligned(["", "deviation told", "error, rms"], rows))
    typer.echo(f"written: {', '.join(map(str, written))}")
