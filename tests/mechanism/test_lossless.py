"""What a mechanism file says beside bodies and joints, and what the graph of a robot keeps of its leg file."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.description import library
from parakin.errors import DescriptionError
from parakin.mechanism import graph_of, mechanism_to_toml, parse_mechanism
from parakin.viewer.placing import scene_of
from tests.robots import robot_named


@pytest.mark.parametrize("name", library())
def test_graphs_are_written_and_read_back(name: str) -> None:
    graph = graph_of(robot_named(name).description)
    assert parse_mechanism(mechanism_to_toml(graph).encode(), f"{name}.toml") == graph
    assert graph.length == robot_named(name).length
    assert graph.tool == robot_named(name).tool


@pytest.mark.parametrize("name", ["delta", "gough_stewart", "h4"])
def test_graphs_have_the_condition_numbers_of_their_robots(name: str) -> None:
    robot = robot_named(name)
    assert robot.graph.condition(robot.graph.home) == pytest.approx(robot.condition(robot.home), rel=1e-9)


def test_the_length_of_a_file_takes_the_place_of_the_size() -> None:
    tripod = robot_named("tripod_3rps")
    longer = tripod.replace(length=2.0 * tripod.length)
    assert longer.length == 2.0 * tripod.length
    assert longer.condition(tripod.home) != pytest.approx(tripod.condition(tripod.home), rel=0.1)


POSITION, QUATERNION = (0.02, -0.03, 0.1), tuple(pk.poses.quaternion_from_euler("zyx", [0.3, -0.2, 0.5]).tolist())
TOOL = {"position": POSITION, "quaternion": QUATERNION}


def test_a_tool_moves_as_a_frame_fixed_to_the_output_does() -> None:
    plain = robot_named("tripod_3rps")
    output = plain.graph_description.output
    on_body = plain.replace(tool=TOOL).tool
    assert on_body is not None
    R = output.frame.rotation
    place = np.array(output.frame.position) + R @ np.array(POSITION)
    z, x = ((R @ on_body.rotation)[:, k].tolist() for k in (2, 0))
    other = {"name": "other", "body": output.body, "frame": {"position": place.tolist(), "z": z, "x": x}}
    tripod = plain.replace(tool=TOOL, frames=[other])
    assert tripod.frame_names == ("output", "other", "tool")
    state = tripod.sample_states(10, seed=4)
    for tool, expected in zip(tripod.frame_motion("tool", *state), tripod.frame_motion("other", *state), strict=True):
        np.testing.assert_allclose(tool, expected, atol=1e-12 * max(1.0, float(np.abs(expected).max())))
    with pytest.raises(DescriptionError, match="'tool' is the name of the tool frame"):
        plain.replace(tool=TOOL, frames=[other | {"name": "tool"}])
    assert parse_mechanism(tripod.to_toml().encode(), "t.toml") == tripod.graph_description


def test_a_robot_and_its_graph_hold_the_tool_at_one_place() -> None:
    plain = robot_named("gough_stewart")
    platform = plain.description.platform.model_dump(exclude_defaults=True)
    robot = plain.replace(platform=platform | {"tool": TOOL})
    seen = pk.poses.tool_pose(robot.home, POSITION, QUATERNION)
    for one in (robot, robot.graph):
        tool = one.frame("tool", one.home)
        np.testing.assert_allclose(tool.p, seen[:3], atol=1e-12)
        np.testing.assert_allclose(tool.R, pk.poses.matrix_from_quaternion(seen[3:]), atol=1e-12)
    assert plain.frame_names == ("output",)
    linkage = scene_of(robot.graph), scene_of(robot)
    assert [sum(part.role.name == "TOOL" for part in scene.parts) for scene in linkage] == [1, 1]
