"""From one pose to another along a quintic, in platform or in actuator coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.kinematics.status import Status
from parakin.poses import quaternion_product
from parakin.robot import Robot
from parakin.trajectory.motion import Motion, State, positive
from parakin.trajectory.offsets import Offsets, checked_poses, offset_between, offset_pose
from parakin.trajectory.profiles import Profile, timed_step

_INSIDE = 0.8
"""Of the box's half diagonals: between which poses the motions go unless told."""
_JUMP = 0.01
"""Of the largest way of a coordinate: what the pose may miss in one of the steps tried. Smooth motions miss 1e-6."""
_TRIED = 201
"""States of a motion in actuator coordinates for which a pose must be found before it is accepted."""


@dataclass(frozen=True)
class Straight:
    """c = step(t/T) delta."""

    delta: Array
    duration: float

    def __call__(self, t: Array) -> Profile:
        return Profile(*(values[:, None] * self.delta for values in timed_step(t, 0.0, self.duration)))


def point_to_point(
    robot: Robot, start: ArrayLike | None = None, goal: ArrayLike | None = None, duration: float = 1.0
) -> Motion:
    """Straight from start to goal (corners of the box unless given), turning about one axis, from rest to rest."""
    name = "point_to_point"
    positive(name, "duration", duration, "s")
    first, last = _ends(name, robot, start, goal)
    line = Straight(offset_between(robot.motion, first, last), duration)
    return Motion(name, robot.motion, duration, Offsets(robot.motion, first, line))


def actuator_point_to_point(
    robot: Robot,
    start: ArrayLike | None = None,
    goal: ArrayLike | None = None,
    duration: float = 1.0,
    name: str = "actuator_point_to_point",
) -> Motion:
    """From start to goal with every actuator on the same quintic: q = q_start + step(t/T) (q_goal - q_start).

    The platform follows from the forward kinematics, on the assembly mode of the straight way.
    """
    positive(name, "duration", duration, "s")
    if len(robot.actuator_names) != robot.degrees_of_freedom:
        raise UnsupportedRobotError(
            robot.name,
            f"{len(robot.actuator_names)} actuators for {robot.degrees_of_freedom} degrees of freedom cannot be moved "
            "one by one: use point_to_point",
        )
    first, last = _ends(name, robot, start, goal)
    straight = Offsets(robot.motion, first, Straight(offset_between(robot.motion, first, last), duration))
    q_first, q_last = robot.inverse_kinematics(first), robot.inverse_kinematics(last)
    path = ActuatorPath(robot, q_first, q_last, straight, duration)
    t = np.linspace(0.0, duration, _TRIED)
    lost = np.flatnonzero(path.status(t) != Status.GOOD)
    if len(lost):
        reason = f"{robot.name} has no pose with the actuator positions at {t[lost[0]]:.3g} s"
        raise MotionError(name, "goal", f"{reason}: choose poses closer together")
    jumps = _jumps(robot.motion, path(t), duration / (_TRIED - 1))
    if len(jumps):
        reason = f"{robot.name} would jump to another assembly mode at {t[jumps[0]]:.3g} s"
        raise MotionError(name, "goal", f"{reason}: choose poses with no singularity between them")
    return Motion(name, robot.motion, duration, path)


@dataclass(frozen=True)
class ActuatorPath:
    """Actuators on a quintic, the platform by forward kinematics near a given way."""

    robot: Robot
    q_start: Array
    q_goal: Array
    near: Offsets
    duration: float

    def __call__(self, t: Array) -> State:
        q, q_dot, q_ddot = self.actuators(t)
        pose = self.robot.forward_kinematics(q, near=self.near(t).pose)
        velocity = self.robot.platform_velocity(pose, q_dot)
        return State(pose, velocity, self.robot.platform_acceleration(pose, velocity, q_ddot))

    def actuators(self, t: Array) -> Profile:
        value, slope, curvature = Straight(self.q_goal - self.q_start, self.duration)(t)
        return Profile(self.q_start + value, slope, curvature)

    def status(self, t: Array) -> NDArray[np.int32]:
        q = self.actuators(t).value
        return self.robot.evaluate("forward_kinematics", q=q, near=self.near(t).pose).status


def _jumps(kind: str, states: State, dt: float) -> NDArray[np.intp]:
    """After which states (N,) the pose does not follow from the velocities on both sides."""
    rate = states.velocity
    if kind == "spatial":
        w = np.concatenate([np.zeros((len(rate), 1)), rate[:, 3:]], axis=1)
        rate = np.concatenate([rate[:, :3], 0.5 * quaternion_product(w, states.pose[:, 3:])], axis=1)
    missed = np.abs(np.diff(states.pose, axis=0) - dt / 2 * (rate[1:] + rate[:-1]))
    return np.flatnonzero(~np.all(missed <= _JUMP * np.ptp(states.pose, axis=0).max(), axis=1))


def _ends(name: str, robot: Robot, start: ArrayLike | None, goal: ArrayLike | None) -> tuple[Array, Array]:
    first = offset_pose(robot, _INSIDE * robot.box[0]) if start is None else start
    last = offset_pose(robot, _INSIDE * robot.box[1]) if goal is None else goal
    return checked_poses(name, "start", robot, first, ()), checked_poses(name, "goal", robot, last, ())
