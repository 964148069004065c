"""Gains are computed from a bandwidth, in the way each law proposes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.control.common import DAMPING, INTEGRAL_SHARE
from parakin.control.definition import Law
from parakin.control.tuning.proposal import Tuning
from parakin.errors import ControlError
from parakin.kernels.arguments import as_array

LARGEST = 1e9
"""Largest bandwidth [rad/s], damping ratio and share: gains are products of powers of them, and must not overflow."""


def gains_for(
    law: Law,
    bandwidth: float,
    *,
    damping: float = DAMPING,
    integral: float = INTEGRAL_SHARE,
    pose: ArrayLike | None = None,
) -> dict[str, Array]:
    """Return the gains that give a law the poles of (s^2 + 2 damping w s + w^2)(s + integral w), w = bandwidth [rad/s].

    Laws whose feedback is a force multiply by the inertia that each actuator moves at the pose (home by default).
    `integral` is the pole of integral action, or the rate of adaptation, as a share of the bandwidth; 0 means none.
    docs/control.md says what each law makes of the three numbers.

    >>> tuned = law.with_gains(**pk.control.gains_for(law, bandwidth=80.0))
    >>> pk.simulation.margins(robot, tuned).stable
    True
    """
    rules = (
        ("bandwidth", bandwidth, bandwidth > 0.0, "> 0 rad/s"),
        ("damping", damping, damping > 0.0, "> 0"),
        ("integral", integral, integral >= 0.0, ">= 0"),
    )
    for name, value, good, rule in rules:
        if not (good and np.isfinite(value)):
            raise ControlError(law.name, name, f"must be finite and {rule}, got {value:g}")
        if value > LARGEST:
            raise ControlError(law.name, name, f"at most {LARGEST:g}, got {value:g}")
    if law.proposal is None:
        have = ", ".join(gain.name for gain in law.interface.gains)
        raise ControlError(law.name, "gains", f"this law says nothing of bandwidths: set {have} themselves")
    tuned_at = None if pose is None else as_array(law.robot.name, "pose", pose)
    return dict(law.proposal(Tuning(bandwidth, damping, integral, tuned_at)))
