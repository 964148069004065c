"""Layers as plain data for a live page, for `assets/layer.js`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from parakin.analysis.scale import Scale
from parakin.arrays import Array
from parakin.viewer.layer import Grid, Layer, Span
from parakin.viewer.packing import packed_floats, packed_integers

CIVIDIS = (
    *("#00224E", "#003170", "#2A3F6D", "#434E6C", "#575D6D", "#6A6C71", "#7D7C78"),
    *("#918B78", "#A59C74", "#BCAE6C", "#D2C060", "#E9D34E", "#FEE838"),
)
"""The colour map cividis in equal steps; between them colours are mixed."""
QUANTA = 4095
"""Steps into which the extent of a layer is divided along each axis: a quarter of a pixel where it is a screen wide."""
MOST_TICKS = 7
"""Numbers beside a scale of colours, and lines of equal value, at most."""
EVEN = (1.0, 2.0, 2.5, 5.0, 10.0)
"""Steps between numbers beside a scale, times a power of ten."""
UNEVEN = (1.0, 2.0, 5.0)
"""Numbers beside a logarithmic scale, times powers of ten."""


def layer_data(layer: Layer) -> dict[str, object]:
    """Return a layer for the page: places in steps of its extent, values in 32 bits."""
    low, high = (np.nan_to_num(side) for side in layer.bounds)
    known = np.isfinite(layer.points).all(axis=1, keepdims=True)
    extent = np.where(high > low, high - low, 1.0)
    steps = np.rint(np.clip((layer.points - low) / extent, 0.0, 1.0) * QUANTA)
    shades = layer.shades
    return {
        "title": layer.title,
        "note": layer.note,
        "group": layer.group,
        "shown": layer.shown,
        "count": len(layer.points),
        "low": _plain(low),
        "step": _plain(extent / QUANTA),
        "points": packed_integers(np.where(known, steps, 0)),
        "faces": packed_integers(layer.faces),
        "lines": packed_integers(layer.lines),
        "codes": packed_integers(layer.codes[:, None]),
        "words": list(layer.words),
        "tints": [[tint.words, *tint.colours] for tint in layer.tints],
        "tintOf": list(layer.tint_of),
        "values": None if shades is None else packed_floats(shades.values),
        "unit": "" if shades is None else shades.unit,
        "infinite": shades is not None and bool(np.isinf(shades.values).any()),
        "scale": None if shades is None or shades.scale is None else _scale_data(shades.scale),
        "grid": None if layer.grid is None else _grid_data(layer.grid),
    }


def ticks_of(scale: Scale) -> list[float]:
    """Return round numbers within a scale, at least one; on a logarithmic one 1, 2 and 5 times powers of ten."""
    low, high, logarithmic = scale
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return [low]
    if logarithmic:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for factors in (UNEVEN, (1.0,)):
            ticks = [factor * 10.0**power for power in powers for factor in factors]
            ticks = [tick for tick in ticks if low <= tick <= high]
            if len(ticks) <= MOST_TICKS:
                return ticks
        return ticks[:: -(-len(ticks) // MOST_TICKS)]
    power = 10.0 ** math.floor(math.log10((high - low) / MOST_TICKS))
    step = next(one * power for one in EVEN if (high - low) / (one * power) <= MOST_TICKS)
    first = math.ceil(low / step - 1e-9)
    return [float(f"{step * k:.12g}") for k in range(first, math.floor(high / step + 1e-9) + 1)] or [low]


def _scale_data(scale: Scale) -> dict[str, object]:
    return {
        "low": scale.low,
        "high": scale.high,
        "logarithmic": scale.logarithmic,
        "ticks": ticks_of(scale),
        "colours": list(CIVIDIS),
    }


def _grid_data(grid: Grid) -> list[list[dict[str, object]]]:
    return [[_span(span) for span in part] for part in (grid.spans, grid.held)]


def _span(span: Span) -> dict[str, object]:
    return {"name": span.name, "unit": span.unit, "place": span.place, "ends": list(span.ends), "count": span.count}


def _plain(values: Array | Sequence[float]) -> list[float]:
    return [float(value) for value in values]
