"""The kinematic models of a robot: a table that Robot, tests and benchmarks read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import casadi as ca

from parakin.description import RobotDescription
from parakin.kernels import Program
from parakin.kinematics.bodies import body_motions
from parakin.kinematics.frames import frames_of_parts
from parakin.kinematics.geometry import shaped_by
from parakin.kinematics.joints import angles_of_motion
from parakin.kinematics.model import Model, derived, program_of
from parakin.kinematics.robot_motion import RobotMotion, rate_along_motion, robot_motion
from parakin.kinematics.solve import solve_least_squares
from parakin.kinematics.working_modes import with_branches


def model_of(name: str, description: RobotDescription, free: tuple[str, ...] = (), by: tuple[str, ...] = ()) -> Program:
    """Return the program of the kinematic model `name`.

    free: "geometry" makes the robot's dimensions an input, "directions" those of its axes and rails, "branches" its
    working mode; by: inputs by which its outputs are derived too.
    """
    model, moving = symbolic_model(name, description, free, by)
    return program_of(name, model, moving, description)


def symbolic_model(
    name: str, description: RobotDescription, free: tuple[str, ...] = (), by: tuple[str, ...] = ()
) -> tuple[Model, RobotMotion]:
    """Return the expressions of a kinematic model, and the moving robot that they are of."""
    if "branches" in free:
        description = with_branches(description)
    shaped = shaped_by(description, free)
    moving = robot_motion(shaped.moved)
    model = MODELS[name](moving, shaped.judged)
    return derived(replace(model, inputs={**model.inputs, **shaped.inputs}), moving, by), moving


def _inverse_kinematics(moving: RobotMotion, _: RobotDescription) -> Model:
    return Model({"pose": moving.pose}, {"q": moving.q})


def _actuator_velocity(moving: RobotMotion, _: RobotDescription) -> Model:
    return Model({"pose": moving.pose, "velocity": moving.velocity}, {"q_dot": moving.q_dot})


def _actuator_acceleration(moving: RobotMotion, _: RobotDescription) -> Model:
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    return Model(inputs, {"q_ddot": moving.q_ddot})


def _jacobian(moving: RobotMotion, _: RobotDescription) -> Model:
    return Model({"pose": moving.pose}, {"J_qv": moving.J_qv})


def _check(moving: RobotMotion, _: RobotDescription) -> Model:
    """The status alone, platform singularities included."""
    return Model({"pose": moving.pose}, {}, moving.J_qv, {"leg_pivot": moving.pivot})


def _jacobian_rate(moving: RobotMotion, _: RobotDescription) -> Model:
    rate = rate_along_motion(moving.J_qv, moving)
    return Model({"pose": moving.pose, "velocity": moving.velocity}, {"J_qv_dot": rate})


def _platform_velocity(moving: RobotMotion, _: RobotDescription) -> Model:
    """v with J_qv v = q_dot, in the least-squares sense where actuation is redundant."""
    q_dot = ca.SX.sym("q_dot", moving.q.shape[0])
    velocity = solve_least_squares(moving.J_qv, q_dot)[0]
    return Model({"pose": moving.pose, "q_dot": q_dot}, {"velocity": velocity}, moving.J_qv)


def _platform_acceleration(moving: RobotMotion, _: RobotDescription) -> Model:
    """a with J_qv a = q_ddot - J_qv_dot v; the last term is q_ddot at a = 0."""
    q_ddot = ca.SX.sym("q_ddot", moving.q.shape[0])
    bias = ca.substitute(moving.q_ddot, moving.acceleration, ca.SX.zeros(moving.acceleration.shape[0]))
    acceleration = solve_least_squares(moving.J_qv, q_ddot - bias)[0]
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "q_ddot": q_ddot}
    return Model(inputs, {"acceleration": acceleration}, moving.J_qv)


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


def _frames(moving: RobotMotion, description: RobotDescription) -> Model:
    """[R | p] of every rigid part, three rows each, in the order of `rigid_parts`; also where a leg is singular."""
    reached = ca.logic_and(moving.motion.usable(moving.pose), ca.mmax(moving.excess) <= 0)
    frames = ca.if_else(reached, frames_of_parts(moving, description), math.nan)
    return Model({"pose": moving.pose}, {}, None, {"frames": frames})


def _output(moving: RobotMotion, _: RobotDescription) -> Model:
    """The platform's frame E with its twist and the derivative, as `graph.models` has it of a mechanism's output."""
    platform = moving.platform
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    outputs = {
        "p": platform.p_OE,
        "R": platform.R_OE,
        "twist": ca.vertcat(platform.v_E, platform.w_E),
        "twist_dot": ca.vertcat(platform.a_E, platform.w_E_dot),
    }
    return Model(inputs, {name: ca.densify(value) for name, value in outputs.items()})


def _joints(moving: RobotMotion, description: RobotDescription) -> Model:
    """Angles of passive joints with their rates and accelerations, in the order of `joint_angles`."""
    angle = angles_of_motion(moving, description)
    rate = rate_along_motion(angle, moving)
    growth = rate_along_motion(rate, moving) + ca.jtimes(rate, moving.velocity, moving.acceleration)
    inputs = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
    return Model(inputs, {"angle": angle, "angle_dot": rate, "angle_ddot": growth})


def _joint_angles(moving: RobotMotion, description: RobotDescription) -> Model:
    return Model({"pose": moving.pose}, {"angle": angles_of_motion(moving, description)})


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
    "frames": _frames,
    "output": _output,
    "joints": _joints,
    "joint_angles": _joint_angles,
}
"""Name of a model -> what builds it from a moving robot and its description. A new model is a function and a row."""
