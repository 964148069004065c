"""Pinocchio and MuJoCo on mechanism files: random states, bodies that float freely, rows of the tests' own."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.robot import Robot
from tests.mechanisms import described
from tests.peers.free_bodies import Engine, inverse_dynamics, mujoco_engine, pinocchio_engine

AGREES = 1e-8
"""Largest difference of motor forces, relative to the largest one of a mechanism; the issue's own figure."""
CLOSED = 1e-12
"""How far a joint may be open at the poses that parakin found [m, or 1]."""
STATES = 6
NAMES = ("3rps", "4rrr_redundant", "agile_eye", "dymo_3uru", "four_bar", "sarrus", "slider_crank_rsup")
ENGINES = {"pinocchio": pinocchio_engine, "mujoco": mujoco_engine}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_motor_forces(name: str, engine: str) -> None:
    pytest.importorskip(engine)
    one = Robot(described(name))
    force: Engine = ENGINES[engine](one.graph_description)
    pose, velocity, acceleration = one.sample_states(STATES, seed=3)
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    bodies = one.body_frames(pose)
    reference = np.zeros_like(tau)
    for k in range(STATES):
        places, motion = (bodies.p[k], bodies.R[k]), (velocity[k], acceleration[k])
        reference[k], opened = inverse_dynamics(one.graph_description, one.pose_names, places, motion, force)
        assert opened < CLOSED
    assert np.max(np.abs(tau - reference)) < AGREES * np.max(np.abs(reference))
