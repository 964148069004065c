"""Round rods between two balls as distances with mass: the same mechanics as bodies that spin, fewer coordinates."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.export.mjcf import mjcf_text
from parakin.export.opened import opened
from parakin.mechanism import ball_rods
from parakin.robot import Robot
from parakin.viewer.graph_linkage import graph_linkage
from tests.mechanism.round_rods import lines, pair, rounded, unspun, with_bodies
from tests.peers.free_bodies import inverse_dynamics, mujoco_engine, pinocchio_engine

AGREES = 1e-10
"""Largest difference of forces relative to the largest: the same mechanics, other coordinates."""
PEERS_AGREE = 1e-8
"""Largest difference of motor forces by another engine, relative to the largest."""
STEP = 1e-4
"""Step of central differences [s]."""
THIN = 1e-10
"""Inertia of rods about their lines beside that across, where an engine refuses to have none: their spin takes less."""
THICKNESS = 0.3
"""Inertia of thick rods about their lines beside that across."""


def close(values: Array, reference: Array, tolerance: float = AGREES) -> None:
    assert values.shape == reference.shape
    assert np.max(np.abs(values - reference)) < tolerance * np.max(np.abs(reference))


@cache
def delta() -> Robot:
    return Robot(rounded("delta_ss"))


# The same mechanics --------------------------------------------------------------------------------------------------


def compare_forces(name: str) -> None:
    """Rods that do not turn about their lines are those that a distance stands for."""
    mine, bodies = pair(name, THICKNESS)
    state = mine.sample_states(6)
    full = unspun(bodies, *state)
    n = mine.degrees_of_freedom
    assert bodies.pose_names[:n] == mine.pose_names
    tau = bodies.inverse_dynamics(*full)
    close(mine.inverse_dynamics(*state), tau)
    carried, expected = mine.joint_wrenches(*state), bodies.joint_wrenches(*full)
    assert mine.wrench_names == bodies.wrench_names
    close(carried.wrench, expected.wrench)
    assert np.array_equal(carried.unique, expected.unique)


def test_forces_of_motors_and_balls_are_those_of_bodies_that_spin() -> None:
    compare_forces("four_bar_rssr")


@pytest.mark.slow
def test_forces_are_those_of_bodies_that_spin_on_a_body_that_turns() -> None:
    compare_forces("reachy_mini")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four_bar_rssr", "delta_ss"])
def test_all_models_are_those_of_bodies_that_spin(name: str) -> None:
    compare_forces(name)
    mine, bodies = pair(name, THICKNESS)
    state = mine.sample_states(6)
    full = unspun(bodies, *state)
    n = mine.degrees_of_freedom
    M = bodies.mass_matrix(full[0])
    spins = M[:, :n, n:] @ np.linalg.inv(M[:, n:, n:])
    close(mine.mass_matrix(state[0]), M[:, :n, :n] - spins @ M[:, n:, :n])
    h = bodies.bias(*full[:2])
    close(mine.bias(*state[:2]), h[:, :n] - np.einsum("kij,kj->ki", spins, h[:, n:]))
    close(mine.gravity(state[0]), bodies.gravity(full[0])[:, :n])
    close(mine.regressor(*state) @ mine.parameters, bodies.inverse_dynamics(*full))
    energy, expected = mine.energy(*state[:2]), bodies.energy(*full[:2])
    close(energy.kinetic, expected.kinetic)
    close(energy.potential, expected.potential)
    frame, place = mine.platform_frame(state[0]), bodies.platform_frame(full[0])
    close(frame.p, place.p)
    close(frame.R, place.R)


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_other_engines_find_the_same_forces_of_thin_rods(engine: str) -> None:
    """Thin rods may spin as they like, so that the engine's choice of spins does not matter."""
    pytest.importorskip(engine)
    one = delta()
    force = {"pinocchio": pinocchio_engine, "mujoco": mujoco_engine}[engine](rounded("delta_ss", thickness=THIN))
    pose, velocity, acceleration = one.sample_states(3, seed=3)
    tau, bodies = one.inverse_dynamics(pose, velocity, acceleration), one.body_frames(pose)
    for k in range(3):
        places, motion = (bodies.p[k], bodies.R[k]), (velocity[k], acceleration[k])
        reference, opened = inverse_dynamics(one.graph_description, one.pose_names, places, motion, force)
        assert opened < AGREES
        close(tau[k], reference, PEERS_AGREE)


