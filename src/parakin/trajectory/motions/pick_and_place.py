"""The pick-and-place cycle by which industrial robots are compared: 25 mm up, 305 mm across, 25 mm down, and back."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.robot import Robot
from parakin.trajectory.fitting import fitting_factor, fitting_note
from parakin.trajectory.offsets import Offsets, linear_axes, middle, upwards
from parakin.trajectory.profiles import Profile, timed_step
from parakin.trajectory.states import Motion, positive

WIDTH = 0.305
"""Distance across [m]: 12 inches."""
CYCLE_HEIGHT = 0.025
"""Height of lifting and lowering [m]: 1 inch."""
CYCLE_TIME = 1.0
"""Time there and back [s]: leisurely for a Delta, which takes about 0.4 s."""
VERTICAL = 0.3
"""Part of the time one way that lifting takes, and that lowering takes."""
CORNER_BLEND = 0.5
"""Part of the lifting time in which the platform also moves across, and likewise while lowering."""


@frozen_arrays(eq=True)
class Cycle:
    """Offsets of the cycle, in which each lifting, crossing and lowering is a quintic step.

    c = corner + rise(t) up + way(t) across
    one way, T = cycle/2:  lift over [0, V],  across over [b, T - b],  lower over [T - V, T]
    """

    corner: Array
    """Offset (degrees of freedom,) from home to where the cycle starts [m, rad]."""
    up: Array
    """Offset (degrees of freedom,) of lifting [m]."""
    across: Array
    """Offset (degrees of freedom,) of crossing, with the turn on the way [m, rad]."""
    cycle: float
    """Time there and back [s]."""
    vertical: float
    """Time V of lifting, and of lowering [s]."""
    start: float
    """Time b from the start of lifting to the start of crossing [s]."""

    def __call__(self, t: Array) -> Profile:
        T, V, b = self.cycle / 2, self.vertical, self.start
        moves = [(0.0, V, self.up), (T - V, V, -self.up), (T, V, self.up), (2 * T - V, V, -self.up)]
        moves += [(b, T - 2 * b, self.across), (T + b, T - 2 * b, -self.across)]
        parts = [(timed_step(t, begin, duration), way) for begin, duration, way in moves]
        c, c_dot, c_ddot = (sum((part[k][:, None] * way for part, way in parts), 0 * self.up) for k in range(3))
        return Profile(self.corner + c, c_dot, c_ddot)


def pick_and_place(
    robot: Robot,
    *,
    width: float = WIDTH,
    height: float = CYCLE_HEIGHT,
    cycle: float = CYCLE_TIME,
    turn: float = 0.0,
    blend: float = CORNER_BLEND,
) -> Motion:
    """Return a pick-and-place cycle along x about the middle of the robot's box; lengths in m, the cycle's time in s.

    Robots that can turn do so about z by `turn` [rad] while crossing. `blend` rounds the corners: at 0 the platform
    stops in them, at 1 it moves across all the time. Where width and height do not fit, both shrink alike and the time
    stays.

    >>> cycle = pk.trajectory.pick_and_place(robot, width=0.2, height=0.02, cycle=0.6)
    >>> pk.trajectory.check(cycle, robot).good
    True
    """
    name = "pick_and_place"
    for what, value, unit in (("width", width, "m"), ("height", height, "m"), ("cycle", cycle, "s")):
        positive(name, what, value, unit)
    if not 0.0 <= blend <= 1.0:
        raise MotionError(name, "blend", f"must be from 0 to 1, got {blend:g}")
    if turn != 0.0 and robot.degrees_of_freedom == linear_axes(robot):
        raise UnsupportedRobotError(robot.name, f"its platform does not turn: leave out turn = {turn:g} rad")
    up, across = height * upwards(robot), width * np.eye(robot.degrees_of_freedom)[0]
    corner = -(up + across) / 2
    edge = corner + np.linspace(0.0, 1.0, 61)[:, None] * across
    factor = fitting_factor(name, robot, middle(robot), np.concatenate([edge, edge + up]))
    across = factor * across
    if turn:
        across = across + turn * np.eye(robot.degrees_of_freedom)[-1]
    vertical = VERTICAL * cycle / 2
    path = Cycle(middle(robot) + factor * corner, factor * up, across, cycle, vertical, (1 - blend) * vertical)
    rise, way = 1e3 * factor * height, 1e3 * factor * width
    note = fitting_note(f"{rise:.3g}-{way:.4g}-{rise:.3g} mm", factor)
    return Motion(name, robot.motion_type, cycle, Offsets(robot.motion_type, robot.home, path), note)
