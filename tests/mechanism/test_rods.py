"""Round rods between two balls as distances with mass: the same forces as bodies that spin, with fewer coordinates."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from parakin.arrays import Array
from parakin.mechanism import Joint, MechanismDescription, Rod, ball_rods, with_distances
from parakin.mechanism.rods import ROUND
from parakin.robot import Mechanism
from tests.mechanisms import described, record

AGREES = 1e-10
"""Largest difference of forces relative to the largest: the same mechanics, other coordinates."""
SPIN_LEFT_OUT = 1e-5
"""What leaving out the spins of Reachy's rods, round to 2e-3, may change; its reference says 2e-6."""
LARGEST_STEP = 1e-4
"""Step of central differences [s]."""


def rounded() -> MechanismDescription:
    """A Delta whose six rods, round and without inertia about their line, are bodies between balls."""
    tables = described("delta_ss").model_dump()
    for rod in ball_rods(described("delta_ss", independent=False)):
        body = next(body for body in tables["bodies"] if body["name"] == rod.body)
        a, b = (_end(tables, ball, rod.body) for ball in rod.balls)
        x = (b - a) / rod.length
        across = 0.4 * body["mass"] * rod.length**2 / 12
        body |= {"com": tuple((a + 0.4 * (b - a)).tolist())}
        body |= {"inertia": tuple(map(tuple, (across * (np.eye(3) - np.outer(x, x))).tolist()))}
    return MechanismDescription.model_validate(tables)


def _end(tables: dict[str, Any], ball: str, body: str) -> Array:
    joint = next(joint for joint in tables["joints"] if joint["name"] == ball)
    frame = joint["parent_frame"] if joint["parent"] == body else joint["child_frame"]
    return np.array(frame["position"])


def without_spins(description: MechanismDescription) -> MechanismDescription:
    return description.model_copy(update={"independent": None})


@cache
def delta() -> Mechanism:
    return Mechanism(with_distances(without_spins(rounded())))


def test_round_rods_have_no_coordinates() -> None:
    assert len(delta().graph_description.bodies) == len(rounded().bodies) - 6
    assert delta().degrees_of_freedom == 3
    assert "taken as round" in str(delta().plan)
    assert with_distances(rounded()) == rounded()  # spins that are asked for stay


def test_forces_are_those_of_bodies_that_spin() -> None:
    bodies = Mechanism(rounded())
    rng = np.random.default_rng(1)
    u, u_dot = rng.normal(size=(8, 9)), 5 * rng.normal(size=(8, 9))
    pose = bodies.home + 0.2 * rng.uniform(-1, 1, (8, 9))
    Q = bodies.evaluate("generalised_force", pose=pose, velocity=u, acceleration=u_dot)
    mine = delta().evaluate("generalised_force", pose=pose[:, :3], velocity=u[:, :3], acceleration=u_dot[:, :3])
    assert Q.good.all()
    assert mine.good.all()
    scale = np.max(np.abs(Q["Q"]))
    assert np.max(np.abs(mine["Q"] - Q["Q"][:, :3])) < AGREES * scale
    assert np.max(np.abs(Q["Q"][:, 3:])) < AGREES * scale  # without inertia about their lines rods spin as they like


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
    ahead, behind = (
        one.evaluate("energy", pose=pose + s * LARGEST_STEP * u, velocity=0 * u)["potential"] for s in (1, -1)
    )
    power = np.einsum("ki,ki->k", g, u)
    assert np.allclose((ahead - behind) / (2 * LARGEST_STEP), power, rtol=1e-6, atol=1e-6 * np.max(np.abs(power)))
    tau = one.inverse_dynamics(pose, u, u_dot)
    Psi = one.regressor(pose, u, u_dot)
    assert np.allclose(Psi @ one.parameters, tau, rtol=0, atol=AGREES * np.max(np.abs(tau)))


def test_a_rod_carries_what_its_ends_feel() -> None:
    """Newton's law of the platform alone: what six rods exert on it is its mass times acceleration less weight."""
    one = delta()
    pose, u, u_dot = (values[:5] for values in one.sample_states(5))
    carried = one.evaluate("joint_wrenches", pose=pose, velocity=u, acceleration=u_dot)["wrench_on_child"]
    output = one.evaluate("output", pose=pose, velocity=u, acceleration=u_dot)
    plate = next(body for body in one.graph_description.bodies if body.name == one.graph_description.output.body)
    rods = [joint for joint in one.graph_description.joints if joint.rod is not None]
    total = np.zeros((5, 3))
    for joint in rods:
        assert joint.child == plate.name
        total += carried[:, one.wrench_names.index(joint.name), :3]
    a = output["twist_dot"][:, :3]  # a Delta's platform does not turn
    expected = plate.mass * (a - np.array(one.graph_description.gravity))
    assert np.max(np.abs(total - expected)) < AGREES * np.max(np.abs(expected))


def test_reachys_rods_are_round_to_thousandths() -> None:
    free = described("reachy_mini", independent=False)
    assert [ROUND < rod.unround < 4e-3 for rod in ball_rods(free)] == [True] * 6
    assert with_distances(free) == free
    one = Mechanism(with_distances(free, tolerance=4e-3))
    assert one.degrees_of_freedom == 7
    states = record("reachy_mini")["states"]
    motors = [entry["joint"] for entry in record("reachy_mini")["actuators"]]
    assert [name.partition(".")[0] for name in one.pose_names] == motors
    given = {key: np.array([state[key][:7] for state in states], float) for key in ("u", "u_dot", "u_ddot")}
    tau = one.inverse_dynamics(given["u"], given["u_dot"], given["u_ddot"])
    expected = np.array([state["tau"] for state in states])
    assert np.max(np.abs(tau - expected)) < SPIN_LEFT_OUT * np.max(np.abs(expected))


def test_only_a_distance_stands_for_a_rod() -> None:
    with pytest.raises(ValidationError, match="only a joint of type distance stands for a rod"):
        Joint(name="a", type="revolute", parent="b", child="c", rod=Rod(mass=1.0, com=0.1, inertia=0.0))
