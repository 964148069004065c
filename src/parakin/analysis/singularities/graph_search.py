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
from parakin.analysis.singularities.singularity import LIMITS, Kind, Singularity
from parakin.analysis.singularities.words import Moved, gained_in_words, spinning_in_words
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
TRIED = 16
"""Configurations of a kind from which Newton's method starts, those nearest to singular first."""
FOLLOWED = 6
"""Singular configurations of a kind that are followed towards the start, the nearest first."""
WAYPOINTS = 24
"""Steps of the straight way to a singular pose, on which the branch is looked after."""
BEFORE = 1e-3
"""Share of that way by which it ends before the singular pose, where loops still determine the configuration."""
SAME_BRANCH = 0.1
"""Largest distance, in sizes of the robot, between links at the end of that way and at the singular pose."""
COMES_CLOSE = 0.1
"""Largest margin at the end of that way, beside the start's: at a leg of no length a way ends without coming close."""
ONE_POSE = 1e-3
"""Distance, in lengths of the robot, within which two poses are one."""
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
            found.append(_described(chart, *best))
    return found


def _configuration(chart: Chart) -> Array | None:
    """The configuration of the start, led there from home; None if no straight way leads there."""
    robot = chart.robot
    back = offset_between(robot.motion_type, chart.start, robot.home) * chart.metric
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
    order = np.argsort(margins, axis=None)[:TRIED]
    tried = [
        (conditions[i], starts[k])
        for i, k in (divmod(int(place), len(starts)) for place in order)
        if np.isfinite(margins[i, k])
    ]
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
    shares = np.linspace(0.0, 1.0 - BEFORE, WAYPOINTS + 1)[1:]
    last = along(chart, first, chart.offsets(seen)[:, None] * shares[:, None])[:, -1]
    on_axis = (np.linalg.norm(seen.across, axis=-1) < ON_AXIS).any(axis=1)
    kept: list[Candidate] = []
    for candidate, before, c, axis in zip(candidates, last, there, on_axis, strict=True):
        condition, arrival = candidate
        here = arrival.distance <= ONE_POSE * chart.robot.length
        led = np.isfinite(before).all() and _apart(chart, before, c) <= SAME_BRANCH
        if (isinstance(condition, AlongAxis) or not axis) and led:
            margin, usual = condition.margins(np.array([before, first]))
            if here or margin <= COMES_CLOSE * usual:
                kept.append(candidate)
    return kept


def _apart(chart: Chart, one: Array, other: Array) -> float:
    """The largest distance between a link at two configurations, in sizes of the robot."""
    p, q = (numeric.posture(chart.tree, c).p for c in (one, other))
    return float(np.max(np.abs(p - q))) / chart.tree.size


def _described(chart: Chart, condition: Condition, there: Arrival) -> Singularity:
    """What is gained at a singular configuration."""
    robot, c = chart.robot, there.configuration
    pose = chart.poses(chart.at(c[None]))[0]
    moved = _moved(chart, condition, c)
    if isinstance(condition, AlongAxis):
        words = spinning_in_words(chart.roots[condition.number], moved)
    else:
        words = gained_in_words(robot, moved, platform=not isinstance(condition, RankLost))
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


def _moved(chart: Chart, condition: Condition, configuration: Array) -> Moved:
    """What moves where nothing holds it: the platform or output if it does, else the body that moves most."""
    velocities = condition.motion(configuration) * chart.of_columns
    at, tree = numeric.posture(chart.tree, configuration), chart.tree
    p, _ = at.frame(tree.output)
    places = {body.name: place for body, place in zip(tree.description.bodies, tree.bodies, strict=True)}
    bodies = [_at(at.frame(place)[0], at.twist(place) @ velocities, name) for name, place in places.items()]
    if isinstance(condition, AlongAxis):
        joint = chart.roots[condition.number]
        spinning = next(one for one in bodies if one.name == joint.body)
        return Moved(f"{joint.leg}.{joint.element}", spinning.point, spinning.twist)
    output = _at(p, at.twist(tree.output) @ velocities, "")
    largest = max(bodies, key=lambda one: one.size(tree.size))
    return output if output.size(tree.size) > SAME_BRANCH * largest.size(tree.size) else largest


def _at(point: Array, twist: Array, name: str) -> Moved:
    """A twist about the origin of the base as that of a point."""
    return Moved(name, point, np.concatenate([twist[:3] + np.cross(twist[3:], point), twist[3:]]))
