"""Models that are wrong by half, under many assumptions about the cell: who saturates, and when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parakin.control import Law, Reference
from parakin.robot import Robot
from parakin.simulation import Ending, Scenario, family, simulate_many
from parakin.studies.vivas.machine import CELL, all_signs, main_signs, mismatched

FILTERS = (None, 100.0, 30.0, 20.0, 15.0, 10.0)
"""[Hz] Of rates; None: exact."""
BITS = (None, 17, 13, 11)
"""Of an encoder over a turn; None: exact."""


@dataclass(frozen=True)
class Cell:
    """What is assumed of sensors and drives."""

    filter: float | None
    bits: int | None
    delay: bool

    def scenario(self) -> Scenario:
        counts = None if self.bits is None else 2**self.bits / (2 * np.pi)
        return Scenario(counts=counts, velocity_filter=self.filter if self.filter else _rates(counts), delay=self.delay)


def _rates(counts: float | None) -> float | None:
    """Rates without a filter: exact, or raw differences where positions are counted."""
    return None if counts is None else np.inf


CELLS = tuple(Cell(*chosen) for chosen in product(FILTERS, BITS, (False, True)))


@dataclass(frozen=True, eq=False)
class Mismatch:
    """One law with the model wrong in all 64 combinations of signs, both readings of "50 %".

    force, error: the largest [N m, rad]; failed: how many of the runs saturated or stopped.
    """

    runs: int
    force: float
    error: float
    failed: int


def paper_cell(robot: Robot, law: Law, followed: Reference) -> Mismatch:
    """In the cell assumed for the other claims."""
    plants = np.concatenate([mismatched(robot, all_signs(), inverse=inverse) for inverse in (True, False)])
    found = simulate_many(robot, law, followed, family(CELL, len(plants), parameters=plants)).summary
    bad = (found.saturation.max(axis=-1) > 0) | (found.status != Ending.COMPLETED)
    return Mismatch(len(plants), float(found.force_peak.max()), float(found.error_peak.max()), int(bad.sum()))


def failures(robot: Robot, law: Law, followed: Reference, *, wrong: bool) -> NDArray[np.bool_]:
    """(cells,): whether the law saturates or stops for some signs of the mismatch; without mismatch if not `wrong`."""
    plants = np.concatenate([mismatched(robot, main_signs(), inverse=inverse) for inverse in (True, False)])
    plants = plants if wrong else robot.parameters[None]
    scenarios = [replace(cell.scenario(), parameters=own) for cell in CELLS for own in plants]
    found = simulate_many(robot, law, followed, scenarios).summary
    bad = (found.saturation.max(axis=-1) > 0) | (found.status != Ending.COMPLETED)
    return bad.reshape(len(CELLS), len(plants)).any(axis=1)
