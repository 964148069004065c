"""Every kind of joint, in the tree and cut, against another engine and the law of power."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.mechanism import Drive
from parakin.robot import Robot, Status
from parakin.robot.base_parameters.search import HOLDS
from tests.mechanism.test_peers import AGREES, CLOSED, ENGINES
from tests.mechanism.zoo import ZOO
from tests.mechanisms import described
from tests.peers.free_bodies import inverse_dynamics

STEP = 1e-5
"""Time between two states whose energies are compared [s]."""
POWER_BALANCE = 1e-6
"""Largest error of a power, relative to the largest one: differences over STEP leave some 1e-9."""


def good_states(one: Robot, count: int) -> tuple[Array, Array, Array]:
    states = one.sample_states(4 * count, seed=2)
    good = np.flatnonzero(one.check(states[0]) == Status.GOOD)[:count]
    assert len(good) == count
    pose, velocity, acceleration = (values[good] for values in states)
    return pose, velocity, acceleration


def drives(one: Robot) -> list[Drive]:
    tables = {f"{j.name}.{name}": f.drive for j in one.graph_description.joints for name, f in j.freedoms.items()}
    return [drive for name in one.actuator_names if (drive := tables[name]) is not None]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [name for name in ZOO if not ZOO[name]().couplings])
def test_motor_forces_of_every_kind_of_joint(name: str, engine: str) -> None:
    pytest.importorskip(engine)
    one = Robot(ZOO[name]())
    force = ENGINES[engine](one.graph_description)
    pose, velocity, acceleration = good_states(one, 4)
    bodies = one.body_frames(pose)
    reference = np.zeros((4, len(one.actuator_names)))
    for k in range(4):
        places, motion = (bodies.p[k], bodies.R[k]), (velocity[k], acceleration[k])
        reference[k], opened = inverse_dynamics(one.graph_description, one.pose_names, places, motion, force)
        assert opened < CLOSED
    sign = np.array([drive.sign for drive in drives(one)])
    expected = sign * reference
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    assert np.max(np.abs(tau - expected)) < AGREES * np.max(np.abs(expected))


@pytest.mark.parametrize("name", ZOO)
def test_power_of_motors_is_rate_of_energy_and_friction(name: str) -> None:
    one = Robot(ZOO[name]())
    pose, velocity, acceleration = good_states(one, 4)
    near = one.configuration(pose)
    energies = []
    for h in (STEP, -STEP):
        there = pose + h * velocity + h**2 / 2 * acceleration
        energies.append(sum(one.energy(there, velocity + h * acceleration, near=near)))
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    power = np.sum(tau * one.actuator_velocity(pose, velocity), axis=-1)
    viscous = np.array(
        [j.freedom(k).friction.viscous for j in one.graph_description.joints for k in range(len(j.kind.freedoms))]
    )
    lost = np.sum(viscous * one.joints(pose, velocity, acceleration).rate ** 2, axis=-1)
    rate = (energies[0] - energies[1]) / (2 * STEP)
    assert np.max(np.abs(power - lost - rate)) < POWER_BALANCE * np.max(np.abs(power))


@pytest.mark.parametrize("name", ZOO)
def test_forward_dynamics_inverts_inverse_dynamics(name: str) -> None:
    one = Robot(ZOO[name]())
    pose, velocity, acceleration = good_states(one, 4)
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    back = one.forward_dynamics(pose, velocity, tau)
    assert np.max(np.abs(back - acceleration)) < AGREES * np.max(np.abs(acceleration))


@pytest.mark.parametrize("name", ZOO)
def test_motor_positions_and_poses_are_inverse_to_each_other(name: str) -> None:
    one = Robot(ZOO[name]())
    pose, _, _ = good_states(one, 4)
    assert one.forward_kinematics(one.inverse_kinematics(pose)) == pytest.approx(pose, abs=1e-12)


def test_a_pose_out_of_reach_is_flagged_and_keeps_its_neighbours() -> None:
    one = Robot(ZOO["ruuc"]())
    out = one.evaluate(
        "inverse_dynamics", pose=[[0.0], [0.5]], velocity=np.zeros((2, 1)), acceleration=np.zeros((2, 1))
    )
    assert list(out.status) == [Status.GOOD, Status.SINGULAR]
    assert np.isfinite(out["tau"][0]).all()
    assert np.isnan(out["tau"][1]).all()


def test_a_gear_turns_as_it_is_coupled() -> None:
    one = Robot(ZOO["geared_slider"]())
    pose, velocity, acceleration = good_states(one, 4)
    joints = one.joints(pose, velocity, acceleration)
    left, right = (one.joint_names.index(f"{side}.angle") for side in ("left", "right"))
    assert joints.rate[:, right] == pytest.approx(-2 * joints.rate[:, left])


@pytest.mark.parametrize("name", ZOO)
def test_linearization_is_the_derivative_of_forward_dynamics(name: str) -> None:
    one = Robot(ZOO[name]())
    pose, velocity, acceleration = (values[0] for values in good_states(one, 1))
    tau, near = one.inverse_dynamics(pose, velocity, acceleration), one.configuration(pose)
    linear = one.linearize(pose, velocity, tau)
    n, m = len(pose), len(tau)

    def accelerations(state: Array) -> Array:
        return one.forward_dynamics(state[:, :n], state[:, n : 2 * n], state[:, 2 * n :], near=near)

    point, h = np.concatenate([pose, velocity, tau]), 1e-4
    steps = np.eye(2 * n + m) * h
    differences = 8 * (accelerations(point + steps) - accelerations(point - steps))
    differences -= accelerations(point + 2 * steps) - accelerations(point - 2 * steps)
    derivative = (differences / (12 * h)).T
    exact = np.hstack([linear.A[n:], linear.B[n:]])
    assert np.max(np.abs(derivative - exact)) < 1e-6 * np.max(np.abs(exact))  # differences of order 4
    assert np.array_equal(linear.A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))
    assert linear.acceleration == pytest.approx(acceleration)


def test_base_parameters_of_a_four_bar_are_those_of_its_loop() -> None:
    """Fewer combinations than parameters, as many as the regressor of other states has rank, give all forces."""
    one = Robot(described("four_bar"))
    base = one.base_parameters()
    pose, velocity, acceleration = one.sample_states(50, seed=9)
    Psi = one.regressor(pose, velocity, acceleration)
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    assert base.columns(Psi) @ base.values == pytest.approx(tau, abs=HOLDS * np.max(np.abs(tau)))
    assert base.rank < len(one.parameters)
    assert np.linalg.matrix_rank(Psi.reshape(-1, Psi.shape[-1]), tol=1e-9 * np.linalg.norm(Psi)) == base.rank
