"""Laws as physics: what a linear design promises is what the loop does."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.errors import ControlError, UnknownNameError
from parakin.simulation import Ending, Scenario
from parakin.trajectory import State
from tests.variants import frictionless

PERIOD = 1e-3
FINE = 1e-4
"""[s] Short enough for a sampled loop to have the poles of the continuous design within 1 %."""
POLE_TOLERANCE = 0.01


@pytest.fixture(scope="module")
def h4() -> pk.Robot:
    return frictionless(pk.load("h4"))


@pytest.fixture(scope="module")
def real_h4() -> pk.Robot:
    """With the friction of its file."""
    return pk.load("h4")


def at_home(robot: pk.Robot, duration: float, period: float = PERIOD) -> control.Reference:
    return control.hold(robot, robot.home, duration, period)


def beside(robot: pk.Robot, actuator: int, offset: float) -> np.ndarray:
    """A pose with one actuator moved from where it is at home."""
    q = robot.inverse_kinematics(robot.home)
    q[actuator] += offset
    return robot.forward_kinematics(q)


def fitted_poles(error: np.ndarray, rate: np.ndarray, period: float) -> np.ndarray:
    """Continuous poles of [e, e_dot](k + 1) = A [e, e_dot](k), A by least squares."""
    states = np.column_stack([error, rate])
    A = np.linalg.lstsq(states[:-1], states[1:], rcond=None)[0].T
    return np.sort_complex(np.log(np.linalg.eigvals(A).astype(complex)) / period)


@pytest.mark.parametrize(("K_p", "K_d"), [(10_000.0, 90.0), (3_600.0, 150.0)])
def test_computed_torque_has_the_poles_of_its_design(h4: pk.Robot, K_p: float, K_d: float) -> None:
    law = control.computed_torque(h4, FINE).with_gains(K_p=K_p, K_d=K_d, K_i=0.0)
    reference = at_home(h4, 0.1, FINE)
    log = simulation.simulate(h4, law, reference, Scenario(pose=beside(h4, 1, 1e-3)))
    found = fitted_poles((log["desired_q"] - log["q"])[:, 1], -log["q_dot"][:, 1], FINE)
    assert found == pytest.approx(np.sort_complex(np.roots([1.0, K_d, K_p])), rel=POLE_TOLERANCE)


def test_a_payload_the_law_does_not_know_gives_the_offset_of_linear_theory(h4: pk.Robot) -> None:
    """K_p e = M_q^-1 J^-T (0, 0, m g, 0): the law's M_q turns errors into forces."""
    mass, K_p = 0.2, 10_000.0
    law = control.law("computed_torque", h4).with_gains(K_p=K_p, K_d=90.0, K_i=0.0)
    log = simulation.simulate(h4, law, at_home(h4, 0.5), Scenario(payload=pk.Payload(mass=mass)))
    weight = np.array([0.0, 0.0, mass * 9.81, 0.0])
    M_q, J = h4.mass_matrix(h4.home, space="actuator"), h4.jacobian(h4.home)
    expected = np.linalg.solve(M_q, np.linalg.solve(J.T, weight)) / K_p
    error = (log["desired_q"] - log["q"])[-1]
    assert error == pytest.approx(expected, rel=0.02)  # the pose has moved by a few mm m
    assert np.abs(log["q_dot"][-1]).max() < 1e-6


def coupling(robot: pk.Robot, law: control.Law, step: float) -> float:
    """How far the other actuators move when one begins `step` away from its set point."""
    start = beside(robot, 0, step)
    log = simulation.simulate(robot, law, at_home(robot, 0.15), Scenario(pose=start))
    return float(np.abs((log["desired_q"] - log["q"])[:, 1:]).max())


@pytest.mark.parametrize("name", ["decoupling", "computed_torque"])
def test_decoupled_actuators_answer_a_neighbours_step_with_its_square(name: str, h4: pk.Robot) -> None:
    """Feedforward of the weight at the set point couples to first order, so the decoupling law is tried without it."""
    robot = h4.replace(gravity=(0.0, 0.0, 0.0)) if name == "decoupling" else h4
    law = control.law(name, robot)
    large, small = coupling(robot, law, 0.01), coupling(robot, law, 0.005)  # twice as far, a drive is at its limit
    assert large / small == pytest.approx(4.0, rel=0.2)


