"""Where a part sees the robot: the place that belongs to what is measured, and the platform's velocity there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.control.carrying import CarriedPlace
from parakin.control.definition import Given, Law, StatePart, Wanted
from parakin.control.model import ControlModel
from parakin.errors import ControlError


@dataclass(frozen=True)
class Sight:
    """The place of the measured state, from the law's own state where it is carried there already."""

    carried: CarriedPlace
    """The place in a state."""
    borrowed: bool
    """Whether the place stands in the state of the law inside, which moves it on."""

    @property
    def parts(self) -> tuple[StatePart, ...]:
        """What a part has to add to the state."""
        return () if self.borrowed else self.carried.parts

    @property
    def reference(self) -> tuple[Wanted, ...]:
        """What a part has to be told to find its first place."""
        return (Wanted("pose"),)

    def first(self, given: Given) -> dict[str, ca.SX]:
        """Return the part's own state to begin with."""
        return {} if self.borrowed else self.carried.first(given)

    def first_place(self, given: Given) -> ca.SX:
        """Return the place before the first tick."""
        return given["first_place"]

    def found(self, given: Given) -> tuple[ca.SX, ca.SX]:
        """Return place and velocity at this tick."""
        place = self.carried.found(given)
        if "measured_velocity" in given:
            return place, given["measured_velocity"]
        return place, self.carried.model.velocity(place, given["measured_q_dot"])

    def following(self, place: ca.SX, twist: ca.SX) -> Mapping[str, ca.SX]:
        """Return the part's own state for the next tick."""
        return {} if self.borrowed else self.carried.following(place, twist)


def sight_of(law: Law, part: str, owner: str) -> Sight:
    """Return how a part of a law sees where the robot is; owner: what its places are called where the law has one."""
    model, told = ControlModel(law.robot), law.interface.told
    for position, rate in (("measured_q", "measured_q_dot"), ("measured_pose", "measured_velocity")):
        if position in told and rate in told:
            return _sight(law, model, position, owner)
    reason = f"needs measured q and q_dot, or pose and velocity, and the law is told {', '.join(told)}"
    raise ControlError(law.name, part, reason)


def _sight(law: Law, model: ControlModel, position: str, owner: str) -> Sight:
    """Borrow the law's place where it is surely that of the measured state, or one that another part carries."""
    names = {entry.name for entry in law.interface.state}
    if model.robot.place_is_pose:
        return Sight(CarriedPlace(model, position), "pose" in names)
    if f"{owner}_place" in names or "place" in names:
        return Sight(CarriedPlace(model, position, owner=owner), f"{owner}_place" in names)
    return Sight(CarriedPlace(model, position), borrowed=False)
