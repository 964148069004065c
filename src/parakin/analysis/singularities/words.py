"""What a robot loses at a singularity, in words: the motion that no motor holds, or the motion that none can make."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.universal_roots import UniversalRoot
from parakin.robot import Robot
from parakin.robot.screws import direction_in_words, joints_in_words, screw_of, twist_screw


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


def spinning_in_words(joint: UniversalRoot, second: Array) -> str:
    """Return what a universal joint does whose axis 1 is along the line of its element; second: axis 2 (3,)."""
    along = f"at this pose the line of {joint.leg}.{joint.element} is along axis 1 of its universal joint"
    axis = direction_in_words(second)
    return f"{along}: the joint spins it about itself, and does not let its tip move along axis 2, {axis}"


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
