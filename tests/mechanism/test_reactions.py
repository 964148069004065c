"""What joints of over-constrained mechanisms carry: balance of every body, and the least of all loads that balance."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.robot import Robot
from tests.mechanisms import described
from tests.peers.free_bodies import body_motion, pinocchio_engine

BALANCES = 1e-9
"""Largest force that a body lacks, relative to the largest wrench."""
LEAST = 1e-8
"""Largest difference from the loads of least norm, relative to the largest one; that system is solved by SVD."""


def balance(one: Robot, p: Array, R: Array) -> Array:
    """Matrix from all joint wrenches (6 joints) to what bodies get, force and moment at their origins in body axes."""
    names = {name: k for k, name in enumerate(one.body_names)}
    joints = {joint.name: joint for joint in one.graph_description.joints}
    A = np.zeros((6 * len(names), 6 * len(one.wrench_names)))
    for n, name in enumerate(one.wrench_names):
        joint = joints[name]
        at_child = np.array(joint.frame_on_child.position)
        point = at_child if joint.child == "world" else p[names[joint.child]] + R[names[joint.child]] @ at_child
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if body == "world":
                continue
            k = names[body]
            r = point - p[k]
            cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
            A[6 * k : 6 * k + 3, 6 * n : 6 * n + 3] = sign * R[k].T
            A[6 * k + 3 : 6 * k + 6, 6 * n : 6 * n + 3] = sign * R[k].T @ cross
            A[6 * k + 3 : 6 * k + 6, 6 * n + 3 : 6 * n + 6] = sign * R[k].T
    return A


def motor_rows(one: Robot, R: Array, tau: Array) -> tuple[Array, Array]:
    """Rows that say what joints carry about and along their free axes: the motors' forces, or nothing."""
    names = {name: k for k, name in enumerate(one.body_names)}
    rows, right = [], []
    for n, name in enumerate(one.wrench_names):
        joint = next(joint for joint in one.graph_description.joints if joint.name == name)
        parent = np.eye(3) if joint.parent == "world" else R[names[joint.parent]]
        assert joint.type == "revolute"
        row = np.zeros(6 * len(one.wrench_names))
        row[6 * n + 3 : 6 * n + 6] = parent @ joint.parent_frame.rotation[:, 2]
        rows.append(row)
        motor = f"{name}.angle"
        right.append(tau[one.actuator_names.index(motor)] if motor in one.actuator_names else 0.0)
    return np.array(rows), np.array(right)


@pytest.mark.parametrize("name", ["four_bar", "sarrus", "agile_eye", "4rrr_redundant"])
def test_wrenches_balance_and_are_the_least(name: str) -> None:
    pytest.importorskip("pinocchio")
    one = Robot(described(name))
    engine = pinocchio_engine(one.graph_description)
    pose, velocity, acceleration = (values[:3] for values in one.sample_states(3, seed=5))
    carried, bodies = one.joint_wrenches(pose, velocity, acceleration), one.body_frames(pose)
    tau = one.inverse_dynamics(pose, velocity, acceleration)
    assert not carried.unique.all()
    for k in range(3):
        p, R = bodies.p[k], bodies.R[k]
        V, V_dot = body_motion(one.graph_description, one.pose_names, (p, R), (velocity[k], acceleration[k]))
        needed, A = engine(p, R, V, V_dot), balance(one, p, R)
        w = carried.wrench[k].ravel()
        assert np.max(np.abs(A @ w - needed)) < BALANCES * np.max(np.abs(w))
        rows, right = motor_rows(one, R, tau[k])
        scale = np.tile([1.0] * 3 + [one.plan.skeleton.size] * 3, len(one.wrench_names))
        system, wanted = np.vstack([A, rows]) * scale, np.concatenate([needed, right])
        least = scale * np.linalg.lstsq(system, wanted, rcond=1e-10)[0]
        assert np.max(np.abs(w - least)) < LEAST * np.max(np.abs(least))


def test_what_is_determined_is_said_to_be() -> None:
    one = Robot(described("3rps"))
    carried = one.joint_wrenches(one.home, np.zeros(3), np.zeros(3))
    assert carried.unique.all()
    with pytest.raises(ValueError, match="read-only"):
        carried.wrench[0, 0] = 1.0
