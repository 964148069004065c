"""Independent engines: every robot as a tree with loops in Pinocchio and in MuJoCo, projected on the closed chain."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="install parakin[peers] for the peer tests: pin is missing")
pytest.importorskip("mujoco", reason="install parakin[peers] for the peer tests: mujoco is missing")

import mujoco

import parakin as pk
from parakin.description import PlatformBody, library
from tests.peers.configuration import Closer
from tests.peers.converter import tree_of
from tests.peers.mjcf import closed_chain
from tests.peers.mujoco_model import MujocoTree
from tests.peers.pinocchio_model import PinocchioTree
from tests.peers.projection import Peer, Witness
from tests.reference import DATA, REFERENCE, oracle_pose
from tests.robots import twins_later
from tests.variants import carrying, frictionless, on_spheres

ENGINES = {"pinocchio": PinocchioTree, "mujoco": MujocoTree}
PEER = 1e-10
"""Relative to the largest entry. Pinocchio is within 1e-13; MuJoCo within 1e-11, for the inertia it has to add."""
SOFT = 3e-3
"""Relative; MuJoCo's constraints give way by 1 - 0.9999 of the acceleration that they prevent."""

ROBOTS = (*library(), "reference uru", *(f"spherical {name}" for name in ("gough_stewart", "hexa", "hexaglide")))
CASES = twins_later(ROBOTS, costly=frozenset({"hexa_offset", "spherical hexa"}))
"""The same for tests; `make slow` asks those that others are like."""


@cache
def robot_named(name: str) -> pk.Robot:
    """Of the library, of the reference files or on spherical joints; without friction, which the peers do not have."""
    kind, _, plain = name.rpartition(" ")
    robot = frictionless(pk.load(DATA / f"{plain}.toml" if kind == "reference" else plain))
    return pk.Robot(on_spheres(robot.description)) if kind == "spherical" else robot


@cache
def peer_of(name: str, engine: str) -> Peer:
    return Peer(closer_of(name), ENGINES[engine])


@cache
def closer_of(name: str) -> Closer:
    description = robot_named(name).description
    return Closer(tree_of(description), description)


def states(name: str) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Poses of the box, with velocities around 0.5 m/s or rad/s and accelerations around 5 m/s^2 or rad/s^2."""
    robot = robot_named(name)
    rng = np.random.default_rng(7)
    return [(pose, *rng.normal(size=(2, robot.degrees_of_freedom)) * [[0.5], [5.0]]) for pose in robot.sample(5)]


@cache
def witnesses(name: str, engine: str) -> list[Witness]:
    return [peer_of(name, engine).at(*state) for state in states(name)]


def agree(got: np.ndarray, want: np.ndarray, tolerance: float = PEER) -> None:
    want = np.asarray(want)
    largest = float(np.max(np.abs(want), initial=0.0))
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * max(largest, 1e-3))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", REFERENCE)
def test_the_converters_reproduce_the_references(name: str, engine: str) -> None:
    """So that a peer may speak for robots that have no reference."""
    robot, peer = robot_named(f"reference {name}"), peer_of(f"reference {name}", engine)
    for state in json.loads((DATA / f"{name}.json").read_text())["states"]:
        seen = peer.at(oracle_pose(robot, state), np.array(state["twist"]), np.array(state["accel"]))
        assert seen.gap < 1e-14
        agree(seen.q, state["q_act"])
        agree(seen.q_dot, state["qd_act"])
        agree(seen.q_ddot, state["qdd_act"])
        agree(seen.J_qv, state["Jinv"])
        agree(seen.mass, state["M_platform"])
        agree(seen.coriolis, state["coriolis_platform"])
        agree(seen.gravity, state["gravity_platform"])
        agree(seen.tau, state["tau"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_kinematics_agree(name: str, engine: str) -> None:
    robot = robot_named(name)
    for (pose, velocity, acceleration), seen in zip(states(name), witnesses(name, engine), strict=True):
        agree(robot.jacobian(pose), seen.J_qv)
        agree(robot.actuator_velocity(pose, velocity), seen.q_dot)
        agree(robot.actuator_acceleration(pose, velocity, acceleration), seen.q_ddot)


@pytest.mark.parametrize("name", CASES)
def test_actuator_positions_agree(name: str) -> None:
    for (pose, _, _), seen in zip(states(name), witnesses(name, "pinocchio"), strict=True):
        agree(robot_named(name).inverse_kinematics(pose), seen.q)


@pytest.mark.parametrize("name", CASES)
def test_the_peers_agree_with_each_other(name: str) -> None:
    for one, other in zip(witnesses(name, "mujoco"), witnesses(name, "pinocchio"), strict=True):
        for quantity in ("mass", "coriolis", "gravity", "tau"):
            agree(getattr(one, quantity), getattr(other, quantity))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_dynamics_agree(name: str, engine: str) -> None:
    """Law 12."""
    robot = robot_named(name)
    for (pose, velocity, acceleration), seen in zip(states(name), witnesses(name, engine), strict=True):
        agree(robot.mass_matrix(pose), seen.mass)
        agree(robot.bias(pose, velocity), seen.coriolis)
        agree(robot.gravity(pose), seen.gravity)
        agree(robot.inverse_dynamics(pose, velocity, acceleration), seen.tau)


@pytest.mark.parametrize("name", ["five_bar", "delta", "h4", "planar_3rrr", "palida"])
def test_a_payload_is_a_body_of_the_platform(name: str) -> None:
    robot = robot_named(name)
    mass, centre, inertia = 0.8, (0.02, -0.01, -0.05), ((3e-3, 1e-4, 0.0), (1e-4, 4e-3, 0.0), (0.0, 0.0, 5e-3))
    load = PlatformBody(name="load", mass=mass, b=centre, inertia=inertia, turns=True, source="a test")
    description = carrying(robot.description, load)
    peer = Peer(Closer(tree_of(description), description), PinocchioTree)
    loaded = robot.with_payload(mass, centre, inertia)
    for state in states(name):
        agree(loaded.inverse_dynamics(*state), peer.at(*state).tau)


@pytest.mark.parametrize("name", library())
def test_the_closed_chain_in_mujoco_accelerates_as_projected(name: str) -> None:
    """At home and at rest, driven by the forces for an acceleration: what benchmarks step is the same robot."""
    robot, peer = robot_named(name), peer_of(name, "mujoco")
    size = robot.degrees_of_freedom
    acceleration = np.random.default_rng(3).normal(size=size)
    tau = peer.at(robot.home, np.zeros(size), acceleration).tau
    model = mujoco.MjModel.from_xml_string(closed_chain(peer.tree, peer.closer.at(robot.home)))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = tau
    mujoco.mj_forward(model, data)
    agree(data.qacc[:size], acceleration, SOFT)
