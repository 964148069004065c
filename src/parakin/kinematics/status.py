"""What can be wrong with a state."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How good one state is. Of several that apply, the first of PRECEDENCE is said.

    Methods on a single state raise where it is not GOOD; in a batch the row is NaN, unless the state is only beyond a
    limit. Force methods do not look at limits.
    """

    UNUSABLE = -1
    """The input was not finite, a quaternion off unit length, or a number so large that a result is not finite."""
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
"""A universal joint, a strut [m] or the platform (`solve.platform_pivot`) is singular up to this size of its pivot."""
SMALLEST_LEG_PIVOT = 3e-3
"""A leg of several joints counts as singular where its pivot, the sine between its bars, is smaller than this.

Nearer to being stretched or folded, a rounding of the pose changes the sine by 1e-16/sine. What is divided by it, as
rates, accelerations and forces are, is known to 4e-15/sine^2 (measured on Delta, H4, five-bar and Orthoglide against 50
digits), which is 5e-10 here and was 1e-3 at a sine of 1e-6.
"""
