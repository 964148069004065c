"""The models of bodies and joints: those of `dynamics.models`, what only these have, and how they become programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import casadi as ca

from parakin.dynamics.graph.actuation import motor_forces, with_passive_motion
from parakin.dynamics.graph.equation import GraphEquation
from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.dynamics.graph.parameters import GraphParameters, given_out, graph_parameters
from parakin.dynamics.graph.reactions import reactions
from parakin.dynamics.linear_models import Estimated, in_places
from parakin.dynamics.models import (
    FORCE_MODELS,
    LINEAR_MODELS,
    MOTION_MODELS,
    Subject,
    acting_with,
    freed_symbols,
)
from parakin.dynamics.models import (
    MATRICES as COMMON_MATRICES,
)
from parakin.dynamics.parameter_symbols import values_of
from parakin.dynamics.parameters import BODY_UNITS
from parakin.dynamics.payload import Payload
from parakin.kernels import Program, shortcut, stage
from parakin.kernels.program import Stage, StepLike
from parakin.kinematics.graph.closing import (
    closing_status,
    coordinates_of_pose,
    residual,
    trusted_closing,
)
from parakin.kinematics.graph.formulas import completed, from_pose
from parakin.kinematics.graph.frames import frames_of_bodies
from parakin.kinematics.graph.loops import GraphMotion, graph_motion
from parakin.kinematics.graph.rod_frames import file_bodies
from parakin.kinematics.graph.searching import SURELY, closing_steps
from parakin.kinematics.model import Model, derived
from parakin.kinematics.status import SMALLEST_PIVOT, Status
from parakin.mechanism.model import BASE
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import Skeleton

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
    **COMMON_MATRICES,
    "joint_wrenches": ("wrench_on_child",),
    "frames": ("frames",),
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


@dataclass(frozen=True)
class GraphSubject(Subject[GraphEquation]):
    """A mechanism with the symbols that its models take besides the state."""

    given: Mapping[str, ca.SX] = field(default_factory=dict[str, ca.SX])
    """Symbols from which formulas give the configuration, or the rest of it; none where it is a symbol itself."""

    @property
    def moving(self) -> GraphMotion:
        """The mechanism in motion."""
        return self.machine.moving

    def inputs(self, *state: str, **more: ca.SX) -> dict[str, ca.SX]:
        """Return the named parts of the state and other inputs; the program adds the place, and what is freed."""
        return self.state(*state) | more


GraphBuilder = Callable[[GraphSubject], Model]
"""What builds a model of a mechanism."""


def graph_program(name: str, plan: Plan, options: Options) -> Program:
    """Return the program of a model: from a pose by Newton, or at a given configuration.

    Loops are eliminated in the plan's order of pivots; states in which that is poor, or which are no good, are done
    again with exchange of rows, which alone decides on a status other than GOOD.
    """
    return program_of_model(name, plan, options, MODELS[name])


def program_of_model(name: str, plan: Plan, options: Options, build: GraphBuilder) -> Program:
    """Return the program of a model that `build` makes of its subject, as `graph_program` does for those of MODELS."""
    quick, sure = (
        _steps(name, build, graph_subject(name, plan, options, surely=surely), options) for surely in (False, True)
    )
    outputs = [key for key in quick[-1].function.name_out() if key != "doubt"]
    full_name = f"{plan.skeleton.description.name}_{name}"
    return Program(shortcut(quick, sure, doubt="doubt"), outputs=outputs, name=full_name)


def _steps(
    name: str, build: GraphBuilder, subject: GraphSubject, options: Options
) -> tuple[*tuple[StepLike, ...], Stage]:
    """Return the steps of a model, by the plan's order of elimination, or surely if the subject's motion is sure."""
    model, moving = graph_model(build, subject, options.by), subject.moving
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


def _told(model: Model, status: ca.SX) -> dict[str, ca.SX]:
    """Return the status of a model: that of its configuration, and whether the motors hold it."""
    if model.pivot is None:
        return {"status": status}
    held = ca.if_else(model.pivot > SMALLEST_PIVOT, Status.GOOD, Status.SINGULAR)
    return {"status": ca.if_else(ca.eq(status, Status.GOOD), held, status)}


def _trusted(model: Model, trusted: ca.SX) -> ca.SX:
    return trusted if model.pivot is None else ca.logic_and(trusted, model.pivot > SMALLEST_PIVOT)


def graph_subject(name: str, plan: Plan, options: Options, *, surely: bool) -> GraphSubject:
    """Return a mechanism with the symbols that a model of it takes."""
    skeleton = plan.skeleton
    payload = None if "payload" in options.free else options.payload
    table = graph_parameters(skeleton.parametrised, payload)
    sizes = {"parameters": len(table), "wrench": 6, "weights": len(plan.actuators)}
    symbols = freed_symbols(options.free, sizes)
    p = symbols.get("parameters", ca.SX.sym("p", len(table)) if name in LINEAR_MODELS else values_of(table))
    gravity = symbols.get("gravity", ca.SX(ca.DM(skeleton.file.gravity)))
    parameters = given_out(skeleton, p, symbols.get("payload"))
    if options.estimated is not None:
        p, parameters = _estimated(skeleton, options.payload, options.estimated)
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
    machine = GraphEquation(GraphMechanics(moving, parameters, gravity, acting_with(symbols)))
    return GraphSubject(machine, symbols, p, given)


def graph_model(build: GraphBuilder, subject: GraphSubject, by: tuple[str, ...]) -> Model:
    """Return a model with the derivatives of its outputs by some of its inputs."""
    model = build(subject)
    if not by:
        return model
    inputs = {"pose": subject.moving.c, **model.inputs, **subject.extras}
    return derived(model, inputs, by, subject.machine.displacements)


def _estimated(skeleton: Skeleton, payload: Payload, estimated: Estimated) -> tuple[ca.SX, GraphParameters]:
    """Return symbols p of some parameters, and all parameters with these in them."""
    description = skeleton.parametrised
    if isinstance(estimated, str):
        ten = ca.SX.sym("p", len(BODY_UNITS))
        return ten, given_out(skeleton, values_of(graph_parameters(description, None)), ten)
    p = ca.SX.sym("p", len(estimated))
    return p, given_out(skeleton, in_places(p, estimated, len(graph_parameters(description, payload))), None)


def _configuration(subject: GraphSubject) -> Model:
    return Model({}, {"configuration_found": ca.SX(subject.moving.c)})


def _pose(subject: GraphSubject) -> Model:
    return Model({}, {"pose_found": coordinates_of_pose(subject.moving.plan, subject.moving.c)})


def _named_frames(subject: GraphSubject) -> Model:
    """The output and the frames of interest, a row each, in the order of `Robot.frame_names`."""
    skeleton = subject.moving.plan.skeleton
    frames = [subject.moving.tree.at(place) for place in (skeleton.output, *skeleton.frames)]
    outputs = {
        "p": ca.horzcat(*(frame.p for frame in frames)).T,
        "R": ca.vertcat(*(frame.spin.R for frame in frames)),
        "twist": ca.horzcat(*(ca.vertcat(frame.v, frame.spin.w) for frame in frames)).T,
        "twist_dot": ca.horzcat(*(ca.vertcat(frame.a, frame.spin.w_dot) for frame in frames)).T,
    }
    return Model(subject.inputs("velocity", "acceleration"), outputs)


def _frames(subject: GraphSubject) -> Model:
    """[R | p] of every rigid part, three rows each, in the order of `kinematics.graph.frames.frame_names`."""
    moving = subject.moving
    return Model({}, {"frames": frames_of_bodies(moving.plan.skeleton, moving.standing)})


def _body_frames(subject: GraphSubject) -> Model:
    bodies = file_bodies(subject.moving.plan.skeleton, subject.moving.standing)
    frames = [frame for name, frame in bodies.items() if name != BASE]
    outputs = {
        "p": ca.horzcat(*(frame.p for frame in frames)).T,
        "R": ca.vertcat(*(frame.spin.R for frame in frames)),
    }
    return Model({}, outputs)


def _generalised_force(subject: GraphSubject) -> Model:
    return Model(subject.inputs("velocity", "acceleration"), {"Q": subject.machine.required})


def _joint_wrenches(subject: GraphSubject) -> Model:
    made = subject.machine.mechanics
    forces = motor_forces(made)
    carried = reactions(with_passive_motion(made), forces.tau)
    outputs = {"wrench_on_child": carried.wrenches, "undetermined": carried.open}
    return Model(subject.inputs("velocity", "acceleration"), outputs, forces.pivot)


MODELS: Mapping[str, GraphBuilder] = {
    **MOTION_MODELS,
    **FORCE_MODELS,
    "configuration": _configuration,
    "pose": _pose,
    "named_frames": _named_frames,
    "frames": _frames,
    "body_frames": _body_frames,
    "generalised_force": _generalised_force,
    "joint_wrenches": _joint_wrenches,
}
"""All models of bodies and joints: of any machine, and of these alone."""
