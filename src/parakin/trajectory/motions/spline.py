"""Motions through via points at given times, with continuous acceleration, from rest to rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError
from parakin.kernels.arguments import as_array
from parakin.motions.turns import angular_motion
from parakin.robot import Robot
from parakin.trajectory.offsets import checked_poses
from parakin.trajectory.profiles import Profile, cruise
from parakin.trajectory.states import Motion, State

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline
    from scipy.spatial.transform import RotationSpline

LARGEST_TURN = 0.9 * np.pi
"""Largest turn between neighbouring via points [rad]: at pi the short way round is no longer determined."""
SHORTEST_TIME, LONGEST_TIME = 1e-9, 1e9
"""Times between neighbouring via points [s] with which no derivative overflows."""
_VIA_POINTS = 5
"""Number of poses drawn from the box unless told."""
_VIA_SEED = 3
"""Seed of these poses."""


@frozen_arrays
class _Knots:
    """Poses y_k at times t_k, and the path parameter s(t) they are interpolated over.

    s_dot rises from 0 to 1 in the first interval and falls back in the last (each half the time where there is only
    one), so that y(s(t)) with a spline y through (s(t_k), y_k) meets the points at their times and rests at both ends.
    """

    t: Array
    """Times of the via points (N,) [s]."""
    poses: Array
    """Poses of the via points (N, coordinates), neighbouring quaternions with the same sign."""

    def parameter(self, t: Array) -> Profile:
        """Return the path parameter s and its derivatives at times t (N,) [s]."""
        times = self.t
        if len(times) == 2:
            return cruise(t, times[1] / 2, 0.0, times[1] / 2)
        up, down = times[1], times[-1] - times[-2]
        return cruise(t, up, times[-1] - up - down, down)


@frozen_arrays
class _Spline:
    """The function of a motion along splines y(s(t)), positions and rotations in base axes alike.

    y_dot = y' s_dot,    y_ddot = y'' s_dot^2 + y' s_ddot
    """

    knots: _Knots
    """The via points, and the path parameter over time."""
    s: Array
    """Path parameter of the via points (N,) [s]."""
    position: CubicSpline
    """Positions over the path parameter; all coordinates where the motion is not spatial."""
    rotation: RotationSpline | None
    """Rotations over the path parameter; None where the motion is not spatial."""
    balls: tuple[int, ...]
    """Where the turns of balls begin among the coordinates."""

    def __call__(self, t: Array) -> State:
        s, s_dot, s_ddot = (values[:, None] for values in self.knots.parameter(t))
        s = np.clip(s[:, 0], self.s[0], self.s[-1])
        p, p1, p2 = (self.position(s, order) for order in range(3))
        v, a = p1 * s_dot, p2 * s_dot**2 + p1 * s_ddot
        if self.rotation is None:
            for k in self.balls:
                turns = slice(k, k + 3)
                v[:, turns], a[:, turns] = angular_motion(p[:, turns], v[:, turns], a[:, turns])
            return State(p, v, a)
        from parakin.trajectory.motions.rotation_spline import rotation_at

        quaternion, w1, w2 = rotation_at(self.rotation, self.s, self.knots.poses[:, 3:], s)
        w, w_dot = w1 * s_dot, w2 * s_dot**2 + w1 * s_ddot
        return State(np.hstack([p, quaternion]), np.hstack([v, w]), np.hstack([a, w_dot]))


def via_points(robot: Robot, poses: ArrayLike | None = None, times: ArrayLike | None = None) -> Motion:
    """Return a motion through poses (N, coordinates) at times (N,) [s], the first at 0, one second apart unless given.

    Without poses the motion goes from home through five poses drawn from the box, and back.

    >>> motion = pk.trajectory.via_points(robot, [[0, 0, -0.4], [0.1, 0, -0.45], [0, 0, -0.5]], [0.0, 0.3, 0.6])
    >>> motion.at(0.3).pose.round(3)
    array([ 0.1 ,  0.  , -0.45])
    """
    from scipy.interpolate import CubicSpline

    name = "via_points"
    if poses is None:
        poses = np.concatenate([robot.home[None], robot.sample(_VIA_POINTS, _VIA_SEED), robot.home[None]])
    via = checked_poses(name, "poses", robot, poses, (-1,))
    t = np.arange(len(via), dtype=float) if times is None else as_array(name, "times", times)
    _check_times(name, t, len(via))
    kind = robot.motion_type
    if kind.quaternion is not None:
        via = np.hstack([via[:, :3], _same_sheet(via[:, 3:])])
        _check_turns(name, via[:, 3:])
    knots = _Knots(t, via)
    s = knots.parameter(t).value
    count = via.shape[1] if kind.quaternion is None else kind.quaternion.start
    position = CubicSpline(s, via[:, :count], bc_type="natural")
    rotation = None
    if kind.quaternion is not None:
        from parakin.trajectory.motions.rotation_spline import rotation_spline

        rotation = rotation_spline(name, s, via[:, kind.quaternion])
    return Motion(name, robot.motion_type, float(t[-1]), _Spline(knots, s, position, rotation, kind.balls))


def _same_sheet(quaternions: Array) -> Array:
    """Return the quaternions with signs such that neighbours are close: q and -q are the same rotation."""
    agree = np.where(np.sum(quaternions[1:] * quaternions[:-1], axis=-1) < 0.0, -1.0, 1.0)
    return quaternions * np.concatenate([[1.0], np.cumprod(agree)])[:, None]


def _check_times(name: str, t: Array, count: int) -> None:
    if count < 2:
        raise MotionError(name, "poses", f"at least two are needed, got {count}")
    if t.shape != (count,):
        raise MotionError(name, "times", f"one for each of {count} poses, got shape {t.shape}")
    if not np.isfinite(t).all() or t[0] != 0.0 or np.any(np.diff(t) <= 0.0):
        raise MotionError(name, "times", f"must be finite, start at 0 and increase, got {t.tolist()}")
    apart = np.diff(t)
    wrong = np.flatnonzero((apart < SHORTEST_TIME) | (apart > LONGEST_TIME))
    if len(wrong):
        reason = f"{t[wrong[0]]:g} and {t[wrong[0] + 1]:g} s are {apart[wrong[0]]:.3g} s apart"
        raise MotionError(name, "times", f"{reason}: from {SHORTEST_TIME:g} to {LONGEST_TIME:g} s are possible")


def _check_turns(name: str, quaternions: Array) -> None:
    cosine = np.clip(np.sum(quaternions[1:] * quaternions[:-1], axis=-1), -1.0, 1.0)
    turns = 2 * np.arccos(cosine)
    worst = int(np.argmax(turns))
    if turns[worst] > LARGEST_TURN:
        raise MotionError(
            name,
            f"poses[{worst + 1}]",
            f"turns by {turns[worst]:.4g} rad from the one before, more than {LARGEST_TURN:.4g}: put a pose between",
        )
