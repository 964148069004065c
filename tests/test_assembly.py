"""Assembly modes: complete, each once, checked by substitution."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from parakin.assembly import AssemblyModes, assembly_modes, homotopy
from parakin.assembly.closure import closure_of
from parakin.assembly.dual_quaternions import displacement
from parakin.assembly.polish import polished
from parakin.assembly.sphere_system import spheres
from parakin.assembly.start_set import generic, start_set
from parakin.description import RobotDescription, describe, load_description
from parakin.errors import KernelInputError, UnsupportedRobotError
from parakin.robot import Robot
from tests import machines, path_reference

DATA = Path(__file__).parent / "data"
FOUND = 1e-9
"""[m, rad] How far the pose behind q may be from the nearest solution: rounding times the condition of the pose."""
CLOSED = 1e-12
"""[m] What a leg may be off its length at a solution."""


def from_file(name: str) -> Callable[[], RobotDescription]:
    return lambda: load_description(DATA / f"{name}.toml")


ROBOTS: dict[str, Callable[[], RobotDescription]] = {
    name: from_file(name) for name in ("fivebar", "delta", "h4", "hexapod_6pus", "gough_stewart_general")
} | {
    make.__name__: make
    for make in (
        machines.planar_3rpr,
        machines.planar_3rrr,
        machines.quattro,
        machines.semi_regular,
        machines.six_three,
        machines.hexa,
    )
}
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


def rotations(motion: str, poses: np.ndarray) -> np.ndarray:
    """R_OE (..., 3, 3)."""
    if motion == "spatial":
        w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    else:
        angle = poses[..., -1] if motion in ("planar", "schoenflies") else np.zeros(poses.shape[:-1])
        w, x, y, z = np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def gaps(description: RobotDescription, q: np.ndarray, modes: AssemblyModes) -> np.ndarray:
    """| |p + R b + c - e| - l | of every leg at every solution, written out once more from the description."""
    motion = description.motion
    linear = 2 if motion.startswith("planar") else 3
    p = np.zeros((*modes.poses.shape[:-1], 3))
    p[..., :linear] = modes.poses[..., :linear]
    R = rotations(motion, modes.poses)
    off: list[np.ndarray] = []
    for k, leg in enumerate(Robot(description).legs):
        first = leg.elements[0]
        assert first.actuator is not None
        coordinate = (first.actuator.sign * q[..., k] + first.actuator.zero)[..., None]
        C = p + R @ np.array(leg.attachment.b) + np.array(leg.attachment.c)
        e = np.array(leg.root) + 0 * coordinate
        length = np.abs(coordinate)
        if len(leg.elements) == 2:
            length = np.full_like(coordinate, leg.elements[1].length)
            if first.actuator.reference is not None:
                x, z = np.array(first.actuator.reference), np.array(first.joint.axis)
                e = e + first.length * (np.cos(coordinate) * x + np.sin(coordinate) * np.cross(z, x))
            else:
                e = e + coordinate * np.array(first.direction)
        off.append(np.abs(np.linalg.norm(C - e[..., None, :], axis=-1) - length))
    return np.stack(off, axis=-1)


def distance(motion: str, poses: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Of each solution to a pose, infinite beyond the last."""
    difference = poses - pose[..., None, :]
    if motion in ("planar", "schoenflies"):
        difference[..., -1] = np.angle(np.exp(1j * difference[..., -1]))
    if motion == "spatial":
        other = poses[..., 3:] + pose[..., None, 3:]
        turned = np.minimum(np.abs(difference[..., 3:]).max(axis=-1), np.abs(other).max(axis=-1))
        size = np.maximum(np.abs(difference[..., :3]).max(axis=-1), turned)
    else:
        size = np.abs(difference).max(axis=-1)
    return np.where(np.isnan(size), np.inf, size)


@pytest.mark.parametrize("name", ROBOTS)
def test_known_pose_is_among_the_solutions_and_all_close(name: str) -> None:
    robot = Robot(ROBOTS[name]())
    poses = robot.sample(60, seed=7)
    q = robot.inverse_kinematics(poses)
    modes = assembly_modes(robot.description, q)
    assert distance(robot.motion, modes.poses, poses).min(axis=-1).max() < FOUND
    assert np.nanmax(gaps(robot.description, q, modes)) < CLOSED
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


def test_forty_real_poses() -> None:
    """Verified by substitution: no other count of distinct solutions that close is possible."""
    description = machines.dietmaier()
    q = np.array(machines.DIETMAIER_LENGTHS)
    modes = assembly_modes(description, q)
    assert modes.count == modes.complex_count == 40
    assert gaps(description, q, modes).max() < CLOSED
    apart = [np.sort(distance("spatial", modes.poses, pose))[1] for pose in modes.poses]
    assert min(apart) > 1e-4


