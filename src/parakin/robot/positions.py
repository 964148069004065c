"""Methods of a robot about where things are and how they move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.assembly import AssemblyModes, assembly_modes
from parakin.errors import ForwardKinematicsError
from parakin.kinematics.status import Status
from parakin.robot.base import Details, RobotBase


class Positions(RobotBase):
    """Kinematics: positions, rates and accelerations."""

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
        single = status.ndim == 0
        if single and int(status) == Status.UNUSABLE:
            raise self._error(np.asarray(near, float), Status.UNUSABLE, np.zeros(1))
        if single and int(status) != Status.GOOD:
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

        Robots with other legs than struts, arms, rails and offset arms, and redundant ones, are refused. Of offset
        arms a set takes about half a second: 2560 complex solutions are followed.
        """
        return assembly_modes(self.description, q)

    # Everything that moves -----------------------------------------------------------------------------------------

    def elements(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Details:
        """A, x, d, theta of every element with two derivatives, and its spin rate, in the order of element_names."""
        return self._details(self.kernel("elements"), pose=pose, velocity=velocity, acceleration=acceleration)

    def bodies(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Details:
        """p, v, a of every centre of mass and R, w, w_dot of every body, in the order of body_names."""
        found = self._details(self.kernel("bodies"), pose=pose, velocity=velocity, acceleration=acceleration)
        R = found["R"]
        shaped = found.values | {"R": R.reshape(*R.shape[:-2], len(self.body_names), 3, 3)}
        return Details(shaped, found.status, found.excess)

    def points(self, pose: ArrayLike) -> Details:
        """`root` and `tip` of every element, for drawing."""
        return self._details(self.kernel("points"), pose=pose)

    def check(self, pose: ArrayLike) -> NDArray[np.int32]:
        """The Status of each pose. Of a single pose only numbers that are not finite are refused."""
        return self.kernel("check")(pose=pose)["status"]
