"""The dynamic models of a robot: a table that Robot, tests and benchmarks read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.dynamics import terms
from parakin.dynamics.actuation import actuator_forces
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.formulations import FORMULATIONS
from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.kinematic_elements.balance import balance, solved
from parakin.dynamics.kinematic_elements.bar_legs import reducible
from parakin.dynamics.kinematic_elements.encoders import encoded, measured
from parakin.dynamics.kinematic_elements.observed import elements_seen, seen
from parakin.dynamics.kinematic_elements.reduced import reduced_tau
from parakin.dynamics.mechanics import Acting, Mechanics, mechanics, refuse_attachments, refuse_turns_inside
from parakin.dynamics.parameter_symbols import values_of
from parakin.dynamics.parameters import BODY_UNITS, parameters_of
from parakin.dynamics.payload import Payload
from parakin.dynamics.regressor import regressor, regressor_by_inverse
from parakin.dynamics.virtual_work.required import mass_matrix, quickly_supplied, required, supplied
from parakin.errors import UnsupportedRobotError
from parakin.kernels import Program
from parakin.kinematics.geometry import shaped_by
from parakin.kinematics.model import Model, Quick, derived, inverse_in_order, program_of
from parakin.kinematics.robot_motion import RobotMotion
from parakin.kinematics.solve import Order
from parakin.kinematics.status import SMALLEST_PIVOT, Status
from parakin.kinematics.working_modes import with_branches


@dataclass(frozen=True)
class Options:
    """How a dynamic model is made."""

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
class Subject:
    """A robot's mechanics with the symbols that its models take besides the state."""

    mechanics: Mechanics
    """The robot."""
    options: Options
    """How the model is made."""
    extras: Mapping[str, ca.SX]
    """Symbols of what was freed, by name."""
    p: ca.SX | None
    """Symbols of the robot's parameters, for models that are asked for them."""

    @property
    def J_qv(self) -> ca.SX:
        """The matrix with which models solve for actuator forces, and which decides what is singular."""
        return self.mechanics.moving.J_qv

    def inputs(self, *names: str, **more: ca.SX) -> dict[str, ca.SX]:
        """Return the named parts of the state, other inputs, and what was freed, in the order of a call."""
        moving = self.mechanics.moving
        state = {"pose": moving.pose, "velocity": moving.velocity, "acceleration": moving.acceleration}
        return {name: state[name] for name in names} | more | dict(self.extras)


def dynamic_model(name: str, description: RobotDescription, options: Options) -> Program:
    """Return the program of the dynamic model `name` of a robot."""
    model, moving = symbolic_model(name, description, options)
    return program_of(name, model, moving, description)


def symbolic_model(name: str, description: RobotDescription, options: Options) -> tuple[Model, RobotMotion]:
    """Return the expressions of a dynamic model, and the moving robot that they are of."""
    subject = _subject(name, description, options)
    moving = subject.mechanics.moving
    return derived(MODELS[name](subject), moving, options.by), moving


def _subject(name: str, description: RobotDescription, options: Options) -> Subject:
    payload = None if "payload" in options.free else options.payload
    count = len(parameters_of(description, payload))
    sizes = {
        "parameters": count,
        "payload": len(BODY_UNITS),
        "wrench": description.motion_type.degrees_of_freedom,
        "weights": sum(element.actuator is not None for leg in expanded_legs(description) for element in leg.elements),
        "smoothing": 1,
        "gravity": 3,
    }
    moded = with_branches(description) if "branches" in options.free else description
    shaped = shaped_by(moded, options.free)
    if shaped.inputs and name in MEASURED_MODELS:
        reason = f"{name} has its geometry baked in: use inverse_dynamics, which takes a pose"
        raise UnsupportedRobotError(description.name, reason)
    symbols = {what: ca.SX.sym(what, size) for what, size in sizes.items() if what in options.free}
    symbols |= shaped.inputs
    p = symbols.get("parameters")
    if name in LINEAR_MODELS and p is None:
        p = ca.SX.sym("p", count)
    if shaped.inputs and p is None:
        p = values_of(parameters_of(description, payload))  # of the file: moments do not follow the dimensions
    smoothing = symbols.get("smoothing")
    acting = Acting(
        wrench=symbols.get("wrench"),
        weights=symbols.get("weights"),
        sign=ca.sign if smoothing is None else lambda rate: smooth_sign(rate, smoothing),
    )
    carried = symbols.get("payload", payload)
    return Subject(mechanics(shaped.moved, carried, p, acting, symbols.get("gravity")), options, symbols, p)


def _square(subject: Subject) -> Mechanics:
    actuators, freedom = subject.mechanics.moving.J_qv.shape
    if actuators != freedom:
        reason = f"actuator coordinates need as many actuators as degrees of freedom, not {actuators} for {freedom}"
        raise UnsupportedRobotError(subject.mechanics.description.name, reason)
    return subject.mechanics


def _inverse_dynamics(subject: Subject) -> Model:
    inputs, made = subject.inputs("pose", "velocity", "acceleration"), subject.mechanics
    if subject.options.formulation != DEFAULT or subject.options.order is None:
        forces = FORMULATIONS[subject.options.formulation].tau(made)
        return Model(inputs, {"tau": forces.tau}, subject.J_qv)
    needed = required(made)
    forces = supplied(made, needed)
    tau, trusted = quickly_supplied(made, needed, subject.options.order)
    return Model(inputs, {"tau": forces.tau}, subject.J_qv, quick=Quick({"tau": tau}, trusted))


def _inverse_dynamics_observed(subject: Subject) -> Model:
    """From observed elements; the reduced form wherever it holds, A Gamma + b = 0 for all other robots."""
    made = subject.mechanics
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
    return Model(subject.inputs(**observed.inputs), {"tau": forces.tau}, status=status)


