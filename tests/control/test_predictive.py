"""Predictive functional control: its gains meet what they promise, and the loop does what the gains say."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.control import PredictiveDesign, predictive_gains
from parakin.control.predictive_design import error_weights
from parakin.errors import ControlError
from parakin.simulation import Ending, Scenario
from parakin.studies.vivas.laws import CTC, PFC, laws
from tests.control.faulty import faulty, spike

PERIOD = 1e-3
ENCODER = 2**17 / (2 * np.pi)
"""Counts per rad."""
EXACT = 1e-9
"""Of gains against their definition: u is some thousand times what it changes."""
SLOW_POLE = -float(np.roots([1.0, 68.0, 50.0]).max())
"""[1/s] Of the inner loop with the paper's gains: 0.743."""


@pytest.fixture(scope="module")
def h4() -> pk.Robot:
    return pk.load("h4")


@pytest.fixture(scope="module")
def lift(h4: pk.Robot) -> control.Reference:
    return control.reference(h4, trajectory.lift(h4), PERIOD, settle=0.3)


# Gains -------------------------------------------------------------------------------------------------------------


def answers(gains: control.PredictiveGains, x: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Positions of the model from a state, after each input."""
    found: list[float] = []
    for u in inputs:
        x = gains.F_M @ x + gains.G_M * u
        found.append(float(x[0]))
    return np.array(found)


def test_the_prediction_meets_the_reference_trajectory_at_the_coincidence_points() -> None:
    """Three base functions, three points. The first input of the sequence that does it is v^T d."""
    design = PredictiveDesign()
    gains = predictive_gains(design, PERIOD)
    h = np.array(design.coincidence)
    x, target, steps = np.array([0.3, -0.8]), np.array([0.31, 0.29, 0.33]), np.arange(h[-1])
    free = answers(gains, x, 0.0 * steps)[h - 1]
    forced = np.stack([answers(gains, np.zeros(2), steps**k)[h - 1] for k in range(3)], axis=1)
    mu = np.linalg.solve(forced, target - free)
    assert answers(gains, x, mu @ steps ** np.arange(3)[:, None])[h - 1] == pytest.approx(target)
    d = target - free
    assert gains.v @ d == pytest.approx(mu[0], rel=EXACT)
    # C (F^h - I) x = free - x, so that v_x^T x + v^T (target - x) is the same input
    assert gains.v_x @ x + gains.v @ (target - x[0]) == pytest.approx(mu[0], rel=EXACT)


def test_with_one_point_one_sample_ahead_errors_fall_by_alpha() -> None:
    design = PredictiveDesign(base_functions=1, coincidence=(1,), error_degree=0)
    gains = predictive_gains(design, PERIOD)
    x, error = np.array([0.0, 0.0]), [1.0]
    for _ in range(18):
        x = gains.F_M @ x + gains.G_M * (gains.k_0 * (1 - x[0]) + gains.v_x @ x)
        error.append(float(1 - x[0]))
    assert error == pytest.approx(np.exp(-3 / 18) ** np.arange(19), rel=EXACT)
    assert error[18] == pytest.approx(0.05, rel=0.01)  # CLTR


def test_rest_is_an_equilibrium() -> None:
    assert predictive_gains(PredictiveDesign(), PERIOD).v_x[0] == pytest.approx(1.0, abs=EXACT)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_polynomials_of_the_degree_are_foreseen_exactly(degree: int) -> None:
    """Of errors by the estimator; of set points v^T (c(n + h) - c(n)) = sum k_m c_m."""
    design = PredictiveDesign(error_degree=degree)
    gains = predictive_gains(design, PERIOD)
    coefficients = np.array([0.3, -0.02, 0.004])[:degree]

    def polynomial(i: np.ndarray) -> np.ndarray:
        return i[:, None].astype(float) ** np.arange(1, degree + 1) @ coefficients

    past = polynomial(-np.arange(1, design.error_window + 1))
    assert error_weights(design) @ past == pytest.approx(coefficients, rel=1e-6)
    assert gains.v @ polynomial(np.array(design.coincidence)) == pytest.approx(gains.k_m @ coefficients, rel=EXACT)


def test_smoothing_ends_with_an_input_that_does_not_change() -> None:
    free, held = (predictive_gains(PredictiveDesign(smoothing=price), PERIOD) for price in (0.0, 1e6))
    assert free.k_u == 0.0
    assert held.k_u == pytest.approx(1.0, abs=1e-6)
    assert np.abs(held.v).max() < 1e-3 * np.abs(free.v).max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"K_p": 0.0}, "predictive_functional: K_p: must be finite and > 0 1/s^2, got 0.0"),
        ({"coincidence": (6, 6, 18)}, "coincidence: must be samples from 1 on that rise, got (6, 6, 18)"),
        ({"coincidence": (6, 18)}, "coincidence: must be as many points as base functions, 3, got (6, 18)"),
        ({"error_degree": 3, "error_window": 2}, "error_window: must be at least the degree, 3, got 2"),
    ],
)
def test_designs_that_give_no_gains_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ControlError, match=re.escape(message)):
        PredictiveDesign(**options)  # pyright: ignore[reportArgumentType]


# The loop ----------------------------------------------------------------------------------------------------------


def test_with_the_future_no_lag_and_as_printed_eight_milliseconds(h4: pk.Robot, lift: control.Reference) -> None:
    lags: list[float] = []
    for future in (True, False):
        law = control.predictive_functional(h4, PERIOD, PredictiveDesign(future=future))
        log = simulation.simulate(h4, law, lift)
        fast = slice(200, 300)
        error, rate = (log["desired_q"] - log["q"])[fast], log["q_dot"][fast]
        lags.append(float(np.sum(error * rate) / np.sum(rate**2)))
    gains = predictive_gains(PredictiveDesign(), PERIOD)
    assert abs(lags[0]) < 1e-2 * PERIOD
    assert lags[1] == pytest.approx(PERIOD * gains.k_m[0] / gains.k_0, rel=0.01)
    assert lags[1] == pytest.approx(8.3e-3, abs=0.1e-3)


@pytest.mark.parametrize("degree", [0, 1])
def test_the_error_under_a_load_decays_with_the_slow_pole_of_the_inner_loop(h4: pk.Robot, degree: int) -> None:
    """Faster with a polynomial of higher degree only in that it begins smaller."""
    law = control.predictive_functional(h4, PERIOD, PredictiveDesign(error_degree=degree))
    reference = control.hold(h4, h4.home, 3.0, PERIOD)
    loaded = Scenario(payload=pk.Payload(mass=0.2), payload_time=0.1)
    log = simulation.simulate(h4, law, reference, loaded)
    error = np.abs(log["desired_q"] - log["q"])
    assert np.log(error[1000] / error[2900]) / 1.9 == pytest.approx(SLOW_POLE, rel=0.06)
    assert error.max() < (5e-4, 1e-4)[degree]


def mismatched(robot: pk.Robot) -> list[np.ndarray]:
    """Plants whose model is wrong by +-50 % in each of I_mot1 to I_mot4, M_nac, I_bc of [Vivas2003] Table 1: all 64."""
    groups = [f"leg{k}." for k in range(1, 5)]
    owner = [next((k for k, leg in enumerate(groups) if name.startswith(leg)), 4) for name in robot.parameter_names]
    owner = [5 if name == "platform.central.Izz" else k for name, k in zip(robot.parameter_names, owner, strict=True)]
    return [robot.parameters / (1 + 0.5 * np.array(signs))[owner] for signs in itertools.product((-1.0, 1.0), repeat=6)]


@pytest.mark.parametrize("name", [PFC, CTC])
def test_half_wrong_parameters_leave_the_loop_stable_and_unsaturated(
    name: str, h4: pk.Robot, lift: control.Reference
) -> None:
    plants = mismatched(h4)
    base = Scenario(counts=ENCODER, velocity_filter=100.0)
    scenarios = simulation.family(base, len(plants), parameters=plants)
    many = simulation.simulate_many(h4, laws(h4)[name], lift, scenarios, keep=range(0, 64, 9))
    assert (many.summary.status == Ending.COMPLETED).all()
    assert many.summary.saturation.max() == 0.0
    assert many.summary.error_peak.max() < 0.05
    for log in many.logs.values():
        assert np.abs(log["q_dot"][-100:]).max() < 0.05  # at rest but for a count or two


def test_a_push_beyond_the_drives_leaves_no_windup(h4: pk.Robot) -> None:
    """The model's error is held while a drive is at its limit: no overshoot to work off afterwards."""
    reference = control.hold(h4, h4.home, 1.0, PERIOD)
    push = np.zeros((reference.ticks, 4))
    push[100:400, 2] = -250.0
    log = simulation.simulate(h4, control.law("predictive_functional", h4), reference, Scenario(wrench=push))
    assert log["saturated"][100:400].max() == 1.0
    assert log.status == Ending.COMPLETED
    height = (log["pose"] - log["desired_pose"])[:, 2]
    assert height.min() < -0.02
    assert height[400:].max() < 0.2 * abs(height.min())
    assert np.abs(height[600:]).max() < 1e-3


def test_a_design_can_be_swept_as_gains(h4: pk.Robot) -> None:
    """Off-line gains are kernel inputs: two response times in two lanes of one law, as two laws give them."""
    slow = PredictiveDesign(response=36)
    law = control.predictive_functional(h4, PERIOD, PredictiveDesign())
    swept = Scenario(gains=control.gain_values(slow, PERIOD), pose=h4.home * 1.001)
    one = simulation.simulate(h4, law, control.hold(h4, h4.home, 0.1, PERIOD), swept)
    other = simulation.simulate(
        h4,
        control.predictive_functional(h4, PERIOD, slow),
        control.hold(h4, h4.home, 0.1, PERIOD),
        Scenario(pose=h4.home * 1.001),
    )
    assert np.array_equal(one.table, other.table)


def test_a_spike_of_an_encoder_does_not_stay_in_the_model(h4: pk.Robot) -> None:
    """The forces are at their limits at once; a model that took the spike for the robot's way moved 46 mm for 0.02 rad.

    Computed torque is the witness, both laws with the gains of [Vivas2003]: both answer a spike with forces at their
    limits for some ticks. That predictive control is the stiffer of the two shows where the forces are not.
    """
    reference = control.hold(h4, h4.home, 0.3, PERIOD)
    sizes = (0.005, 0.02, 0.1, 0.3)
    peaks: dict[str, np.ndarray] = {}
    known = laws(h4)
    for name in (PFC, CTC):
        law = faulty(known[name], spike(100))
        family = simulation.family(Scenario(), len(sizes), gains=[{"size": size} for size in sizes])
        summary = simulation.simulate_many(h4, law, reference, family).summary
        assert (summary.status == Ending.COMPLETED).all()
        peaks[name] = summary.error_peak.max(axis=-1)
    assert (peaks[PFC] < 1.5 * peaks[CTC]).all(), peaks
