"""Assembly modes: complete, each once, checked by substitution."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly import assembly_modes
from parakin.assembly.closure import closure_of
from parakin.assembly.polish import polished
from parakin.description import describe, load_description
from parakin.errors import KernelInputError, UnsupportedRobotError
from parakin.robot import Robot
from tests import machines
from tests.assembly.solutions import KNOWN_POSE, LEG_GAP, ROBOTS, distance, gaps

COMPLEX_COUNTS = {
    "fivebar": 2,
    "delta": 2,
    "planar_3rpr": 6,
    "planar_3rrr": 6,
    "h4": 8,
    "quattro": 8,
    "gough_stewart_general": 40,
    "semi_regular": 28,
    "six_three": 16,
}


@pytest.mark.parametrize("name", ROBOTS)
def test_known_pose_is_among_the_solutions_and_all_close(name: str) -> None:
    robot = Robot(ROBOTS[name]())
    poses = robot.sample(60, seed=7)
    q = robot.inverse_kinematics(poses)
    modes = assembly_modes(robot.description, q)
    assert distance(robot.motion_type, modes.poses, poses).min(axis=-1).max() < KNOWN_POSE
    assert np.nanmax(gaps(robot.description, q, modes)) < LEG_GAP
    assert np.array_equal(np.isfinite(modes.poses).all(axis=-1).sum(axis=-1), modes.count)
    assert np.all(modes.count % 2 == 0), "complex solutions come in pairs, so the real ones do"
    assert not modes.singular.any()
    if robot.motion == "spatial":
        assert np.all(modes.poses[..., 3][np.isfinite(modes.poses[..., 3])] >= 0)


@pytest.mark.parametrize("name", COMPLEX_COUNTS)
def test_number_of_complex_solutions_belongs_to_the_geometry(name: str) -> None:
    robot = Robot(ROBOTS[name]())
    modes = assembly_modes(robot.description, robot.inverse_kinematics(robot.sample(20, seed=3)))
    assert np.all(modes.complex_count == COMPLEX_COUNTS[name])
    if robot.motion == "spatial":
        assert np.all(modes.at_infinity == 40 - COMPLEX_COUNTS[name])


@pytest.mark.parametrize("name", ["fivebar", "delta"])
def test_platforms_that_do_not_turn_have_two(name: str) -> None:
    robot = Robot(ROBOTS[name]())
    modes = assembly_modes(robot.description, robot.inverse_kinematics(robot.sample(50)))
    assert np.all(modes.count == 2)


def test_sign_and_zero_of_the_actuators() -> None:
    for name in ("delta", "hexapod_6pus"):
        tables = ROBOTS[name]().model_dump(exclude_defaults=True)
        for leg in tables["legs"]:
            leg["elements"][0]["actuator"] |= {"sign": -1, "zero": 0.2}
        robot = Robot(describe(tables, name))
        poses = robot.sample(5)
        modes = assembly_modes(robot.description, robot.inverse_kinematics(poses))
        assert distance(robot.motion_type, modes.poses, poses).min(axis=-1).max() < KNOWN_POSE


@pytest.mark.parametrize("name", ["delta", "h4", "gough_stewart_general"])
def test_shapes_and_unusable_rows(name: str) -> None:
    robot = Robot(ROBOTS[name]())
    q = robot.inverse_kinematics(robot.sample(6, seed=2))
    m = q.shape[-1]
    modes = assembly_modes(robot.description, q)
    reshaped = assembly_modes(robot.description, q.reshape(2, 3, m))
    assert np.array_equal(reshaped.count, modes.count.reshape(2, 3))
    assert reshaped.poses.reshape(modes.poses.shape) == pytest.approx(modes.poses, abs=1e-13, nan_ok=True)
    one = assembly_modes(robot.description, q[4])
    assert one.poses == pytest.approx(modes.poses[4][: one.count], abs=1e-13)
    q[1, 0] = np.nan
    spoilt = assembly_modes(robot.description, q)
    assert spoilt.count[1] == spoilt.complex_count[1] == 0
    assert np.array_equal(np.delete(spoilt.count, 1), np.delete(modes.count, 1))
    assert assembly_modes(robot.description, np.zeros((0, m))).count.shape == (0,)


@pytest.mark.parametrize(
    "name", ["planar_3rpr", "planar_3rrr", "h4", "quattro", "semi_regular", "gough_stewart_general"]
)
def test_newton_from_random_poses_finds_nothing_else(name: str) -> None:
    robot = Robot(ROBOTS[name]())
    rng = np.random.default_rng(11)
    q = robot.inverse_kinematics(robot.sample(12, seed=5))
    modes = assembly_modes(robot.description, q)
    closure = closure_of(robot.description)
    starts = rng.normal(size=(12, 400, modes.poses.shape[-1]))
    if robot.motion == "spatial":
        starts[..., 3:] /= np.linalg.norm(starts[..., 3:], axis=-1, keepdims=True)
    others = polished(robot.motion_type, starts, closure.surfaces(q), closure.length)
    assert others.count.min() >= 1
    for found, known in zip(others.poses, modes.poses, strict=True):
        for pose in found[np.isfinite(found).all(axis=-1)]:
            assert distance(robot.motion_type, known, pose).min() < 1e-7


@pytest.mark.parametrize("sign", [1, -1])
def test_a_shaft_gives_the_platform_its_angle(sign: int) -> None:
    tables = load_description("delta_shaft").model_dump(exclude_defaults=True)
    (shaft,) = [leg for leg in tables["legs"] if leg["elements"][0]["type"] == "screw"]
    shaft["elements"][0]["actuator"] |= {"sign": sign, "zero": 0.2}
    robot = Robot(describe(tables, "delta_shaft"))
    poses = robot.sample(10, seed=1)
    q = robot.inverse_kinematics(poses)
    modes = assembly_modes(robot.description, q)
    assert np.all(modes.count == 2)
    assert distance(robot.motion_type, modes.poses, poses).min(axis=-1).max() < KNOWN_POSE
    np.testing.assert_allclose(modes.poses[..., 3], np.repeat(poses[:, 3:], 2, axis=1), atol=1e-12)
    q[3, -1] = np.nan
    spoilt = assembly_modes(robot.description, q)
    assert spoilt.count[3] == spoilt.complex_count[3] == 0
    assert np.isnan(spoilt.poses[3]).all()
    assert np.array_equal(np.delete(spoilt.poses, 3, axis=0), np.delete(modes.poses, 3, axis=0))


def test_what_is_refused() -> None:
    delta = ROBOTS["delta"]()
    with pytest.raises(KernelInputError, match=r"delta: q: expected an array of shape \(\.\.\., 3\)"):
        assembly_modes(delta, np.zeros(4))
    tables = delta.model_dump(exclude_defaults=True)
    tables["legs"] = [*tables["legs"], tables["legs"][0] | {"name": "extra"}]
    with pytest.raises(UnsupportedRobotError, match="one actuated leg for each of its 3 degrees of freedom, it has 4"):
        assembly_modes(describe(tables, "redundant"), np.zeros(4))
    base = machines.hexagon(1.0, 0.25)
    similar = machines.gough_stewart("similar", base, 0.5 * base, machines.HOME)
    with pytest.raises(UnsupportedRobotError, match="architecturally singular"):
        assembly_modes(similar, np.ones(6))
