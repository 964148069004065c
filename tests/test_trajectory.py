"""Motions: velocities are derivatives, accelerations continuous, limits kept, files come back to the last bit."""

from __future__ import annotations

import dataclasses
import os
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.description import library
from parakin.errors import (
    MotionError,
    MotionFileError,
    MotionLimitError,
    QuaternionError,
    UnknownNameError,
    UnsupportedRobotError,
)
from parakin.robot.poses import matrix_from_quaternion, quaternion_from_vector, quaternion_product
from parakin.trajectory import (
    MOTIONS,
    Motion,
    Samples,
    Series,
    actuator_point_to_point,
    check,
    circle,
    cosine,
    cosine_turn,
    cosine_x,
    cosine_z,
    drawn_series,
    fourier,
    lift,
    motion,
    pick_and_place,
    point_to_point,
    read_csv,
    via_points,
    within_limits,
    write_csv,
)
from parakin.trajectory.files import columns
from parakin.trajectory.limits import limits_of
from parakin.trajectory.offsets import turning
from parakin.trajectory.profiles import Profile
from parakin.trajectory.stretch import largest_pace
from tests.motions import STENCIL
from tests.test_kinematics import planar_rpr

ROBOTS = ("five_bar", "planar_3rpr", "delta", "h4", "hexapod_sliding", "gough_stewart")
"""Every type of platform motion, and two spatial ones."""
MOMENTS = np.array([0.0613, 0.2371, 0.4417, 0.6789, 0.8853])
"""Of the duration: inside the pieces that motions are made of."""
STEP = 5e-4
"""Of the duration."""
SLOPE = 1e-8
"""Relative. Order-8 differences; forward kinematics ends at 1e-13, which the step magnifies to 1e-9."""
REST = 1e-12
"""Relative to the largest on the way: rounding at the end of a polynomial."""
STARTS_WITH_ACCELERATION = ("cosine_x", "cosine_z", "cosine_turn")
"""As printed in [Sinatra2009] eq. (6)."""

AT_PUBLISHED_SPEED = ("circle", "pick_and_place")
"""1 m/s, or 305 mm in half a second: more than robots with screws can do."""


@cache
def robot_named(name: str) -> pk.Robot:
    return pk.load(name)


@cache
def made(name: str, motion_name: str) -> Motion:
    return motion(motion_name, robot_named(name))


def turns(name: str) -> bool:
    return robot_named(name).motion not in ("planar-translation", "translation")


PAIRS = [(name, kind) for name in ROBOTS for kind in MOTIONS if kind != "cosine_turn" or turns(name)]


def slopes_agree(motion: Motion, moments: np.ndarray, tolerance: float = SLOPE) -> None:
    """pose_dot = velocity and velocity_dot = acceleration; for spatial motion quat_dot = 1/2 (0, w) quat."""
    h = STEP * motion.duration
    t = moments[:, None] * motion.duration + h * np.arange(-4, 5)
    states = motion.at(t)
    pose_dot, acceleration = (np.einsum("j,ijk->ik", STENCIL, values) / h for values in (states.pose, states.velocity))
    pose, velocity = states.pose[:, 4], states.velocity[:, 4]
    want = velocity
    if motion.kind == "spatial":
        w = np.concatenate([np.zeros((len(t), 1)), velocity[:, 3:]], axis=1)
        want = np.concatenate([velocity[:, :3], 0.5 * quaternion_product(w, pose[:, 3:])], axis=1)
        np.testing.assert_allclose(np.linalg.norm(pose[:, 3:], axis=1), 1.0, atol=1e-14)
    close(pose_dot, want, tolerance)
    close(acceleration, states.acceleration[:, 4], tolerance)


def close(got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * max(1.0, float(np.max(np.abs(want)))))


