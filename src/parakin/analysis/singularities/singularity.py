"""A singular pose as a result: where it is, how far away, and what is lost or gained there.

What is lost is told in words: the motion that no motor holds, or the motion that none can make.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description import RobotDescription, expanded_legs
from parakin.kinematics.status import Status
from parakin.mechanism.model import MechanismDescription
from parakin.robot import Robot
from parakin.robot.screws import direction_in_words, joints_in_words, screw_of, twist_screw

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


@frozen_arrays
class Moved:
    """A rigid part in a motion that nothing holds."""

    name: str
    """The part; empty for the platform or the output."""
    point: Array
    """A point of it (3,) [m]."""
    twist: Array
    """Velocity of that point and angular velocity (6,) [m/s, rad/s]."""

    def size(self, length: float) -> float:
        """Return how fast it moves, rotations counted at a length [m/s]."""
        return float(np.hypot(np.linalg.norm(self.twist[:3]), length * np.linalg.norm(self.twist[3:])))


def gained_in_words(robot: Robot, moved: Moved, count: int, *, platform: bool) -> str:
    """Return what joints let a platform, or a body of a mechanism, do at a constraint singularity.

    count: how many motions are gained, of which `moved` is one.
    """
    screw = twist_screw(moved.point, moved.twist, robot.length)
    more = "" if count == 1 else f" (one of {count} such motions)"
    if platform:
        held = f"though its motion is {robot.motion_type.name}: whatever the motors do, no joint holds it there"
        return f"at this pose the platform can {screw}{more}, {held}"
    what = moved.name or robot.graph_description.output.body
    return f"at this pose the loops let {what} {screw}{more} while the pose stands still: they can go on in other ways"


@frozen_arrays
class UniversalRoot:
    """A universal joint between an element and what carries it."""

    leg: str
    """The leg."""
    element: str
    """The element whose root it is."""
    body: str
    """The element's body in the graph, whose x is along the line."""
    carrier: str
    """The body that carries the joint."""
    axis: Array
    """Axis 1 in the frame of the carrier (3,)."""


def universal_roots(description: RobotDescription, graph: MechanismDescription) -> tuple[UniversalRoot, ...]:
    """Return the universal joints at roots of elements, leg by leg; graph: the same robot as bodies and joints."""
    below = {joint.child: joint for joint in graph.joints}
    found: list[UniversalRoot] = []
    for leg in expanded_legs(description):
        for element in leg.elements:
            body = f"{leg.name}_{element.name}"
            if element.joint.type != "universal" or body not in below:
                continue
            joint, column = below[body], 0
            if joint.type == "revolute":  # a ring with mass is between: its own hinge turns about axis 1
                joint, column = below[joint.parent], 2
            axis = np.array(joint.parent_frame.rotation[:, column])
            found.append(UniversalRoot(leg.name, element.name, body, joint.parent, axis))
    return tuple(found)


def spinning_in_words(joint: UniversalRoot, second: Array) -> str:
    """Return what a universal joint does whose axis 1 is along the line of its element.

    second: axis 2 (3,); NaN where it has none, as that of a rod whose line gives it its spin and that begins there.
    """
    along = f"at this pose the line of {joint.leg}.{joint.element} is along axis 1 of its universal joint"
    axis = f", {direction_in_words(second)}" if np.isfinite(second).all() else ""
    return f"{along}: the joint spins it about itself, and does not let its tip move along axis 2{axis}"


def in_words(robot: Robot, pose: Array, velocity: Array, kind: str, leg: str) -> str:
    """Return what is lost at a singularity of a robot of legs.

    velocity: of type 2 the motion that is free, of type 1 the motion that is lost.
    """
    if kind == "loops":
        return "at this pose the loops of the mechanism lose their hold: these coordinates cannot move it further"
    if robot.motion_type.of_joints:
        moving = joints_in_words(robot, velocity)
        return f"at this pose the mechanism can move ({moving}) while all motors stand still"
    screw = screw_of(robot, pose, velocity)
    if kind == "type 2":
        return f"at this pose the platform can {screw} while all motors stand still: no motor force holds it there"
    motors = sum(name.startswith(f"{leg}.") for name in robot.actuator_names)
    held = ("", "its motor moves nothing, and ", "its motors together move nothing in one way, and ")[min(motors, 2)]
    return f"at this pose {leg} is stretched or folded: {held}the platform cannot {screw}"
