"""What a check of a motion found, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Quantity = Literal["stroke", "speed", "force"]


@dataclass(frozen=True)
class Excess:
    """One actuator beyond one limit. value, limit, excess in `unit`; times in s."""

    actuator: str
    quantity: Quantity
    value: float
    limit: float
    unit: str
    first: float
    worst: float

    @property
    def excess(self) -> float:
        return abs(self.value - self.limit) if self.quantity == "stroke" else abs(self.value) - self.limit

    def __str__(self) -> str:
        return (
            f"{self.quantity} of {self.actuator}: {_amount(self.value, self.unit)} at {self.worst:.4g} s, "
            f"{_amount(self.excess, self.unit)} beyond its limit of {_amount(self.limit, self.unit)} "
            f"(first beyond it at {self.first:.4g} s)"
        )


@dataclass(frozen=True)
class Trouble:
    """States of the motion that the robot cannot be in. part: the leg or the platform; size: mm missing, or condition.

    states: how many of the states checked, the first and the worst at these times [s].
    """

    kind: Literal["unreachable", "singular", "unusable"]
    part: str
    size: float
    states: int
    first: float
    worst: float

    def __str__(self) -> str:
        what = {
            "unreachable": f"{self.part} cannot close, {self.size:.3g} mm missing at {self.worst:.4g} s",
            "singular": f"{self.part} is singular, condition number {self.size:.3g} at {self.worst:.4g} s",
            "unusable": "the motion gives no pose there",
        }
        return f"{self.kind}: {what[self.kind]} (first at {self.first:.4g} s, {self.states} states in all)"


@dataclass(frozen=True)
class Peak:
    """The largest use of one kind of limit: value of limit, by which actuator, when [s]."""

    actuator: str
    quantity: Quantity
    value: float
    limit: float
    unit: str
    time: float

    def __str__(self) -> str:
        share = 100 * abs(self.value) / self.limit
        limit = _amount(self.limit, self.unit)
        return f"{self.quantity} up to {share:.3g} % of {limit} ({self.actuator} at {self.time:.4g} s)"


@dataclass(frozen=True)
class Verdict:
    """Of one motion on one robot.

    states: how many were looked at, evenly over the duration; condition: the worst among them, of the length-scaled
    J_qv.
    """

    robot: str
    motion: str
    duration: float
    states: int
    condition: float
    troubles: tuple[Trouble, ...]
    excesses: tuple[Excess, ...]
    peaks: tuple[Peak, ...]

    @property
    def good(self) -> bool:
        return not self.troubles and not self.excesses

    def __str__(self) -> str:
        head = f"{self.robot}: {self.motion}, {self.duration:.4g} s: "
        if self.good:
            return head + "; ".join(
                ["within reach and limits", *map(str, self.peaks), f"condition up to {self.condition:.3g}"]
            )
        return "\n".join([head + "not possible", *(f"  {entry}" for entry in (*self.troubles, *self.excesses))])


def _amount(value: float, unit: str) -> str:
    return f"{1e3 * value:.4g} mm" if unit == "m" else f"{value:.4g} {unit}"
