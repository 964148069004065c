"""Constraint singularities and those of universal joints, searched for among the configurations of a robot's graph.

Rays leave the start in many directions and are followed on its branch as far as loops close. From the configurations on
them that are nearest to singular, Newton's method leads to singular ones, which are followed towards the start. Those
count to whose pose a straight way leads on the same branch, so that each distance is an upper bound.
"""

from __future__ import annotations

import numpy as np

from parakin.analysis.singularities.chart import Chart
from parakin.analysis.singularities.conditions import AlongAxis, Condition, RankLost, conditions_of
from parakin.analysis.singularities.continuation import Arrival, along, arrived, followed
from parakin.analysis.singularities.rays import BEFORE_LEG, directions_of
from parakin.analysis.singularities.singularity import (
    LIMITS,
    Kind,
    Moved,
    Singularity,
    gained_in_words,
    spinning_in_words,
)
from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.mechanism import numeric
from parakin.motions.offsets import displaced, offset_between
from parakin.robot import Robot

DIRECTIONS = 24
"""Random directions of rays, beside those along the axes."""
FARTHEST = 3.0
"""How far rays go, in lengths of the robot."""
SAMPLES = 24
"""Configurations on a ray."""
TRIED = 12
"""Configurations of a kind from which Newton's method starts: those nearest to singular, and as many of those that are
near to singular and to the start."""
FOLLOWED = 6
"""Singular configurations of a kind that are followed towards the start, the nearest first."""
WAYPOINTS = 24
"""Steps of the straight way to a singular pose, on which the branch is looked after."""
BEFORE = 1e-3
"""Share of that way by which it ends before the singular pose, where loops still determine the configuration."""
SAME_BRANCH = 1e-3
"""Largest distance, in sizes of the robot, of links at the singular pose from where that way leads."""
COMES_CLOSE = 0.1
"""Largest margin at the end of that way, beside the start's: at a leg of no length a way ends without coming close."""
ONE_POSE = 1e-3
"""Distance, in lengths of the robot, within which two poses are one."""
STANDS = 0.1
"""Share of the fastest body's motion below which the output stands still where a motion is gained."""
ON_AXIS = 1e-4
"""Sine between line and axis 1 below which what a constraint search finds is a universal joint's singularity."""


def nearest_in_graph(robot: Robot, start: Array, kinds: tuple[Kind, ...], seed: int) -> list[Singularity]:
    """Return the nearest constraint and universal singularities that are found from a pose, one of each kind."""
    chart = Chart(robot, start)
    conditions = [one for one in conditions_of(chart) if one.kind in kinds]
    first = _configuration(chart) if conditions else None
    if first is None:
        return []
    starts = _starts(chart, first, seed)
    found: list[Singularity] = []
    for kind in dict.fromkeys(one.kind for one in conditions):
        mine = [one for one in conditions if one.kind == kind]
        best = _nearest(chart, mine, first, starts)
        if best is not None:
            found.append(_described(chart, first, *best))
    return found


def _configuration(chart: Chart) -> Array | None:
    """The configuration of the start, led there from home; None if no straight way leads there."""
    robot = chart.robot
    back = chart.short(offset_between(robot.motion_type, chart.start, robot.home) * chart.metric)
    ways = along(chart, robot.graph.home_configuration, (back * np.linspace(1.0, 0.0, WAYPOINTS)[:, None])[None])
    return ways[0, -1] if np.isfinite(ways[0, -1]).all() else None


def _starts(chart: Chart, first: Array, seed: int) -> Array:
    """Configurations on rays, as far as loops close (N, c), the start itself first."""
    directions = directions_of(chart.robot.degrees_of_freedom, DIRECTIONS, seed)
    shares = FARTHEST * chart.robot.length * np.linspace(0.0, 1.0, SAMPLES + 1)[1:]
    rays = along(chart, first, directions[:, None] * shares[:, None]).reshape(-1, len(first))
    return np.concatenate([first[None], rays[np.isfinite(rays).all(axis=1)]])


Candidate = tuple[Condition, Arrival]
"""A singular configuration, and the condition that it meets."""


def _nearest(chart: Chart, conditions: list[Condition], first: Array, starts: Array) -> Candidate | None:
    """The nearest of one kind, with the condition that it meets."""
    margins = np.array([one.margins(starts) for one in conditions])
    if not np.isfinite(margins[:, 0]).any():  # nothing can be gained
        return None
    away = np.linalg.norm(chart.offsets(chart.at(starts)), axis=1) / (FARTHEST * chart.robot.length)
    usual = np.maximum(margins[:, :1], ONE_POSE)
    orders = [np.argsort(score, axis=None)[:TRIED].tolist() for score in (margins, margins / usual + away)]
    places = [divmod(int(place), len(starts)) for place in dict.fromkeys([*orders[0], *orders[1]])]
    tried = [(conditions[i], starts[k]) for i, k in places if np.isfinite(margins[i, k])]
    arrivals = [(condition, there) for condition, c in tried if (there := arrived(chart, condition, c)) is not None]
    counted = _each_once(chart, sorted(_counted(chart, first, arrivals), key=_distance))
    more = [(one, nearer) for one, there in counted[:FOLLOWED] for nearer in followed(chart, one, there)[1:]]
    return min([*counted[:1], *_counted(chart, first, more)], key=_distance, default=None)