# Laws of every motion -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_velocity_and_acceleration_are_derivatives(name: str, kind: str) -> None:
    slopes_agree(made(name, kind), MOMENTS)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_acceleration_is_continuous(name: str, kind: str) -> None:
    """No jump between neighbours on a fine grid: twice the grid halves the largest difference."""
    found = made(name, kind)
    largest = [
        np.max(np.abs(np.diff(found.at(np.linspace(0.0, found.duration, count)).acceleration, axis=0)))
        for count in (2001, 4001)
    ]
    assert largest[1] < 0.6 * largest[0]


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_motions_go_from_rest_to_rest(name: str, kind: str) -> None:
    found = made(name, kind)
    way = found.at(np.linspace(0.0, found.duration, 201))
    ends = found.at([0.0, found.duration])
    assert np.max(np.abs(ends.velocity)) <= REST * np.max(np.abs(way.velocity))
    if kind not in STARTS_WITH_ACCELERATION:
        assert np.max(np.abs(ends.acceleration)) <= REST * np.max(np.abs(way.acceleration))


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_default_motions_are_within_reach_and_stroke(name: str, kind: str) -> None:
    robot, found = robot_named(name), made(name, kind)
    t = np.linspace(0.0, found.duration, 401)
    q = robot.inverse_kinematics(found.at(t).pose)
    limits = limits_of(robot)
    assert np.all((q >= limits.lower) & (q <= limits.upper))


@settings(max_examples=40)
@given(pair=st.sampled_from(PAIRS), factor=st.floats(0.1, 10.0), share=st.floats(0.0, 1.0))
def test_stretching_scales_rates(pair: tuple[str, str], factor: float, share: float) -> None:
    found = made(*pair)
    slow = found.stretched(factor)
    before, after = found.at(share * found.duration), slow.at(share * slow.duration)
    close(after.pose, before.pose, 1e-12)
    close(factor * after.velocity, before.velocity, 1e-11)
    close(factor**2 * after.acceleration, before.acceleration, 1e-10)
    close(slow.stretched(1 / factor).at(share * found.duration).pose, before.pose, 1e-12)


@pytest.mark.parametrize("name", ["delta", "gough_stewart"])
def test_times_of_any_shape_and_motions_survive_pickling(name: str) -> None:
    for kind in MOTIONS:
        if (name, kind) not in PAIRS:
            continue
        found = made(name, kind)
        t = np.linspace(0.0, found.duration, 6)
        flat, shaped = found.at(t), found.at(t.reshape(2, 3))
        again = pickle.loads(pickle.dumps(found)).at(t)
        for k in range(3):
            np.testing.assert_array_equal(shaped[k].reshape(6, -1), flat[k])
            np.testing.assert_array_equal(again[k], flat[k])
            close(found.at(t[2])[k], flat[k][2], 1e-14)


def test_sampling_keeps_to_the_clock() -> None:
    found = made("delta", "lift")
    samples = found.sampled(1000.0)
    np.testing.assert_array_equal(samples.t, np.arange(501) / 1000)
    np.testing.assert_array_equal(samples.pose, found.at(samples.t).pose)
    assert found.stretched(0.3 / 0.5).sampled(10.0).t.tolist() == [0.0, 0.1, 0.2, 0.3]
    assert found.sampled(3.0).t.tolist() == [0.0, 1 / 3]


def test_times_outside_are_refused() -> None:
    found = made("delta", "lift")
    for t in (-0.1, 0.6, np.nan):
        with pytest.raises(MotionError, match=r"lift: t: must be from 0 to 0\.5 s, got"):
            found.at([0.0, t])
    with pytest.raises(MotionError, match=r"lift: rate: must be finite and > 0 Hz, got 0"):
        found.sampled(0.0)
    with pytest.raises(MotionError, match=r"lift: factor: must be finite and > 0, got -1"):
        found.stretched(-1.0)
    with pytest.raises(UnknownNameError, match=r"no motion 'jump'; choose one of point_to_point, "):
        motion("jump", robot_named("delta"))


# Each of them ---------------------------------------------------------------------------------------------------------


def test_point_to_point_turns_the_short_way_about_one_axis() -> None:
    robot = robot_named("gough_stewart")
    turn = np.array([0.1, -0.05, 0.15])
    goal = np.concatenate([robot.home[:3] + 0.02, -quaternion_product(quaternion_from_vector(turn), robot.home[3:])])
    states = point_to_point(robot, robot.home, goal, 2.0).at([0.0, 1.0, 2.0])
    np.testing.assert_allclose(states.pose[0], robot.home, atol=1e-15)
    np.testing.assert_allclose(states.pose[1, 3:], quaternion_from_vector(turn / 2), atol=1e-15)
    np.testing.assert_allclose(states.pose[2], np.concatenate([goal[:3], -goal[3:]]), atol=1e-15)
    np.testing.assert_allclose(states.velocity[1, 3:], 1.875 * turn / 2.0, atol=1e-14)


