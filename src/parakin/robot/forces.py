"""Methods of a robot about forces, masses and energy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parakin.dynamics.formulations import DEFAULT
from parakin.dynamics.functions import FREE
from parakin.dynamics.parameters import TEN, Parameter, parameters_of
from parakin.errors import MeasurementError, UnknownNameError
from parakin.kernels import Kernel
from parakin.kinematics.status import Status
from parakin.robot.base import Array, Details, RobotBase
from parakin.robot.base_parameters import BaseParameters, base_parameters
from parakin.robot.compare import Comparison, comparison
from parakin.robot.payload import Payload
from parakin.robot.triangle import BLOCK, Triangle, triangle_of


class Forces(RobotBase):
    """Dynamics: forces, mass matrices, energies, the linear form."""

    @functools.cached_property
    def parameters(self) -> Array:
        """p of the linear form tau = Psi p, named by `parameter_names`."""
        return np.array([parameter.value for parameter in self.parameter_table])

    @functools.cached_property
    def parameter_table(self) -> tuple[Parameter, ...]:
        """Name, unit and value of every dynamic parameter: bodies, actuators, passive joints, and what is carried."""
        carried = self.payload.about_E if self.payload.mass else ()
        more = [Parameter(f"payload.{name}", unit, value) for (name, unit), value in zip(TEN, carried, strict=False)]
        return (*parameters_of(self.description), *more)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameter_table)

    def inverse_dynamics(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        formulation: str = DEFAULT,
        details: bool = False,
    ) -> Any:
        """Actuator forces tau (..., m) [N or N m] that a motion takes, friction included.

        payload: carried instead of the robot's own, a Payload or (..., 10) about E; wrench: external force on the
        platform, conjugate to its velocity; weights: of a redundant robot's actuators, which share so that the sum of
        weight tau^2 is least; formulation: one of `parakin.dynamics.formulations.FORMULATIONS`.
        """
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        extras = self._extras(payload=payload, wrench=wrench, weights=weights)
        return self._force("inverse_dynamics", "tau", details, state=state, extras=extras, formulation=formulation)

    def inverse_dynamics_observed(
        self,
        elements: Details | Mapping[str, ArrayLike],
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """tau (..., m) from the states of the robot's elements, as `elements` returns them: no pose is needed.

        elements: x, x_dot, x_ddot (..., elements, 3) in the order of element_names; d with its derivatives where a
        length varies, theta where an element turns inside. More is not looked at.
        """
        extras = self._extras(payload=payload, wrench=wrench, weights=weights)
        kernel = self.kernel("inverse_dynamics_observed", free=tuple(extras))
        given = elements.values if isinstance(elements, Details) else elements
        needed = [socket.name for socket in kernel.inputs if socket.name not in extras]
        missing = [name for name in needed if name not in given]
        if missing:
            reason = f"needs {', '.join(needed)} of its elements, and {', '.join(missing)} was not given"
            raise MeasurementError(self.name, reason)
        return self._measured(kernel, details, *(given[name] for name in needed), *extras.values())

    def inverse_dynamics_from_encoders(
        self,
        q: ArrayLike,
        q_dot: ArrayLike,
        q_ddot: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """tau (..., m) from actuator positions, rates and accelerations, on the assembly mode of home: five-bars."""
        extras = self._extras(payload=payload, wrench=wrench)
        kernel = self.kernel("inverse_dynamics_from_encoders", free=tuple(extras))
        return self._measured(kernel, details, q, q_dot, q_ddot, *extras.values())

    def _measured(self, kernel: Kernel, details: bool, *inputs: ArrayLike) -> Any:
        out = kernel(*inputs)
        status = out["status"]
        if details:
            return Details({"tau": out["tau"]}, status)
        if status.shape == () and status != Status.GOOD:
            reasons = {
                Status.SINGULAR: "what was measured belongs to a singular pose, where forces are not determined",
                Status.UNREACHABLE: "what was measured belongs to no pose: the legs do not meet",
            }
            raise MeasurementError(self.name, reasons[Status(int(status))])
        return out["tau"]

    def actuator_power(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        formulation: str = DEFAULT,
        details: bool = False,
    ) -> Any:
        """tau q_dot of each actuator [W]."""
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        extras = self._extras(payload=payload, wrench=wrench)
        return self._force("actuator_power", "power", details, state=state, extras=extras, formulation=formulation)

    def compare(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        formulation: str,
        against: str = DEFAULT,
    ) -> Comparison:
        """What one formulation costs against another, in force, over a batch of states; `print` it for a table."""
        got, want = (
            self.inverse_dynamics(pose, velocity, acceleration, formulation=name) for name in (formulation, against)
        )
        return comparison((formulation, against), (self.actuator_names, self.actuator_units), got, want)

    def static_forces(
        self,
        pose: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        payload: Payload | ArrayLike | None = None,
        weights: ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """tau that holds the robot still against gravity and an external wrench, without the help of friction."""
        extras = self._extras(payload=payload, wrench=wrench, weights=weights)
        return self._force("static_forces", "tau", details, state={"pose": pose}, extras=extras)

    def forward_dynamics(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        tau: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        smoothing: ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """The platform's acceleration under actuator forces tau.

        smoothing: a rate [m/s or rad/s]; the sign of rates in Coulomb friction is then rate/sqrt(rate^2 + smoothing^2).
        """
        state = {"pose": pose, "velocity": velocity, "tau": tau}
        extras = self._extras(payload=payload, wrench=wrench, smoothing=smoothing)
        return self._force("forward_dynamics", "acceleration", details, state=state, extras=extras)

    def mass_matrix(
        self,
        pose: ArrayLike,
        space: str = "platform",
        *,
        payload: Payload | ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """M (..., n, n), rotors included, in platform or actuator coordinates."""
        extras = self._extras(payload=payload)
        return self._force(_in_space("mass_matrix", space), "M", details, state={"pose": pose}, extras=extras)

    def bias(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        space: str = "platform",
        *,
        payload: Payload | ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """Coriolis and centrifugal forces (..., n), without gravity and friction."""
        extras = self._extras(payload=payload)
        return self._force(
            _in_space("bias", space), "h", details, state={"pose": pose, "velocity": velocity}, extras=extras
        )

    def gravity(
        self,
        pose: ArrayLike,
        space: str = "platform",
        *,
        payload: Payload | ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """What holds the robot against gravity (..., n), in platform or actuator coordinates."""
        return self._force(
            _in_space("gravity", space), "g", details, state={"pose": pose}, extras=self._extras(payload=payload)
        )

    def coriolis_matrix(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """C (..., n, n) with C v = bias and M_dot - 2 C skew, platform coordinates."""
        state = {"pose": pose, "velocity": velocity}
        return self._force("coriolis_matrix", "C", details, state=state, extras=self._extras(payload=payload))

    def energy(
        self, pose: ArrayLike, velocity: ArrayLike, *, payload: Payload | ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """Kinetic and potential energy [J], the latter counted from the plane through O across gravity."""
        extras = self._extras(payload=payload)
        found = self._details(self.kernel("energy", free=tuple(extras)), pose=pose, velocity=velocity, **extras)
        return found["kinetic"], found["potential"]

    def linearize(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        tau: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        smoothing: ArrayLike | None = None,
    ) -> Details:
        """A (..., 2n, 2n), B (..., 2n, m) and `acceleration` about a state: d/dt [delta; dv] = A [delta; dv] + B dtau.

        delta: a small displacement, of spatial robots translation and rotation vector in base axes.
        """
        extras = self._extras(payload=payload, smoothing=smoothing)
        kernel = self.kernel("linearize", free=tuple(extras))
        return self._details(kernel, pose=pose, velocity=velocity, tau=tau, **extras)

    def regressor(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        reference_velocity: ArrayLike | None = None,
        details: bool = False,
    ) -> Any:
        """Psi (..., m, parameters) with Psi @ robot.parameters = tau, columns named by `parameter_names`.

        With a reference velocity v_r: Psi p = J_qv^-T (M a + C(v) v_r + g) and friction.
        """
        state = {"pose": pose, "velocity": velocity, "acceleration": acceleration}
        if reference_velocity is None:
            return self._force("regressor", "Psi", details, state=state, extras={})
        referred = state | {"reference_velocity": reference_velocity}
        return self._force("regressor_reference", "Psi", details, state=referred, extras={})

    def regressor_triangle(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        base: BaseParameters | None = None,
        block: int = BLOCK,
        progress: Callable[[int], None] | None = None,
    ) -> Triangle:
        """R of [Psi tau] = Q R over many states (count, ...), made block by block: memory does not grow with count.

        base: only columns of these. progress: called after each block with the number of states so far. States that
        are no good are skipped and counted.
        """
        state = [np.asarray(values, float) for values in (pose, velocity, acceleration)]
        measured = None if tau is None else np.asarray(tau, float)
        kernel = self.kernel("regressor")

        def rows(first: int) -> Array:
            some = slice(first, first + block)
            Psi = kernel(*(values[some] for values in state))["Psi"]
            Psi_b = Psi if base is None else base.columns(Psi)
            return Psi_b if measured is None else np.concatenate([Psi_b, measured[some, :, None]], axis=-1)

        columns = (len(self.parameters) if base is None else base.rank) + (measured is not None)
        return triangle_of((rows(first) for first in range(0, len(state[0]), block)), columns, progress)

    def base_parameters(self, *, shared: bool = False, gravity: str | None = None, seed: int = 0) -> BaseParameters:
        """The fewest combinations of parameters that the forces depend on, dependencies through loops included.

        shared: identical legs have the same parameters. gravity: None for the robot's own, "general" for parameters
        that matter in any direction of it. seed: of the random states.
        """
        return base_parameters(self, self.parameter_table, shared=shared, gravity=gravity, seed=seed)

    def _force(
        self,
        name: str,
        output: str,
        details: bool,
        *,
        state: Mapping[str, ArrayLike],
        extras: Mapping[str, ArrayLike],
        formulation: str = DEFAULT,
    ) -> Any:
        kernel = self.kernel(name, formulation=formulation, free=tuple(extras))
        return self._output(kernel, output, details, {**state, **extras} if extras else state)

    def _extras(self, **given: Payload | ArrayLike | None) -> dict[str, ArrayLike]:
        """What a call gives besides the state, as inputs of a kernel, in their order."""
        present = {name: value for name, value in given.items() if value is not None}
        return {
            name: value.about_E if isinstance(value, Payload) else value
            for name, value in sorted(present.items(), key=lambda item: FREE.index(item[0]))
        }


def _in_space(name: str, space: str) -> str:
    names = {"platform": name, "actuator": f"{name}_actuator"}
    if space not in names:
        raise UnknownNameError("space", space, tuple(names))
    return names[space]