def test_without_decoupling_neighbours_answer_in_proportion(h4: pk.Robot) -> None:
    robot = h4.replace(gravity=(0.0, 0.0, 0.0))
    law = control.law("feedforward", robot)
    assert coupling(robot, law, 0.01) / coupling(robot, law, 0.005) == pytest.approx(2.0, rel=0.2)


@pytest.mark.parametrize("name", control.LAWS)
def test_laws_recover_from_saturation_without_windup(name: str, real_h4: pk.Robot) -> None:
    """A wrench beyond the drives for 0.3 s: when it goes, the platform comes back and hardly beyond."""
    robot = real_h4
    law = control.law(name, robot)
    if "K_i" in {gain.name for gain in law.interface.gains}:
        law = law.with_gains(**control.gains_for(law, 60.0))
    reference = at_home(robot, 1.0)
    push = np.zeros((reference.ticks, 4))
    push[100:400, 2] = -250.0
    log = simulation.simulate(robot, law, reference, Scenario(wrench=push))
    assert log["saturated"][100:400].max() == 1.0
    assert log.status == Ending.COMPLETED
    distance = np.linalg.norm((log["pose"] - log["desired_pose"])[:, :3], axis=1)
    assert distance[:400].max() > 5e-3
    assert distance[700:].max() < 0.1 * distance[:400].max()
    beyond = np.sign(log["pose"] - log["desired_pose"])[:, 2]
    overshoot = distance[400:][beyond[400:] > 0]
    assert overshoot.size == 0 or overshoot.max() < 0.5 * distance[:400].max()


@pytest.mark.parametrize("name", control.LAWS)
def test_every_law_keeps_to_the_limits_of_the_drives(name: str, real_h4: pk.Robot) -> None:
    """From 10 cm off, further than any of them can ask for without being cut."""
    robot = real_h4
    limits = np.array([element.actuator.force for leg in robot.legs for element in leg.elements if element.actuator])
    reference = at_home(robot, 0.05)
    far = robot.home + np.array([0.0, 0.0, -0.1, 0.0])
    log = simulation.simulate(robot, control.law(name, robot), reference, Scenario(pose=far))
    assert (np.abs(log["command"]) <= limits).all()
    assert (np.abs(log["command"]) == limits).any()


def test_a_law_may_take_the_robot_for_another(h4: pk.Robot) -> None:
    heavier = h4.with_payload(0.5)
    reference = at_home(h4, 0.3)
    right = simulation.simulate(heavier, control.law("feedforward", heavier), reference).summary()
    wrong = simulation.simulate(heavier, control.law("feedforward", h4), reference).summary()
    assert right.distance_peak < 1e-9
    assert wrong.distance_peak > 1e-4


def test_the_pose_inside_computed_torque_is_the_plants(h4: pk.Robot) -> None:
    """One Newton step from a prediction, at a speed near the drives' limit."""
    law = control.law("computed_torque", h4)
    t = PERIOD * np.arange(300)
    w, size = 25.0, 0.05
    swing = np.zeros((300, 4))
    swing[:, 0] = 1.0
    wave = State(
        h4.home + size * swing * np.sin(w * t)[:, None],
        size * w * swing * np.cos(w * t)[:, None],
        -size * w * w * swing * np.sin(w * t)[:, None],
    )
    reference = control.reference_of_states(h4, wave, PERIOD)
    step, state = law.step, np.concatenate([reference.pose[0], np.zeros(4)])
    worst = 0.0
    for k in range(300):
        out = step(
            state=state,
            desired_q=reference.q[k],
            desired_q_dot=reference.q_dot[k],
            desired_q_ddot=reference.q_ddot[k],
            desired_pose=reference.pose[k],
            measured_q=reference.q[k],
            measured_q_dot=reference.q_dot[k],
            gains=law.gains,
        )
        state = np.asarray(out["next_state"]).ravel()
        seen = state[:4] - PERIOD * reference.velocity[k]
        worst = max(worst, float(np.abs(seen - reference.pose[k]).max()))
    assert worst < 1e-7


