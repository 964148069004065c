"""What the joints of robots carry: the base holds the weight and the momentum of all bodies, as the legs know them."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk

BALANCES = 1e-9
"""Largest force [N] or moment [N m] that is missing, relative to the largest."""
ROBOTS = ("gough_stewart", "delta", "h4", "five_bar", "hexaglide")


@pytest.mark.parametrize("name", ROBOTS)
def test_the_base_holds_all_bodies(name: str) -> None:
    """The sum of what base joints exert is the sum of m (a - g), and of its moments and those of turning, about O."""
    robot = pk.load(name).with_payload(0.5, (0.0, 0.0, 0.02))
    state = robot.sample_states(6, seed=4)
    carried = robot.joint_wrenches(*state)
    assert carried.wrench.shape == (6, len(robot.wrench_names), 6)
    joints = {joint.name: joint for joint in robot.graph_description.joints}
    at_base = [k for k, name in enumerate(robot.wrench_names) if joints[name].parent == "world"]
    assert all(joints[name].child != "world" for name in robot.wrench_names)
    force = carried.wrench[:, at_base, :3].sum(axis=1)

    bodies, gravity = robot.bodies(*state), np.array(robot.description.gravity)
    masses = np.array([p.value for p in robot.parameter_table if p.quantity == "m"])[: len(robot.body_names)]
    needed = np.einsum("b,kbi->ki", masses, bodies.a - gravity)
    frames = robot.graph.output(*motor_state(robot, state))
    r = frames.R @ np.array([0.0, 0.0, 0.02])
    w, w_dot = frames.twist[:, 3:], frames.twist_dot[:, 3:]
    a_payload = frames.twist_dot[:, :3] + np.cross(w_dot, r) + np.cross(w, np.cross(w, r))
    needed += 0.5 * (a_payload - gravity)
    assert np.max(np.abs(force - needed)) < BALANCES * np.max(np.abs(needed))


def motor_state(robot: pk.Robot, state: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[np.ndarray, ...]:
    """The same motion in the coordinates of the graph's motors."""
    pose, velocity, _ = state
    sign = np.array([actuator.sign for actuator in robot.actuators])
    zero = np.array([actuator.zero for actuator in robot.actuators])
    chosen = [robot.graph.actuator_names.index(name) for name in robot.graph.pose_names]
    q = zero + sign * robot.inverse_kinematics(pose)
    rates, speeding = robot.actuator_velocity(pose, velocity), robot.actuator_acceleration(*state)
    return tuple(values[:, chosen] for values in (q, sign * rates, sign * speeding))


def test_a_strut_carries_along_its_line_what_its_motor_gives_less_what_the_drive_takes() -> None:
    robot = pk.load("gough_stewart")
    state = robot.sample_states(4, seed=1)
    carried = robot.joint_wrenches(*state)
    tau, q_dot = robot.inverse_dynamics(*state), robot.actuator_velocity(*state[:2])
    drives = robot.actuators
    tau -= np.array([d.gear_ratio**2 * d.rotor_inertia for d in drives]) * robot.actuator_acceleration(*state)
    tau -= np.array([d.friction.viscous for d in drives]) * q_dot
    tau -= np.array([d.friction.coulomb for d in drives]) * np.sign(q_dot)
    directions = robot.elements(*state).x
    joints = {joint.name: joint for joint in robot.graph_description.joints}
    slides = [k for k, name in enumerate(robot.wrench_names) if joints[name].type == "prismatic"]
    along = np.einsum("kji,kji->kj", carried.wrench[:, slides, :3], directions)
    assert np.max(np.abs(along - tau)) < BALANCES * np.max(np.abs(tau))
    assert carried.unique.all()
