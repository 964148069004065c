"""What a search for assembly modes found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array

Complex = NDArray[np.complex128]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class AssemblyModes:
    """All poses with given actuator positions, for each q of a batch.

    poses: (..., K, n) in the robot's pose coordinates, NaN beyond `count`; quaternions with w >= 0. count: real
    solutions, a singular one once. complex_count: finite complex solutions with multiplicity, the real ones included.
    at_infinity: solutions the general machine of this type has, and that are infinite here. singular: real solutions
    where the platform is singular, which are double or worse.
    """

    poses: Array
    count: Counts
    complex_count: Counts
    at_infinity: Counts
    singular: Counts
