"""Robot: a description and its numeric methods, each a kernel compiled when first used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from parakin.description import RobotDescription, describe, expanded_legs, load_description, to_toml
from parakin.description.loader import problem_of
from parakin.description.model import DEGREES_OF_FREEDOM
from parakin.errors import (
    DescriptionError,
    ForwardKinematicsError,
    PoseError,
    QuaternionError,
    SingularPoseError,
    UnknownNameError,
    UnreachablePoseError,
)
from parakin.kernels import Kernel
from parakin.kernels.threads import COMPILING
from parakin.kinematics.bodies import body_names
from parakin.kinematics.forward import forward_program
from parakin.kinematics.functions import MODELS, model_of
from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.kinematics.status import Status
from parakin.robot.assembly import AssemblyModes, assembly_modes
from parakin.robot.payload import Payload
from parakin.robot.sampling import sample_poses

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Details:
    """A result with what belongs to it. `status`: one of Status for each state; `excess` [m] by leg, or None."""

    values: dict[str, Array]
    status: NDArray[np.int32]
    excess: Array | None = None

    def __getitem__(self, name: str) -> Array:
        return self.values[name]


class Robot:
    """A parallel robot. Methods take poses `(..., n)` and return arrays with the same leading shape.

    A single state that is out of reach or singular raises; in a batch its row is NaN, and `details=True` tells why.
    """

    def __init__(self, description: RobotDescription, payload: Payload | None = None) -> None:
        self.description = description
        self.payload = payload or Payload()
        self.name = description.name
        self.motion = description.motion
        self.degrees_of_freedom = DEGREES_OF_FREEDOM[description.motion]
        self.legs = expanded_legs(description)
        self.actuator_names = tuple(
            f"{leg.name}.{element.name}"
            for leg in self.legs
            for element in leg.elements
            if element.actuator is not None
        )
        self.element_names = tuple(f"{leg.name}.{element.name}" for leg in self.legs for element in leg.elements)
        self.body_names = body_names(description)
        self.home: Array = np.array(description.workspace.home)
        self.box: tuple[Array, Array] = (np.array(description.workspace.lower), np.array(description.workspace.upper))
        self._kernels: dict[str, Kernel] = {}

    def __repr__(self) -> str:
        return f"Robot({self.name}: {self.motion}, {len(self.legs)} legs, {len(self.actuator_names)} actuators)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Robot, (self.description, self.payload)

    def to_toml(self) -> str:
        """The robot file; reading it gives an equal robot."""
        return to_toml(self.description)

    def replace(self, **changes: Any) -> Robot:
        """A variant with other values in the top table of the file, checked like a file: replace(gravity=(0, 0, 0))."""
        tables = self.description.model_dump(exclude_defaults=True) | changes
        return Robot(describe(tables, self.name), self.payload)

    def with_payload(self, mass: float, centre: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None) -> Robot:
        """The robot carrying something: mass [kg], centre of mass in E [m], inertia about it in E's axes [kg m^2]."""
        tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, float)
        table = {"mass": mass, "centre": np.asarray(centre, float).tolist(), "inertia": tensor.tolist()}
        try:
            return Robot(self.description, Payload.model_validate(table))
        except ValidationError as error:
            raise DescriptionError("payload", tuple(problem_of(entry) for entry in error.errors())) from error

    def sample(self, count: int, seed: int = 0) -> Array:
        """Poses drawn uniformly from the box around home."""
        return sample_poses(self.motion, self.home, self.box, count, seed)

    def kernel(self, name: str) -> Kernel:
        """The compiled model behind a method, for control loops, operation counts and C."""
        if name not in MODELS and name != "forward_kinematics":
            raise UnknownNameError("model", name, (*MODELS, "forward_kinematics"))
        with COMPILING:
            if name not in self._kernels:
                forward = name == "forward_kinematics"
                program = forward_program(self.description) if forward else model_of(name, self.description)
                self._kernels[name] = Kernel(program, status="status")
            return self._kernels[name]

    # Positions, rates and accelerations of the actuators -------------------------------------------------------------

    def inverse_kinematics(self, pose: ArrayLike, *, details: bool = False) -> Any:
        """Actuator positions q (..., m) [m or rad]."""
        return self._value("inverse_kinematics", "q", details, pose=pose)

    def actuator_velocity(self, pose: ArrayLike, velocity: ArrayLike, *, details: bool = False) -> Any:
        """q_dot = J_qv v."""
        return self._value("actuator_velocity", "q_dot", details, pose=pose, velocity=velocity)

    def actuator_acceleration(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, details: bool = False
    ) -> Any:
        """q_ddot = J_qv a + J_qv_dot v."""
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        return self._value("actuator_acceleration", "q_ddot", details, **state)

    def jacobian(self, pose: ArrayLike, *, details: bool = False) -> Any:
        """J_qv (..., m, n): q_dot = J_qv v."""
        return self._value("jacobian", "J_qv", details, pose=pose)

    def jacobian_rate(self, pose: ArrayLike, velocity: ArrayLike, *, details: bool = False) -> Any:
        """dJ_qv/dt along a velocity."""
        return self._value("jacobian_rate", "J_qv_dot", details, pose=pose, velocity=velocity)

    # Platform from actuators ---------------------------------------------------------------------------------------

    def platform_velocity(self, pose: ArrayLike, q_dot: ArrayLike, *, details: bool = False) -> Any:
        """v with J_qv v = q_dot."""
        return self._value("platform_velocity", "velocity", details, pose=pose, q_dot=q_dot)

    def platform_acceleration(
        self, pose: ArrayLike, velocity: ArrayLike, q_ddot: ArrayLike, *, details: bool = False
    ) -> Any:
        """a with J_qv a + J_qv_dot v = q_ddot."""
        state = {"pose": pose, "velocity": velocity, "q_ddot": q_ddot}
        return self._value("platform_acceleration", "acceleration", details, **state)

    def forward_kinematics(self, q: ArrayLike, *, near: ArrayLike | None = None, details: bool = False) -> Any:
        """The pose with these actuator positions on the assembly mode of `near` (home by default).

        Never a pose that did not converge: such states raise, or are NaN in a batch.
        """
        near = self.home if near is None else near
        out = self.kernel("forward_kinematics")(near=near, q=q)
        status = out["status"]
        if details:
            return Details({name: out[name] for name in ("pose", "residual", "steps")}, status)
        if status.shape == () and status == Status.UNUSABLE:
            raise self._error(np.asarray(near, float), Status.UNUSABLE, np.zeros(1))
        if status.shape == () and status != Status.GOOD:
            reasons = {
                Status.SINGULAR: "the way from `near` crosses a singularity; start from a pose on the right side",
                Status.UNREACHABLE: "no pose that all legs reach has these positions, or the way is blocked",
                Status.NOT_CONVERGED: "Newton did not converge; start nearer",
            }
            reason = reasons[Status(int(status))]
            raise ForwardKinematicsError(tuple(np.ravel(q).tolist()), reason, float(out["residual"]))
        return out["pose"]

    def assembly_modes(self, q: ArrayLike) -> AssemblyModes:
        """Every pose with these actuator positions, of any working mode: complete, each once.

        Robots with numeric legs, and redundant ones, are refused.
        """
        return assembly_modes(self.description, q)

    # Everything that moves -----------------------------------------------------------------------------------------

    def elements(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Details:
        """A, x, d, theta of every element with two derivatives, and its spin rate, in the order of element_names."""
        return self._details("elements", pose=pose, velocity=velocity, acceleration=acceleration)

    def bodies(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Details:
        """p, v, a of every centre of mass and R, w, w_dot of every body, in the order of body_names."""
        found = self._details("bodies", pose=pose, velocity=velocity, acceleration=acceleration)
        R = found["R"]
        shaped = found.values | {"R": R.reshape(*R.shape[:-2], len(self.body_names), 3, 3)}
        return Details(shaped, found.status, found.excess)

    def points(self, pose: ArrayLike) -> Details:
        """`root` and `tip` of every element, for drawing."""
        return self._details("points", pose=pose)

    def check(self, pose: ArrayLike) -> NDArray[np.int32]:
        """The Status of each pose. Of a single pose only numbers that are not finite are refused."""
        return self.kernel("check")(pose=pose)["status"]

    # Inside --------------------------------------------------------------------------------------------------------

    def _details(self, name: str, **inputs: ArrayLike) -> Details:
        out = self.kernel(name)(*inputs.values())
        status, excess = out.pop("status"), out.pop("excess")
        if status.shape == () and status != Status.GOOD:
            raise self._error(np.asarray(inputs["pose"], float), Status(int(status)), excess)
        return Details(out, status, excess)

    def _value(self, name: str, output: str, details: bool, **inputs: ArrayLike) -> Any:
        if details:
            out = self.kernel(name)(*inputs.values())
            return Details({output: out[output]}, out["status"], out["excess"])
        return self._details(name, **inputs)[output]

    def _error(self, pose: Array, status: Status, excess: Array) -> PoseError:
        values = tuple(pose.tolist())
        if status == Status.UNUSABLE:
            return QuaternionError(values, float(np.linalg.norm(pose[3:])))
        if status == Status.UNREACHABLE:
            leg = int(np.argmax(np.atleast_1d(excess)))
            return UnreachablePoseError(values, self.legs[leg].name, float(np.atleast_1d(excess)[leg]))
        condition = float(self.condition(pose))
        return SingularPoseError(values, "platform" if np.isfinite(condition) else "leg", condition)

    def condition(self, pose: ArrayLike) -> Array:
        """Condition number (...,) of J_qv with lengths scaled by the robot's; infinite where a pose is no good."""
        J = np.asarray(self.kernel("jacobian")(pose=pose)["J_qv"])
        scale = [1.0] * len(LINEAR[self.motion]) + [1 / self.description.length] * len(ANGULAR[self.motion])
        finite = np.asarray(np.isfinite(J).all(axis=(-2, -1)))
        scaled = np.where(finite[..., None, None], J * np.array(scale), np.eye(*J.shape[-2:]))
        return np.where(finite, np.linalg.cond(scaled), np.inf)


def load(name_or_path: str | Path) -> Robot:
    """A robot of the library by name, or from a TOML file."""
    return Robot(load_description(name_or_path))
