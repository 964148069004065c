"""Exact dynamics: independent engines, conservation laws, derivatives, and formulations against each other."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import parakin as pk
from parakin.description import describe
from parakin.dynamics.choices import DEFAULT
from parakin.errors import UnknownNameError, UnsupportedRobotError
from parakin.poses import quaternion_from_vector, quaternion_product
from tests.moving import slope, smooth_motion, times
from tests.reference import DATA, REFERENCE, ROBOTS, UNIQUE, oracle_pose, planar_rpr
from tests.robots import TWINS, twins_later
from tests.states import AGREE, EXACT, States, scaled, states
from tests.variants import frictionless

ORACLE = 1e-9
"""Relative to the largest of a quantity."""
TERMS = (
    "tau",
    "M_platform",
    "M_actuator",
    "gravity_platform",
    "coriolis_platform",
    "tau_gravity",
    "kinetic_energy",
)


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


@pytest.mark.parametrize("formulation", [name for name in EXACT if name != DEFAULT])
@pytest.mark.parametrize("name", twins_later(UNIQUE))
def test_exact_formulations_agree(name: str, formulation: str) -> None:
    """Law 3, with friction, payload and an external wrench."""
    robot, rng = ROBOTS[name], np.random.default_rng(3)
    s = states(robot)
    payload = pk.Payload(mass=0.7, centre=(0.02, -0.01, 0.03), inertia=((3e-3, 0, 0), (0, 4e-3, 0), (0, 0, 5e-3)))
    extras: dict[str, Any] = {"payload": payload, "wrench": rng.normal(size=(20, robot.degrees_of_freedom))}
    want = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, **extras)
    got = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, formulation=formulation, **extras)
    assert np.isfinite(want).all()
    scaled(got, want, AGREE)


@pytest.mark.parametrize("name", twins_later(UNIQUE))
def test_the_linear_form_gives_the_forces(name: str) -> None:
    """Law 4."""
    robot = ROBOTS[name]
    s = states(robot, 5)
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    scaled(robot.regressor(s.pose, s.velocity, s.acceleration) @ robot.parameters, tau, AGREE)


@pytest.mark.parametrize("name", [name for name in UNIQUE if name not in TWINS])
def test_the_linear_form_takes_a_reference_velocity(name: str) -> None:
    """Law 4 with a reference velocity: M a + C v_r + g and friction."""
    robot = ROBOTS[name]
    s = states(robot, 5)
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    v_r = s.velocity[::-1]
    Psi = robot.regressor(s.pose, s.velocity, s.acceleration, reference_velocity=v_r)
    C = robot.coriolis_matrix(s.pose, s.velocity)
    J = robot.jacobian(s.pose)
    change = np.einsum("kij,kj->ki", C, v_r - s.velocity)
    scaled(np.einsum("kij,ki->kj", J, Psi @ robot.parameters - tau), change, 1e-8)


@pytest.mark.parametrize("name", twins_later(UNIQUE))
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


@pytest.mark.parametrize("name", twins_later(UNIQUE))
def test_power_is_the_rate_of_energy(name: str) -> None:
    """Law 6, with which law 3 holds it for every formulation; law 7: the power of static forces is the rate of U."""
    robot = frictionless(ROBOTS[name])
    for centre in (1.0, 3.0, 6.0):
        path = smooth_motion(robot, times(centre))
        kinetic, potential = robot.energy(path.pose, path.velocity)
        pose, v, a = path.pose[MIDDLE], path.velocity[MIDDLE], path.acceleration[MIDDLE]
        powers = robot.actuator_power(pose, v, a)
        size = float(np.sum(np.abs(powers)))
        assert slope(kinetic + potential) == pytest.approx(powers.sum(), abs=SLOPE * size)
        held = robot.static_forces(pose) * robot.actuator_velocity(pose, v)
        assert slope(potential) == pytest.approx(held.sum(), abs=SLOPE * max(1.0, float(np.sum(np.abs(held)))))


@pytest.mark.parametrize("name", ["five_bar", "delta", "h4", "hexapod_sliding", "palida"])
def test_motion_on_springs_keeps_its_energy(name: str) -> None:
    """Drives as springs, tau = tau_hold(home) - K (q - q_home), for 16 swings: T + U + spring energy is constant."""
    robot = frictionless(ROBOTS[name])
    count = len(robot.home)
    q_home, held = robot.inverse_kinematics(robot.home), robot.static_forces(robot.home)
    masses = np.diagonal(robot.mass_matrix(robot.home, "actuator"))
    pulse = 2 * np.pi * 4.0  # rad/s, fast enough that gravity does not tip the hexapod over
    stiffness = pulse**2 * masses
    acceleration, ik, rate = robot.kernel("forward_dynamics"), robot.kernel("inverse_kinematics"), pose_rate(robot)

    def motion(_: float, state: np.ndarray) -> np.ndarray:
        pose, v = state[:count].copy(), state[count:]
        pose[3:] /= np.linalg.norm(pose[3:]) if robot.motion == "spatial" else 1.0  # stages of a step leave the sphere
        tau = held - stiffness * (ik(pose)["q"] - q_home)
        return np.concatenate([rate(pose, v), acceleration(pose, v, tau)["acceleration"]])

    lower, upper = robot.box
    start = np.concatenate([robot.home, 0.07 * pulse * np.minimum(-lower, upper)])
    found = solve_ivp(
        motion,
        (0.0, 4.0),
        start,
        method="DOP853",
        max_step=2e-3,
        rtol=1e-12,
        atol=1e-13,
        t_eval=np.linspace(0, 4, 50),
    )
    poses, v = found.y[:count].T, found.y[count:].T
    if robot.motion == "spatial":
        np.testing.assert_allclose(np.linalg.norm(poses[:, 3:], axis=1), 1.0, rtol=0, atol=1e-9)
    q = robot.inverse_kinematics(poses)
    kinetic, potential = robot.energy(poses, v)
    energy = kinetic + potential + 0.5 * ((q - q_home) ** 2 @ stiffness) - (q - q_home) @ held
    assert np.max(np.abs(energy - energy[0])) < 1e-9 * kinetic[0]
    assert kinetic.min() < 0.5 * kinetic[0], "it swings: what it had goes to the springs and comes back"


def pose_rate(robot: pk.Robot) -> Any:
    def rate(pose: np.ndarray, v: np.ndarray) -> np.ndarray:
        if robot.motion != "spatial":
            return v
        return np.concatenate([v[:3], 0.5 * quaternion_product(np.concatenate([[0.0], v[3:]]), pose[3:])])

    return rate


@pytest.mark.parametrize("name", ["five_bar", "delta", "h4", "hexapod_sliding"])
def test_linearization_is_the_derivative_of_forward_dynamics(name: str) -> None:
    """Central differences along displacements, velocities and forces, friction smooth."""
    robot = ROBOTS[name]
    n, smoothing = robot.degrees_of_freedom, 0.1
    s = states(robot, 1)
    pose, v = s.pose[0], s.velocity[0] / 4
    tau = robot.static_forces(pose)
    found = robot.linearize(pose, v, tau, smoothing=smoothing)

    def acceleration(delta: np.ndarray, dv: np.ndarray, dtau: np.ndarray) -> np.ndarray:
        moved = pose + delta if robot.motion != "spatial" else displaced(pose, delta)
        return robot.forward_dynamics(moved, v + dv, tau + dtau, smoothing=smoothing)

    scaled(found.acceleration, acceleration(np.zeros(n), np.zeros(n), np.zeros(len(tau))), 1e-12)
    step = 1e-5
    sizes = (n, n, len(tau))
    columns: list[np.ndarray] = []
    for which, size in enumerate(sizes):
        for k in range(size):
            moves = [np.zeros(other) for other in sizes]
            moves[which][k] = step
            columns.append((acceleration(*moves) - acceleration(*(-move for move in moves))) / (2 * step))
    want = np.array(columns).T
    got = np.hstack([found.A[n:], found.B[n:]])
    for block in (slice(0, n), slice(n, 2 * n), slice(2 * n, None)):
        scaled(got[:, block], want[:, block], 1e-6)


def displaced(pose: np.ndarray, delta: np.ndarray) -> np.ndarray:
    turned = quaternion_product(quaternion_from_vector(delta[3:]), pose[3:])
    return np.concatenate([pose[:3] + delta[:3], turned])


def test_redundant_actuators_share_with_the_least_effort() -> None:
    """Of all forces that move the platform, those with the least sum of weight tau^2."""
    robot = planar_rpr(4)
    s = states(robot, 5)
    weights = np.array([1.0, 2.0, 0.5, 4.0])
    J = robot.jacobian(s.pose)
    plain = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    weighted = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, weights=weights)
    for k in range(5):
        f = J[k].T @ plain[k]
        scaled(J[k].T @ weighted[k], f, AGREE)
        scaled(plain[k], np.linalg.lstsq(J[k].T, f, rcond=None)[0], AGREE)
        half = np.diag(weights**-0.5)
        scaled(weighted[k], half @ np.linalg.lstsq(J[k].T @ half, f, rcond=None)[0], AGREE)
    with pytest.raises(UnsupportedRobotError, match="as many actuators as degrees of freedom, not 4 for 3"):
        robot.mass_matrix(robot.home, "actuator")


@pytest.mark.parametrize("name", ["planar_4rpr", "redundant_4rrr"])
def test_weights_of_any_size_make_no_pose_singular(name: str) -> None:
    """One motor more than freedoms: tau = plain - n (n W plain)/(n W n), n what moves nothing: J^T n = 0."""
    robot = planar_rpr(4) if name == "planar_4rpr" else pk.load(name)
    s = states(robot, 1)
    plain, n = robot.inverse_dynamics(*vars(s).values())[0], np.linalg.svd(robot.jacobian(s.pose)[0].T)[2][-1]
    for weight in (1e13, 1e26, 1e-13):
        for heavy in ([1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 1]):
            weights = np.where(heavy, weight, 1.0)
            want = plain - n * np.sum(weights * n * plain) / np.sum(weights * n**2)
            scaled(robot.inverse_dynamics(*vars(s).values(), weights=weights)[0], want, AGREE)


def test_parameters_can_be_inputs() -> None:
    """The same forces with p as an input, other forces with another p, and names with units."""
    robot = ROBOTS["delta"].with_payload(0.4, (0.0, 0.01, 0.02))
    s = states(robot, 5)
    kernel = robot.kernel("inverse_dynamics", free=("parameters",))
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    scaled(kernel(s.pose, s.velocity, s.acceleration, robot.parameters)["tau"], tau, 1e-12)
    scaled(kernel(s.pose, s.velocity, s.acceleration, 2 * robot.parameters)["tau"], 2 * tau, 1e-12)
    table = {parameter.name: parameter for parameter in robot.parameter_table}
    assert table["leg1.arm.Iyy"].unit == "kg m^2"
    assert table["payload.m"].value == 0.4
    assert table["leg1.arm.rotor"].value == pytest.approx(
        robot.parameters[robot.parameter_names.index("leg1.arm.rotor")]
    )
    with pytest.raises(UnknownNameError, match="no input to free 'mass'; choose one of parameters, "):
        robot.kernel("inverse_dynamics", free=("mass",))
    with pytest.raises(UnknownNameError, match="no formulation 'newton'; choose one of virtual-work, "):
        robot.inverse_dynamics(s.pose, s.velocity, s.acceleration, formulation="newton")
    with pytest.raises(UnknownNameError, match="no space 'joint'; choose one of platform, actuator"):
        robot.mass_matrix(robot.home, "joint")  # pyright: ignore[reportArgumentType]


def test_no_silently_huge_force_near_a_singularity() -> None:
    """A batch goes on and flags the row; the others are what they are alone."""
    robot = ROBOTS["five_bar"]
    reach = sum(element.length or 0.0 for element in robot.legs[0].elements)
    stretched = np.array(robot.legs[0].root[:2]) + (reach - 2e-14) * np.array([-0.6, 0.8])
    poses = np.stack([robot.home, stretched, robot.home + 9.0])
    found = robot.evaluate("inverse_dynamics", pose=poses, velocity=np.zeros(2), acceleration=np.ones(2))
    assert found.status.tolist() == [pk.Status.GOOD, pk.Status.SINGULAR, pk.Status.UNREACHABLE]
    assert np.isnan(found["tau"][1:]).all()
    assert np.array_equal(found["tau"][0], robot.inverse_dynamics(robot.home, np.zeros(2), np.ones(2)))


@pytest.mark.parametrize("name", ["five_bar", "h4", "palida", "hexapod_sliding"])
def test_geometry_can_be_an_input(name: str) -> None:
    """The same forces with the file's dimensions, and those of another file with its dimensions."""
    robot = ROBOTS[name]
    s = states(robot, 5)
    state = (s.pose, s.velocity, s.acceleration)
    forces, positions = (robot.kernel(m, free=("geometry",)) for m in ("inverse_dynamics", "inverse_kinematics"))
    scaled(forces(*state, robot.geometry)["tau"], robot.inverse_dynamics(*state), AGREE)
    longer = robot.geometry * np.random.default_rng(0).uniform(0.999, 1.001, len(robot.geometry))
    values = dict(zip(robot.geometry_names, longer.tolist(), strict=True))
    tables = robot.description.model_dump() | {"symmetries": {}, "legs": [leg.model_dump() for leg in robot.legs]}
    for leg in tables["legs"]:
        for place, keep in ((leg, "root"), (leg["attachment"], "b"), (leg["attachment"], "c")):
            old = zip("xyz", place[keep], strict=True)
            place[keep] = [values.get(f"{leg['name']}.{keep}.{axis}", value) for axis, value in old]
        for element in leg["elements"]:
            own = f"{leg['name']}.{element['name']}"
            element["length"] = values.get(f"{own}.length")
            if element["actuator"]:
                element["actuator"]["zero"] = values[f"{own}.zero"]
    other = pk.Robot(describe(tables, name))
    scaled(forces(*state, longer)["tau"], other.inverse_dynamics(*state), AGREE)
    scaled(positions(s.pose, longer)["q"], other.inverse_kinematics(s.pose), AGREE)
    with pytest.raises(UnsupportedRobotError, match="have their geometry baked in"):
        ROBOTS["hexa_offset"].kernel("inverse_kinematics", free=("geometry",))
