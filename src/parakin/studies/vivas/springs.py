"""What runs with elastic drives say of section 5.3 of [Vivas2003]: who saturates when the model is wrong by half."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from parakin.studies.definition import Finding
from parakin.studies.vivas.flexible import CELLS, DAMPING, MODES, OnSprings
from parakin.studies.vivas.laws import CTC, FAR, PFC


def springs_finding(done: Mapping[str, OnSprings]) -> Finding:
    """Return what is found of computed torque and two readings of predictive control. done: law -> what it did."""
    counts = [
        f"{name} in {int((one.sound & one.saturated).sum())} of {int(one.sound.sum())}" for name, one in done.items()
    ]
    both = _printed(done, PFC) & _printed(done, FAR)
    return Finding(
        "saturates under wrong models only: " + "; ".join(counts),
        remark=f"Of {len(CELLS) * len(MODES)} configurations: modes of {MODES[0]:.0f} to {MODES[-1]:.0f} Hz, "
        f"{100 * DAMPING:.0f} % damping, in {len(CELLS)} cells. As printed, computed torque alone: "
        f"{_count(_printed(done, PFC))} with near points, {_count(_printed(done, FAR))} with far ones and no ramp"
        f"{_where(both)}. The opposite, predictive control alone: {_count(_opposite(done, PFC))} and "
        f"{_count(_opposite(done, FAR))}.",
    )


def _printed(done: Mapping[str, OnSprings], reading: str) -> NDArray[np.bool_]:
    """Return where computed torque saturates under wrong models only, and this reading does not at all."""
    computed, predictive = done[CTC], done[reading]
    return computed.sound & predictive.sound & computed.saturated & ~predictive.saturated


def _opposite(done: Mapping[str, OnSprings], reading: str) -> NDArray[np.bool_]:
    """Return where this reading saturates under wrong models only, and computed torque does not at all."""
    computed, predictive = done[CTC], done[reading]
    return computed.sound & predictive.sound & ~computed.saturated & predictive.saturated


def _count(where: NDArray[np.bool_]) -> int:
    return int(where.sum())


def _where(both: NDArray[np.bool_]) -> str:
    """Say in which cells, and at which modes, both readings give the printed outcome."""
    told = [
        f"{', '.join(f'{MODES[m]:.0f}' for m in np.flatnonzero(row))} Hz ({cell.name})"
        for cell, row in zip(CELLS, both, strict=True)
        if row.any()
    ]
    return f", both at {'; '.join(told)}" if told else ", nowhere both"