def test_laws_of_motion_hold() -> None:
    one = delta()
    pose, u, u_dot = (values[:5] for values in one.sample_states(5))
    force = one.evaluate("generalised_force", pose=pose, velocity=u, acceleration=u_dot)["Q"]
    M = one.evaluate("mass_matrix", pose=pose)["M"]
    h = one.evaluate("bias", pose=pose, velocity=u)["h"]
    g = one.evaluate("gravity", pose=pose)["g"]
    assert np.allclose(np.einsum("kij,kj->ki", M, u_dot) + h + g, force, rtol=0, atol=AGREES * np.max(np.abs(force)))
    kinetic = one.evaluate("energy", pose=pose, velocity=u)["kinetic"]
    assert np.allclose(np.einsum("ki,kij,kj->k", u, M, u) / 2, kinetic, rtol=AGREES)
    ahead, behind = (one.evaluate("energy", pose=pose + s * STEP * u, velocity=0 * u)["potential"] for s in (1, -1))
    power = np.einsum("ki,ki->k", g, u)
    assert np.allclose((ahead - behind) / (2 * STEP), power, rtol=1e-6, atol=1e-6 * np.max(np.abs(power)))
    tau = one.inverse_dynamics(pose, u, u_dot)
    Psi = one.regressor(pose, u, u_dot)
    assert np.allclose(Psi @ one.parameters, tau, rtol=0, atol=AGREES * np.max(np.abs(tau)))


def test_platforms_are_held_by_their_balls() -> None:
    """Newton's law of the platform alone: what six balls exert on it is its mass times acceleration less weight."""
    one = delta()
    pose, u, u_dot = (values[:5] for values in one.sample_states(5))
    carried = one.evaluate("joint_wrenches", pose=pose, velocity=u, acceleration=u_dot)["wrench_on_child"]
    output = one.evaluate("output", pose=pose, velocity=u, acceleration=u_dot)
    plate = next(body for body in one.graph_description.bodies if body.name == one.graph_description.output.body)
    balls = [one.wrench_names.index(joint.name) for joint in one.graph_description.joints if joint.child == plate.name]
    a = output["twist_dot"][:, :3]  # a Delta's platform does not turn
    close(carried[:, balls, :3].sum(axis=1), plate.mass * (a - np.array(one.graph_description.gravity)))


# Bodies, joints and files --------------------------------------------------------------------------------------------


def test_bodies_and_joints_of_the_file_are_all_there() -> None:
    mine, bodies = pair("four_bar_rssr", THICKNESS)
    assert mine.degrees_of_freedom == 1
    assert (mine.body_names, mine.joint_names) == (bodies.body_names, bodies.joint_names)
    state = tuple(values[:4] for values in mine.sample_states(4))
    full = unspun(bodies, *state)
    moving, expected = mine.bodies(*state), bodies.bodies(*full)
    close(moving.p, expected.p)
    close(moving.v, expected.v)
    close(lines(mine, moving.R), lines(bodies, expected.R))
    home, there = mine.body_frames(mine.home), bodies.body_frames(bodies.home)
    close(home.R, there.R)  # the spin that is chosen is that of home


