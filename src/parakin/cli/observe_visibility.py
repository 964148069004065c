"""`parakin observe --visibility`: which motions of a platform cameras can see at all, in words and as a figure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from parakin.cli.outputs import finite, staged

if TYPE_CHECKING:
    from parakin.vision import Rig, Visibility

FIGURES = {"contours": "visibility_contours.png", "directions": "visibility_directions.png"}
"""Name of the figure of what contours show, and of what directions of rods alone show."""
GRID = 61
"""Poses along each axis of a figure."""


def look(rig: Rig, output: Path, *, as_json: bool, tell: Callable[[str], None]) -> None:
    """Say which motions are seen over the workspace's box, by contours and by directions alone, and draw both."""
    from parakin.analysis import Slice, lattice_of
    from parakin.plots.files import png
    from parakin.plots.vision import visibility_figure
    from parakin.vision import views_at, visibility

    robot, found, drawn = rig.robot, dict[str, "Visibility"](), dict[str, bytes]()
    lattice = lattice_of(robot, Slice(grid=GRID))
    for observed in ("contours", "directions"):
        tell(f"{robot.name}: {observed} over the workspace")
        found[observed] = visibility(rig, observe=observed)
        if len(lattice.axes) == 2:
            views = views_at(rig, lattice.poses, observe=observed)
            held = ", ".join(f"{name} = {value:.4g}" for name, value in lattice.held.items())
            title = f"{robot.name}: {observed} of {len(rig.rods)} rods{f', {held}' if held else ''}"
            drawn[FIGURES[observed]] = png(visibility_figure(lattice, views, title))
    with staged(output) as place:
        for name, picture in drawn.items():
            (place / name).write_bytes(picture)
    if as_json:
        typer.echo(json.dumps(finite({kind: _facts(one) for kind, one in found.items()}), indent=1))
        return
    for kind, one in found.items():
        typer.echo(f"{robot.name}, {kind} of {len(one.rods)} rods: {_words(one)}")
    typer.echo(f"written: {', '.join(str(output / name) for name in drawn)}")


def _words(one: Visibility) -> str:
    """Return what is seen and what is not."""
    told = [f"{one.rank} of {one.degrees_of_freedom} motions are seen"]
    if one.unseen:
        told.append(f"nowhere in the box is seen: {one.unseen}")
    if one.singular is not None:
        told.append(f"lost inside the box, at {_pose(one.singular.pose)}: {one.singular.words}")
    elif not one.unseen:
        told.append(f"least at {_pose(one.worst.pose)}: {one.worst.words}")
    return "; ".join(told)


def _pose(pose: object) -> str:
    import numpy as np

    return f"[{', '.join(f'{value + 0.0:.4g}' for value in np.asarray(pose))}]"


def _facts(one: Visibility) -> dict[str, object]:
    """Return what was found as numbers and texts."""

    def unseen(place: object) -> dict[str, object] | None:
        return None if place is None else {name: getattr(place, name) for name in ("pose", "margin", "motion", "words")}

    return {
        "rods": list(one.rods),
        "rank": one.rank,
        "degrees_of_freedom": one.degrees_of_freedom,
        "unseen": one.unseen,
        "singular": unseen(one.singular),
        "worst": unseen(one.worst),
    }