def test_computed_torque_bears_half_of_every_parameter_missing_or_too_much(real_h4: pk.Robot) -> None:
    """All signs of 50 % error in the six parameters of [Vivas2003] Table 1, 2^17 counts a turn: stable, unsaturated."""
    robot = real_h4
    names = robot.parameter_names
    groups = [[k for k, name in enumerate(names) if name.startswith(f"leg{leg}.arm")] for leg in (1, 2, 3, 4)]
    platform = [k for k, name in enumerate(names) if name.startswith("platform")]
    masses = [k for k in platform if names[k].rpartition(".")[2].startswith("m")]
    groups += [masses, [k for k in platform if k not in masses]]
    signs = np.array(np.meshgrid(*[[0.5, 1.5]] * 6)).reshape(6, -1).T
    plants = np.repeat(np.asarray(robot.parameters)[None], len(signs), axis=0)
    for column, group in enumerate(groups):
        plants[:, group] *= signs[:, column, None]
    reference = control.reference(robot, trajectory.lift(robot), PERIOD, settle=0.2)
    real = Scenario(counts=2**17 / (2 * np.pi), velocity_filter=200.0, delay=True)
    scenarios = simulation.family(real, len(signs), parameters=plants)
    found = simulation.simulate_many(robot, control.law("computed_torque", robot), reference, scenarios).summary
    assert (found.status == Ending.COMPLETED).all()
    assert not found.saturation.any()
    assert found.error_peak.max() < 0.01


def test_gains_are_named_and_checked(h4: pk.Robot) -> None:
    law = control.law("pid", h4)
    assert [gain.name for gain in law.interface.gains] == ["K_p", "K_d", "K_i"]
    changed = law.with_gains(K_p=100.0, K_d=[1.0, 2.0, 3.0, 4.0])
    assert changed.gains[:8].tolist() == [100.0] * 4 + [1.0, 2.0, 3.0, 4.0]
    assert law.gain_vector({"K_p": np.ones((5, 1))}).shape == (5, 12)
    with pytest.raises(UnknownNameError, match="no gain of pid 'K_q'; choose one of K_p, K_d, K_i"):
        law.with_gains(K_q=1.0)
    with pytest.raises(ControlError, match="pid: K_p: must be finite and >= 0 N m/rad, got"):
        law.with_gains(K_p=-1.0)
    with pytest.raises(ControlError, match="pid: bandwidth: must be finite and > 0 rad/s, got 0"):
        control.gains_for(law, 0.0)
    with pytest.raises(ControlError, match="default gains: period: must be finite and > 0 s, got -1"):
        control.law("pid", h4, -1.0)
    with pytest.raises(UnknownNameError, match="no law 'lqr'"):
        control.law("lqr", h4)


def test_gains_from_a_bandwidth_place_the_poles(h4: pk.Robot) -> None:
    """Of the actuator's own inertia under force feedback, of a double integrator under acceleration feedback."""
    K_p, K_d, K_i = (float(v[0]) for v in control.gains_for(control.law("decoupling", h4), 50.0, damping=0.7).values())
    poles = np.sort_complex(np.roots([1.0, K_d, K_p, K_i]))
    assert np.abs(poles) == pytest.approx([50.0, 50.0, 5.0], rel=1e-9)
    pid = control.gains_for(control.law("pid", h4), 50.0, damping=0.7)
    assert pid["K_p"] == pytest.approx(K_p * np.diag(h4.mass_matrix(h4.home, space="actuator")))


def test_a_reference_looks_ahead_and_stays_at_its_end(h4: pk.Robot) -> None:
    reference = at_home(h4, 0.005)
    moved = np.arange(5.0)[:, None] + np.zeros(4)
    ramp = control.Reference(PERIOD, reference.pose, reference.velocity, reference.acceleration, moved, moved, moved)
    assert ramp.ahead("q", (0, 2)).shape == (5, 4, 2)
    assert ramp.ahead("q", (0, 2))[:, 0, 1].tolist() == [2.0, 3.0, 4.0, 4.0, 4.0]
