"""The kinematic models of a robot: a table that Robot, tests and benchmarks read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import casadi as ca

from parakin.description import RobotDescription
from parakin.description.model import QUATERNION_TOLERANCE
from parakin.kernels import Program, shortcut
from parakin.kernels.program import StepLike
from parakin.kinematics.bodies import body_motions
from parakin.kinematics.closing import closing_steps
from parakin.kinematics.geometry import dimensions_of, with_dimensions
from parakin.kinematics.model import RobotMotion, rate_along_motion, robot_motion
from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.kinematics.solve import solve_least_squares
from parakin.kinematics.status import SMALLEST_PIVOT, Status


@dataclass(frozen=True)
class Model:
    """What to make a kernel of. `status` is added to the outputs, and where it is not GOOD the others are NaN.

    pivot: zero where the platform is singular; reasons: outputs that are there also where the state is no good;
    status: of a model that takes no pose, which then has no `excess`; quick: a quicker way to the outputs.
    """

    inputs: Mapping[str, ca.SX]
    outputs: Mapping[str, ca.SX]
    pivot: ca.SX | None = None
    reasons: Mapping[str, ca.SX] = field(default_factory=dict[str, ca.SX])
    status: ca.SX | None = None
    quick: Quick | None = None


@dataclass(frozen=True)
class Quick:
    """Outputs of a model found in a way that is `trusted` in most states."""

    outputs: Mapping[str, ca.SX]
    trusted: ca.SX


def _pose_status(moving: RobotMotion, motion: str, pivot: ca.SX | None) -> ca.SX:
    """UNUSABLE, UNREACHABLE, SINGULAR or GOOD, the first that applies."""
    good = ca.if_else(regular(moving, pivot), Status.GOOD, Status.SINGULAR)
    return ca.if_else(_usable(moving, motion), ca.if_else(_reached(moving), good, Status.UNREACHABLE), Status.UNUSABLE)


def _usable(moving: RobotMotion, motion: str) -> ca.SX:
    """Is the quaternion, if there is one, of unit length?"""
    if motion != "spatial":
        return ca.SX(1)
    return ca.fabs(ca.sumsqr(moving.pose[3:]) - 1) < 2 * QUATERNION_TOLERANCE


def _reached(moving: RobotMotion) -> ca.SX:
    return ca.mmax(moving.excess) <= 0


def regular(moving: RobotMotion, pivot: ca.SX | None) -> ca.SX:
    """No pivot is small; one that is NaN is."""
    pivots = [moving.pivot[k] for k in range(moving.pivot.shape[0])] + ([] if pivot is None else [pivot])
    good = ca.SX(1)
    for value in pivots:
        good = ca.logic_and(good, ca.fabs(value) > SMALLEST_PIVOT)
    return good


def _smallest(pivots: ca.SX) -> ca.SX:
    """In magnitude. NaN is passed over: where there is one, forces are not finite either."""
    smallest = ca.fabs(pivots[0])
    for k in range(1, pivots.shape[0]):
        size = ca.fabs(pivots[k])
        smallest = ca.if_else(size < smallest, size, smallest)
    return smallest


def model_of(name: str, description: RobotDescription, free: tuple[str, ...] = ()) -> Program:
    """The kinematic model `name` of a robot; free: "geometry" makes its dimensions an input."""
    if "geometry" not in free:
        moving = robot_motion(description)
        return program_of(name, MODELS[name](moving, description), moving, description)
    geometry = ca.SX.sym("geometry", len(dimensions_of(description)))
    moving = robot_motion(with_dimensions(description, geometry))
    model = MODELS[name](moving, description)
    return program_of(name, replace(model, inputs={**model.inputs, "geometry": geometry}), moving, description)


def program_of(name: str, model: Model, moving: RobotMotion, description: RobotDescription) -> Program:
    """A model as a program, with `status` beside its outputs, and `excess` if any leg can be out of reach."""
    if model.status is not None:
        return _program(f"{description.name}_{name}", dict(model.inputs), model.outputs, {"status": model.status})
    inputs = dict(model.inputs) | ({"z": moving.z} if moving.z.shape[0] else {})
    told = ({} if moving.excess.is_constant() else {"excess": moving.excess}) | dict(model.reasons)
    status = {"status": _pose_status(moving, description.motion, model.pivot)}
    before = closing_steps(moving, description)
    full_name = f"{description.name}_{name}"
    sure = _program(full_name, inputs, model.outputs, status | told, before)
    if model.quick is None:
        return sure
    good = ca.logic_and(_usable(moving, description.motion), _reached(moving))
    finite = ca.sumsqr(ca.vertcat(*map(ca.vec, model.quick.outputs.values()))) < math.inf
    for condition in (_smallest(moving.pivot) > SMALLEST_PIVOT, finite, model.quick.trusted):
        good = ca.logic_and(good, condition)
    doubt = {"doubt": ca.logic_not(good)}
    outputs = dict(model.quick.outputs) | {"status": ca.SX(Status.GOOD)} | told | doubt
    quick = _function(f"{full_name}_quick", inputs, outputs)
    *_, slow = sure.steps
    return Program(*before, shortcut(quick, slow, doubt="doubt"), outputs=sure.outputs, name=full_name)


def _program(
    name: str,
    inputs: Mapping[str, ca.SX],
    values: Mapping[str, ca.SX],
    told: Mapping[str, ca.SX],
    before: tuple[StepLike, ...] = (),
) -> Program:
    """told: outputs that say how good the values are, `status` among them."""
    good = ca.eq(told["status"], Status.GOOD)
    outputs = {key: ca.if_else(good, value, math.nan) for key, value in values.items()} | dict(told)
    return Program(*before, _function(name, inputs, outputs), outputs=outputs, name=name)


def _function(name: str, inputs: Mapping[str, ca.SX], outputs: Mapping[str, ca.SX]) -> ca.Function:
    return ca.Function(name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True})


def _inverse_kinematics(moving: RobotMotion, _: RobotDescription) -> Model:
    return Model({"pose": moving.pose}, {"q": moving.q})


def _actuator_velocity(moving: RobotMotion, _: RobotDescription) -> Model:
    return Model({"pose": moving.pose, "velocity": moving.velocity}, {"q_dot": moving.q_dot})


def _actuator_acceleration(moving: RobotMotion, _: RobotDescription) -> Model:
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    return Model(inputs, {"q_ddot": moving.q_ddot})


def _jacobian(moving: RobotMotion, _: RobotDescription) -> Model:
    return Model({"pose": moving.pose}, {"J_qv": moving.J_qv})


def _check(moving: RobotMotion, description: RobotDescription) -> Model:
    """The status alone, platform singularities included: pivots of the length-scaled J_qv."""
    scale = [1.0] * len(LINEAR[description.motion]) + [1 / description.length] * len(ANGULAR[description.motion])
    scaled = moving.J_qv @ ca.diag(ca.DM(scale))
    _, pivot = solve_least_squares(scaled, ca.SX.zeros(moving.q.shape[0]))
    return Model({"pose": moving.pose}, {}, pivot, {"leg_pivot": moving.pivot})


def _jacobian_rate(moving: RobotMotion, description: RobotDescription) -> Model:
    rate = rate_along_motion(moving.J_qv, moving, description.motion)
    return Model({"pose": moving.pose, "velocity": moving.velocity}, {"J_qv_dot": rate})


def _platform_velocity(moving: RobotMotion, _: RobotDescription) -> Model:
    """v with J_qv v = q_dot, in the least-squares sense where actuation is redundant."""
    q_dot = ca.SX.sym("q_dot", moving.q.shape[0])
    velocity, pivot = solve_least_squares(moving.J_qv, q_dot)
    return Model({"pose": moving.pose, "q_dot": q_dot}, {"velocity": velocity}, pivot)


def _platform_acceleration(moving: RobotMotion, _: RobotDescription) -> Model:
    """a with J_qv a = q_ddot - J_qv_dot v; the last term is q_ddot at a = 0."""
    q_ddot = ca.SX.sym("q_ddot", moving.q.shape[0])
    bias = ca.substitute(moving.q_ddot, moving.acceleration, ca.SX.zeros(moving.acceleration.shape[0]))
    acceleration, pivot = solve_least_squares(moving.J_qv, q_ddot - bias)
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "q_ddot": q_ddot}
    return Model(inputs, {"acceleration": acceleration}, pivot)


def _elements(moving: RobotMotion, _: RobotDescription) -> Model:
    """Root A, direction x, length d, angle theta, spin rate about the line: what a camera would observe, in rows."""
    elements = [element for leg in moving.legs for element in leg.elements]
    lines = [element.line for element in elements]
    spins = [ca.dot(element.frame.w, element.line.x) for element in elements]
    outputs = {
        name: ca.vertcat(*(getattr(line, name).T for line in lines))
        for name in ("A", "A_dot", "A_ddot", "x", "x_dot", "x_ddot", "d", "d_dot", "d_ddot")
    }
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    outputs |= {
        name: ca.vertcat(*(element.theta[k] for element in elements))
        for k, name in enumerate(("theta", "theta_dot", "theta_ddot"))
    }
    return Model(inputs, outputs | {"spin": ca.vertcat(*spins)})


def _bodies(moving: RobotMotion, description: RobotDescription) -> Model:
    """A row (three of R) for each body, in the order of Robot.body_names."""
    motions = body_motions(moving, description)
    outputs = {name: ca.vertcat(*(getattr(body, name).T for body in motions)) for name in ("p", "v", "a", "w", "w_dot")}
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    return Model(inputs, outputs | {"R": ca.vertcat(*(body.R for body in motions))})


def _points(moving: RobotMotion, _: RobotDescription) -> Model:
    lines = [element.line for leg in moving.legs for element in leg.elements]
    roots, tips = ca.vertcat(*(line.A.T for line in lines)), ca.vertcat(*(line.B.T for line in lines))
    return Model({"pose": moving.pose}, {"root": roots, "tip": tips})


MODELS: dict[str, Callable[[RobotMotion, RobotDescription], Model]] = {
    "inverse_kinematics": _inverse_kinematics,
    "actuator_velocity": _actuator_velocity,
    "actuator_acceleration": _actuator_acceleration,
    "jacobian": _jacobian,
    "check": _check,
    "jacobian_rate": _jacobian_rate,
    "platform_velocity": _platform_velocity,
    "platform_acceleration": _platform_acceleration,
    "elements": _elements,
    "bodies": _bodies,
    "points": _points,
}
