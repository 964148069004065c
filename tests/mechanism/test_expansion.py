"""Every robot as a graph of bodies and joints, closed by Newton, is the robot of legs; the two share no code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.description import OPEN_SPIN, RobotDescription, expanded_legs, library
from parakin.kinematics.joint_table import leg_bodies
from parakin.mechanism import numeric
from parakin.mechanism.assembling import scaled_rows
from parakin.mechanism.expansion import graph_of
from parakin.mechanism.skeleton import skeleton
from parakin.motions.offsets import displaced, frame_at
from parakin.robot import Robot
from tests.reference import DATA
from tests.robots import twins_later
from tests.variants import on_spheres

STATES = 20
"""Poses of the box that are looked at."""
STEPS = 10
"""The graph follows the platform from home in so many steps, so that it stays in its assembly mode."""
AGREES = 1e-10
"""Largest difference: of places in sizes of the robot, of forces relative to the largest over all states."""


PARTS = {"root": "", "tip": "_tip", "ring": "_ring"}
"""Part of an element -> what the name of its body in the graph ends with."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A robot and its graph at the same states."""

    robot: Robot
    graph: Robot
    pose: Array
    velocity: Array
    acceleration: Array
    configuration: Array

    @property
    def state(self) -> dict[str, Any]:
        """The same motion for the graph: rates and accelerations of its motors, from the legs."""
        sign = np.array([actuator.sign for actuator in self.robot.actuators])
        return {
            "configuration": self.configuration,
            "velocity": sign * self.robot.actuator_velocity(self.pose, self.velocity),
            "acceleration": sign * self.robot.actuator_acceleration(self.pose, self.velocity, self.acceleration),
        }


def backwards(robot: Robot) -> Robot:
    """The same robot with motors that count the other way, from elsewhere, without strokes."""
    tables = robot.description.model_dump()
    for table in tables["legs"]:
        for element in table["elements"]:
            if element["actuator"] is not None:
                element["actuator"] |= {"sign": -1, "zero": 0.3, "lower": None, "upper": None}
    return Robot(RobotDescription.model_validate(tables))


VARIANTS: dict[str, Callable[[], Robot]] = {
    "a 3-URU": lambda: pk.load(DATA / "uru.toml"),
    "struts between balls": lambda: Robot(on_spheres(pk.load("gough_stewart").description)),
    "arms and bars between balls": lambda: Robot(on_spheres(pk.load("hexa").description)),
    "motors backwards": lambda: backwards(pk.load("planar_3rrr")),
}
CASES = (*library(), *VARIANTS)


def coordinates(robot: Robot, pose: Array) -> Array:
    """Coordinates of the driven joints."""
    sign = np.array([actuator.sign for actuator in robot.actuators])
    return np.array([actuator.zero for actuator in robot.actuators]) + sign * robot.inverse_kinematics(pose)


@cache
def pair(name: str) -> Pair:
    robot = VARIANTS[name]() if name in VARIANTS else pk.load(name)
    graph = Robot(graph_of(robot.description))
    assert graph.pose_names == graph.actuator_names  # as many motors as freedoms, in the order of the legs
    rng = np.random.default_rng(3)
    offsets = rng.uniform(*robot.box, (STATES, robot.degrees_of_freedom))
    configuration = np.tile(graph.home_configuration, (STATES, 1))
    for share in np.linspace(0, 1, STEPS + 1)[1:]:
        on_the_way = displaced(robot.motion_type, robot.home, share * offsets)
        configuration = graph.configuration(coordinates(robot, on_the_way), near=configuration)
    size = (STATES, robot.degrees_of_freedom)
    pose = displaced(robot.motion_type, robot.home, offsets)
    return Pair(robot, graph, pose, rng.normal(size=size), 5 * rng.normal(size=size), configuration)


def farthest(a: Array, b: Array) -> float:
    """Largest difference relative to the largest entry of b; NaN, which fails, where a state did not close."""
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))