@pytest.mark.parametrize("name", ["delta", "h4", "hexapod_sliding"])
def test_actuators_move_on_one_quintic(name: str) -> None:
    robot, found = robot_named(name), made(name, "actuator_point_to_point")
    u = np.linspace(0.0, 1.0, 11)
    q = robot.inverse_kinematics(found.at(u * found.duration).pose)
    share = (10 * u**3 - 15 * u**4 + 6 * u**5)[:, None]
    np.testing.assert_allclose(q, q[0] + share * (q[-1] - q[0]), atol=1e-12)


@given(seed=st.integers(0, 2**31), count=st.integers(2, 7))
@settings(max_examples=20)
@pytest.mark.parametrize("name", ["planar_3rpr", "gough_stewart"])
def test_splines_meet_their_points_and_join_smoothly(name: str, seed: int, count: int) -> None:
    robot = robot_named(name)
    rng = np.random.default_rng(seed)
    poses = robot.sample(count, seed)
    if robot.motion == "spatial":
        vectors = rng.uniform(-0.6, 0.6, (count, 3))  # further than the robot could turn: what splines are tried on
        signs = np.concatenate([np.ones((count, 3)), np.repeat(rng.choice([-1.0, 1.0], (count, 1)), 4, axis=1)], axis=1)
        poses = signs * np.concatenate([poses[:, :3], quaternion_from_vector(vectors)], axis=1)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.5, 1.5, count - 1))])
    found = via_points(robot, poses, times)
    states = found.at(times)
    np.testing.assert_allclose(frame(states.pose, robot), frame(poses, robot), atol=1e-12)
    inner = times[1:-1]
    before, after = found.at(inner - 1e-9), found.at(inner + 1e-9)
    scale = 1.0 + np.max(np.abs(found.at(np.linspace(0, found.duration, 301)).acceleration))
    for k in range(3):
        np.testing.assert_allclose(before[k], after[k], atol=1e-6 * scale)
    middles = (times[1:] + times[:-1]) / 2 / found.duration
    slopes_agree(found, middles, 1e-7)


def frame(poses: np.ndarray, robot: pk.Robot) -> np.ndarray:
    """Poses such that q and -q are the same."""
    if robot.motion != "spatial":
        return poses
    return np.concatenate([poses[:, :3], matrix_from_quaternion(poses[:, 3:]).reshape(len(poses), 9)], axis=1)


def test_splines_refuse_what_they_cannot_do() -> None:
    robot, spatial = robot_named("delta"), robot_named("gough_stewart")
    home = robot.home
    with pytest.raises(MotionError, match=r"poses: at least two are needed, got 1"):
        via_points(robot, [home])
    with pytest.raises(MotionError, match=r"times: one for each of 2 poses, got shape \(3,\)"):
        via_points(robot, [home, home], [0.0, 1.0, 2.0])
    with pytest.raises(MotionError, match=r"times: must be finite, start at 0 and increase, got \[0\.0, 0\.0\]"):
        via_points(robot, [home, home], [0.0, 0.0])
    with pytest.raises(MotionError, match=r"poses: poses of delta have shape \(N, 3\), got \(2, 7\)"):
        via_points(robot, [spatial.home, spatial.home])
    half = np.concatenate([spatial.home[:3], [0.0, 1.0, 0.0, 0.0]])
    with pytest.raises(MotionError, match=r"poses\[1\]: turns by 3\.142 rad from the one before, more than 2\.827"):
        via_points(spatial, [spatial.home, half])


