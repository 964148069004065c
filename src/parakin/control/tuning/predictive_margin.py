"""The design of predictive control whose loop bears a delay that is asked for.

With x_M = g u, g = (z I - F_M)^-1 G_M, and the error polynomial's part of eq. (30) written as -E e, an axis answers
a displacement q with the acceleration -C q:

    u = -k_0 q + v_x^T x_M - E e + k_u u/z,    e = q - g_1 u,    E = sum_mj k_m W_mj (z^-j - 1)
    C = K_p + K_v R + K_p (k_0 + E)/(1 - v_x^T g - E g_1 - k_u/z)    R: the measured rate for each unit of q

All axes of all robots are alike, because the model linearises them.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from parakin.blas import one_numpy_thread
from parakin.control.predictive_design import PredictiveDesign, error_weights, predictive_gains
from parakin.control.tuning.delay import (
    DELAY_MARGIN,
    Response,
    default_delay_margin,
    delay_margin_of,
    filtered_rate,
    frequencies,
)

FINE = 16
"""Bisections for the response time of a design whose points are known, which leave 1e-5 of it."""


def feedback_of(design: PredictiveDesign, period: float) -> Response:
    """Return C at the `frequencies` of this period: the acceleration for each unit of error."""
    omega, z = frequencies(period)
    gains = predictive_gains(design, period)
    F, G = gains.F_M, gains.G_M
    below = (z - F[0, 0]) * (z - F[1, 1]) - F[0, 1] * F[1, 0]
    g = np.stack([(z - F[1, 1]) * G[0] + F[0, 1] * G[1], F[1, 0] * G[0] + (z - F[0, 0]) * G[1]]) / below
    back = np.arange(1, design.error_window + 1)
    E = (np.exp(-1j * period * np.outer(omega, back)) - 1) @ (gains.k_m @ error_weights(design))
    prediction = (gains.k_0 + E) / (1 - gains.v_x @ g - E * g[0] - gains.k_u / z)
    return design.K_p + design.K_v * filtered_rate(z, period) + design.K_p * prediction


@functools.lru_cache(maxsize=32)
def default_design(period: float) -> PredictiveDesign:
    """Return the design of [Vivas2003] slowed down to where its loop bears the default delay margin.

    Coincidence points and the window of past errors are stretched with the response time CLTR, the fewest samples that
    bear it, and CLTR alone makes up for their being whole numbers. Where the margin is not 4 ms, the inner loop is
    slower or faster in the same ratio.
    """
    target = default_delay_margin(period)
    slower = target / DELAY_MARGIN
    paper = PredictiveDesign()
    inner = replace(paper, K_p=paper.K_p / slower**2, K_v=paper.K_v / slower)

    def bears(design: PredictiveDesign) -> bool:
        return delay_margin_of(feedback_of(design, period), period) >= target

    with one_numpy_thread():
        few, enough = 3, 6
        while not bears(_stretched(inner, enough)):
            few, enough = enough, 2 * enough
        while enough - few > 1:
            middle = (few + enough) // 2
            few, enough = (few, middle) if bears(_stretched(inner, middle)) else (middle, enough)
        points = _stretched(inner, enough)
        fast, slow = 1.0, points.response
        for _ in range(FINE):
            response = (fast + slow) / 2
            good = bears(replace(points, response=response))
            fast, slow = (fast, response) if good else (response, slow)
    return replace(points, response=slow)


def _stretched(design: PredictiveDesign, response: int) -> PredictiveDesign:
    """Return a design with another response time [samples], its points and its window at the same shares of it."""
    longer = response / design.response
    points = tuple(round(longer * point) for point in design.coincidence)
    return replace(
        design, response=float(response), coincidence=points, error_window=round(longer * design.error_window)
    )
