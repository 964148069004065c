"""How fast a move may be, from what the robot file allows its actuators: at home, all coordinates together.

v_k = u/s_k,    u = SHARE min_i speed_i / sum_k |J_ik|/s_k                    s_k: 1, the robot's length for an angle
a_k likewise, from the forces that are left beside the weight, and the mass matrix J_qv^-T M
"""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.errors import ControlError
from parakin.export.onboard.player import MoveLimits
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

SHARE = 0.5
"""Part of what the actuators can do at home that a move takes: elsewhere they have to do more for the same."""
RISE = 0.1
"""Time in which the speed rises, where the file has no forces [s]."""
FLANK = 0.05
"""Time in which the acceleration rises [s]: three periods of a machine that shakes at 60 Hz."""


def move_limits(robot: Robot) -> MoveLimits:
    """Return the limits of moves that suit a robot's file; ControlError where it has no speeds.

    >>> pk.export.move_limits(robot).velocity
    (1.1, 1.1, 1.1)
    """
    limits = limits_of(robot)
    if not np.isfinite(limits.speed).all():
        reason = f"the file of {robot.name} has no speed for some actuators: give the largest velocity of a move"
        raise ControlError("move", "velocity", reason)
    scale = np.array(robot.motion_type.scale(robot.length))
    J: Array = robot.jacobian(robot.home)
    velocity = _shared(limits.speed, J, scale)
    acceleration = velocity / RISE
    if np.isfinite(limits.force).all():
        n = robot.degrees_of_freedom
        still = np.zeros(n)
        weight: Array = robot.inverse_dynamics(robot.home, still, still)
        left = limits.force - np.abs(weight)
        if (left > 0.0).all():
            columns = [np.asarray(robot.inverse_dynamics(robot.home, still, row)) - weight for row in np.eye(n)]
            acceleration = _shared(left, np.array(columns).T, scale)
    return MoveLimits(_numbers(velocity), _numbers(acceleration), _numbers(acceleration / FLANK))


def _shared(limit: Array, gains: Array, scale: Array) -> Array:
    """Return what each coordinate may have while all others have theirs: |gains x| <= SHARE limit."""
    return SHARE * float(np.min(limit / np.sum(np.abs(gains) / scale, axis=1))) / scale


def _numbers(values: Array) -> tuple[float, ...]:
    """Return numbers with two digits, rounded down: these are to be read, and changed."""
    size = 10.0 ** (np.floor(np.log10(values)) - 1)
    return tuple(float(f"{value:.6g}") for value in np.floor(values / size) * size)