def test_rotation_splines_that_do_not_converge_are_refused() -> None:
    robot = robot_named("gough_stewart")
    turns = [[1.0, -1.0, 0.2], [-0.6, -1.2, -0.5], [-0.4, 0.6, 1.2], [-1.2, -0.6, 0.3], [-0.8, 1.0, 0.6]]
    poses = np.concatenate([np.tile(robot.home[:3], (5, 1)), quaternion_from_vector(turns)], axis=1)
    with pytest.raises(MotionError, match=r"poses: the rotation spline did not converge: put poses between"):
        via_points(robot, poses, [0.0, 0.06, 0.92, 1.84, 1.86])


def test_actuators_do_not_lead_where_no_pose_is() -> None:
    with pytest.raises(
        MotionError, match=r"goal: five_bar has no pose with the actuator positions at 0\.\d+ s: choose"
    ):
        actuator_point_to_point(robot_named("five_bar"), [0.0, 0.36], [0.0, -0.36])
    with pytest.raises(MotionError, match=r"goal: planar_3rpr would jump to another assembly mode at 0\.\d+ s: choose"):
        actuator_point_to_point(robot_named("planar_3rpr"), [0, 0, 0], [0, 0, 2.4])
    with pytest.raises(UnsupportedRobotError, match=r"4 actuators for 3 degrees of freedom cannot be moved one by one"):
        actuator_point_to_point(planar_rpr(4))


def test_the_circle_is_that_of_the_paper() -> None:
    """0.3 m across, 45 degrees to x, once round, 1 m/s between the ramps, horizontal."""
    found = made("palida", "circle")
    assert found.note == ""
    states = found.at(np.linspace(0.0, found.duration, 3001))
    p, speed = states.pose[:, :3], np.linalg.norm(states.velocity[:, :3], axis=1)
    np.testing.assert_allclose(np.linalg.norm(p - p[[0, 1500]].mean(axis=0), axis=1), 0.15, atol=1e-12)
    np.testing.assert_allclose(p[:, 0] - p[:, 2], p[0, 0] - p[0, 2], atol=1e-12)
    np.testing.assert_allclose(p[-1], p[0], atol=1e-12)
    np.testing.assert_allclose(speed[1001:2000], 1.0, atol=1e-12)
    np.testing.assert_allclose(states.pose[:, 3:], np.tile(robot_named("palida").home[3:], (3001, 1)), atol=1e-15)
    assert np.all(np.diff(speed[:1001]) >= 0)
    assert np.max(speed) < 1.0 + 1e-12


def test_cosine_motions_are_those_of_the_paper() -> None:
    """[Sinatra2009] eq. (6) with the numbers of eq. (24), z down."""
    robot = robot_named("hexapod_sliding")
    t = np.linspace(0.0, 3.0, 7)
    wave = 1 - np.cos(np.pi / 3 * t)
    np.testing.assert_allclose(cosine_x(robot).at(t).pose[:, 0], 0.1 * wave, atol=1e-15)
    np.testing.assert_allclose(cosine_z(robot).at(t).pose[:, 2], robot.home[2] - 0.15 * wave, atol=1e-15)
    turn = cosine_turn(robot).at(t).pose[:, 3:]
    np.testing.assert_allclose(turn, quaternion_from_vector(np.outer(np.pi / 12 * wave, [0, 0, 1])), atol=1e-15)
    assert not any(made("hexapod_sliding", kind).note for kind in STARTS_WITH_ACCELERATION)
    slopes_agree(cosine(robot, [0.01, 0.02, 0.03, 0.3, -0.2, 0.4]), MOMENTS)
    with pytest.raises(UnsupportedRobotError, match=r"delta: its platform does not turn: choose cosine_x or cosine_z"):
        cosine_turn(robot_named("delta"))


def test_the_lift_is_that_of_the_paper() -> None:
    """[Vivas2003] sec. 5.1: 0.1 m along z, 0.35 rad of every motor."""
    robot = robot_named("h4")
    ends = lift(robot).at([0.0, 0.5]).pose
    np.testing.assert_allclose(ends[1] - ends[0], [0.0, 0.0, 0.1, 0.0], atol=1e-12)
    np.testing.assert_allclose(np.abs(np.diff(robot.inverse_kinematics(ends), axis=0)), 0.35, atol=0.005)


