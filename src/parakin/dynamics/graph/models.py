"""The models of a mechanism: a table that `Mechanism`, tests and benchmarks read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.graph import terms
from parakin.dynamics.graph.actuation import determined_by_motors, linear_forces, motor_forces, with_passive_motion
from parakin.dynamics.graph.mass import mass_matrix
from parakin.dynamics.graph.mechanics import GraphMechanics, actuator_signs
from parakin.dynamics.graph.parameters import all_freedoms, given_out, graph_parameters
from parakin.dynamics.graph.reactions import reactions
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameter_symbols import values_of
from parakin.dynamics.parameters import BODY_UNITS
from parakin.dynamics.payload import Payload
from parakin.errors import NotLinearInParametersError, UnsupportedRobotError
from parakin.kernels import Program, shortcut, stage
from parakin.kernels.program import Stage, StepLike
from parakin.kinematics.graph.closing import (
    SURELY,
    closing_status,
    closing_steps,
    configuration_rates,
    coordinates_of_pose,
    residual,
    trusted_closing,
)
from parakin.kinematics.graph.dyads import closed_form
from parakin.kinematics.graph.frames import frames_of_bodies
from parakin.kinematics.graph.joints import joint_motions
from parakin.kinematics.graph.links import carried
from parakin.kinematics.graph.loops import GraphMotion, graph_motion
from parakin.kinematics.status import SMALLEST_PIVOT, Status
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import Place

FREE: dict[str, str] = {
    "parameters": "p in the order of Mechanism.parameters",
    "payload": "m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz of what the output carries, about its origin in its axes",
    "wrench": "external force and moment on the output, at its origin, in base axes [N, N m]",
    "weights": "weights of motors that are more than the freedoms, whose forces minimise the sum of weight tau^2",
    "smoothing": "the rate in `friction.smooth_sign`, which takes the place of sign(rate) in Coulomb friction",
    "gravity": "acceleration of free fall in base axes [m/s^2]",
}
"""What can be inputs of a kernel instead of numbers baked into it, and what each of them is."""


MATRICES: dict[str, tuple[str, ...]] = {
    "mass_matrix": ("M",),
    "jacobian": ("J_qv",),
    "jacobian_rate": ("J_qv_dot",),
    "regressor": ("Psi",),
    "linearize": ("A", "B"),
    "joint_wrenches": ("wrench_on_child",),
    "frames": ("frames",),
    "output": ("R",),
}
"""Outputs of models that are matrices whatever their size."""
BY_CONFIGURATION = ("jacobian_rate", "linearize")
"""Models that derive by the configuration, which must then be a symbol of its own."""


@dataclass(frozen=True)
class Options:
    """How a model of a mechanism is made."""

    payload: Payload
    """What the output carries: baked in, or in the last ten of free parameters, unless the payload itself is free."""
    free: tuple[str, ...] = ()
    """What becomes inputs, of FREE."""
    from_pose: bool = True
    """Whether the model takes a pose and a configuration near it, and finds the configuration; or takes that itself."""


@dataclass(frozen=True)
class Subject:
    """A mechanism with the symbols that its models take besides the state."""

    mechanics: GraphMechanics
    """The mechanism and what acts on it."""
    extras: Mapping[str, ca.SX]
    """Symbols of what was freed, by name."""
    p: ca.SX
    """Its parameters: symbols where a model is asked for them, else numbers."""
    given: Mapping[str, ca.SX]
    """Symbols from which formulas give the configuration, by name; none where it is a symbol itself."""

    @property
    def moving(self) -> GraphMotion:
        """The mechanism in motion."""
        return self.mechanics.moving


@dataclass(frozen=True)
class GraphModel:
    """Expressions with the inputs that they take besides the configuration."""

    inputs: Mapping[str, ca.SX]
    """Symbols by name, in the order of a call."""
    outputs: Mapping[str, ca.SX]
    """What it gives, by name; NaN where the status is not GOOD."""
    pivot: ca.SX | None = None
    """A number that is zero where the motors lose hold, if the model divides by such a number."""


def graph_program(name: str, plan: Plan, options: Options) -> Program:
    """Return the program of a model: from a pose by Newton, or at a given configuration.

    Loops are eliminated in the plan's order of pivots; states in which that is poor, or which are no good, are done
    again with exchange of rows, which alone decides on a status other than GOOD.
    """
    quick, sure = (_steps(name, _subject(name, plan, options, surely=surely), options) for surely in (False, True))
    outputs = [key for key in quick[-1].function.name_out() if key != "doubt"]
    full_name = f"{plan.skeleton.description.name}_{name}"
    return Program(shortcut(quick, sure, doubt="doubt"), outputs=outputs, name=full_name)


def _steps(name: str, subject: Subject, options: Options) -> tuple[*tuple[StepLike, ...], Stage]:
    """Return the steps of a model, by the plan's order of elimination, or surely if the subject's motion is sure."""
    model, moving = MODELS[name](subject), subject.moving
    plan = moving.plan
    pose, crossed, doubted = ca.SX.sym("pose", len(plan.independent)), ca.SX.sym("crossed"), ca.SX.sym("doubted")
    searched = options.from_pose and not subject.given
    error = residual(moving, pose if searched else None)
    way = (crossed, doubted) if searched else (ca.SX(0), ca.SX(0))
    if moving.surely:
        told = _told(model, closing_status(moving, error, way[0]))
    else:
        trusted = _trusted(model, trusted_closing(moving, error, *way))
        told = {"status": ca.SX(Status.GOOD), "doubt": ca.logic_not(trusted)}
    good = ca.eq(told["status"], Status.GOOD)
    outputs = {key: ca.if_else(good, value, math.nan) for key, value in model.outputs.items()}
    outputs |= told | {"residual": error}
    search = {"pose": pose, "crossed": crossed} | ({} if moving.surely else {"doubted": doubted})
    state = dict(subject.given) or {"configuration": moving.c} | (search if searched else {})
    inputs = state | dict(model.inputs) | dict(subject.extras)
    end = SURELY if moving.surely else ""
    last = ca.Function(
        f"{plan.skeleton.description.name}_{name}{end}",
        list(inputs.values()),
        list(outputs.values()),
        list(inputs),
        list(outputs),
        {"cse": True},
    )
    if not searched:
        return (stage(last),)
    found = {key: key + end for key in ("configuration", "crossed")}
    return (*closing_steps(moving), stage(last, **found))


def _told(model: GraphModel, status: ca.SX) -> dict[str, ca.SX]:
    """Return the status of a model: that of its configuration, and whether the motors hold it."""
    if model.pivot is None:
        return {"status": status}
    held = ca.if_else(model.pivot > SMALLEST_PIVOT, Status.GOOD, Status.SINGULAR)
    return {"status": ca.if_else(ca.eq(status, Status.GOOD), held, status)}


def _trusted(model: GraphModel, trusted: ca.SX) -> ca.SX:
    return trusted if model.pivot is None else ca.logic_and(trusted, model.pivot > SMALLEST_PIVOT)


def _subject(name: str, plan: Plan, options: Options, *, surely: bool) -> Subject:
    description = plan.skeleton.description
    payload = None if "payload" in options.free else options.payload
    table = graph_parameters(description, payload)
    sizes = {
        "parameters": len(table),
        "payload": len(BODY_UNITS),
        "wrench": 6,
        "weights": len(plan.actuators),
        "smoothing": 1,
        "gravity": 3,
    }
    symbols = {what: ca.SX.sym(what, size) for what, size in sizes.items() if what in options.free}
    p = symbols.get("parameters", ca.SX.sym("p", len(table)) if name == "regressor" else values_of(table))
    smoothing = symbols.get("smoothing")
    acting = Acting(
        wrench=symbols.get("wrench"),
        weights=symbols.get("weights"),
        sign=ca.sign if smoothing is None else lambda rate: smooth_sign(rate, smoothing),
    )
    gravity = symbols.get("gravity", ca.SX(ca.DM(description.gravity)))
    parameters = given_out(description, p, symbols.get("payload"))
    moving = graph_motion(plan, surely=surely)
    given: dict[str, ca.SX] = {}
    if options.from_pose and plan.dyads and name not in BY_CONFIGURATION:
        given = {"pose": ca.SX.sym("pose", len(plan.independent)), "near": moving.c}
        c, turns = closed_form(plan, *given.values())
        moving = replace(moving, c=c, turns=turns)
    return Subject(GraphMechanics(moving, parameters, gravity, acting), symbols, p, given)


def _velocity(subject: Subject) -> dict[str, ca.SX]:
    return {"velocity": subject.moving.u}


def _motion(subject: Subject) -> dict[str, ca.SX]:
    return {"velocity": subject.moving.u, "acceleration": subject.moving.u_dot}


def _configuration(subject: Subject) -> GraphModel:
    return GraphModel({}, {"configuration_found": ca.SX(subject.moving.c)})


def _pose(subject: Subject) -> GraphModel:
    return GraphModel({}, {"pose_found": coordinates_of_pose(subject.moving.plan, subject.moving.c)})


def _inverse_kinematics(subject: Subject) -> GraphModel:
    return GraphModel({}, {"q": _actuator_coordinates(subject)})


def _actuator_coordinates(subject: Subject) -> ca.SX:
    """Return q = sign (coordinate - zero) of each motor."""
    description, plan = subject.moving.plan.skeleton.description, subject.moving.plan
    settings = {name: freedom for name, _, _, freedom in all_freedoms(description)}
    places = {}
    for link in plan.skeleton.links:
        for k, freedom in enumerate(link.joint.kind.freedoms):
            places[f"{link.joint.name}.{freedom.name}"] = link.coordinate + k
    values: list[ca.SX] = []
    for name in plan.actuator_names:
        drive = settings[name].drive
        assert drive is not None, "actuators are freedoms with a drive"
        values.append(drive.sign * (subject.moving.c[places[name]] - drive.zero))
    return ca.vertcat(*values)


def _actuator_velocity(subject: Subject) -> GraphModel:
    signs, driven = ca.DM(actuator_signs(subject.moving)), list(subject.moving.plan.actuators)
    return GraphModel(_velocity(subject), {"q_dot": signs * subject.moving.t[driven]})


def _actuator_acceleration(subject: Subject) -> GraphModel:
    signs, driven = ca.DM(actuator_signs(subject.moving)), list(subject.moving.plan.actuators)
    return GraphModel(_motion(subject), {"q_ddot": signs * subject.moving.t_dot[driven]})


def _jacobian(subject: Subject) -> GraphModel:
    return GraphModel({}, {"J_qv": ca.densify(subject.mechanics.W)})


def _jacobian_rate(subject: Subject) -> GraphModel:
    moving, W = subject.moving, ca.densify(subject.mechanics.W)
    c_dot = configuration_rates(moving.plan.skeleton, moving.c, moving.t)
    return GraphModel(_velocity(subject), {"J_qv_dot": ca.reshape(ca.jtimes(ca.vec(W), moving.c, c_dot), *W.shape)})


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
    return GraphModel(_velocity(subject) | {"q_ddot": q_ddot}, {"acceleration": acceleration}, pivot)


def _joints(subject: Subject) -> GraphModel:
    motions = joint_motions(subject.moving)
    outputs = {
        "coordinate": ca.vertcat(*(motion.coordinates for motion in motions)),
        "rate": ca.vertcat(*(motion.rates for motion in motions)),
        "acceleration_of_joints": ca.vertcat(*(motion.accelerations for motion in motions)),
    }
    return GraphModel(_motion(subject), outputs)


def _joint_coordinates(subject: Subject) -> GraphModel:
    motions = joint_motions(terms.at_standstill(subject.mechanics, rest=True).moving)
    return GraphModel({}, {"coordinate": ca.vertcat(*(motion.coordinates for motion in motions))})


def _output(subject: Subject) -> GraphModel:
    frame = subject.moving.tree.at(subject.moving.plan.skeleton.output)
    outputs = {
        "p": frame.p,
        "R": frame.spin.R,
        "twist": ca.vertcat(frame.v, frame.spin.w),
        "twist_dot": ca.vertcat(frame.a, frame.spin.w_dot),
    }
    return GraphModel(_motion(subject), outputs)


def _bodies(subject: Subject) -> GraphModel:
    skeleton = subject.moving.plan.skeleton
    frames = [
        carried(subject.moving.tree.at(place), Place(place.link, np.array(body.com), np.eye(3)))
        for place, body in zip(skeleton.bodies, skeleton.description.bodies, strict=True)
    ]
    outputs = {
        "p": ca.horzcat(*(frame.p for frame in frames)).T,
        "v": ca.horzcat(*(frame.v for frame in frames)).T,
        "a": ca.horzcat(*(frame.a for frame in frames)).T,
        "R": ca.vertcat(*(frame.spin.R for frame in frames)),
        "w": ca.horzcat(*(frame.spin.w for frame in frames)).T,
        "w_dot": ca.horzcat(*(frame.spin.w_dot for frame in frames)).T,
    }
    return GraphModel(_motion(subject), outputs)


def _body_frames(subject: Subject) -> GraphModel:
    frames = [subject.moving.standing.at(place) for place in subject.moving.plan.skeleton.bodies]
    outputs = {
        "p": ca.horzcat(*(frame.p for frame in frames)).T,
        "R": ca.vertcat(*(frame.spin.R for frame in frames)),
    }
    return GraphModel({}, outputs)


def _frames(subject: Subject) -> GraphModel:
    """[R | p] of every rigid part, three rows each, in the order of `kinematics.graph.frames.frame_names`."""
    moving = subject.moving
    return GraphModel({}, {"frames": frames_of_bodies(moving.plan.skeleton, moving.standing)})


def _inverse_dynamics(subject: Subject) -> GraphModel:
    forces = motor_forces(subject.mechanics)
    return GraphModel(_motion(subject), {"tau": forces.tau}, forces.pivot)


def _static_forces(subject: Subject) -> GraphModel:
    """Return what holds the mechanism at rest, where no joint has friction."""
    plan = subject.moving.plan
    if len(plan.actuators) < len(plan.independent):
        reason = "it has more freedoms than motors, which do not hold it still: ask inverse_dynamics"
        raise UnsupportedRobotError(plan.skeleton.description.name, reason)
    forces = motor_forces(terms.at_standstill(subject.mechanics, rest=True))
    return GraphModel({}, {"tau": forces.tau}, forces.pivot)


def _actuator_power(subject: Subject) -> GraphModel:
    forces, rates = motor_forces(subject.mechanics), _actuator_velocity(subject).outputs["q_dot"]
    return GraphModel(_motion(subject), {"power": forces.tau * rates}, forces.pivot)


def _generalised_force(subject: Subject) -> GraphModel:
    return GraphModel(_motion(subject), {"Q": subject.mechanics.Q})


def _mass_matrix(subject: Subject) -> GraphModel:
    return GraphModel({}, {"M": mass_matrix(subject.mechanics)})


def _bias(subject: Subject) -> GraphModel:
    return GraphModel(_velocity(subject), {"h": terms.bias_force(subject.mechanics)})


def _gravity(subject: Subject) -> GraphModel:
    return GraphModel({}, {"g": terms.gravity_force(subject.mechanics)})


def _forward_dynamics(subject: Subject) -> GraphModel:
    tau = ca.SX.sym("tau", len(subject.moving.plan.actuators))
    acceleration = terms.forward_dynamics(subject.mechanics, tau)
    return GraphModel(_velocity(subject) | {"tau": tau}, {"acceleration": acceleration})


def _linearize(subject: Subject) -> GraphModel:
    tau = ca.SX.sym("tau", len(subject.moving.plan.actuators))
    linear = terms.linearize(subject.mechanics, tau)
    outputs = {"A": linear.A, "B": linear.B, "acceleration": linear.acceleration}
    return GraphModel(_velocity(subject) | {"tau": tau}, outputs)


def _energy(subject: Subject) -> GraphModel:
    energy = terms.energy(subject.mechanics)
    return GraphModel(_velocity(subject), {"kinetic": energy.kinetic, "potential": energy.potential})


def _regressor(subject: Subject) -> GraphModel:
    forces = linear_forces(subject.mechanics)
    Psi = ca.jacobian(forces.tau, subject.p)
    if ca.depends_on(Psi, subject.p):
        raise NotLinearInParametersError(subject.moving.plan.skeleton.description.name)
    return GraphModel(_motion(subject), {"Psi": ca.densify(Psi)}, forces.pivot)


def _joint_wrenches(subject: Subject) -> GraphModel:
    forces = motor_forces(subject.mechanics)
    carried = reactions(with_passive_motion(subject.mechanics), forces.tau)
    outputs = {"wrench_on_child": carried.wrenches, "undetermined": carried.open}
    return GraphModel(_motion(subject), outputs, forces.pivot)


MODELS: dict[str, Callable[[Subject], GraphModel]] = {
    "configuration": _configuration,
    "pose": _pose,
    "inverse_kinematics": _inverse_kinematics,
    "actuator_velocity": _actuator_velocity,
    "actuator_acceleration": _actuator_acceleration,
    "jacobian": _jacobian,
    "jacobian_rate": _jacobian_rate,
    "platform_velocity": _platform_velocity,
    "platform_acceleration": _platform_acceleration,
    "joints": _joints,
    "joint_coordinates": _joint_coordinates,
    "output": _output,
    "bodies": _bodies,
    "frames": _frames,
    "body_frames": _body_frames,
    "inverse_dynamics": _inverse_dynamics,
    "static_forces": _static_forces,
    "actuator_power": _actuator_power,
    "generalised_force": _generalised_force,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "gravity": _gravity,
    "forward_dynamics": _forward_dynamics,
    "linearize": _linearize,
    "energy": _energy,
    "regressor": _regressor,
    "joint_wrenches": _joint_wrenches,
}
"""Name of a model -> what builds it."""
