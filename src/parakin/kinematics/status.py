"""What can be wrong with a state."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How good one state is. Of several that apply, the first of PRECEDENCE is said.

    Methods on a single state raise where it is not GOOD; in a batch the row is NaN, unless the state is only beyond a
    limit. Force methods do not look at limits.
    """

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
    OUT_OF_STROKE = 4
    """An actuator is beyond its stroke; the numbers are right all the same."""
    JOINT_LIMIT = 5
    """A passive joint is beyond its limit; the numbers are right all the same."""

    @property
    def has_values(self) -> bool:
        """Whether a state has numbers: it is GOOD, or only beyond a limit."""
        return self in WITH_VALUES


WITH_VALUES = (Status.GOOD, Status.OUT_OF_STROKE, Status.JOINT_LIMIT)
"""Statuses of states that have numbers."""
PRECEDENCE = (
    Status.UNUSABLE,
    Status.UNREACHABLE,
    Status.NOT_CONVERGED,
    Status.SINGULAR,
    Status.OUT_OF_STROKE,
    Status.JOINT_LIMIT,
    Status.GOOD,
)
"""The order in which statuses are said, the worst first."""

SMALLEST_PIVOT = 1e-6
"""A leg, or the elimination of J_qv, whose pivot is smaller than this counts as singular."""
