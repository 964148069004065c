"""Find the pose for actuator positions: Newton on q(pose) = q, steps as twists, each state stopped by itself."""

from __future__ import annotations

import math

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.description.patterns import pattern_of
from parakin.kernels import Program, iterate, stage
from parakin.kinematics.closing import closing_steps
from parakin.kinematics.forward_closed import closed_function, has_closed_form
from parakin.kinematics.model import regular
from parakin.kinematics.robot_motion import RobotMotion, robot_motion
from parakin.kinematics.status import Status
from parakin.kinematics.working_modes import with_branches
from parakin.linalg.solve import platform_pivot, solve_least_squares
from parakin.motions import MotionType

STEP_TOLERANCE = 1e-13
"""Size of a step [m] below which the search ends; rotations count times the robot's length."""
RESIDUAL_TOLERANCE = 1e-9
"""Largest misfit of the actuators [m or rad] at a pose that is accepted; quadratic convergence leaves far less."""
LARGEST_STEP = 0.5
"""Length of the longest step, in diagonals of the robot's box; longer ones are cut."""
FORWARD_STEP_LIMIT = 60
"""Most steps of a search, the halved ones included."""


def misfit(moving: RobotMotion, q: ca.SX, description: RobotDescription) -> ca.SX:
    """Return q - q(pose), where joint angles, known up to whole turns, go the short way round.

    The spin of a shaft is not shortened: it counts its turns. That inside a last element is an angle like others.
    """
    error = q - moving.q
    wrapped = _short_way(error)
    driven = [
        (element.actuator.coordinate, pattern_of(leg))
        for leg in expanded_legs(description)
        for element in leg.elements
        if element.actuator is not None
    ]
    turns = [coordinate == "angle" or (coordinate, pattern) == ("spin", "swivel") for coordinate, pattern in driven]
    return ca.vertcat(*(wrapped[k] if turn else error[k] for k, turn in enumerate(turns)))


def _counts_turns(description: RobotDescription) -> bool:
    """Tell whether an actuator counts the turns of the platform: the spin of a shaft, which `misfit` does not wrap."""
    return any(
        element.actuator is not None and element.actuator.coordinate == "spin" and pattern_of(leg) != "swivel"
        for leg in expanded_legs(description)
        for element in leg.elements
    )


def _short_way(angle: ca.SX) -> ca.SX:
    """Return angles without their whole turns, from -pi to pi."""
    return angle - 2 * math.pi * ca.floor((angle + math.pi) / (2 * math.pi))


def _nearest_turn(moving: RobotMotion, near: ca.SX, description: RobotDescription) -> ca.SX:
    """Return the pose with its orientation within half a turn of that of `near`.

    Newton's steps may carry an angle round by whole turns, which no leg notices, and a quaternion to the other of its
    two signs. Where the spin of a shaft is measured it counts the turns, and the angle is left as it is.
    """
    motion, pose = moving.motion, ca.SX(moving.pose)
    start = len(motion.linear)
    if motion.quaternion is not None:
        opposite = ca.dot(pose[motion.quaternion], near[motion.quaternion]) < 0
        pose[motion.quaternion] = ca.if_else(opposite, -1, 1) * pose[motion.quaternion]
    elif motion.turns_about_z and not _counts_turns(description):
        pose[start] = near[start] + _short_way(pose[start] - near[start])
    return pose


def _scaled_norm(motion: MotionType, twist: ca.SX, length: float) -> ca.SX:
    """Return the size of a step [m], where rotations count times the robot's length."""
    return ca.norm_2(ca.DM(motion.scale(length)) * twist)


def _side(J: ca.SX) -> ca.SX:
    """Return what is kept of J_qv where the search begins: the sign of its determinant, or all of it if it is tall."""
    return ca.sign(ca.det(J)) if J.shape[0] == J.shape[1] else ca.vec(J)


def _on_side(J: ca.SX, side: ca.SX) -> ca.SX:
    """Tell whether J_qv is on the same side of all singularities as J_near, at the start: det(J_near^T J_qv) > 0.

    For square matrices that is an equal sign of the determinants. Tall ones have no side of their own: all of full
    rank are connected. But the combinations J_near^T q of the actuators, which alone would hold the platform at the
    start, do; wherever J_qv is singular, they are.
    """
    rows, columns = J.shape
    if rows == columns:
        return ca.eq(_side(J), side)
    return ca.det(ca.reshape(side, rows, columns).T @ J) > 0


def _largest_step(description: RobotDescription) -> float:
    """Return the length of the longest step [m]: LARGEST_STEP diagonals of the robot's box."""
    space = description.workspace
    box = [upper - lower for lower, upper in zip(space.lower, space.upper, strict=True)]
    scale = description.motion_type.scale(description.length)
    return LARGEST_STEP * math.hypot(*(side * unit for side, unit in zip(box, scale, strict=True)))


