"""What a mechanism file says beside bodies and joints, and what the graph of a robot keeps of its leg file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.description import RobotDescription, attachment_joint, library
from parakin.errors import DescriptionError, JointLimitError
from parakin.mechanism import (
    MechanismDescription,
    describe_mechanism,
    graph_of,
    mechanism_to_toml,
    parse_mechanism,
    with_distances,
)
from parakin.robot import mechanism_card, survey_mechanism
from parakin.robot.cards import sources
from parakin.viewer.placing import scene_of
from tests.mechanism.round_rods import rounded, with_bodies
from tests.mechanisms import described
from tests.robots import robot_named
from tests.variants import on_spheres


@pytest.mark.parametrize("name", library())
def test_graphs_are_written_and_read_back(name: str) -> None:
    graph = graph_of(robot_named(name).description)
    assert parse_mechanism(mechanism_to_toml(graph).encode(), f"{name}.toml") == graph
    assert graph.length == robot_named(name).length
    assert graph.tool == robot_named(name).tool


@pytest.mark.parametrize("name", library())
def test_graphs_say_where_their_numbers_come_from(name: str) -> None:
    description = robot_named(name).description
    graph = graph_of(description)
    said = {*"; ".join(source for _, source in sources(graph)).split("; ")}
    expected = [description.source, *(leg.source for leg in description.legs)]
    for element in (element for leg in description.legs for element in leg.elements):
        expected += [element.source, *(body.source for body in element.bodies)]
        expected += [element.actuator.source] if element.actuator is not None else []
    expected += [body.source for body in description.platform.bodies]
    assert {part for source in expected for part in source.split("; ")} <= said
    assert all(one.source != description.source for one in (*graph.bodies, *graph.joints))


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


REFERENCE, AT_PLATFORM = (0.3, 0.2, -1.0), (-0.2, 0.1, 1.0)


def coned(name: str, root: float = 3.0, end: float = 3.0) -> pk.Robot:
    """Return a robot with cones at the root of the last element of each leg and at the platform."""
    description = robot_named(name).description
    description = on_spheres(description) if name == "gough_stewart" else description
    tables = description.model_dump(exclude_defaults=True)
    for leg, table in zip(description.legs, tables["legs"], strict=True):
        joint = attachment_joint(leg, description.motion_type).model_dump(exclude_defaults=True)
        table["elements"][-1]["joint"] |= {"cone": root, "reference": REFERENCE}
        table["attachment"]["joint"] = joint | {"cone": end, "reference": AT_PLATFORM}
    return pk.Robot(RobotDescription.model_validate(tables))


@pytest.mark.parametrize("name", ["delta", "gough_stewart"])
def test_cones_of_a_robot_limit_its_graph_too(name: str) -> None:
    wide = coned(name)
    state = wide.sample_states(40, seed=2)
    angles = wide.limited_values(state[0])[1]
    legs = len(wide.legs)
    robot = coned(name, *(float(np.quantile(part, 0.95)) for part in (angles[:, :legs], angles[:, legs:])))
    pose, *_, near = robot.graph_state(*state)
    graph, rods = robot.graph, 2 if name == "delta" else 1
    assert [joint.endswith(".cone") for joint in graph.joint_limits.names] == [True] * 2 * legs * rods
    seen = graph.limited_values(pose, near=near)[1].reshape(40, legs, 2, rods)  # leg by leg, roots, then ends
    for k in range(rods):
        np.testing.assert_allclose(np.concatenate([seen[:, :, 0, k], seen[:, :, 1, k]], axis=1), angles, atol=1e-9)
    status = robot.check(state[0])
    assert set(status.tolist()) == {pk.Status.GOOD, pk.Status.JOINT_LIMIT}
    np.testing.assert_array_equal(graph.check(pose, near=near), status)
    read = parse_mechanism(graph.to_toml().encode(), f"{name}.toml")
    assert read == graph.graph_description


def with_cone(name: str, joint: str, cone: Mapping[str, object]) -> MechanismDescription:
    """Return a mechanism with a cone at one of its joints."""
    tables: dict[str, Any] = (
        rounded(name) if name == "four_bar_rssr" else robot_named(name).graph_description
    ).model_dump()
    next(one for one in tables["joints"] if one["name"] == joint)["cone"] = cone
    return MechanismDescription.model_validate(tables)


def test_a_cone_at_a_rod_leaves_that_a_distance_if_it_is_about_its_line() -> None:
    line = described("four_bar_rssr").joints[3].parent_frame.position
    description = with_cone("four_bar_rssr", "b", {"angle": 1.0, "on_child": line})
    rod, body = pk.Robot(description), with_bodies(description)
    assert [one.kept for one in rod.plan.rods] == [""]
    assert rod.coordinate_names[-1] == rod.joint_limits.names[0] == "b.cone"
    pose = rod.sample(10)
    spinning = np.concatenate([pose, np.tile(body.home[len(rod.home) :], (10, 1))], axis=1)
    np.testing.assert_allclose(rod.limited_values(pose)[1], body.limited_values(spinning)[1], atol=1e-9)
    assert [joint.type for joint in with_distances(description).joints].count("distance") == 0
    tilted = pk.Robot(with_cone("four_bar_rssr", "b", {"angle": 1.0, "on_child": (1, 0, 0)}))
    assert [one.kept for one in tilted.plan.rods] == ["the cone of b is not about its line"]


def test_a_cone_of_a_mechanism_is_looked_at_as_other_limits_are() -> None:
    free = robot_named("tripod_3rps")
    line = {"on_parent": (0.0, 0.0, 1.0), "on_child": (0.0, 0.0, 1.0)}
    pose = free.sample(200)
    angles = pk.Robot(with_cone("tripod_3rps", "ball1", line | {"angle": 3.0})).limited_values(pose)[1][:, -1]
    R = free.body_frames(pose).R
    piston, platform = (R[:, free.body_names.index(name), :, 2] for name in ("piston1", "platform"))
    np.testing.assert_allclose(np.cos(angles), np.sum(piston * platform, axis=1), atol=1e-12)
    half = float(np.median(angles))
    robot = pk.Robot(with_cone("tripod_3rps", "ball1", line | {"angle": half}))
    np.testing.assert_array_equal(robot.check(pose) == pk.Status.JOINT_LIMIT, angles > half)
    with pytest.raises(JointLimitError, match=r"ball1\.cone"):
        robot.inverse_kinematics(pose[np.argmax(angles)])
    assert "ball1.cone" in survey_mechanism(robot, 50).joints
    assert "ball1.cone" in dict(dict(mechanism_card(robot))["Joint limits"])
    assert {cause.name for cause in pk.analysis.causes_of(robot)} >= {"ball1.cone"}
    place = robot.coordinate_names.index("ball1.cone")
    assert robot.joints(robot.home, *np.zeros((2, 3))).coordinate.shape == (place + 1,)
    motion = pk.trajectory.point_to_point(robot, robot.home, pose[np.argmax(angles)], duration=0.5)
    assert "ball1.cone" in {entry.actuator for entry in pk.trajectory.check(motion, robot).excesses}
    law = pk.control.law("computed_torque", robot)
    log = pk.simulation.simulate(robot, law, pk.control.reference(robot, motion, 1e-3))
    assert "ball1.cone" in {entry.actuator for entry in log.beyond}


@pytest.mark.parametrize(
    ("joint", "cone", "said"),
    [
        ("hinge1", {"angle": 0.4}, "a revolute joint has no cone: give its freedoms lower and upper"),
        ("ball1", {"angle": -0.4}, r"joints\[2\]\.cone\.angle: must be > 0"),
        ("ball1", {"angle": 0.4, "reference": (0, 0, 1)}, "unknown key; known are angle, on_child, on_parent"),
    ],
)
def test_wrong_cones_are_refused(joint: str, cone: dict[str, object], said: str) -> None:
    tables: dict[str, Any] = robot_named("tripod_3rps").graph_description.model_dump(exclude_defaults=True)
    next(one for one in tables["joints"] if one["name"] == joint)["cone"] = cone
    with pytest.raises(DescriptionError, match=said):
        describe_mechanism(tables, "mine.toml")
