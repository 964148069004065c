"""What gains are asked for: a law that can answer says so with a Proposal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from parakin.arrays import Array


@dataclass(frozen=True, eq=False)
class Tuning:
    """Poles of (s^2 + 2 damping w s + w^2)(s + integral w), w = bandwidth [rad/s]; what actuators move at the pose.

    integral: of integral action, or of what takes its place. pose: home if there is none.
    """

    bandwidth: float
    damping: float
    integral: float
    pose: Array | None = None


Proposal = Callable[[Tuning], Mapping[str, Array]]
"""Gains by name."""
