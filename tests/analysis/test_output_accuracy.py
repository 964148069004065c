"""Accuracy of a mechanism's output: against the same robot as legs, against dimensions that are off, and its limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parakin.analysis import QUANTITIES, Options, evaluate_all
from parakin.analysis.options import Space
from parakin.arrays import Array
from parakin.description import RobotDescription
from parakin.mechanism import describe_mechanism, mechanism_to_toml, parse_mechanism, with_distances
from parakin.robot import Robot
from tests.mechanism.round_rods import rounded
from tests.robots import robot_named, twins_later

PLAY = 1e-5
"""[m]"""
SAME = 1e-9
"""Relative difference: the same numbers by forces and by dimensions."""
ACCURACY = QUANTITIES["accuracy"]


def at_output(robot: Robot, pose: Array, near: Array | None = None, **options: Any) -> Array:
    return evaluate_all((ACCURACY,), robot, pose, Options(at="output", **options), near)["accuracy"].values


def with_play(robot: Robot) -> Robot:
    """Return the robot with play in its joints, half of it where legs meet the platform."""
    tables = robot.description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        for element in leg["elements"]:
            element["joint"]["clearance"] = PLAY
        if "joint" in leg["attachment"]:
            leg["attachment"]["joint"]["clearance"] = PLAY / 2
    return Robot(RobotDescription.model_validate(tables))


@pytest.mark.parametrize("name", twins_later(["five_bar", "gough_stewart", "hexa", "planar_3rrr"]))
def test_a_graph_has_the_accuracy_of_its_robot(name: str) -> None:
    robot = with_play(robot_named(name))
    pose = robot.sample(4, seed=1)
    still = np.zeros((4, robot.degrees_of_freedom))
    moved = robot.graph_state(pose, still, still)
    spaces: list[Space] = ["translation", "rotation"] if robot.motion_type.angular else ["translation"]
    every: list[dict[str, Any]] = [{"resolution": 1e-6}, {"resolution": 1e-5, "clearance": 0.0}]
    for chosen in every:
        for space in spaces:
            legs = ACCURACY.evaluate(robot, pose, Options(space=space, **chosen)).values
            graph = at_output(robot.graph, moved.pose, moved.near, space=space, **chosen)
            np.testing.assert_allclose(graph, legs, rtol=SAME)


def test_play_moves_the_output_as_far_as_joints_that_are_off() -> None:
    tables: dict[str, Any] = robot_named("four_bar").graph_description.model_dump()
    pose = np.array([0.4])
    joint = next(one for one in tables["joints"] if one["name"] == "coupler_rocker")
    middle, place = robot_named("four_bar").platform_frame(pose).p, np.array(joint["parent_frame"]["position"])
    joint["child_frame"] = {**joint["parent_frame"]}
    moved: list[float] = []
    for angle in np.linspace(0.0, np.pi, 60):
        off = PLAY * np.array([np.cos(angle), 0.0, np.sin(angle)])
        joint["parent_frame"] = {**joint["parent_frame"], "position": (place + off).tolist()}
        moved.append(float(np.linalg.norm(Robot(describe_mechanism(tables, "off")).platform_frame(pose).p - middle)))
    joint["parent_frame"] = {**joint["child_frame"]}
    joint["clearance"] = PLAY
    found = at_output(Robot(describe_mechanism(tables, "loose")), pose)
    assert found == pytest.approx(max(moved), rel=2e-3)  # every third of a degree of the directions is tried


def test_more_motors_than_freedoms_share_errors_as_their_drives_do() -> None:
    table = robot_named("redundant_4rrr")
    pose = table.sample(5)
    own = ACCURACY.evaluate(table, pose, Options(resolution=1e-4)).values
    np.testing.assert_allclose(at_output(table, pose, resolution=1e-4), own, rtol=1e-6)


def test_what_no_accuracy_of_the_output_has_is_refused() -> None:
    linkage = robot_named("four_bar")
    assert "choose at = 'output'" in str(ACCURACY.obstacle(linkage, Options(clearance=PLAY)))
    assert "give `space`" in str(ACCURACY.obstacle(linkage, Options(at="output", direction=(1.0,), resolution=1e-4)))
    assert ACCURACY.unit_of(linkage, Options(at="output", resolution=1e-4)) == "m"
    assert ACCURACY.unit_of(linkage, Options(at="output", resolution=1e-4, space="rotation")) == "rad"


def test_clearances_are_read_and_written_and_kept() -> None:
    graph = with_play(robot_named("gough_stewart")).graph.graph_description
    assert parse_mechanism(mechanism_to_toml(graph).encode(), "g.toml") == graph
    assert sorted({joint.clearance or 0.0 for joint in graph.joints}) == [0.0, PLAY]  # ends of legs have no table
    tables: dict[str, Any] = rounded("four_bar_rssr").model_dump()
    ball = next(one for one in tables["joints"] if one["name"] == "b")
    ball["clearance"] = PLAY
    loose = describe_mechanism(tables, "r")
    assert not any(joint.type == "distance" for joint in with_distances(loose).joints)
    assert [rod.kept for rod in Robot(loose).plan.rods] == [""]  # a plan has the play beside the distance
    assert at_output(Robot(loose), Robot(loose).home) > 0
    with pytest.raises(ValueError, match="a weld joint has no clearance"):
        describe_mechanism(tables | {"joints": [ball | {"type": "weld", "home": None}]}, "r")
