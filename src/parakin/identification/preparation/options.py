"""How a log is prepared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.errors import EstimationError, UnknownNameError
from parakin.identification.damage.inspection import Policy
from parakin.identification.damage.kinds import KINDS, UNUSABLE
from parakin.identification.preparation.filters import Differences


@dataclass(frozen=True)
class Preparation:
    """The choices made when a log becomes states.

    >>> options = pk.identification.Preparation(cutoff=30.0, smooth_forces=True)
    >>> smoothed = pk.identification.prepare(robot, pk.identification.open_log(robot, path), options)
    >>> sum(len(block.t) for block in smoothed.states()) < len(states[0].t)
    True
    """

    policy: Policy = "refuse"
    """What becomes of damage that can be cut out: the log is refused, or the damaged rows are cut."""
    accept: frozenset[str] = frozenset()
    """Kinds of damage known to be harmless in this log: they are reported and their rows stay in."""
    cutoff: float | None = None
    """Cut-off of the low-pass [Hz]; None chooses it from the spectrum of the positions."""
    differences: Differences = "central"
    """How positions are differentiated: "central" as in [Vivas2003], or "spectral"."""
    smooth_forces: bool = False
    """Whether forces go through the same low-pass as positions.

    By default they do not: noise of a force does no harm to least squares, and its variance can be read off the
    residuals. Smoothed forces have to be thinned out (`every`) for neighbours to be independent.
    """
    every: int | None = None
    """One state is kept for so many rows; None keeps all, or as many as the cut-off allows if forces are smoothed."""
    force_delay: float | None = None
    """How much later than its row a force acts, as a part of the time between rows.

    0.5 is right for drives that hold a force until the next row, as simulated ones do: the motion is then taken half a
    row later. None takes what the log says; where it says nothing, `identify` estimates it, and `prepare` takes 0.
    """

    def __post_init__(self) -> None:
        acceptable = tuple(kind for kind in KINDS if kind not in UNUSABLE)
        for kind in self.accept:
            if kind not in acceptable:
                raise UnknownNameError("kind of damage to accept", kind, acceptable)
        if self.cutoff is not None and not 0 < self.cutoff < np.inf:
            raise EstimationError("preparation", "cutoff", f"must be finite and > 0 Hz, got {self.cutoff:g}")
        if self.force_delay is not None and not np.isfinite(self.force_delay):
            raise EstimationError("preparation", "force_delay", f"must be finite, got {self.force_delay:g}")
