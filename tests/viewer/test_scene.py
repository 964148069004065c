"""Scenes of all robots and mechanisms: parts meet where joints are, at any pose, and nothing is torn."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest
from scipy.spatial import Delaunay

import parakin as pk
from parakin.arrays import Array
from parakin.viewer import COLOURS, Part, Role, Scene, Shape, frames_at, scene_of
from parakin.viewer.gauge import placed, pointed
from parakin.viewer.linkage import APART, SLIDES
from parakin.viewer.meshes import mesh_of
from parakin.viewer.solids import outside
from tests.mechanism.zoo import ZOO
from tests.robots import twins_later

MEETING = 1e-9
"""Largest distance [m] between ends that meet: Newton leaves 1e-12, and nobody sees more."""
POSES = 20
"""Random poses of each robot."""
LIBRARY = pk.library()
NAMES = (*LIBRARY, *ZOO)


@functools.cache
def robot_of(name: str) -> pk.Robot:
    return pk.Robot(ZOO[name]()) if name in ZOO else pk.load(name)


@functools.cache
def scene(name: str) -> Scene:
    return scene_of(robot_of(name))


@functools.cache
def frames(name: str) -> Array:
    robot = robot_of(name)
    found, status = frames_at(robot, robot.sample(POSES, 3))
    good = status == pk.Status.GOOD
    assert good.all() or name in ZOO
    assert good.sum() > POSES / 4
    return found[good]


@pytest.mark.parametrize("name", twins_later(NAMES))
def test_joints_hold_at_random_poses(name: str) -> None:
    at = frames(name)
    for joint in scene(name).joints:
        a, b = placed(at, joint.a), placed(at, joint.b)
        if joint.kind not in APART:
            assert np.abs(a - b).max() < MEETING, joint.name
        if joint.kind in ("revolute", *SLIDES):
            assert np.abs(pointed(at, joint.a) - pointed(at, joint.b)).max() < MEETING, joint.name
        if joint.kind in SLIDES:
            beside = np.cross(b - a, pointed(at, joint.a))
            assert np.abs(beside).max() < MEETING, joint.name
        if joint.kind == "distance":
            assert joint.part is not None
            rod = at[:, joint.part]
            assert np.abs(rod[:, :, 3] - a).max() < MEETING, joint.name
            assert np.abs(rod[:, :, 3] + joint.length * rod[:, :, 0] - b).max() < MEETING, joint.name


@pytest.mark.parametrize("name", twins_later(NAMES))
def test_every_joint_is_reached_by_a_part_of_both_its_frames(name: str) -> None:
    made = scene(name)
    for joint in made.joints:
        if joint.kind in APART:
            continue
        for side in (joint.a, joint.b):
            here = [part for part in made.parts if part.frame == side.frame and part.role not in MARKS]
            assert side.frame == 0 or any(joint.name in part.ends for part in here), joint.name


def test_a_point_is_outside_of_a_part_if_it_is_outside_of_its_surface() -> None:
    made = (*scene("gough_stewart").parts, *scene("hexaglide").parts)
    shapes = {part.shape: part for part in made}
    assert len(shapes) == 4
    rng = np.random.default_rng(0)
    for part in shapes.values():
        corners = np.concatenate([group.reshape(-1, 3) for group in mesh_of(part, 1.0).faces])
        points = part.p + (rng.uniform(-1.5, 1.5, (500, 3)) * part.half) @ part.R.T
        inside = Delaunay(corners).find_simplex(points) >= 0
        found = outside(part, points)
        assert (found[inside] <= 0).all()
        assert np.mean((found <= 0) == inside) > 0.97  # corners of round solids are on them, edges are within


@pytest.mark.parametrize("name", twins_later(NAMES))
def test_pistons_stay_in_cylinders_and_carriages_on_rails(name: str) -> None:
    made, at = scene(name), frames(name)
    for joint in made.joints:
        if joint.kind not in SLIDES:
            continue
        outer = [part for part in made.parts if part.frame == joint.a.frame and part.role in _OUTER]
        inner = [part for part in made.parts if part.frame == joint.b.frame and part.role in _INNER]
        for F in at:
            gaps = [_gap(F, a, b, pointed(F, joint.a)) for a in outer for b in inner]
            assert min(gaps) < MEETING, joint.name


MARKS = (Role.PIN, Role.CROSS, Role.BALL, Role.MASS)
"""Roles of parts that only show where a joint or a mass is."""
_OUTER = (Role.CYLINDER, Role.LINK, Role.RAIL)
_INNER = (Role.PISTON, Role.CARRIAGE, Role.LINK)


def _gap(F: Array, outer: Part, inner: Part, axis: Array) -> float:
    """Return the free way between two parts along an axis, or how far their middles are beside each other [m]."""
    middles = [F[part.frame, :, :3] @ part.p + F[part.frame, :, 3] for part in (outer, inner)]
    between = middles[1] - middles[0]
    along = float(between @ axis)
    lengths = [float(part.half[0 if part.shape is Shape.BOX else 2]) for part in (outer, inner)]
    return max(abs(along) - sum(lengths), float(np.linalg.norm(between - along * axis)))


@pytest.mark.parametrize("name", twins_later(NAMES))
def test_data_are_plain_and_whole(name: str) -> None:
    made = scene(name)
    data = json.loads(json.dumps(made.to_data(), allow_nan=False))
    assert len(data["parts"]) == len(made.parts)
    assert len(data["frames"]) == frames(name).shape[1]
    assert np.array_equal(frames(name)[0, 0], np.eye(3, 4))
    for part, plain in zip(made.parts, data["parts"], strict=True):
        assert 0 <= part.frame < len(made.frames)
        assert np.allclose(part.R @ part.R.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(part.R) > 0
        assert np.allclose(np.reshape(plain["at"], (3, 4))[:, 3], part.p, atol=1e-9)
        assert part.role in COLOURS
    assert (made.lower < made.upper).all()


@pytest.mark.parametrize("name", twins_later(LIBRARY))
def test_platform_frame_is_where_the_pose_says(name: str) -> None:
    robot, made = robot_of(name), scene(name)
    pose = robot.sample(1, 5)[0]
    at = frames_at(robot, pose)[0][made.output.frame]
    p = at[:, :3] @ made.output.p + at[:, 3]
    if robot.coordinates.of_joints:
        still = np.zeros(robot.degrees_of_freedom)
        expected = robot.output(pose, still, still).p
    else:
        expected = np.zeros(3)
        expected[list(robot.motion_type.linear)] = pose[: len(robot.motion_type.linear)]
    assert np.abs(p - expected).max() < MEETING


def test_masses_are_where_bodies_are() -> None:
    robot, made = pk.load("h4"), scene("h4")
    pose = robot.sample(1, 2)[0]
    at = frames_at(robot, pose)[0]
    still = np.zeros(robot.degrees_of_freedom)
    bodies = robot.bodies(pose, still, still).p
    marks = [at[part.frame, :, :3] @ part.p + at[part.frame, :, 3] for part in made.parts if part.role is Role.MASS]
    single = [k for k, name in enumerate(robot.body_names) if "forearm" not in name]
    for k in single:
        assert min(np.linalg.norm(bodies[k] - mark) for mark in marks) < MEETING, robot.body_names[k]


@pytest.mark.parametrize(("name", "far"), [("delta", [0.9, 0.0, 0.0]), ("hexa_offset", [0.9, 0, 0, 0, 0, 0, 0])])
def test_a_robot_out_of_reach_has_no_frames(name: str, far: list[float]) -> None:
    robot = robot_of(name)
    found, status = frames_at(robot, [robot.home + far, robot.home])
    assert status.tolist() == [pk.Status.UNREACHABLE, pk.Status.GOOD]
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


def test_a_singular_robot_of_legs_has_frames() -> None:
    robot = robot_of("five_bar")
    near, far = 0.0, 1.0
    for _ in range(50):  # to where the arms are stretched
        middle = (near + far) / 2
        reached = frames_at(robot, [robot.home + np.array([0.0, middle])])[1][0] != pk.Status.UNREACHABLE
        near, far = (middle, far) if reached else (near, middle)
    found, status = frames_at(robot, [robot.home + np.array([0.0, near])])
    assert status.tolist() == [pk.Status.SINGULAR]
    assert np.isfinite(found).all()
