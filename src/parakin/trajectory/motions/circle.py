"""The inclined circle of [Abdellatif2005] sec. 4: from standstill to a constant speed, once round, and back to rest."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.trajectory.fitting import fitting_factor, fitting_note
from parakin.trajectory.offsets import Offsets, linear_axes, middle, upwards
from parakin.trajectory.profiles import Profile, cruise
from parakin.trajectory.states import Motion, positive

DIAMETER = 0.3
"""Diameter of the paper's circle [m]."""
SPEED = 1.0
"""Speed along the paper's circle, between the ramps [m/s]."""
TILT = np.pi / 4
"""Angle of the plane of the paper's circle against the x-axis, turned about y [rad]."""
RAMP = 0.25
"""Part of a turn on which the platform gets up to speed, and on which it comes to rest. The paper gives none."""


@frozen_arrays(eq=True)
class Circle:
    """Offsets on a circle: c = centre + e1 cos(a) + e2 sin(a),  a = rate s(t),  s(t) as in `cruise`."""

    centre: Array
    """Offset (degrees of freedom,) of the circle's centre from home [m, rad]."""
    e1: Array
    """Offset (degrees of freedom,) from the centre to where the motion starts, as long as the radius [m]."""
    e2: Array
    """Offset (degrees of freedom,) from the centre to the end of the first quarter turn, as long as the radius [m]."""
    rate: float
    """Angle by which the platform goes round in a second, between the ramps [rad/s]."""
    up: float
    """Duration of the ramp at the start, and of that at the end [s]."""
    cruising: float
    """Time at constant speed between the ramps [s]."""

    def __call__(self, t: Array) -> Profile:
        a, a_dot, a_ddot = (self.rate * values[:, None] for values in cruise(t, self.up, self.cruising, self.up))
        out, along = self.e1 * np.cos(a) + self.e2 * np.sin(a), self.e2 * np.cos(a) - self.e1 * np.sin(a)
        return Profile(self.centre + out, a_dot * along, a_ddot * along - a_dot**2 * out)


def circle(
    robot: Robot,
    *,
    diameter: float = DIAMETER,
    speed: float = SPEED,
    tilt: float = TILT,
    turns: float = 1.0,
    ramp: float = RAMP,
) -> Motion:
    """Return a motion round a circle about the middle of the robot's box, with the orientation of home.

    The diameter is in m, the speed in m/s, the tilt of the plane in rad; `turns` counts all turns, and each of the two
    ramps takes the part `ramp` of a turn. Robots that move in a plane have the circle in that plane. Where the circle
    does not fit, diameter and speed shrink together and the times stay.

    >>> circle = pk.trajectory.circle(robot, diameter=0.2, speed=0.5, tilt=0.0)
    >>> round(circle.duration, 2), circle.note
    (1.88, '')
    """
    name = "circle"
    for what, value, unit in (("diameter", diameter, "m"), ("speed", speed, "m/s"), ("turns", turns, "")):
        positive(name, what, value, unit)
    if not 0.0 < 2 * ramp <= turns:
        raise MotionError(name, "ramp", f"both ramps must fit into {turns:g} turns: > 0 and at most half, got {ramp:g}")
    if not np.isfinite(tilt):
        raise MotionError(name, "tilt", f"must be finite, got {tilt:g} rad")
    spatial = linear_axes(robot) == 3
    e1, e2 = np.eye(robot.motion_type.degrees_of_freedom)[:2]
    if spatial:
        e1 = np.cos(tilt) * e1 + np.sin(tilt) * upwards(robot)
    around = np.linspace(0.0, 2 * np.pi, 181)[:, None]
    shape = diameter / 2 * (np.cos(around) * e1 + np.sin(around) * e2)
    factor = fitting_factor(name, robot, middle(robot), shape)
    radius = factor * diameter / 2
    up = 2 * ramp * np.pi * diameter / speed
    cruising = (turns - 2 * ramp) * np.pi * diameter / speed
    curve = Circle(middle(robot), radius * e1, radius * e2, 2 * speed / diameter, up, cruising)
    note = fitting_note(f"diameter {2e3 * radius:.4g} mm, {factor * speed:.4g} m/s", factor)
    return Motion(name, robot.motion_type, 2 * up + cruising, Offsets(robot.motion_type, robot.home, curve), note)
