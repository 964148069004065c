"""Platforms on six legs: all solutions, by whatever path."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly import assembly_modes, homotopy, six_legs
from parakin.assembly.closure import closure_of
from parakin.assembly.start_set import start_set
from parakin.motions import SPATIAL
from parakin.robot import Robot
from tests import machines
from tests.assembly import path_reference
from tests.assembly.solutions import LEG_GAP, ROBOTS, distance, gaps, rotations


def test_forty_real_poses() -> None:
    """Verified by substitution: no other count of distinct solutions that close is possible."""
    description = machines.dietmaier()
    q = np.array(machines.DIETMAIER_LENGTHS)
    modes = assembly_modes(description, q)
    assert modes.count == modes.complex_count == 40
    assert gaps(description, q, modes).max() < LEG_GAP
    apart = [np.sort(distance(SPATIAL, modes.poses, pose))[1] for pose in modes.poses]
    assert min(apart) > 1e-4


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
            assert distance(SPATIAL, known, pose).min() < 1e-8


def test_singular_poses_are_reported_as_such() -> None:
    """A quarter turn about z is singular for these platforms (Fichter), and so is its mirror image."""
    for description in (machines.semi_regular(), machines.six_three()):
        pose = np.array([0.0, 0.0, 1.1, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
        spheres = closure_of(description).surfaces(np.ones(6))
        q = np.linalg.norm(pose[:3] + spheres.b @ rotations(SPATIAL, pose).T - spheres.u, axis=-1)
        modes = assembly_modes(description, q)
        assert modes.singular == 2
        assert distance(SPATIAL, modes.poses, pose).min() < 1e-4


def test_how_many_paths_are_followed_together_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = Robot(ROBOTS["gough_stewart_general"]())
    q = robot.inverse_kinematics(robot.sample(5, seed=2))
    together = assembly_modes(robot.description, q)
    monkeypatch.setattr(six_legs, "PATHS_AT_A_TIME", 80)
    apart = assembly_modes(robot.description, q)
    assert np.array_equal(apart.count, together.count)
    assert apart.poses == pytest.approx(together.poses, abs=1e-12, nan_ok=True)
