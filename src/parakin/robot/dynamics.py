"""Methods of a robot about forces, masses and energy."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.payload import Payload
from parakin.errors import MeasurementError, UnknownNameError
from parakin.robot.core import Input, RobotCore
from parakin.robot.results import Elements, Energy, Linearization

if TYPE_CHECKING:
    from parakin.robot.compare import Comparison
    from parakin.robot.mechanism import JointWrenches, Mechanism

Space = Literal["platform", "actuator"]
"""Whose coordinates the terms of the equation of motion are in."""


class Dynamics(RobotCore):
    """Forces, the terms of the equation of motion, and energy.

    Wherever a method takes `payload`, that is carried in place of the robot's: a Payload, or its ten numbers about E
    (..., 10). `wrench` is an external force on the platform (..., n), conjugate to its velocity.
    """

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
        formulation: str = DEFAULT,
    ) -> Array:
        """Return the actuator forces tau (..., m) [N or N m] that a motion takes, friction included.

        weights: those of a redundant robot's actuators, which share so that the sum of weight tau^2 is least;
        formulation: one of `parakin.dynamics.formulations.FORMULATIONS`.
        """
        if payload is None and wrench is None and weights is None:
            return self._value("inverse_dynamics", "tau", pose, velocity, acceleration, formulation=formulation)
        return self._call(
            "inverse_dynamics",
            formulation,
            pose=pose,
            velocity=velocity,
            acceleration=acceleration,
            payload=payload,
            wrench=wrench,
            weights=weights,
        )["tau"]

    def inverse_dynamics_observed(
        self,
        elements: Elements | Mapping[str, ArrayLike],
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Array:
        """Return tau (..., m) from the states of the robot's elements, as `elements` gives them: no pose is needed.

        elements: x, x_dot, x_ddot (..., elements, 3) in the order of element_names; d with its derivatives where a
        length varies, theta where an element turns inside. More is not looked at.
        """
        given = asdict(elements) if isinstance(elements, Elements) else elements
        needed = [socket.name for socket in self.kernel("inverse_dynamics_observed").inputs]
        missing = [name for name in needed if name not in given]
        if missing:
            reason = f"needs {', '.join(needed)} of its elements, and {', '.join(missing)} was not given"
            raise MeasurementError(self.name, reason)
        observed: dict[str, Input] = {name: given[name] for name in needed}
        observed |= {"payload": payload, "wrench": wrench, "weights": weights}
        return self._call("inverse_dynamics_observed", DEFAULT, **observed)["tau"]

    def inverse_dynamics_from_encoders(
        self,
        q: ArrayLike,
        q_dot: ArrayLike,
        q_ddot: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
    ) -> Array:
        """Return tau (..., m) from actuator positions, rates and accelerations, on the assembly mode of home.

        For five-bars: two arms in a plane.
        """
        return self._call(
            "inverse_dynamics_from_encoders", q=q, q_dot=q_dot, q_ddot=q_ddot, payload=payload, wrench=wrench
        )["tau"]

    def actuator_power(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        formulation: str = DEFAULT,
    ) -> Array:
        """Return the power tau q_dot of each actuator (..., m) [W]."""
        return self._call(
            "actuator_power",
            formulation,
            pose=pose,
            velocity=velocity,
            acceleration=acceleration,
            payload=payload,
            wrench=wrench,
        )["power"]

    def static_forces(
        self,
        pose: ArrayLike,
        wrench: ArrayLike | None = None,
        *,
        payload: Payload | ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Array:
        """Return tau (..., m) that holds the robot still against gravity and a wrench, without the help of friction."""
        return self._call("static_forces", pose=pose, payload=payload, wrench=wrench, weights=weights)["tau"]

    def joint_wrenches(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
    ) -> JointWrenches:
        """Return what every joint of the robot carries, in the order of `wrench_names`, motors and friction included.

        The robot is taken as its graph of bodies and joints, `graph`, for legs in closed form know no forces inside.
        Where joints hold each other (`graph.plan.redundant`), the least of all loads is given and marked.
        """
        from parakin.robot.reactions import joint_wrenches

        return joint_wrenches(self, self.graph, (pose, velocity, acceleration), payload, wrench)

    @functools.cached_property
    def graph(self) -> Mechanism:
        """The robot as a mechanism of bodies and joints, with positions of its motors as a pose."""
        from parakin.robot.reactions import graph_mechanism

        return graph_mechanism(self)

    @property
    def wrench_names(self) -> tuple[str, ...]:
        """Names of the joints whose wrenches `joint_wrenches` gives."""
        return self.graph.wrench_names

    def compare(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        formulation: str,
        against: str = DEFAULT,
    ) -> Comparison:
        """Return how far the forces of one formulation are from another's over a batch; `print` it for a table."""
        from parakin.robot.compare import comparison

        forces, reference = (
            self.inverse_dynamics(pose, velocity, acceleration, formulation=name) for name in (formulation, against)
        )
        return comparison((formulation, against), (self.actuator_names, self.actuator_units), forces, reference)

    # Motion from forces --------------------------------------------------------------------------------------------

    def forward_dynamics(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        tau: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        wrench: ArrayLike | None = None,
        smoothing: ArrayLike | None = None,
    ) -> Array:
        """Return the platform's acceleration (..., n) under actuator forces tau.

        smoothing: a rate [m/s or rad/s]; the sign of rates in Coulomb friction is then rate/sqrt(rate^2 + smoothing^2).
        """
        if payload is None and wrench is None and smoothing is None:
            return self._value("forward_dynamics", "acceleration", pose, velocity, tau)
        return self._call(
            "forward_dynamics",
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
    ) -> Linearization:
        """Return the robot about a state: d/dt [delta; dv] = A [delta; dv] + B dtau, and its acceleration there."""
        out = self._call("linearize", pose=pose, velocity=velocity, tau=tau, payload=payload, smoothing=smoothing)
        return Linearization(out["A"], out["B"], out["acceleration"])

    # Terms of the equation of motion -------------------------------------------------------------------------------

    def mass_matrix(
        self, pose: ArrayLike, space: Space = "platform", *, payload: Payload | ArrayLike | None = None
    ) -> Array:
        """Return M (..., n, n), rotors included, in platform or actuator coordinates."""
        if payload is None:
            return self._value(_in_space("mass_matrix", space), "M", pose)
        return self._call(_in_space("mass_matrix", space), pose=pose, payload=payload)["M"]

    def bias(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        space: Space = "platform",
        *,
        payload: Payload | ArrayLike | None = None,
    ) -> Array:
        """Return Coriolis and centrifugal forces h (..., n), without gravity and friction."""
        if payload is None:
            return self._value(_in_space("bias", space), "h", pose, velocity)
        return self._call(_in_space("bias", space), pose=pose, velocity=velocity, payload=payload)["h"]

    def gravity(
        self, pose: ArrayLike, space: Space = "platform", *, payload: Payload | ArrayLike | None = None
    ) -> Array:
        """Return what holds the robot against gravity, g (..., n), in platform or actuator coordinates."""
        if payload is None:
            return self._value(_in_space("gravity", space), "g", pose)
        return self._call(_in_space("gravity", space), pose=pose, payload=payload)["g"]

    def coriolis_matrix(
        self, pose: ArrayLike, velocity: ArrayLike, *, payload: Payload | ArrayLike | None = None
    ) -> Array:
        """Return C (..., n, n) with C v = bias and M_dot - 2 C skew, in platform coordinates."""
        return self._call("coriolis_matrix", pose=pose, velocity=velocity, payload=payload)["C"]

    def energy(self, pose: ArrayLike, velocity: ArrayLike, *, payload: Payload | ArrayLike | None = None) -> Energy:
        """Return kinetic and potential energy [J], the latter counted from the plane through O across gravity."""
        out = self._call("energy", pose=pose, velocity=velocity, payload=payload)
        return Energy(out["kinetic"], out["potential"])


def _in_space(name: str, space: str) -> str:
    names = {"platform": name, "actuator": f"{name}_actuator"}
    if space not in names:
        raise UnknownNameError("space", space, tuple(names))
    return names[space]
