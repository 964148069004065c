"""How a law is asked for gains: a `Tuning` is the question, and a law that can answer has a `Proposal`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parakin.arrays import Array, frozen_arrays


@frozen_arrays
class Tuning:
    """The poles that a loop is to have: the roots of (s^2 + 2 damping w s + w^2)(s + integral w), w = bandwidth."""

    bandwidth: float
    """w [rad/s]."""
    damping: float
    """Damping ratio of the pair of poles [1]."""
    integral: float
    """Pole of integral action, or of what takes its place in the law, as a share of the bandwidth [1]."""
    pose: Array | None = None
    """Where the inertia that each actuator moves is computed; home if None."""


Proposal = Callable[[Tuning], Mapping[str, Array]]
"""A law's answer to a tuning: its gains, by name."""
