"""Mechanisms whose pose has the turns of a ball: laws, plants, margins and C, against other poses, legs and engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation, trajectory
from parakin.arrays import Array
from parakin.control.references import QUANTITIES
from parakin.errors import UnsupportedRobotError
from parakin.export import export_controller
from parakin.mechanism import describe_mechanism
from parakin.motions.offsets import displaced
from parakin.motions.turns import turns_of_quaternion
from parakin.poses import matrix_from_quaternion
from parakin.robot import Robot
from parakin.simulation import Ending, Scenario
from parakin.trajectory import State
from tests.ball_platform import ball_platform
from tests.c_code import selftest
from tests.mechanisms import from_platform
from tests.simulation.foreign_mechanism import ForeignPlant

PERIOD = 1e-3
LAW = "computed_torque_platform"
"""The law that computes with an error of the pose itself."""
SAME = 1e-9
"""Difference of the same loop in other coordinates [m, rad]; of forces, beside the largest."""
ENERGY = 1e-9
"""Part of the kinetic energy that 0.2 s of RK4 at 4 kHz may lose."""
DIFFERENCES = 1e-6
"""Relative error of central differences with steps of 1e-5."""


@pytest.fixture(scope="module")
def ball() -> Robot:
    return ball_platform()


def shortened(reference: control.Reference, ticks: int) -> control.Reference:
    return replace(reference, **{name: getattr(reference, name)[:ticks] for name in QUANTITIES})


def close(own: simulation.Log, other: simulation.Log) -> None:
    assert own.status == other.status == Ending.COMPLETED
    for what, size in (("q", 1.0), ("q_dot", 1.0), ("tau", np.abs(own["tau"]).max())):
        assert np.max(np.abs(own[what] - other[what])) < SAME * size, what


@pytest.mark.parametrize("name", ["fourier", "via_points", "point_to_point"])
def test_velocities_and_accelerations_belong_to_the_poses(ball: Robot, name: str) -> None:
    """Differences of actuator positions along a motion are the rates that its velocities and accelerations give."""
    at = np.linspace(0.2, 0.8, 7)
    h, made = 1e-4, trajectory.motion(name, ball)
    before, here, after = (made.function(at + k * h) for k in (-1, 0, 1))
    q, q_dot = (
        [np.asarray(ball.inverse_kinematics(s.pose)) for s in (before, after)],
        [ball.actuator_velocity(s.pose, s.velocity) for s in (before, after)],
    )
    q_ddot = ball.actuator_acceleration(here.pose, here.velocity, here.acceleration)
    rates = ball.actuator_velocity(here.pose, here.velocity)
    assert (q[1] - q[0]) / (2 * h) == pytest.approx(rates, abs=DIFFERENCES * np.abs(rates).max())
    assert (q_dot[1] - q_dot[0]) / (2 * h) == pytest.approx(q_ddot, abs=DIFFERENCES * np.abs(q_ddot).max())


@pytest.mark.slow
@pytest.mark.parametrize("law", ["computed_torque", "adaptive"])
def test_loops_do_not_depend_on_what_a_pose_is(ball: Robot, law: str) -> None:
    """The same platform with its motors as its pose, and nothing of a ball in it."""
    motors = ball_platform("motors")
    reference = shortened(control.reference(ball, trajectory.fourier(ball), PERIOD), 150)
    state = State(reference.q, reference.q_dot, reference.q_ddot)
    made = control.law(law, ball)
    gains = {gain.name: np.array(gain.values) for gain in made.interface.gains}
    start = displaced(ball.motion_type, reference.pose[0], [0.01, -0.02, 0.015])
    own = simulation.simulate(ball, made, reference, Scenario(pose=start))
    other = simulation.simulate(
        motors,
        control.law(law, motors),
        control.reference_of_states(motors, state, PERIOD),
        Scenario(pose=ball.inverse_kinematics(start), gains=gains),
    )
    close(own, other)


def of_ball(pose: Array, vector: Array) -> Array:
    """A twist in base axes with its angular part in the platform's own axes."""
    R = matrix_from_quaternion(pose[..., 3:])
    return np.concatenate([vector[..., :3], np.einsum("...ji,...j->...i", R, vector[..., 3:])], axis=-1)


def turned(pose: Array) -> Array:
    return np.concatenate([pose[..., :3], turns_of_quaternion(pose[..., 3:])], axis=-1)


@pytest.mark.slow
def test_legs_and_their_graph_run_alike() -> None:
    """A hexapod's pose is a quaternion in base axes, its graph's the turns of a free joint in the platform's.

    Without integral action: what has been summed up stays in the axes in which it was, and these differ.
    """
    legs = pk.load("gough_stewart")
    graph = Robot(from_platform(legs))
    reference = shortened(control.reference(legs, trajectory.fourier(legs), PERIOD), 100)
    parts = [of_ball(reference.pose, part) for part in (reference.velocity, reference.acceleration)]
    same = control.reference_of_states(graph, State(turned(reference.pose), *parts), PERIOD)
    spin = np.array([0.05, 0.0, -0.05, 0.8, 0.6, -0.9])
    scenarios = Scenario(velocity=spin), Scenario(velocity=of_ball(reference.pose[0], spin))
    own = simulation.simulate(legs, control.law(LAW, legs).with_gains(K_i=0.0), reference, scenarios[0])
    other = simulation.simulate(graph, control.law(LAW, graph).with_gains(K_i=0.0), same, scenarios[1])
    close(own, other)
    assert own.platform_errors[:, 1].max() > 1e-3
    assert own.platform_errors == pytest.approx(other.platform_errors, abs=SAME)


