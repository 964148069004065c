"""Steps that close legs without a closed form: Newton on their joint coordinates, before the models that need them."""

from __future__ import annotations

import math

import casadi as ca

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.description.patterns import ANGLES, pattern_of
from parakin.kernels.program import StepLike, iterate, stage
from parakin.kinematics.platform import LINEAR
from parakin.kinematics.robot_motion import RobotMotion
from parakin.kinematics.solve import solve_least_squares

CLOSED = 1e-14
"""A Newton step smaller than this ends the search."""
MOST_STEPS = 40


def start_coordinates(leg: Leg, description: RobotDescription) -> list[float]:
    """Angles zero, which is where the elements point at home; a length about as far as the attachment is then."""
    home = [*description.workspace.home[: len(LINEAR[description.motion])], 0.0][:3]
    tip = [p + b + c for p, b, c in zip(home, leg.attachment.b, leg.attachment.c, strict=True)]
    found: list[float] = []
    for element in leg.elements:
        found += [0.0] * ANGLES[element.joint.type]
        if element.type == "telescopic":
            found.append(math.dist(leg.root, tip))
    return found


def closing_steps(moving: RobotMotion, description: RobotDescription, tag: str = "") -> tuple[StepLike, ...]:
    """From `pose` to `z`; none for robots whose legs all have closed forms. `tag` tells several uses apart."""
    if moving.z.shape[0] == 0:
        return ()
    legs = [leg for leg in expanded_legs(description) if pattern_of(leg) == "numeric"]
    closures = [leg.closure for leg in moving.legs if leg.closure is not None]
    start: list[float] = []
    steps: list[ca.SX] = []
    for leg, closure in zip(legs, closures, strict=True):
        coordinates = start_coordinates(leg, description)
        own = moving.z[len(start) : len(start) + len(coordinates)]
        steps.append(solve_least_squares(-ca.jacobian(closure, own), closure)[0])
        start += coordinates
    begin = ca.Function("begin", [], [ca.SX(ca.DM(start))], [], ["z"])
    step = ca.vertcat(*steps)
    size = ca.norm_2(step)
    cut = ca.fmin(1, 0.5 / size)
    newton = ca.Function(
        "close_legs",
        [moving.pose, moving.z],
        [moving.z + ca.if_else(size > 0, cut, 0) * step, ca.logic_not(size > CLOSED)],
        ["pose", "z"],
        ["next_z", "closed"],
        {"cse": True},
    )
    return begin, iterate(stage(newton, next_z="z"), until="closed", limit=MOST_STEPS, steps=f"closing_steps{tag}")
