"""The residual of a robot's momentum: what acts on it that its model does not know, without any acceleration.

    p = M v,    p_dot = J_qv^T tau + own(x, v) + wrench,    own = C^T v - g - friction
    r_dot = K (p_dot - J_qv^T tau - own - r):  r follows the wrench as a filter of first order with the rate K

This is r = K (p - p_0 - integral(J_qv^T tau + own + r)) of [DeLuca2005], [Haddadin2017], differentiated. Sampled, with
the mean of both ends of a tick for what drives the momentum and with forces that are held,

    r' = r + (1 - e^-KT) ((p' - p)/T - (driven' + driven)/2 - r)
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True)
class Driven:
    """Momentum at a tick and what drives it there, both known to the model."""

    p: ca.SX
    """Momentum M v; or its columns by parameters."""
    force: ca.SX
    """What the model says changes it: J_qv^T tau + C^T v - g - friction; or columns of that."""


def next_residual(r: ca.SX, rate: ca.SX, period: float, before: Driven, now: Driven) -> ca.SX:
    """Return the residual after a tick [N, N m]; rate: K [1/s]."""
    unknown = (now.p - before.p) / period - (now.force + before.force) / 2
    return r + (1 - ca.exp(-rate * period)) * (unknown - r)
