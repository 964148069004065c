"""The models of a mechanism: a table that `Mechanism`, tests and benchmarks read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.graph import terms
from parakin.dynamics.graph.actuation import determined_by_motors, linear_forces, motor_forces, with_passive_motion
from parakin.dynamics.graph.mass import actuator_mass_matrix, mass_matrix
from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.dynamics.graph.motion_models import MOTION_MODELS, actuator_velocity
from parakin.dynamics.graph.parameters import GraphParameters, given_out, graph_parameters
from parakin.dynamics.graph.reactions import reactions
from parakin.dynamics.graph.subject import GraphModel, Subject, motion_of, velocity_of
from parakin.dynamics.linear_models import Estimated, in_places
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameter_symbols import values_of
from parakin.dynamics.parameters import BODY_UNITS
from parakin.dynamics.payload import Payload
from parakin.errors import NotLinearInParametersError, UnsupportedRobotError
from parakin.kernels import Program, shortcut, stage
from parakin.kernels.program import Stage, StepLike
from parakin.kinematics.derivatives import derivatives_of
from parakin.kinematics.graph.closing import closing_status, displacements, residual, trusted_closing
from parakin.kinematics.graph.formulas import completed, from_pose
from parakin.kinematics.graph.loops import graph_motion
from parakin.kinematics.graph.searching import SURELY, closing_steps
from parakin.kinematics.status import SMALLEST_PIVOT, Status
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.plan import Plan

FREE: dict[str, str] = {
    "parameters": "p in the order of Robot.parameters",
    "payload": "m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz of what the output carries, about its origin in its axes",
    "wrench": "external force and moment on the output, at its origin, in base axes [N, N m]",
    "weights": "weights of motors that are more than the freedoms, whose forces minimise the sum of weight tau^2",
    "smoothing": "the rate in `friction.smooth_sign`, which takes the place of sign(rate) in Coulomb friction",
    "gravity": "acceleration of free fall in base axes [m/s^2]",
}
"""What can be inputs of a kernel instead of numbers baked into it, and what each of them is."""


MATRICES: dict[str, tuple[str, ...]] = {
    "mass_matrix": ("M",),
    "mass_matrix_actuator": ("M",),
    "jacobian": ("J_qv",),
    "jacobian_rate": ("J_qv_dot",),
    "regressor": ("Psi",),
    "linearize": ("A", "B"),
    "joint_wrenches": ("wrench_on_child",),
    "frames": ("frames",),
    "output": ("R",),
    "named_frames": ("p", "R", "twist", "twist_dot"),
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
    by: tuple[str, ...] = ()
    """Inputs by which the outputs are derived too: `kinematics.derivatives`."""
    estimated: Estimated | None = None
    """Which parameters are the symbols p of a linear form, in place of all; None for all with their values."""


def graph_program(name: str, plan: Plan, options: Options) -> Program:
    """Return the program of a model: from a pose by Newton, or at a given configuration.

    Loops are eliminated in the plan's order of pivots; states in which that is poor, or which are no good, are done
    again with exchange of rows, which alone decides on a status other than GOOD.
    """
    return program_of_model(name, plan, options, MODELS[name])


def program_of_model(name: str, plan: Plan, options: Options, build: Callable[[Subject], GraphModel]) -> Program:
    """Return the program of a model that `build` makes of its subject, as `graph_program` does for those of MODELS."""
    quick, sure = (
        _steps(name, build, graph_subject(name, plan, options, surely=surely), options) for surely in (False, True)
    )
    outputs = [key for key in quick[-1].function.name_out() if key != "doubt"]
    full_name = f"{plan.skeleton.description.name}_{name}"
    return Program(shortcut(quick, sure, doubt="doubt"), outputs=outputs, name=full_name)


def _steps(
    name: str, build: Callable[[Subject], GraphModel], subject: Subject, options: Options
) -> tuple[*tuple[StepLike, ...], Stage]:
    """Return the steps of a model, by the plan's order of elimination, or surely if the subject's motion is sure."""
    model, moving = derived(build(subject), subject, options.by), subject.moving
    plan = moving.plan
    pose, crossed, doubted = ca.SX.sym("pose", len(plan.independent)), ca.SX.sym("crossed"), ca.SX.sym("doubted")
    searched = options.from_pose and bool(plan.closing.rows or not subject.given)
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
    state = (dict(subject.given) or {"configuration": moving.c}) | (search if searched else {})
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
    return (*closing_steps(plan, surely=moving.surely, complete=not subject.given), stage(last, **found))


def _told(model: GraphModel, status: ca.SX) -> dict[str, ca.SX]:
    """Return the status of a model: that of its configuration, and whether the motors hold it."""
    if model.pivot is None:
        return {"status": status}
    held = ca.if_else(model.pivot > SMALLEST_PIVOT, Status.GOOD, Status.SINGULAR)
    return {"status": ca.if_else(ca.eq(status, Status.GOOD), held, status)}


def _trusted(model: GraphModel, trusted: ca.SX) -> ca.SX:
    return trusted if model.pivot is None else ca.logic_and(trusted, model.pivot > SMALLEST_PIVOT)


def graph_subject(name: str, plan: Plan, options: Options, *, surely: bool) -> Subject:
    """Return a mechanism with the symbols that a model of it takes."""
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
    if options.estimated is not None:
        p, parameters = _estimated(description, options.payload, options.estimated)
    moving = graph_motion(plan, surely=surely)
    given: dict[str, ca.SX] = {}
    order = plan.closing
    if options.from_pose and name not in BY_CONFIGURATION and not options.by and (order.after or not order.rows):
        near = ca.SX.sym("near", plan.skeleton.coordinates)
        if order.rows:
            given, formulas = {"configuration": moving.c, "near": near}, completed
        else:
            given, formulas = {"pose": ca.SX.sym("pose", len(plan.independent)), "near": near}, from_pose
        c, turns = formulas(plan, *given.values())
        moving = replace(moving, c=c, turns=turns)
    return Subject(GraphMechanics(moving, parameters, gravity, acting), symbols, p, given)


def derived(model: GraphModel, subject: Subject, by: tuple[str, ...]) -> GraphModel:
    """Return a model with the derivatives of its outputs by some of its inputs."""
    if not by:
        return model
    inputs = {"pose": subject.moving.c, **model.inputs, **subject.extras}
    found = derivatives_of(model.outputs, inputs, by, displacements(subject.moving))
    return replace(model, outputs=dict(model.outputs) | found)


def _estimated(
    description: MechanismDescription, payload: Payload, estimated: Estimated
) -> tuple[ca.SX, GraphParameters]:
    """Return symbols p of some parameters, and all parameters with these in them."""
    if isinstance(estimated, str):
        ten = ca.SX.sym("p", len(BODY_UNITS))
        return ten, given_out(description, values_of(graph_parameters(description, None)), ten)
    p = ca.SX.sym("p", len(estimated))
    return p, given_out(description, in_places(p, estimated, len(graph_parameters(description, payload))), None)


def _inverse_dynamics(subject: Subject) -> GraphModel:
    forces = motor_forces(subject.mechanics)
    return GraphModel(motion_of(subject), {"tau": forces.tau}, forces.pivot)


def _static_forces(subject: Subject) -> GraphModel:
    """Return what holds the mechanism at rest, where no joint has friction."""
    plan = subject.moving.plan
    if plan.undriven:
        more = "more freedoms than motors, which" if len(plan.actuators) < len(plan.independent) else "motors that"
        reason = f"it has {more} do not hold it still: ask inverse_dynamics"
        raise UnsupportedRobotError(plan.skeleton.description.name, reason)
    forces = motor_forces(terms.at_standstill(subject.mechanics, rest=True))
    return GraphModel({}, {"tau": forces.tau}, forces.pivot)


def _actuator_power(subject: Subject) -> GraphModel:
    forces, rates = motor_forces(subject.mechanics), actuator_velocity(subject).outputs["q_dot"]
    return GraphModel(motion_of(subject), {"power": forces.tau * rates}, forces.pivot)


def _generalised_force(subject: Subject) -> GraphModel:
    return GraphModel(motion_of(subject), {"Q": subject.mechanics.Q})


def _mass_matrix(subject: Subject) -> GraphModel:
    return GraphModel({}, {"M": mass_matrix(subject.mechanics)})


def _mass_matrix_actuator(subject: Subject) -> GraphModel:
    plan = subject.moving.plan
    if len(plan.actuators) != len(plan.independent):
        counts = f"not {len(plan.actuators)} for {len(plan.independent)}"
        reason = f"its mass matrix in actuator space needs as many motors as freedoms, {counts}"
        raise UnsupportedRobotError(plan.skeleton.description.name, reason)
    _, pivot = determined_by_motors(subject.mechanics, ca.SX(len(plan.actuators), 1))
    return GraphModel({}, {"M": actuator_mass_matrix(subject.mechanics)}, pivot)


def _bias(subject: Subject) -> GraphModel:
    return GraphModel(velocity_of(subject), {"h": terms.bias_force(subject.mechanics)})


def _gravity(subject: Subject) -> GraphModel:
    return GraphModel({}, {"g": terms.gravity_force(subject.mechanics)})


def _forward_dynamics(subject: Subject) -> GraphModel:
    tau = ca.SX.sym("tau", len(subject.moving.plan.actuators))
    acceleration = terms.forward_dynamics(subject.mechanics, tau)
    return GraphModel(velocity_of(subject) | {"tau": tau}, {"acceleration": acceleration})


def _linearize(subject: Subject) -> GraphModel:
    tau = ca.SX.sym("tau", len(subject.moving.plan.actuators))
    linear = terms.linearize(subject.mechanics, tau)
    outputs = {"A": linear.A, "B": linear.B, "acceleration": linear.acceleration}
    return GraphModel(velocity_of(subject) | {"tau": tau}, outputs)


def _energy(subject: Subject) -> GraphModel:
    energy = terms.energy(subject.mechanics)
    return GraphModel(velocity_of(subject), {"kinetic": energy.kinetic, "potential": energy.potential})


def _regressor(subject: Subject) -> GraphModel:
    forces = linear_forces(subject.mechanics)
    Psi = ca.jacobian(forces.tau, subject.p)
    if ca.depends_on(Psi, subject.p):
        raise NotLinearInParametersError(subject.moving.plan.skeleton.description.name)
    return GraphModel(motion_of(subject), {"Psi": ca.densify(Psi)}, forces.pivot)


def _joint_wrenches(subject: Subject) -> GraphModel:
    forces = motor_forces(subject.mechanics)
    carried = reactions(with_passive_motion(subject.mechanics), forces.tau)
    outputs = {"wrench_on_child": carried.wrenches, "undetermined": carried.open}
    return GraphModel(motion_of(subject), outputs, forces.pivot)


MODELS: dict[str, Callable[[Subject], GraphModel]] = {
    **MOTION_MODELS,
    "inverse_dynamics": _inverse_dynamics,
    "static_forces": _static_forces,
    "actuator_power": _actuator_power,
    "generalised_force": _generalised_force,
    "mass_matrix": _mass_matrix,
    "mass_matrix_actuator": _mass_matrix_actuator,
    "bias": _bias,
    "gravity": _gravity,
    "forward_dynamics": _forward_dynamics,
    "linearize": _linearize,
    "energy": _energy,
    "regressor": _regressor,
    "joint_wrenches": _joint_wrenches,
}
"""Name of a model -> what builds it."""