@pytest.mark.parametrize("name", twins_later(CASES))
def test_graphs_are_put_together_at_home(name: str) -> None:
    robot = VARIANTS[name]() if name in VARIANTS else pk.load(name)
    tree = skeleton(graph_of(robot.description))
    rows, _ = scaled_rows(tree, numeric.start(tree))
    assert np.max(np.abs(rows)) < AGREES
    p, R = numeric.posture(tree, numeric.start(tree)).frame(tree.output)
    p_OE, R_OE = frame_at(robot.motion_type, robot.home)
    assert np.max(np.abs(p - p_OE)) < AGREES
    assert np.max(np.abs(R - R_OE)) < AGREES


@pytest.mark.parametrize("name", twins_later(CASES))
def test_the_platform_moves_as_the_legs_say(name: str) -> None:
    one = pair(name)
    motion = one.robot.motion_type
    assert farthest(one.graph.pose_of(one.configuration), coordinates(one.robot, one.pose)) < AGREES
    output = one.graph.evaluate("output", **one.state)
    frames = [frame_at(motion, pose) for pose in one.pose]
    assert farthest(output["p"], np.array([p for p, _ in frames])) < AGREES
    twist, twist_dot = (np.zeros((STATES, 6)) for _ in range(2))
    moved = [*motion.linear, *(3 + axis for axis in motion.angular)]
    twist[:, moved], twist_dot[:, moved] = one.velocity, one.acceleration
    seen = slice(3) if name == "five_bar" else slice(6)  # legs that meet in a pin give it no orientation
    assert farthest(output["twist"][:, seen], twist[:, seen]) < AGREES
    assert farthest(output["twist_dot"][:, seen], twist_dot[:, seen]) < AGREES
    if name != "five_bar":
        assert farthest(output["R"], np.array([R for _, R in frames])) < AGREES


@pytest.mark.parametrize("name", twins_later(CASES))
def test_every_body_is_where_the_legs_put_it(name: str) -> None:
    one = pair(name)
    legs = one.robot.bodies(one.pose, one.velocity, one.acceleration)
    graph = one.graph.evaluate("body_frames", configuration=one.configuration)
    p = dict(zip(one.graph.body_names, np.moveaxis(graph["p"], -2, 0), strict=True))
    R = dict(zip(one.graph.body_names, np.moveaxis(graph["R"].reshape(STATES, -1, 3, 3), 1, 0), strict=True))
    size = float(np.max(np.abs(legs.p)))
    bodies = leg_bodies(expanded_legs(one.robot.description))
    for k, (leg, element, body) in enumerate(bodies):
        rods = ("_a", "_b") if element.joint.type == "parallelogram" else (PARTS[body.part],)
        names = [f"{leg.name}_{element.name}{rod}" for rod in rods]
        com = np.mean([p[each] + R[each] @ np.array(body.com) for each in names], axis=0)
        assert np.max(np.abs(com - legs.p[:, k])) < AGREES * size, body.name
        if element.joint.type not in OPEN_SPIN:
            assert np.max(np.abs(R[names[0]] - legs.R.reshape(STATES, -1, 3, 3)[:, k])) < AGREES, body.name
    masses = [body.mass for body in one.robot.description.platform.bodies]
    parts = [body for body in one.graph.graph_description.bodies if body.name.startswith("platform")]
    assert sum(body.mass for body in parts) == pytest.approx(sum(masses))
    if masses:
        centre = sum((body.mass * (p[body.name] + R[body.name] @ np.array(body.com)) for body in parts), np.zeros(3))
        expected = np.einsum("m,smx->sx", masses, legs.p[:, -len(masses) :])
        assert np.max(np.abs(centre - expected)) < AGREES * size * sum(masses)


@pytest.mark.parametrize("name", twins_later(CASES))
def test_the_motors_need_the_same_forces(name: str) -> None:
    one = pair(name)
    tau = one.graph.evaluate("inverse_dynamics", **one.state)
    assert tau.good.all()
    assert farthest(tau["tau"], one.robot.inverse_dynamics(one.pose, one.velocity, one.acceleration)) < AGREES
