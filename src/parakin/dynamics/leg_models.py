"""The models of legs: those of `models`, what only legs have, and how they become programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.leg_equation import LegEquation
from parakin.dynamics.mechanics import mechanics, refuse_attachments, refuse_turns_inside
from parakin.dynamics.models import (
    FORCE_MODELS,
    LINEAR_MODELS,
    MOTION_MODELS,
    Subject,
    acting_with,
    freed_symbols,
)
from parakin.dynamics.parameter_symbols import values_of
from parakin.dynamics.parameters import parameters_of
from parakin.dynamics.payload import Payload
from parakin.errors import UnsupportedRobotError
from parakin.kernels import Program
from parakin.kinematics.frames import frames_of_parts
from parakin.kinematics.geometry import shaped_by
from parakin.kinematics.model import Model, derived, program_of
from parakin.kinematics.robot_motion import RobotMotion
from parakin.kinematics.status import SMALLEST_PIVOT, Status
from parakin.kinematics.working_modes import with_branches
from parakin.linalg.solve import Order


@dataclass(frozen=True)
class Options:
    """How a model is made."""

    payload: Payload
    """What the robot carries: baked in, or in the last ten of free parameters, unless the payload itself is free."""
    formulation: str = DEFAULT
    """The formulation of inverse dynamics."""
    free: tuple[str, ...] = ()
    """What becomes inputs, of FREE."""
    order: Order | None = None
    """An order in which J_qv^T can mostly be eliminated without exchanges, for a quicker way to the forces."""
    by: tuple[str, ...] = ()
    """Inputs by which the outputs are derived too: `kinematics.derivatives`."""


@dataclass(frozen=True)
class LegSubject(Subject[LegEquation]):
    """A robot of legs with the symbols that its models take besides the state."""

    @property
    def moving(self) -> RobotMotion:
        """Everything that moves."""
        return self.machine.moving

    def inputs(self, *state: str, **more: ca.SX) -> dict[str, ca.SX]:
        """Return the pose, the named parts of the state, other inputs, and what was freed."""
        return {"pose": self.moving.pose} | self.state(*state) | self.besides(**more)

    def besides(self, **inputs: ca.SX) -> dict[str, ca.SX]:
        """Return inputs of a model that takes no pose, and what was freed."""
        return inputs | dict(self.extras)


def leg_program(name: str, description: RobotDescription, options: Options) -> Program:
    """Return the program of a model of a robot."""
    model, moving = symbolic_model(name, description, options)
    return program_of(name, model, moving, description)


def symbolic_model(name: str, description: RobotDescription, options: Options) -> tuple[Model, RobotMotion]:
    """Return the expressions of a model, and the moving robot that they are of."""
    subject = _subject(name, description, options)
    model = MODELS[name](subject)
    if options.by:
        model = derived(model, model.inputs, options.by, subject.machine.displacements)
    return model, subject.moving


def _subject(name: str, description: RobotDescription, options: Options) -> LegSubject:
    payload = None if "payload" in options.free else options.payload
    count = len(parameters_of(description, payload))
    drives = sum(element.actuator is not None for leg in expanded_legs(description) for element in leg.elements)
    freedom = description.motion_type.degrees_of_freedom
    shaped = shaped_by(with_branches(description) if "branches" in options.free else description, options.free)
    if shaped.inputs and name in MEASURED_MODELS:
        reason = f"{name} has its geometry baked in: use inverse_dynamics, which takes a pose"
        raise UnsupportedRobotError(description.name, reason)
    symbols = freed_symbols(options.free, {"parameters": count, "wrench": freedom, "weights": drives})
    p = symbols.get("parameters")
    if name in LINEAR_MODELS and p is None:
        p = ca.SX.sym("p", count)
    if shaped.inputs and p is None:
        p = values_of(parameters_of(description, payload))  # of the file: moments do not follow the dimensions
    made = mechanics(shaped.moved, symbols.get("payload", payload), p, acting_with(symbols), symbols.get("gravity"))
    machine = LegEquation(made, shaped.judged, options.formulation, options.order)
    return LegSubject(machine, symbols | dict(shaped.inputs), p)


def _check(subject: LegSubject) -> Model:
    """The status alone, platform singularities included."""
    _, pivot = subject.machine.followed(ca.SX(subject.moving.q.shape[0], 1))
    return Model(subject.inputs(), {}, pivot, {"leg_pivot": subject.moving.pivot})


def _elements(subject: LegSubject) -> Model:
    """Root A, direction x, length d, angle theta, spin rate about the line: what a camera would observe, in rows."""
    elements = [element for leg in subject.moving.legs for element in leg.elements]
    lines = [element.line for element in elements]
    spins = [ca.dot(element.frame.w, element.line.x) for element in elements]
    outputs = {
        name: ca.vertcat(*(getattr(line, name).T for line in lines))
        for name in ("A", "A_dot", "A_ddot", "x", "x_dot", "x_ddot", "d", "d_dot", "d_ddot")
    }
    outputs |= {
        name: ca.vertcat(*(element.theta[k] for element in elements))
        for k, name in enumerate(("theta", "theta_dot", "theta_ddot"))
    }
    return Model(subject.inputs("velocity", "acceleration"), outputs | {"spin": ca.vertcat(*spins)})


def _points(subject: LegSubject) -> Model:
    lines = [element.line for leg in subject.moving.legs for element in leg.elements]
    roots, tips = ca.vertcat(*(line.A.T for line in lines)), ca.vertcat(*(line.B.T for line in lines))
    return Model(subject.inputs(), {"root": roots, "tip": tips})


def _frames(subject: LegSubject) -> Model:
    """[R | p] of every rigid part, three rows each, in the order of `rigid_parts`; also where a leg is singular."""
    moving = subject.moving
    reached = ca.logic_and(moving.motion.usable(moving.pose), ca.mmax(moving.excess) <= 0)
    frames = ca.if_else(reached, frames_of_parts(moving, subject.machine.description), math.nan)
    return Model(subject.inputs(), {}, None, {"frames": frames})


def _inverse_dynamics_observed(subject: LegSubject) -> Model:
    """From observed elements; the reduced form wherever it holds, A Gamma + b = 0 for all other robots."""
    from parakin.dynamics.kinematic_elements.balance import balance, solved
    from parakin.dynamics.kinematic_elements.bar_legs import reducible
    from parakin.dynamics.kinematic_elements.observed import elements_seen, seen
    from parakin.dynamics.kinematic_elements.reduced import reduced_tau

    made = subject.machine.mechanics
    refuse_turns_inside(made, "the model of observed elements")
    refuse_attachments(made, "the model of observed elements")
    observed = seen(made.legs, made.moving.motion.planar)
    if reducible(made):
        forces, pivots = reduced_tau(made, observed), list[ca.SX]()
    else:
        elements = elements_seen(made, observed)
        forces = solved(balance(made, elements), made.acting.weights)
        pivots = [element.pivot for leg in elements.legs for element in leg]
    good = ca.SX(1)
    for pivot in (forces.pivot, *pivots):
        good = ca.logic_and(good, ca.fabs(pivot) > SMALLEST_PIVOT)
    status = ca.if_else(good, Status.GOOD, Status.SINGULAR)
    return Model(subject.besides(**observed.inputs), {"tau": forces.tau}, status=status)


def _inverse_dynamics_from_encoders(subject: LegSubject) -> Model:
    from parakin.dynamics.kinematic_elements.encoders import encoded, measured

    made = subject.machine.mechanics
    refuse_attachments(made, "the model of encoders")
    state = measured(made)
    forces = encoded(made, state)
    inputs = subject.besides(q=state.q, q_dot=state.q_dot, q_ddot=state.q_ddot)
    return Model(inputs, {"tau": forces.tau}, status=forces.status)


LEG_MOTION_MODELS: Mapping[str, Callable[[LegSubject], Model]] = {
    **MOTION_MODELS,
    "check": _check,
    "elements": _elements,
    "points": _points,
    "frames": _frames,
}
"""Models that need no masses: of any machine, and of legs alone."""

LEG_FORCE_MODELS: Mapping[str, Callable[[LegSubject], Model]] = {
    **FORCE_MODELS,
    "inverse_dynamics_observed": _inverse_dynamics_observed,
    "inverse_dynamics_from_encoders": _inverse_dynamics_from_encoders,
}
"""Models of forces: of any machine, and of legs alone."""

MODELS = {**LEG_MOTION_MODELS, **LEG_FORCE_MODELS}
"""All models of legs."""

MEASURED_MODELS = ("inverse_dynamics_observed", "inverse_dynamics_from_encoders")
"""Models of what sensors see of a machine that is built: they look at the numbers of its geometry."""

QUICK_MODELS = ("inverse_dynamics", *LINEAR_MODELS)
"""Models that have a quicker way to their outputs where an order of elimination is known."""
