"""What words of [Vivas2003] are taken for, and how several answers become one verdict."""

from __future__ import annotations

from parakin.studies.study import Verdict

RECOVERED = 5.0
"""[%] Within which a parameter counts as recovered."""
SIMILAR = 2.0
"""Times: what "very similar" or "equivalent" allows, and what "advantageous" exceeds."""
PRINTED_ANGLE, ANGLE_OFF = 0.35, 0.05
"""[rad] Sec. 5.1, and the relative difference that rounding and reading allow."""
FOLLOWS = 1e-3
"""[s] A law that follows its set point lags by less than a tick."""
CAUSED = 0.5
"""Share of an error beyond which it is due to a cause."""
HALF_AS_HEAVY = 2.0
"""Loop gain of a robot that is half as heavy as its model."""


def verdict_of(good: list[bool]) -> Verdict:
    """It holds in all cases, in some or in none."""
    return Verdict.HOLDS if all(good) else Verdict.CONDITIONAL if any(good) else Verdict.REFUTED
