"""Workspaces as layers: the surface, area or line that the output can reach, coloured by what ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from parakin.analysis import Cause, Reason, Region, Workspace
from parakin.errors import DataError
from parakin.robot import Robot
from parakin.viewer.dual_mesh import CELLS, Flags, Numbers, dual_mesh
from parakin.viewer.layer import Layer, Tint
from parakin.viewer.layer_places import PROBES, places_of, refuse_without_place

REACHABLE = Tint("reachable", ("#56B4E9", "#56B4E9"))
"""What is inside."""
GOES_ON = Tint("goes on: the region that was looked at ends here", ("#8A94A3", "#A6AFBD"))
"""Where the workspace was cut off."""
PALETTE = (
    ("#0072B2", "#3D9BD6"),
    ("#D55E00", "#EE7F2B"),
    ("#009E73", "#1FC296"),
    ("#CC79A7", "#E39BC2"),
    ("#E69F00", "#F2B632"),
    ("#7B5EA7", "#A58BD0"),
    ("#B5485A", "#E8899A"),
    ("#A6761D", "#D0A04A"),
)
"""Colours of what ends a workspace, in the order of its causes, on light and on dark ground."""
GROUPS: tuple[Callable[[Cause], str], ...] = (
    lambda cause: _words(cause.reason, cause.name, cause.side),
    lambda cause: _words(cause.reason, cause.name),
    lambda cause: _words(cause.reason, "", cause.side),
    lambda cause: cause.reason.words,
)
"""Ways to take causes together, the finest first: a legend has no more rows than there are colours."""


def check_region(robot: Robot, region: Region) -> None:
    """Refuse a region over which the output does not move through space, before anything is computed."""
    d = len(region.axes)
    if d not in CELLS:
        names = ", ".join(region.axes)
        raise DataError("layer", names, f"{d} coordinates vary, a page shows one to three: hold some")
    lower, upper = (region.origin + np.asarray(side)[list(region.places)] for side in robot.box)
    probes = np.stack(np.meshgrid(*(np.linspace(0, 1, PROBES),) * d, indexing="ij"), axis=-1)
    points = (lower + (upper - lower) * probes).reshape(-1, d)
    places = places_of(robot, region.poses(points)).reshape(*probes.shape[:-1], 3)
    refuse_without_place(robot, places, region.axes)


def workspace_layers(robot: Robot, found: Workspace) -> list[Layer]:
    """Return the part of a workspace that holds home as a layer, and all other parts as one more if there are any."""
    check_region(robot, found.region)
    size = f"{found.volume():.4g} {found.unit} ± {found.error():.2g}"
    layers = [_layer(robot, found, found.home_part, f"workspace: {size}", shown=True)]
    others = np.asarray(found.lattice.inside & ~found.home_part)
    if others.any():
        layers.append(_layer(robot, found, others, "parts that are not connected with home", shown=False))
    return layers


def held_words(region: Region) -> str:
    """Return the coordinates that stand in a region, and its orientations, in words."""
    units = dict(zip(region.motion.offset_names, region.motion.axes, strict=True))
    text = ", ".join(
        f"{name} = {round(value, 9) + 0.0:.4g} {units[name].position}" for name, value in region.fixed.items()
    )
    count = len(region.offsets)
    if count > 1:
        each = "in all of them" if region.need == "all" else "in any of them"
        return f"{count} orientations, reached {each}; the first at {text}"
    return f"at {text}" if text else ""


def _layer(robot: Robot, found: Workspace, part: Flags, title: str, *, shown: bool) -> Layer:
    region = found.region
    mesh = dual_mesh(found.lattice, part, found.boundary)
    places = places_of(robot, region.poses(mesh.points))
    tints, tint_of = _tints(found.causes, mesh.codes)
    over = f"over {', '.join(region.axes)}"
    known = np.asarray(np.isfinite(places).all(axis=1))
    return Layer(
        title=title,
        note=", ".join(text for text in (f"{found.robot} {over}", held_words(region)) if text),
        points=places,
        faces=mesh.faces[known[mesh.faces].all(axis=1)],
        lines=mesh.lines[known[mesh.lines].all(axis=1)],
        words=(*(_words(cause.reason, cause.name, cause.side) for cause in found.causes), GOES_ON.words),
        codes=np.where(mesh.codes < 0, len(found.causes), mesh.codes).astype(np.int32),
        tints=tints,
        tint_of=tint_of,
        shown=shown,
    )


def _tints(causes: Sequence[Cause], codes: Numbers) -> tuple[tuple[Tint, ...], tuple[int, ...]]:
    """Return the colours of a legend, and which of them each cause has, and the end of the lattice after them."""
    there = {int(code) for code in np.unique(codes)}
    ends = sorted(code for code in there if code > 0)
    ways = [list(dict.fromkeys(words_of(causes[code]) for code in ends)) for words_of in GROUPS]
    way = next((k for k, rows in enumerate(ways) if len(rows) <= len(PALETTE)), len(GROUPS) - 1)
    tints = [Tint(words, PALETTE[k % len(PALETTE)]) for k, words in enumerate(ways[way])]
    others = [tint for tint, code in ((REACHABLE, 0), (GOES_ON, -1)) if code in there]
    every = [*tints, *others]
    place = {tint.words: k for k, tint in enumerate(every)}
    named = [REACHABLE.words, *(GROUPS[way](cause) for cause in causes[1:]), GOES_ON.words]
    return tuple(every), tuple(place.get(words, 0) for words in named)


def _words(reason: Reason, name: str = "", side: str = "") -> str:
    end = {"": "", "below": " at its lower end", "above": " at its upper end"}[side]
    return f"{reason.words}: {name}{end}" if name else f"{reason.words}{end}"
