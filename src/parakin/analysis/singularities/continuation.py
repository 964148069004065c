"""Singular configurations found by Newton's method from nearby ones, and followed towards a pose.

With the closing conditions r(c) and conditions g(c) that vanish where a robot is singular, a step of least length with

    J step = -r,      G step = -g

leads to a singular configuration. From there the pose is brought nearer to the start along the singular ones: the step
that is tangent to them, J step = 0 and G step = 0, and brings it nearest, followed by Newton's method again. Every
configuration that is kept is singular with closed loops, so that the shortest distance is an upper bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.singularities.chart import Chart
from parakin.analysis.singularities.conditions import Condition
from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.assembling import null_space

SINGULAR = 1e-9
"""Largest closing or singular condition, free of units, of a configuration that counts as singular."""
STEPS = 24
"""Steps of Newton's method at most."""
WAY_STEPS = 8
"""Steps of Newton's method at most to the next pose of a way."""
PATIENCE = 5
"""Steps in a row that may fail to bring conditions down before a search is given up."""
FALLS = 0.7
"""A step that leaves less than this share of the least conditions so far brings them down."""
CLOSED = 1e-12
"""Largest condition, free of units, at which there is nothing more to bring down."""
LONGEST = 0.3
"""Size of the longest step [rad, and lengths in sizes]; longer ones are cut."""
WEAKEST = 1e-7
"""Singular values of the linearised conditions, beside the largest, that a step does not divide by."""
ROUNDS = 20
"""Steps along singular configurations at most."""
SHARES = (1.0, 0.5, 0.2, 0.05)
"""Shares of such a step that are tried, until one brings the pose nearer."""
LEAST_RATE = 1e-6
"""Rates of the pose along singular configurations, beside the largest, that are rounding."""
NEARER = 1e-7
"""Share of a distance that a step along singular configurations must save, or they are followed no further."""


@frozen_arrays
class Arrival:
    """A singular configuration, and how far its pose is from the start."""

    configuration: Array
    """The configuration (c,)."""
    distance: float
    """The distance [m]."""


def arrived(chart: Chart, condition: Condition, configuration: Array) -> Arrival | None:
    """Return the singular configuration that Newton's method leads to from a configuration; None if there is none."""
    least, failed = np.inf, 0
    for _ in range(STEPS):
        off, slope = _system(chart, condition, configuration)
        left = float(np.max(np.abs(off), initial=0.0))
        if not np.isfinite(left):
            return None
        failed = 0 if left < FALLS * least else failed + 1
        least = min(least, left)
        if left <= CLOSED or failed >= PATIENCE:
            break
        step = -np.asarray(np.linalg.lstsq(slope, off, rcond=WEAKEST)[0], float)
        configuration = chart.stepped(configuration[None], _cut(step)[None])[0]
    if _largest(chart, condition, configuration) > SINGULAR:
        return None
    return Arrival(configuration, float(np.linalg.norm(chart.offsets(chart.at(configuration[None]))[0])))


def along(chart: Chart, start: Array, ways: Array) -> Array:
    """Return configurations (N, K, c) at offsets (N, K, n) one after the other, from a configuration (c,).

    They are NaN from where loops do not close any more, or only on another branch: where a step is long.
    """
    here = np.repeat(start[None], len(ways), axis=0)
    found = np.full((*ways.shape[:2], len(start)), np.nan)
    kept = np.arange(len(ways))
    for k in range(ways.shape[1]):
        there, good = reached(chart, here[kept], ways[kept, k])
        kept, there = kept[good], there[good]
        here[kept] = found[kept, k] = there
        if not len(kept):
            break
    return found


def reached(chart: Chart, configurations: Array, offsets: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return configurations with closed loops and offsets (N, n) of their poses from the start, and which are good.

    configurations: (N, c), nearby.
    """
    here, far = np.array(configurations), np.zeros(len(configurations), bool)
    left = np.full(len(here), np.inf)
    for _ in range(WAY_STEPS):
        seen = chart.at(here)
        away, rates = chart.off_motion(seen)
        missing = chart.short(chart.offsets(seen) - offsets) / chart.tree.size
        off = np.concatenate([seen.rows, away, missing], axis=1)
        left = np.max(np.abs(off), axis=1)
        busy = np.flatnonzero((left > SINGULAR) & ~far)
        if not len(busy):
            break
        slope = np.concatenate([seen.J, rates, chart.pose_rates(seen) / chart.tree.size], axis=1)[busy]
        steps = -(np.linalg.pinv(slope, rcond=WEAKEST) @ off[busy, :, None])[..., 0]
        long = ~(np.linalg.norm(steps, axis=1) <= LONGEST)
        far[busy[long]] = True
        here[busy[~long]] = chart.stepped(here[busy[~long]], steps[~long])
    return here, (left <= SINGULAR) & ~far


def followed(chart: Chart, condition: Condition, first: Arrival) -> list[Arrival]:
    """Return the singular configurations by which following them from one leads towards the start, the nearest last."""
    found = [first]
    for _ in range(ROUNDS):
        nearer = _nearer(chart, condition, found[-1])
        if nearer is None:
            break
        found.append(nearer)
        if found[-2].distance - nearer.distance < NEARER * nearer.distance:
            break
    return found


def _nearer(chart: Chart, condition: Condition, here: Arrival) -> Arrival | None:
    """The singular configuration after one step towards the start; None if no share of the step leads nearer."""
    _, slope = _system(chart, condition, here.configuration)
    tangent = null_space(slope, WEAKEST * max(1.0, float(np.linalg.norm(slope, 2))))
    seen = chart.at(here.configuration[None])
    rates = chart.pose_rates(seen)[0] @ tangent
    back = np.asarray(np.linalg.lstsq(rates, -chart.offsets(seen)[0], rcond=LEAST_RATE)[0], float)
    step = tangent @ back
    for share in SHARES:
        tried = arrived(chart, condition, chart.stepped(here.configuration[None], _cut(share * step)[None])[0])
        if tried is not None and tried.distance < here.distance:
            return tried
    return None


def _system(chart: Chart, condition: Condition, configuration: Array) -> tuple[Array, Array]:
    """What must vanish, closing conditions first, and how it depends on velocities."""
    seen = chart.at(configuration[None])
    off, rates = chart.off_motion(seen)
    g, G = condition.linearised(configuration)
    return np.concatenate([seen.rows[0], off[0], g]), np.concatenate([seen.J[0], rates[0], G])


def _largest(chart: Chart, condition: Condition, configuration: Array) -> float:
    """The largest of all conditions."""
    return float(np.max(np.abs(_system(chart, condition, configuration)[0])))


def _cut(step: Array) -> Array:
    size = float(np.linalg.norm(step))
    return step * min(1.0, LONGEST / size) if size > 0.0 else step
