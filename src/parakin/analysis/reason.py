"""Why a robot cannot be at a pose, or has no value of a quantity there."""

from __future__ import annotations

from enum import IntEnum

from parakin.kinematics.status import Status


class Reason(IntEnum):
    """Why a pose is not in a workspace or has no value: the codes of `Status`, then what only an analysis sees.

    >>> pk.analysis.Reason(1).words, pk.analysis.Reason.OVERLOADED.words
    ('out of reach', 'motors too weak to hold the robot')
    """

    UNUSABLE = Status.UNUSABLE
    """The pose is not finite, or its quaternion is off unit length."""
    GOOD = Status.GOOD
    """Nothing is wrong with it."""
    UNREACHABLE = Status.UNREACHABLE
    """A leg cannot close."""
    SINGULAR = Status.SINGULAR
    """A leg or the platform is singular."""
    NOT_CONVERGED = Status.NOT_CONVERGED
    """A search found no configuration."""
    OUT_OF_STROKE = Status.OUT_OF_STROKE
    """An actuator is beyond its stroke."""
    JOINT_LIMIT = Status.JOINT_LIMIT
    """A passive joint is beyond its limit."""
    CLEARANCE = 6
    """Two parts would touch."""
    BEYOND_SINGULARITY = 7
    """The platform is on the other side of a singularity: det J_qv has not the sign that it has at home."""
    ILL_CONDITIONED = 8
    """The condition number is above the limit that was asked for."""
    OVERLOADED = 9
    """The motors cannot even hold the robot against gravity and springs within their force limits."""
    NOT_LINEAR = 10
    """Displacements differ from what the linearised model says by more than its allowance."""
    UNSTABLE = 11
    """The elastic robot does not return after a small push: its stiffness matrix is not positive definite."""
    FAILED = 12
    """Its computation raised an error, or ended its process."""

    @property
    def words(self) -> str:
        """What the code means, for legends and reports."""
        return WORDS[self]


WORDS = {
    Reason.UNUSABLE: "unusable pose",
    Reason.GOOD: "good",
    Reason.UNREACHABLE: "out of reach",
    Reason.SINGULAR: "singular",
    Reason.NOT_CONVERGED: "no configuration found",
    Reason.OUT_OF_STROKE: "beyond a stroke",
    Reason.JOINT_LIMIT: "beyond a joint limit",
    Reason.CLEARANCE: "parts would touch",
    Reason.BEYOND_SINGULARITY: "beyond a singularity",
    Reason.ILL_CONDITIONED: "ill-conditioned",
    Reason.OVERLOADED: "motors too weak to hold the robot",
    Reason.NOT_LINEAR: "linearisation fails",
    Reason.UNSTABLE: "elastically unstable",
    Reason.FAILED: "could not be computed",
}
"""What each reason means, in the words of legends."""
