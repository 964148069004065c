"""Adaptive laws: parameters go to the truth under excitation, and stay in their bounds whatever happens."""

from __future__ import annotations

import functools

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.control.adaptation import AdaptiveModel, slowed
from parakin.control.references import QUANTITIES
from parakin.simulation import Ending, Scenario
from parakin.simulation.run import _Runs

PERIOD = 5e-4
CONVERGED = 0.01
"""Of what parameters do to forces, as a share of the forces: a held force lags half a period, friction is smoothed."""
WRONG = 0.3
PERIODS = 20
LAWS = {
    "adaptive": (control.adaptive, 3.0, {"fastest": 1e3}),
    "adaptive_feedforward": (control.adaptive_feedforward, 10.0, {"fastest": 1e3}),
}
"""Builder, how much faster than by default to adapt, and other gains: to see the end of it within 40 s."""


@pytest.fixture(scope="module")
def delta() -> pk.Robot:
    return pk.load("delta")


@pytest.fixture(scope="module")
def excitation(delta: pk.Robot) -> control.Reference:
    motion = trajectory.fourier(delta, trajectory.drawn_series(delta, frequency=0.5), periods=PERIODS)
    return control.reference(delta, motion, PERIOD)


@functools.cache
def law_of(name: str, robot: pk.Robot, period: float = PERIOD) -> control.Law:
    """With the gains for 60 rad/s, at which the figures of docs/control.md were measured."""
    law = LAWS[name][0](robot, period, shared=True)
    return law.with_gains(**control.gains_for(law, 60.0))


def histories(
    robot: pk.Robot, law: control.Law, reference: control.Reference, scenarios: tuple[Scenario, ...], block: int = 200
) -> np.ndarray:
    """Parameters (times, scenarios, rank) every `block` ticks, which are the last part of an adaptive law's state."""
    runs = _Runs(robot, law, reference, scenarios, 4, block)
    rank = law.interface.state[-1].size
    return np.array([out["law_state"][:, -rank:] for out in runs.blocks()])


def beginning(reference: control.Reference, ticks: int) -> control.Reference:
    return control.Reference(PERIOD, *(getattr(reference, quantity)[:ticks] for quantity in QUANTITIES))


def gain(law: control.Law, name: str) -> np.ndarray:
    return np.array(next(gain.values for gain in law.interface.gains if gain.name == name))


def wrong_parameters(values: np.ndarray, seed: int) -> np.ndarray:
    return values * (1 + WRONG * np.random.default_rng(seed).choice([-1.0, 1.0], len(values)))


@pytest.mark.parametrize("name", LAWS)
def test_parameters_go_to_the_truth_under_excitation(name: str, delta: pk.Robot, excitation: control.Reference) -> None:
    _, faster, others = LAWS[name]
    law = law_of(name, delta)
    true = delta.base_parameters(shared=True).values
    sizes, force = AdaptiveModel(delta, True).column_sizes
    scenarios = tuple(
        Scenario(
            gains={"p_0": wrong_parameters(true, seed), "dead_zone": 0.0, "Gamma": faster * gain(law, "Gamma")} | others
        )
        for seed in range(2)
    )
    found = histories(delta, law, excitation, scenarios)
    wrong = np.abs(found - true) * sizes / force
    last = slice(-30, -10)  # a period, before the motion ends
    assert wrong[0].max() > 10 * CONVERGED
    assert (np.abs(found[last].mean(axis=0) - true) * sizes / force).max() < CONVERGED


@pytest.mark.parametrize("name", LAWS)
def test_parameters_stay_in_their_bounds(name: str, delta: pk.Robot, excitation: control.Reference) -> None:
    """A robot twice as heavy as the bounds allow, a hundred times the speed of adaptation, noise and counted rates."""
    law = law_of(name, delta)
    lower, upper = gain(law, "lower"), gain(law, "upper")
    rough = {"Gamma": 100 * gain(law, "Gamma"), "dead_zone": 0.0}
    noisy = Scenario(noise=1e-5, counts=2**17 / (2 * np.pi), velocity_filter=200.0, gains=rough)
    scenarios = (Scenario(payload=pk.Payload(mass=1.0), gains=rough), noisy, Scenario(gains={"p_0": 10 * upper}))
    short = beginning(excitation, 8000)
    found = histories(delta, law, short, scenarios, block=10)
    assert (found >= lower).all()
    assert (found <= upper).all()
    assert (found[:, 0] == upper).any()  # the bounds were needed


