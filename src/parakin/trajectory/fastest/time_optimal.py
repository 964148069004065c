"""The fastest motion along the path of a motion, within the limits of a robot and of its platform."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError, MotionLimitError
from parakin.robot import Robot
from parakin.trajectory.check_result import MotionCheck
from parakin.trajectory.checking import STATES, actuator_course, beyond, check
from parakin.trajectory.fastest.demands import Demands, at_jumps, demands_of, forces_along
from parakin.trajectory.fastest.grid import Grid, grid_of
from parakin.trajectory.fastest.path import Path, path_of
from parakin.trajectory.fastest.profile import Pace, pace_of, timed
from parakin.trajectory.fastest.scan import UNBOUNDED
from parakin.trajectory.limits import Limits, limits_of
from parakin.trajectory.states import Motion
from parakin.trajectory.stretch import MARGIN, within_limits


@frozen_arrays
class Fastest:
    """The fastest motion along a path within limits, from rest to rest."""

    motion: Motion
    """The motion; forces jump in it, and it begins and ends with acceleration."""
    check: MotionCheck
    """Check of the motion against reach and limits, by `trajectory.check`."""
    iterations: int
    """How many times the path was scanned: more than twice for viscous friction, and for limits between nodes."""
    stretched: float
    """How many times longer the motion takes than what the scan found; 1 unless the check was beyond a limit."""
    t: Array
    """Time at the nodes of the path (N + 1,) [s]."""
    s: Array
    """Way at the nodes (N + 1,) [m], rotations counted as the way of a point `robot.length` away."""
    pace: Array
    """Pace s_dot at the nodes (N + 1,) [m/s]; its slope s_ddot is constant between two of them."""
    active: tuple[str, ...]
    """Limit that holds the motion back in each interval between nodes (N,), as `force of leg1.arm`."""
    share: Array
    """Part of that limit that is used (N,), the margin taken off; 1 where the limit is active."""

    @property
    def duration(self) -> float:
        """Time that the motion takes [s]."""
        return self.motion.duration

    @property
    def held_back(self) -> Mapping[str, float]:
        """Part of the time in which each limit is the active one, the largest first."""
        total: dict[str, float] = {}
        for name, span in zip(self.active, np.diff(self.t), strict=True):
            total[name] = total.get(name, 0.0) + float(span / self.t[-1])
        return dict(sorted(total.items(), key=lambda entry: -entry[1]))

    @property
    def summary(self) -> str:
        """One line: how long the motion takes, and what holds it back for which part of the time."""
        held = ", ".join(f"{name} {100 * part:.3g} %" for name, part in self.held_back.items())
        return f"fastest along its path: {self.duration:.6g} s, held back by {held} of the time"

    def __str__(self) -> str:
        return f"{self.summary}\n{self.check}"


POINTS = 1000
"""Nodes along a path unless told."""
FEWEST_POINTS = 20
"""Least number of nodes that can be asked for."""
MOST_POINTS = 100_000
"""Largest number of nodes that can be asked for: some gigabytes of rows for six actuators."""
_CHECKED = 8
"""States for each node at which the motion is checked in the end, evenly in time."""
_NO_INERTIA = 1e-9
"""Part of the largest factor of s_ddot in any row below which a place has none: nothing there bounds acceleration."""


def time_optimal(robot: Robot, path: Motion, *, acceleration: ArrayLike | None = None, points: int = POINTS) -> Fastest:
    """Return the fastest motion along the path of a motion, from rest to rest, whatever time that motion takes itself.

    Forces and speeds of the actuators are limited by the robot file; `acceleration` limits the magnitude of each entry
    of the platform's acceleration: one number [m/s^2] for all that are lengths, or one for each degree of freedom
    [m/s^2, rad/s^2], infinite for none. `points` is the number of nodes along the path. Rests on the way are left out,
    but for those in which the path turns round or has a corner.

    Raise MotionLimitError where no pace is slow enough: out of reach, singular, beyond a stroke or joint limit, or too
    heavy to hold; MotionError where nothing limits the pace.

    >>> fastest = pk.trajectory.time_optimal(robot, motion)
    >>> fastest.duration < motion.duration, fastest.check.good
    (True, True)
    """
    if not FEWEST_POINTS <= points <= MOST_POINTS:
        raise MotionError(path.name, "points", f"must be from {FEWEST_POINTS} to {MOST_POINTS}, got {points}")
    box = _acceleration(robot, path, acceleration)
    limits = limits_of(robot)
    if not (np.isfinite(limits.force).any() or np.isfinite(box).any()):
        reason = f"no actuator of {robot.name} has a largest force, so that it could be infinitely fast"
        raise MotionError(path.name, "limits", f"{reason}: give actuator.force in its file, or acceleration=...")
    _refuse_impossible(robot, path)
    along = path_of(path, robot)
    usable = Limits((1 - MARGIN) * limits.speed, (1 - MARGIN) * limits.force, limits.lengths)
    even = grid_of(along, np.array(path.kind.scale(robot.length)), points)
    grid = at_jumps(robot, along, even, usable.force)
    course = _Course(robot, path, along, grid, demands_of(robot, along, grid, usable, (1 - MARGIN) * box))
    course.refuse_unheld()
    course.refuse_unbounded()
    return course.fastest(pace_of(course.demands, grid))


@dataclass(frozen=True, eq=False)
class _Course:
    """A robot on a path, with what limits ask of it at every place."""

    robot: Robot
    motion: Motion
    along: Path
    grid: Grid
    demands: Demands

    def fastest(self, pace: Pace) -> Fastest:
        """Return the motion at this pace, checked, and slowed down by what may be missing between places."""
        stuck = np.flatnonzero((pace.b[1:] + pace.b[:-1]) == 0.0)
        if len(stuck):
            reason = f"at {self._time(float(self.grid.s[int(stuck[0])]))} limits leave nothing to move with"
            raise MotionLimitError(self.robot.name, str(self.motion), (reason,))
        if np.max(pace.b) >= UNBOUNDED / 2:
            reason = f"no limit of {self.robot.name} bounds the speed along the path: give actuator.speed in its file"
            raise MotionError(self.motion.name, "limits", reason)
        function = timed(self.along, self.grid, pace.b)
        found = dataclasses.replace(self.motion, duration=float(function.t[-1]), function=function)
        slowed = within_limits(found, self.robot, max(STATES, _CHECKED * len(self.grid.s)))
        most = np.argmax(pace.shares, axis=1)
        active = tuple(self.demands.names[int(k)] for k in most)
        return Fastest(
            slowed.motion,
            slowed.check,
            pace.iterations,
            slowed.factor,
            slowed.factor * function.t,
            self.grid.s,
            function.pace / slowed.factor,
            active,
            pace.shares[np.arange(len(most)), most],
        )

    def refuse_unheld(self) -> None:
        """Refuse a path along which the robot cannot stand or creep."""
        if np.all(self.demands.lower <= 0.0) and np.all(self.demands.upper >= 0.0):
            return
        forces = forces_along(self.robot, self.along.at(self.grid.s), self.along.length)
        t, force = self.along.time(self.grid.s), (1 - MARGIN) * limits_of(self.robot).force
        courses = (actuator_course(self.robot, "force", t, part, force) for part in (forces.still, forces.G))
        reasons = {f"however slowly, {entry}" for course in courses for entry in beyond(course)}
        raise MotionLimitError(self.robot.name, str(self.motion), tuple(sorted(reasons)))

    def refuse_unbounded(self) -> None:
        """Refuse a path with a place at which no limit bounds the acceleration along it."""
        bound = np.max(np.abs(self.demands.A), axis=2)
        free = np.argwhere(bound <= _NO_INERTIA * np.max(bound))
        if len(free):
            where = self._time(float(self.grid.places[tuple(free[0])]))
            reason = f"no actuator of {self.robot.name} with a largest force takes part in accelerating at {where}"
            remedy = "give actuator.force of all in its file, or acceleration=..."
            raise MotionError(self.motion.name, "limits", f"{reason}: {remedy}")

    def _time(self, s: float) -> str:
        """Return when the motion as it was given passes a way [m], in words."""
        return f"{self.along.time(np.array([s]))[0]:.4g} s of the motion as given"


def _acceleration(robot: Robot, path: Motion, given: ArrayLike | None) -> Array:
    """Return the largest magnitude of each entry of the platform's acceleration (degrees of freedom,)."""
    freedom = robot.degrees_of_freedom
    if given is None:
        return np.full(freedom, np.inf)
    values = np.asarray(given, float)
    if values.shape == ():
        lengths = np.array(robot.motion_type.scale(0.0)) == 1.0
        if not lengths.any():
            reason = f"{robot.name} has no coordinates that are lengths: give {freedom} numbers in rad/s^2"
            raise MotionError(path.name, "acceleration", reason)
        values = np.where(lengths, values, np.inf)
    if values.shape != (freedom,) or not np.all(values > 0.0):
        reason = f"one number or {freedom}, all > 0 m/s^2 or rad/s^2, got {np.asarray(given).tolist()}"
        raise MotionError(path.name, "acceleration", reason)
    return values


def _refuse_impossible(robot: Robot, path: Motion) -> None:
    """Refuse a path that the robot cannot follow at any pace."""
    asked = check(path, robot)
    hopeless = [*asked.troubles, *(entry for entry in asked.excesses if entry.quantity in ("stroke", "joint"))]
    if hopeless:
        raise MotionLimitError(robot.name, str(path), tuple(map(str, hopeless)))
