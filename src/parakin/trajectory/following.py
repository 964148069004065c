"""A path of a frame turned into a motion of a mechanism's independent coordinates, where the mechanism can follow it.

    minimise |e(u)|,    e = [p_path - p(u); length * rotation vector of R_path R(u)^T],    step = J^+ e

from sample to sample, by Gauss and Newton. Only components that the path has count: three of a path of points, six of a
path of poses. Where these are more than the mechanism has freedoms, it comes as near as it can, and how far it misses
is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.kinematics.status import WITH_VALUES
from parakin.motions import MotionType
from parakin.motions.offsets import displaced, frame_at, in_space
from parakin.motions.turns import angular_motion
from parakin.robot import Robot
from parakin.trajectory.states import Samples

STEP_LIMIT = 200
"""Most steps to a sample: from home to the first one some twenty, then two or three."""
SMALLEST_STEP = 1e-11
"""Step [rad, and lengths in sizes of the mechanism] with which a sample is found: the next would be its square."""
LONGEST_STEP = 0.1
"""Longest step [rad, and lengths in sizes of the mechanism]; longer ones are cut."""
OPEN_FREEDOM = 1e-6
"""A freedom is open where a singular value of J is this small beside the largest."""
FEWEST_SAMPLES = 4
"""Samples that a cubic spline needs."""
ON_THE_PATH = 1e-9
"""A frame that misses its path by less [sizes of the mechanism] is on it: its velocities follow from the path's."""


@frozen_arrays
class Followed:
    """A motion in which a frame of a mechanism follows a path, and how far it misses it."""

    samples: Samples
    """The motion, in the independent coordinates."""
    distance: Array
    """How far the frame is from the path at each sample (N,) [m], along the axes that the path has."""
    angle: Array
    """By how much its orientation differs (N,) [rad]; 0 for paths of points."""

    def __str__(self) -> str:
        far, turned = int(np.argmax(self.distance)), int(np.argmax(self.angle))
        t = self.samples.t
        return (
            f"misses the path by up to {1e3 * self.distance[far]:.3g} mm at {t[far]:.4g} s "
            f"and {self.angle[turned]:.3g} rad at {t[turned]:.4g} s"
        )


def follow(path: Samples, robot: Robot, *, body: str | None = None) -> Followed:
    """Return the motion of a mechanism whose output frame, or frame of the named body, follows a path.

    path: samples of a platform's kind of motion, such as "translation" for the way of a point and "spatial" for poses;
    they are those of the frame in base axes. The mechanism begins at the sample that is reached from home.

    >>> linkage = pk.load("four_bar")
    >>> way = linkage.frame("output", np.linspace(0, 0.5, 11)[:, None]).p
    >>> zero = np.zeros_like(way)
    >>> path = pk.trajectory.Samples(pk.motions.TRANSLATION, np.linspace(0, 1, 11), way, zero, zero)
    >>> pk.trajectory.follow(path, linkage).samples.pose[-1].round(4)
    array([0.5])
    """
    if not robot.motion_type.of_joints:
        reason = "its pose is that of its platform: a path of that frame is its motion already"
        raise UnsupportedRobotError(robot.name, reason)
    if path.kind.of_joints:
        raise MotionError("path", "kind", f"is {path.kind}, which are coordinates already and no path of a frame")
    follower = _Follower(_with_output(robot.graph, body), path.kind)
    poses, distance, angle = follower.poses(path)
    size = robot.length
    if np.all(distance < ON_THE_PATH * size) and np.all(angle < ON_THE_PATH):
        velocity, acceleration = follower.rates(path, poses)
    else:
        velocity, acceleration = _differentiated(robot.motion_type, path.t, poses)
    return Followed(Samples(robot.motion_type, path.t, poses, velocity, acceleration), distance, angle)


def _with_output(mechanism: Robot, body: str | None) -> Robot:
    """The mechanism with the frame of a body as its output, and the same independent coordinates."""
    from parakin.robot import Robot

    if body is None:
        return mechanism
    if body not in mechanism.body_names:
        raise MotionError("path", "body", f"{mechanism.name} has {', '.join(mechanism.body_names)}, got {body!r}")
    other = mechanism.replace(output={"body": body})
    return Robot(other.machine, other.payload, independent=mechanism.pose_names)


