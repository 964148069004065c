"""What all methods of a robot stand on: its description, its kernels, and how a state that is no good is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import DEGREES_OF_FREEDOM
from parakin.dynamics.formulations import DEFAULT, FORMULATIONS
from parakin.dynamics.functions import FREE, Options, dynamic_model
from parakin.dynamics.functions import MODELS as DYNAMIC_MODELS
from parakin.errors import PoseError, QuaternionError, SingularPoseError, UnknownNameError, UnreachablePoseError
from parakin.kernels import Kernel, Program
from parakin.kernels.c_files import CFiles
from parakin.kernels.threads import COMPILING
from parakin.kinematics.bodies import body_names
from parakin.kinematics.forward import forward_program
from parakin.kinematics.functions import MODELS as KINEMATIC_MODELS
from parakin.kinematics.functions import model_of
from parakin.kinematics.geometry import dimensions_of
from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.kinematics.solve import Order, good_order
from parakin.kinematics.status import SMALLEST_PIVOT, Status
from parakin.robot.payload import Payload
from parakin.robot.sampling import sample_poses

GEOMETRY = ("geometry",)
"""What can be an input of kinematic kernels."""
C_STATES = 64
"""Recorded for the self-test of C code."""
ORDER_POSES = 256
"""Of the box, that decide the order of an elimination."""
_GOOD = int(Status.GOOD)
"""As a plain number: comparing arrays with an enumeration takes longer than a whole model."""


@dataclass(frozen=True)
class Details:
    """A result with what belongs to it. `status`: one of Status for each state; `excess` [m] by leg, None where all
    legs always reach."""

    values: dict[str, Array]
    status: NDArray[np.int32]
    excess: Array | None = None

    def __getitem__(self, name: str) -> Array:
        return self.values[name]


class RobotBase:
    """A description with what it is made of, by name, and its kernels, each compiled when first used."""

    def __init__(self, description: RobotDescription, payload: Payload | None = None) -> None:
        self.description = description
        self.payload = payload or Payload()
        self.name = description.name
        self.motion = description.motion
        self.degrees_of_freedom = DEGREES_OF_FREEDOM[description.motion]
        self.legs = expanded_legs(description)
        driven = [(leg, e, e.actuator) for leg in self.legs for e in leg.elements if e.actuator is not None]
        self.actuator_names = tuple(f"{leg.name}.{element.name}" for leg, element, _ in driven)
        self.actuator_units = tuple("N" if actuator.coordinate == "length" else "N m" for _, _, actuator in driven)
        self.element_names = tuple(f"{leg.name}.{element.name}" for leg in self.legs for element in leg.elements)
        self.body_names = body_names(description)
        self.home: Array = np.array(description.workspace.home)
        self.box: tuple[Array, Array] = (np.array(description.workspace.lower), np.array(description.workspace.upper))
        self.geometry_table = dimensions_of(description)
        self._kernels: dict[tuple[object, ...], Kernel] = {}

    def __repr__(self) -> str:
        return f"Robot({self.name}: {self.motion}, {len(self.legs)} legs, {len(self.actuator_names)} actuators)"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.description, self.payload)

    @property
    def geometry(self) -> Array:
        """Every dimension of the legs, named by `geometry_names`: what free=("geometry",) makes an input."""
        return np.array([dimension.value for dimension in self.geometry_table])

    @property
    def geometry_names(self) -> tuple[str, ...]:
        return tuple(dimension.name for dimension in self.geometry_table)

    def sample(self, count: int, seed: int = 0) -> Array:
        """Poses drawn uniformly from the box around home."""
        return sample_poses(self.motion, self.home, self.box, count, seed)

    def sample_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Poses of the box with random velocities and accelerations, whose sizes differ by factors of thousands.

        What gravity, friction and inertia do comes apart in them.
        """
        rng, span = np.random.default_rng(seed), np.subtract(*self.box[::-1])
        velocity, acceleration = (
            size * span * 10 ** rng.uniform(-3, 0, (count, 1)) * rng.normal(size=(count, len(span)))
            for size in (10, 200)
        )
        return self.sample(count, seed), velocity, acceleration

    def kernel(self, name: str, *, formulation: str = DEFAULT, free: Iterable[str] = ()) -> Kernel:
        """The compiled model behind a method, for control loops, operation counts and C.

        formulation: of inverse dynamics; free: what becomes inputs instead of being baked in, of `dynamics.FREE`.
        """
        key = (name, formulation, tuple(free))
        if key in self._kernels:
            return self._kernels[key]
        free = tuple(sorted(set(free)))
        for kind, asked, known in (
            ("model", (name,), (*KINEMATIC_MODELS, "forward_kinematics", *DYNAMIC_MODELS)),
            ("formulation", (formulation,), tuple(FORMULATIONS)),
            ("input to free", free, FREE if name in DYNAMIC_MODELS else GEOMETRY if name in KINEMATIC_MODELS else ()),
        ):
            for one in asked:
                if one not in known:
                    raise UnknownNameError(kind, one, known)
        with COMPILING:
            same = (name, formulation, free)
            if same not in self._kernels:
                self._kernels[same] = Kernel(self._program(name, formulation, free), status="status")
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
        """Write the C99 of a model (`kernel(model).to_c`) with a self-test on states of the robot's own box."""
        kernel = self.kernel(model, formulation=formulation, free=free)
        rng, poses = np.random.default_rng(0), self.sample(C_STATES)
        known = {"pose": poses, "near": poses, "q": self.kernel("inverse_kinematics")(poses)["q"]}
        known["geometry"] = np.broadcast_to(self.geometry, (C_STATES, len(self.geometry)))
        samples = {s.name: known.get(s.name, rng.normal(size=(C_STATES, *s.shape))) for s in kernel.inputs}
        return kernel.to_c(directory, name, samples=samples)

    def _program(self, name: str, formulation: str, free: tuple[str, ...]) -> Program:
        if name == "forward_kinematics":
            return forward_program(self.description)
        if name in KINEMATIC_MODELS:
            return model_of(name, self.description, free)
        carried = self.payload.about_E if self.payload.mass else None
        order = self._order() if name == "inverse_dynamics" else None
        return dynamic_model(name, self.description, Options(formulation, free, carried, order))

    def _order(self) -> Order | None:
        """In which J_qv^T can be eliminated without exchanges all over the box, if there is such an order."""
        if len(self.actuator_names) != self.degrees_of_freedom:
            return None
        J = np.asarray(self.kernel("jacobian")(pose=self.sample(ORDER_POSES))["J_qv"])
        known = np.isfinite(J).all(axis=(-2, -1))
        return good_order(J[known].swapaxes(-2, -1)) if known.any() else None

    def condition(self, pose: ArrayLike) -> Array:
        """Condition number (...,) of J_qv with lengths scaled by the robot's; infinite where a pose is no good."""
        scaled = self._scaled_jacobian(pose)
        finite = np.asarray(np.isfinite(scaled).all(axis=(-2, -1)))
        usable = np.where(finite[..., None, None], scaled, np.eye(*scaled.shape[-2:]))
        return np.where(finite, np.linalg.cond(usable), np.inf)

    def _scaled_jacobian(self, pose: ArrayLike) -> Array:
        """J_qv with rotations counted as displacements at the robot's `length`."""
        J = np.asarray(self.kernel("jacobian")(pose=pose)["J_qv"])
        scale = [1.0] * len(LINEAR[self.motion]) + [1 / self.description.length] * len(ANGULAR[self.motion])
        return J * np.array(scale)

    def _run(self, kernel: Kernel, inputs: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """The kernel's outputs; a single state that is no good raises."""
        out = kernel(*inputs.values())
        status = out["status"]
        if status.ndim == 0 and int(status) != _GOOD:
            raise self._error(np.asarray(inputs["pose"], float), Status(int(status)), out.get("excess"))
        return out

    def _details(self, kernel: Kernel, **inputs: ArrayLike) -> Details:
        out = self._run(kernel, inputs)
        return Details(out, out.pop("status"), out.pop("excess", None))

    def _value(self, name: str, output: str, details: bool, **inputs: ArrayLike) -> Any:
        return self._output(self.kernel(name), output, details, inputs)

    def _output(self, kernel: Kernel, output: str, details: bool, inputs: Mapping[str, ArrayLike]) -> Any:
        if not details:
            return self._run(kernel, inputs)[output]
        out = kernel(*inputs.values())
        return Details({output: out[output]}, out["status"], out.get("excess"))

    def _error(self, pose: Array, status: Status, excess: Array | None) -> PoseError:
        values = tuple(pose.tolist())
        if status == Status.UNUSABLE:
            return QuaternionError(values, float(np.linalg.norm(pose[3:])))
        if status == Status.UNREACHABLE and excess is not None:
            leg = int(np.argmax(np.atleast_1d(excess)))
            return UnreachablePoseError(values, self.legs[leg].name, float(np.atleast_1d(excess)[leg]))
        return SingularPoseError(values, *self._singularity(pose), float(self.condition(pose)))

    def _singularity(self, pose: Array) -> tuple[str, str]:
        """Kind and place: the leg or element with the smallest pivot, or the motion with the least singular value."""
        pivots = np.abs(self.kernel("check")(pose=pose)["leg_pivot"])
        worst = int(np.argmin(np.where(np.isnan(pivots), 0.0, pivots)))
        if not pivots[worst] > SMALLEST_PIVOT:
            elements = [f"{leg.name}.{element.name}" for leg in self.legs for element in leg.elements]
            names = [*(("leg", leg.name) for leg in self.legs), *(("universal", name) for name in elements)]
            return names[worst]
        motion = np.linalg.svd(self._scaled_jacobian(pose))[2][-1]
        names = [f"v_{axis}" for axis in ("x", "y", "z")[: len(LINEAR[self.motion])]]
        names += [f"w_{'xyz'[axis]}" for axis in ANGULAR[self.motion]]
        return "platform", ", ".join(f"{name} {part:+.2f}" for name, part in zip(names, motion, strict=True))
