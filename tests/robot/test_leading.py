"""Mechanisms are led from home along straight ways: as a fine walk leads them, and with every turn counted."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.analysis import QUANTITIES, Reason, Slice, evaluate_all, judge_of, performance_map, workspace
from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.mechanism import describe_mechanism
from parakin.motions.offsets import displaced
from parakin.robot import Robot
from tests.robots import robot_named

FINE = 60
"""Steps of the walk that is compared with."""
SAME = 1e-8
"""Largest difference of coordinates where both arrive [m, rad]."""


def mechanism_named(name: str) -> Robot:
    return robot_named(name)


def limited_four_bar() -> Robot:
    """A four-bar whose coupler may turn a little more than half a turn about its crank."""
    tables = mechanism_named("four_bar").graph_description.model_dump(exclude_defaults=True)
    (joint,) = (one for one in tables["joints"] if one["name"] == "crank_coupler")
    joint["freedoms"]["angle"] |= {"lower": -3.3, "upper": 3.3}
    return Robot(describe_mechanism(tables, "four_bar"))


def walked(one: Robot, offsets: Array) -> Array:
    """Configurations at the ends of straight ways in many small steps; NaN where one is lost."""
    found = np.tile(one.home_configuration, (len(offsets), 1))
    for share in np.linspace(0.0, 1.0, FINE + 1)[1:]:
        out = one.evaluate("configuration", pose=displaced(one.plan.motion, one.home, share * offsets), near=found)
        lost = np.isin(out.status, (int(Status.NOT_CONVERGED), int(Status.SINGULAR))) | np.isnan(found).any(axis=1)
        found = np.where(lost[:, None], np.nan, out["configuration_found"])
    return found


SOON = ("four_bar", "redundant_4rrr")
"""Mechanisms that formulas close: quick, and those whose angles a jump from home gets wrong."""


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one in SOON else pytest.mark.slow) for one in pk.mechanism_library()]
)
def test_ways_lead_where_a_fine_walk_leads(name: str) -> None:
    one = mechanism_named(name)
    offsets = np.random.default_rng(0).uniform(2.0 * one.box[0], 2.0 * one.box[1], (200, len(one.home)))
    expected, way = walked(one, offsets), one.led_from_home(displaced(one.plan.motion, one.home, offsets))
    both = np.isfinite(expected).all(axis=1) & (way.status == int(Status.GOOD))
    assert np.abs(way.configuration - expected)[both].max() < SAME
    assert both.sum() > 50
    assert (np.isfinite(expected).all(axis=1) != (way.status == int(Status.GOOD))).sum() <= 4
    assert np.isnan(way.configuration[way.status != int(Status.GOOD)]).all()


def test_every_turn_on_the_way_is_counted() -> None:
    one = mechanism_named("four_bar")
    goals = np.array([[0.3 + 2 * np.pi * k] for k in (0, 1, -3, 40)])
    found, status = one.led_from_home(goals)
    coupler = found[:, one.place_names.index("crank_coupler.angle")]
    assert (status == 0).all()
    assert np.allclose(coupler - coupler[0], -2 * np.pi * np.array([0, 1, -3, 40]))
    assert one.led_from_home(np.array([[np.nan], [1e9]])).status.tolist() == [Status.UNUSABLE, Status.NOT_CONVERGED]


def test_workspace_map_and_check_agree_on_a_joint_that_turns_more_than_half() -> None:
    """The coupler's angle passes -3.3 rad on the way; a whole turn more would bring it back within its limits."""
    one = limited_four_bar()
    seen = performance_map(
        one, ["velocity"], Slice(axes=("crank.angle",), ranges={"crank.angle": (-3.1, 3.1)}, grid=32)
    )
    reasons = seen.values["velocity"].reasons
    judge = judge_of(one)
    codes = judge(seen.poses)
    beyond = reasons == int(Reason.JOINT_LIMIT)
    assert beyond.sum() == 2
    assert [str(judge.causes[code]) for code in codes[beyond]] == ["joint limit: crank_coupler.angle above"] * 2
    assert np.array_equal(one.check(seen.poses), reasons)
    assert ((codes == 0) == (reasons == 0)).all()
    assert workspace(one).volume() < 6.1


def test_a_pose_of_a_map_does_not_depend_on_what_else_it_shows() -> None:
    one = limited_four_bar()
    near, far = (
        performance_map(one, ["velocity"], Slice(ranges={"crank.angle": ends}, grid=11)).values["velocity"].reasons
        for ends in ((-3.1, 3.1), (-3.1, -2.48))
    )
    assert (near[0], near[1]) == (far[0], far[-1])
    poses = np.array([[-3.1], [-2.9], [0.0]])
    found = [evaluate_all((QUANTITIES["velocity"],), one, part)["velocity"] for part in (poses, poses[::-1])]
    assert np.array_equal(found[0].reasons, found[1].reasons[::-1])


def test_a_table_does_not_turn_for_ever_within_strokes_of_its_motors() -> None:
    found = workspace(mechanism_named("redundant_4rrr"), ("table.angle",), levels=2)
    assert found.volume() == pytest.approx(5.768, abs=0.01)
    assert found.volume("all") < 100.0  # after half a turn arms fold, and steps over that pose lead on
