"""Why a robot cannot be at a pose: one code for each limit that could be the reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.reason import Reason
from parakin.analysis.workspaces.capsules import clearance_names
from parakin.robot import Robot
from parakin.robot.limits import Bounds

Codes = NDArray[np.int16]
"""Codes of `causes_of`, one for each pose or point."""


@dataclass(frozen=True)
class Cause:
    """One limit that can keep a robot from a pose."""

    reason: Reason
    """The kind of limit."""
    name: str = ""
    """The leg, actuator, joint or pair of parts; empty where the whole robot is meant."""
    side: str = ""
    """Which end of a stroke or joint limit: "below" or "above"; empty for others."""

    def __str__(self) -> str:
        words = "reachable" if self.reason is Reason.GOOD else self.reason.name.lower().replace("_", " ")
        return " ".join(part for part in (f"{words}:" if self.name else words, self.name, self.side) if part)


def causes_of(robot: Robot) -> tuple[Cause, ...]:
    """Return every cause that a robot has, in the order in which they are said; a code is a place in this table.

    Code 0 is GOOD. Where several limits are broken at a pose, its code is the first of them.

    >>> causes = pk.analysis.causes_of(robot)
    >>> causes[0].reason.name, str(causes[2]), str(causes[-1])
    ('GOOD', 'unreachable: leg1', 'ill conditioned')
    """
    closing = (
        [Cause(Reason.UNREACHABLE, leg.name) for leg in robot.legs]
        if robot.legs
        else [Cause(Reason.UNREACHABLE), Cause(Reason.NOT_CONVERGED)]
    )
    return (
        Cause(Reason.GOOD),
        Cause(Reason.UNUSABLE),
        *closing,
        Cause(Reason.SINGULAR),
        *_ends(Reason.OUT_OF_STROKE, robot.strokes),
        *_ends(Reason.JOINT_LIMIT, robot.joint_limits),
        *(Cause(Reason.CLEARANCE, name) for name in clearance_names(robot)),
        Cause(Reason.BEYOND_SINGULARITY),
        Cause(Reason.ILL_CONDITIONED),
    )


def _ends(reason: Reason, bounds: Bounds) -> list[Cause]:
    """The two ends of every limit, whether it is there or not: codes do not move when a limit is added."""
    return [Cause(reason, name, side) for name in bounds.names for side in ("below", "above")]
