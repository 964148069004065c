"""Assembly modes of offset arms: each attachment on a torus, 2560 complex solutions, all real ones found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.assembly import AssemblyModes, assembly_modes
from parakin.assembly.closure import closure_of
from parakin.assembly.polish import polished
from parakin.assembly.torus_start_set import torus_start_set
from parakin.description import RobotDescription, describe, expanded_legs, library, load_description
from parakin.errors import UnsupportedRobotError
from parakin.robot import Robot
from tests.test_assembly import CLOSED, FOUND, distance, rotations

ALL = 2560
"""2^6 times the 40 of six spheres."""


def skewed() -> RobotDescription:
    """hexa_offset with the links' axes leaning in their arms, so that they turn with q."""
    tables = pk.load("hexa_offset").description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        leg["elements"][1]["joint"]["axis"] = (0.2, 0.1, 1.0)
    return describe(tables, "skewed")


@pytest.fixture(scope="module")
def robot() -> Robot:
    return pk.load("hexa_offset")


def attachments(description: RobotDescription, q: Any, poses: Any) -> list[tuple[Any, Any, float, float]]:
    """Of every leg r from elbow to attachment (..., 3), the link's axis k (..., 3), a and l, from the file alone."""
    found: list[tuple[Any, Any, float, float]] = []
    for number, leg in enumerate(expanded_legs(description)):
        arm, link, bar = leg.elements
        assert arm.actuator is not None
        angle, z = (arm.actuator.sign * q[..., number] + arm.actuator.zero)[..., None], np.array(arm.joint.axis)
        x = np.array(arm.actuator.reference) - (np.array(arm.actuator.reference) @ z) * z
        x = x / np.linalg.norm(x)
        x_1 = np.cos(angle) * x + np.sin(angle) * np.cross(z, x)
        k = np.stack([x_1, np.cross(z, x_1), z + 0 * x_1], axis=-1) @ np.array(link.joint.axis)
        C = poses[..., :3] + rotations("spatial", poses) @ np.array(leg.attachment.b)
        found.append((C - np.array(leg.root) - (arm.length or 0) * x_1, k, link.length or 0, bar.length or 0))
    return found


def gaps(description: RobotDescription, q: Any, poses: Any) -> tuple[np.ndarray, np.ndarray]:
    """How far legs are from closing (..., 6), and whether their links point away from their attachments.

    The link stands across its axis, towards the attachment or away from it; the nearer of its two ends is taken.
    """
    off: list[np.ndarray] = []
    away: list[np.ndarray] = []
    for r, axis, a, length in attachments(description, q, poses):
        across = r - np.sum(r * axis, axis=-1, keepdims=True) * axis
        link = a * across / np.linalg.norm(across, axis=-1, keepdims=True)
        both = np.stack([np.abs(np.linalg.norm(r - end, axis=-1) - length) for end in (link, -link)])
        off.append(both.min(axis=0))
        away.append(both[1] < both[0])
    return np.stack(off, axis=-1), np.stack(away, axis=-1)


def real(modes: AssemblyModes) -> np.ndarray:
    return modes.poses[: int(modes.count)]


