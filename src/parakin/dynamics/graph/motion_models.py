"""The models of a mechanism in motion: what needs no masses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import numpy as np

from parakin.dynamics.graph import terms
from parakin.dynamics.graph.actuation import determined_by_motors
from parakin.dynamics.graph.mechanics import actuator_coordinates, actuator_signs
from parakin.dynamics.graph.subject import GraphModel, Subject, motion_of, velocity_of
from parakin.kinematics.graph.closing import configuration_rates, coordinates_of_pose
from parakin.kinematics.graph.frames import frames_of_bodies
from parakin.kinematics.graph.joints import file_joints
from parakin.kinematics.graph.links import carried
from parakin.kinematics.graph.rod_frames import file_bodies
from parakin.mechanism.model import BASE
from parakin.mechanism.skeleton import BASE_LINK, Place


def _configuration(subject: Subject) -> GraphModel:
    return GraphModel({}, {"configuration_found": ca.SX(subject.moving.c)})


def _pose(subject: Subject) -> GraphModel:
    return GraphModel({}, {"pose_found": coordinates_of_pose(subject.moving.plan, subject.moving.c)})


def _inverse_kinematics(subject: Subject) -> GraphModel:
    return GraphModel({}, {"q": actuator_coordinates(subject.moving)})


def actuator_velocity(subject: Subject) -> GraphModel:
    """Return the rates of the motors."""
    signs, driven = ca.DM(actuator_signs(subject.moving)), list(subject.moving.plan.actuators)
    return GraphModel(velocity_of(subject), {"q_dot": signs * subject.moving.t[driven]})


def _actuator_acceleration(subject: Subject) -> GraphModel:
    signs, driven = ca.DM(actuator_signs(subject.moving)), list(subject.moving.plan.actuators)
    return GraphModel(motion_of(subject), {"q_ddot": signs * subject.moving.t_dot[driven]})


def _jacobian(subject: Subject) -> GraphModel:
    return GraphModel({}, {"J_qv": ca.densify(subject.mechanics.W)})


def _jacobian_rate(subject: Subject) -> GraphModel:
    moving, W = subject.moving, ca.densify(subject.mechanics.W)
    c_dot = configuration_rates(moving.plan.skeleton, moving.c, moving.t)
    return GraphModel(velocity_of(subject), {"J_qv_dot": ca.reshape(ca.jtimes(ca.vec(W), moving.c, c_dot), *W.shape)})


def _platform_velocity(subject: Subject) -> GraphModel:
    q_dot = ca.SX.sym("q_dot", len(subject.moving.plan.actuators))
    velocity, pivot = determined_by_motors(subject.mechanics, q_dot)
    return GraphModel({"q_dot": q_dot}, {"velocity": velocity}, pivot)


def _platform_acceleration(subject: Subject) -> GraphModel:
    q_ddot = ca.SX.sym("q_ddot", len(subject.moving.plan.actuators))
    coasting = _actuator_acceleration(
        replace(subject, mechanics=terms.at_standstill(subject.mechanics, rest=False))
    ).outputs["q_ddot"]
    acceleration, pivot = determined_by_motors(subject.mechanics, q_ddot - coasting)
    return GraphModel(velocity_of(subject) | {"q_ddot": q_ddot}, {"acceleration": acceleration}, pivot)


def _joints(subject: Subject) -> GraphModel:
    motions = file_joints(subject.moving)
    outputs = {
        "coordinate": ca.vertcat(*(motion.coordinates for motion in motions)),
        "rate": ca.vertcat(*(motion.rates for motion in motions)),
        "acceleration_of_joints": ca.vertcat(*(motion.accelerations for motion in motions)),
    }
    return GraphModel(motion_of(subject), outputs)


def _joint_coordinates(subject: Subject) -> GraphModel:
    motions = file_joints(terms.at_standstill(subject.mechanics, rest=True).moving)
    return GraphModel({}, {"coordinate": ca.vertcat(*(motion.coordinates for motion in motions))})


def _output(subject: Subject) -> GraphModel:
    frame = subject.moving.tree.at(subject.moving.plan.skeleton.output)
    outputs = {
        "p": frame.p,
        "R": frame.spin.R,
        "twist": ca.vertcat(frame.v, frame.spin.w),
        "twist_dot": ca.vertcat(frame.a, frame.spin.w_dot),
    }
    return GraphModel(motion_of(subject), outputs)


def _named_frames(subject: Subject) -> GraphModel:
    """The output and the frames of interest, a row each, in the order of `Robot.frame_names`."""
    skeleton = subject.moving.plan.skeleton
    frames = [subject.moving.tree.at(place) for place in (skeleton.output, *skeleton.frames)]
    outputs = {
        "p": ca.horzcat(*(frame.p for frame in frames)).T,
        "R": ca.vertcat(*(frame.spin.R for frame in frames)),
        "twist": ca.horzcat(*(ca.vertcat(frame.v, frame.spin.w) for frame in frames)).T,
        "twist_dot": ca.horzcat(*(ca.vertcat(frame.a, frame.spin.w_dot) for frame in frames)).T,
    }
    return GraphModel(motion_of(subject), outputs)


def _bodies(subject: Subject) -> GraphModel:
    skeleton = subject.moving.plan.skeleton
    moving = file_bodies(skeleton, subject.moving.tree)
    frames = [
        carried(moving[body.name], Place(BASE_LINK, np.array(body.com), np.eye(3))) for body in skeleton.file.bodies
    ]
    outputs = {
        "p": ca.horzcat(*(frame.p for frame in frames)).T,
        "v": ca.horzcat(*(frame.v for frame in frames)).T,
        "a": ca.horzcat(*(frame.a for frame in frames)).T,
        "R": ca.vertcat(*(frame.spin.R for frame in frames)),
        "w": ca.horzcat(*(frame.spin.w for frame in frames)).T,
        "w_dot": ca.horzcat(*(frame.spin.w_dot for frame in frames)).T,
    }
    return GraphModel(motion_of(subject), outputs)


def _body_frames(subject: Subject) -> GraphModel:
    bodies = file_bodies(subject.moving.plan.skeleton, subject.moving.standing)
    frames = [frame for name, frame in bodies.items() if name != BASE]
    outputs = {
        "p": ca.horzcat(*(frame.p for frame in frames)).T,
        "R": ca.vertcat(*(frame.spin.R for frame in frames)),
    }
    return GraphModel({}, outputs)


def _frames(subject: Subject) -> GraphModel:
    """[R | p] of every rigid part, three rows each, in the order of `kinematics.graph.frames.frame_names`."""
    moving = subject.moving
    return GraphModel({}, {"frames": frames_of_bodies(moving.plan.skeleton, moving.standing)})


MOTION_MODELS: dict[str, Callable[[Subject], GraphModel]] = {
    "configuration": _configuration,
    "pose": _pose,
    "inverse_kinematics": _inverse_kinematics,
    "actuator_velocity": actuator_velocity,
    "actuator_acceleration": _actuator_acceleration,
    "jacobian": _jacobian,
    "jacobian_rate": _jacobian_rate,
    "platform_velocity": _platform_velocity,
    "platform_acceleration": _platform_acceleration,
    "joints": _joints,
    "joint_coordinates": _joint_coordinates,
    "output": _output,
    "named_frames": _named_frames,
    "bodies": _bodies,
    "frames": _frames,
    "body_frames": _body_frames,
}
"""Name of a model -> what builds it."""
