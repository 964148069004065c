"""A singular pose as a result: where it is, how far away, and what is lost or gained there."""

from __future__ import annotations

from typing import Literal

from parakin.arrays import Array, frozen_arrays
from parakin.kinematics.status import Status

Kind = Literal["type 1", "type 2", "loops", "constraint", "universal"]
"""What is singular."""
KINDS: tuple[Kind, ...] = ("type 1", "type 2", "loops", "constraint", "universal")
"""Every kind that is searched for: of a robot of legs "loops" is none, of a mechanism "type 1" and "universal"."""
LIMITS = {
    Status.OUT_OF_STROKE: "an actuator leaves its stroke",
    Status.JOINT_LIMIT: "a joint leaves its limits",
}
"""What is said of a status of a pose that comes before a singularity."""


@frozen_arrays
class Singularity:
    """A singular pose, and what is lost or gained there."""

    kind: Kind
    """"type 1": a leg is stretched or folded. "type 2": the platform moves while all motors stand still. "loops": the
    loops of a mechanism lose their hold. "constraint": joints let the platform, or a body of a mechanism, do what they
    usually hold. "universal": the line of an element is along axis 1 of the universal joint at its root."""
    pose: Array
    """The pose (coordinates,)."""
    distance: float
    """Its distance from where the search began [m], rotations counted at `length`."""
    length: float
    """The length by which rotations count [m]."""
    part: str
    """The leg that is stretched or folded, the element whose line is along an axis, the body of a mechanism that gains
    a motion; empty where it is the platform."""
    velocity: Array
    """Of type 2 the velocity (n,) that no motor holds, of type 1 the one that none can make; of unit length, scaled.
    Zeros for "constraint" and "universal": the pose stands still there."""
    twist: Array
    """The same motion of the platform, or of `part`, in base axes (6,): velocity of the output frame's origin, or of a
    point of the part there, and angular velocity [m/s, rad/s]; zeros where only coordinates are told."""
    configuration: Array
    """The configuration of the robot's graph (c,), where the search had one; else empty."""
    words: str
    """What is lost or gained, in words."""
    limit: str
    """What of the robot's own limits is broken there: a stroke or a joint limit; empty if it can be reached."""

    def __str__(self) -> str:
        kept = f"; before it comes: {self.limit}" if self.limit else ""
        return f"{self.kind} singularity within {self.distance:.4g} m: {self.words}{kept}"
