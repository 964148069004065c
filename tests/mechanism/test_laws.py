"""Laws of mechanics that every mechanism of the library keeps, along a motion, against differences in time.

Positions come from Newton's search pose by pose. Everything else is checked against their differences, or against what
must follow from them: rates, accelerations, energies, forces, and what joints carry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.errors import CapabilityError, UnsupportedRobotError
from parakin.mechanism import Frame, MechanismDescription, describe_mechanism, mechanism_library
from parakin.mechanism.kinds import Move
from parakin.robot import Robot, load
from tests.robots import COSTLY, twins_later

STEP = 0.01
"""Time between states of a stencil [s]; motions have periods of about 6 s."""
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Central differences of order 8: the error is STEP^8/630 times the ninth derivative, far below rounding here."""
HALF = len(WEIGHTS) // 2
DIFFERENCES = 1e-9
"""Largest difference of a derivative, beside the largest of its kind: 1e-15/STEP of rounding, and some room."""
TWICE = 1e-7
"""The same for what was differentiated twice: 1e-15/STEP^2, and some room."""
ALGEBRA = 1e-10
"""Largest relative difference between two computations of one number without differences."""

TERMS = {"mass_matrix": 0, "bias": 1, "gravity": 0}
"""Terms of the equation of motion, and how many derivatives of the pose they take."""
NAMES = twins_later(mechanism_library(), costly=COSTLY | {"tripod_3prs"})


@cache
def mechanism(name: str) -> Robot:
    return load(name).graph


def without_springs(name: str) -> Robot:
    """Return a mechanism without its springs, which neither `gravity` nor the regressor has."""
    one = mechanism(name)
    tables = one.graph_description.model_dump(exclude_defaults=True)
    freedoms = [freedom for joint in tables["joints"] for freedom in joint.get("freedoms", {}).values()]
    springs = [freedom.pop("spring") for freedom in freedoms if "spring" in freedom]
    return one.replace(joints=tables["joints"]) if springs else one


def derivative(values: Array) -> Array:
    """Return the time derivative of states (times, ...) at all times but HALF at each end."""
    count = len(values) - 2 * HALF
    return np.sum([w * values[k : k + count] for k, w in enumerate(WEIGHTS)], axis=0) / STEP


def close(values: Array, reference: Array, tolerance: float) -> None:
    scale = np.max(np.abs(reference))
    assert np.all(np.isfinite(values))
    assert np.max(np.abs(values - reference)) <= tolerance * scale


@dataclass(frozen=True)
class Motion:
    """A mechanism that swings about home, all coordinates with periods of their own."""

    one: Robot

    @cached_property
    def waves(self) -> tuple[Array, Array, Array]:
        """Pose, velocity and acceleration at 21 times."""
        n = self.one.degrees_of_freedom
        t = STEP * np.arange(21)[:, None] + 0.3
        rate, phase = 1.0 + 0.3 * np.arange(n), 0.4 + 1.1 * np.arange(n)
        size = 0.6 * np.minimum(-self.one.box[0], self.one.box[1])
        s, c = np.sin(rate * t + phase), np.cos(rate * t + phase)
        return self.one.home + size * s, size * rate * c, -size * rate**2 * s

    @cached_property
    def configuration(self) -> Array:
        return self.one.configuration(self.waves[0])

    def values(self, model: str, *, moving: int = 2) -> dict[str, Array]:
        """Return what a model gives along the motion; moving: derivatives of the pose that it takes."""
        given = dict(zip(("velocity", "acceleration"), self.waves[1 : 1 + moving], strict=False))
        out = self.one.evaluate(model, configuration=self.configuration, **given)
        assert out.good.all()
        return out.values

    @cached_property
    def joints(self) -> dict[str, Array]:
        return self.values("joints")

    @cached_property
    def forces(self) -> Array:
        return self.values("inverse_dynamics")["tau"]


@cache
def motion(name: str) -> Motion:
    return Motion(mechanism(name))


def middle(values: Array, times: int = 1) -> Array:
    """Return states (times, ...) where derivatives taken that often are known."""
    return values[times * HALF : len(values) - times * HALF]


def turning(R: Array) -> Array:
    """Return the angular velocity, in base axes, of orientations (times, ..., 3, 3), from R_dot R^T."""
    W = derivative(R) @ np.swapaxes(middle(R), -1, -2)
    return 0.5 * np.stack([W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]], -1)


