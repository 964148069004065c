"""The nearest singularity that a search finds, of each kind: an upper bound on the distance to the nearest there is.

`rays` finds types 1 and 2 and the ends of a mechanism's loops, `graph_search` constraint singularities and those of
universal joints. Distances are lengths of offsets, |dp|^2 + length^2 |rotation vector|^2 under the root, with the
robot's `length`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parakin.analysis.singularities.graph_search import nearest_in_graph
from parakin.analysis.singularities.rays import nearest_on_rays
from parakin.analysis.singularities.singularity import KINDS, Kind, Singularity
from parakin.arrays import Array
from parakin.errors import LoopClosureError, UnknownNameError, UnreachablePoseError
from parakin.kinematics.status import Status
from parakin.robot import Robot


def nearest_singularity(
    robot: Robot, pose: Array | None = None, *, kinds: Sequence[Kind] = KINDS, seed: int = 0
) -> Singularity | None:
    """Return the nearest singularity of any kind that is found from a pose, home by default; None if none is.

    Limits of strokes and joints are passed over on the way; `limit` tells if one comes first.

    >>> found = pk.analysis.nearest_singularity(robot)
    >>> found.kind, round(found.distance, 3)
    ('type 1', 0.195)
    """
    return next(iter(nearest_singularities(robot, pose, kinds=kinds, seed=seed)), None)


def nearest_singularities(
    robot: Robot, pose: Array | None = None, *, kinds: Sequence[Kind] = KINDS, seed: int = 0
) -> tuple[Singularity, ...]:
    """Return the nearest singularity of each kind that is found from a pose, the nearest of all first.

    Kinds of which none is found are left out; a pose at which the robot cannot be is refused. Another `seed` draws
    other directions to look in.

    >>> [(one.kind, round(one.distance, 3)) for one in pk.analysis.nearest_singularities(pk.load("planar_3rpr"))]
    [('type 2', 0.236)]
    """
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownNameError("kind of singularity", kind, KINDS)
    start = robot.home if pose is None else np.asarray(pose, float)
    _refuse_unreachable(robot, start)
    ended: tuple[Kind, ...] = ("type 1", "type 2") if robot.legs else ("type 2", "loops")
    on_rays = [nearest_on_rays(robot, start, kind, seed) for kind in ended if kind in kinds]
    found = [one for one in on_rays if one is not None]
    found += nearest_in_graph(robot, start, tuple(kinds), seed)
    return tuple(sorted(found, key=lambda one: one.distance))


def _refuse_unreachable(robot: Robot, start: Array) -> None:
    """Raise where a robot cannot be at a pose, so that nothing is near. Strokes and joint limits do not matter."""
    status = Status(int(robot.check(start)))
    if status is Status.UNREACHABLE:
        excess = robot.evaluate("inverse_kinematics", pose=start).excess
        worst = int(np.argmax(excess))
        raise UnreachablePoseError(tuple(start.tolist()), robot.legs[worst].name, float(excess[worst]))
    if status in (Status.NOT_CONVERGED, Status.SINGULAR) and not robot.legs:
        left = float(robot.evaluate("configuration", pose=start).residual)
        reason = "the straight way from home ends before it; start from a pose nearer to home"
        raise LoopClosureError(robot.name, tuple(start.tolist()), reason, left)