def _each_once(chart: Chart, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates at poses that differ, the first at each."""
    kept: list[tuple[Candidate, Array]] = []
    for one in candidates:
        offset = chart.offsets(chart.at(one[1].configuration[None]))[0]
        if all(np.linalg.norm(offset - other) > ONE_POSE * chart.robot.length for _, other in kept):
            kept.append((one, offset))
    return [one for one, _ in kept]


def _distance(candidate: Candidate) -> float:
    return candidate[1].distance


def _counted(chart: Chart, first: Array, candidates: list[Candidate]) -> list[Candidate]:
    """Those to whose pose a straight way leads on the start's branch, and that are of their condition's own kind."""
    if not candidates:
        return []
    there = np.array([arrival.configuration for _, arrival in candidates])
    seen = chart.at(there)
    shares = np.array([*np.linspace(0.0, 1.0 - 2 * BEFORE, WAYPOINTS + 1)[1:], 1.0 - BEFORE])
    ends = along(chart, first, chart.offsets(seen)[:, None] * shares[:, None])[:, -2:]
    on_axis = (np.linalg.norm(seen.across, axis=-1) < ON_AXIS).any(axis=1)
    kept: list[Candidate] = []
    for candidate, before, c, axis in zip(candidates, ends, there, on_axis, strict=True):
        condition, arrival = candidate
        here = arrival.distance <= ONE_POSE * chart.robot.length
        led = np.isfinite(before).all() and _apart(chart, before, c) <= SAME_BRANCH
        if (isinstance(condition, AlongAxis) or not axis) and led:
            margin, usual = condition.margins(np.array([before[-1], first]))
            if here or margin <= COMES_CLOSE * usual:
                kept.append(candidate)
    return kept


def _apart(chart: Chart, before: Array, there: Array) -> float:
    """The largest distance of a link from where its last two places on a way lead, in sizes of the robot.

    before: the last two configurations (2, c), as far from each other as from the end of the way.
    """
    far, near, end = (numeric.posture(chart.tree, c).p for c in (*before, there))
    return float(np.max(np.abs(2 * near - far - end))) / chart.tree.size


def _described(chart: Chart, first: Array, condition: Condition, there: Arrival) -> Singularity:
    """What is gained at a singular configuration; first: that from which the search began."""
    robot, c = chart.robot, there.configuration
    pose = chart.poses(chart.at(c[None]))[0]
    if isinstance(condition, AlongAxis):
        moved, words = _spinning(chart, first, condition.number, c)
    else:
        velocities, count = condition.motion(c)
        moved = _largest(_parts(chart, c, velocities * chart.of_columns), chart.tree.size)
        words = gained_in_words(robot, moved, count, platform=not isinstance(condition, RankLost))
    away = offset_between(robot.motion_type, chart.start, pose)
    status = Status(int(robot.check(displaced(robot.motion_type, chart.start, (1 - BEFORE_LEG[-1]) * away))))
    return Singularity(
        condition.kind,
        pose,
        there.distance,
        robot.length,
        moved.name,
        np.zeros(robot.degrees_of_freedom),
        moved.twist,
        c,
        words,
        LIMITS.get(status, ""),
    )


def _parts(chart: Chart, configuration: Array, velocities: Array) -> dict[str, Moved]:
    """How the output, under no name, and all bodies move."""
    at, tree = numeric.posture(chart.tree, configuration), chart.tree
    places = {"": tree.output}
    places |= {body.name: place for body, place in zip(tree.description.bodies, tree.bodies, strict=True)}
    parts: dict[str, Moved] = {}
    for name, place in places.items():
        point, twist = at.frame(place)[0], at.twist(place) @ velocities
        parts[name] = Moved(name, point, np.concatenate([twist[:3] + np.cross(twist[3:], point), twist[3:]]))
    return parts


def _largest(parts: dict[str, Moved], size: float) -> Moved:
    """The output if it moves, else the body that moves most."""
    largest = max(parts.values(), key=lambda one: one.size(size))
    return parts[""] if parts[""].size(size) > STANDS * largest.size(size) else largest


def _spinning(chart: Chart, first: Array, number: int, configuration: Array) -> tuple[Moved, str]:
    """How the element of a universal joint spins whose line is along axis 1, and that in words.

    Axis 2 is where the straight way to this pose leads it: a rod that is computed as a distance has its spin from its
    line, which tells nothing at the pose itself.
    """
    joint, seen = chart.roots[number], chart.at(configuration[None])
    point, line, _ = np.split(seen.roots[0, number], 3)
    before = along(chart, first, (chart.offsets(seen) * np.linspace(0.0, 1.0 - BEFORE, WAYPOINTS + 1)[1:, None])[None])
    axis = chart.at(before[:, -1]).roots[0, number, 6:]
    name = f"{joint.leg}.{joint.element}"
    return Moved(name, point, np.concatenate([np.zeros(3), line])), spinning_in_words(joint, axis)
