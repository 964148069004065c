"""Controllers whose model is wrong by half, under many assumptions about the cell: which law saturates where?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parakin.control import Law, Reference
from parakin.robot import Robot
from parakin.simulation import Ending, Scenario, Summary, family, simulate_many
from parakin.studies.vivas.machine import CELL, all_signs, main_signs, mismatched

FILTERS = (None, 100.0, 30.0, 20.0, 15.0, 10.0)
"""Cut-off frequencies of the rates' filter [Hz]; None for no filter."""
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

    def scenario(self) -> Scenario:
        """Return the scenario of this cell, with the robot as it is."""
        counts = None if self.bits is None else 2**self.bits / (2 * np.pi)
        return Scenario(counts=counts, velocity_filter=self.filter if self.filter else _rates(counts), delay=self.delay)


def _rates(counts: float | None) -> float | None:
    """Return the cut-off without a filter [Hz]: None, exact rates, or infinity, raw differences of counts."""
    return None if counts is None else np.inf


CELLS = tuple(Cell(*chosen) for chosen in product(FILTERS, BITS, (False, True)))
"""All cells that are tried: filters, then encoders, then delay, the last changing fastest."""


@dataclass(frozen=True, eq=False)
class Mismatch:
    """What became of one law whose model is wrong in all 64 combinations of signs and both readings of "50 %"."""

    runs: int
    """Number of runs."""
    force: float
    """Largest force of all runs [N m]."""
    error: float
    """Largest tracking error of all runs [rad]."""
    failed: int
    """Number of runs in which a drive saturated, or which stopped early."""


def paper_cell(robot: Robot, law: Law, followed: Reference) -> Mismatch:
    """Try a law with all signs of the mismatch in the cell that is assumed for the other claims."""
    plants = np.concatenate([mismatched(robot, all_signs(), inverse=inverse) for inverse in (True, False)])
    summary = simulate_many(robot, law, followed, family(CELL, len(plants), parameters=plants)).summary
    failed = int(_failed(summary).sum())
    return Mismatch(len(plants), float(summary.force_peak.max()), float(summary.error_peak.max()), failed)


def failures(robot: Robot, law: Law, followed: Reference, *, wrong: bool) -> NDArray[np.bool_]:
    """Return for each of CELLS whether the law fails for some signs of the mismatch, or without mismatch.

    To fail is to saturate a drive, or to stop early.
    """
    plants = np.concatenate([mismatched(robot, main_signs(), inverse=inverse) for inverse in (True, False)])
    plants = plants if wrong else robot.parameters[None]
    scenarios = [replace(cell.scenario(), parameters=parameters) for cell in CELLS for parameters in plants]
    summary = simulate_many(robot, law, followed, scenarios).summary
    return np.asarray(_failed(summary).reshape(len(CELLS), len(plants)).any(axis=1), bool)


def _failed(summary: Summary) -> NDArray[np.bool_]:
    """Return for each run whether a drive saturated, or the run stopped early."""
    saturated: NDArray[np.bool_] = np.asarray(summary.saturation.max(axis=-1) > 0, bool)
    return np.logical_or(saturated, summary.status != Ending.COMPLETED)
