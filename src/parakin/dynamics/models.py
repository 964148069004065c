"""The models of any machine: one table, which kernels, C, documentation, tests and benchmarks read.

A model is written once, on the interface of `equation`. `leg_models` and `graph.models` add what only legs or only
bodies and joints have, and make programs of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import casadi as ca

from parakin.dynamics.equation import EquationOfMotion
from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameters import BODY_UNITS
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.model import Model

Equation_co = TypeVar("Equation_co", bound=EquationOfMotion, covariant=True)
"""The equation of motion of a kind of machine."""


@dataclass(frozen=True)
class Subject(ABC, Generic[Equation_co]):
    """What models start from: a machine, with the symbols that they take besides the state."""

    machine: Equation_co
    """Its equation of motion."""
    extras: Mapping[str, ca.SX]
    """Symbols of what was freed, by name."""
    p: ca.SX | None
    """Symbols of its parameters, for models that are asked for them."""

    @abstractmethod
    def inputs(self, *state: str, **more: ca.SX) -> dict[str, ca.SX]:
        """Return the place, the named parts of the state and other inputs, in the order of a call."""

    def state(self, *names: str) -> dict[str, ca.SX]:
        """Return symbols of velocity and acceleration by name."""
        known = {"velocity": self.machine.velocity, "acceleration": self.machine.acceleration}
        return {name: known[name] for name in names}

    def forces(self, name: str) -> ca.SX:
        """Return symbols, one for each actuator."""
        return ca.SX.sym(name, self.machine.q.shape[0])


def freed_symbols(free: Collection[str], sizes: Mapping[str, int]) -> dict[str, ca.SX]:
    """Return symbols of what is freed, of FREE. sizes: of parameters, wrench and weights, which differ by machine."""
    known = {**sizes, "payload": len(BODY_UNITS), "smoothing": 1, "gravity": 3}
    order = ("parameters", "payload", "wrench", "weights", "smoothing", "gravity")
    return {what: ca.SX.sym(what, known[what]) for what in order if what in free}


def acting_with(symbols: Mapping[str, ca.SX]) -> Acting:
    """Return what acts on a machine, with symbols of what is freed."""
    smoothing = symbols.get("smoothing")
    return Acting(
        wrench=symbols.get("wrench"),
        weights=symbols.get("weights"),
        sign=ca.sign if smoothing is None else lambda rate: smooth_sign(rate, smoothing),
    )


AnySubject = Subject[EquationOfMotion]
"""What a model of any machine starts from."""
_MOTION = ("velocity", "acceleration")


def _inverse_kinematics(subject: AnySubject) -> Model:
    return Model(subject.inputs(), {"q": subject.machine.q})


def _actuator_velocity(subject: AnySubject) -> Model:
    return Model(subject.inputs("velocity"), {"q_dot": subject.machine.q_dot})


def _actuator_acceleration(subject: AnySubject) -> Model:
    return Model(subject.inputs(*_MOTION), {"q_ddot": subject.machine.q_ddot})


def _jacobian(subject: AnySubject) -> Model:
    return Model(subject.inputs(), {"J_qv": subject.machine.J_qv})


def _jacobian_rate(subject: AnySubject) -> Model:
    return Model(subject.inputs("velocity"), {"J_qv_dot": subject.machine.along_motion(subject.machine.J_qv)})


def _platform_velocity(subject: AnySubject) -> Model:
    """v with J_qv v = q_dot, in the least-squares sense where actuation is redundant."""
    q_dot = subject.forces("q_dot")
    velocity, pivot = subject.machine.followed(q_dot)
    return Model(subject.inputs(q_dot=q_dot), {"velocity": velocity}, pivot)


def _platform_acceleration(subject: AnySubject) -> Model:
    """a with J_qv a = q_ddot - J_qv_dot v."""
    q_ddot = subject.forces("q_ddot")
    acceleration, pivot = subject.machine.followed(q_ddot - subject.machine.q_drift)
    return Model(subject.inputs("velocity", q_ddot=q_ddot), {"acceleration": acceleration}, pivot)


def _output(subject: AnySubject) -> Model:
    """The platform's frame E, or that of a mechanism's output, with its twist and the derivative."""
    frame = subject.machine.output
    outputs = {
        "p": frame.p,
        "R": frame.spin.R,
        "twist": ca.vertcat(frame.v, frame.spin.w),
        "twist_dot": ca.vertcat(frame.a, frame.spin.w_dot),
    }
    return Model(subject.inputs(*_MOTION), {name: ca.densify(value) for name, value in outputs.items()})


def _bodies(subject: AnySubject) -> Model:
    """A row (three of R) for each body, in the order of Robot.body_names."""
    bodies = subject.machine.bodies
    outputs = {name: ca.vertcat(*(getattr(body, name).T for body in bodies)) for name in ("p", "v", "a", "w", "w_dot")}
    return Model(subject.inputs(*_MOTION), outputs | {"R": ca.vertcat(*(body.R for body in bodies))})


def _joints(subject: AnySubject) -> Model:
    joints = subject.machine.joints
    outputs = {"coordinate": joints.coordinates, "rate": joints.rates, "acceleration_of_joints": joints.accelerations}
    return Model(subject.inputs(*_MOTION), outputs)


def _joint_coordinates(subject: AnySubject) -> Model:
    return Model(subject.inputs(), {"coordinate": subject.machine.joint_coordinates})


def _inverse_dynamics(subject: AnySubject) -> Model:
    forces = subject.machine.supplied
    return Model(subject.inputs(*_MOTION), {"tau": forces.tau}, forces.pivot, quick=forces.quick)


def _actuator_power(subject: AnySubject) -> Model:
    forces = subject.machine.supplied
    return Model(subject.inputs(*_MOTION), {"power": forces.tau * subject.machine.q_dot}, forces.pivot)


def _static_forces(subject: AnySubject) -> Model:
    forces = subject.machine.static
    return Model(subject.inputs(), {"tau": forces.tau}, forces.pivot)


def _mass_matrix(subject: AnySubject) -> Model:
    return Model(subject.inputs(), {"M": subject.machine.M})


def _bias(subject: AnySubject) -> Model:
    return Model(subject.inputs("velocity"), {"h": subject.machine.bias})


def _gravity(subject: AnySubject) -> Model:
    return Model(subject.inputs(), {"g": subject.machine.gravity})


def _in_actuator_space(term: str, *state: str) -> Callable[[AnySubject], Model]:
    """Return what builds M, h or g of the actuators' equation of motion."""

    def build(subject: AnySubject) -> Model:
        machine = subject.machine
        actuators, freedom = machine.J_qv.shape
        if actuators != freedom:
            reason = f"actuator coordinates need as many actuators as degrees of freedom, not {actuators} for {freedom}"
            raise UnsupportedRobotError(machine.name, reason)
        _, pivot = machine.followed(ca.SX(actuators, 1))
        return Model(subject.inputs(*state), {term: getattr(machine, f"{term}_q")}, pivot)

    return build