def forward_program(description: RobotDescription, free: tuple[str, ...] = ()) -> Program:
    """Return the program that takes q and a pose `near` to the pose with q on the same assembly mode.

    free = ("branches",) makes the working mode an input.

    It also gives a status, the residual of the actuators and how many steps were needed. GOOD means that inverse
    kinematics of the pose gives q (angles up to whole turns) within RESIDUAL_TOLERANCE, that the pose is regular, and
    that the platform is turned by at most half a turn from `near`, unless a shaft counts its turns.

    A step that leaves the reach of a leg, or goes to the other side of a singularity, is taken back and halved: Newton
    goes on inside, and a search that only the other side would satisfy ends at the singularity. Platforms that
    do not turn have a closed form and need no steps.
    """
    if "branches" in free:
        description = with_branches(description)
    moving = robot_motion(description)
    name = f"{description.name}_forward_kinematics"
    outputs = ("pose", "status", "residual", "steps")
    outcome = stage(_outcome(moving, description), accepted_pose="pose")
    if has_closed_form(description):
        return Program(closed_function(moving, description), outcome, outputs=outputs, name=name)
    begin = ca.Function("begin_search", [moving.pose], [moving.pose, moving.pose], ["near"], ["pose", "base"])
    search = iterate(
        *closing_steps(moving, description, "_on_the_way", "residual"),
        stage(_newton(moving, description), next="pose", next_base="base", next_twist="twist"),
        until="done",
        limit=FORWARD_STEP_LIMIT,
        residual="residual",
    )
    return Program(
        begin,
        *closing_steps(moving, description, residual="residual"),
        _start(moving),
        search,
        *closing_steps(moving, description, "_at_the_end", "residual"),
        outcome,
        outputs=outputs,
        name=name,
    )


def _coordinates(moving: RobotMotion) -> dict[str, ca.SX]:
    """Return what stages take beside a pose, by name: joint coordinates of legs without a closed form, branches."""
    return ({"z": moving.z} if moving.z.shape[0] else {}) | dict(moving.branches)


def _start(moving: RobotMotion) -> ca.Function:
    """Return the stage that notes on which side of the singularities the search begins."""
    inputs = {"pose": moving.pose} | _coordinates(moving)
    outputs = {"side": _side(moving.J_qv), "twist": ca.SX.zeros(moving.velocity.shape[0])}
    return ca.Function("start", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))


def _newton(moving: RobotMotion, description: RobotDescription) -> ca.Function:
    """Return the stage of one step: Newton from `pose`, or half of the twist that led there if `pose` is no good.

    `base` and `twist` are where the last step began and what it was. A pose is no good where a leg does not reach, or
    on the other side of a singularity.
    """
    motion = moving.motion
    q, side = ca.SX.sym("q", moving.q.shape[0]), ca.SX.sym("side", *_side(moving.J_qv).shape)
    base, twist = ca.SX.sym("base", moving.pose.shape[0]), ca.SX.sym("twist", moving.velocity.shape[0])
    newton, _ = solve_least_squares(moving.J_qv, misfit(moving, q, description))
    newton_size = _scaled_norm(motion, newton, description.length)
    newton *= ca.if_else(newton_size > 0, ca.fmin(1, _largest_step(description) / newton_size), 0)

    reached = ca.mmax(moving.excess) <= 0
    same_side = _on_side(moving.J_qv, side)
    good = ca.logic_and(reached, same_side)
    next_twist = ca.if_else(good, newton, 0.5 * twist)
    next_base = ca.if_else(good, moving.pose, base)
    size = _scaled_norm(motion, next_twist, description.length)
    inputs = {"pose": moving.pose, "q": q, "side": side, "base": base, "twist": twist} | _coordinates(moving)
    outputs = {
        "next": motion.stepped(next_base, next_twist),
        "next_base": next_base,
        "next_twist": next_twist,
        "done": ca.logic_not(size > STEP_TOLERANCE),
        "hindered": ca.if_else(good, 0, ca.if_else(reached, Status.SINGULAR, Status.UNREACHABLE)),
    }
    return ca.Function(
        "newton", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True}
    )


def _outcome(moving: RobotMotion, description: RobotDescription) -> ca.Function:
    """Return the stage that accepts the pose or replaces it by NaN, with the status that says why."""
    q, hindered = ca.SX.sym("q", moving.q.shape[0]), ca.SX.sym("hindered")
    residual = ca.norm_2(misfit(moving, q, description))  # the largest alone would pass over a NaN
    # CasADi takes `residual >= 0` of a norm for true, whatever it is; NaN, where surfaces do not meet, is not < inf.
    known = residual < math.inf
    failed = ca.if_else(hindered, hindered, ca.if_else(known, Status.NOT_CONVERGED, Status.UNREACHABLE))
    pivot = platform_pivot(moving.J_qv, moving.motion.scale(1 / description.length))
    converged = ca.if_else(regular(moving, pivot), Status.GOOD, Status.SINGULAR)
    inputs = {"pose": moving.pose, "q": q, "hindered": hindered} | _coordinates(moving)
    arrived = residual <= RESIDUAL_TOLERANCE
    if moving.q.shape[0] > moving.velocity.shape[0]:
        # Redundant actuators need not agree: the best pose is where the step vanishes, whatever is left.
        inputs["twist"] = ca.SX.sym("twist", moving.velocity.shape[0])
        size = _scaled_norm(moving.motion, inputs["twist"], description.length)
        arrived = ca.logic_and(size <= 1e3 * STEP_TOLERANCE, ca.logic_not(hindered))
    status = ca.if_else(arrived, converged, failed)
    pose = moving.pose
    if moving.motion.turns:
        inputs["near"] = ca.SX.sym("near", moving.pose.shape[0])
        status = ca.if_else(moving.motion.usable(inputs["near"]), status, Status.UNUSABLE)
        pose = _nearest_turn(moving, inputs["near"], description)
    outputs = {
        "accepted_pose": ca.if_else(ca.eq(status, Status.GOOD), pose, math.nan),
        "status": status,
        "residual": residual,
    }
    return ca.Function(
        "outcome", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True}
    )
