"""Gains from a bandwidth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.control.common import DAMPING, INTEGRAL_SHARE, effective_inertia, pole_gains
from parakin.control.law import Law
from parakin.errors import ControlError

Array = NDArray[np.float64]


def gains_for(
    law: Law,
    bandwidth: float,
    *,
    damping: float = DAMPING,
    integral: float = INTEGRAL_SHARE,
    pose: ArrayLike | None = None,
) -> dict[str, Array]:
    """K_p, K_d, K_i that put the poles of (s^2 + 2 damping w s + w^2)(s + integral w), w = bandwidth [rad/s].

    Laws that feed forces back get them times what each actuator moves at the pose (home by default). integral = 0 for
    none. Only for laws with these three gains.
    """
    names = {gain.name: gain for gain in law.interface.gains}
    if not {"K_p", "K_d", "K_i"} <= names.keys():
        have = ", ".join(names)
        raise ControlError(law.name, "gains", f"a bandwidth gives K_p, K_d and K_i, and this law has {have}")
    if not (np.isfinite(bandwidth) and bandwidth > 0.0):
        raise ControlError(law.name, "bandwidth", f"must be finite and > 0 rad/s, got {bandwidth:g}")
    values = dict(zip(("K_p", "K_d", "K_i"), pole_gains(bandwidth, damping, integral), strict=True))
    if names["K_p"].unit.startswith("1/s"):
        return {name: np.array([value]) for name, value in values.items()}
    inertia = effective_inertia(law.robot, None if pose is None else np.asarray(pose, float))
    return {name: value * inertia for name, value in values.items()}
