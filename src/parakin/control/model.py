"""The model of a robot that control laws compute with, as functions to be called on expressions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.dynamics.equation import EquationOfMotion
from parakin.dynamics.friction import smooth_sign
from parakin.dynamics.mechanics import Acting
from parakin.errors import UnsupportedRobotError
from parakin.linalg.solve import platform_pivot, solve_least_squares
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

SMOOTHING = 0.01
"""Rate below which the sign in Coulomb friction is smooth [rad/s or m/s]: a step in force would shake the drives."""


def drive_sign(rate: ca.SX) -> ca.SX:
    """Return the sign of a rate as controllers take it in Coulomb friction, smooth near zero."""
    return smooth_sign(rate, SMOOTHING)


@dataclass(frozen=True, eq=False)
class ControlModel:
    """A robot as its controller sees it, which need not be how the plant really is.

    What a law knows of where the robot is, it knows as a place (`dynamics.equation`), which is the pose of robots whose
    legs have closed forms. Everything takes a fixed number of operations, whatever the robot is made of.

    >>> model = pk.control.ControlModel(robot)
    >>> place, v = ca.SX.sym("place", 3), ca.SX.sym("v", 3)
    >>> forces = ca.Function("forces", [place, v], [model.forces(place, v, ca.SX(3, 1))])
    >>> forces(robot.home, [0.1, 0, 0])
    DM([1.20511, 0.889627, 0.889627])
    """

    robot: Robot
    """Robot whose geometry, parameters and payload the controller believes in."""

    def __post_init__(self) -> None:
        motors, freedoms = len(self.robot.actuator_names), self.robot.degrees_of_freedom
        if motors < freedoms:
            reason = f"its {motors} motors do not determine how its {freedoms} freedoms move, which control laws need"
            raise UnsupportedRobotError(self.robot.name, reason)

    @cached_property
    def placed(self) -> EquationOfMotion:
        """The robot at a place, with numbers for all parameters and with smooth Coulomb friction."""
        return self.robot.placed(Acting(sign=drive_sign))

    @property
    def square(self) -> bool:
        """Whether the robot has as many actuators as degrees of freedom."""
        return len(self.robot.actuator_names) == self.robot.degrees_of_freedom

    # Places --------------------------------------------------------------------------------------------------------

    @cached_property
    def _towards_actuators(self) -> ca.Function:
        q = ca.SX.sym("q", len(self.robot.actuator_names))
        return ca.Function("towards_actuators", [self.placed.place, q], [self.placed.towards_actuators(q)])

    def place(self, near: ca.SX, q: ca.SX, steps: int) -> ca.SX:
        """Return the place with actuator positions q, by a fixed number of Newton steps from a place near it.

        [Vivas2003] eq. (9). The number is fixed so that a law takes the same time at every tick.

        >>> near, q = ca.SX.sym("near", 3), ca.SX.sym("q", 3)
        >>> place = pk.control.ControlModel(robot).place(near, q, steps=2)
        >>> found = ca.Function("place", [near, q], [place])(robot.home, robot.inverse_kinematics([0.02, 0, -0.44]))
        >>> np.allclose(found.full().ravel(), [0.02, 0, -0.44], atol=1e-6)
        True
        """
        for _ in range(steps):
            near = self._towards_actuators(near, q)
        return near

    @cached_property
    def _towards_pose(self) -> ca.Function:
        pose = ca.SX.sym("pose", len(self.robot.home))
        return ca.Function("towards_pose", [self.placed.place, pose], [self.placed.towards_pose(pose)])

    def place_of_pose(self, near: ca.SX, pose: ca.SX, steps: int) -> ca.SX:
        """Return the place of a pose, by a fixed number of Newton steps from a place near it.

        >>> linkage = pk.load("four_bar")
        >>> model, near, pose = pk.control.ControlModel(linkage), ca.SX.sym("near", 3), ca.SX.sym("pose", 1)
        >>> place = ca.Function("place", [near, pose], [model.place_of_pose(near, pose, steps=3)])
        >>> np.allclose(place(linkage.places(linkage.home), 0.1).full().ravel(), linkage.places([0.1]))
        True
        """
        for _ in range(steps):
            near = self._towards_pose(near, pose)
        return near

    @cached_property
    def _stepped(self) -> ca.Function:
        twist = ca.SX.sym("twist", self.robot.degrees_of_freedom)
        return ca.Function("stepped", [self.placed.place, twist], [self.placed.stepped(twist)])

    def stepped(self, place: ca.SX, twist: ca.SX) -> ca.SX:
        """Return the place after a small displacement: a velocity times a time [m, rad].

        >>> place, twist = ca.SX.sym("place", 3), ca.SX.sym("twist", 3)
        >>> next_place = pk.control.ControlModel(robot).stepped(place, twist)
        >>> ca.Function("next", [place, twist], [next_place])(robot.home, [0.01, 0.02, 0.03])
        DM([0.01, 0.02, -0.4])
        """
        return self._stepped(place, twist)

    @cached_property
    def _residual(self) -> ca.Function:
        return ca.Function("residual", [self.placed.place], [self.placed.residual])

    def residual(self, place: ca.SX) -> ca.SX:
        """Return how far loops are open at a place [m, rad]; 0 where a place is a pose.

        >>> linkage = pk.load("four_bar")
        >>> place = ca.SX.sym("place", 3)
        >>> residual = ca.Function("residual", [place], [pk.control.ControlModel(linkage).residual(place)])
        >>> float(residual(linkage.places([0.3]))) < 1e-9
        True
        """
        return self._residual(place)

    # Kinematics ----------------------------------------------------------------------------------------------------

    @cached_property
    def _kinematics(self) -> ca.Function:
        placed = self.placed
        return ca.Function("rates", [placed.place, placed.velocity], [placed.J_qv, placed.q_drift])

    def velocity(self, place: ca.SX, q_dot: ca.SX) -> ca.SX:
        """Return the platform velocity v that belongs to actuator rates: J_qv v = q_dot, in the least-squares sense.

        >>> place, q_dot = ca.SX.sym("place", 3), ca.SX.sym("q_dot", 3)
        >>> v = pk.control.ControlModel(robot).velocity(place, q_dot)
        >>> found = ca.Function("v", [place, q_dot], [v])(robot.home, [1.0, 1.0, 1.0])
        >>> np.allclose(robot.jacobian(robot.home) @ found.full().ravel(), 1.0)
        True
        """
        return solve_least_squares(self.jacobian(place), q_dot)[0]

    def acceleration(self, place: ca.SX, velocity: ca.SX, q_ddot: ca.SX) -> ca.SX:
        """Return the platform acceleration a that belongs to actuator accelerations: J_qv a + J_qv_dot v = q_ddot.

        >>> place, v, q_ddot = (ca.SX.sym(name, 3) for name in ("place", "v", "q_ddot"))
        >>> a = pk.control.ControlModel(robot).acceleration(place, v, q_ddot)
        >>> ca.Function("a", [place, v, q_ddot], [a])(robot.home, [0.1, 0, 0], [1, 1, 1])[2]
        DM(0.346453)
        """
        J_qv, drift = self._kinematics(place, velocity)
        return solve_least_squares(J_qv, q_ddot - drift)[0]

    def jacobian(self, place: ca.SX) -> ca.SX:
        """Return J_qv (actuators, degrees of freedom), which maps platform velocity to actuator rates.

        >>> place = ca.SX.sym("place", 3)
        >>> J_qv = ca.Function("J_qv", [place], [pk.control.ControlModel(robot).jacobian(place)])
        >>> np.allclose(J_qv(robot.home).full(), robot.jacobian(robot.home))
        True
        """
        return self._kinematics(place, ca.SX.zeros(self.robot.degrees_of_freedom))[0]

    def rates(self, place: ca.SX, velocity: ca.SX) -> ca.SX:
        """Return the actuator rates that belong to a platform velocity: q_dot = J_qv v.

        >>> place, v = ca.SX.sym("place", 3), ca.SX.sym("v", 3)
        >>> rates = ca.Function("rates", [place, v], [pk.control.ControlModel(robot).rates(place, v)])
        >>> found = rates(robot.home, [0.1, 0, 0]).full().ravel()
        >>> np.allclose(found, robot.actuator_velocity(robot.home, [0.1, 0, 0]))
        True
        """
        return self.jacobian(place) @ velocity

    def accelerations(self, place: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """Return the actuator accelerations of a platform's motion: q_ddot = J_qv a + J_qv_dot v.

        >>> place, v, a = (ca.SX.sym(name, 3) for name in ("place", "v", "a"))
        >>> q_ddot = pk.control.ControlModel(robot).accelerations(place, v, a)
        >>> found = ca.Function("q_ddot", [place, v, a], [q_ddot])(robot.home, [0.1, 0, 0], [0, 0, 1.0])
        >>> np.allclose(found.full().ravel(), robot.actuator_acceleration(robot.home, [0.1, 0, 0], [0, 0, 1.0]))
        True
        """
        J_qv, drift = self._kinematics(place, velocity)
        return J_qv @ acceleration + drift

    @cached_property
    def _positions(self) -> ca.Function:
        return ca.Function("positions", [self.placed.place], [self.placed.q, self.placed.reached])

    def positions(self, place: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the actuator positions at a place, and whether every leg reaches its end there.

        >>> place = ca.SX.sym("place", 3)
        >>> q = ca.Function("q", [place], list(pk.control.ControlModel(robot).positions(place)))
        >>> np.allclose(q(robot.home)[0].full().ravel(), robot.inverse_kinematics(robot.home))
        True
        """
        q, reached = self._positions(place)
        return q, reached

    def pivot(self, place: ca.SX) -> ca.SX:
        """Return the ratio of the smallest pivot of J_qv to the largest, which is zero in singular places.

        >>> place = ca.SX.sym("place", 3)
        >>> pivot = ca.Function("pivot", [place], [pk.control.ControlModel(robot).pivot(place)])
        >>> 0.0 < float(pivot(robot.home)) <= 1.0
        True
        """
        return platform_pivot(self.jacobian(place), self.robot.motion_type.scale(1 / self.robot.length))

    # Forces --------------------------------------------------------------------------------------------------------

    @cached_property
    def _forces(self) -> ca.Function:
        return _force_function(self.placed)

    @cached_property
    def _forces_of_masses(self) -> ca.Function:
        return _force_function(self.placed.without_drive_friction())

    def forces(self, place: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """Return the actuator forces that a motion needs, with all friction [N or N m].

        >>> place, v, a = (ca.SX.sym(name, 3) for name in ("place", "v", "a"))
        >>> tau = pk.control.ControlModel(robot).forces(place, v, a)
        >>> ca.Function("tau", [place, v, a], [tau])(robot.home, [0, 0, 0], [0, 0, 5.0])
        DM([1.55897, 1.55897, 1.55897])
        """
        return self._forces(place, velocity, acceleration)

    def forces_of_masses(self, place: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """Return the actuator forces that a motion needs without friction of the drives [N or N m].

        Viscous friction of passive joints is included, their Coulomb friction is not.

        >>> place, v, a = (ca.SX.sym(name, 3) for name in ("place", "v", "a"))
        >>> tau = pk.control.ControlModel(robot).forces_of_masses(place, v, a)
        >>> ca.Function("tau", [place, v, a], [tau])(robot.home, [0.2, 0, 0], [0, 0, 5.0])
        DM([1.55593, 1.55389, 1.55389])
        """
        return self._forces_of_masses(place, velocity, acceleration)

    def drive_friction(self, q_dot: ca.SX) -> ca.SX:
        """Return the friction force in each actuator at the given rates [N or N m].

        >>> q_dot = ca.SX.sym("q_dot", 3)
        >>> friction = pk.control.ControlModel(robot).drive_friction(q_dot)
        >>> ca.Function("friction", [q_dot], [friction])([1.0, 0.0, -1.0])
        DM([0.179993, 0, -0.179993])
        """
        return self.placed.drive_friction(q_dot)

    @cached_property
    def _mass_matrix(self) -> ca.Function:
        return ca.Function("inertia", [self.placed.place], [self.placed.M_q])

    def mass_matrix(self, place: ca.SX) -> ca.SX:
        """Return M_q, the mass matrix in actuator space, which exists for as many actuators as degrees of freedom.

        >>> place = ca.SX.sym("place", 3)
        >>> M_q = ca.Function("M_q", [place], [pk.control.ControlModel(robot).mass_matrix(place)])
        >>> np.allclose(M_q(robot.home).full(), robot.mass_matrix(robot.home, space="actuator"))
        True
        """
        if not self.square:
            actuators, freedom = len(self.robot.actuator_names), self.robot.degrees_of_freedom
            counts = f"not {actuators} for {freedom}"
            reason = f"its mass matrix in actuator space needs as many actuators as degrees of freedom, {counts}"
            raise UnsupportedRobotError(self.robot.name, reason)
        return self._mass_matrix(place)

    @cached_property
    def _momentum(self) -> ca.Function:
        placed = self.placed
        moved = momentum_of(placed)
        return ca.Function("momentum", [placed.place, placed.velocity], list(moved))

    def momentum(self, place: ca.SX, velocity: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return p = M v, and what changes it besides drives and disturbances: p_dot = J_qv^T tau + wrench + this.

        The second is M_dot v - h(v) - g - friction, which is C^T v - g - friction with M_dot - 2 C skew.

        >>> place, v = ca.SX.sym("place", 3), ca.SX.sym("v", 3)
        >>> moved = ca.Function("moved", [place, v], list(pk.control.ControlModel(robot).momentum(place, v)))
        >>> velocity = np.array([0.1, 0.2, 0.0])
        >>> np.allclose(moved(robot.home, velocity)[0].full().ravel(), robot.mass_matrix(robot.home) @ velocity)
        True
        """
        p, own = self._momentum(place, velocity)
        return p, own

    # Limits --------------------------------------------------------------------------------------------------------

    def saturated(self, raw: ca.SX) -> ca.SX:
        """Return forces cut at the limits of the robot file; a NaN stays one, which fmin and fmax would hide.

        >>> raw = ca.SX.sym("raw", 3)
        >>> cut = ca.Function("cut", [raw], [pk.control.ControlModel(robot).saturated(raw)])
        >>> cut([10.0, 100.0, -100.0])
        DM([10, 25, -25])
        """
        limits = limits_of(self.robot).force
        return ca.vertcat(*(_held(raw[k], float(limit)) for k, limit in enumerate(limits)))


def momentum_of(placed: EquationOfMotion) -> tuple[ca.SX, ca.SX]:
    """Return M v of a robot at its place, and M_dot v - h(v) - g - friction."""
    p = ca.jtimes(placed.required, placed.acceleration, placed.velocity)
    coasting = ca.substitute(placed.required, placed.acceleration, ca.SX.zeros(placed.acceleration.shape[0]))
    return p, ca.jtimes(p, placed.place, placed.place_rate) - coasting


def _force_function(placed: EquationOfMotion) -> ca.Function:
    return ca.Function("forces", [placed.place, placed.velocity, placed.acceleration], [placed.tau])


def _held(value: ca.SX, limit: float) -> ca.SX:
    if not np.isfinite(limit):
        return value
    return ca.if_else(value > limit, limit, ca.if_else(value < -limit, -limit, value))


def next_integral(integral: ca.SX, grown: ca.SX, error: ca.SX, excess: ca.SX) -> ca.SX:
    """Return the integral for the next tick, which does not grow while its error pushes further into a limit.

    This is anti-windup by conditional integration: `grown` is the integral with this tick's share, and `excess` the
    force asked for less the force given, in the coordinates of the error.

    >>> integral, error, excess = (ca.SX.sym(name) for name in ("integral", "error", "excess"))
    >>> held = pk.control.next_integral(integral, integral + 0.001 * error, error, excess)
    >>> ca.Function("held", [integral, error, excess], [held])(1.0, 0.5, 3.0)  # the force is at its limit
    DM(1)
    """
    return ca.if_else(excess * error > 0, integral, grown)
