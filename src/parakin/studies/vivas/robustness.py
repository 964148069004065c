"""Findings about wrong models: which law saturates where, and what gains, delays and elastic modes each bears."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, Reference, predictive_gains
from parakin.control.laws.computed_torque import GAINS
from parakin.robot import Robot
from parakin.simulation import margins
from parakin.studies.common import verdict_over
from parakin.studies.definition import Finding, Verdict
from parakin.studies.vivas.criteria import HALF_AS_HEAVY, SIMILAR
from parakin.studies.vivas.figures import Bools
from parakin.studies.vivas.flexible import DAMPING, ElasticDrives
from parakin.studies.vivas.laws import CTC, DESIGNS, FAR, PFC, PRINTED
from parakin.studies.vivas.machine import CELL, PERIOD
from parakin.studies.vivas.mismatch import CELLS, failures, paper_cell
from parakin.trajectory.limits import limits_of

SHOWN = (CTC, PFC, FAR)
"""Names of the laws that figures and margins show."""


def mismatch_findings(
    robot: Robot, known: dict[str, Law], followed: Reference
) -> tuple[dict[str, Finding], dict[str, tuple[Bools, Bools]]]:
    """Return the findings on wrong models, and for each law SHOWN where it fails with and without mismatch."""
    usual = {name: paper_cell(robot, known[name], followed) for name in (CTC, PFC)}
    failed = {
        name: (failures(robot, law, followed, wrong=True), failures(robot, law, followed, wrong=False))
        for name, law in known.items()
        if name != PRINTED
    }
    readings = [name for name in failed if name != CTC]
    printed = {name: failed[CTC][0] & ~failed[CTC][1] & ~failed[name][0] for name in readings}
    opposite = {name: ~failed[CTC][0] & failed[name][0] for name in readings}
    as_printed = [usual[CTC].failed > 0 and usual[PFC].failed == 0, any(cells.any() for cells in printed.values())]
    shared = np.logical_and.reduce(list(printed.values()))
    where = [CELLS[k] for k in np.flatnonzero(shared)]
    rates = sorted({cell.filter for cell in where if cell.filter is not None})
    delays = {cell.delay for cell in where}
    condition = (
        f"In all readings with rates filtered at {' or '.join(f'{value:g}' for value in rates)} Hz"
        f"{' and a tick of delay' if delays == {True} else ''}: "
        if where
        else "In no cell with all readings: "
    )
    ratio, limit = usual[CTC].error / usual[PFC].error, float(limits_of(robot).force.min())
    findings = {
        "mismatch": Finding(
            f"{usual[CTC].force:.1f} and {usual[PFC].force:.1f} of {limit:.0f} N m in {usual[CTC].runs} runs; as "
            f"printed in {printed[PFC].sum()} of {len(CELLS)} cells tried, the opposite in {opposite[PFC].sum()}",
            verdict_over(as_printed),
            f"{condition}computed torque then lives on a rate that comes too late, and more gain makes it unstable, "
            "while predictive control damps by its own model. The opposite, predictive control saturating alone, comes "
            f"with coarse encoders; with far points and no ramp it is {opposite[FAR].sum()} cells, "
            f"and {printed[FAR].sum()} as printed.",
        ),
        "advantage": Finding(
            f"peaks {1e3 * usual[CTC].error:.1f} mrad computed torque, {1e3 * usual[PFC].error:.2f} mrad predictive",
            Verdict.HOLDS if ratio > SIMILAR else Verdict.REFUTED,
            f"Largest of all signs. Its gain k_0 K_p is {_stiffness():.1f} times the K_p of computed torque.",
        ),
    }
    return findings, {name: failed[name] for name in SHOWN}


def _stiffness() -> float:
    """Return the stiffness of predictive control over that of computed torque, both as accelerations per error."""
    design = DESIGNS[PFC]
    return predictive_gains(design, PERIOD).k_0 * design.K_p / GAINS[0]


def margin_findings(robot: Robot, known: dict[str, Law]) -> tuple[dict[str, Finding], dict[str, Array]]:
    """Return the findings on margins and elastic drives, and for each law SHOWN the gain it bears by frequency."""
    borne = {name: margins(robot, known[name], CELL) for name in SHOWN}
    drives = {name: ElasticDrives.of(robot, known[name]) for name in SHOWN}
    lowest = {name: elastic.lowest(HALF_AS_HEAVY) for name, elastic in drives.items()}
    findings = {
        "margins": Finding(
            "; ".join(f"{name} {margin.gain:.1f} times, {1e3 * margin.delay:.1f} ms" for name, margin in borne.items()),
            Verdict.ADDED,
            "Gain and further delay at home, sensors and a tick of delay included.",
        ),
        "elastic": Finding(
            "; ".join(f"{name} from {value:.0f} Hz" for name, value in lowest.items()),
            Verdict.ADDED,
            f"Springs between rotors and arms, {100 * DAMPING:.0f} % damping, encoders on the rotors. "
            f"Modes that only computed torque does not bear then: {_band(lowest[FAR], lowest[CTC])} with far points "
            f"and no ramp, {_band(lowest[PFC], lowest[CTC])} with near ones.",
        ),
    }
    return findings, {name: elastic.margins() for name, elastic in drives.items()}


def _band(first: float, last: float) -> str:
    return f"{first:.0f} to {last:.0f} Hz" if first < last else "none"
