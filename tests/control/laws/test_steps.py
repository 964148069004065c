"""One tick of a law, evaluated as an expression and compared with its equation."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.control.adaptation import UNSEEN, AdaptiveModel
from parakin.control.tuning.inertia import effective_inertia
from tests.variants import frictionless

PERIOD = 1e-3
VELOCITY = np.array([0.3, -0.2])


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def told(robot: pk.Robot) -> dict[str, np.ndarray]:
    """At home and moving; set points a little off."""
    q, q_dot = robot.inverse_kinematics(robot.home), robot.actuator_velocity(robot.home, VELOCITY)
    return {
        "desired_q": q + np.array([1e-3, -2e-3]),
        "desired_q_dot": q_dot + np.array([0.01, 0.02]),
        "desired_q_ddot": np.array([0.1, 0.2]),
        "desired_pose": robot.home,
        "desired_velocity": VELOCITY,
        "desired_acceleration": np.zeros(2),
        "measured_q": q,
        "measured_q_dot": q_dot,
    }


def ticked(law: control.Law, told: dict[str, np.ndarray], **state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The next state and the forces."""
    given = {name: told[name] for name in law.step.name_in() if name in told}
    joined = np.concatenate([state[part.name] for part in law.interface.state])
    out = law.step(state=joined, gains=law.gains, **given)
    return np.asarray(out["next_state"]).ravel(), np.asarray(out["tau"]).ravel()


def test_pid(robot: pk.Robot, told: dict[str, np.ndarray]) -> None:
    law = control.law("pid", robot, PERIOD).with_gains(K_p=100.0, K_d=10.0, K_i=1000.0)
    error, rate = np.array([1e-3, -2e-3]), np.array([0.01, 0.02])
    grown = np.array([1.0, 2.0]) + PERIOD * 1000.0 * error
    state, tau = ticked(law, told, integral=np.array([1.0, 2.0]))
    assert state == pytest.approx(grown)
    assert tau == pytest.approx(100.0 * error + 10.0 * rate + grown)
    given = {name: told[name] for name in law.start.name_in() if name in told}
    first = law.start(gains=law.gains, holding=np.array([3.0, 4.0]), **given)["state"]
    assert np.asarray(first).ravel().tolist() == [3.0, 4.0]


def test_feedforward_and_decoupling(robot: pk.Robot, told: dict[str, np.ndarray]) -> None:
    error, rate, integral = np.array([1e-3, -2e-3]), np.array([0.01, 0.02]), np.array([0.1, 0.2])
    computed = robot.inverse_dynamics(robot.home, VELOCITY, np.zeros(2))
    M_q = robot.mass_matrix(robot.home, space="actuator")
    for name, matrix in (("feedforward", np.eye(2)), ("decoupling", M_q)):
        law = control.law(name, robot, PERIOD).with_gains(K_p=100.0, K_d=10.0, K_i=0.0)
        state, tau = ticked(law, told, integral=integral)
        assert state == pytest.approx(integral)
        expected = computed + matrix @ (100.0 * error + 10.0 * rate + integral)
        assert tau == pytest.approx(expected, rel=1e-3)  # Coulomb friction is smoothed


def test_computed_torque_predicts_the_pose_of_the_next_tick(robot: pk.Robot, told: dict[str, np.ndarray]) -> None:
    law = control.law("computed_torque", robot, PERIOD).with_gains(K_p=10_000.0, K_d=90.0, K_i=0.0)
    state, tau = ticked(law, told, pose=robot.home, integral=np.zeros(2))
    assert state[:2] == pytest.approx(robot.home + PERIOD * VELOCITY, rel=1e-9)
    w = np.array([0.1, 0.2]) + 10_000.0 * np.array([1e-3, -2e-3]) + 90.0 * np.array([0.01, 0.02])
    M_q = robot.mass_matrix(robot.home, space="actuator")
    _, without = ticked(law.with_gains(K_p=0.0, K_d=0.0), told, pose=robot.home, integral=np.zeros(2))
    assert tau - without == pytest.approx(M_q @ (w - np.array([0.1, 0.2])))


def test_dead_zones_are_worth_the_smallest_errors(robot: pk.Robot) -> None:
    w, inertia = 60.0, effective_inertia(robot)
    expected = {"adaptive": w * UNSEEN[0] * np.ones(2), "adaptive_feedforward": w**2 * inertia * UNSEEN[0]}
    for name, zone in expected.items():
        assert control.gains_for(control.law(name, robot), w)["dead_zone"] == pytest.approx(zone)


def test_adaptive_with_true_parameters_gives_the_forces_of_the_reference_motion(told: dict[str, np.ndarray]) -> None:
    """[Slotine1987]: tau = J^-T (M a_r + C(v) v_r + g) + K_s s, the reference rates being q_dot_d + Lambda error.

    The rates of J are taken from second derivatives of q, which are bilinear in two velocities.
    """
    robot = frictionless(pk.load("five_bar"))
    pose, v, Lambda, K_s = robot.home, VELOCITY, 50.0, 0.7
    far = told | {"desired_q_dot": told["measured_q_dot"] + np.array([0.9, -0.6])}
    error, error_dot = far["desired_q"] - far["measured_q"], far["desired_q_dot"] - far["measured_q_dot"]
    J, M, C = robot.jacobian(pose), robot.mass_matrix(pose), robot.coriolis_matrix(pose, v)
    v_r = np.linalg.solve(J, far["desired_q_dot"] + Lambda * error)
    bent = (robot.actuator_acceleration(pose, v + v_r, 0 * v) - robot.actuator_acceleration(pose, v - v_r, 0 * v)) / 4
    a_r = np.linalg.solve(J, far["desired_q_ddot"] + Lambda * error_dot - bent)
    expected = np.linalg.solve(J.T, M @ a_r + C @ v_r + robot.gravity(pose)) + K_s * (error_dot + Lambda * error)
    law = control.law("adaptive", robot, PERIOD).with_gains(Lambda=Lambda, K_s=K_s)
    _, tau = ticked(law, far, pose=pose, p=AdaptiveModel(robot, False).base.values)
    assert tau == pytest.approx(expected, rel=1e-9)