def test_the_pick_and_place_cycle_has_its_sizes() -> None:
    for name, size in (("quattro", 1.0), ("orthoglide", 0.2 / 0.305)):
        found = pick_and_place(robot_named(name), cycle=0.8)
        pose = found.at([0.0, 0.2, 0.4, 0.6, 0.8]).pose
        np.testing.assert_allclose(pose[2] - pose[0], size * 0.305 * np.eye(pose.shape[1])[0], atol=1e-12)
        np.testing.assert_allclose((pose[[1, 3], 2] - pose[0, 2]), size * 0.025, atol=1e-12)
        np.testing.assert_allclose(pose[4], pose[0], atol=1e-12)
    assert str(found) == ("pick_and_place, 0.8 s (16.4-200-16.4 mm: 0.656 of what was asked, to fit the robot's box)")


def test_blending_rounds_the_corners() -> None:
    robot = robot_named("quattro")
    corner = pick_and_place(robot, blend=0.0).at(np.linspace(0.0, 0.15, 50)).velocity
    assert np.max(np.abs(corner[:, 0])) == 0.0
    rounded = pick_and_place(robot, turn=0.5).at([0.12, 0.5])
    assert rounded.velocity[0, 0] > 0.0
    assert rounded.velocity[0, 2] > 0.0
    assert rounded.pose[1, 3] == pytest.approx(0.5)


@pytest.mark.parametrize("name", library())
def test_drawn_series_stay_in_the_box_and_repeat(name: str) -> None:
    robot = robot_named(name)
    series = drawn_series(robot, seed=5)
    t = np.linspace(0.0, 5.0, 1500)
    values = series(t).value
    assert np.all((values >= robot.box[0]) & (values <= robot.box[1]))
    np.testing.assert_allclose(np.ptp(values, axis=0), 0.95 * (robot.box[1] - robot.box[0]), rtol=2e-3)
    repeated = fourier(robot, series, periods=2, blend=0.0)
    assert repeated.duration == 10.0
    first, second = repeated.at(t), repeated.at(t + 5.0)
    for k in range(3):
        close(second[k], first[k], 1e-11)


@given(r=st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3), scale=st.sampled_from([0.0, 1e-9, 1e-4, 1.0]))
def test_turning_is_that_of_rotation_matrices(r: list[float], scale: float) -> None:
    """R_dot = w x R along r(t), near zero rotation too."""
    h = 1e-3
    tau = h * np.arange(-4, 5)[:, None]
    rate, growth = np.array([0.7, -0.4, 0.9]), np.array([-0.5, 1.1, 0.3])
    vector = scale * np.array(r) + tau * rate + 0.5 * tau**2 * growth
    quaternion, w, w_dot = turning(Profile(vector, np.array(rate + tau * growth, float), np.tile(growth, (9, 1))))
    R = matrix_from_quaternion(quaternion)
    R_dot = np.einsum("j,jkl->kl", STENCIL, R) / h
    np.testing.assert_allclose(R_dot, np.cross(w[4], R[4].T).T, atol=1e-10)
    np.testing.assert_allclose(w_dot[4], STENCIL @ w / h, atol=1e-10)