@dataclass(frozen=True)
class _Follower:
    """A mechanism, and the components of its output frame that a path has."""

    mechanism: Robot
    kind: MotionType

    @property
    def _rows(self) -> list[int]:
        """Which components of a twist the path has."""
        return [*self.kind.linear, *(3 + axis for axis in self.kind.angular)]

    @property
    def _weights(self) -> Array:
        return np.array(self.kind.scale(self.mechanism.length))

    @property
    def _sizes(self) -> Array:
        """Units of steps: the mechanism's size for lengths."""
        return np.array([self.mechanism.length if unit == "m" else 1.0 for unit in self.mechanism.pose_units])

    def _jacobian(self, pose: Array, near: Array) -> tuple[Array, Array, Array]:
        """Return p, R of the output and its weighted Jacobian, or NaN where the mechanism cannot be there."""
        n = self.mechanism.degrees_of_freedom
        every, units = np.tile(pose, (n, 1)), np.eye(n)
        out = self.mechanism.evaluate("output", near=near, pose=every, velocity=units, acceleration=0 * units)
        if not np.isin(out.status, WITH_VALUES).all():
            return out["p"][0], out["R"][0], np.full((len(self._rows), n), np.nan)
        return out["p"][0], out["R"][0], (out["twist"][:, self._rows] * self._weights).T

    def _missing(self, p: Array, R: Array, goal: tuple[Array, Array]) -> Array:
        """Return what is missing of the components of the path (k,) [m, rad]."""
        way = np.concatenate([goal[0] - p, _rotation_vector(goal[1] @ R.T)])
        return way[self._rows]

    def poses(self, path: Samples) -> tuple[Array, Array, Array]:
        """Return the poses (N, n) along a path, and how far and by which angle the frame misses it (N,)."""
        mechanism = self.mechanism
        goals = list(zip(*frame_at(path.kind, path.pose), strict=True))
        pose, near = np.array(mechanism.home), np.array(mechanism.home_configuration)
        poses, missed = np.empty((len(goals), len(pose))), np.empty((len(goals), 2))
        lengths = len(self.kind.linear)
        for k, goal in enumerate(goals):
            pose, near, left = self._found(pose, near, goal, float(path.t[k]))
            poses[k], missed[k] = pose, (np.linalg.norm(left[:lengths]), np.linalg.norm(left[lengths:]))
        return poses, missed[:, 0], missed[:, 1]

    def _found(self, pose: Array, near: Array, goal: tuple[Array, Array], t: float) -> tuple[Array, Array, Array]:
        """Return pose, configuration and what is missing where the frame is as near to a goal as it gets."""
        sizes, name = self._sizes, self.mechanism.name
        for _ in range(STEP_LIMIT):
            p, R, J = self._jacobian(pose, near)
            if not np.isfinite(J).all():
                raise MotionError("path", "pose", f"{name} cannot follow it at t = {t:.6g} s: its loops do not close")
            missing = self._missing(p, R, goal)
            values = np.linalg.svd(J * sizes, compute_uv=False)
            if len(values) < J.shape[1] or values[-1] <= OPEN_FREEDOM * values[0]:
                reason = f"does not say all {J.shape[1]} freedoms of {name} at t = {t:.6g} s: give more components"
                raise MotionError("path", "kind", f"{self.kind} {reason}, or stay away from that pose")
            step = np.linalg.lstsq(J * sizes, self._weights * missing, rcond=None)[0]
            longest = float(np.abs(step).max())
            step = sizes * step * min(1.0, LONGEST_STEP / longest if longest else 1.0)
            pose = displaced(self.mechanism.motion_type, pose, step)
            near = self.mechanism.configurations(pose[None], near=near)[0]
            if longest < SMALLEST_STEP:
                return pose, near, missing
        raise MotionError("path", "pose", f"{name} comes to no rest near it at t = {t:.6g} s: sample the path finer")

    def rates(self, path: Samples, poses: Array) -> tuple[Array, Array]:
        """Return velocities and accelerations (N, n) with the path's twists: J v = twist, J a + J_dot v = twist_dot."""
        mechanism, rows, weights = self.mechanism, self._rows, self._weights
        near = mechanism.configurations(poses)
        wanted, wanted_dot = (in_space(path.kind, part)[:, rows] for part in (path.velocity, path.acceleration))
        velocities, accelerations = np.empty_like(poses), np.empty_like(poses)
        for k, pose in enumerate(poses):
            _, _, J = self._jacobian(pose, near[k])
            velocities[k] = np.linalg.lstsq(J, weights * wanted[k], rcond=None)[0]
            coasting = mechanism.output(pose, velocities[k], 0 * pose, near=near[k]).twist_dot[rows]
            accelerations[k] = np.linalg.lstsq(J, weights * (wanted_dot[k] - coasting), rcond=None)[0]
        return velocities, accelerations


def _differentiated(kind: MotionType, t: Array, poses: Array) -> tuple[Array, Array]:
    """Velocities and accelerations of a cubic spline through poses; the path's own belong to another way."""
    from scipy.interpolate import CubicSpline

    if len(t) < FEWEST_SAMPLES:
        least = f"{FEWEST_SAMPLES} samples or more for its rates"
        raise MotionError("path", "t", f"a path that is missed needs {least}, got {len(t)}")
    spline = CubicSpline(t, poses)
    velocity, acceleration = np.array(spline(t, 1)), np.array(spline(t, 2))
    for k in kind.balls:
        turns = slice(k, k + 3)
        velocity[:, turns], acceleration[:, turns] = angular_motion(
            poses[:, turns], velocity[:, turns], acceleration[:, turns]
        )
    return velocity, acceleration


def _rotation_vector(R: Array) -> Array:
    """The rotation vector (3,) of a rotation matrix [rad]."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_rotvec()