def ball_rates(quaternion: Array) -> Array:
    """Return the angular velocity in the frame that a ball reaches, 2 q* q_dot."""
    w, v = middle(quaternion)[:, :1], middle(quaternion)[:, 1:]
    q_dot = derivative(quaternion)
    return 2 * (w * q_dot[:, 1:] - v * q_dot[:, :1] - np.cross(v, q_dot[:, 1:]))


@pytest.mark.parametrize("name", NAMES)
def test_rates_of_every_joint_are_differences_of_coordinates(name: str) -> None:
    one, joints = mechanism(name), motion(name).joints
    rates: list[Array] = []
    place = 0
    for joint in one.graph_description.joints:
        width = len(joint.kind.home)
        values = joints["coordinate"][:, place : place + width]
        straight = width - 4 * (Move.BALL in dict(joint.kind.moves))  # a ball's quaternion comes last
        rates += [derivative(values[:, :straight]), *([ball_rates(values[:, straight:])] if straight < width else [])]
        place += width
    close(middle(joints["rate"]), np.concatenate(rates, axis=1), DIFFERENCES)
    close(middle(joints["acceleration_of_joints"]), derivative(joints["rate"]), DIFFERENCES)


@pytest.mark.parametrize("name", NAMES)
def test_the_output_moves_as_its_differences_say(name: str) -> None:
    output = motion(name).values("output")
    velocity = np.concatenate([derivative(output["p"]), turning(output["R"])], axis=1)
    close(middle(output["twist"]), velocity, DIFFERENCES)
    close(middle(output["twist_dot"]), derivative(output["twist"]), DIFFERENCES)


def dissipated(name: str) -> Array:
    """Return the power that friction takes, from the rates of all joints and the file's friction."""
    power = np.zeros(len(motion(name).joints["rate"]))
    rates = iter(motion(name).joints["rate"].T)
    for joint in mechanism(name).graph_description.joints:
        for k in range(len(joint.kind.freedoms)):
            rate, friction = next(rates), joint.freedom(k).friction
            power += friction.viscous * rate**2 + friction.coulomb * np.abs(rate)
    return power


@pytest.mark.parametrize("name", NAMES)
def test_power_of_the_motors_is_the_rate_of_energy_and_what_friction_takes(name: str) -> None:
    along = motion(name)
    energy = along.values("energy", moving=1)
    q_dot = along.values("actuator_velocity", moving=1)["q_dot"]
    power = np.sum(along.forces * q_dot, axis=1)
    rate = derivative(energy["kinetic"] + energy["potential"])
    scale = np.max(np.sum(np.abs(along.forces * q_dot), axis=1))
    assert np.max(dissipated(name)) > 1e-3 * scale, "friction should be seen"
    assert np.max(np.abs(middle(power) - rate - middle(dissipated(name)))) < DIFFERENCES * scale


@pytest.mark.parametrize("name", NAMES)
def test_gravity_is_the_gradient_of_potential_energy(name: str) -> None:
    one = without_springs(name)
    pose = motion(name).waves[0][::7]
    gradient: list[Array] = []
    for k in range(one.degrees_of_freedom):
        way = STEP * (np.arange(len(WEIGHTS)) - HALF)[:, None, None] * np.eye(one.degrees_of_freedom)[k]
        span = 0.2 * (one.box[1][k] - one.box[0][k])
        near = pose + span * way
        energy = one.evaluate("energy", configuration=one.configuration(near), velocity=np.zeros(near.shape))[
            "potential"
        ]
        gradient.append(np.tensordot(WEIGHTS, energy, axes=1) / (STEP * span))
    g = one.evaluate("gravity", configuration=one.configuration(pose))["g"]
    scale = max(float(np.max(np.abs(g))), 1e-3)  # on a level table it is zero
    assert np.max(np.abs(np.stack(gradient, axis=1) - g)) < 10 * DIFFERENCES * scale


@pytest.mark.parametrize("name", NAMES)
def test_the_mass_matrix_is_that_of_the_kinetic_energy(name: str) -> None:
    along = motion(name)
    M = along.values("mass_matrix", moving=0)["M"]
    close(np.swapaxes(M, 1, 2), M, ALGEBRA)
    assert np.all(np.linalg.eigvalsh(M) > 0.0)
    u = along.waves[1]
    close(np.einsum("ti,tij,tj->t", u, M, u) / 2, along.values("energy", moving=1)["kinetic"], ALGEBRA)


