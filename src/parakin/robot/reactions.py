"""What every joint of a robot of legs carries: the robot as a graph of bodies and joints, moved as the robot moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.errors import UnsupportedRobotError
from parakin.kernels.arguments import as_array, as_rows
from parakin.mechanism import graph_of
from parakin.motions.offsets import displaced, in_space, offset_between
from parakin.robot.graph_engine import GraphEngine
from parakin.robot.results import GraphState, JointWrenches

if TYPE_CHECKING:
    from parakin.robot.engine import Engine, Input, State

STEPS = 10
"""The graph follows the platform from home to a pose in so many steps, so that it stays in its assembly mode."""


def graph_engine(robot: Engine) -> GraphEngine:
    """Return a robot as a mechanism whose pose are positions of its motors, in the order of `pose_names`."""
    graph = GraphEngine(graph_of(robot.leg_file("graph")), robot.payload, None)
    if not set(graph.pose_names) <= set(graph.actuator_names):
        reason = "its joints leave freedoms that no motor holds: see `parakin check`"
        raise UnsupportedRobotError(robot.name, reason)
    return graph


_STATE = ("pose", "velocity", "acceleration")
"""Parts of a state, as messages name them."""


def graph_state(robot: Engine, state: State) -> GraphState:
    """Return states (pose, velocity, acceleration) of a robot of legs as states of its graph."""
    graph = robot.graph
    pose, velocity, acceleration = (as_array(robot.name, name, part) for name, part in zip(_STATE, state, strict=True))
    chosen = [graph.actuator_names.index(name) for name in graph.pose_names]
    sign = np.array([actuator.sign for actuator in robot.actuators], float)
    zero = np.array([actuator.zero for actuator in robot.actuators])

    def coordinates(where: Array) -> Array:
        q = robot.evaluate("inverse_kinematics", pose=where)["q"]
        return (zero + sign * q)[..., chosen]

    pose = as_rows(robot.name, "pose", pose, len(robot.pose_names))
    away = offset_between(robot.motion_type, robot.home, pose)
    near = graph.home_configuration
    for step in range(1, STEPS):
        near = graph.configuration(coordinates(displaced(robot.motion_type, robot.home, step / STEPS * away)), near)
    rates = robot.evaluate("actuator_velocity", pose=pose, velocity=velocity)["q_dot"]
    speeding = robot.evaluate("actuator_acceleration", pose=pose, velocity=velocity, acceleration=acceleration)[
        "q_ddot"
    ]
    return GraphState(coordinates(pose), (sign * rates)[..., chosen], (sign * speeding)[..., chosen], near)


def joint_wrenches(robot: Engine, state: State, payload: Input, wrench: ArrayLike | None) -> JointWrenches:
    """Return what the joints of a robot's graph carry at states (pose, velocity, acceleration) of the robot."""
    moved = robot.graph_state(state)
    in_base = None if wrench is None else in_space(robot.motion_type, as_array(robot.name, "wrench", wrench))
    return robot.graph.joint_wrenches(moved[:3], payload, in_base, moved.near)
