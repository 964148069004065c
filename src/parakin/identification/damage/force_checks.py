"""Compares forces with those the robot file predicts.

Forces that are thousandfold, turned, exchanged or late stand out even if the parameters of the file are rough.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from parakin.arrays import Array
from parakin.identification.damage.kinds import Damage
from parakin.identification.logs.log_source import LogSource
from parakin.identification.states import States
from parakin.robot import Robot

IMPOSSIBLE_FACTOR = 100.0
"""Factor between measured and predicted forces, either way, from which the unit is wrong: no robot file is that wrong.
"""
TURNED_CORRELATION = -0.7
"""Correlation of a force with its prediction below which its sign is turned."""
MATCHING_CORRELATION = 0.7
"""Correlation with a prediction from which a force matches it."""
CORRELATION_GAP = 0.3
"""By how much two exchanged forces correlate better with each other's prediction than with their own, at least."""
FURTHEST_SHIFT = 40
"""Rows by which a force is looked for late or early, at most."""
SMALLEST_SHIFT = 3
"""States from which a force that is late or early counts as delayed, where it is known when forces act."""


def check_forces(
    robot: Robot, source: LogSource, samples: list[States], smallest_shift: int = SMALLEST_SHIFT
) -> Iterator[Damage]:
    """Report what is wrong with the forces of a log, compared with inverse dynamics of the robot file.

    smallest_shift: states from which a force that is late or early counts as delayed.
    """
    predicted = [robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, near=s.configuration) for s in samples]
    tau, model = np.concatenate([s.tau for s in samples]), np.concatenate(predicted)
    headers = source.headers[source.part("tau")]
    size = np.linalg.norm(model, axis=0)
    if not np.all(size > 0) or not np.all(np.ptp(tau, axis=0) > 0):
        return
    factor = float(np.median(np.linalg.norm(tau, axis=0) / size))
    if not 1 / IMPOSSIBLE_FACTOR < factor < IMPOSSIBLE_FACTOR:
        message = f"forces are {factor:.3g} times those of the robot file: check the unit, torque constant and gear"
        yield Damage("force-unit", None, None, None, factor, message)
        return
    C = _correlations(tau, model)
    exchanged_or_turned = [*_exchanged(C, headers), *_turned(C, headers)]
    yield from exchanged_or_turned or _late(samples, predicted, smallest_shift)


def _correlations(tau: Array, model: Array) -> Array:
    """C_ij of the measured force i and the predicted force j."""
    a, b = (values - values.mean(axis=0) for values in (tau, model))
    scale = np.linalg.norm(a, axis=0)[:, None] * np.linalg.norm(b, axis=0)
    return a.T @ b / np.where(scale > 0, scale, 1.0)


def _exchanged(C: Array, headers: tuple[str, ...]) -> Iterator[Damage]:
    for i, j in itertools.combinations(range(len(C)), 2):
        across, along = min(C[i, j], C[j, i]), max(C[i, i], C[j, j])
        if across > MATCHING_CORRELATION and across - along > CORRELATION_GAP:
            message = "each has the force that the other's position asks for: positions or forces are exchanged"
            yield Damage("swapped-forces", None, None, f"{headers[i]} and {headers[j]}", float(C[i, j]), message)


def _turned(C: Array, headers: tuple[str, ...]) -> Iterator[Damage]:
    for i, header in enumerate(headers):
        if C[i, i] < TURNED_CORRELATION:
            message = f"runs against the force of the robot file (correlation {C[i, i]:.2f}): set sign = -1"
            yield Damage("force-sign", None, None, header, float(C[i, i]), message)


def _late(samples: list[States], predicted: list[Array], smallest_shift: int) -> Iterator[Damage]:
    """Report a shift in time at which all forces together fit much better than as they are."""
    shifts = np.arange(-FURTHEST_SHIFT, FURTHEST_SHIFT + 1)
    pairs = [
        (np.ascontiguousarray(s.tau.T), np.ascontiguousarray(model.T))
        for s, model in zip(samples, predicted, strict=True)
        if len(s) > 2 * FURTHEST_SHIFT
    ]
    if not pairs:
        return
    pairs = list(zip(*(_centred(values) for values in zip(*pairs, strict=True)), strict=True))
    fit = np.array([_shifted_fit(pairs, shift) for shift in shifts.tolist()])
    best, now = float(fit.max()), float(fit[FURTHEST_SHIFT])
    shift = int(shifts[np.argmax(fit)])
    if abs(shift) >= smallest_shift and best > MATCHING_CORRELATION and 1 - best < 0.5 * (1 - now):
        step = float(samples[0].t[1] - samples[0].t[0])
        way = "late" if shift > 0 else "early"
        message = (
            f"forces come about {abs(shift) * step:.2g} s {way} ({abs(shift)} states): align the columns' clocks, "
            "or say when forces act (--force-delay, in rows)"
        )
        yield Damage("delayed-force", None, None, None, shift * step, message)


def _centred(signals: Sequence[Array]) -> list[Array]:
    """Signals (actuators, N) less their mean over all of them, so that sums of squares lose no digits to it."""
    mean = np.mean(np.concatenate(signals, axis=1), axis=1, keepdims=True)
    return [values - mean for values in signals]


def _shifted_fit(pairs: list[tuple[Array, Array]], shift: int) -> float:
    """Mean correlation of forces (actuators, N) that come `shift` rows late with their predictions."""
    ahead, behind = max(-shift, 0), max(shift, 0)
    count, sums = 0, np.zeros((5, len(pairs[0][0])))
    for tau, model in pairs:
        a, b = tau[:, behind : tau.shape[1] - ahead], model[:, ahead : model.shape[1] - behind]
        squares = [np.einsum("ij,ij->i", x, y) for x, y in ((a, a), (b, b), (a, b))]
        sums += np.array([a.sum(axis=1), b.sum(axis=1), *squares])
        count += a.shape[1]
    of_a, of_b, aa, bb, ab = sums
    scale = np.sqrt(np.maximum(aa - of_a**2 / count, 0.0) * np.maximum(bb - of_b**2 / count, 0.0))
    return float(np.mean((ab - of_a * of_b / count) / np.where(scale > 0, scale, 1.0)))
