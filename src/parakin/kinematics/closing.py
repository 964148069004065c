"""Close legs without a closed form by Newton on their joint coordinates, in steps before the models that need them."""

from __future__ import annotations

import math

import casadi as ca

from parakin.description import Leg, RobotDescription
from parakin.description.elements import SWIVELLING, VARYING
from parakin.description.patterns import ANGLES
from parakin.kernels.program import Program, StepLike, iterate, stage
from parakin.kinematics.joint_table import searched_legs
from parakin.kinematics.robot_motion import RobotMotion, robot_motion
from parakin.kinematics.status import Status
from parakin.linalg.solve import solve_least_squares

_CSE = {"cse": True}

CLOSING_STEP_TOLERANCE = 1e-14
"""Size of a Newton step [m and rad] below which the search ends: rounding is about as large."""
CLOSING_STEP_LIMIT = 40
"""Most Newton steps."""
LONGEST_CLOSING_STEP = 0.5
"""Size of the longest Newton step [m and rad]; longer ones are cut."""


def start_coordinates(leg: Leg, description: RobotDescription) -> list[float]:
    """Return joint coordinates of a leg to start from: angles 0, and for a length the distance from root to attachment.

    Turns inside elements are 0 too, so that of two ways to close, half a turn apart, the one nearer to 0 is found.

    Angle 0 is where an element points at home. The attachment is taken at home without its rotation.
    """
    home = [*description.workspace.home[: len(description.motion_type.linear)], 0.0][:3]
    tip = [p + b + c for p, b, c in zip(home, leg.attachment.b, leg.attachment.c, strict=True)]
    coordinates: list[float] = []
    for element in leg.elements:
        coordinates += [0.0] * ANGLES[element.joint.type]
        if element.type in VARYING:
            coordinates.append(math.dist(leg.root, tip))
        if element.type in SWIVELLING:
            coordinates.append(0.0)
    return coordinates


def closing_step(moving: RobotMotion) -> ca.SX:
    """Return the Newton step dz that closes legs without a closed form, leg by leg: J_z dz = C - tip(z)."""
    steps: list[ca.SX] = []
    for leg in moving.legs:
        if leg.closure is not None and leg.z is not None:
            steps.append(solve_least_squares(-ca.jacobian(leg.closure, leg.z), leg.closure)[0])
    return ca.vertcat(*steps)


def search_program(description: RobotDescription) -> Program:
    """Return the program that takes a pose to z as `z_found`, NaN where legs do not close."""
    moving = robot_motion(description)
    closed = ca.logic_and(ca.mmax(moving.excess) <= 0, moving.motion.usable(moving.pose))
    outputs = [ca.if_else(closed, moving.z, math.nan), ca.if_else(closed, Status.GOOD, Status.UNREACHABLE)]
    judge = ca.Function("searched", [moving.pose, moving.z], outputs, ["pose", "z"], ["z_found", "status"], _CSE)
    steps = closing_steps(moving, description, residual="status")
    return Program(*steps, judge, outputs=("z_found", "status"), name=f"{description.name}_places")


def closing_steps(
    moving: RobotMotion, description: RobotDescription, tag: str = "", residual: str | None = None
) -> tuple[StepLike, ...]:
    """Return the steps from signal `pose` to signal `z`, none for robots whose legs all have closed forms.

        z <- z + cut dz,      J_z dz = C - tip(z),      cut = min(1, 0.5/|dz|)

    `tag` tells several uses in one program apart; `residual` is the signal that tells whether the legs have closed.
    """
    if moving.z.shape[0] == 0:
        return ()
    start = [value for leg in searched_legs(description) for value in start_coordinates(leg, description)]
    begin = ca.Function("begin", [], [ca.SX(ca.DM(start))], [], ["z"])
    step = closing_step(moving)
    size = ca.norm_2(step)
    cut = ca.fmin(1, LONGEST_CLOSING_STEP / size)
    newton = ca.Function(
        "close_legs",
        [moving.pose, moving.z],
        [moving.z + ca.if_else(size > 0, cut, 0) * step, ca.logic_not(size > CLOSING_STEP_TOLERANCE)],
        ["pose", "z"],
        ["next_z", "closed"],
        _CSE,
    )
    return begin, iterate(
        stage(newton, next_z="z"),
        until="closed",
        limit=CLOSING_STEP_LIMIT,
        steps=f"closing_steps{tag}",
        residual=residual,
    )