@pytest.mark.parametrize("name", NAMES)
def test_the_coriolis_matrix_makes_bias_and_a_skew_matrix_of_the_rate_of_the_mass_matrix(name: str) -> None:
    """C v = h and M_dot - 2 C skew; the linear form with a reference velocity has C(v) v_r."""
    one, along = mechanism(name), motion(name)
    state, near = along.waves, along.configuration
    if one.engine.coordinates.balls or one.engine.loose_turns:
        with pytest.raises(CapabilityError, match="use bias"):
            one.coriolis_matrix(*state[:2], near=near)
        return
    C = one.coriolis_matrix(*state[:2], near=near)
    close(np.einsum("tij,tj->ti", C, state[1]), along.values("bias", moving=1)["h"], ALGEBRA)
    M = along.values("mass_matrix", moving=0)["M"]
    twice, size = derivative(M) - 2 * middle(C), max(np.max(np.abs(C)), np.max(np.abs(M)))
    assert np.max(np.abs(twice + np.swapaxes(twice, 1, 2))) < 10 * DIFFERENCES * size
    v_r = state[1][::-1]
    change = one.regressor(*state, near=near, reference_velocity=v_r) - one.regressor(*state, near=near)
    J = along.values("jacobian", moving=0)["J_qv"]
    forces = np.einsum("tij,ti->tj", J, change @ one.parameters)
    close(forces, np.einsum("tij,tj->ti", C, v_r - state[1]), 100 * ALGEBRA)


@pytest.mark.parametrize("name", NAMES)
def test_terms_in_actuator_space_make_the_forces(name: str) -> None:
    """J_qv^T (M_q q_ddot + h_q + g_q) = M a + h + g."""
    one, along = mechanism(name), motion(name)
    if len(one.actuator_names) != one.degrees_of_freedom or one.plan.undriven:
        with pytest.raises(UnsupportedRobotError):
            one.gravity(along.waves[0], space="actuator")
        return
    by_actuators = [along.values(f"{term}_actuator", moving=k) for term, k in TERMS.items()]
    M_q, h_q, g_q = (next(iter(values.values())) for values in by_actuators)
    M, h, g = (next(iter(along.values(term, moving=k).values())) for term, k in TERMS.items())
    tau = np.einsum("tij,tj->ti", M_q, along.values("actuator_acceleration")["q_ddot"]) + h_q + g_q
    J = along.values("jacobian", moving=0)["J_qv"]
    close(np.einsum("tij,ti->tj", J, tau), np.einsum("tij,tj->ti", M, along.waves[2]) + h + g, 100 * ALGEBRA)


@pytest.mark.parametrize("name", NAMES)
def test_forward_dynamics_inverts_inverse_dynamics(name: str) -> None:
    along, one = motion(name), mechanism(name)
    out = one.evaluate("forward_dynamics", configuration=along.configuration, velocity=along.waves[1], tau=along.forces)
    close(out["acceleration"], along.waves[2], 100 * ALGEBRA)


@pytest.mark.parametrize("name", NAMES)
def test_forces_are_linear_in_the_parameters(name: str) -> None:
    one = without_springs(name)
    along = Motion(one)
    Psi = along.values("regressor")["Psi"]
    close(Psi @ one.parameters, along.forces, ALGEBRA)
    tables = one.graph_description.model_dump(exclude_defaults=True)
    heavier = [body | {"mass": 1.7 * body["mass"], "com": (0.1, 0.2, 0.3)} for body in tables["bodies"]]
    other = one.replace(bodies=heavier)
    given: dict[str, Any] = {
        "configuration": along.configuration,
        "velocity": along.waves[1],
        "acceleration": along.waves[2],
    }
    assert not np.allclose(other.parameters, one.parameters)
    close(other.evaluate("regressor", **given)["Psi"] @ other.parameters, Psi @ other.parameters, ALGEBRA)


