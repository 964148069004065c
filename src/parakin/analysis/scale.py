"""How values become colours: from the smallest to the largest, evenly or by their logarithm."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parakin.arrays import Array

DECADES = 30.0
"""Ratio of the largest to the smallest value from which on colours follow the logarithm."""


class Scale(NamedTuple):
    """The ends of a scale of colours, and whether it follows the logarithm."""

    low: float
    """Smallest value."""
    high: float
    """Largest value."""
    logarithmic: bool
    """Whether equal steps of colour are equal ratios of values."""


def scale_of(values: Array) -> Scale | None:
    """Return the scale of all values that are finite; None where there is none."""
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    low, high = float(known.min()), float(known.max())
    return Scale(low, high, low > 0 and high > DECADES * low)
