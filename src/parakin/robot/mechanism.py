"""Mechanism: any closed chain of rigid bodies and joints, with its numeric methods."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from parakin.arrays import Array, lock_arrays, read_only
from parakin.description import Leg, problems_of
from parakin.dynamics.graph.parameters import graph_parameters
from parakin.dynamics.parameters import Parameter
from parakin.dynamics.payload import Payload
from parakin.errors import DescriptionError, UnsupportedRobotError
from parakin.mechanism import describe_mechanism, load_mechanism_description, mechanism_to_toml
from parakin.robot.mechanism_core import MechanismCore
from parakin.robot.results import Energy, Linearization

if TYPE_CHECKING:
    from parakin.robot.base_parameters import BaseParameters


class OutputMotion(NamedTuple):
    """The output frame in motion, in base axes."""

    p: Array
    """Position of its origin (..., 3) [m]."""
    R: Array
    """Orientation (..., 3, 3): takes coordinates in the output frame to base axes."""
    twist: Array
    """Velocity of its origin and angular velocity (..., 6) [m/s, rad/s]."""
    twist_dot: Array
    """Their time derivatives (..., 6) [m/s^2, rad/s^2]."""


@dataclass(frozen=True, eq=False)
class MechanismJoints:
    """Every joint in motion, those of the tree and those that are cut."""

    coordinate: Array
    """Coordinates in the order of `coordinate_names` [m, rad; quaternions of balls]."""
    rate: Array
    """Velocities in the order of `joint_names` [m/s or rad/s]."""
    acceleration: Array
    """Their derivatives [m/s^2 or rad/s^2]."""

    def __post_init__(self) -> None:
        lock_arrays(self)


DETERMINED = 1e-9
"""A joint's wrench is unique where a strain of 1 N between other joints adds less than this to it [N]."""


@dataclass(frozen=True, eq=False)
class JointWrenches:
    """What joints carry, in the order of `wrench_names`."""

    wrench: Array
    """Force [N] and moment [N m] on the child by the parent (..., joints, 6), in base axes; the moment about the origin
    of the joint's frame on the child."""
    unique: NDArray[np.bool_]
    """Which of them (..., joints) follow from the motion; the others are the least of many that would do."""

    def __post_init__(self) -> None:
        lock_arrays(self)


class BodyPlaces(NamedTuple):
    """Where the frames of all bodies are, in base axes, in the order of `body_names`."""

    p: Array
    """Origins (..., bodies, 3) [m]."""
    R: Array
    """Orientations (..., bodies, 3, 3)."""