BAD: list[tuple[Any, str]] = [
    (lambda r: point_to_point(r, duration=0.0), r"point_to_point: duration: must be finite and > 0 s, got 0"),
    (lambda r: point_to_point(r, [0, 0, np.nan]), r"point_to_point: start: must be finite"),
    (lambda r: point_to_point(r, goal=[0, 0]), r"goal: poses of delta have shape \(3,\), got \(2,\)"),
    (lambda r: circle(r, speed=-1.0), r"circle: speed: must be finite and > 0 m/s, got -1"),
    (lambda r: circle(r, ramp=0.6), r"circle: ramp: both ramps must fit into 1 turns: > 0 and at most half, got 0\.6"),
    (lambda r: circle(r, tilt=np.inf), r"circle: tilt: must be finite, got inf rad"),
    (lambda r: circle(r, diameter=1e4), r"circle: delta: its box has no room for this motion"),
    (lambda r: cosine(r, [1.0]), r"cosine: amplitude: 3 finite numbers, got \[1\.0\]"),
    (lambda r: pick_and_place(r, blend=2.0), r"pick_and_place: blend: must be from 0 to 1, got 2"),
    (lambda r: fourier(r, drawn_series(robot_named("h4"))), r"fourier: series: delta has 3 coordinates, got 4"),
    (lambda r: fourier(r, periods=0), r"fourier: periods: a whole number of at least 1, got 0"),
    (lambda r: fourier(r, blend=-1.0), r"fourier: blend: must be finite and >= 0 s, got -1"),
    (lambda r: drawn_series(r, harmonics=0), r"fourier: harmonics: at least 1, got 0"),
    (lambda r: drawn_series(r, filled=2.0), r"fourier: filled: a part of the box"),
    (lambda _: Series(np.zeros(2), np.zeros((3, 1)), np.zeros((3, 1)), 1.0), r"offset, sine, cosine must be \(n,\)"),
    (lambda _: Series(np.zeros(1), np.full((1, 1), np.nan), np.zeros((1, 1)), 1.0), r"series: must be finite"),
    (lambda r: check(made("h4", "lift"), r), r"lift: robot: the motion is schoenflies, delta is translation"),
    (lambda r: check(made("delta", "lift"), r, states=1), r"lift: states: at least 2, got 1"),
    (
        lambda _: Samples("planar", np.zeros(2), np.zeros((2, 3)), np.zeros((1, 3)), np.zeros((2, 3))),
        r"velocity: 2 stat",
    ),
]


@pytest.mark.parametrize(("build", "message"), BAD, ids=[message for _, message in BAD])
def test_what_cannot_be_is_refused(build: Any, message: str) -> None:
    with pytest.raises(MotionError, match=message):
        build(robot_named("delta"))


def test_robots_and_rotations_that_do_not_fit_are_refused() -> None:
    spatial, delta = robot_named("gough_stewart"), robot_named("delta")
    with pytest.raises(UnsupportedRobotError, match=r"delta: its platform does not turn: leave out turn = 0\.5 rad"):
        pick_and_place(delta, turn=0.5)
    with pytest.raises(QuaternionError, match=r"normalise it"):
        point_to_point(spatial, 2 * spatial.home)
    wide = Series(np.zeros(6), np.full((6, 1), 2.0), np.zeros((6, 1)), 1.0)
    with pytest.raises(MotionError, match=r"rotation vectors must stay below pi rad, got up to 3\.464"):
        fourier(spatial, wide)
    with pytest.raises(UnknownNameError, match=r"no type of motion 'round'; choose one of planar-translation"):
        Samples("round", np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 3)))


# MotionChecks and limits --------------------------------------------------------------------------------------------------


def test_a_verdict_on_a_good_motion_says_how_close_it_is() -> None:
    verdict = check(made("delta", "pick_and_place"), robot_named("delta"))
    assert verdict.good
    assert str(verdict).startswith("delta: pick_and_place, 1 s: within reach and limits; speed up to ")
    assert "% of 18 rad/s (" in str(verdict)
    assert "% of 25 N m (" in str(verdict)


def test_a_verdict_names_actuator_time_and_amount() -> None:
    robot = robot_named("delta")
    found = made("delta", "pick_and_place")
    fast = found.stretched(0.1)
    verdict = check(fast, robot)
    assert not verdict.good
    t = np.linspace(0.0, fast.duration, verdict.states)
    states = fast.at(t)
    q_dot = robot.actuator_velocity(states.pose, states.velocity)
    tau = robot.inverse_dynamics(*states)
    for values, quantity, unit in ((q_dot, "speed", "rad/s"), (tau, "force", "N m")):
        limit = {"speed": 18.0, "force": 25.0}[quantity]
        entries = {entry.actuator: entry for entry in verdict.excesses if entry.quantity == quantity}
        assert set(entries) == {n for n, v in zip(robot.actuator_names, values.T, strict=True) if max(abs(v)) > limit}
        for k, actuator in enumerate(robot.actuator_names):
            if actuator in entries:
                entry, course = entries[actuator], np.abs(values[:, k])
                assert entry.excess == pytest.approx(course.max() - limit)
                assert entry.first == t[np.argmax(course > limit)]
                assert abs(entry.value) == course.max()
                assert entry.unit == unit
                assert f"{quantity} of {actuator}: " in str(verdict)
    assert "not possible" in str(verdict)
    assert "beyond its limit of 25 N m (first beyond it at " in str(verdict)


