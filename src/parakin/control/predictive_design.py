"""Predictive functional control works out its gains off line: [Vivas2003] sec. 3 and appendix, its slips mended.

An axis, linearised and closed by the inner loop, is y_ddot = K_p (u - y) - K_v y_dot. Its prediction is to meet the
reference trajectory at the coincidence points h_j, u being a sum of base functions 1, i, i^2, ...:

    d_j = (1 - alpha^h_j) (c - y_p) + c(n + h_j) - c(n) - sum_m e_m h_j^m - C (F^h_j - I) x_M        eq. (20)-(29)
    u(n) = v^T d + k_u u(n-1)
         = k_0 (c - y_p) + v^T (c(n + h_j) - c(n)) - sum_m k_m e_m + v_x^T x_M + k_u u(n-1)           eq. (30)
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import ControlError

LAW = "predictive_functional"
"""Name of the law that these gains are for, as error messages give it."""
SETTLED = 3.0
"""Time constants in a closed-loop response time: alpha^CLTR = exp(-3), so that 5 % of an error is left after it."""


@dataclass(frozen=True)
class PredictiveDesign:
    """The numbers that the gains follow from: those of [Vivas2003], and choices of ours where it leaves them open.

    >>> design = pk.control.PredictiveDesign(response=12.0, coincidence=(4, 8, 12))
    >>> law = pk.control.predictive_functional(robot, design=design)
    >>> pk.simulation.simulate(robot, law, set_points).status.name
    'COMPLETED'
    """

    K_p: float = 50.0
    """Stiffness of the inner loop [1/s^2]."""
    K_v: float = 68.0
    """Damping of the inner loop [1/s]."""
    response: float = 18.0
    """CLTR, the closed-loop response time [samples]."""
    base_functions: int = 3
    """n_B, the number of base functions that make up the input; 3 are a step, a ramp and a parabola."""
    coincidence: tuple[int, ...] = (6, 12, 18)
    """h_j, the coincidence points [samples ahead]; our choice."""
    error_degree: int = 1
    """de, the degree of the polynomial that foresees the model's error; our choice, 0 for a constant error."""
    error_window: int = 18
    """How many past samples that polynomial is fitted to; our choice."""
    smoothing: float = 0.0
    """lambda of eq. (23), a price on u(n) - u(n-1) [1]."""
    future: bool = True
    """Whether set points ahead are used, which eq. (30) as printed leaves out."""

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


@frozen_arrays
class PredictiveGains:
    """The gains of eq. (30) for one axis, and the model x_M = [y, y_dot] of it; all axes are alike."""

    F_M: Array
    """State matrix of the model over a sample (2, 2) [1, s; 1/s, 1], eq. (19)."""
    G_M: Array
    """Input column of the model over a sample (2,) [1, 1/s], eq. (19)."""
    k_0: float
    """Weight of the error c - y_p [1]."""
    k_m: Array
    """Weights of the coefficients of the model's error polynomial, from degree 1 on (degrees,) [1]."""
    v: Array
    """Weights of the set points at the coincidence points (points,) [1]."""
    v_x: Array
    """Weights of the model's state (2,) [1, s]."""
    k_u: float
    """Weight of the last input [1]; zero without smoothing."""


def predictive_gains(design: PredictiveDesign, period: float) -> PredictiveGains:
    """Compute the gains of a design for a sample time [s], after the appendix of [Vivas2003].

    >>> gains = pk.control.predictive_gains(pk.control.PredictiveDesign(), period=1e-3)
    >>> gains.v.shape  # a weight for each coincidence point
    (3,)
    """
    F, G = _sampled_model(design.K_p, design.K_v, period)
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
    """Return the weights W (degree, window) that fit the polynomial of the model's error to its past.

    e_m = sum_j W_mj (e(n - j) - e(n)), j = 1, 2, ...: least squares, through the newest error.
    """
    back = -np.arange(1.0, design.error_window + 1)
    powers = back[:, None] ** np.arange(1, design.error_degree + 1)
    return np.asarray(np.linalg.pinv(powers), float)


@functools.lru_cache(maxsize=32)
def _sampled_model(K_p: float, K_v: float, period: float) -> tuple[Array, Array]:
    """Return F, G of x_M(n) = F x_M(n-1) + G u(n-1), exact for an input held over a sample. [Vivas2003] eq. (19)."""
    from scipy.linalg import expm

    rates = np.array([[0.0, 1.0, 0.0], [-K_p, -K_v, K_p], [0.0, 0.0, 0.0]])
    whole = expm(period * rates)
    return whole[:2, :2], whole[:2, 2]


def _base_responses(F: Array, G: Array, count: int, last: int) -> Array:
    """Return the model's answers from rest to the base functions, at samples 0 to last (count, last + 1).

    y_Bk(i) is the answer to u_Bk(i) = i^(k-1). [Vivas2003] eq. (25), (28).
    """
    positions = np.zeros((count, last + 1))
    x = np.zeros((2, count))
    for i in range(last):
        x = F @ x + np.outer(G, float(i) ** np.arange(count))
        positions[:, i + 1] = x[0]
    return positions
