"""Normal densities and distributions at places one pixel apart, without a division and with four exponentials for all.

    e_i = exp(-(x + i)^2/(2 u^2)),   e_i+1 = e_i r_i,   r_i+1 = r_i exp(-1/u^2)

The distribution is Mills' ratio times the density, Phi(-z) = R(z) phi(z), with a polynomial for R.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

MILLS = (
    1.2533096548656948,
    -0.9997351300241718,
    0.6240230755966836,
    -0.3232374150201425,
    0.13702130920822697,
    -0.04434457485605787,
    0.009865422347766268,
    -0.001302044539209248,
    7.536849931640547e-05,
)
"""Mills' ratio on [0, 5] as a polynomial, fitted so that R(z) phi(z) and z R(z) phi(z) are right to 1.8e-6: five
ten-thousandths of a grey level, where a picture is rounded to whole ones."""
MILLS_END = 5.0
"""Where that polynomial ends; what is beyond, 3e-7, is below its error."""

DENSITY = 1 / math.sqrt(2 * math.pi)
"""The normal density at 0."""


def gaussians(middle: ca.SX, sharpness: ca.SX, before: int, behind: int) -> list[ca.SX]:
    """Return exp(-(middle + i)^2 sharpness^2/2) for i from -before to behind."""
    k = sharpness**2
    step = ca.exp(-k)
    found = {0: ca.exp(-0.5 * k * middle**2)}
    for way, count in ((1, behind), (-1, before)):
        ratio = ca.exp(-k * (way * middle + 0.5))
        for i in range(count):
            found[way * (i + 1)] = found[way * i] * ratio
            ratio = ratio * step
    return [found[i] for i in range(-before, behind + 1)]


def _mills(z: ca.SX) -> ca.SX:
    """Return Mills' ratio for z from 0 on; its last value beyond the polynomial."""
    kept = ca.fmin(z, MILLS_END)
    ratio = ca.SX(MILLS[-1])
    for coefficient in reversed(MILLS[:-1]):
        ratio = coefficient + kept * ratio
    return ratio


@dataclass(frozen=True)
class Steps:
    """Blurred steps at places one pixel apart."""

    Phi: list[ca.SX]
    """Share of the step that is reached there: Phi(x/sigma)."""
    phi: list[ca.SX]
    """Density phi(x/sigma)."""
    F: list[ca.SX]
    """Integral of the share [px]: x Phi(x/sigma) + sigma phi(x/sigma)."""


def steps(middle: ca.SX, sigma: ca.SX, before: int, behind: int) -> Steps:
    """Return blurred steps at middle + i, i from -before to behind [px]."""
    sharpness = 1 / sigma
    shares: list[ca.SX] = []
    integrals: list[ca.SX] = []
    densities = [e * DENSITY for e in gaussians(middle, sharpness, before, behind)]
    for i, phi in zip(range(-before, behind + 1), densities, strict=True):
        x = middle + i
        beyond = _mills(ca.fabs(x * sharpness)) * phi
        Phi = ca.if_else(x < 0, beyond, 1 - beyond)
        shares.append(Phi)
        integrals.append(x * Phi + sigma * phi)
    return Steps(shares, densities, integrals)
