"""Loads of joints along motions: balance of every body by another engine, motors along their axes, rates and ways."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from parakin.analysis import JointLoads, joint_loads
from parakin.arrays import Array
from parakin.cli import app
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.tables import open_table
from parakin.trajectory import Samples, motion
from tests.mechanism.test_reactions import balance
from tests.peers.free_bodies import body_motion, pinocchio_engine
from tests.robots import robot_named

BALANCES = 1e-8
"""Largest force or moment that a body lacks, relative to the largest of all joints."""


def in_base_axes(loads: JointLoads, graph: Robot, row: int, R: Array) -> Array:
    """Wrenches (joints, 6) of a sample, in base axes."""
    joints = {joint.name: joint for joint in graph.graph_description.joints}
    turned = []
    for name, wrench in zip(loads.joints, loads.wrench[row], strict=True):
        own = R[graph.body_names.index(joints[name].child)] @ joints[name].frame_on_child.rotation
        turned.append(np.concatenate([own @ wrench[:3], own @ wrench[3:]]))
    return np.array(turned)


def of_rigid_parts(graph: Robot, p: Array, R: Array, wrenches: Array) -> Array:
    """Wrenches on bodies (6 bodies), in their axes at their origins, summed over bodies that are welded together."""
    parts = {name: name for name in graph.body_names}
    for joint in graph.graph_description.joints:
        if joint.type == "weld":
            parts[joint.child] = parts[joint.parent]
    sums = {name: np.zeros(6) for name in parts.values()}
    for k, name in enumerate(graph.body_names):
        force, moment = R[k] @ wrenches[6 * k : 6 * k + 3], R[k] @ wrenches[6 * k + 3 : 6 * k + 6]
        sums[parts[name]] += np.concatenate([force, moment + np.cross(p[k], force)])
    return np.concatenate(list(sums.values()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["five_bar", "delta"])
def test_every_body_of_a_robot_of_legs_is_in_balance(name: str) -> None:
    """Pinocchio tells what each free body needs for its motion; its joints give just that."""
    pytest.importorskip("pinocchio")
    robot = robot_named(name)
    samples = motion("lift", robot).sampled(8.0)
    loads, graph = joint_loads(samples, robot), robot.graph
    engine = pinocchio_engine(graph.graph_description)
    state = robot.graph_state(samples.pose, samples.velocity, samples.acceleration)
    frames = graph.body_frames(state.pose, near=state.near)
    for row in range(len(samples.t)):
        p, R = frames.p[row], frames.R[row]
        rates = state.velocity[row], state.acceleration[row]
        V, V_dot = body_motion(graph.graph_description, graph.pose_names, (p, R), rates)
        wrenches = in_base_axes(loads, graph, row, R).ravel()
        lacking = balance(graph, p, R) @ wrenches - engine(p, R, V, V_dot)
        missing = of_rigid_parts(graph, p, R, lacking)
        assert np.max(np.abs(missing)) < BALANCES * np.max(np.abs(wrenches))


@pytest.mark.slow
def test_slides_carry_along_their_axes_what_motors_give() -> None:
    robot = robot_named("planar_3rpr")
    samples = motion("circle", robot).sampled(20.0)
    loads = joint_loads(samples, robot)
    drives = robot.actuators
    tau = robot.inverse_dynamics(samples.pose, samples.velocity, samples.acceleration)
    q_dot = robot.actuator_velocity(samples.pose, samples.velocity)
    q_ddot = robot.actuator_acceleration(samples.pose, samples.velocity, samples.acceleration)
    for k, drive in enumerate(drives):
        tau[:, k] -= drive.gear_ratio**2 * drive.rotor_inertia * q_ddot[:, k]
        tau[:, k] -= drive.friction.viscous * q_dot[:, k] + drive.friction.coulomb * np.sign(q_dot[:, k])
    slides = [k for k, kind in enumerate(loads.kinds) if kind == "prismatic"]
    assert loads.axial[:, slides] == pytest.approx(np.abs(tau), abs=1e-9 * np.abs(tau).max())
    assert loads.force**2 == pytest.approx(loads.axial**2 + loads.radial**2)
    assert np.isfinite(loads.axial).all()


def test_rates_are_derivatives_and_travel_is_their_way() -> None:
    linkage = robot_named("four_bar")
    samples = motion("point_to_point", linkage).sampled(2000.0)
    loads = joint_loads(samples, linkage)
    slopes = np.gradient(loads.coordinate, loads.t, axis=0)
    assert loads.rate[1:-1] == pytest.approx(slopes[1:-1], abs=1e-4 * np.abs(loads.rate).max())
    ways = np.abs(np.diff(loads.coordinate, axis=0)).sum(axis=0)
    assert loads.travel == pytest.approx(ways, rel=1e-5)
    crank = loads.freedoms.index("crank.angle")
    assert loads.travel[crank] == pytest.approx(np.ptp(loads.coordinate[:, crank]), rel=1e-6)
    steady = np.tile(loads.force[:1], (len(loads.t), 1))
    assert loads.rms(steady) == pytest.approx(loads.force[0])


def test_what_cannot_be_loaded_is_refused() -> None:
    linkage, five_bar = robot_named("four_bar"), robot_named("five_bar")
    lift = motion("lift", five_bar).sampled(10.0)
    with pytest.raises(MotionError, match="the motion is"):
        joint_loads(lift, linkage)
    turn = motion("point_to_point", linkage).sampled(10.0)
    nowhere = np.where(turn.t[:, None] > 0.0, np.nan, turn.pose)
    with pytest.raises(MotionError, match=r"cannot be there at t = 0\.1 s"):
        joint_loads(Samples(turn.kind, turn.t, nowhere, turn.velocity, turn.acceleration), linkage)


def test_the_command_prints_and_writes_loads_of_joints(tmp_path: Path) -> None:
    call = ["forces", "four_bar", "point_to_point", "--joints", "--rate", "100", "-o", str(tmp_path)]
    said = CliRunner().invoke(app, call)
    assert said.exit_code == 0, said.output
    assert "crank_coupler *" in said.stdout
    assert "redundant constraints can strain against each other" in said.stdout
    data = json.loads(CliRunner().invoke(app, [*call, "--json"]).stdout)
    linkage = robot_named("four_bar")
    loads = joint_loads(motion("point_to_point", linkage).sampled(100.0), linkage)
    assert [row["joint"] for row in data["joints"]] == list(linkage.wrench_names)
    assert [row["force_peak"] for row in data["joints"]] == pytest.approx(loads.force.max(axis=0).tolist())
    assert [row["travel"] for row in data["freedoms"]] == pytest.approx(loads.travel.tolist())
    table = open_table(tmp_path / "joints.csv")
    assert table.read().shape == (len(loads.t), 1 + 6 * 4 + 2 * 4)
    assert len((tmp_path / "joint_loads.csv").read_text(encoding="utf-8").splitlines()) == 5
