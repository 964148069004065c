"""Findings about section 5 of [Vivas2003]: every claim as numbers in every configuration of the cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from parakin.arrays import Array
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
Text = Callable[[Experiments, Experiments, int], str]
"""From the same to what a table says of it."""


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

    def texts(text: Text) -> dict[str, str]:
        return {name: text(done[CTC], done[setup.reading], CELLS.index(setup.cell)) for name, setup in SETUPS.items()}

    usual = CELLS.index(USUAL)
    computed, predictive = done[CTC], done[PFC]
    ratios = computed.error[usual, 1:] / predictive.error[usual, 1:]
    return {
        "tracking": Finding(
            texts(lambda ctc, pfc, k: _peaks(ctc.error[k, 0], pfc.error[k, 0])),
            cases(tracking),
            "Computed torque leaves the friction and weight that its model lacks to a feedback without integral; how "
            "stiff predictive control is depends on the reading. In the usual cell: "
            f"{_peaks(computed.error[usual, 0], predictive.error[usual, 0])}.",
        ),
        "torques": Finding(
            texts(lambda ctc, pfc, k: f"at most {max(ctc.force[k, 0], pfc.force[k, 0]):.1f} of 30 N m"),
            cases(torques),
            "The limit is assumed.",
        ),
        "load": Finding(
            texts(lambda ctc, pfc, k: "a law saturates" if _load(ctc, pfc, k) else "neither saturates"),
            cases(load),
        ),
        "rejection": Finding(
            texts(lambda ctc, pfc, k: _times(ctc.settled[k], pfc.settled[k])),
            cases(rejection),
            f"Bands of {', '.join(f'{1e3 * band:g}' for band in BANDS)} mrad about where an error ends. In the usual "
            f"cell: {_times(computed.settled[usual], predictive.settled[usual])}. Together with `mismatch` in "
            f"{_together(done, cases(rejection), cases(mismatch))} configurations.",
        ),
        "mismatch": Finding(
            texts(_saturating),
            cases(mismatch),
            f"In the usual cell: {_saturating(computed, predictive, usual)}. {_mismatch_remark(done)}",
        ),
        "advantage": Finding(
            texts(lambda ctc, pfc, k: _peaks(ctc.error[k, 1:].max(), pfc.error[k, 1:].max())),
            cases(advantage),
            f"Each law with the worst of 16 wrong models. Model by model {ratios.min():.1f} to {ratios.max():.0f} "
            "times in the usual cell.",
        ),
    }


def _peaks(computed: float, predictive: float) -> str:
    return f"peaks {1e3 * computed:.1f} mrad computed torque, {1e3 * predictive:.2f} mrad predictive"


def _times(computed: Array, predictive: Array) -> str:
    both = [", ".join(f"{1e3 * t:.0f}" for t in times) for times in (computed, predictive)]
    return f"{both[0]} ms computed torque, {both[1]} ms predictive"


def _saturating(computed: Experiments, predictive: Experiments, cell: int) -> str:
    """Say how many wrong models saturate each law in a cell, and the largest torques with them."""
    counts = [int(one.failed[cell, 1:].sum()) for one in (computed, predictive)]
    forces = [float(one.force[cell, 1:].max()) for one in (computed, predictive)]
    return (
        f"{counts[0]} of 16 wrong models saturate computed torque, {counts[1]} predictive; at most {forces[0]:.1f} and "
        f"{forces[1]:.1f} of 30 N m"
    )


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
