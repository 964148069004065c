"""The result of a search for assembly modes, and the array types that the package shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays

Numbers = NDArray[Any]
"""An array of float64 or of complex128: the closure equations are analytic, and are evaluated at both."""
Complex = NDArray[np.complex128]
"""An array of complex numbers."""
Flags = NDArray[np.bool_]
"""An array of truth values."""
Counts = NDArray[np.int64]
"""An array of whole numbers, one for each q of a batch."""


@frozen_arrays(eq=True)
class AssemblyModes:
    """All poses with given actuator positions, for each q of a batch."""

    poses: Array
    """(..., K, n) real solutions in the robot's pose coordinates, NaN beyond `count`; quaternions have w >= 0."""
    count: Counts
    """(...) number of real solutions; a singular one counts once."""
    complex_count: Counts
    """(...) number of finite complex solutions with their multiplicity, the real ones among them."""
    at_infinity: Counts
    """(...) number of solutions that the general machine of this type has and that are infinite for this one."""
    singular: Counts
    """(...) number of real solutions where the platform is singular, which are double or worse."""
