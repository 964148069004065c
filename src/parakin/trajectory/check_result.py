"""What the check of a motion on a robot gives, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TroubleKind = Literal["unreachable", "open", "singular", "unusable"]
"""Why a state is no good: a leg or a loop that cannot close, a singularity, or no pose at all (NaN)."""
Quantity = Literal["stroke", "speed", "force", "joint"]
"""What has limits: an actuator's position, its rate and its force or torque, and the angle of a passive joint."""


@dataclass(frozen=True)
class Excess:
    """One actuator or passive joint that goes beyond one of its limits.

    >>> hasty = pk.trajectory.check(motion.stretched(0.2), robot)
    >>> excess = hasty.excesses[0]
    >>> excess.quantity, excess.limit, excess.unit, excess.excess > 0
    ('speed', 18.0, 'rad/s', True)
    """

    actuator: str
    """Name of the actuator, as in `robot.actuator_names`, or of the joint, as in `robot.joint_names`."""
    quantity: Quantity
    """Which kind of limit it exceeds."""
    value: float
    """Value furthest beyond the limit, in `unit`."""
    limit: float
    """Limit in `unit`: the end of the stroke that is passed, or the largest speed or force without its sign."""
    unit: str
    """Unit of value, limit and excess."""
    first: float
    """Time of the first state beyond the limit [s]."""
    worst: float
    """Time of the state furthest beyond the limit [s]."""

    @property
    def excess(self) -> float:
        """How far the value lies beyond the limit, in `unit`."""
        return abs(self.value - self.limit) if self.quantity in ("stroke", "joint") else abs(self.value) - self.limit

    def __str__(self) -> str:
        return (
            f"{self.quantity} of {self.actuator}: {_amount(self.value, self.unit)} at {self.worst:.4g} s, "
            f"{_amount(self.excess, self.unit)} beyond its limit of {_amount(self.limit, self.unit)} "
            f"(first beyond it at {self.first:.4g} s)"
        )


@dataclass(frozen=True)
class Trouble:
    """States of a motion that the robot cannot be in, all for one reason.

    >>> far = pk.trajectory.point_to_point(robot, [0, 0, -0.43], [0.6, 0, -0.43])
    >>> trouble = pk.trajectory.check(far, robot).troubles[0]
    >>> trouble.kind, trouble.part, trouble.states > 0
    ('unreachable', 'leg2', True)
    """

    kind: TroubleKind
    """The reason: a leg or a loop of a mechanism that cannot close, a singular pose, or no pose at all (NaN)."""
    part: str
    """Leg, loop or platform that is in trouble; empty where none can be named."""
    size: float
    """How bad the worst state is: length that a leg misses [mm], how far loops stay open [m or rad], or condition
    number; NaN where it cannot be told."""
    states: int
    """How many of the checked states are in trouble, or between how many pairs of them a singularity lies."""
    first: float
    """Time of the first of these states [s]."""
    worst: float
    """Time of the worst of these states [s]."""

    def __str__(self) -> str:
        what = {
            "unreachable": f"{self.part} cannot close, {self.size:.3g} mm missing at {self.worst:.4g} s",
            "open": f"{self.part} cannot close, it stays open by {self.size:.3g} m or rad at {self.worst:.4g} s",
            "singular": f"{self.part} is singular, condition number {self.size:.3g} at {self.worst:.4g} s",
            "unusable": "the motion gives no pose there",
        }
        said = "unreachable" if self.kind == "open" else self.kind
        return f"{said}: {what[self.kind]} (first at {self.first:.4g} s, {self.states} states in all)"


@dataclass(frozen=True)
class Peak:
    """The state in which an actuator comes closest to, or furthest beyond, its limit of one kind.

    >>> peak = pk.trajectory.check(motion, robot).peaks[0]
    >>> peak.quantity, peak.limit, peak.unit
    ('speed', 18.0, 'rad/s')
    """

    actuator: str
    """Name of the actuator that uses the largest part of its limit."""
    quantity: Quantity
    """Which kind of limit it uses: speed or force."""
    value: float
    """Speed or force in that state, with its sign, in `unit`."""
    limit: float
    """Largest speed or force of that actuator, in `unit`."""
    unit: str
    """Unit of value and limit."""
    time: float
    """Time of that state [s]."""

    def __str__(self) -> str:
        share = 100 * abs(self.value) / self.limit
        limit = _amount(self.limit, self.unit)
        return f"{self.quantity} up to {share:.3g} % of {limit} ({self.actuator} at {self.time:.4g} s)"


@dataclass(frozen=True)
class MotionCheck:
    """Whether a robot can make a motion, and what stands in the way."""

    robot: str
    """Name of the robot."""
    motion: str
    """Name of the motion."""
    duration: float
    """Duration of the motion [s]."""
    states: int
    """Number of states that were checked, evenly spaced over the duration."""
    condition: float
    """Largest of the condition numbers among them, as `robot.condition` gives them."""
    troubles: tuple[Trouble, ...]
    """Poses that the robot cannot be in, one entry for each reason."""
    excesses: tuple[Excess, ...]
    """Limits that are exceeded, one entry for each actuator and kind of limit."""
    peaks: tuple[Peak, ...]
    """Largest use of the speed limits and of the force limits; kinds without limits have no entry."""

    @property
    def good(self) -> bool:
        """True where the robot can make the motion."""
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
