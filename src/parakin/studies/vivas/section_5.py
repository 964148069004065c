"""Findings about section 5 of [Vivas2003]: every claim as numbers in every configuration of the cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from parakin.studies.criteria import Measured, NominalLoop
from parakin.studies.definition import Finding
from parakin.studies.judging import met
from parakin.studies.vivas.claims import CLAIMS
from parakin.studies.vivas.experiments import BANDS, Experiments
from parakin.studies.vivas.laws import CTC, PFC
from parakin.studies.vivas.machine import PERIOD
from parakin.studies.vivas.setups import CELLS, SETUPS, USUAL

Numbers = Callable[[Experiments, Experiments, int], tuple[Measured, ...]]
"""From what computed torque and predictive control did, in the cell of this number, to the numbers of a claim."""


def loops_of(done: Mapping[str, Experiments]) -> dict[str, tuple[NominalLoop, ...]]:
    """Return the nominal loops of both laws in every configuration."""
    return {
        name: (done[CTC].loops[setup.cell], done[setup.reading].loops[setup.cell]) for name, setup in SETUPS.items()
    }


def section_5_findings(done: Mapping[str, Experiments]) -> dict[str, Finding]:
    """Return the findings on tracking, load and wrong models. done: law -> what it did in all cells."""

    def cases(numbers: Numbers) -> dict[str, tuple[Measured, ...]]:
        return {
            name: numbers(done[CTC], done[setup.reading], CELLS.index(setup.cell)) for name, setup in SETUPS.items()
        }

    usual = CELLS.index(USUAL)
    computed, predictive = done[CTC], done[PFC]
    force = [float(one.force[usual, 1:].max()) for one in (computed, predictive)]
    settled = [", ".join(f"{1e3 * t:.0f}" for t in one.settled[usual]) for one in (computed, predictive)]
    error = [1e3 * one.error[usual] for one in (computed, predictive)]
    ratios = error[0][1:] / error[1][1:]
    return {
        "tracking": Finding(
            f"peaks {error[0][0]:.1f} mrad computed torque, {error[1][0]:.1f} mrad predictive in the usual cell",
            cases(tracking),
            "Computed torque leaves the friction and weight that its model lacks to a feedback without integral; how "
            "stiff predictive control is depends on the reading.",
        ),
        "torques": Finding(
            f"at most {max(one.force[usual, 0] for one in (computed, predictive)):.1f} of 30 N m in the usual cell",
            cases(torques),
            "The limit is assumed.",
        ),
        "load": Finding(
            "neither saturates in the usual cell"
            if not _load(computed, predictive, usual)
            else "a law saturates in the usual cell",
            cases(load),
        ),
        "rejection": Finding(
            f"{settled[0]} ms computed torque, {settled[1]} ms predictive in the usual cell",
            cases(rejection),
            f"Bands of {', '.join(f'{1e3 * band:g}' for band in BANDS)} mrad about where an error ends. Equivalent in "
            f"the usual cell; together with `mismatch` in {_together(done, cases(rejection), cases(mismatch))} "
            "configurations.",
        ),
        "mismatch": Finding(
            f"at most {force[0]:.1f} and {force[1]:.1f} of 30 N m in the usual cell",
            cases(mismatch),
            _mismatch_remark(done),
        ),
        "advantage": Finding(
            f"peaks {error[0][1:].max():.1f} mrad computed torque, {error[1][1:].max():.2f} mrad predictive in the "
            "usual cell",
            cases(advantage),
            f"Each law with the worst of 16 wrong models. Model by model {ratios.min():.1f} to {ratios.max():.0f} "
            "times in the usual cell.",
        ),
    }


def tracking(computed: Experiments, predictive: Experiments, cell: int) -> tuple[Measured, ...]:
    """Return the ratio of the larger peak error on the lift to the smaller."""
    return (Measured(_apart(computed.error[cell, 0], predictive.error[cell, 0])),)


def torques(computed: Experiments, predictive: Experiments, cell: int) -> tuple[Measured, ...]:
    """Return how many of the two laws saturate on the lift."""
    return (Measured(float(computed.failed[cell, 0]) + float(predictive.failed[cell, 0])),)


def load(computed: Experiments, predictive: Experiments, cell: int) -> tuple[Measured, ...]:
    """Return how many of the two laws saturate under the load."""
    return (Measured(_load(computed, predictive, cell)),)


def rejection(computed: Experiments, predictive: Experiments, cell: int) -> tuple[Measured, ...]:
    """Return the largest ratio, over the bands, of the longer rejection time to the shorter."""
    times = [np.maximum(one.settled[cell], PERIOD) for one in (computed, predictive)]
    return (Measured(max(_apart(a, b) for a, b in zip(*times, strict=True))),)


def mismatch(computed: Experiments, predictive: Experiments, cell: int) -> tuple[Measured, ...]:
    """Return how many wrong models make each law saturate, and how many laws do with the right one."""
    wrong = [float(one.failed[cell, 1:].sum()) for one in (computed, predictive)]
    return (*(Measured(count) for count in wrong), *torques(computed, predictive, cell))


def advantage(computed: Experiments, predictive: Experiments, cell: int) -> tuple[Measured, ...]:
    """Return the peak error of computed torque over that of predictive control, each with its worst wrong model."""
    worst = [float(one.error[cell, 1:].max()) for one in (computed, predictive)]
    return (Measured(worst[0] / worst[1]),)


def _together(done: Mapping[str, Experiments], *both: Mapping[str, tuple[Measured, ...]]) -> int:
    """Count the configurations with stable loops in which rejection and mismatch are both as the paper has them."""
    stable = [name for name, loops in loops_of(done).items() if all(loop.stable for loop in loops)]
    claims = [claim for key in ("rejection", "mismatch") for claim in CLAIMS if claim.key == key]
    return sum(all(met(c, cases[name]) is True for c, cases in zip(claims, both, strict=True)) for name in stable)


def _load(computed: Experiments, predictive: Experiments, cell: int) -> float:
    return float(computed.load_failed[cell]) + float(predictive.load_failed[cell])


def _apart(a: float, b: float) -> float:
    return float(max(a / b, b / a))


def _mismatch_remark(done: Mapping[str, Experiments]) -> str:
    """Say in which cells the printed outcome appears, with what margin, and in which the opposite."""
    readings = [name for name in done if name != CTC]
    stable = np.array([all(done[name].loops[cell].stable for name in done) for cell in CELLS])
    right = ~np.any([done[name].failed[:, 0] for name in done], axis=0) & stable
    bad = {name: np.asarray(done[name].failed[:, 1:].any(axis=1), bool) for name in done}
    printed = [k for k in np.flatnonzero(right & bad[CTC]) if not any(bad[name][k] for name in readings)]
    opposite = np.flatnonzero(stable & ~bad[CTC] & bad[PFC])
    gains = [done[CTC].loops[CELLS[k]].gain for k in printed]
    filters = sorted({CELLS[k].filter or 0.0 for k in printed})
    where = (
        f"As printed in {len(printed)} of {int(stable.sum())} cells whose loops are stable, all readings alike: rates "
        f"filtered at {filters[0]:g} to {filters[-1]:g} Hz and a tick of delay, where computed torque bears a gain of "
        f"{min(gains):.2f} to {max(gains):.2f} and a robot half as heavy as its model asks for 2. "
        if printed
        else f"As printed in none of {int(stable.sum())} cells whose loops are stable. "
    )
    return (
        where + f"The opposite, near points saturating alone, in {len(opposite)}: coarse encoders. All this with rigid "
        "drives; elastic ones under `springs`."
    )
