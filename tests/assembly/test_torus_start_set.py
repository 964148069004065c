"""Assembly modes of offset arms: each attachment on a torus, 2560 complex solutions, all real ones found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.assembly import AssemblyModes, assembly_modes
from parakin.assembly.closure import closure_of
from parakin.assembly.polish import polished
from parakin.assembly.torus_start_set import torus_start_set
from parakin.description import RobotDescription, describe, expanded_legs, load_description
from parakin.errors import UnsupportedRobotError
from parakin.motions import SPATIAL
from parakin.robot import Robot
from tests.assembly.solutions import KNOWN_POSE, LEG_GAP, distance, rotations

ALL = 2560
"""2^6 times the 40 of six spheres."""
PLANTED_POSE = 1e-7
"""How far a pose on random branches may be from the nearest solution [m, rad]: its q comes from a bisection."""


def skewed() -> RobotDescription:
    """hexa_offset with the links' axes leaning in their arms, so that they turn with q."""
    tables = pk.load("hexa_offset").description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        leg["elements"][1]["joint"]["axis"] = (0.2, 0.1, 1.0)
    return describe(tables, "skewed")


@pytest.fixture(scope="module")
def robot() -> Robot:
    return pk.load("hexa_offset")


@dataclass(frozen=True)
class Solved:
    """Poses, actuator positions with which they are possible, and all assembly modes of these."""

    poses: np.ndarray
    q: np.ndarray
    modes: AssemblyModes


@pytest.fixture(scope="module")
def solved(robot: Robot) -> Solved:
    """Two poses on the branches of the robot file, and one whose legs are on random branches."""
    poses = robot.sample(3, seed=7)
    q = np.stack([*robot.inverse_kinematics(poses[:2]), planted(robot.description, poses[2], np.random.default_rng(3))])
    return Solved(poses, q, robot.assembly_modes(q))


def attachments(description: RobotDescription, q: Any, poses: Any) -> list[tuple[Any, Any, float, float]]:
    """Return for every leg r from elbow to attachment (..., 3), the link's axis k (..., 3), a and l, from the file."""
    found: list[tuple[Any, Any, float, float]] = []
    for number, leg in enumerate(expanded_legs(description)):
        arm, link, bar = leg.elements
        assert arm.actuator is not None
        angle, z = (arm.actuator.sign * q[..., number] + arm.actuator.zero)[..., None], np.array(arm.joint.axis)
        x = np.array(arm.actuator.reference) - (np.array(arm.actuator.reference) @ z) * z
        x = x / np.linalg.norm(x)
        x_1 = np.cos(angle) * x + np.sin(angle) * np.cross(z, x)
        k = np.stack([x_1, np.cross(z, x_1), z + 0 * x_1], axis=-1) @ np.array(link.joint.axis)
        C = poses[..., :3] + rotations(SPATIAL, poses) @ np.array(leg.attachment.b)
        found.append((C - np.array(leg.root) - (arm.length or 0) * x_1, k, link.length or 0, bar.length or 0))
    return found


def gaps(description: RobotDescription, q: Any, poses: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return how far legs are from closing (..., 6), and whether their links point away from their attachments.

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
    """Return q with which the pose is possible, each leg on a random branch: zeros of its torus over all angles."""

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


def test_known_poses_are_among_the_solutions_and_all_close(robot: Robot, solved: Solved) -> None:
    modes = solved.modes
    assert np.all(modes.complex_count == ALL)
    assert not modes.at_infinity.any()
    assert not modes.singular.any()
    assert np.all(modes.count % 2 == 0), "complex solutions come in pairs, so the real ones do"
    away_from = distance(SPATIAL, modes.poses, solved.poses).min(axis=-1)
    assert away_from[:2].max() < KNOWN_POSE
    assert away_from[2] < PLANTED_POSE
    for k in range(len(solved.q)):
        off, away = gaps(robot.description, solved.q[k], modes.poses[k, : modes.count[k]])
        assert off.max() < LEG_GAP
        assert away.any(axis=0).all()
        assert not away.all(axis=0).any()


def test_axes_that_lean_in_their_arms_turn_with_q() -> None:
    description = skewed()
    pose = Robot(description).sample(1, seed=4)[0]
    q = planted(description, pose, np.random.default_rng(3))
    modes = assembly_modes(description, q)
    assert modes.complex_count == ALL
    assert distance(SPATIAL, modes.poses, pose).min() < PLANTED_POSE
    assert gaps(description, q, real(modes))[0].max() < LEG_GAP


@pytest.mark.slow
def test_newton_from_random_poses_finds_nothing_else(robot: Robot, solved: Solved) -> None:
    q, known = solved.q[0], solved.modes.poses[0, : solved.modes.count[0]]
    closure = closure_of(robot.description)
    rng = np.random.default_rng(11)
    starts = np.concatenate([rng.normal(scale=0.5, size=(4000, 3)), rng.normal(size=(4000, 4))], axis=-1)
    starts[:, 3:] /= np.linalg.norm(starts[:, 3:], axis=-1, keepdims=True)
    others = polished(SPATIAL, starts, closure.surfaces(q), closure.length)
    assert others.count > 100
    assert max(distance(SPATIAL, known, pose).min() for pose in others.poses[: others.count]) < 1e-7


def test_the_start_set_is_as_large_as_it_can_be(robot: Robot) -> None:
    start = torus_start_set(closure_of(robot.description))
    assert start.y.shape == (ALL, 14)
    assert start.infinite == start.singular == 0
    assert torus_start_set(closure_of(pk.load("hexa_offset").description)) is start


def test_small_offsets_lead_back_to_the_spheres(robot: Robot) -> None:
    """Every pose is near one of the machine without offsets, and each of those has up to 64 of them."""
    tables = robot.description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        leg["elements"][1]["length"] = 1e-3
    offset = describe(tables, "small")
    q = robot.inverse_kinematics(robot.home + np.array([0.01, 0.02, -0.03, 0.0, 0.0, 0.0, 0.0]))
    modes = assembly_modes(offset, q)
    closure = closure_of(offset)
    centres = polished(SPATIAL, modes.poses, closure.spheres_at(closure.coordinates(q)), closure.length)
    assert modes.count == 64 * centres.count


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
