"""Assembly modes by search: what is found is right, each once, and known counts are reached."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from parakin.arrays import Array
from parakin.errors import CapabilityError, KernelInputError, UnsupportedRobotError
from tests.robots import robot_named

SAME_POSE = 1e-6
"""Largest difference of two poses that are one: searches end at 1e-9."""
RADIUS, PLATFORM = 0.26, 0.12
"""Of the tripod's hinges and of its balls [m], as its file has them."""


def test_a_four_bar_has_its_coupler_up_or_down() -> None:
    linkage = robot_named("four_bar")
    q = linkage.sample(5, seed=4)
    modes = linkage.some_assembly_modes(q, starts=50)
    assert modes.count.tolist() == [2] * 5
    assert modes.configurations.shape[:2] == (5, 2)
    assert np.max(modes.residuals) < 1e-12
    for k in range(2):
        assert linkage.configuration(q, near=modes.configurations[:, k]) == pytest.approx(modes.configurations[:, k])
    rocker = modes.configurations[..., 1] + modes.configurations[..., 2] + q
    assert np.min(np.abs(np.sin((rocker[:, 0] - rocker[:, 1]) / 2))) > 0.1


def _tripod_modes(lengths: Array) -> int:
    """Count the real solutions of a 3-RPS by its three leg angles.

    Ball i is at (R - l_i cos a_i, l_i sin a_i) in its leg's plane, and balls are sqrt(3) r apart. Distances between
    1, 2 and 1, 3 give a_2 and a_3 for a_1, two of each; that between 2 and 3 changes its sign at solutions.
    """
    apart = 3 * PLATFORM**2

    def ball(k: int, angle: float) -> Array:
        radius = RADIUS - lengths[k] * math.cos(angle)
        turn = 2 * math.pi * k / 3
        return np.array([radius * math.cos(turn), radius * math.sin(turn), lengths[k] * math.sin(angle)])

    def others(k: int, first: float) -> list[float]:
        """|ball(k, a) - ball(0, first)|^2 = apart is A cos a + B sin a = K; three points tell A, B and K."""
        at = ball(0, first)
        zero, quarter, half = (float(np.sum((ball(k, a) - at) ** 2)) for a in (0.0, math.pi / 2, math.pi))
        A, mean = (zero - half) / 2, (zero + half) / 2
        B = quarter - mean
        K, size = apart - mean, math.hypot(A, B)
        if abs(K) > size:
            return []
        return [math.atan2(B, A) + side * math.acos(K / size) for side in (1, -1)]

    def miss(first: float, i: int, j: int) -> float:
        second, third = others(1, first), others(2, first)
        if not second or not third:
            return math.nan
        return float(np.sum((ball(1, second[i]) - ball(2, third[j])) ** 2)) - apart

    count = 0
    for i in range(2):
        for j in range(2):
            angles = np.linspace(-math.pi, math.pi, 1001)
            values = np.array([miss(a, i, j) for a in angles])
            for k in np.flatnonzero(values[:-1] * values[1:] < 0):
                root = np.asarray(brentq(miss, angles[k], angles[k + 1], (i, j))).item()
                count += abs(miss(root, i, j)) < 1e-9
    return count


def test_a_tripod_has_the_sixteen_modes_that_its_equations_have() -> None:
    tripod = robot_named("tripod_3rps")
    q = tripod.inverse_kinematics(tripod.home + np.array([0.012, -0.005, 0.02]))
    modes = tripod.some_assembly_modes(q, starts=2000)
    assert int(modes.count) == _tripod_modes(q)
    assert np.max(modes.residuals) < 1e-10
    assert str(modes).endswith("from 2000 random starts; the list may not be complete")


@pytest.mark.parametrize("name", ["five_bar", "planar_3rrr"])
def test_what_is_found_is_among_all_modes(name: str) -> None:
    robot = robot_named(name)
    q = robot.inverse_kinematics(robot.sample(6, seed=1))
    some, every = robot.some_assembly_modes(q, starts=100), robot.assembly_modes(q)
    assert np.all(some.count >= 1)
    assert np.all(some.count <= every.count)
    for k in range(6):
        for pose in some.poses[k, : some.count[k]]:
            away = np.abs(every.poses[k, : every.count[k]] - pose)
            if robot.motion_type.turns_about_z:
                away[:, 2] = np.abs((away[:, 2] + math.pi) % (2 * math.pi) - math.pi)
            assert np.min(np.max(away, axis=1)) < SAME_POSE


def test_actuator_positions_that_no_pose_has_give_none() -> None:
    linkage = robot_named("five_bar")
    found = linkage.some_assembly_modes(np.array([[0.0, math.pi], [np.nan, 0.0]]), starts=20)
    assert found.count[1] == 0
    assert np.isnan(found.poses[1]).all()


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(CapabilityError, match="use some_assembly_modes, which searches from many starts"):
        robot_named("tripod_3rps").assembly_modes(np.zeros(3))
    with pytest.raises(
        UnsupportedRobotError, match="has 4 motors for 3 freedoms, and a pose from motor positions needs"
    ):
        robot_named("redundant_4rrr").some_assembly_modes(np.zeros(4))
    linkage = robot_named("four_bar")
    with pytest.raises(KernelInputError, match=r"q: expected shape \(\.\.\., 1\)"):
        linkage.some_assembly_modes(np.zeros(2))
    with pytest.raises(KernelInputError, match="q: expected finite numbers"):
        linkage.some_assembly_modes(np.array([np.nan]))
    with pytest.raises(KernelInputError, match="starts: expected a whole number, at least 0"):
        linkage.some_assembly_modes(np.zeros(1), starts=-1)
    with pytest.raises(KernelInputError, match="at least one set"):
        linkage.some_assembly_modes(np.zeros((0, 1)))
