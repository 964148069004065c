"""Off-line gains of predictive functional control: [Vivas2003] sec. 3 and appendix, its slips mended.

An axis, linearised and closed by the inner loop, is y_ddot = K_p (u - y) - K_v y_dot. Its prediction is to meet the
reference trajectory at the coincidence points h_j, u being a sum of base functions 1, i, i^2, ...:

    d_j = (1 - alpha^h_j) (c - y_p) + c(n + h_j) - c(n) - sum_m e_m h_j^m - C (F^h_j - I) x_M        eq. (20)-(29)
    u(n) = v^T d + k_u u(n-1)
         = k_0 (c - y_p) + v^T (c(n + h_j) - c(n)) - sum_m k_m e_m + v_x^T x_M + k_u u(n-1)           eq. (30)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from parakin.arrays import Array
from parakin.errors import ControlError

LAW = "predictive_functional"
SETTLED = 3.0
"""alpha^CLTR = exp(-3): 5 % of an error is left after the closed-loop response time."""


@dataclass(frozen=True)
class PredictiveDesign:
    """What the gains follow from: numbers of the paper, and choices that it leaves open (marked *).

    K_p [1/s^2], K_v [1/s]: inner loop. response: CLTR in samples. base_functions: n_B; 3 are step, ramp, parabola.
    coincidence*: h_j in samples. error_degree*: de of the polynomial of the model's error, fitted to error_window* past
    samples. smoothing: lambda of eq. (23), a price on u(n) - u(n-1). future: with the set point's own future, which
    eq. (30) as printed leaves out.
    """

    K_p: float = 50.0
    K_v: float = 68.0
    response: float = 18.0
    base_functions: int = 3
    coincidence: tuple[int, ...] = (6, 12, 18)
    error_degree: int = 1
    error_window: int = 18
    smoothing: float = 0.0
    future: bool = True

    def __post_init__(self) -> None:
        points = self.coincidence
        rules = (
            ("K_p", self.K_p, 0 < self.K_p < np.inf, "finite and > 0 1/s^2"),
            ("K_v", self.K_v, 0 < self.K_v < np.inf, "finite and > 0 1/s"),
            ("response", self.response, 1 <= self.response < np.inf, "finite and at least 1 sample"),
            ("base_functions", self.base_functions, self.base_functions >= 1, "at least 1"),
            (
                "coincidence",
                points,
                bool(points) and points[0] >= 1 and list(points) == sorted(set(points)),
                "samples from 1 on that rise",
            ),
            (
                "coincidence",
                points,
                len(points) >= self.base_functions,
                f"as many points as base functions, {self.base_functions}",
            ),
            ("error_degree", self.error_degree, self.error_degree >= 0, "at least 0"),
            (
                "error_window",
                self.error_window,
                self.error_window >= self.error_degree,
                f"at least the degree, {self.error_degree}",
            ),
            ("smoothing", self.smoothing, 0 <= self.smoothing < np.inf, "finite and >= 0"),
        )
        for name, value, good, rule in rules:
            if not good:
                raise ControlError(LAW, name, f"must be {rule}, got {value}")


@dataclass(frozen=True, eq=False)
class PredictiveGains:
    """F_M (2, 2), G_M (2,): the model x_M = [y, y_dot] over a sample, eq. (19). v: by point; k_m: by degree, from 1."""

    F_M: Array
    G_M: Array
    k_0: float
    k_m: Array
    v: Array
    v_x: Array
    k_u: float


def predictive_gains(design: PredictiveDesign, period: float) -> PredictiveGains:
    """[Vivas2003] appendix, for a sample time [s]; of one axis, all axes being alike."""
    F, G = _sampled_model(design, period)
    h = np.array(design.coincidence)
    Y = _base_responses(F, G, design.base_functions, int(h[-1]))[:, h]
    u_0 = np.zeros(design.base_functions)
    u_0[0] = 1.0
    normal = Y @ Y.T + design.smoothing * np.outer(u_0, u_0)
    weight = np.asarray(np.linalg.solve(normal, u_0), float)
    v = Y.T @ weight
    alpha = np.exp(-SETTLED / design.response)
    decline = np.stack([np.linalg.matrix_power(F, int(step))[0] for step in h]) - np.array([1.0, 0.0])
    return PredictiveGains(
        F_M=F,
        G_M=G,
        k_0=float(v @ (1 - alpha**h)),
        k_m=np.array([v @ h.astype(float) ** m for m in range(1, design.error_degree + 1)]),
        v=v,
        v_x=-(v @ decline),
        k_u=float(design.smoothing * weight[0]),
    )


def error_weights(design: PredictiveDesign) -> Array:
    """W (degree, window): e_m = sum_j W_mj (e(n - j) - e(n)), j = 1, 2, ...: least squares through the newest error."""
    back = -np.arange(1.0, design.error_window + 1)
    powers = back[:, None] ** np.arange(1, design.error_degree + 1)
    return np.asarray(np.linalg.pinv(powers), float)


def _sampled_model(design: PredictiveDesign, period: float) -> tuple[Array, Array]:
    """x_M(n) = F x_M(n-1) + G u(n-1), exact for an input held over a sample. [Vivas2003] eq. (19)."""
    rates = np.array([[0.0, 1.0, 0.0], [-design.K_p, -design.K_v, design.K_p], [0.0, 0.0, 0.0]])
    whole = expm(period * rates)
    return whole[:2, :2], whole[:2, 2]


def _base_responses(F: Array, G: Array, count: int, last: int) -> Array:
    """y_Bk(i) (count, last + 1): the model's answer, from rest, to u_Bk(i) = i^(k-1). [Vivas2003] eq. (25), (28)."""
    found = np.zeros((count, last + 1))
    x = np.zeros((2, count))
    for i in range(last):
        x = F @ x + np.outer(G, float(i) ** np.arange(count))
        found[:, i + 1] = x[0]
    return found