@pytest.mark.parametrize("name", LAWS)
def test_nothing_is_learned_inside_the_dead_zone(name: str, delta: pk.Robot, excitation: control.Reference) -> None:
    """Parameters that are right stay as they are, bit for bit: errors of a sampled loop are inside the zone."""
    law = law_of(name, delta)
    short = beginning(excitation, 4000)
    wide = Scenario(gains={"dead_zone": 10 * gain(law, "dead_zone")})
    found = histories(delta, law, short, (wide,))
    assert (found == gain(law, "p_0")).all()


@pytest.mark.parametrize("name", LAWS)
def test_an_unknown_load_is_taken_over_from_feedback(name: str, delta: pk.Robot) -> None:
    """Without integral action a load leaves an offset; the parameters take it over, up to the dead zone."""
    law = law_of(name, delta)
    reference = control.hold(delta, delta.home, 2.0, PERIOD)
    loaded = Scenario(payload=pk.Payload(mass=0.2))
    still = Scenario(payload=pk.Payload(mass=0.2), gains={"Gamma": 0.0})
    learning, fixed = (simulation.simulate(delta, law, reference, s) for s in (loaded, still))
    left = [float(np.abs(log["desired_q"] - log["q"])[-1].max()) for log in (learning, fixed)]
    assert left[1] > 1e-3
    assert left[0] < 0.1 * left[1]


@pytest.mark.parametrize("name", LAWS)
def test_a_push_beyond_the_drives_teaches_nothing(name: str) -> None:
    """Parameters rest while a drive is at its limit, and errors are gone soon after the push."""
    robot = pk.load("h4")
    law = law_of(name, robot, 1e-3)
    reference = control.hold(robot, robot.home, 1.0, 1e-3)
    push = np.zeros((reference.ticks, 4))
    push[100:400, 2] = -250.0
    pushed = Scenario(wrench=push)
    log = simulation.simulate(robot, law, reference, pushed, record_state=True)
    assert log.status == Ending.COMPLETED
    saturated = log["saturated"].max(axis=1) == 1.0
    assert saturated[100:400].any()
    p, held = log["state.p"], saturated[:-1]
    assert (p[1:][held] == p[:-1][held]).all()
    assert (p[1:][~held] != p[:-1][~held]).any()
    height = (log["pose"] - log["desired_pose"])[:, 2]
    assert np.abs(height[700:]).max() < 0.1 * np.abs(height[:400]).max()


def test_the_regressor_of_the_law_gives_the_forces_of_the_robot(delta: pk.Robot) -> None:
    """With v_r = v and a_r = a, with and without shared legs, and with a load that the law knows."""
    rng = np.random.default_rng(3)
    velocity, acceleration = rng.normal(size=(2, 3))
    pose = delta.home + 0.02 * rng.normal(size=3)
    for robot in (delta, delta.with_payload(0.3)):
        q_ddot = robot.actuator_acceleration(pose, velocity, acceleration)
        tau = robot.inverse_dynamics(pose, velocity, acceleration)
        for shared in (False, True):
            model = AdaptiveModel(robot, shared)
            Psi = np.array(model._reference_regressor(pose, velocity, velocity, q_ddot))
            assert Psi @ model.base.values == pytest.approx(tau, rel=1e-4)  # Coulomb friction is smoothed
            same = np.array(model._regressor(pose, velocity, acceleration))
            assert pytest.approx(same, rel=1e-9, abs=1e-12) == Psi


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_adaptation_is_never_faster_than_its_limit(size: float) -> None:
    Psi, Gamma, fastest = size * np.random.default_rng(5).normal(size=(3, 8)), np.arange(1.0, 9.0), 20.0
    given = {"Gamma": ca.SX(ca.DM(Gamma)), "fastest": ca.SX(fastest)}
    factor = np.array(ca.DM(slowed(given, ca.SX(ca.DM(Psi)), 2.0))).item()
    rate = np.trace(Psi @ np.diag(Gamma) @ Psi.T) / 2.0
    assert factor * rate == pytest.approx(min(rate, fastest))
