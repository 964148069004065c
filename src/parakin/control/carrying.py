"""A law carries the place that it computes with from tick to tick, where a fixed number of Newton steps mends it.

Where a place is the pose, nothing is carried of poses that a law is told, for nothing has to be found. Elsewhere the
loops have to be closed again at every tick, and how far they are open is a number of the law's state, `residual`: its
user sees it, and a loop that runs away shows in it first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.control.definition import Given, StatePart
from parakin.control.model import ControlModel
from parakin.control.units import listed, unit_of

NEWTON_STEPS = 1
"""Newton steps from the predicted place in a tick.

The prediction is off by period^2 q_ddot/2, 1e-4 rad at 200 rad/s^2 and 1 kHz; one step leaves about its square.
"""
PREDICTED = "predicted for the next tick, where Newton starts"
"""What a place in a law's state is."""


@dataclass(frozen=True)
class CarriedPlace:
    """The place that a law has in its state: found from what it is told at a tick, and predicted for the next."""

    model: ControlModel
    """The robot as the controller sees it."""
    told: str
    """What the place is found from: measured_q, or the port of a pose."""
    steps: int = NEWTON_STEPS
    """Newton steps in a tick."""
    owner: str = ""
    """What the names of the parts begin with, where the law's own place has the plain ones."""

    @property
    def _known(self) -> bool:
        """Whether the law is told the place itself."""
        return self.model.robot.place_is_pose and self.told != "measured_q"

    @property
    def _name(self) -> str:
        return self._named("pose" if self.model.robot.place_is_pose else "place")

    def _named(self, name: str) -> str:
        return f"{self.owner}_{name}".strip("_")

    @property
    def parts(self) -> tuple[StatePart, ...]:
        """The parts of the law's state."""
        robot = self.model.robot
        if self._known:
            return ()
        if robot.place_is_pose:
            return (StatePart(self._name, len(robot.home), unit_of(robot, "pose"), PREDICTED),)
        place = StatePart(self._name, len(robot.place_names), listed(robot.place_units), PREDICTED, robot.place_names)
        meaning = "how far loops were open after this tick's Newton steps"
        return place, StatePart(self._named("residual"), 1, "m and rad", meaning)

    def first(self, given: Given) -> dict[str, ca.SX]:
        """Return the state to begin with: the place of the first desired pose."""
        if self._known:
            return {}
        first = {self._name: given["first_place"]}
        return first if self.model.robot.place_is_pose else first | {self._named("residual"): ca.SX(0)}

    def found(self, given: Given) -> ca.SX:
        """Return the place at this tick."""
        if self._known:
            return given[self.told]
        near, told = given[self._name], given[self.told]
        if self.told == "measured_q":
            return self.model.place(near, told, self.steps)
        return self.model.place_of_pose(near, told, self.steps)

    def following(self, place: ca.SX, twist: ca.SX) -> Mapping[str, ca.SX]:
        """Return the state for the next tick; twist: the velocity times the period."""
        if self._known:
            return {}
        following = {self._name: self.model.stepped(place, twist)}
        if self.model.robot.place_is_pose:
            return following
        return following | {self._named("residual"): self.model.residual(place)}
