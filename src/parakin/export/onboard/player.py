"""Set points on board: at rest, on a move with limited jerk from rest to rest, or along a motion from a table.

A start begins a move from the set point to the goal; where there is a table the goal is its first pose, and its motion
follows. A stop lets the clock of whatever is under way run down, along the same path:

    time = time_0 + T (u - u^4 (5/2 - 3 u + u^2)),    u = t/T from 0 to 1,    rate = 1 - (10 u^3 - 15 u^4 + 6 u^5)

and the set point stays where the clock stands. T is the setting `stop_time`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import casadi as ca
import numpy as np

from parakin.control.judging import finite
from parakin.control.units import listed, unit_of
from parakin.export.interface import Member
from parakin.export.onboard.block import ROWS, Table, member
from parakin.export.onboard.motion_table import MotionTable
from parakin.robot import Robot
from parakin.trajectory.onboard.between import Set, between, check_kind, moved, offset_between
from parakin.trajectory.onboard.jerk_limited import Times, share_at, times_of

FINITE = 1e6
"""Size from which a number of a goal is no place of a robot [m, rad]."""
CLOCK_ROUNDING = 1e-6
"""Part of a period by which the clock, a sum of periods, may fall short of the end of a motion."""
UNIT_LENGTH = 1e-3
"""How far the square of the length of a goal's quaternion may be from 1."""


class Phase(IntEnum):
    """What a player does."""

    REST = 0
    """The set point stands still."""
    MOVE = 1
    """It moves from rest to rest."""
    MOTION = 2
    """It follows the motion of the table."""


@dataclass(frozen=True)
class MoveLimits:
    """How fast a move from rest to rest may be, for each coordinate of the platform's velocity.

    >>> pk.export.MoveLimits((0.5,) * 3, (5.0,) * 3, (100.0,) * 3).velocity
    (0.5, 0.5, 0.5)
    """

    velocity: tuple[float, ...]
    """Largest velocity of each coordinate, of an orientation that of each base axis [m/s or rad/s]."""
    acceleration: tuple[float, ...]
    """Largest acceleration of each coordinate [m/s^2 or rad/s^2]."""
    jerk: tuple[float, ...]
    """Largest jerk of each coordinate [m/s^3 or rad/s^3]."""
    stop_time: float = 0.2
    """Time in which a stop brings the set point to rest [s]."""


Told = Mapping[str, ca.SX]
"""Numbers by name."""