@pytest.mark.slow
def test_energy_is_what_the_motors_put_in() -> None:
    free = ball_platform(bare=True)
    law = control.law("pid", free, PERIOD).with_gains(K_p=0.0, K_d=0.0, K_i=0.0)
    pushed = Scenario(velocity=np.array([0.8, -0.5, 1.2]))
    log = simulation.simulate(free, law, control.hold(free, free.home, 0.2, PERIOD), pushed)
    assert log.status == Ending.COMPLETED
    kinetic, potential = free.energy(log["pose"], log["velocity"])
    balance = kinetic + potential - np.sum(log["tau"] * log["q"], axis=1)
    assert np.ptp(kinetic) > 0.05 * kinetic.max()
    assert np.ptp(balance) < ENERGY * kinetic.max()
    assert log["residual"].max() < 1e-12


@pytest.mark.slow
def test_a_foreign_plant_under_the_same_law() -> None:
    """MuJoCo's free bodies with all joints closed by a KKT system."""
    pytest.importorskip("mujoco")
    ball = ball_platform(bare=True)
    law = control.law("computed_torque", ball)
    reference = shortened(control.reference(ball, trajectory.fourier(ball), PERIOD), 60)
    own = simulation.simulate(ball, law, reference)
    foreign = ForeignPlant(ball).follow(law, reference)
    assert np.max(np.abs(own["q"] - foreign.q)) < SAME
    assert np.max(np.abs(own["tau"] - foreign.tau)) < 1e-6 * np.abs(own["tau"]).max()


def hung() -> Robot:
    """A top that hangs on a ball from a driven slide."""
    still = {"inertia": np.diag([0.02, 0.03, 0.01]).tolist()}
    bodies = [{"name": "slide", "mass": 0.5}, {"name": "top", "mass": 1.0, "com": [0.02, 0.01, -0.2], **still}]
    motor = {"travel": {"drive": {}}}
    joints = [
        {"name": "rail", "type": "prismatic", "parent": "world", "child": "slide", "freedoms": motor},
        {"name": "ball", "type": "spherical", "parent": "slide", "child": "top"},
    ]
    file = {"name": "hung", "title": "A hung top", "source": "assumed", "output": {"body": "top"}}
    chosen = {"independent": ["rail.travel", "ball.wx", "ball.wy", "ball.wz"]}
    return Robot(describe_mechanism(file | chosen | {"bodies": bodies, "joints": joints}, "hung"))


def test_linearization_has_the_slopes_of_the_motion() -> None:
    """Offsets and velocities of neighbours: delta_dot and du_dot, along offsets in the ball's own axes."""
    robot, h = hung(), 1e-5
    (pose,), u, tau = robot.sample(1, 3), np.array([0.4, 0.9, -0.6, 1.2]), np.array([3.0])
    found, kind = robot.linearize(pose, u, tau), robot.motion_type
    drift = np.zeros((4, 4))
    drift[1:, 1:] = -np.cross(u[1:], np.eye(3)).T
    assert np.array_equal(found.A[:4, :4], drift)
    for k in range(4):
        sides = [displaced(kind, pose, sign * h * np.eye(4)[k]) for sign in (1, -1)]
        slope = np.subtract(*(robot.forward_dynamics(one, u, tau) for one in sides)) / (2 * h)
        assert found.A[4:, k] == pytest.approx(slope, abs=DIFFERENCES * np.abs(found.A).max())


@pytest.mark.slow
def test_margins_do_not_depend_on_what_a_pose_is(ball: Robot) -> None:
    motors = ball_platform("motors")
    at = displaced(ball.motion_type, ball.home, [0.1, -0.1, 0.15])
    ours = simulation.margins(ball, control.law("computed_torque", ball), pose=at)
    theirs = simulation.margins(motors, control.law("computed_torque", motors), pose=ball.inverse_kinematics(at))
    by_pose = simulation.margins(ball, control.law(LAW, ball), pose=at)
    for found in (ours, by_pose):
        assert found.stable
        assert (found.gain, found.delay) == pytest.approx((theirs.gain, theirs.delay), rel=1e-6)


@pytest.mark.slow
def test_a_controller_in_c_repeats_its_closed_loop(ball: Robot, tmp_path: Path) -> None:
    export_controller(control.law(LAW, ball), tmp_path, "one")
    run = selftest(tmp_path, "one")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "one: 2000 ticks, 0 values differ" in run.stdout


def test_turns_that_are_no_coordinates_are_refused_in_words(ball: Robot) -> None:
    mixed = Robot(ball.graph_description, independent=("leg0.travel", "ball.wx", "ball.wy"))
    with pytest.raises(UnsupportedRobotError, match=r"ball.wx, ball.wy: components .* choose wx, wy and wz of the"):
        _ = mixed.motion_type
    with pytest.raises(UnsupportedRobotError, match=r"ball.wx, ball.wy of a ball whose other components follow"):
        mixed.linearize(mixed.home, np.zeros(3), np.zeros(3))
