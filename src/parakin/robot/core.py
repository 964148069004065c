"""What all methods of a robot stand on: its description, its names, its kernels, and how states are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, read_only
from parakin.description import Actuator, Leg, RobotDescription, expanded_legs
from parakin.dynamics.choices import DEFAULT, FREE
from parakin.dynamics.payload import Payload, mass_alone
from parakin.errors import UnknownNameError
from parakin.kernels import Derivation, Kernel, Program
from parakin.kernels.state_calls import Direct
from parakin.kernels.threads import COMPILING
from parakin.kinematics.bodies import body_names
from parakin.kinematics.geometry import Dimension, dimensions_of
from parakin.kinematics.joints import JointAngle, joint_angles
from parakin.kinematics.solve import Order, good_order
from parakin.kinematics.status import Status
from parakin.motions import MotionType
from parakin.motions.offsets import sampled
from parakin.robot import diagnosis, limits
from parakin.robot.evaluation import Evaluation
from parakin.robot.limits import Bounds

if TYPE_CHECKING:
    from parakin.kernels.c_files import CFiles

FORWARD_KINEMATICS = "forward_kinematics"
"""The one model that is a search, not a table row."""
GEOMETRY = "geometry"
"""What can be an input of kinematic kernels."""
C_STATES = 64
"""States recorded for the self-test of C code."""
ORDER_POSES = 256
"""Poses of the box that decide the order of an elimination."""
_GOOD = int(Status.GOOD)
"""As a plain number: comparing arrays with an enumeration takes longer than a whole model."""

Input = Payload | ArrayLike | None
"""What a method takes for an input of a model: numbers, a payload, or None where it is not given."""


class RobotCore:
    """A description with what it is made of, by name, and its kernels, each compiled when first used."""

    description: RobotDescription
    """The robot file."""
    payload: Payload
    """What the robot carries; `with_payload` gives a robot that carries something else."""
    name: str
    """Its short name."""
    motion: str
    """The name of its platform motion."""
    motion_type: MotionType
    """Its platform motion as an object: coordinates, units, how poses are stepped and compared."""
    degrees_of_freedom: int
    """Degrees of freedom n of the platform."""
    legs: tuple[Leg, ...]
    """Its legs, written out."""
    actuators: tuple[Actuator, ...]
    """Its actuators, leg by leg."""
    actuator_names: tuple[str, ...]
    """Names of the actuators: leg1.arm, ..."""
    actuator_units: tuple[str, ...]
    """Units of the actuators' forces, N or N m."""
    element_names: tuple[str, ...]
    """Names of the kinematic elements: leg1.arm, leg1.forearm, ..."""
    body_names: tuple[str, ...]
    """Names of the bodies: leg1.arm, ..., platform.plate."""
    home: Array
    """The pose in the middle of its workspace; read-only."""
    box: tuple[Array, Array]
    """Smallest and largest offsets from home of its workspace; read-only."""
    joint_table: tuple[JointAngle, ...]
    """Every passive joint angle with its limits."""
    joint_names: tuple[str, ...]
    """Names of the passive joint angles: leg1.forearm.joint, or .joint.1 and .joint.2 of a universal one."""
    strokes: Bounds
    """Strokes of the actuators."""
    joint_limits: Bounds
    """Limits of the passive joint angles."""
    geometry_table: tuple[Dimension, ...]
    """Every dimension of the legs with name, unit and value."""
    geometry_names: tuple[str, ...]
    """Names of the dimensions."""
    geometry: Array
    """Values of the dimensions [m, rad], which free=("geometry",) makes an input; read-only."""

    def __init__(self, description: RobotDescription, payload: Payload | None = None) -> None:
        self._kernels: dict[tuple[object, ...], Kernel] = {}
        self._direct: dict[tuple[str, str, str], Direct] = {}
        self.description = description
        self.payload = payload or Payload()
        self.name = description.name
        self.motion = description.motion
        self.motion_type = description.motion_type
        self.degrees_of_freedom = self.motion_type.degrees_of_freedom
        self.legs = expanded_legs(description)
        driven = [(leg, e, e.actuator) for leg in self.legs for e in leg.elements if e.actuator is not None]
        self.actuators = tuple(actuator for _, _, actuator in driven)
        self.actuator_names = tuple(f"{leg.name}.{element.name}" for leg, element, _ in driven)
        self.actuator_units = tuple(actuator.units.force for actuator in self.actuators)
        self.element_names = tuple(f"{leg.name}.{element.name}" for leg in self.legs for element in leg.elements)
        self.body_names = body_names(description)
        self.home = read_only(description.workspace.home)
        self.box = (read_only(description.workspace.lower), read_only(description.workspace.upper))
        self.joint_table = joint_angles(description)
        self.joint_names = tuple(angle.name for angle in self.joint_table)
        self.strokes = limits.strokes(self)
        self.joint_limits = limits.joint_limits(self)
        self.geometry_table = dimensions_of(description)
        self.geometry_names = tuple(dimension.name for dimension in self.geometry_table)
        self.geometry = read_only([dimension.value for dimension in self.geometry_table])
        self._complete = True

    def __setattr__(self, name: str, value: object) -> None:
        if "_complete" in self.__dict__:
            raise AttributeError(f"a robot does not change: make another with replace({name}=...) or with_payload(...)")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a robot does not change: it keeps its {name}")

    def __repr__(self) -> str:
        return f"Robot({self.name}: {self.motion}, {len(self.legs)} legs, {len(self.actuator_names)} actuators)"

    def __reduce__(self) -> tuple[type[RobotCore], tuple[RobotDescription, Payload]]:
        return type(self), (self.description, self.payload)

    # States --------------------------------------------------------------------------------------------------------

    def sample(self, count: int, seed: int = 0) -> Array:
        """Draw poses (count, coordinates) uniformly from the box around home."""
        return sampled(self.motion_type, self.home, self.box, count, seed)

    def sample_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Draw poses of the box with random velocities and accelerations, whose sizes differ by factors of thousands.

        What gravity, friction and inertia do comes apart in them.
        """
        rng, span = np.random.default_rng(seed), np.subtract(*self.box[::-1])
        velocity, acceleration = (
            size * span * 10 ** rng.uniform(-3, 0, (count, 1)) * rng.normal(size=(count, len(span)))
            for size in (10, 200)
        )
        return self.sample(count, seed), velocity, acceleration

    def evaluate(self, model: str, *, formulation: str = DEFAULT, **inputs: Input) -> Evaluation:
        """Evaluate a model on one state or many without raising for a state that is no good: its status says why.

        States beyond a stroke or a joint limit are told by their status and keep their values.

            robot.evaluate("inverse_dynamics", pose=pose, velocity=v, acceleration=a, payload=ten).status

        model and inputs are those of `kernel`; what of `dynamics.choices.FREE` is given becomes an input. Forward
        kinematics starts at home unless `near` is given. Unknown names and wrong shapes still raise.
        """
        if model == FORWARD_KINEMATICS:
            inputs = {"near": self.home} | inputs
        given = _given(inputs)
        kernel = self._kernel_for(model, formulation, given)
        sizes = {socket.name: len(socket.shape) for socket in kernel.inputs}
        single = all(np.ndim(value) <= sizes.get(name, 0) for name, value in given.items())
        # A single state with a number that is not finite is refused by kernels; as a batch of one it gets a status.
        out = kernel.evaluate({name: np.asarray(value)[None] for name, value in given.items()} if single else given)
        status = np.asarray(out["status"])
        values = {name: value[0] if single else value for name, value in out.items() if name != "status"}
        poses = values.get("pose", given.get("pose"))  # what forward kinematics gives, or what a model is given
        if poses is not None and GEOMETRY not in given:
            status = limits.judged(self, np.asarray(poses, float), status[0] if single else status)
        else:
            status = status[0] if single else status
        excess = values.pop("excess", np.full((*status.shape, len(self.legs)), -np.inf))
        return Evaluation(self._shaped(model, values), status, excess)

    # Kernels -------------------------------------------------------------------------------------------------------

    def kernel(self, name: str, *, formulation: str = DEFAULT, free: Iterable[str] = ()) -> Kernel:
        """Return the compiled model behind a method, for control loops, operation counts and C.

        formulation: that of inverse dynamics; free: what becomes inputs instead of being baked in, keys of
        `dynamics.choices.FREE`.
        """
        key = (name, formulation, tuple(free))
        if key in self._kernels:
            return self._kernels[key]
        free = tuple(sorted(set(free)))
        with COMPILING:
            same = (name, formulation, free)
            if same not in self._kernels:
                derivation = Derivation(self._content(*same), lambda: self._program(*same))
                self._kernels[same] = Kernel(derivation, status="status")
            self._kernels[key] = self._kernels[same]
            return self._kernels[key]

    def to_c(
        self,
        model: str,
        directory: str | Path,
        name: str | None = None,
        *,
        formulation: str = DEFAULT,
        free: Iterable[str] = (),
    ) -> CFiles:
        """Write the C99 of a model (`kernel(model).to_c`) with a self-test on states of the robot's box."""
        kernel = self.kernel(model, formulation=formulation, free=free)
        rng, poses = np.random.default_rng(0), self.sample(C_STATES)
        near = np.broadcast_to(self.home, poses.shape)
        known = {"pose": poses, "near": near, "q": self.kernel("inverse_kinematics")(pose=poses)["q"]}
        known["geometry"] = np.broadcast_to(self.geometry, (C_STATES, len(self.geometry)))
        samples = {s.name: known.get(s.name, rng.normal(size=(C_STATES, *s.shape))) for s in kernel.inputs}
        return kernel.to_c(directory, name, samples=samples)

    def _content(self, name: str, formulation: str, free: tuple[str, ...]) -> str:
        """Everything that `_program` reads, as text: the whole description, what is carried, and what is asked for."""
        tables = (self.description.model_dump(), self.payload.model_dump())
        return repr(("robot", tables, name, formulation, free))

    def _program(self, name: str, formulation: str, free: tuple[str, ...]) -> Program:
        """The program of a model; refuses names that there are not."""
        from parakin.dynamics.formulations import FORMULATIONS
        from parakin.dynamics.models import MODELS as DYNAMIC_MODELS
        from parakin.dynamics.models import QUICK_MODELS, Options, dynamic_model
        from parakin.kinematics.forward import forward_program
        from parakin.kinematics.models import MODELS as KINEMATIC_MODELS
        from parakin.kinematics.models import model_of

        for kind, asked, known in (
            ("model", (name,), (*KINEMATIC_MODELS, FORWARD_KINEMATICS, *DYNAMIC_MODELS)),
            ("formulation", (formulation,), tuple(FORMULATIONS)),
            ("input to free", free, _can_be_free(name)),
        ):
            for one in asked:
                if one not in known:
                    raise UnknownNameError(kind, one, known)
        if name == FORWARD_KINEMATICS:
            return forward_program(self.description)
        if name in KINEMATIC_MODELS:
            return model_of(name, self.description, free)
        order = self._elimination_order() if name in QUICK_MODELS else None
        return dynamic_model(name, self.description, Options(self.payload, formulation, free, order))

    def _elimination_order(self) -> Order | None:
        """In which J_qv^T can be eliminated without exchanges all over the box, if there is such an order."""
        if len(self.actuator_names) != self.degrees_of_freedom:
            return None
        J = np.asarray(self.kernel("jacobian")(pose=self.sample(ORDER_POSES))["J_qv"])
        known = np.isfinite(J).all(axis=(-2, -1))
        return good_order(J[known].swapaxes(-2, -1)) if known.any() else None

    def _kernel_for(self, model: str, formulation: str, given: Mapping[str, ArrayLike]) -> Kernel:
        """The kernel of a model with the inputs that are given, those of FREE among them freed."""
        key = (model, formulation, *given)
        if key not in self._kernels:
            free = tuple(name for name in given if name in FREE and name in _can_be_free(model))
            self._kernels[key] = self.kernel(model, formulation=formulation, free=free)
        return self._kernels[key]

    def _value(self, model: str, output: str, *state: ArrayLike, formulation: str = DEFAULT) -> Array:
        """One output of a model that is given nothing but the state, in the order of its kernel's inputs.

        One good state goes the quickest way; `_call` takes everything else.
        """
        key = (model, output, formulation)
        direct = self._direct.get(key)
        if direct is None:
            direct = self._direct[key] = self.kernel(model, formulation=formulation).direct(output)
        value = direct(state)
        if value is not None:
            return value
        names = [socket.name for socket in self.kernel(model, formulation=formulation).inputs]
        return self._call(model, formulation, **dict(zip(names, state, strict=True)))[output]

    def _call(self, model: str, formulation: str = DEFAULT, **inputs: Input) -> dict[str, Array]:
        """The outputs of a model, by name; a single state that is no good raises."""
        given = _given(inputs)
        out = self._kernel_for(model, formulation, given).evaluate(given)
        status = out["status"]
        if status.ndim == 0 and int(status) != _GOOD:
            raise diagnosis.error_of(self, given, out)
        return self._shaped(model, out)

    def _shaped(self, model: str, values: dict[str, Array]) -> dict[str, Array]:
        """Outputs as arrays of more than two dimensions, where kernels have matrices: R of every body."""
        if model == "bodies":
            R = values["R"]
            values["R"] = R.reshape(*R.shape[:-2], len(self.body_names), 3, 3)
        return values


def _given(inputs: Mapping[str, Input]) -> dict[str, ArrayLike]:
    """What of the inputs is there; a payload as its ten numbers."""
    payload = inputs.get("payload")
    if payload is not None and not isinstance(payload, Payload) and np.ndim(payload) == 0:
        raise mass_alone(payload)
    return {
        name: value.about_E if isinstance(value, Payload) else value
        for name, value in inputs.items()
        if value is not None
    }


def _can_be_free(model: str) -> tuple[str, ...]:
    from parakin.dynamics.models import MODELS as DYNAMIC_MODELS
    from parakin.kinematics.models import MODELS as KINEMATIC_MODELS

    if model in DYNAMIC_MODELS:
        return tuple(FREE)
    return (GEOMETRY,) if model in KINEMATIC_MODELS else ()
