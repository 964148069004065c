"""Every configuration of the H4's cell that is tried: sensors, delay, and a reading of the predictive law."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from parakin.simulation import Scenario
from parakin.studies.vivas.laws import READINGS

FILTERS = (None, 100.0, 30.0, 20.0, 15.0, 14.0, 13.0, 12.0, 11.0, 10.0)
"""Cut-off frequencies of the rates' filter [Hz]; None for no filter. Finer where computed torque runs out of margin."""
BITS = (None, 17, 13, 11)
"""Bits of an encoder over a turn; None for exact positions."""


@dataclass(frozen=True)
class Cell:
    """What is assumed of sensors and drives."""

    filter: float | None
    """Cut-off frequency of the rates' filter [Hz]; None for no filter."""
    bits: int | None
    """Bits of an encoder over a turn; None for exact positions."""
    delay: bool
    """Whether a force acts one tick after the measurement that it follows from."""

    @property
    def counts(self) -> float | None:
        """Counts of an encoder per radian; None for exact positions."""
        return None if self.bits is None else 2**self.bits / (2 * np.pi)

    @property
    def cut_off(self) -> float | None:
        """Cut-off of the rates [Hz]: without a filter exact rates (None), or raw differences of counts (infinite)."""
        return self.filter or (None if self.bits is None else np.inf)

    @property
    def name(self) -> str:
        """The cell in words."""
        filtered = "no filter" if self.filter is None else f"{self.filter:g} Hz"
        encoder = "exact encoders" if self.bits is None else f"2^{self.bits} counts"
        return f"{filtered}, {encoder}, {'1 ms delay' if self.delay else 'no delay'}"

    def scenario(self) -> Scenario:
        """Return the scenario of this cell, with the robot as it is."""
        return Scenario(counts=self.counts, velocity_filter=self.cut_off, delay=self.delay)


CELLS = tuple(Cell(*chosen) for chosen in product(FILTERS, BITS, (False, True)))
"""All cells that are tried: filters, then encoders, then delay, the last changing fastest."""
USUAL = Cell(100.0, 17, delay=True)
"""The cell of claims for which sensors hardly matter: one of CELLS."""


@dataclass(frozen=True)
class Setup:
    """One configuration of the apparatus: a cell, and a reading of the predictive law."""

    cell: Cell
    """Sensors and delay."""
    reading: str
    """Name of the predictive law, one of READINGS."""


SETUPS = {f"{cell.name}, {reading}": Setup(cell, reading) for reading in READINGS for cell in (USUAL, *CELLS)}
"""All configurations by name; for each reading the usual cell comes first."""