def _coriolis_matrix(subject: AnySubject) -> Model:
    return Model(subject.inputs("velocity"), {"C": subject.machine.C})


def _forward_dynamics(subject: AnySubject) -> Model:
    tau = subject.forces("tau")
    return Model(subject.inputs("velocity", tau=tau), {"acceleration": subject.machine.forward_dynamics(tau)})


def _linearize(subject: AnySubject) -> Model:
    tau = subject.forces("tau")
    linear = subject.machine.linearized(tau)
    outputs = {"A": linear.A, "B": linear.B, "acceleration": linear.acceleration}
    return Model(subject.inputs("velocity", tau=tau), outputs)


def _energy(subject: AnySubject) -> Model:
    energy = subject.machine.energy
    return Model(subject.inputs("velocity"), {"kinetic": energy.kinetic, "potential": energy.potential})


def _regressor(subject: AnySubject) -> Model:
    return _linear_form(subject, subject.inputs(*_MOTION))


def _regressor_reference(subject: AnySubject) -> Model:
    v_r = ca.SX.sym("reference_velocity", subject.machine.velocity.shape[0])
    return _linear_form(subject, subject.inputs(*_MOTION, reference_velocity=v_r), v_r)


def _linear_form(subject: AnySubject, inputs: Mapping[str, ca.SX], v_r: ca.SX | None = None) -> Model:
    assert subject.p is not None
    form = subject.machine.linear_form(subject.p, v_r)
    return Model(inputs, {"Psi": form.Psi}, form.pivot, inverse=form.inverse)


Builders = Mapping[str, Callable[[AnySubject], Model]]
"""Name of a model -> what builds it."""
MOTION_MODELS: Builders = {
    "inverse_kinematics": _inverse_kinematics,
    "actuator_velocity": _actuator_velocity,
    "actuator_acceleration": _actuator_acceleration,
    "jacobian": _jacobian,
    "jacobian_rate": _jacobian_rate,
    "platform_velocity": _platform_velocity,
    "platform_acceleration": _platform_acceleration,
    "bodies": _bodies,
    "output": _output,
    "joints": _joints,
    "joint_coordinates": _joint_coordinates,
}
"""Models that need no masses."""

FORCE_MODELS: Builders = {
    "inverse_dynamics": _inverse_dynamics,
    "actuator_power": _actuator_power,
    "static_forces": _static_forces,
    "mass_matrix": _mass_matrix,
    "mass_matrix_actuator": _in_actuator_space(
        "M",
    ),
    "bias": _bias,
    "bias_actuator": _in_actuator_space("h", "velocity"),
    "gravity": _gravity,
    "gravity_actuator": _in_actuator_space("g"),
    "coriolis_matrix": _coriolis_matrix,
    "forward_dynamics": _forward_dynamics,
    "linearize": _linearize,
    "energy": _energy,
    "regressor": _regressor,
    "regressor_reference": _regressor_reference,
}
"""Models of forces. Terms that exist in actuator coordinates too are there twice, with `_actuator`."""

LINEAR_MODELS = ("regressor", "regressor_reference")
"""Models that are derivatives with respect to the parameters, which are symbols although they are no inputs."""
MATRICES: Mapping[str, tuple[str, ...]] = {
    "mass_matrix": ("M",),
    "mass_matrix_actuator": ("M",),
    "coriolis_matrix": ("C",),
    "jacobian": ("J_qv",),
    "jacobian_rate": ("J_qv_dot",),
    "regressor": ("Psi",),
    "regressor_reference": ("Psi",),
    "linearize": ("A", "B"),
    "output": ("R",),
}
"""Outputs of models that are matrices whatever their size."""
