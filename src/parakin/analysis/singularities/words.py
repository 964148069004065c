"""What a robot loses at a singularity, in words: the motion that no motor holds, or the motion that none can make."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot
from parakin.robot.screws import PLAIN, screw_of


def in_words(robot: Robot, pose: Array, velocity: Array, kind: str, leg: str) -> str:
    """Return what is lost at a singularity of a robot of legs.

    velocity: of type 2 the motion that is free, of type 1 the motion that is lost.
    """
    if kind == "loops":
        return "at this pose the loops of the mechanism lose their hold: these coordinates cannot move it further"
    if robot.motion_type.of_joints:
        parts = zip(robot.pose_names, velocity / np.abs(velocity).max(), strict=True)
        moving = ", ".join(f"{name} {value:+.2f}" for name, value in parts if abs(value) > PLAIN)
        return f"at this pose the mechanism can move ({moving}) while all motors stand still"
    screw = screw_of(robot, pose, velocity)
    if kind == "type 2":
        return f"at this pose the platform can {screw} while all motors stand still: no motor force holds it there"
    return f"at this pose {leg} is stretched or folded: its motor moves nothing, and the platform cannot {screw}"
