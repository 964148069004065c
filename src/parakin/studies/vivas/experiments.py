"""The experiments of sec. 5 under one law, in every cell: the lift with right and wrong models, and the load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.control import Law, Reference, hold
from parakin.robot import Robot
from parakin.simulation import Ending, Log, Summary, simulate_many
from parakin.studies.criteria import NominalLoop
from parakin.studies.loops import nominal_loop
from parakin.studies.vivas.machine import PERIOD, main_signs, mismatched
from parakin.studies.vivas.runs import HOLDING, LOAD, LOAD_TIME, errors
from parakin.studies.vivas.setups import CELLS, Cell

BANDS = np.array([2e-3, 1e-3, 0.5e-3, 0.3e-3])
"""Distances from where an error ends within which it must stay, the same for every law [rad]."""


@frozen_arrays
class Experiments:
    """What one law did in every one of CELLS."""

    loops: dict[Cell, NominalLoop]
    """Cell -> the loop whose controller has the correct model."""
    force: Array
    """(cells, 1 + mismatches) Largest torque on the lift, first with the model as it is [N m]."""
    error: Array
    """(cells, 1 + mismatches) Largest joint error on the lift, first with the model as it is [rad]."""
    failed: NDArray[np.bool_]
    """(cells, 1 + mismatches) Whether a drive saturated on the lift, or the run stopped."""
    load_failed: NDArray[np.bool_]
    """(cells,) Whether a drive saturated under the load, or the run stopped."""
    settled: Array
    """(cells, len(BANDS)) Time from the load until every joint error stays within a band about where it ends [s]."""


def experiments(robot: Robot, law: Law, followed: Reference) -> Experiments:
    """Run a law on the lift, with 16 wrong models besides the right one, and under the load, in every cell."""
    plants = wrong_plants(robot)
    lifts = [replace(cell.scenario(), parameters=plant) for cell in CELLS for plant in plants]
    summary = simulate_many(robot, law, followed, lifts).summary
    loads = [replace(cell.scenario(), payload=LOAD, payload_time=LOAD_TIME) for cell in CELLS]
    held = simulate_many(robot, law, hold(robot, robot.home, HOLDING, PERIOD), loads, keep=range(len(CELLS)))
    shape = len(CELLS), len(plants)
    return Experiments(
        nominal_loops(law),
        summary.force_peak.max(axis=-1).reshape(shape),
        summary.error_peak.max(axis=-1).reshape(shape),
        failed(summary).reshape(shape),
        failed(held.summary),
        np.array([settling(held.logs[k]) for k in range(len(CELLS))]),
    )


def wrong_plants(robot: Robot) -> Array:
    """Return the parameters of the plant as the model has it, and of 16 that its model is wrong about by half."""
    wrong = [mismatched(robot, main_signs(), inverse=inverse) for inverse in (True, False)]
    return np.vstack([robot.parameters, *wrong])


def nominal_loops(law: Law) -> dict[Cell, NominalLoop]:
    """Return the loop of a law on the robot that it takes for granted, in every cell.

    Counts of encoders do not enter a linear loop: cells that differ in nothing else share theirs.
    """
    known: dict[tuple[float | None, bool], NominalLoop] = {}
    for cell in CELLS:
        key = cell.cut_off, cell.delay
        if key not in known:
            known[key] = nominal_loop(law, cell.scenario())
    return {cell: known[cell.cut_off, cell.delay] for cell in CELLS}


def settling(log: Log) -> Array:
    """Return the time from the load until every error stays within each of BANDS about where it ends [s]."""
    error = errors(log)
    away = np.abs(error - error[-1]).max(axis=1)
    last = [int(np.flatnonzero(away > band).max(initial=0)) for band in BANDS]
    return PERIOD * np.array(last, float) - LOAD_TIME


def failed(summary: Summary) -> NDArray[np.bool_]:
    """Return for each run whether a drive saturated, or the run stopped early."""
    saturated: NDArray[np.bool_] = np.asarray(summary.saturation.max(axis=-1) > 0, bool)
    return np.logical_or(saturated, summary.status != Ending.COMPLETED)
