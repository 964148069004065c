"""Methods of a robot about where things are and how they move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.robot import diagnosis, limits
from parakin.robot.core import FORWARD_KINEMATICS, RobotCore
from parakin.robot.results import Bodies, Elements, Joints, Points

if TYPE_CHECKING:
    from parakin.assembly import AssemblyModes


class Kinematics(RobotCore):
    """Positions, rates and accelerations of actuators, platform, elements and bodies."""

    # Actuators from the platform -----------------------------------------------------------------------------------

    def inverse_kinematics(self, pose: ArrayLike) -> Array:
        """Return the actuator positions q (..., m) [m or rad] of poses.

        A single pose beyond a stroke or a joint limit raises; in a batch its row has its values, and `check` tells.
        """
        q = self._value("inverse_kinematics", "q", pose)
        if q.ndim == 1:
            limits.refuse_beyond(self, np.asarray(pose, float), q)
        return q

    def actuator_velocity(self, pose: ArrayLike, velocity: ArrayLike) -> Array:
        """Return the actuator rates q_dot = J_qv v (..., m) [m/s or rad/s]."""
        return self._value("actuator_velocity", "q_dot", pose, velocity)

    def actuator_acceleration(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        """Return the actuator accelerations q_ddot = J_qv a + J_qv_dot v (..., m) [m/s^2 or rad/s^2]."""
        return self._value("actuator_acceleration", "q_ddot", pose, velocity, acceleration)

    def jacobian(self, pose: ArrayLike) -> Array:
        """Return J_qv (..., m, n) with q_dot = J_qv v."""
        return self._value("jacobian", "J_qv", pose)

    def jacobian_rate(self, pose: ArrayLike, velocity: ArrayLike) -> Array:
        """Return dJ_qv/dt (..., m, n) along a velocity."""
        return self._value("jacobian_rate", "J_qv_dot", pose, velocity)

    # Platform from the actuators -----------------------------------------------------------------------------------

    def platform_velocity(self, pose: ArrayLike, q_dot: ArrayLike) -> Array:
        """Return the platform velocity v (..., n) with J_qv v = q_dot, in the least-squares sense if redundant."""
        return self._value("platform_velocity", "velocity", pose, q_dot)

    def platform_acceleration(self, pose: ArrayLike, velocity: ArrayLike, q_ddot: ArrayLike) -> Array:
        """Return the platform acceleration a (..., n) with J_qv a + J_qv_dot v = q_ddot."""
        return self._value("platform_acceleration", "acceleration", pose, velocity, q_ddot)

    def forward_kinematics(self, q: ArrayLike, *, near: ArrayLike | None = None) -> Array:
        """Return the pose (..., coordinates) with these actuator positions, on the assembly mode of `near` (home).

        Never a pose that did not converge: such states raise, or are NaN in a batch. A single pose beyond a stroke or a
        joint limit raises too.
        """
        pose = self._value(FORWARD_KINEMATICS, "pose", self.home if near is None else near, q)
        if pose.ndim == 1:
            limits.refuse_beyond(self, pose, np.asarray(q, float))
        return pose

    def assembly_modes(self, q: ArrayLike) -> AssemblyModes:
        """Return every pose with these actuator positions (..., m), of any working mode: complete, each once.

        Robots with other legs than struts, arms, rails and offset arms, and redundant ones, are refused. A set of
        offset arms takes about half a second: 2560 complex solutions are followed.
        """
        from parakin.assembly import assembly_modes

        return assembly_modes(self.description, q)

    # Everything that moves -----------------------------------------------------------------------------------------

    def elements(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Elements:
        """Return A, x, d, theta of every element with two derivatives, and its spin rate."""
        out = self._call("elements", pose=pose, velocity=velocity, acceleration=acceleration)
        return Elements(**{name: out[name] for name in Elements.__dataclass_fields__})

    def bodies(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Bodies:
        """Return p, v, a of every centre of mass and R, w, w_dot of every body."""
        out = self._call("bodies", pose=pose, velocity=velocity, acceleration=acceleration)
        return Bodies(out["p"], out["v"], out["a"], out["R"], out["w"], out["w_dot"])

    def joints(self, pose: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Joints:
        """Return the angles of passive joints with their rates and accelerations, in the order of `joint_names`."""
        out = self._call("joints", pose=pose, velocity=velocity, acceleration=acceleration)
        return Joints(out["angle"], out["angle_dot"], out["angle_ddot"])

    def points(self, pose: ArrayLike) -> Points:
        """Return root and tip of every element, for drawing."""
        out = self._call("points", pose=pose)
        return Points(out["root"], out["tip"])

    # How good a pose is --------------------------------------------------------------------------------------------

    def check(self, pose: ArrayLike) -> NDArray[np.int32]:
        """Return the Status (...) of each pose, limits included. A single pose is refused only if it is not finite."""
        status = np.asarray(self.kernel("check")(pose=pose)["status"])
        return limits.judged(self, np.asarray(pose, float), status)

    def condition(self, pose: ArrayLike) -> Array:
        """Return the condition number (...) of J_qv with rotations scaled by the robot's length.

        It is infinite where a pose is no good.
        """
        return diagnosis.condition(self, pose)
