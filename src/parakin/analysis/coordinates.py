"""Which coordinates quantities at a pose are in: those of a platform, or a mechanism's independent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.robot.mechanism import Mechanism

if TYPE_CHECKING:
    from parakin.motions import MotionType
    from parakin.robot import Robot


def motion_of(robot: Robot) -> MotionType:
    """Return coordinates, units and offsets of a robot's poses, also of one whose pose has some turns of a ball.

    Such a pose has no type of motion, for no motion can be given in it. Its numbers are known all the same, and its
    velocity has components of an angular velocity, in which Jacobian, masses and forces are.
    """
    return robot.plan.motion if isinstance(robot, Mechanism) else robot.motion_type


def loose_turns(robot: Robot) -> tuple[str, ...]:
    """Return the numbers of a pose that are turns of a ball of which other components follow."""
    return robot.plan.loose_turns if isinstance(robot, Mechanism) else ()