def test_six_real_poses_of_a_planar_robot() -> None:
    assert assembly_modes(machines.planar_3rpr(), machines.SIX_POSES).count == 6


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
    others = polished(robot.motion, starts, closure.surfaces(q), closure.length)
    assert others.count.min() >= 1
    for found, known in zip(others.poses, modes.poses, strict=True):
        for pose in found[np.isfinite(found).all(axis=-1)]:
            assert distance(robot.motion, known, pose).min() < 1e-7


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_elbows_at_one_height(tilt: float) -> None:
    """All rows of the elimination lie in a plane: four angles, two heights each, and the same nearby."""
    robot = Robot(machines.quattro())
    pose = robot.home + tilt * np.array([1.0, -0.5, 0.3, 0.7])
    modes = assembly_modes(robot.description, robot.inverse_kinematics(pose))
    assert modes.count == 4
    assert modes.complex_count == 8
    assert distance("schoenflies", modes.poses, pose).min() < FOUND


@pytest.mark.parametrize("name", ["gough_stewart_general", "hexapod_6pus"])
def test_no_path_jumps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = Robot(ROBOTS[name]())
    q = robot.inverse_kinematics(robot.sample(100, seed=9))
    modes = assembly_modes(robot.description, q)
    monkeypatch.setattr(homotopy, "TOLERANCE", 1e-2 * homotopy.TOLERANCE)
    careful = assembly_modes(robot.description, q)
    assert np.array_equal(modes.count, careful.count)
    assert np.array_equal(modes.complex_count, careful.complex_count)


@pytest.mark.parametrize("name", ["gough_stewart_general", "hexapod_6pus", "semi_regular", "hexa"])
def test_a_tracker_on_other_equations_finds_the_same(name: str) -> None:
    robot = Robot(ROBOTS[name]())
    q = robot.inverse_kinematics(robot.sample(4, seed=13))
    modes = assembly_modes(robot.description, q)
    closure = closure_of(robot.description)
    for found, known in zip(path_reference.real_poses(closure, start_set(closure), q), modes.poses, strict=True):
        assert len(found) == np.isfinite(known[:, 0]).sum()
        for pose in found:
            assert distance("spatial", known, pose).min() < 1e-8


def test_singular_poses_are_reported_as_such() -> None:
    """A quarter turn about z is singular for these platforms (Fichter), and so is its mirror image."""
    for description in (machines.semi_regular(), machines.six_three()):
        pose = np.array([0.0, 0.0, 1.1, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
        spheres = closure_of(description).surfaces(np.ones(6))
        q = np.linalg.norm(pose[:3] + spheres.b @ rotations("spatial", pose).T - spheres.u, axis=-1)
        modes = assembly_modes(description, q)
        assert modes.singular == 2
        assert distance("spatial", modes.poses, pose).min() < 1e-4


def test_touching_circles_are_one_singular_solution() -> None:
    description = load_description(DATA / "fivebar.toml")
    tables = description.model_dump(exclude_defaults=True)
    for leg, x in zip(tables["legs"], (-0.5, 0.5), strict=True):
        leg["root"] = (x, 0.0, 0.0)
        leg["attachment"] = {"b": (0.0, 0.0, 0.0)}
        for element, length in zip(leg["elements"], (0.2, 0.3), strict=True):
            element["length"] = length
        leg["elements"][0]["actuator"] |= {"reference": (1.0, 0.0, 0.0), "zero": 0.0, "sign": 1}
    tables["workspace"]["home"] = (0.0, 0.0)
    modes = assembly_modes(describe(tables, "touching"), [0.0, np.pi])
    assert modes.count == modes.singular == 1
    assert modes.poses[0] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_sign_and_zero_of_the_actuators() -> None:
    for name in ("delta", "hexapod_6pus"):
        tables = ROBOTS[name]().model_dump(exclude_defaults=True)
        for leg in tables["legs"]:
            leg["elements"][0]["actuator"] |= {"sign": -1, "zero": 0.2}
        robot = Robot(describe(tables, name))
        poses = robot.sample(5)
        modes = assembly_modes(robot.description, robot.inverse_kinematics(poses))
        assert distance(robot.motion, modes.poses, poses).min(axis=-1).max() < FOUND


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


def test_the_generic_platform_has_forty_different_solutions() -> None:
    w, x = displacement(generic().y)
    marks = np.concatenate([w, (x[:, :, None] * x[:, None, :]).reshape(40, 16)], axis=-1)
    apart = np.abs(marks[:, None] - marks[None]).max(axis=-1) + np.eye(40)
    assert apart.min() > 1e-3
    again = homotopy.followed(spheres, generic().y, generic().theta, generic().theta[None])
    assert again.arrived.all()
    overlap = np.abs(np.sum(again.y[0].conj() * generic().y, axis=-1)) / np.linalg.norm(generic().y, axis=-1)
    assert overlap == pytest.approx(1.0, abs=1e-12)


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


def test_the_first_homotopy_is_run_once() -> None:
    description = machines.semi_regular()
    assert start_set(closure_of(description)) is start_set(closure_of(machines.semi_regular()))
