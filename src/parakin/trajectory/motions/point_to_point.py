"""Motions from one pose to another along a quintic, in platform or in actuator coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.kinematics.status import WITH_VALUES
from parakin.motions import MotionType
from parakin.motions.offsets import offset_between, pose_rates
from parakin.robot import Robot
from parakin.trajectory.offsets import Offsets, checked_poses, offset_pose
from parakin.trajectory.profiles import Profile, timed_step
from parakin.trajectory.states import Motion, State, positive

_INSIDE = 0.8
"""Part of the way from home to two opposite corners of the box: the motions go between these poses unless told."""
_JUMP = 0.01
"""Part of the largest way of a coordinate by which velocities may miss the next pose; smooth motions miss 1e-6."""
_TRIED = 201
"""Number of states of a motion in actuator coordinates that must have a pose before the motion is accepted."""


@frozen_arrays(eq=True)
class Straight:
    """A straight way along a quintic step: c = step(t/T) delta."""

    delta: Array
    """The whole way (coordinates,) [m, rad]."""
    duration: float
    """Time T that it takes [s]."""

    def __call__(self, t: Array) -> Profile:
        return Profile(*(values[:, None] * self.delta for values in timed_step(t, 0.0, self.duration)))


def point_to_point(
    robot: Robot, start: ArrayLike | None = None, goal: ArrayLike | None = None, duration: float = 1.0
) -> Motion:
    """Return a straight motion from start to goal, turning about one axis, from rest to rest in `duration` [s].

    Unless they are given, start and goal lie near two opposite corners of the robot's box.

    >>> motion = pk.trajectory.point_to_point(robot, [-0.1, 0, -0.4], [0.1, 0, -0.4], duration=0.4)
    >>> motion.at(0.1).pose.round(4)
    array([-0.0793,  0.    , -0.4   ])
    """
    name = "point_to_point"
    positive(name, "duration", duration, "s")
    first, last = _ends(name, robot, start, goal)
    line = Straight(offset_between(robot.motion_type, first, last), duration)
    return Motion(name, robot.motion_type, duration, Offsets(robot.motion_type, first, line))


def actuator_point_to_point(
    robot: Robot,
    start: ArrayLike | None = None,
    goal: ArrayLike | None = None,
    duration: float = 1.0,
    name: str = "actuator_point_to_point",
) -> Motion:
    """Return a motion from start to goal with every actuator on the same quintic, from rest to rest in `duration` [s].

    q = q_start + step(t/T) (q_goal - q_start);  the platform follows from the forward kinematics, in the assembly mode
    of the straight way. Unless they are given, start and goal lie near two opposite corners of the robot's box.

    >>> motion = pk.trajectory.actuator_point_to_point(robot, [-0.1, 0, -0.4], [0.1, 0, -0.45], duration=0.5)
    >>> motion.at(0.5).pose.round(4) + 0.0
    array([ 0.1 ,  0.  , -0.45])
    """
    positive(name, "duration", duration, "s")
    if len(robot.actuator_names) != robot.degrees_of_freedom:
        raise UnsupportedRobotError(
            robot.name,
            f"{len(robot.actuator_names)} actuators for {robot.degrees_of_freedom} degrees of freedom cannot be moved "
            "one by one: use point_to_point",
        )
    first, last = _ends(name, robot, start, goal)
    straight = Offsets(robot.motion_type, first, Straight(offset_between(robot.motion_type, first, last), duration))
    q_first, q_last = robot.inverse_kinematics(first), robot.inverse_kinematics(last)
    path = ActuatorPath(robot, q_first, q_last, straight, duration)
    t = np.linspace(0.0, duration, _TRIED)
    lost = np.flatnonzero(~np.isin(path.status(t), WITH_VALUES))
    if len(lost):
        reason = f"{robot.name} has no pose with the actuator positions at {t[lost[0]]:.3g} s"
        raise MotionError(name, "goal", f"{reason}: choose poses closer together")
    jumps = _jumps(robot.motion_type, path(t), duration / (_TRIED - 1))
    if len(jumps):
        reason = f"{robot.name} would jump to another assembly mode at {t[jumps[0]]:.3g} s"
        raise MotionError(name, "goal", f"{reason}: choose poses with no singularity between them")
    return Motion(name, robot.motion_type, duration, path)


@frozen_arrays(eq=True)
class ActuatorPath:
    """The function of a motion whose actuators follow a quintic, and whose platform follows from forward kinematics."""

    robot: Robot
    """Robot whose kinematics link actuators and platform."""
    q_start: Array
    """Actuator positions (actuators,) at the start [m or rad]."""
    q_goal: Array
    """Actuator positions (actuators,) at the goal [m or rad]."""
    near: Offsets
    """Motion of the platform near which forward kinematics looks for the pose."""
    duration: float
    """Time from start to goal [s]."""

    def __call__(self, t: Array) -> State:
        q, q_dot, q_ddot = self.actuators(t)
        near = self.robot.configurations(self.near(t).pose)
        pose = self.robot.forward_kinematics(q, near=near)
        velocity = self.robot.platform_velocity(pose, q_dot, near=near)
        return State(pose, velocity, self.robot.platform_acceleration(pose, velocity, q_ddot, near=near))

    def actuators(self, t: Array) -> Profile:
        """Return actuator positions, velocities and accelerations (N, actuators) at times (N,) [s]."""
        value, slope, curvature = Straight(self.q_goal - self.q_start, self.duration)(t)
        return Profile(self.q_start + value, slope, curvature)

    def status(self, t: Array) -> NDArray[np.int32]:
        """Return the `Status` (N,) of forward kinematics at times (N,) [s]."""
        q = self.actuators(t).value
        return self.robot.evaluate("forward_kinematics", q=q, near=self.robot.configurations(self.near(t).pose)).status


def _jumps(kind: MotionType, states: State, dt: float) -> NDArray[np.intp]:
    """Return the indices of states after which the pose does not follow from the velocities on both sides."""
    rate = pose_rates(kind, states.pose, states.velocity)
    missed = np.abs(np.diff(states.pose, axis=0) - dt / 2 * (rate[1:] + rate[:-1]))
    return np.flatnonzero(~np.all(missed <= _JUMP * np.ptp(states.pose, axis=0).max(), axis=1))


def _ends(name: str, robot: Robot, start: ArrayLike | None, goal: ArrayLike | None) -> tuple[Array, Array]:
    first = offset_pose(robot, _INSIDE * robot.box[0]) if start is None else start
    last = offset_pose(robot, _INSIDE * robot.box[1]) if goal is None else goal
    return checked_poses(name, "start", robot, first, ()), checked_poses(name, "goal", robot, last, ())
