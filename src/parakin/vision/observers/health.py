"""What a filter thinks of itself: shares of refused points, innovations against their deviations, and its status.

Averages forget: each region moves them by 1/averaging of what it shows. A filter is lost where too many points are
refused or where its own covariance says that it no longer knows; it is found again when that has settled and few are
refused. It is doubtful where what it accepts is further from what it expects than its covariance allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import casadi as ca

from parakin.control.estimators.square_root import Columns

HEALTH = ("status", "refused_share", "innovation", "accepted", "refused")
"""Its `ObserverStatus`; share of points that were refused lately; mean square of accepted innovations over their
variances lately, 1 where the filter is honest; how many points were accepted and refused in all."""

SEARCH_SHARE = 0.6
"""Share of refused points with which a search begins, of that which begins it: doubt to begin with."""
FOUND_SHARE = 0.5
"""Share of refused points below which a search can end, of that which begins it."""


class ObserverStatus(IntEnum):
    """Whether an observer follows its robot, from good to bad."""

    TRACKING = 0
    """It knows where the robot is, as well as its covariance says."""
    DOUBTFUL = 1
    """It follows something, but what it sees is further off than its covariance allows: edges are worse than told, or
    camera, radii or robot are not as the rig has them. The pose may be off by many of its deviations."""
    LOST = 2
    """It searches: it has just begun, too many points were refused, or its covariance has grown too large."""


@dataclass(frozen=True)
class Judged:
    """What became of the points of one region."""

    accepted: ca.SX
    """How many were believed."""
    refused: ca.SX
    """How many were beyond the gate."""
    normalised: ca.SX
    """Sum of squares of the accepted innovations, over their variances."""

    def after(self, taken: ca.SX, refused: ca.SX, normalised: ca.SX) -> Judged:
        """Return the marks with one more point."""
        return Judged(self.accepted + taken, self.refused + refused, self.normalised + normalised)


def is_lost(health: ca.SX) -> ca.SX:
    """Return whether a filter is lost."""
    return ca.eq(health[HEALTH.index("status")], ObserverStatus.LOST)


FIRST_HEALTH = tuple({"status": float(ObserverStatus.LOST), "innovation": 1.0}.get(name, 0.0) for name in HEALTH)
"""What a filter thinks of itself in the beginning."""


def judged(health: ca.SX, marks: Judged, variance: ca.SX, settings: Mapping[str, ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return what a filter thinks of itself after a region, and whether too much was refused, so that it must search.

    variance: sum of the variances of the pose's components [m^2]. A search begins with some doubt, which accepted
    points must remove.
    """
    _, share, innovation, accepted, refused = ca.vertsplit(health)
    offered = marks.accepted + marks.refused
    rate = 1 / settings["averaging"]
    share = share + ca.if_else(offered > 0, rate * (marks.refused / ca.fmax(offered, 1) - share), 0)
    mean = marks.normalised / ca.fmax(marks.accepted, 1)
    innovation = innovation + ca.if_else(marks.accepted > 0, rate * (mean - innovation), 0)
    tripped = share > settings["most_refused"]
    beyond = ca.logic_or(tripped, ca.logic_not(variance <= settings["largest_deviation"] ** 2))
    few = share <= FOUND_SHARE * settings["most_refused"]
    settled = ca.logic_and(few, variance <= settings["settled_deviation"] ** 2)
    follows = ca.logic_or(settled, ca.logic_not(is_lost(health)))
    honest = innovation <= settings["largest_innovation"]
    found = ca.if_else(honest, ObserverStatus.TRACKING, ObserverStatus.DOUBTFUL)
    now = ca.if_else(ca.logic_and(follows, ca.logic_not(beyond)), found, ObserverStatus.LOST)
    share = ca.if_else(tripped, SEARCH_SHARE * settings["most_refused"], share)
    return ca.vertcat(now, share, innovation, accepted + marks.accepted, refused + marks.refused), tripped


def pose_variance(S: Columns, first: int, lengths: Sequence[float]) -> ca.SX:
    """Return the sum of the variances of the pose's components [m^2], whose errors begin at a number; turns count times
    a length."""
    total = ca.SX(0)
    for k, length in enumerate(lengths):
        row = first + k
        total += length**2 * sum((S[j][row - j] ** 2 for j in range(row + 1)), ca.SX(0))
    return total
