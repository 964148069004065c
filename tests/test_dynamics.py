"""Exact dynamics: independent engines, conservation laws, derivatives, and formulations against each other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.dynamics.formulations import FORMULATIONS
from tests.motions import slope, smooth_motion, times
from tests.test_kinematics import DATA, REFERENCE, ROBOTS, oracle_pose

ORACLE = 1e-9
"""Relative to the largest of a quantity."""
AGREE = 1e-10
"""Between exact formulations, relative."""
TERMS = (
    "tau",
    "M_platform",
    "M_actuator",
    "gravity_platform",
    "coriolis_platform",
    "tau_gravity",
    "kinetic_energy",
)
EXACT = [name for name, row in FORMULATIONS.items() if row.exact]


@dataclass(frozen=True)
class States:
    pose: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def states(robot: pk.Robot, count: int = 20, seed: int = 0) -> States:
    """Poses of the box with velocities and accelerations of the size its motions have."""
    rng = np.random.default_rng(seed)
    lower, upper = robot.box
    span = upper - lower
    velocity = 2 * span * rng.normal(size=(count, len(span)))
    return States(robot.sample(count, seed), velocity, 10 * span * rng.normal(size=(count, len(span))))


@pytest.mark.parametrize("formulation", EXACT)
@pytest.mark.parametrize("name", REFERENCE)
def test_independent_engines_agree_on_forces(name: str, formulation: str) -> None:
    robot = ROBOTS[f"reference {name}"]
    s, known = reference(robot, name)
    scaled(robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, formulation=formulation), known["tau"], ORACLE)


def reference(robot: pk.Robot, name: str) -> tuple[States, dict[str, np.ndarray]]:
    """The states of a reference file, and what is known there."""
    found = json.loads((DATA / f"{name}.json").read_text())["states"]
    known = {key: np.array([state[key] for state in found]) for key in found[0] if key in TERMS}
    poses = np.array([oracle_pose(robot, state) for state in found])
    return States(poses, np.array([s["twist"] for s in found]), np.array([s["accel"] for s in found])), known


MIDDLE = 4
"""Of the nine samples of a difference of order 8."""
SLOPE = 2e-8
"""Relative; what such a difference leaves, as in the tests of kinematics."""


def scaled(got: np.ndarray, want: Any, tolerance: float) -> None:
    """Equal, relative to the largest."""
    want = np.asarray(want)
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * float(np.max(np.abs(want), initial=1e-300)))


@pytest.mark.parametrize("name", REFERENCE)
def test_independent_engines_agree_on_terms(name: str) -> None:
    robot = ROBOTS[f"reference {name}"]
    s, known = reference(robot, name)
    scaled(robot.mass_matrix(s.pose), known["M_platform"], ORACLE)
    scaled(robot.mass_matrix(s.pose, "actuator"), known["M_actuator"], ORACLE)
    scaled(robot.gravity(s.pose), known["gravity_platform"], ORACLE)
    scaled(robot.gravity(s.pose, "actuator"), known["tau_gravity"], ORACLE)
    scaled(robot.static_forces(s.pose), known["tau_gravity"], ORACLE)
    scaled(robot.bias(s.pose, s.velocity), known["coriolis_platform"], ORACLE)
    scaled(robot.forward_dynamics(s.pose, s.velocity, known["tau"]), s.acceleration, ORACLE)
    scaled(robot.energy(s.pose, s.velocity)[0], known["kinetic_energy"], ORACLE)


@pytest.mark.parametrize("formulation", EXACT)
@pytest.mark.parametrize("name", ROBOTS)
def test_exact_formulations_agree(name: str, formulation: str) -> None:
    """Law 3, with friction, payload and an external wrench."""
    robot, rng = ROBOTS[name], np.random.default_rng(3)
    s = states(robot)
    payload = pk.Payload(mass=0.7, centre=(0.02, -0.01, 0.03), inertia=((3e-3, 0, 0), (0, 4e-3, 0), (0, 0, 5e-3)))
    wrench = rng.normal(size=(20, robot.degrees_of_freedom))
    for extras in ({}, {"payload": payload, "wrench": wrench}):
        want = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, formulation=EXACT[0], **extras)
        got = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, formulation=formulation, **extras)
        assert np.isfinite(want).all()
        scaled(got, want, AGREE)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_linear_form_gives_the_forces(name: str) -> None:
    """Law 4; also with a reference velocity, where it is M a + C v_r + g and friction."""
    robot = ROBOTS[name]
    s = states(robot, 5)
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    scaled(robot.regressor(s.pose, s.velocity, s.acceleration) @ robot.parameters, tau, AGREE)
    v_r = s.velocity[::-1]
    Psi = robot.regressor(s.pose, s.velocity, s.acceleration, reference_velocity=v_r)
    C = robot.coriolis_matrix(s.pose, s.velocity)
    J = robot.jacobian(s.pose)
    change = np.einsum("kij,kj->ki", C, v_r - s.velocity)
    scaled(np.einsum("kij,ki->kj", J, Psi @ robot.parameters - tau), change, 1e-8)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_mass_matrix_and_its_rate(name: str) -> None:
    """Law 5: M symmetric positive definite; M_dot - 2C skew; C v = h."""
    robot = ROBOTS[name]
    for centre in (1.0, 3.0, 6.0):
        path = smooth_motion(robot, times(centre))
        M = robot.mass_matrix(path.pose)
        assert np.array_equal(M, np.swapaxes(M, -1, -2))
        assert np.linalg.eigvalsh(M).min() > 0
        pose, v = path.pose[MIDDLE], path.velocity[MIDDLE]
        C = robot.coriolis_matrix(pose, v)
        scaled(C @ v, robot.bias(pose, v), AGREE)
        twice = slope(M) - 2 * C
        assert np.max(np.abs(twice + twice.T)) < SLOPE * max(np.max(np.abs(C)), np.max(np.abs(M)))


@pytest.mark.parametrize("formulation", EXACT)
@pytest.mark.parametrize("name", ROBOTS)
def test_power_is_the_rate_of_energy(name: str, formulation: str) -> None:
    """Law 6; and law 7: the power of static forces is the rate of U along any motion."""
    robot = frictionless(ROBOTS[name])
    for centre in (1.0, 3.0, 6.0):
        path = smooth_motion(robot, times(centre))
        kinetic, potential = robot.energy(path.pose, path.velocity)
        pose, v, a = path.pose[MIDDLE], path.velocity[MIDDLE], path.acceleration[MIDDLE]
        powers = robot.actuator_power(pose, v, a, formulation=formulation)
        size = float(np.sum(np.abs(powers)))
        assert slope(kinetic + potential) == pytest.approx(powers.sum(), abs=SLOPE * size)
        held = robot.static_forces(pose) * robot.actuator_velocity(pose, v)
        assert slope(potential) == pytest.approx(held.sum(), abs=SLOPE * max(1.0, float(np.sum(np.abs(held)))))


def frictionless(robot: pk.Robot) -> pk.Robot:
    tables = robot.description.model_dump()
    for leg in tables["legs"]:
        for element in leg["elements"]:
            element["joint"]["friction"] = {}
            if element["actuator"]:
                element["actuator"]["friction"] = {}
    return robot.replace(legs=tables["legs"])
