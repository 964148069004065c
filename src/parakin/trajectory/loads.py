"""What a motion asks of a robot's actuators: positions, speeds, forces and power at every sample."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.trajectory.limits import Limits, limits_of
from parakin.trajectory.states import Samples


@frozen_arrays
class ActuatorLoads:
    """Positions, speeds and forces of all actuators along a motion, with the power that they give."""

    actuators: tuple[str, ...]
    """Names of the actuators."""
    limits: Limits
    """Limits of the actuators, as the robot file has them."""
    t: Array
    """Times of the samples (N,) [s]."""
    q: Array
    """Actuator positions (N, actuators) [m or rad]."""
    q_dot: Array
    """Actuator speeds (N, actuators) [m/s or rad/s]."""
    tau: Array
    """Actuator forces (N, actuators) [N or N m]."""

    @property
    def power(self) -> Array:
        """Mechanical power of each actuator (N, actuators) [W]; negative where the actuator brakes."""
        return self.tau * self.q_dot

    @property
    def force_rms(self) -> Array:
        """Root mean square of each actuator's force over time (actuators,) [N or N m], which heats its motor."""
        if len(self.t) == 1:
            return np.abs(self.tau[0])
        return np.sqrt(np.trapezoid(self.tau**2, self.t, axis=0) / (self.t[-1] - self.t[0]))

    @property
    def energy(self) -> float:
        """Mechanical work of all actuators together over the motion [J]; braking counts as negative."""
        return float(np.trapezoid(self.power.sum(axis=1), self.t))


def actuator_loads(samples: Samples, robot: Robot) -> ActuatorLoads:
    """Return what the samples of a motion ask of the actuators of a robot, with whatever it carries.

    A state that the robot cannot be in is refused; limits are not looked at here, but by `check`.

    >>> loads = pk.trajectory.actuator_loads(motion.sampled(1000.0), robot)
    >>> loads.force_rms.round(2), loads.power.shape
    (array([1.57, 1.23, 1.23]), (1001, 3))
    """
    if samples.kind != robot.motion_type:
        raise MotionError("samples", "robot", f"the motion is {samples.kind}, {robot.name} is {robot.motion_type}")
    if not len(samples.t):
        raise MotionError("samples", "t", "there is no state to take forces of")
    near = robot.configurations(samples.pose)
    q = robot.evaluate("inverse_kinematics", near=near, pose=samples.pose)["q"]
    q_dot = robot.actuator_velocity(samples.pose, samples.velocity, near=near)
    tau = robot.inverse_dynamics(samples.pose, samples.velocity, samples.acceleration, near=near)
    bad = np.flatnonzero(~np.isfinite(np.concatenate([q, q_dot, tau], axis=1)).all(axis=1))
    if len(bad):
        reason = f"{robot.name} cannot be there at t = {samples.t[bad[0]]:.6g} s: trajectory.check says why"
        raise MotionError("samples", "pose", reason)
    return ActuatorLoads(robot.actuator_names, limits_of(robot), samples.t, q, q_dot, tau)