def test_rates_of_balls_are_differences_of_their_coordinates() -> None:
    mine, _ = pair("four_bar_rssr", THICKNESS)
    pose, u, u_dot = mine.home + 0.3, np.array([1.1]), np.array([0.7])
    times = STEP * np.array([-1.0, 0.0, 1.0])[:, None]
    moved = mine.joints(pose + u * times + u_dot * times**2 / 2, u + u_dot * times, np.tile(u_dot, (3, 1)))
    rate, second = moved.rate[1], moved.acceleration[1]
    close((moved.rate[2] - moved.rate[0]) / (2 * STEP), second, 1e-6)
    names, rates = list(mine.coordinate_names), list(mine.joint_names)
    for ball in ("b", "c"):
        at = [names.index(f"{ball}.{part}") for part in ("qw", "qx", "qy", "qz")]
        q, dq = moved.coordinate[1, at], (moved.coordinate[2, at] - moved.coordinate[0, at]) / (2 * STEP)
        omega = 2 * (q[0] * dq[1:] - dq[0] * q[1:] - np.cross(q[1:], dq[1:]))  # of conj(q) dq, in the child's axes
        close(omega, rate[[rates.index(f"{ball}.w{axis}") for axis in "xyz"]], 1e-6)


def test_the_first_ball_turns_the_short_way_from_home() -> None:
    mine, _ = pair("four_bar_rssr", THICKNESS)
    (rod,) = mine.plan.skeleton.rods
    assert rod.balls == ("b", "c")
    frames = mine.body_frames(np.stack([mine.home, mine.home + 0.8]))
    k, crank = mine.body_names.index("coupler"), mine.body_names.index("crank")
    seen = np.swapaxes(frames.R[:, crank], 1, 2) @ frames.R[:, k]
    turn = seen[1] @ seen[0].T  # of the coupler, as the crank sees it
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    line = seen[0] @ (rod.ends[1] - rod.ends[0])
    assert np.linalg.norm(axis) > 0.1
    assert abs(axis @ line) < AGREES


def test_parameters_of_a_rod_are_its_mass_centre_and_inertia_across() -> None:
    mine, _ = pair("four_bar_rssr", THICKNESS)
    own = {one.quantity: one.value for one in mine.parameter_table if one.owner == "coupler"}
    (rod,) = ball_rods(mine.graph_description)
    assert rod.rod is not None
    assert list(own.values()) == pytest.approx(
        [rod.rod.mass, rod.rod.mass * rod.rod.com, rod.rod.inertia + rod.rod.mass * rod.rod.com**2]
    )


def test_other_parameters_are_written_into_a_round_body() -> None:
    mine, _ = pair("four_bar_rssr", THICKNESS)
    values = np.array(mine.parameters)
    owners = [one.owner for one in mine.parameter_table]
    values[[k for k, owner in enumerate(owners) if owner == "coupler"]] *= (1.2, 1.1, 1.3)
    changed = mine.with_parameters(values, "a test")
    assert np.allclose(changed.parameters, values, rtol=1e-12, atol=1e-15)
    assert not changed.graph.plan.rods[0].kept
    assert changed.spin_inertia("coupler") == pytest.approx(mine.spin_inertia("coupler"))
    again = Robot(with_bodies(changed.graph_description).graph_description)
    assert np.array_equal(again.parameters, changed.parameters)


def test_pictures_and_pages_show_rods() -> None:
    mine, bodies = pair("four_bar_rssr", THICKNESS)
    shown, expected = (graph_linkage(one.plan.skeleton) for one in (mine, bodies))
    assert [body.name for body in shown.bodies] == [body.name for body in expected.bodies]
    assert [joint.name for joint in shown.joints] == [joint.name for joint in expected.joints]
    close(mine.evaluate("frames", pose=mine.home)["frames"], bodies.evaluate("frames", pose=bodies.home)["frames"])


def test_exported_files_have_rods_as_bodies() -> None:
    mine, bodies = (opened(one) for one in pair("four_bar_rssr", THICKNESS))
    assert mjcf_text(mine) == mjcf_text(bodies)
    assert "coupler" in mjcf_text(mine)
