"""Methods of a robot about forces, masses and energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.payload import Payload
from parakin.errors import MeasurementError, UnknownNameError
from parakin.robot.core import RobotCore
from parakin.robot.engine import Input
from parakin.robot.results import Elements, Energy, GraphState, JointWrenches, Linearization

if TYPE_CHECKING:
    import casadi as ca

    from parakin.dynamics.equation import EquationOfMotion
    from parakin.dynamics.mechanics import Acting
    from parakin.mechanism import MechanismDescription
    from parakin.robot.compare import Comparison

Space = Literal["platform", "actuator"]
"""Whose coordinates the terms of the equation of motion are in."""


class Dynamics(RobotCore):
    """Forces, the terms of the equation of motion, and energy.

    Wherever a method takes `payload`, that is carried in place of the robot's: a Payload, or its ten numbers (..., 10)
    about E, or about the origin of a mechanism's output frame. `wrench` is an external force on the platform (..., n),
    conjugate to its velocity; of a mechanism force and moment on the output at its origin, in base axes (..., 6).
    `near`: as in `Kinematics`.
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
        near: ArrayLike | None = None,
    ) -> Array:
        """Return the actuator forces tau (..., m) [N or N m] that a motion takes, friction and springs included.

        weights: those of a redundant robot's actuators, which share so that the sum of weight tau^2 is least;
        formulation: one of `parakin.dynamics.formulations.FORMULATIONS`, of a mechanism virtual work. Where freedoms of
        a mechanism have no motor, they move as they must without effort, whatever `acceleration` says of them.

        >>> robot.inverse_dynamics(pose, velocity, acceleration).round(3)
        array([1.775, 0.869, 0.521])
        >>> robot.inverse_dynamics(robot.sample(1000), velocity, acceleration).shape
        (1000, 3)
        """
        if payload is None and wrench is None and weights is None:
            return self.engine.value("inverse_dynamics", "tau", (pose, velocity, acceleration), near, formulation)
        return self.engine.call(
            "inverse_dynamics",
            formulation,
            near,
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

        >>> seen = robot.elements(pose, velocity, acceleration)
        >>> robot.inverse_dynamics_observed(seen).round(3)
        array([1.775, 0.869, 0.521])
        """
        given = asdict(elements) if isinstance(elements, Elements) else elements
        needed = [socket.name for socket in self.kernel("inverse_dynamics_observed").inputs]
        missing = [name for name in needed if name not in given]
        if missing:
            reason = f"needs {', '.join(needed)} of its elements, and {', '.join(missing)} was not given"
            raise MeasurementError(self.name, reason)
        observed: dict[str, Input] = {name: given[name] for name in needed}
        observed |= {"payload": payload, "wrench": wrench, "weights": weights}
        return self.engine.call("inverse_dynamics_observed", DEFAULT, None, **observed)["tau"]

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

        >>> five_bar = pk.load("five_bar")
        >>> q = five_bar.inverse_kinematics(five_bar.home)
        >>> five_bar.inverse_dynamics_from_encoders(q, [1.0, 0.5], [0.0, 0.0]).round(3)
        array([1.529, 1.493])
        """
        return self.engine.call(
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
        near: ArrayLike | None = None,
    ) -> Array:
        """Return the power tau q_dot of each actuator (..., m) [W].

        >>> robot.actuator_power(pose, velocity, acceleration).round(3)
        array([ 1.512, -0.931, -0.988])
        """
        return self.engine.call(
            "actuator_power",
            formulation,
            near,
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
        near: ArrayLike | None = None,
    ) -> Array:
        """Return tau (..., m) that holds the robot still against gravity, springs and a wrench, without friction.

        >>> robot.static_forces(pose, wrench=[0, 0, -10.0]).round(3)
        array([2.748, 2.014, 1.304])
        """
        given: dict[str, Input] = {"pose": pose, "payload": payload, "wrench": wrench, "weights": weights}
        return self.engine.call("static_forces", DEFAULT, near, **given)["tau"]

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

        A robot of legs is taken as its `graph` of bodies and joints, for legs in closed form know no forces inside.
        Where rows are redundant (`graph.plan.redundant`), joints can strain against each other and rigid bodies do not
        tell by how much: those wrenches are given whose sum of |F|^2 + |N/size|^2 is least, and `unique` is False.

        >>> wrenches = linkage.joint_wrenches([0.3], [0.0], [0.0])
        >>> dict(zip(linkage.wrench_names, np.linalg.norm(wrenches.wrench[:, :3], axis=1).round(2).tolist()))
        {'crank': 4.56, 'crank_coupler': 2.12, 'coupler_rocker': 1.83, 'rocker': 5.26}
        """
        return self.engine.joint_wrenches((pose, velocity, acceleration), payload, wrench, near)

    def placed(
        self, acting: Acting, p: ca.SX | None = None, payload: ca.SX | None = None, *, surely: bool = True
    ) -> EquationOfMotion:
        """Return the robot at a place, as expressions for laws and plants.

        p: symbols of the parameters of the robot without what it carries; the file's numbers and the robot's payload by
        default. payload: ten symbols of what it then carries. surely: by elimination with exchange of rows; otherwise
        in an order that is fixed and quicker, and `trusted` says where that is good.

        >>> from parakin.dynamics.mechanics import Acting
        >>> placed = robot.placed(Acting())
        >>> ca.Function("q", [placed.place], [placed.q])(pose)
        DM([-0.180193, -0.542542, -0.797892])
        """
        return self.engine.placed(acting, p, payload, surely=surely)

    def graph_state(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> GraphState:
        """Return states along a motion as states of `graph`, with configurations to search from.

        >>> state = robot.graph_state(pose, velocity, acceleration)
        >>> robot.graph.inverse_dynamics(*state[:3], near=state.near).round(3)
        array([1.775, 0.869, 0.521])
        """
        return self.engine.graph_state((pose, velocity, acceleration))

    @property
    def graph_description(self) -> MechanismDescription:
        """The robot as data of bodies and joints: the file of a mechanism, or what a robot of legs expands to."""
        return self.engine.as_bodies_and_joints()

    @property
    def wrench_names(self) -> tuple[str, ...]:
        """Names of the joints whose wrenches `joint_wrenches` gives."""
        return self.engine.graph.moving_joints

    def compare(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        *,
        formulation: str,
        against: str = DEFAULT,
    ) -> Comparison:
        """Return how far the forces of one formulation are from another's over a batch; `print` it for a table.

        >>> states = robot.sample_states(200)
        >>> comparison = robot.compare(*states, formulation="simplified")
        >>> comparison.rms_percent.round(1)
        array([6.2, 6.9, 7. ])
        """
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
        near: ArrayLike | None = None,
    ) -> Array:
        """Return the acceleration (..., n) under actuator forces tau.

        smoothing: a rate [m/s or rad/s]; the sign of rates in Coulomb friction is then rate/sqrt(rate^2 + smoothing^2).

        >>> tau = robot.inverse_dynamics(pose, velocity, acceleration)
        >>> robot.forward_dynamics(pose, velocity, tau).round(6) + 0.0
        array([1., 0., 2.])
        """
        if payload is None and wrench is None and smoothing is None:
            return self.engine.value("forward_dynamics", "acceleration", (pose, velocity, tau), near)
        return self.engine.call(
            "forward_dynamics",
            near=near,
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
        """Return the robot about a state: d/dt [delta; dv] = A [delta; dv] + B dtau, and its acceleration there.

        delta is a small offset of the pose. Mechanisms whose pose has only some components of a ball are refused.

        >>> about = robot.linearize(pose, np.zeros(3), robot.static_forces(pose), smoothing=0.01)
        >>> about.A.shape, about.B.shape
        ((6, 6), (6, 3))
        """
        state: dict[str, Input] = {"pose": pose, "velocity": velocity, "tau": tau}
        out = self.engine.call("linearize", DEFAULT, near, **state, payload=payload, smoothing=smoothing)
        return Linearization(out["A"], out["B"], out["acceleration"])

    # Terms of the equation of motion -------------------------------------------------------------------------------

    def mass_matrix(
        self,
        pose: ArrayLike,
        space: Space = "platform",
        *,
        payload: Payload | ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return M (..., n, n), rotors included, in platform or actuator coordinates.

        Those of the platform are a mechanism's independent coordinates, in this and the methods below.

        >>> robot.mass_matrix(pose).round(4)
        array([[ 0.721 , -0.01  , -0.0499],
               [-0.01  ,  0.6539, -0.0279],
               [-0.0499, -0.0279,  0.9385]])
        """
        if payload is None:
            return self.engine.value(_in_space("mass_matrix", space), "M", (pose,), near)
        return self.engine.call(_in_space("mass_matrix", space), near=near, pose=pose, payload=payload)["M"]

    def bias(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        space: Space = "platform",
        *,
        payload: Payload | ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return Coriolis and centrifugal forces h (..., n), without gravity, friction and springs.

        >>> robot.bias(pose, velocity).round(4)
        array([ 0.0073, -0.0264, -0.3147])
        """
        if payload is None:
            return self.engine.value(_in_space("bias", space), "h", (pose, velocity), near)
        return self.engine.call(_in_space("bias", space), near=near, pose=pose, velocity=velocity, payload=payload)["h"]

    def gravity(
        self,
        pose: ArrayLike,
        space: Space = "platform",
        *,
        payload: Payload | ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return what holds the robot against gravity, g (..., n), in platform or actuator coordinates.

        >>> robot.gravity(pose).round(3), robot.gravity(pose, space="actuator").round(3)
        (array([-0.624, -0.243,  9.281]), array([1.27 , 0.984, 0.694]))
        """
        if payload is None:
            return self.engine.value(_in_space("gravity", space), "g", (pose,), near)
        return self.engine.call(_in_space("gravity", space), near=near, pose=pose, payload=payload)["g"]

    def coriolis_matrix(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Array:
        """Return C (..., n, n) with C v = bias and M_dot - 2 C skew, in platform coordinates.

        Of a mechanism it is that of Christoffel symbols; one whose pose has turns of spherical joints is refused.

        >>> C = robot.coriolis_matrix(pose, velocity)
        >>> np.allclose(C @ velocity, robot.bias(pose, velocity))
        True
        """
        return self.engine.call("coriolis_matrix", near=near, pose=pose, velocity=velocity, payload=payload)["C"]

    def energy(
        self,
        pose: ArrayLike,
        velocity: ArrayLike,
        *,
        payload: Payload | ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Energy:
        """Return kinetic and potential energy [J], springs included; that of weight counts from the plane through O.

        >>> energy = robot.energy(pose, velocity)
        >>> print(energy.kinetic.round(4), energy.potential.round(4))
        0.1099 -2.9767
        """
        out = self.engine.call("energy", near=near, pose=pose, velocity=velocity, payload=payload)
        return Energy(out["kinetic"], out["potential"])


def _in_space(name: str, space: str) -> str:
    names = {"platform": name, "actuator": f"{name}_actuator"}
    if space not in names:
        raise UnknownNameError("space", space, tuple(names))
    return names[space]
