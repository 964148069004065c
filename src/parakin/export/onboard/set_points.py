"""Set points for drives that close their own loops: of a motion from a table, or from rest to rest, as a block.

Those of the actuators follow by inverse kinematics from a platform's set point:

q = q(place),    q_dot = J_qv v,    q_ddot = J_qv a + J_qv_dot v

Where a place is no pose it is carried from tick to tick, and a Newton step closes the loops at each pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.control import ControlModel
from parakin.control.definition import quantity_sizes
from parakin.control.judging import finite, is_one
from parakin.control.units import listed, unit_of
from parakin.export.interface import Member
from parakin.export.onboard.block import Block, assembled, member
from parakin.export.onboard.player import Phase, Player
from parakin.trajectory.onboard.between import Set

NEWTON_STEPS = 1
"""Newton steps to the place of a tick's set point, from the predicted one."""
STEPS_AHEAD = 2
"""Newton steps to the place of a set point some ticks ahead, which the prediction is further from."""
PLACE = "desired_place"
"""Member of the state with the place that is carried."""


@dataclass(frozen=True, eq=False)
class ActuatorPoints:
    """How set points of the platform become those of the actuators."""

    model: ControlModel
    """The robot."""
    period: float
    """Time from one tick to the next [s]."""

    @property
    def state(self) -> tuple[Member, ...]:
        """The place that is carried, which begins at home; nothing where a place is the pose."""
        robot = self.model.robot
        if robot.place_is_pose:
            return ()
        meaning = "place of the set point, predicted for the next tick"
        return (member(PLACE, len(robot.place_names), listed(robot.place_units), meaning, robot.places(robot.home)),)

    def place(self, now: Mapping[str, ca.SX], point: Set) -> ca.SX:
        """Return the place of a set point."""
        if self.model.robot.place_is_pose:
            return point.pose
        return self.model.place_of_pose(now[PLACE], point.pose, NEWTON_STEPS)

    def after(self, place: ca.SX, point: Set) -> dict[str, ca.SX]:
        """Return the state for the next tick."""
        if self.model.robot.place_is_pose:
            return {}
        return {PLACE: self.model.stepped(place, self.period * point.velocity)}

    def ahead(self, place: ca.SX, point: Set, later: Set) -> ca.SX:
        """Return the actuator positions of a set point some ticks ahead."""
        robot = self.model.robot
        there = later.pose
        if not robot.place_is_pose:
            way = robot.motion_type.displacement(point.pose, later.pose)
            there = self.model.place_of_pose(self.model.stepped(place, way), later.pose, STEPS_AHEAD)
        return self.model.positions(there)[0]

    @cached_property
    def _rates(self) -> ca.Function:
        placed = self.model.placed
        return ca.Function("rates", [placed.place, placed.velocity], [placed.J_qv, placed.q_drift])

    def of(self, place: ca.SX, point: Set) -> dict[str, ca.SX]:
        """Return q, q_dot and q_ddot of a set point."""
        J_qv, drift = self._rates(place, point.velocity)
        q_ddot = J_qv @ point.acceleration + drift
        return {"q": self.model.positions(place)[0], "q_dot": J_qv @ point.velocity, "q_ddot": q_ddot}


SENSIBLE = 1e12
"""Bound on the sum of squares of actuator set points that are given to drives [SI]."""


@dataclass(frozen=True, eq=False)
class SetPoints:
    """A player and its inverse kinematics, while their tick is written."""

    player: Player
    """Where the set points of the platform come from."""

    @cached_property
    def points(self) -> ActuatorPoints:
        """How they become those of the actuators."""
        return ActuatorPoints(ControlModel(self.player.robot), self.player.period)

    def block(self) -> Block:
        """Return the set points as a block, which begins at home."""
        robot = self.player.robot
        q = np.asarray(robot.inverse_kinematics(robot.home))
        own = (
            member("started", 1, "1", "start of the tick before; it begins as 1, for it has to rise", (1.0,)),
            member("held_q", len(q), unit_of(robot, "q"), "last positions that the robot can reach", q),
        )
        signals = (
            member("start", 1, "1", "1 to begin a move or the motion; counts when it rises"),
            member("stop", 1, "1", "1 to come to rest along the path"),
        )
        names = quantity_sizes(robot)
        output = (
            *(member(name, size, unit_of(robot, name), "set point") for name, size in names.items()),
            member("moving", 1, "1", "1 while the set point is under way"),
            member("good", 1, "1", "1 where the robot reaches the pose; elsewhere q stands and its rates are 0"),
        )
        state = (*own, *self.player.state, *self.points.state)
        described = {
            "settings": ("chosen once; nothing changes them", self.player.settings),
            "state": ("what is carried from tick to tick; only step writes it", state),
            "input": ("what is asked for at a tick", (*signals, *self.player.input)),
            "output": ("set points of a tick", output),
        }
        return assembled(f"set points for {robot.name}", self.player.period, described, self.tick, self.player.table)

    def tick(self, symbols: Mapping[str, ca.SX]) -> dict[str, ca.SX]:
        """Write a tick."""
        now, given, settings = (
            {name.removeprefix(prefix): value for name, value in symbols.items() if name.startswith(prefix)}
            for prefix in ("state_", "input_", "setting_")
        )
        rows = {name: value for name, value in symbols.items() if name.startswith("rows_")}
        playing = {one.name: now[one.name] for one in self.player.state}
        (point,) = self.player.set_points(playing, settings, rows)
        place = self.points.place(now, point)
        wanted = self.points.of(place, point)
        good = ca.logic_and(self.points.model.positions(place)[1], finite(wanted.values(), SENSIBLE))
        started, stop = is_one(given["start"]), given["stop"] > 0.5
        begin = ca.logic_and(ca.logic_and(started, now["started"] < 0.5), ca.logic_not(stop))
        asked = {one.name: given[one.name] for one in self.player.input} | {"start": begin, "stop": stop}
        after = self.player.after(playing, point, asked, settings) | self.points.after(place, point)
        q = ca.if_else(good, wanted["q"], now["held_q"])
        after |= {"started": started, "held_q": q}
        said = point._asdict() | {"q": q} | {name: ca.if_else(good, wanted[name], 0) for name in ("q_dot", "q_ddot")}
        said |= {"moving": ca.logic_not(ca.eq(after["phase"], int(Phase.REST))), "good": good}
        return {f"next_{name}": value for name, value in after.items()} | {
            f"output_{name}": value for name, value in said.items()
        }
