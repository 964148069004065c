"""The delay that a loop around one inertia bears, and the bandwidth at which it bears as much as is asked for.

The usual loop of a drive: rates are differences of positions through a first-order filter, forces are held for a tick
and act a tick late.

    L(z) = C(z) P(z),    P(z) = T^2 (z + 1)/(2 z (z - 1)^2),    z = exp(j omega T)
    delay margin = (pi + arg L)/omega    where |L| = 1

C is an acceleration for each unit of error, with the opposite sign; T the sample time. Default gains of every law come
from it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.errors import ControlError

DELAY_MARGIN = 4e-3
"""Delay that loops with default gains bear in addition to their own [s]: for drives, buses and elastic parts."""
TICKS = (4.0, 40.0)
"""Least and most delay margin of default gains [ticks].

Of a slow controller a few ticks are all that can be asked for; a fast one is there to be faster.
"""
RATE_FILTER = 200.0
"""Cut-off of the filter through which rates come, in the loop that default gains are made for [Hz]."""
POINTS = 400
"""Frequencies at which a loop is looked at: 2 % apart, so that what lies between them is a line to 1e-4."""
HALVINGS = 40
"""Bisections for a bandwidth, which leave nothing of the range that is searched but rounding."""

Response = NDArray[np.complex128]
"""Values of a transfer function at the frequencies of a loop."""


def check_period(what: str, period: float) -> None:
    """Refuse a sample time [s] that is none."""
    if not (np.isfinite(period) and period > 0.0):
        raise ControlError(what, "period", f"must be finite and > 0 s, got {period:g}")


def default_delay_margin(period: float) -> float:
    """Return the delay that loops with default gains bear [s]: 4 ms, but at least 4 and at most 40 ticks.

    It is that of the loop with rates filtered at 200 Hz and a tick of delay, in the pose where the robot bears the
    least.

    >>> pk.control.default_delay_margin(1e-3), pk.control.default_delay_margin(0.02)
    (0.004, 0.08)
    """
    check_period("default gains", period)
    return min(max(DELAY_MARGIN, TICKS[0] * period), TICKS[1] * period)


@functools.lru_cache(maxsize=32)
def frequencies(period: float) -> tuple[Array, Response]:
    """Return frequencies [rad/s] around those at which a loop with the default delay margin crosses over, and z."""
    omega = np.geomspace(0.02 / default_delay_margin(period), 0.999 * np.pi / period, POINTS)
    return omega, np.exp(1j * omega * period)


def filtered_rate(z: Response, period: float) -> Response:
    """Return the rate as it is measured, for each unit of position: differences through a first-order filter."""
    share = 1 - np.exp(-2 * np.pi * RATE_FILTER * period)
    return share * (1 - 1 / z) / (period * (1 - (1 - share) / z))


def delay_margin_of(feedback: Response, period: float) -> float:
    """Return the additional delay that a loop around a unit inertia bears [s]; negative of an unstable one.

    feedback: C at the `frequencies` of this period. A loop whose gain is nowhere 1 bears any delay.
    """
    omega, z = frequencies(period)
    loop = feedback * period**2 * (z + 1) / (2 * z * (z - 1) ** 2)
    phase, gain = np.unwrap(np.angle(loop)), np.log(np.abs(loop))
    phase -= 2 * np.pi * np.ceil(phase[0] / (2 * np.pi))  # a double integrator is at -pi, with an integral at -3 pi/2
    before = np.flatnonzero((gain[:-1] > 0) != (gain[1:] > 0))
    part = gain[before] / (gain[before] - gain[before + 1])
    at, left = (values[before] + part * np.diff(values)[before] for values in (omega, phase + np.pi))
    return float(np.min(left / at, initial=np.inf))


def bandwidth_for(period: float, gains: Callable[[float], tuple[float, float, float]]) -> float:
    """Return the bandwidth at which a PID loop around a unit inertia bears the default delay margin [rad/s].

    gains: K_p, K_d, K_i for a bandwidth, as accelerations of the inertia
    """
    _, z = frequencies(period)
    rate, integral = filtered_rate(z, period), period * z / (z - 1)
    target = default_delay_margin(period)

    def bears(bandwidth: float) -> bool:
        K_p, K_d, K_i = gains(bandwidth)
        return delay_margin_of(K_p + K_d * rate + K_i * integral, period) >= target

    slow, fast = 1e-9 / target, 10 / target
    for _ in range(HALVINGS):
        middle = float(np.sqrt(slow * fast))
        slow, fast = (middle, fast) if bears(middle) else (slow, middle)
    return slow
