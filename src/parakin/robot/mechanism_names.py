"""What a mechanism's coordinates are called, which of them have limits, and which are no coordinates of a motion."""

from __future__ import annotations

import numpy as np

from parakin.dynamics.graph.parameters import all_freedoms
from parakin.mechanism import MechanismDescription, Plan
from parakin.mechanism.kinds import Move
from parakin.mechanism.model import Joint, cone_name
from parakin.mechanism.skeleton import Skeleton
from parakin.robot.limits import Bounds
from parakin.units import ANGLE


def balls(skeleton: Skeleton) -> list[int]:
    """Return where the quaternions of balls begin in a configuration."""
    starts: list[int] = []
    for link in skeleton.links:
        place = link.coordinate
        for move, _ in link.joint.kind.moves:
            if move is Move.BALL:
                starts.append(place)
            place += 4 if move is Move.BALL else 1
    return starts


def no_motion(plan: Plan) -> str:
    """Return why a mechanism has no type of motion whose pose has only some turns of a ball, and what to do."""
    loose = ", ".join(plan.loose_turns)
    reason = f"its pose has {loose}: components of a ball's angular velocity, which alone are rates of no coordinate"
    return f"{reason}: choose wx, wy and wz of the ball, in this order, or other `independent` coordinates"


def coordinate_names(description: MechanismDescription) -> tuple[str, ...]:
    """Return joint.freedom of every joint, .qw, .qx, .qy, .qz of a ball; then joint.cone of those that have one."""
    names = [name for joint in description.joints for name in coordinates_of(joint)]
    return *names, *(cone_name(joint) for joint in description.joints if joint.cone is not None)


def coordinates_of(joint: Joint) -> list[str]:
    """Return the names of a joint's coordinates: joint.freedom, but .qw, .qx, .qy, .qz of a ball."""
    ball = [f"{joint.name}.{part}" for part in ("qw", "qx", "qy", "qz")]
    plain = [f"{joint.name}.{f.name}" for f in joint.kind.freedoms if not f.name.startswith("w")]
    return plain + (ball if joint.type in ("spherical", "free") else [])


def limits_in(description: MechanismDescription, *, driven: bool) -> Bounds:
    """Return the limits of driven, or of passive freedoms and then of cones, where a file has any."""
    rows = [
        (name, freedom.units.position, settings.lower, settings.upper)
        for name, _, freedom, settings in all_freedoms(description)
        if (settings.drive is not None) == driven and (settings.lower is not None or settings.upper is not None)
    ]
    coned = [] if driven else [joint for joint in description.joints if joint.cone is not None]
    rows += [(cone_name(joint), ANGLE.position, None, joint.cone and joint.cone.angle) for joint in coned]
    lower = np.array([-np.inf if row[2] is None else row[2] for row in rows], float)
    upper = np.array([np.inf if row[3] is None else row[3] for row in rows], float)
    return Bounds(tuple(row[0] for row in rows), tuple(row[1] for row in rows), lower, upper)
