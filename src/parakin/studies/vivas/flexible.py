"""Motors on elastic shafts, by the frequency of the elastic mode: how much gain each law bears, and who saturates.

Springs between rotors and arms, `simulation.ElasticDrives` with encoders on the rotors: linear about home for margins,
and in the time domain on the lift, with the right model and with wrong ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_blas_thread
from parakin.control import Law, Reference
from parakin.control.tuning.linear_loop import LinearLoop
from parakin.control.tuning.margins import STABLE
from parakin.robot import Robot
from parakin.simulation import ElasticDrives, Scenario, simulate_many
from parakin.simulation.linear import linear_loop
from parakin.studies.loops import gain_margin, last_good
from parakin.studies.vivas.experiments import failed, wrong_plants
from parakin.studies.vivas.machine import CELL
from parakin.studies.vivas.setups import Cell

DAMPING = 0.05
"""Damping of the elastic mode as a share of critical damping; assumed."""
FREQUENCIES = np.geomspace(250.0, 1000.0, 13)
"""Frequencies of a rotor against what it drives, the other motors held, at which margins are drawn [Hz]."""
MODES = tuple(np.geomspace(300.0, 1000.0, 9).round().tolist())
"""The same, of the runs in the time domain [Hz]."""
SENSORS = ((None, None), (100.0, 17), (30.0, 17))
"""Filters of the rates [Hz] and bits of the encoders of these runs."""
CELLS = tuple(Cell(hertz, bits, delay=delay) for hertz, bits in SENSORS for delay in (False, True))
"""Cells of these runs."""


def elastic(scenario: Scenario, hertz: float) -> Scenario:
    """Return a scenario with springs between rotors and arms, that make a mode of this frequency [Hz]."""
    return replace(scenario, elastic=ElasticDrives(frequency=hertz, damping_ratio=DAMPING))


def elastic_margins(robot: Robot, law: Law) -> Array:
    """Return for each of FREQUENCIES the largest gain, from 1 to 8, up to which the loop is stable; 0 for none.

    A controller's model that is 50 % too heavy is a gain of 1.5, a robot half as heavy as its model one of 2.
    """
    with one_blas_thread():
        return np.array([gain_margin(_loop(robot, law, CELL, hertz)) for hertz in FREQUENCIES.tolist()])


def lowest_mode(robot: Robot, law: Law, gain: float) -> float:
    """Return the lowest mode, between 100 and 3000 Hz, above which the loop is stable with this gain [Hz]."""

    def stable(hertz: float) -> bool:
        return _loop(robot, law, CELL, hertz).radius(gain=gain) <= STABLE

    with one_blas_thread():
        return float(np.exp(last_good(lambda x: stable(float(np.exp(x))), np.log(3000.0), np.log(100.0))))


def _loop(robot: Robot, law: Law, scenario: Scenario, hertz: float) -> LinearLoop:
    return linear_loop(robot, law, elastic(scenario, hertz))


@frozen_arrays
class OnSprings:
    """What one law did on the lift with elastic drives, in every one of CELLS and at every one of MODES."""

    stable: NDArray[np.bool_]
    """(cells, modes) Whether the loop with the right model is stable at home."""
    failed: NDArray[np.bool_]
    """(cells, modes, 1 + mismatches) Whether a drive saturated, or the run stopped; first with the right model."""

    @property
    def sound(self) -> NDArray[np.bool_]:
        """(cells, modes) Whether the loop is stable with the right model, and its run does not saturate."""
        return self.stable & ~self.failed[..., 0]

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """(cells, modes) Whether some wrong model makes a drive saturate, or the run stop."""
        return np.asarray(self.failed[..., 1:].any(axis=-1), bool)


def on_springs(robot: Robot, law: Law, followed: Reference) -> OnSprings:
    """Run a law on the lift with elastic drives, with the right model and 16 wrong ones."""
    cases = [elastic(cell.scenario(), hertz) for cell in CELLS for hertz in MODES]
    with one_blas_thread():
        stable = [linear_loop(robot, law, case).radius() <= STABLE for case in cases]
    plants = wrong_plants(robot)
    runs = [replace(case, parameters=plant) for case in cases for plant in plants]
    shape = len(CELLS), len(MODES)
    saturated = failed(simulate_many(robot, law, followed, runs).summary)
    return OnSprings(np.array(stable).reshape(shape), saturated.reshape(*shape, len(plants)))
