"""A controller in C begins at a desired pose, whose place it finds by itself: a fixed number of Newton steps from home.

    pose_k = home (+) min(1, k/PATH) (pose - home),        k = 1, ..., PATH + SETTLING

Each pose along the way takes one step, so that far poses are reached on the branch of home, and the last ones settle.
"""

from __future__ import annotations

import casadi as ca

from parakin.control import ControlModel
from parakin.kernels import Program, repeat, stage
from parakin.robot import Robot

PATH = 16
"""Steps from home to the pose."""
SETTLING = 4
"""Steps at the pose, where Newton converges quadratically: what the way left, at most some per cent, is gone."""


def placed_first(robot: Robot, first: ca.Function) -> Program:
    """Return a program that finds the place of `desired_pose` from home, and hands it to `first` as `first_place`."""
    place, pose, count = (
        ca.SX.sym("first_place", len(robot.place_names)),
        ca.SX.sym("pose", len(robot.home)),
        ca.SX.sym("k"),
    )
    home = ca.SX(ca.DM(robot.home))
    begin = ca.Function("begin", [], [ca.SX(ca.DM(robot.places(robot.home))), ca.SX(0)], [], ["first_place", "count"])
    share = ca.fmin((count + 1) / PATH, 1)
    between = robot.motion_type.stepped(home, share * robot.motion_type.displacement(home, pose))
    target = ca.if_else(count + 1 < PATH, between, pose)
    near = ControlModel(robot).place_of_pose(place, target, 1)
    names = ["desired_pose", "first_place", "count"], ["next_place", "next_count"]
    step = ca.Function("approach", [pose, place, count], [near, count + 1], *names, {"cse": True})
    steps = repeat(PATH + SETTLING, stage(step, next_place="first_place", next_count="count"))
    return Program(begin, steps, first, outputs=first.name_out(), name=first.name())