def test_strokes_and_reach_are_not_cured_by_time() -> None:
    robot = robot_named("gough_stewart")
    high = robot.home + np.array([0.0, 0.0, 0.4, 0, 0, 0, 0])
    found = point_to_point(robot, robot.home, high)
    with pytest.raises(MotionLimitError, match=r"more time does not help:\nstroke of .* mm beyond its limit of 500 mm"):
        within_limits(found, robot)
    delta = robot_named("delta")
    away = point_to_point(delta, delta.home, [0.6, 0.0, -0.43])
    with pytest.raises(
        MotionLimitError, match=r"unreachable: .* cannot close, [\d.]+ mm missing at 1 s \(first at 0\."
    ) as e:
        within_limits(away, delta)
    assert e.value.robot == "delta"
    assert check(away, delta).troubles[0].states > 100


def test_going_through_a_singularity_is_seen_between_states() -> None:
    """A 3-RPR platform turned by some 90 degrees: no state needs to meet the singular one."""
    robot = robot_named("planar_3rpr")
    verdict = check(point_to_point(robot, [0, 0, 0], [0, 0, 2.4]), robot, states=100)
    assert [trouble.kind for trouble in verdict.troubles] == ["singular"]
    assert "singular: the platform is singular, condition number" in str(verdict)


def test_a_motion_without_pose_is_unusable() -> None:
    robot = robot_named("delta")
    found = made("delta", "lift")
    broken = dataclasses.replace(
        found, function=lambda t: found.function(t)._replace(pose=np.full((len(t), 3), np.nan))
    )
    verdict = check(broken, robot, states=5)
    assert str(verdict.troubles[0]) == "unusable: the motion gives no pose there (first at 0 s, 5 states in all)"


@pytest.mark.parametrize(("name", "kind"), [pair for pair in PAIRS if pair[1] not in AT_PUBLISHED_SPEED])
def test_default_motions_are_within_limits(name: str, kind: str) -> None:
    verdict = check(made(name, kind), robot_named(name), states=301)
    assert verdict.good, verdict


@pytest.mark.parametrize("name", ["delta", "hexapod_sliding"])
@pytest.mark.parametrize("kind", ["pick_and_place", "circle", "lift", "fourier"])
def test_stretching_respects_limits_and_is_no_longer_than_needed(name: str, kind: str) -> None:
    robot = robot_named(name)
    fast = made(name, kind).stretched(0.05)
    found = within_limits(fast, robot)
    assert found.factor > 1.0
    assert not found.asked.good
    assert check(found.motion, robot, states=20_011).good
    assert not check(fast.stretched(0.999 * found.factor), robot).good
    assert found.motion.duration == pytest.approx(found.factor * fast.duration)
    assert str(found).startswith("stretched by ")


def test_what_is_within_limits_stays_as_it_is() -> None:
    robot, found = robot_named("delta"), made("delta", "cosine_x")
    same = within_limits(found, robot)
    assert same.factor == 1.0
    assert same.motion is found
    assert str(same) == str(same.verdict)


@given(st.lists(st.tuples(*[st.integers(-8, 8)] * 3), min_size=1, max_size=5))
def test_the_pace_found_is_the_largest(rows: list[tuple[int, int, int]]) -> None:
    """No pace of a fine grid above it meets all demands c + b x + a x^2 <= 0, and it meets them itself."""
    demands = np.array(rows, float).T / 4
    pace = largest_pace(demands)
    c, b, a = demands
    grid = np.linspace(0.0, 1.0, 2002)[1:, None]
    good = np.all(c + b * grid + a * grid**2 <= 0.0, axis=1)
    assert not np.any(good & (grid[:, 0] > pace + 1e-12))
    if pace > 0.0:
        assert np.all(c + b * pace + a * pace**2 <= 1e-8)


