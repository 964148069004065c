"""Platforms that turn about z."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly import assembly_modes
from parakin.assembly.closure import Spheres
from parakin.assembly.turning import candidates
from parakin.description import RobotDescription
from parakin.motions import PLANAR, SCHOENFLIES, MotionType
from parakin.robot import Robot
from tests import machines
from tests.assembly.solutions import KNOWN_POSE, distance


def test_six_real_poses_of_a_planar_robot() -> None:
    assert assembly_modes(machines.planar_3rpr(), machines.SIX_POSES).count == 6


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_elbows_at_one_height(tilt: float) -> None:
    """All rows of the elimination lie in a plane: four angles, two heights each, and the same nearby."""
    robot = Robot(machines.quattro())
    pose = robot.home + tilt * np.array([1.0, -0.5, 0.3, 0.7])
    modes = assembly_modes(robot.description, robot.inverse_kinematics(pose))
    assert modes.count == 4
    assert modes.complex_count == 8
    assert distance(SCHOENFLIES, modes.poses, pose).min() < KNOWN_POSE


@pytest.mark.parametrize("motion", [PLANAR, SCHOENFLIES])
def test_a_platform_that_moves_at_every_angle_has_no_candidates(motion: MotionType) -> None:
    """All legs from one point to one point: P vanishes everywhere; beside a set that has candidates."""
    legs = motion.degrees_of_freedom
    rng = np.random.default_rng(0)
    b = np.zeros((legs, 3))
    u = np.stack([np.zeros((legs, 3)), rng.normal(size=(legs, 3)) * [1, 1, not motion.planar]])
    p_OE = np.array([0.1, 0.2, 0.0 if motion.planar else 0.3])
    squared = np.stack([np.ones(legs), np.sum((p_OE - u[1]) ** 2, axis=-1)])
    found = candidates(motion, Spheres(u, squared, b))
    assert np.isnan(found.p_OE[0]).all()
    assert found.complex_count[0] == 0


def planar(base: list[tuple[float, float, float]], platform: list[tuple[float, float, float]]) -> RobotDescription:
    """Return a planar 3-RPR."""
    legs = [machines.leg(k, base[k], platform[k], machines.strut(machines.REVOLUTE)) for k in range(3)]
    return machines.robot("planar", "planar", (0.4, 0.3, 0.2), legs, 1.0)


BASE = [(0.0, 0.0, 0.0), (1.5, 0.0, 0.0), (0.7, 1.0, 0.0)]


def test_solutions_that_are_missing_are_at_infinity() -> None:
    """Where two legs meet on the platform a row of the elimination does not turn: four solutions, not six."""
    robot = Robot(planar(BASE, [(-0.2, 0.1, 0.0), (-0.2, 0.1, 0.0), (0.3, 0.2, 0.0)]))
    pose = np.array([0.4, 0.3, 0.2])
    modes = assembly_modes(robot.description, robot.inverse_kinematics(pose))
    assert modes.complex_count == 4
    assert modes.at_infinity == 2
    assert distance(PLANAR, modes.poses, pose).min() < KNOWN_POSE
