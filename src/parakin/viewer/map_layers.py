"""Maps of quantities as layers: a coloured surface over the poses of a slice, with holes where there is no value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parakin.analysis import PerformanceMap, Reason, Slice
from parakin.analysis.scale import scale_of
from parakin.analysis.slices import lattice_of
from parakin.arrays import Array
from parakin.motions.offsets import origin_of
from parakin.robot import Robot
from parakin.viewer.layer import NO_ROWS, Grid, Layer, Rows, Shades, Span
from parakin.viewer.layer_places import PROBES, places_of, refuse_without_place

MOST_ALONG = 201
"""Poses along an axis that a layer has at most: more are not told apart on a screen."""


def check_slice(robot: Robot, where: Slice) -> None:
    """Refuse a slice over which the output does not move through space, before anything is computed."""
    lattice = lattice_of(robot, replace(where, grid=min(where.grid, PROBES)))
    places = places_of(robot, lattice.poses)
    refuse_without_place(robot, places, tuple(axis.name for axis in lattice.axes))


def map_layers(robot: Robot, result: PerformanceMap) -> list[Layer]:
    """Return a layer for each quantity of a map; the first is shown, and the others wait to be switched on."""
    every = max(1, -(-(max(len(axis.values) for axis in result.axes) - 1) // (MOST_ALONG - 1)))
    some = (slice(None, None, every),) * len(result.axes)
    places = places_of(robot, result.poses[some])
    refuse_without_place(robot, places, tuple(axis.name for axis in result.axes))
    names = tuple(reason.words if reason is not Reason.GOOD else "" for reason in sorted(Reason))
    thinned = f"; one pose in {every} along each axis" if every > 1 else ""
    layers: list[Layer] = []
    for quantity in result.quantities:
        found = result.values[quantity.name]
        values, reasons = found.values[some], found.reasons[some]
        faces, lines = _joined(np.isfinite(values) & np.isfinite(places).all(axis=-1))
        shades = Shades(found.unit, values.ravel(), scale_of(values))
        layers.append(
            Layer(
                title=quantity.title,
                note=_note(result, quantity.name) + thinned,
                points=places.reshape(-1, 3),
                faces=faces,
                lines=lines,
                words=names,
                codes=(reasons.ravel() - int(min(Reason))).astype(np.int32),
                shades=shades,
                grid=_grid(robot, result, every),
                group=result.words,
                shown=not layers,
            )
        )
    return layers


def _joined(known: NDArray[np.bool_]) -> tuple[Rows, Rows]:
    """Return faces and lines between neighbours of a grid that all have a value, or three of four of them."""
    numbers = np.arange(known.size, dtype=np.int32).reshape(known.shape)
    if known.ndim == 1:
        pairs = np.stack([numbers[:-1], numbers[1:]], axis=-1)
        return np.zeros((0, 4), np.int32), pairs[known[:-1] & known[1:]]
    around = [(slice(a, a - 1 or None), slice(b, b - 1 or None)) for a, b in ((0, 0), (0, 1), (1, 1), (1, 0))]
    cells = np.stack([numbers[corner] for corner in around], axis=-1).reshape(-1, 4)
    good = np.stack([known[corner] for corner in around], axis=-1).reshape(-1, 4)
    whole = cells[good.all(axis=1)]
    three = good.sum(axis=1) == 3
    corners = cells[three][good[three]].reshape(-1, 3)
    return np.concatenate([whole, corners[:, [0, 1, 2, 2]]]).astype(np.int32), NO_ROWS


def _note(result: PerformanceMap, name: str) -> str:
    """Return what is held and, of a mechanism, whose coordinates a quantity is of."""
    return f"{result.words}; {result.subjects[name]}" if result.of_joints else result.words


def _grid(robot: Robot, result: PerformanceMap, every: int) -> Grid | None:
    """Return which poses the points stand for; None where a ball is among the coordinates, whose turns do not add."""
    motion = robot.coordinates
    if motion.balls:
        return None
    origin = origin_of(motion, robot.home)

    def span(name: str, unit: str, values: Array) -> Span:
        place = motion.offset_names.index(name)
        return Span(name, unit, place, (values[0] - origin[place], values[-1] - origin[place]), len(values))

    return Grid(
        tuple(span(axis.name, axis.unit, axis.values[::every]) for axis in result.axes),
        tuple(span(name, result.held_units[name], np.array([value])) for name, value in result.held.items()),
    )