@dataclass(frozen=True, eq=False)
class Player:
    """Set points of a robot's platform as expressions of a small state."""

    robot: Robot
    """The robot."""
    period: float
    """Time from one tick to the next [s]."""
    limits: MoveLimits
    """Defaults of the settings."""
    motion: MotionTable | None
    """What is played after the move; None where the goal is an input."""
    ahead: tuple[int, ...]
    """How many ticks ahead set points are wanted, 0 for now among them."""

    def __post_init__(self) -> None:
        check_kind(self.robot.motion_type, self.robot.name)

    # Interface -----------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> tuple[Member, ...]:
        """Limits of moves."""
        axes, n = self.robot.motion_type.axes, self.robot.degrees_of_freedom
        jerks = listed([f"{axis.position}/s^3" for axis in axes])
        limits = self.limits
        return (
            member("velocity", n, unit_of(self.robot, "velocity"), "largest velocity of a move", limits.velocity),
            member("acceleration", n, unit_of(self.robot, "acceleration"), "its acceleration", limits.acceleration),
            member("jerk", n, jerks, "largest jerk of a move", limits.jerk),
            member("stop_time", 1, "s", "time in which a stop brings the set point to rest", (limits.stop_time,)),
        )

    @property
    def state(self) -> tuple[Member, ...]:
        """What is carried from tick to tick; it begins at rest at home."""
        robot, n = self.robot, self.robot.degrees_of_freedom
        units = listed([axis.position for axis in robot.motion_type.axes])
        rows = (member(ROWS, len(self.ahead), "1", "rows of the table for the next tick", [0.0] * len(self.ahead)),)
        return (
            member("phase", 1, "1", "0 at rest, 1 on a move, 2 on the motion of the table", (Phase.REST,)),
            member("time", 1, "s", "clock of the move or the motion; where a stop began", (0.0,)),
            member("stopping", 1, "s", "time since a stop began; 0 without", (0.0,)),
            member(
                "origin", len(robot.home), unit_of(robot, "pose"), "pose of rest, or where a move began", robot.home
            ),
            member("way", n, units, "offset from there to the goal", np.zeros(n)),
            member("move_times", 3, "s", "constant acceleration and flank, flank, cruise", (0.0, 0.0, 0.0)),
            *(rows if self.motion is not None else ()),
        )

    @property
    def input(self) -> tuple[Member, ...]:
        """What a player is told: where to go, if no motion says so."""
        if self.motion is not None:
            return ()
        return (member("goal", len(self.robot.home), unit_of(self.robot, "pose"), "where a start goes"),)

    @property
    def table(self) -> Table | None:
        """The rows that are looked at."""
        return None if self.motion is None else Table(self.motion.rows, len(self.ahead))

    # Expressions ---------------------------------------------------------------------------------------------------

    def at_rest(self, pose: ca.SX) -> dict[str, ca.SX]:
        """Return the state of a player that rests at a pose."""
        zero = ca.SX(0)
        n = self.robot.degrees_of_freedom
        rest = {"phase": ca.SX(int(Phase.REST)), "time": zero, "stopping": zero, "origin": pose}
        rest |= {"way": ca.SX.zeros(n), "move_times": ca.SX.zeros(3)}
        return rest | ({ROWS: ca.SX.zeros(len(self.ahead))} if self.motion is not None else {})

    def set_points(self, now: Told, settings: Told, rows: Told) -> list[Set]:
        """Return the set points of a state, one for each tick ahead."""
        stop_time = self._stop_time(settings)
        points: list[Set] = []
        for look, ticks in enumerate(self.ahead):
            time, rate, slowing = self._clock(now, stop_time, ticks * self.period)
            on_the_move = self._move(now, time)
            at = on_the_move
            if self.motion is not None:
                played = self._played(rows[f"rows_{look}"], time, now[ROWS][look])
                on = ca.eq(now["phase"], int(Phase.MOTION))
                at = Set(*(ca.if_else(on, a, b) for a, b in zip(played, on_the_move, strict=True)))
            rest = ca.eq(now["phase"], int(Phase.REST))
            velocity = ca.if_else(rest, 0, at.velocity * rate)
            acceleration = ca.if_else(rest, 0, at.acceleration * rate**2 + at.velocity * slowing)
            points.append(Set(ca.if_else(rest, now["origin"], at.pose), velocity, acceleration))
        return points

    def after(self, now: Told, point: Set, asked: Told, settings: Told) -> dict[str, ca.SX]:
        """Return the state after a tick.

        point: the set point of the tick. asked: start and stop (0 or 1), and the goal.
        """
        rest, moving, playing = (ca.eq(now["phase"], int(phase)) for phase in Phase)
        goal, usable = self._goal(asked), self.usable(asked)
        goal = self.robot.motion_type.normalized(ca.if_else(usable, goal, now["origin"]))
        way = offset_between(self.robot.motion_type, now["origin"], goal)
        times = times_of(way, settings["velocity"], settings["acceleration"], settings["jerk"])
        usable = ca.logic_and(usable, finite([ca.vertcat(*times)]))
        begin = ca.logic_and(ca.logic_and(asked["start"], rest), usable)
        stop_time = self._stop_time(settings)
        stopping = ca.if_else(
            now["stopping"] > 0, now["stopping"] + self.period, ca.if_else(asked["stop"], self.period, 0)
        )
        stopping = ca.if_else(rest, 0, stopping)
        time = now["time"] + ca.if_else(stopping > 0, 0, self.period)
        move_done = ca.logic_and(moving, now["time"] >= Times(*ca.vertsplit(now["move_times"])).total)
        stood = now["stopping"] >= stop_time
        played = ca.logic_and(playing, now["time"] >= self._end)
        on = ca.logic_and(move_done, ca.logic_not(stopping > 0)) if self.motion is not None else ca.SX(0)
        ended = ca.logic_or(ca.logic_or(rest, stood), ca.logic_or(ca.logic_and(move_done, ca.logic_not(on)), played))
        states = self.at_rest(point.pose)
        following = dict(now) | {"stopping": stopping, "time": time}
        # The move ends with acceleration 0, and the motion may begin with another: its own first state has a tick too.
        onward = dict(now) | {"phase": ca.SX(int(Phase.MOTION)), "time": ca.SX(0), "stopping": ca.SX(0)}
        begun = dict(now) | {"phase": ca.SX(int(Phase.MOVE)), "time": ca.SX(self.period), "stopping": ca.SX(0)}
        begun |= {"way": way, "move_times": ca.vertcat(*times)}
        chosen = {
            name: ca.if_else(
                begin,
                begun[name],
                ca.if_else(ended, states[name], ca.if_else(on, onward[name], following[name])),
            )
            for name in states
        }
        if self.motion is not None:
            chosen[ROWS] = self._rows(chosen, stop_time)
        return chosen

    # Parts ---------------------------------------------------------------------------------------------------------

    @property
    def _end(self) -> float:
        """Time from which the motion has ended [s]."""
        return 0.0 if self.motion is None else self.motion.duration - CLOCK_ROUNDING * self.period

    def _stop_time(self, settings: Told) -> ca.SX:
        """Return the time of a stop [s]: the setting, or its default where that is no time."""
        given = settings["stop_time"]
        return ca.if_else(ca.logic_and(given > 0, given < FINITE), given, self.limits.stop_time)

    def _clock(self, now: Told, stop_time: ca.SX, later: float) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Return the time along the path some time later [s], its rate and the rate of that."""
        u = ca.fmin((now["stopping"] + later) / stop_time, 1)
        slid = stop_time * (u - u**4 * (2.5 + u * (u - 3)))
        rate, slowing = 1 - u**3 * (10 + u * (6 * u - 15)), -30 * (u * (1 - u)) ** 2 / stop_time
        stopped = now["stopping"] > 0
        time = now["time"] + ca.if_else(stopped, slid, later)
        return time, ca.if_else(stopped, rate, 1), ca.if_else(stopped, slowing, 0)

    def _move(self, now: Told, time: ca.SX) -> Set:
        """Return the set point of a move at a time."""
        share = share_at(time, Times(*ca.vertsplit(now["move_times"])))
        offset = Set(share.pose * now["way"], share.velocity * now["way"], share.acceleration * now["way"])
        return moved(self.robot.motion_type, now["origin"], offset)

    def _played(self, rows: ca.SX, time: ca.SX, row: ca.SX) -> Set:
        """Return the set point of the motion at a time, from the two rows around it."""
        assert self.motion is not None
        kind, step = self.robot.motion_type, self.motion.step
        sizes = np.cumsum([0, len(kind.coordinates), kind.degrees_of_freedom, kind.degrees_of_freedom])
        width = int(sizes[-1])
        one, other = (
            Set(*(rows[first + int(a) : first + int(b)] for a, b in itertools.pairwise(sizes))) for first in (0, width)
        )
        share = ca.fmin(ca.fmax(time / step - row, 0), 1)
        point = between(kind, one, other, step, share)
        ended = time >= self._end
        return Set(point.pose, ca.if_else(ended, 0, point.velocity), ca.if_else(ended, 0, point.acceleration))

    def _rows(self, now: Told, stop_time: ca.SX) -> ca.SX:
        """Return the rows that a state's set points lie behind; 0 unless the motion is played."""
        assert self.motion is not None
        last = len(self.motion.rows) - 2
        playing = ca.eq(now["phase"], int(Phase.MOTION))
        rows: list[ca.SX] = []
        for ticks in self.ahead:
            time, _, _ = self._clock(now, stop_time, ticks * self.period)
            row = ca.floor(time / self.motion.step)
            inside = ca.logic_and(playing, row > 0)
            rows.append(ca.if_else(inside, ca.if_else(row < last, row, last), 0))
        return ca.vertcat(*rows)

    def _goal(self, asked: Told) -> ca.SX:
        return ca.SX(ca.DM(self.motion.first)) if self.motion is not None else asked["goal"]

    def usable(self, asked: Told) -> ca.SX:
        """Return whether the goal is a pose; NaN is none."""
        goal, where = self._goal(asked), self.robot.motion_type.quaternion
        good = ca.SX(1)
        for k in range(goal.numel()):
            good = ca.logic_and(good, ca.fabs(goal[k]) < FINITE)
        if where is None:
            return good
        return ca.logic_and(good, ca.fabs(ca.sumsqr(goal[where]) - 1) <= UNIT_LENGTH)
