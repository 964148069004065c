"""What can be wrong with a state."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How good one state is. Methods on a single state raise where it is not GOOD; in a batch the row is NaN."""

    UNUSABLE = -1
    """The input was not finite, or a quaternion off unit length."""
    GOOD = 0
    """Nothing is wrong, and the numbers can be used."""
    UNREACHABLE = 1
    """A leg cannot close."""
    SINGULAR = 2
    """A leg or the platform cannot be moved or held in some direction."""
    NOT_CONVERGED = 3
    """Forward kinematics did not find a pose in its steps."""


SMALLEST_PIVOT = 1e-6
"""A leg, or the elimination of J_qv, whose pivot is smaller than this counts as singular."""