def planted(description: RobotDescription, pose: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """q that leaves the pose possible, each leg on a random one of its branches: zeros of its torus over all angles."""

    def values(q: np.ndarray) -> np.ndarray:
        legs = attachments(description, q, pose)
        squares = [(np.sum(r * r, axis=-1), np.sum(r * k, axis=-1) ** 2, a, b) for r, k, a, b in legs]
        return np.stack([(n + a**2 - b**2) ** 2 - 4 * a**2 * (n - h) for n, h, a, b in squares], axis=-1)

    grid = np.linspace(-np.pi, np.pi, 721)
    signs = np.sign(values(np.repeat(grid[:, None], 6, axis=1)))
    chosen = np.array([rng.choice(np.nonzero(signs[1:, leg] != signs[:-1, leg])[0]) for leg in range(6)])
    low, high, side = grid[chosen], grid[chosen + 1], signs[chosen, np.arange(6)]
    for _ in range(60):
        middle = 0.5 * (low + high)
        same = np.sign(values(middle)) == side
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return 0.5 * (low + high)


def test_known_poses_are_among_the_solutions_and_all_close(robot: Robot) -> None:
    poses = robot.sample(4, seed=7)
    q = robot.inverse_kinematics(poses)
    modes = robot.assembly_modes(q)
    assert np.all(modes.complex_count == ALL)
    assert not modes.at_infinity.any()
    assert not modes.singular.any()
    assert np.all(modes.count % 2 == 0), "complex solutions come in pairs, so the real ones do"
    assert distance("spatial", modes.poses, poses).min(axis=-1).max() < FOUND
    for k in range(len(q)):
        off, away = gaps(robot.description, q[k], modes.poses[k, : modes.count[k]])
        assert off.max() < CLOSED
        assert away.any(axis=0).all()
        assert not away.all(axis=0).any()


@pytest.mark.parametrize("name", ["hexa_offset", "skewed"])
def test_poses_on_any_branch_of_the_legs(name: str) -> None:
    description = skewed() if name == "skewed" else pk.load(name).description
    rng = np.random.default_rng(3)
    poses = Robot(description).sample(2, seed=4)
    q = np.array([planted(description, pose, rng) for pose in poses])
    modes = assembly_modes(description, q)
    assert np.all(modes.complex_count == ALL)
    assert distance("spatial", modes.poses, poses).min(axis=-1).max() < 1e-7
    assert gaps(description, q[0], modes.poses[0, : modes.count[0]])[0].max() < CLOSED


def test_newton_from_random_poses_finds_nothing_else(robot: Robot) -> None:
    q = robot.inverse_kinematics(robot.sample(1, seed=5)[0])
    known = real(robot.assembly_modes(q))
    closure = closure_of(robot.description)
    rng = np.random.default_rng(11)
    starts = np.concatenate([rng.normal(scale=0.5, size=(4000, 3)), rng.normal(size=(4000, 4))], axis=-1)
    starts[:, 3:] /= np.linalg.norm(starts[:, 3:], axis=-1, keepdims=True)
    found = polished("spatial", starts, closure.surfaces(q), closure.length)
    assert found.count > 100
    assert max(distance("spatial", known, pose).min() for pose in found.poses[: found.count]) < 1e-7


def test_the_start_set_is_as_large_as_it_can_be(robot: Robot) -> None:
    start = torus_start_set(closure_of(robot.description))
    assert start.y.shape == (ALL, 14)
    assert start.infinite == start.singular == 0
    assert torus_start_set(closure_of(pk.load("hexa_offset").description)) is start


def test_small_offsets_lead_back_to_the_spheres(robot: Robot) -> None:
    """Every pose is near one of the machine without offsets, and each of those has up to 64 of them."""
    tables = robot.description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        leg["elements"][1]["length"] = 1e-5
    offset = describe(tables, "small")
    q = robot.inverse_kinematics(robot.home + np.array([0.01, 0.02, -0.03, 0.0, 0.0, 0.0, 0.0]))
    modes = assembly_modes(offset, q)
    closure = closure_of(offset)
    centres = polished("spatial", modes.poses, closure.spheres_at(closure.coordinates(q)), closure.length)
    assert modes.count == 64 * centres.count


def test_every_library_robot_has_assembly_modes() -> None:
    """Whatever its legs, the closure is one of those that are solved; each kind has its own tests."""
    for name in library():
        assert closure_of(load_description(name)).tethers


def test_what_is_refused(robot: Robot) -> None:
    tables = robot.description.model_dump(exclude_defaults=True)
    tables["legs"][0]["elements"][2]["joint"]["axis"] = (0.1, 1.0, 0.0)
    with pytest.raises(
        UnsupportedRobotError, match="a rail or an offset arm, driven at the first element alone; right"
    ):
        assembly_modes(describe(tables, "oblique"), np.zeros(6))
    tables = robot.description.model_dump(exclude_defaults=True)
    plain = load_description("hexa").model_dump(exclude_defaults=True)
    tables["legs"] = [tables["legs"][0], plain["legs"][1]]
    with pytest.raises(UnsupportedRobotError, match="offset arms at all six legs of a spatial platform, or at none"):
        assembly_modes(describe(tables, "mixed"), np.zeros(6))
