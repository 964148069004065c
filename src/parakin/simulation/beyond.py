"""Which limits a simulated robot left: strokes of actuators and limits of passive joints, unknown to the plant.

A real machine has end stops and bearings where the simulation goes on; forces have their limits inside the loop.
"""

from __future__ import annotations

from parakin.robot import Robot
from parakin.simulation.log import Log
from parakin.simulation.sensors import Ending
from parakin.trajectory.check_result import Excess
from parakin.trajectory.checking import Course, beyond


def beyond_limits(robot: Robot, log: Log) -> tuple[Excess, ...]:
    """Return the strokes and joint limits that a run left, with where and when, up to where it completed or stopped."""
    ran = log["status"] == Ending.COMPLETED
    t, strokes, joints = log.t[ran], robot.strokes, robot.joint_limits
    left: list[Excess] = []
    if not (len(t) and (strokes.any or joints.any)):
        return ()
    pose = log["pose"][ran]
    values, angles = robot.limited_values(pose, near=robot.configurations(pose))
    if strokes.any:
        left += beyond(Course("stroke", strokes.names, strokes.units, t, values, strokes.lower, strokes.upper))
    if joints.any:
        left += beyond(Course("joint", joints.names, joints.units, t, angles, joints.lower, joints.upper))
    return tuple(left)
