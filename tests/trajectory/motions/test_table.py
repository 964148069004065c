"""Laws of every motion on every type of robot: derivatives, continuity, rest at both ends, reach and limits."""

from __future__ import annotations

import pkgutil

import numpy as np
import pytest

import parakin.trajectory
from parakin.errors import MotionError, UnknownNameError
from parakin.trajectory import MOTIONS, check, motion
from tests.trajectory.helpers import (
    MOMENTS,
    PAIRS,
    STARTS_WITH_ACCELERATION,
    made,
    robot_named,
    slopes_agree,
)

REST = 1e-12
"""Relative to the largest on the way: rounding at the end of a polynomial."""
AT_PUBLISHED_SPEED = ("circle", "pick_and_place")
"""1 m/s, or 305 mm in half a second: more than robots with screws can do."""


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_velocity_and_acceleration_are_derivatives(name: str, kind: str) -> None:
    slopes_agree(made(name, kind), MOMENTS)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_acceleration_is_continuous(name: str, kind: str) -> None:
    """No jump between neighbours on a fine grid: twice the grid halves the largest difference."""
    motion = made(name, kind)
    largest = [
        np.max(np.abs(np.diff(motion.at(np.linspace(0.0, motion.duration, count)).acceleration, axis=0)))
        for count in (2001, 4001)
    ]
    assert largest[1] < 0.6 * largest[0]


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_motions_go_from_rest_to_rest(name: str, kind: str) -> None:
    motion = made(name, kind)
    way = motion.at(np.linspace(0.0, motion.duration, 201))
    ends = motion.at([0.0, motion.duration])
    assert np.max(np.abs(ends.velocity)) <= REST * np.max(np.abs(way.velocity))
    if kind not in STARTS_WITH_ACCELERATION:
        assert np.max(np.abs(ends.acceleration)) <= REST * np.max(np.abs(way.acceleration))


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_default_motions_are_within_reach_and_stroke(name: str, kind: str) -> None:
    robot, motion = robot_named(name), made(name, kind)
    t = np.linspace(0.0, motion.duration, 401)
    q = robot.inverse_kinematics(motion.at(t).pose)
    assert not robot.strokes.beyond(q).any()


@pytest.mark.parametrize(("name", "kind"), [pair for pair in PAIRS if pair[1] not in AT_PUBLISHED_SPEED])
def test_default_motions_are_within_limits(name: str, kind: str) -> None:
    checked = check(made(name, kind), robot_named(name), states=301)
    assert checked.good, checked


def test_motions_are_asked_for_by_name() -> None:
    robot = robot_named("delta")
    assert {motion(kind, robot).name for kind in MOTIONS if kind != "cosine_turn"} == set(MOTIONS) - {"cosine_turn"}
    with pytest.raises(UnknownNameError, match=r"no motion 'jump'; choose one of point_to_point, "):
        motion("jump", robot)


def test_no_exported_name_hides_a_module() -> None:
    modules = {module.name for module in pkgutil.iter_modules(parakin.trajectory.__path__)}
    assert modules >= {"motions", "states"}
    assert not modules & set(parakin.trajectory.__all__)


def test_options_go_to_the_builder_and_durations_to_every_motion() -> None:
    robot = robot_named("delta")
    assert motion("pick_and_place", robot, cycle=0.7).duration == 0.7
    assert motion("lift", robot, height=0.05, duration=0.3).duration == 0.3
    slow = motion("circle", robot, diameter=0.1, duration=5.0)
    assert slow.duration == pytest.approx(5.0)
    assert slow.at(0.0).pose == pytest.approx(motion("circle", robot, diameter=0.1).at(0.0).pose)
    with pytest.raises(MotionError, match="circle: cycle: is no option of this motion, which has diameter, speed"):
        motion("circle", robot, cycle=1.0)
    with pytest.raises(MotionError, match="circle: duration: must be finite and > 0 s, got -1"):
        motion("circle", robot, duration=-1.0)