def _inverse_dynamics_from_encoders(subject: Subject) -> Model:
    refuse_attachments(subject.mechanics, "the model of encoders")
    state = measured(subject.mechanics)
    forces = encoded(subject.mechanics, state)
    inputs = subject.inputs(q=state.q, q_dot=state.q_dot, q_ddot=state.q_ddot)
    return Model(inputs, {"tau": forces.tau}, status=forces.status)


def _actuator_power(subject: Subject) -> Model:
    forces = FORMULATIONS[subject.options.formulation].tau(subject.mechanics)
    power = forces.tau * subject.mechanics.moving.q_dot
    return Model(subject.inputs("pose", "velocity", "acceleration"), {"power": power}, subject.J_qv)


def _static_forces(subject: Subject) -> Model:
    J = subject.mechanics.moving.J_qv
    nothing = ca.SX.zeros(J.shape[0])
    forces = actuator_forces(J, terms.gravity_force(subject.mechanics), nothing, subject.mechanics.acting.weights)
    return Model(subject.inputs("pose"), {"tau": forces.tau}, subject.J_qv)


def _mass_matrix(subject: Subject) -> Model:
    return Model(subject.inputs("pose"), {"M": mass_matrix(subject.mechanics)})


def _bias(subject: Subject) -> Model:
    return Model(subject.inputs("pose", "velocity"), {"h": terms.bias_force(subject.mechanics)})


def _gravity(subject: Subject) -> Model:
    return Model(subject.inputs("pose"), {"g": terms.gravity_force(subject.mechanics)})


def _in_actuator_space(term: str, *state: str) -> Callable[[Subject], Model]:
    """Return what builds M, h or g of the actuators' equation of motion."""

    def build(subject: Subject) -> Model:
        terms_q = terms.actuator_terms(_square(subject))
        return Model(subject.inputs(*state), {term: getattr(terms_q, term)}, subject.J_qv)

    return build


def _coriolis_matrix(subject: Subject) -> Model:
    return Model(subject.inputs("pose", "velocity"), {"C": terms.coriolis_matrix(subject.mechanics)})


def _forward_dynamics(subject: Subject) -> Model:
    tau = ca.SX.sym("tau", subject.mechanics.moving.q.shape[0])
    acceleration = terms.forward_dynamics(subject.mechanics, tau)
    return Model(subject.inputs("pose", "velocity", tau=tau), {"acceleration": acceleration})


def _linearize(subject: Subject) -> Model:
    tau = ca.SX.sym("tau", subject.mechanics.moving.q.shape[0])
    linear = terms.linearize(subject.mechanics, tau)
    outputs = {"A": linear.A, "B": linear.B, "acceleration": linear.acceleration}
    return Model(subject.inputs("pose", "velocity", tau=tau), outputs)


def _energy(subject: Subject) -> Model:
    energy = terms.energy(subject.mechanics)
    return Model(subject.inputs("pose", "velocity"), {"kinetic": energy.kinetic, "potential": energy.potential})


def _regressor(subject: Subject) -> Model:
    return _linear_form(subject, subject.inputs("pose", "velocity", "acceleration"))


def _regressor_reference(subject: Subject) -> Model:
    v_r = ca.SX.sym("reference_velocity", subject.mechanics.moving.velocity.shape[0])
    return _linear_form(subject, subject.inputs("pose", "velocity", "acceleration", reference_velocity=v_r), v_r)


def _linear_form(subject: Subject, inputs: Mapping[str, ca.SX], v_r: ca.SX | None = None) -> Model:
    """Return the model of Psi: from the inverse of J_qv^T where an order to find that is known, else by elimination."""
    assert subject.p is not None
    if subject.options.order is None:
        return Model(inputs, {"Psi": regressor(subject.mechanics, subject.p, v_r).tau}, subject.J_qv)
    inverse = inverse_in_order(subject.J_qv.shape[0], subject.options.order)
    Psi = regressor_by_inverse(subject.mechanics, subject.p, inverse, v_r)
    return Model(inputs, {"Psi": Psi}, subject.J_qv, inverse=inverse)


MODELS: dict[str, Callable[[Subject], Model]] = {
    "inverse_dynamics": _inverse_dynamics,
    "inverse_dynamics_observed": _inverse_dynamics_observed,
    "inverse_dynamics_from_encoders": _inverse_dynamics_from_encoders,
    "actuator_power": _actuator_power,
    "static_forces": _static_forces,
    "mass_matrix": _mass_matrix,
    "mass_matrix_actuator": _in_actuator_space("M", "pose"),
    "bias": _bias,
    "bias_actuator": _in_actuator_space("h", "pose", "velocity"),
    "gravity": _gravity,
    "gravity_actuator": _in_actuator_space("g", "pose"),
    "coriolis_matrix": _coriolis_matrix,
    "forward_dynamics": _forward_dynamics,
    "linearize": _linearize,
    "energy": _energy,
    "regressor": _regressor,
    "regressor_reference": _regressor_reference,
}
"""Name of a model -> what builds it. Terms that exist in actuator coordinates too are there twice, with `_actuator`."""

LINEAR_MODELS = ("regressor", "regressor_reference")
"""Models that are derivatives with respect to the parameters, which are symbols although they are no inputs."""

MEASURED_MODELS = ("inverse_dynamics_observed", "inverse_dynamics_from_encoders")
"""Models of what sensors see of a machine that is built: they look at the numbers of its geometry."""

QUICK_MODELS = ("inverse_dynamics", *LINEAR_MODELS)
"""Models that have a quicker way to their outputs where an order of elimination is known."""
