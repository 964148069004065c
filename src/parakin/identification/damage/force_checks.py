"""Forces beside those the robot file predicts: thousandfold, turned, exchanged or late forces stand out even if its
parameters are rough."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from parakin.arrays import Array
from parakin.identification.findings import Finding
from parakin.identification.log_source import LogSource
from parakin.identification.states import States
from parakin.robot import Robot

SCALE = 100.0
"""Times too large or too small: no robot file is that wrong."""
AGAINST = -0.7
"""Correlation of a force with its prediction: turned round."""
WITH, APART = 0.7, 0.3
"""Correlations across, and how much less along, of two forces that are exchanged."""
FURTHEST = 40
"""Rows a force is looked for late or early."""
LATE = 3
"""Rows that matter."""


def check_forces(robot: Robot, source: LogSource, samples: list[States]) -> Iterator[Finding]:
    predicted = [robot.inverse_dynamics(s.pose, s.velocity, s.acceleration) for s in samples]
    tau, model = np.concatenate([s.tau for s in samples]), np.concatenate(predicted)
    headers = source.headers[source.part("tau")]
    size = np.linalg.norm(model, axis=0)
    if not np.all(size > 0) or not np.all(np.ptp(tau, axis=0) > 0):
        return
    factor = float(np.median(np.linalg.norm(tau, axis=0) / size))
    if not 1 / SCALE < factor < SCALE:
        message = f"forces are {factor:.3g} times those of the robot file: check the unit, torque constant and gear"
        yield Finding("force-unit", None, None, None, factor, message)
        return
    C = _correlations(tau, model)
    found = [*_exchanged(C, headers), *_turned(C, headers)]
    yield from found or _late(samples, predicted)


def _correlations(tau: Array, model: Array) -> Array:
    """C_ij of measured i and predicted j."""
    a, b = (values - values.mean(axis=0) for values in (tau, model))
    scale = np.linalg.norm(a, axis=0)[:, None] * np.linalg.norm(b, axis=0)
    return a.T @ b / np.where(scale > 0, scale, 1.0)


def _exchanged(C: Array, headers: tuple[str, ...]) -> Iterator[Finding]:
    for i, j in itertools.combinations(range(len(C)), 2):
        across, along = min(C[i, j], C[j, i]), max(C[i, i], C[j, j])
        if across > WITH and across - along > APART:
            message = "each has the force that the other's position asks for: positions or forces are exchanged"
            yield Finding("swapped-forces", None, None, f"{headers[i]} and {headers[j]}", float(C[i, j]), message)


def _turned(C: Array, headers: tuple[str, ...]) -> Iterator[Finding]:
    for i, header in enumerate(headers):
        if C[i, i] < AGAINST:
            message = f"runs against the force of the robot file (correlation {C[i, i]:.2f}): set sign = -1"
            yield Finding("force-sign", None, None, header, float(C[i, i]), message)


def _late(samples: list[States], predicted: list[Array]) -> Iterator[Finding]:
    """At which shift the forces fit best, all together."""
    shifts = np.arange(-FURTHEST, FURTHEST + 1)
    fit = np.array([_shifted_fit(samples, predicted, int(shift)) for shift in shifts])
    best, now = float(fit.max()), float(fit[FURTHEST])
    shift = int(shifts[np.argmax(fit)])
    if abs(shift) >= LATE and best > WITH and 1 - best < 0.5 * (1 - now):
        step = float(samples[0].t[1] - samples[0].t[0])
        way = "late" if shift > 0 else "early"
        message = f"forces come {abs(shift) * step:.4g} s {way} ({abs(shift)} states): align the columns' clocks"
        yield Finding("delayed-force", None, None, None, shift * step, message)


def _shifted_fit(samples: list[States], predicted: list[Array], shift: int) -> float:
    ahead, behind = max(-shift, 0), max(shift, 0)
    pairs = [
        (s.tau[behind : len(s) - ahead], model[ahead : len(s) - behind])
        for s, model in zip(samples, predicted, strict=True)
        if len(s) > 2 * FURTHEST
    ]
    if not pairs:
        return 0.0
    C = _correlations(np.concatenate([tau for tau, _ in pairs]), np.concatenate([model for _, model in pairs]))
    return float(np.mean(np.diag(C)))
