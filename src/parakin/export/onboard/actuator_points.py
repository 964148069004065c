"""Set points of the actuators by inverse kinematics: positions, rates and accelerations of a platform's set point.

q = q(place),    q_dot = J_qv v,    q_ddot = J_qv a + J_qv_dot v

Where a place is no pose it is carried from tick to tick, and a Newton step closes the loops at each pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from parakin.control import ControlModel
from parakin.control.units import listed
from parakin.export.interface import Member
from parakin.export.onboard.block import member
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