def turned(description: MechanismDescription, p: Array, R: Array) -> MechanismDescription:
    """Return a mechanism whose base, and gravity with it, is moved by p and turned by R."""

    def moved(frame: Frame) -> dict[str, list[float]]:
        axes = R @ frame.rotation
        position = R @ np.array(frame.position) + p
        return {"position": position.tolist(), "z": axes[:, 2].tolist(), "x": axes[:, 0].tolist()}

    tables = description.model_dump(exclude_defaults=True)
    for joint, table in zip(description.joints, tables["joints"], strict=True):
        assert joint.child != "world"
        table["child_frame"] = joint.frame_on_child.model_dump()
        if joint.parent == "world":
            table["parent_frame"] = moved(joint.parent_frame)
    return describe_mechanism(tables | {"gravity": (R @ np.array(description.gravity)).tolist()}, description.name)


@pytest.mark.parametrize("name", NAMES)
def test_moving_and_turning_the_base_with_gravity_changes_nothing(name: str) -> None:
    one, (pose, velocity, acceleration) = mechanism(name), motion(name).waves
    R = np.array([[2.0, -2.0, 1.0], [1.0, 2.0, 2.0], [-2.0, -1.0, 2.0]]) / 3
    other = Robot(turned(one.graph_description, np.array([0.3, -1.1, 0.7]), R))
    assert other.pose_names == one.pose_names
    close(other.inverse_dynamics(pose, velocity, acceleration), motion(name).forces, 100 * ALGEBRA)


def welded(description: MechanismDescription) -> dict[str, str]:
    """Return, for each body, the first of those that it is welded to."""
    group = {body.name: body.name for body in description.bodies}
    for joint in description.joints:
        if joint.type == "weld":
            old, new = group[joint.child], group[joint.parent]
            group = {name: new if leader == old else leader for name, leader in group.items()}
    return group


@pytest.mark.parametrize("name", NAMES)
def test_joints_carry_what_newton_and_euler_ask_of_each_body(name: str) -> None:
    """Momentum and angular momentum of each body by differences; what its joints exert on it must balance them."""
    one, along = mechanism(name), motion(name)
    wrench = along.values("joint_wrenches")["wrench_on_child"]
    places = along.values("body_frames", moving=0)
    p, R = places["p"], places["R"].reshape(len(places["p"]), -1, 3, 3)
    index, group = {body: k for k, body in enumerate(one.body_names)}, welded(one.graph_description)
    times = len(p) - 4 * HALF
    force, moment = ({leader: np.zeros((times, 3)) for leader in set(group.values())} for _ in range(2))
    gravity = np.array(one.graph_description.gravity)
    for body in one.graph_description.bodies:
        k, leader = index[body.name], group[body.name]
        centre = p[:, k] + R[:, k] @ np.array(body.com)
        F = body.mass * (derivative(derivative(centre)) - gravity)
        turned_tensor = middle(R[:, k] @ np.array(body.inertia) @ np.swapaxes(R[:, k], 1, 2))
        L = np.einsum("tij,tj->ti", turned_tensor, turning(R[:, k]))
        force[leader] += F
        moment[leader] += derivative(L) + np.cross(middle(centre, 2), F)
    scales = {leader: np.max(np.abs(moment[leader])) for leader in force}
    load = max(np.max(np.abs(F)) for F in force.values())
    for joint, values in zip(one.wrench_names, np.swapaxes(middle(wrench, 2), 0, 1), strict=True):
        described = next(entry for entry in one.graph_description.joints if entry.name == joint)
        k = index[described.child]
        arm = middle(p[:, k] + R[:, k] @ np.array(described.frame_on_child.position), 2)
        ends = ((described.child, -values[:, :3], arm), (described.parent, values[:, :3], arm))
        if (rod := described.rod) is not None:  # it pulls at its ends, and its own mass takes what they differ by
            near = index[described.parent]
            P = p[:, near] + R[:, near] @ np.array(described.parent_frame.position)
            C = p[:, k] + R[:, k] @ np.array(described.frame_on_child.position)
            centre = P + rod.com / np.linalg.norm(C - P, axis=1, keepdims=True) * (C - P)
            taken = rod.mass * (derivative(derivative(centre)) - gravity)
            ends = (ends[0], (described.parent, values[:, :3] + taken, middle(P, 2)))
        for (body, pull, place), sign in zip(ends, (-1.0, 1.0), strict=True):
            if body in group:
                force[group[body]] += pull
                moment[group[body]] += sign * values[:, 3:] + np.cross(place, pull)
    assert all(np.max(np.abs(F)) < TWICE * load for F in force.values())
    assert all(np.max(np.abs(N)) < TWICE * max(scales.values()) for N in moment.values())