class Mechanism(MechanismCore):
    """A closed chain. Methods take poses `(..., n)`, its independent coordinates, and return arrays with that shape.

    Where its loops have no closed form, the configuration of a pose is searched for from `near`, a configuration that
    `configuration` gave for a neighbouring pose; from home's by default. A single state that cannot be reached or is
    singular raises; in a batch its row is NaN. `evaluate` never raises for a state and says what is wrong with it.
    """

    def to_toml(self) -> str:
        """Return the mechanism file; reading it gives an equal mechanism."""
        return mechanism_to_toml(self.description)

    def replace(self, **changes: object) -> Mechanism:
        """Return a variant with other values in the top table of the file, checked like a file."""
        tables = self.description.model_dump(exclude_defaults=True) | changes
        return Mechanism(describe_mechanism(tables, self.name), self.payload)

    def with_payload(self, mass: float, centre: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None) -> Mechanism:
        """Return the mechanism with something at its output.

        mass [kg]; centre: its centre of mass in the output frame [m]; inertia: its tensor about that, or none.
        """
        tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, float)
        table = {"mass": mass, "centre": np.asarray(centre, float).tolist(), "inertia": tensor.tolist()}
        try:
            return Mechanism(self.description, Payload.model_validate(table))
        except ValidationError as error:
            raise DescriptionError("payload", problems_of(error)) from error

    # Where things are ----------------------------------------------------------------------------------------------

    def configuration(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the coordinates (..., c) of the tree's joints at poses: what searches for neighbours start from."""
        return self._call("configuration", near, pose=pose)["configuration_found"]

    def pose_of(self, configuration: ArrayLike) -> Array:
        """Return the pose (..., n) of configurations with closed loops."""
        return self._call("pose", configuration=configuration)["pose_found"]

    def inverse_kinematics(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the motor positions q (..., m) [m or rad] of poses.

        A single pose beyond a stroke or a joint limit raises; in a batch its row has its values, and `check` tells.
        """
        out = self._call("inverse_kinematics", near, pose=pose)
        if out["q"].ndim == 1 and (self.strokes.any or self.joint_limits.any):
            self._refuse_beyond(pose, self._call("joint_coordinates", near, pose=pose)["coordinate"])
        return out["q"]

    def forward_kinematics(self, q: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the pose (..., n) with these motor positions (..., m), on the branch of `near`.

        For mechanisms with as many motors as freedoms.
        """
        return self.pose_of(self._by_motors.configuration(self._coordinates_of(q), near=near))

    @functools.cached_property
    def _by_motors(self) -> Mechanism:
        """The same mechanism with the motors' coordinates as its pose."""
        motors, freedoms = len(self.actuator_names), self.degrees_of_freedom
        if motors != freedoms:
            raise UnsupportedRobotError(
                self.name, f"{motors} motors do not determine {freedoms} freedoms by themselves"
            )
        if self.actuator_names == self.pose_names:
            return self
        return Mechanism(self.description, self.payload, self.actuator_names)

    def _coordinates_of(self, q: ArrayLike) -> Array:
        """Joint coordinates of motor positions: zero + sign q."""
        drives = {
            f"{joint.name}.{name}": freedom.drive
            for joint in self.description.joints
            for name, freedom in joint.freedoms.items()
        }
        kept = [drive for name in self.actuator_names if (drive := drives[name]) is not None]
        sign, zero = np.array([drive.sign for drive in kept]), np.array([drive.zero for drive in kept])
        return zero + sign * np.asarray(q, float)

    def output(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> OutputMotion:
        """Return the output frame with its twist and the derivative of that."""
        out = self._call("output", near, pose=pose, velocity=velocity, acceleration=acceleration)
        return OutputMotion(out["p"], out["R"], out["twist"], out["twist_dot"])

    def joints(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> MechanismJoints:
        """Return coordinates, rates and accelerations of every joint."""
        out = self._call("joints", near, pose=pose, velocity=velocity, acceleration=acceleration)
        return MechanismJoints(out["coordinate"], out["rate"], out["acceleration_of_joints"])

    def bodies(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> BodyPlaces:
        """Return where the frames of all bodies are."""
        out = self._call("bodies", near, pose=pose)
        R = out["R"]
        return BodyPlaces(out["p"], R.reshape(*R.shape[:-2], len(self.body_names), 3, 3))

    def actuator_velocity(self, pose: ArrayLike, velocity: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the motor rates q_dot (..., m) [m/s or rad/s]."""
        return self._call("actuator_velocity", near, pose=pose, velocity=velocity)["q_dot"]

    def actuator_acceleration(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> Array:
        """Return the motor accelerations q_ddot (..., m) [m/s^2 or rad/s^2]."""
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        return self._call("actuator_acceleration", near, **state)["q_ddot"]

    def jacobian(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return J_qu (..., m, n) with q_dot = J_qu u."""
        return self._call("jacobian", near, pose=pose)["J_qu"]

    def check(self, pose: ArrayLike, *, near: ArrayLike | None = None) -> NDArray[np.int32]:
        """Return the Status (...) of each pose, limits included."""
        return self.evaluate("configuration", near=near, pose=pose).status

    # Forces --------------------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return the motor forces tau (..., m) [N or N m] that a motion takes, friction and springs included.

        wrench: external force and moment on the output at its origin, base axes (..., 6). weights: those of more motors
        than freedoms, which share so that the sum of weight tau^2 is least. Where freedoms have no motor, they move as
        they must without effort, and what `acceleration` says of them is not looked at.
        """
        return self._call(
            "inverse_dynamics",
            near,
            pose=pose,
            velocity=velocity,
            acceleration=acceleration,
            payload=payload,
            wrench=wrench,
            weights=weights,
        )["tau"]

    def joint_wrenches(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> JointWrenches:
        """Return what each joint of `wrench_names` exerts on its child, motors, friction and springs included.

        Where rows are redundant (`plan.redundant`), joints can strain against each other and rigid bodies do not tell
        by how much: those wrenches are given whose sum of |F|^2 + |N/size|^2 is least, and `unique` is False for them.
        """
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        out = self._call("joint_wrenches", near, **state, payload=payload, wrench=wrench)
        return JointWrenches(out["wrench_on_child"], np.asarray(out["undetermined"] < DETERMINED))

    def forward_dynamics(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        tau: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        smoothing: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return the accelerations (..., n) of the independent velocities under motor forces tau.

        smoothing: a rate [m/s or rad/s]; the sign of rates in Coulomb friction is then rate/sqrt(rate^2 + smoothing^2).
        """
        return self._call(
            "forward_dynamics",
            near,
            pose=pose,
            velocity=velocity,
            tau=tau,
            payload=payload,
            wrench=wrench,
            smoothing=smoothing,
        )["acceleration"]

    def linearize(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        tau: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        smoothing: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Linearization:
        """Return the mechanism about a state: d/dt [delta; du] = A [delta; du] + B dtau, and its acceleration there.

        delta is a small offset of the pose. For mechanisms whose pose has no component of a ball.
        """
        out = self._call("linearize", near, pose=pose, velocity=velocity, tau=tau, payload=payload, smoothing=smoothing)
        return Linearization(out["A"], out["B"], out["acceleration"])

    def mass_matrix(
        self, pose: ArrayLike, *, payload: Payload | ArrayLike | None = None, near: ArrayLike | None = None
    ) -> Array:
        """Return M (..., n, n), rotors included."""
        return self._call("mass_matrix", near, pose=pose, payload=payload)["M"]

    def bias(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return Coriolis and centrifugal forces h (..., n), without gravity, friction and springs."""
        return self._call("bias", near, pose=pose, velocity=velocity, payload=payload)["h"]

    def gravity(
        self, pose: ArrayLike, *, payload: Payload | ArrayLike | None = None, near: ArrayLike | None = None
    ) -> Array:
        """Return what holds the mechanism against gravity, g (..., n)."""
        return self._call("gravity", near, pose=pose, payload=payload)["g"]

    def energy(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Energy:
        """Return kinetic and potential energy [J], springs included; that of weight counts from the plane through O."""
        out = self._call("energy", near, pose=pose, velocity=velocity, payload=payload)
        return Energy(out["kinetic"], out["potential"])

    # The linear form -----------------------------------------------------------------------------------------------

    @functools.cached_property
    def parameter_table(self) -> tuple[Parameter, ...]:
        """Every dynamic parameter with owner, quantity, unit and value."""
        return graph_parameters(self.description, self.payload)

    @functools.cached_property
    def parameters(self) -> Array:
        """The vector p of the linear form tau = Psi p, in the order of `parameter_table`; read-only."""
        return read_only([parameter.value for parameter in self.parameter_table])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the dynamic parameters, such as crank.Izz."""
        return tuple(parameter.name for parameter in self.parameter_table)

    def regressor(
        self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, *, near: ArrayLike | None = None
    ) -> Array:
        """Return Psi (..., m, parameters) with Psi @ parameters = tau, but for springs, columns by `parameter_names`.

        Accelerations of freedoms without a motor are taken as given.
        """
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        return self._call("regressor", near, **state)["Psi"]

    def regressors(self, pose: Array, velocity: Array, acceleration: Array, gravity: Array | None) -> Array:
        """Return Psi of a batch of states; gravity: accelerations of free fall (..., 3), or None for the file's."""
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        return self._call("regressor", **state, gravity=gravity)["Psi"]

    @property
    def legs(self) -> tuple[Leg, ...]:
        """Legs that may be alike: a mechanism has none."""
        return ()

    def base_parameters(self, *, gravity: str | None = None, seed: int = 0) -> BaseParameters:
        """Return the fewest combinations of parameters that the forces depend on, dependencies through loops included.

        gravity: None for the mechanism's, "general" for parameters that matter in any direction of it; seed: decides
        the random states.
        """
        from parakin.robot.base_parameters import base_parameters

        return base_parameters(self, self.parameter_table, gravity=gravity, seed=seed)


def load_mechanism(name_or_path: str | Path) -> Mechanism:
    """Load a mechanism of the library by name, or from a TOML file of bodies and joints."""
    return Mechanism(load_mechanism_description(name_or_path))
