"""The pick-and-place cycle by which industrial robots are compared: 25 mm up, 305 mm across, 25 mm down, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.robot import Robot
from parakin.trajectory.fitting import fitting_factor, fitting_note
from parakin.trajectory.motion import Motion, positive
from parakin.trajectory.offsets import Offsets, linear_axes, middle, upwards
from parakin.trajectory.profiles import Profile, timed_step

WIDTH = 0.305
"""[m] 12 inches."""
HEIGHT = 0.025
"""[m] 1 inch."""
CYCLE = 1.0
"""[s] There and back: leisurely for a Delta, which takes about 0.4 s."""
VERTICAL = 0.3
"""Of the time one way: how long lifting takes, and how long lowering."""
BLEND = 0.5
"""Of the lifting time: during which the platform also moves across, and likewise while lowering."""


@dataclass(frozen=True)
class Cycle:
    """c = corner + rise(t) up + way(t) across, each rise, lowering and crossing a quintic step.

    one way, T = cycle/2:  lift over [0, V],  across over [b, T - b],  lower over [T - V, T]
    """

    corner: Array
    up: Array
    across: Array
    cycle: float
    vertical: float
    start: float

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
    height: float = HEIGHT,
    cycle: float = CYCLE,
    turn: float = 0.0,
    blend: float = BLEND,
) -> Motion:
    """There and back about the middle of the robot's box, along x; lengths in m, cycle in s.

    turn [rad]: about z while crossing, for robots that turn. blend rounds the corners: at 0 the platform stops in
    them, at 1 it moves across all the time. Where width and height do not fit, both shrink alike and the time stays.
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
    return Motion(name, robot.motion, cycle, Offsets(robot.motion, robot.home, path), note)
