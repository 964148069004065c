"""Forward kinematics: Newton on q(pose) = q, steps as twists, as a program that stops each state by itself."""

from __future__ import annotations

import math

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.kernels import Program, iterate, stage
from parakin.kinematics.model import RobotMotion, robot_motion
from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.kinematics.solve import solve_least_squares
from parakin.kinematics.status import Status
from parakin.spatial import quaternion_product

STEP_TOLERANCE = 1e-13
"""[m] A step smaller than this (rotations times the robot's length) ends the search."""
RESIDUAL_TOLERANCE = 1e-9
"""[m or rad] What the actuators may be off at the pose found; quadratic convergence leaves far less."""
LARGEST_STEP = 0.5
"""In lengths of the robot: longer steps are cut."""
MOST_STEPS = 30


def stepped(motion: str, pose: ca.SX, twist: ca.SX) -> ca.SX:
    """The pose after a small motion: translations add, quat + 1/2 (0, w) quat is renormalised."""
    if motion != "spatial":
        return pose + twist
    quaternion = pose[3:] + 0.5 * quaternion_product(ca.vertcat(0, twist[3:]), pose[3:])
    return ca.vertcat(pose[:3] + twist[:3], quaternion / ca.norm_2(quaternion))


def _misfit(moving: RobotMotion, q: ca.SX, description: RobotDescription) -> ca.SX:
    """q - q(pose), angles the short way round."""
    error = q - moving.q
    turns = [
        element.actuator.coordinate != "length"
        for leg in expanded_legs(description)
        for element in leg.elements
        if element.actuator is not None
    ]
    wrapped = error - 2 * math.pi * ca.floor((error + math.pi) / (2 * math.pi))
    return ca.vertcat(*(wrapped[k] if turn else error[k] for k, turn in enumerate(turns)))


def _scaled_norm(motion: str, twist: ca.SX, length: float) -> ca.SX:
    """Size of a step [m]: rotations count by the robot's length."""
    scale = [1.0] * len(LINEAR[motion]) + [length] * len(ANGULAR[motion])
    return ca.norm_2(ca.DM(scale) * twist)


def _orientation(J: ca.SX) -> ca.SX:
    """Sign of det J_qv, which changes where a path crosses a singularity; 1 where actuation is redundant."""
    return ca.sign(ca.det(J)) if J.shape[0] == J.shape[1] else ca.SX(1)


def forward_program(description: RobotDescription) -> Program:
    """From q and a pose to start from (`near`) to the pose of the same assembly mode, its status and residual."""
    moving = robot_motion(description)
    motion = description.motion
    pose, q = moving.pose, ca.SX.sym("q", moving.q.shape[0])
    side = ca.SX.sym("side")
    start = ca.Function("start", [pose], [pose, _orientation(moving.J_qv)], ["near"], ["pose", "side"])

    step, _ = solve_least_squares(moving.J_qv, _misfit(moving, q, description))
    size = _scaled_norm(motion, step, description.length)
    cut = ca.fmin(1, LARGEST_STEP * description.length / size)
    twist = ca.if_else(size > 0, cut * step, 0 * step)
    crossed = ca.logic_not(ca.eq(_orientation(moving.J_qv), side))
    going_on = ca.logic_and(size > STEP_TOLERANCE, ca.logic_not(crossed))
    new_pose = ca.if_else(crossed, pose, stepped(motion, pose, twist))
    newton = ca.Function(
        "newton",
        [pose, q, side],
        [new_pose, ca.logic_not(going_on), crossed, size],
        ["pose", "q", "side"],
        ["next", "done", "crossed", "last_step"],
        {"cse": True},
    )
    return Program(
        start,
        iterate(stage(newton, next="pose"), until="done", limit=MOST_STEPS, residual="last_step"),
        stage(_verdict(moving, q, description), found="pose"),
        outputs=("pose", "status", "residual", "steps"),
        name=f"{description.name}_forward_kinematics",
    )


def _verdict(moving: RobotMotion, q: ca.SX, description: RobotDescription) -> ca.Function:
    """NaN where no pose was found, and why."""
    crossed, last = ca.SX.sym("crossed"), ca.SX.sym("last_step")
    residual = ca.norm_inf(_misfit(moving, q, description))
    found = ca.logic_and(residual <= RESIDUAL_TOLERANCE, last <= 1e3 * STEP_TOLERANCE)
    failed = ca.if_else(crossed, Status.SINGULAR, ca.if_else(residual >= 0, Status.NOT_CONVERGED, Status.UNREACHABLE))
    status = ca.if_else(ca.logic_and(found, ca.logic_not(crossed)), Status.GOOD, failed)
    pose = ca.if_else(ca.eq(status, Status.GOOD), moving.pose, math.nan)
    return ca.Function(
        "verdict",
        [moving.pose, q, crossed, last],
        [pose, status, residual],
        ["pose", "q", "crossed", "last_step"],
        ["found", "status", "residual"],
    )
