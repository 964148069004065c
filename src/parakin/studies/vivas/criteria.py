"""What the words of [Vivas2003] are taken for."""

from __future__ import annotations

RECOVERED = 5.0
"""Error within which a parameter counts as recovered [%]."""
SIMILAR = 2.0
"""Factor that "very similar" and "equivalent" allow, and that "advantageous" exceeds."""
PRINTED_ANGLE, ANGLE_OFF = 0.35, 0.05
"""Angle of the arms in sec. 5.1 [rad], and the relative difference that rounding and reading allow."""
FOLLOWS = 1e-3
"""A law follows its set point if it lags by less than this, one tick [s]."""
CAUSED = 0.5
"""Share of an error beyond which it is put down to a cause."""
HALF_AS_HEAVY = 2.0
"""Loop gain of a robot that is half as heavy as its model."""
