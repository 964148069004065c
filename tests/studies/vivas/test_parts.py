"""Small parts of the study of [Vivas2003]: margins, lags, cells, numbers of claims."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from parakin.control.tuning.linear_loop import LinearLoop
from parakin.simulation import Ending, Log, Summary
from parakin.studies.criteria import NominalLoop
from parakin.studies.loops import HALVINGS, gain_margin, last_good
from parakin.studies.vivas.experiments import BANDS, Experiments, failed, settling
from parakin.studies.vivas.flexible import CELLS as SPRING_CELLS
from parakin.studies.vivas.flexible import MODES, OnSprings
from parakin.studies.vivas.identifying import HALF_WINDOW, Identified, _local
from parakin.studies.vivas.laws import CTC, DESIGNS, FAR, PFC, PRINTED, READINGS
from parakin.studies.vivas.machine import PERIOD, main_signs
from parakin.studies.vivas.measuring import SHOWN, _band, _encoder, _rates, _reproducible
from parakin.studies.vivas.runs import HOLDING, LOAD_TIME, errors, lag
from parakin.studies.vivas.section_5 import advantage, load, mismatch, rejection, section_5_findings, torques, tracking
from parakin.studies.vivas.setups import BITS, CELLS, FILTERS, SETUPS, USUAL, Cell
from parakin.studies.vivas.springs import springs_finding


class Loop:
    """A loop that is stable up to a gain."""

    def __init__(self, most: float) -> None:
        self.most = most

    def radius(self, gain: float) -> float:
        return 0.9 if gain <= self.most else 1.1


@pytest.mark.parametrize(("most", "margin"), [(0.5, 0.0), (3.0, 3.0), (100.0, 8.0)])
def test_the_margin_is_the_last_stable_gain(most: float, margin: float) -> None:
    found = gain_margin(cast(LinearLoop, Loop(most)))
    assert found == pytest.approx(margin, rel=0.01)
    assert found <= most


def test_of_what_rounding_decides_the_order_of_magnitude_is_told() -> None:
    """Predictive control in play of 1 mrad kept 8.7 to 16 mrad on one processor and 12 to 20 mrad on another."""
    assert _reproducible([15.53, 8.654, 10.2]) == _reproducible([12.1, 19.8, 15.0]) == "about 10"
    assert _reproducible([0.061, 0.063]) == "about 0.1"
    assert _reproducible([8.352, 8.353]) == "8.4"


def test_an_edge_is_found_from_inside() -> None:
    edge = last_good(lambda value: value >= 2.0, 8.0, 0.0)
    assert 2.0 <= edge <= 2.0 + 8.0 / 2**HALVINGS


class Rows(dict[str, np.ndarray]):
    """As much of a log as a lag needs."""

    def __len__(self) -> int:
        return len(self["q"])


def test_a_robot_that_comes_later_has_a_positive_lag() -> None:
    t = np.linspace(0.0, 1.0, 1001)[:, None]
    log = Rows(desired_q=t**2, q=(t - 0.01) ** 2, q_dot=2 * (t - 0.01))
    assert lag(cast(Log, log)) == pytest.approx(0.01, rel=0.05)
    assert errors(cast(Log, log))[-1, 0] == pytest.approx(1 - 0.99**2)


def test_local_cubics_give_value_and_derivatives() -> None:
    t = PERIOD * np.arange(60, dtype=np.float64)
    values = np.stack([1 + t**3, 2 * t**2], axis=1)
    inner = t[HALF_WINDOW:-HALF_WINDOW]
    for order, cubic in enumerate((1 + inner**3, 3 * inner**2, 6 * inner)):
        assert _local(values, order)[:, 0] == pytest.approx(cubic, abs=1e-8)


def test_errors_of_an_estimate_are_relative_to_the_true_values() -> None:
    assert Identified(np.array([2.0, 4.0]), np.array([2.2, 3.0])).errors == pytest.approx([10.0, -25.0])


def test_cells_without_a_filter_have_exact_rates_or_raw_differences() -> None:
    assert len(CELLS) == len(FILTERS) * len(BITS) * 2
    exact = Cell(None, None, delay=False).scenario()
    assert (exact.counts, exact.velocity_filter, exact.delay) == (None, None, False)
    counted = Cell(None, 11, delay=True).scenario()
    assert counted.counts == pytest.approx(2048 / (2 * np.pi))
    assert (counted.velocity_filter, counted.delay) == (np.inf, True)
    assert Cell(30.0, 11, delay=True).scenario().velocity_filter == 30.0


def test_runs_fail_by_saturation_or_by_an_early_end() -> None:
    fields: dict[str, Any] = dict.fromkeys(Summary.__dataclass_fields__)
    fields["saturation"] = np.array([[0.0, 0.0], [0.0, 0.1], [0.0, 0.0]])
    fields["status"] = np.array([Ending.COMPLETED, Ending.COMPLETED, Ending.UNREACHABLE])
    assert failed(Summary(**fields)).tolist() == [False, True, True]


def test_signs_come_in_all_combinations_the_motors_alike() -> None:
    main = main_signs()
    assert len(np.unique(main, axis=0)) == 8
    assert (main[:, :4] == main[:, :1]).all()


def test_readings_of_the_predictive_law_differ_as_their_names_say() -> None:
    assert set(SHOWN) == {CTC, PFC, FAR}
    assert DESIGNS[PFC].future
    assert not DESIGNS[PRINTED].future
    assert DESIGNS[FAR].error_degree == 0
    assert DESIGNS[FAR].coincidence == (18, 36, 54)
    assert PRINTED not in READINGS


def test_configurations_are_all_cells_with_all_readings() -> None:
    assert USUAL in CELLS
    assert len(SETUPS) == len(CELLS) * len(READINGS)
    assert {(setup.cell, setup.reading) for setup in SETUPS.values()} == {(c, r) for c in CELLS for r in READINGS}


def test_errors_settle_when_they_stay_within_a_band_about_where_they_end() -> None:
    t = np.arange(round(HOLDING / PERIOD)) * PERIOD
    error = np.where(t < LOAD_TIME + 0.1, 9e-3, np.where(t < LOAD_TIME + 0.2, 5.7e-3, 5e-3))[:, None]
    times = settling(cast(Log, Rows(desired_q=error, q=0 * error)))
    assert times == pytest.approx([0.1, 0.1, 0.2, 0.2], abs=2 * PERIOD)
    assert (np.diff(BANDS) < 0).all()


def done(**changes: Any) -> Experiments:
    """What a quiet law did in two cells with two wrong models."""
    quiet: dict[str, Any] = {
        "loops": {cell: NominalLoop("law", 0.9, 2.0, 1e-3) for cell in CELLS},
        "force": np.ones((2, 3)),
        "error": np.full((2, 3), 1e-3),
        "failed": np.zeros((2, 3), bool),
        "load_failed": np.zeros(2, bool),
        "settled": np.full((2, len(BANDS)), 0.1),
    }
    return Experiments(**quiet | changes)


def test_numbers_of_section_5_compare_both_laws_in_one_cell() -> None:
    quiet, loud = done(), done(failed=np.array([[False] * 3, [True, True, False]]), load_failed=np.array([False, True]))
    assert [number.value for number in mismatch(loud, quiet, 0)] == [0.0, 0.0, 0.0]
    assert [number.value for number in mismatch(loud, quiet, 1)] == [1.0, 0.0, 1.0]
    assert [number.value for number in mismatch(quiet, loud, 1)] == [0.0, 1.0, 1.0]
    assert (torques(loud, loud, 1)[0].value, load(loud, quiet, 1)[0].value) == (2.0, 1.0)
    far = done(error=np.array([[4e-3, 2e-3, 9e-3]] * 2), settled=np.array([[0.1, 0.1, 0.1, 0.3]] * 2))
    assert tracking(far, quiet, 0)[0].value == pytest.approx(4.0)
    assert tracking(quiet, far, 0)[0].value == pytest.approx(4.0)
    assert advantage(far, quiet, 0)[0].value == pytest.approx(9.0)
    assert rejection(quiet, far, 0)[0].value == pytest.approx(3.0)


def test_what_is_told_of_section_5_is_told_of_each_configuration() -> None:
    cells, wrong = len(CELLS), np.zeros((len(CELLS), 17), bool)
    wrong[3, 5] = True
    errors = np.linspace(1e-3, 2e-3, cells)[:, None] * np.ones(17)
    one = {
        "force": np.ones((cells, 17)),
        "load_failed": np.zeros(cells, bool),
        "settled": np.arange(cells)[:, None] * np.full(len(BANDS), 1e-3),
    }
    computed = done(**one, error=errors, failed=wrong)
    readings = {name: done(**one, error=errors, failed=0 * wrong) for name in READINGS}
    findings = section_5_findings({CTC: computed, **readings})
    name = next(name for name, setup in SETUPS.items() if setup.cell == CELLS[3])
    assert findings["rejection"].measured_in(name) == "3, 3, 3, 3 ms computed torque, 3, 3, 3, 3 ms predictive"
    assert findings["mismatch"].measured_in(name).startswith("1 of 16 wrong models saturate computed torque, 0 predict")
    peak = f"peaks {1e3 * errors[3, 0]:.1f} mrad computed torque"
    assert findings["tracking"].measured_in(name).startswith(peak)
    assert findings["load"].measured_in(name) == "neither saturates"


def test_words_for_bands_and_sensors() -> None:
    assert _band(200.0, 300.4) == "200 to 300 Hz"
    assert _band(300.0, 200.0) == "none"
    assert (_rates(None), _rates(30.0)) == ("none", "30 Hz")
    assert (_encoder(None), _encoder(13)) == ("exact", "$2^{13}$")


def on_springs(sound: list[tuple[int, int]], saturated: list[tuple[int, int]]) -> OnSprings:
    """Runs of a law that is sound in these (cell, mode), and that a wrong model saturates in those."""
    stable = np.zeros((len(SPRING_CELLS), len(MODES)), bool)
    ended = np.zeros((*stable.shape, 3), bool)
    for place in sound:
        stable[place] = True
    for cell, mode in saturated:
        ended[cell, mode, 2] = True
    return OnSprings(stable, ended)


def test_elastic_drives_are_judged_where_both_laws_are_sound() -> None:
    computed = on_springs([(0, 0), (1, 2), (1, 3), (2, 2)], [(0, 0), (1, 2), (3, 3)])
    near = on_springs([(1, 2), (1, 3)], [(1, 3)])
    far = on_springs([(0, 0), (1, 2)], [])
    finding = springs_finding({CTC: computed, PFC: near, FAR: far})
    assert "computed torque in 2 of 4; predictive in 1 of 2; predictive, far, no ramp in 0 of 2" in finding.measured
    assert "1 with near points, 2 with far ones and no ramp, both at " in finding.remark
    assert f"{MODES[2]:.0f} Hz ({SPRING_CELLS[1].name})" in finding.remark
    assert "predictive control alone: 1 and 0." in finding.remark
    nowhere = springs_finding({CTC: near, PFC: near, FAR: far})
    assert "nowhere both" in nowhere.remark


def test_a_run_that_saturates_with_the_right_model_is_not_sound() -> None:
    runs = on_springs([(0, 0), (0, 1)], [])
    ended = runs.failed.copy()
    ended[0, 0, 0] = True
    assert OnSprings(runs.stable, ended).sound[0].tolist() == [False, True] + [False] * (len(MODES) - 2)