def test_slower_can_be_worse() -> None:
    """Forbidden above 0.6 and from 0.3 to 0.65; what is met only at speed is not met at all."""
    gap = [-0.3 * 0.65, 0.95, -1.0]
    assert largest_pace(np.array([[-0.6, 1.0, 0.0], gap]).T) == pytest.approx(0.3)
    assert largest_pace(np.array([[0.5, -1.0, 0.0]]).T) == 1.0
    assert largest_pace(np.array([[0.5, -1.0, 0.0], [-0.6, 1.0, 0.0]]).T) == pytest.approx(0.6)
    assert largest_pace(np.array([[0.5, -1.0, 0.0], [-0.4, 1.0, 0.0]]).T) == 0.0


def test_what_cannot_be_held_is_not_cured_by_time() -> None:
    heavy = robot_named("delta").with_payload(30.0)
    with pytest.raises(MotionLimitError, match=r"more time does not help:\nhowever slowly, force of .* N m beyond"):
        within_limits(made("delta", "pick_and_place"), heavy)


# Files ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
def test_files_come_back_to_the_last_bit(name: str, tmp_path: Path) -> None:
    samples = made(name, "fourier").sampled(37.0)
    path = write_csv(tmp_path / "motion.csv", samples)
    back = read_csv(path)
    assert back.kind == samples.kind
    for field in ("t", "pose", "velocity", "acceleration"):
        np.testing.assert_array_equal(getattr(back, field), getattr(samples, field))
    plain = np.loadtxt(path, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(plain[:, 0], samples.t)
    assert list(tmp_path.iterdir()) == [path]


def test_headers_have_units() -> None:
    assert ",".join(columns("schoenflies")) == (
        "t [s],x [m],y [m],z [m],theta [rad],vx [m/s],vy [m/s],vz [m/s],wz [rad/s],"
        "ax [m/s^2],ay [m/s^2],az [m/s^2],wz_dot [rad/s^2]"
    )
    assert columns("spatial")[4:8] == ("qw [1]", "qx [1]", "qy [1]", "qz [1]")


HEADER = ",".join(columns("planar-translation"))
SPATIAL = ",".join(columns("spatial"))
ROW = "0.0,1,2,3,4,5,6"
MALFORMED = [
    ("", r"is empty: write it with write_csv"),
    (HEADER, r"has a header and no states: add at least one line"),
    (f"{HEADER}\n{ROW}\n0.1,1,2,3", r"line 3: has 4 values for 7 columns: complete it"),
    (f"{HEADER}\n0.0,1,two,3,4,5,6", r"line 2, column 'y \[m\]': must be a number such as 0\.25, got 'two'"),
    (f"{HEADER}\n\n0.0,1,2,3,4,5,nan", r"line 3, column 'ay \[m/s\^2\]': must be finite, got 'nan'"),
    (f"{HEADER}\n{ROW}\n{ROW}", r"line 3, column 't \[s\]': times must increase, got 0\.0 after 0\.0"),
    (
        HEADER.replace("x [m]", "x [mm]") + f"\n{ROW}",
        r"line 1: the header lacks x \[m\]; has unknown x \[mm\]; a planar-",
    ),
    (HEADER.replace("x [m],y [m]", "y [m],x [m]") + f"\n{ROW}", r"line 1: the header has them in another order"),
    (f"{SPATIAL}\n0,0,0,0,2,0,0,0{',0' * 12}", r"column 'qw \[1\]': the quaternion .* has length 2: normalise it"),
    ("t [s],\0\n", r"is not a text file|the header"),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=[message for _, message in MALFORMED])
def test_malformed_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(MotionFileError, match=message) as error:
        read_csv(path)
    assert str(error.value).startswith(str(path))


def test_files_of_spreadsheets_are_read(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\n{ROW}\r\n".encode())
    assert read_csv(path).pose.tolist() == [[1.0, 2.0]]
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MotionFileError, match=r"is not a text file of comma-separated values"):
        read_csv(path)
    with pytest.raises(MotionFileError, match=r"none\.csv: cannot be read: No such file"):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(MotionFileError, match=r"cannot be written: No such file"):
        write_csv(tmp_path / "nowhere" / "a.csv", made("delta", "lift").sampled(10))


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(tmp_path / "motion.csv", made("delta", "lift").sampled(10))
    before = path.read_bytes()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_csv(path, made("delta", "lift").sampled(100))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
