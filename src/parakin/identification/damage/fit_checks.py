"""Checks whether the positions belong to this robot.

Where few of them have a pose, the usual mistakes are tried, and named if one explains it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from parakin.arrays import Array
from parakin.identification.damage.kinds import Damage, Mark
from parakin.identification.damage.record import SAMPLED_ROWS, Flaw, Page, Record, marks
from parakin.identification.logs.pose_tracking import PoseTracker
from parakin.kinematics.status import Status
from parakin.robot import Robot
from parakin.robot.limits import strokes as actuator_strokes
from parakin.units import DEGREE, LENGTH

FEWEST_WITH_POSE = 0.5
"""Share of the sampled rows with a pose below which something is wrong with the positions of the whole log."""
MOST_WITH_POSE = 0.95
"""Share of the sampled rows with a pose from which a mistake, once put right, explains what was wrong."""
TINY_MOTION = 0.025
"""Motion of the actuators, as a part of what the robot's box takes, below which their unit is wrong."""
FAR_POSE = 0.05
"""Distance of a measured pose from that of the actuators beyond which it is not of this robot, in robot lengths."""


def check_fit(record: Record) -> Iterator[Damage]:
    """Report positions most of which have no pose, with the mistake that explains it if there is one."""
    q = record.sampled()[:, record.q]
    share = _share(record, q)
    if share >= FEWEST_WITH_POSE:
        yield from _tiny(record)
        return
    misfit = f"{100 * (1 - share):.0f} % of the positions have no pose"
    for kind, columns, changed, remedy in _mistakes(record, q):
        if _share(record, changed) >= MOST_WITH_POSE:
            headers = " and ".join(record.source.headers[k] for k in columns) if len(columns) < 3 else None
            yield Damage(kind, None, None, headers, share, f"{misfit}; {remedy}")
            return
    message = f"{misfit}, and no usual mistake explains it: wrong robot file, zero offsets or assembly?"
    yield Damage("wrong-robot", None, None, None, share, message)


def _share(record: Record, q: Array) -> float:
    """Share of the positions that have a pose and are inside the strokes."""
    if not len(q):
        return 1.0
    robot = record.robot
    strokes, home = actuator_strokes(robot), robot.configuration(robot.home)
    status = robot.poses_with(q, np.broadcast_to(home, (len(q), len(home)))).status
    inside = np.all((q >= strokes.lower) & (q <= strokes.upper), axis=1)
    return np.count_nonzero((status == int(Status.GOOD)) & inside) / len(q)


def _tiny(record: Record) -> Iterator[Damage]:
    """Report positions that hardly move, beside what the robot's box takes: they are in a larger unit than they say."""
    q: Array = record.robot.inverse_kinematics(record.robot.sample(SAMPLED_ROWS))
    box = np.nanmax(q, axis=0) - np.nanmin(q, axis=0)
    share = float(np.max((record.highest - record.lowest)[record.q] / box))
    if share < TINY_MOTION:
        kind, units = ("length-unit", "m, not mm") if all(record.limits.lengths) else ("angle-unit", "rad, not deg")
        message = f"all move less than {100 * share:.2g} % of what the robot's box takes: are they in {units}?"
        yield Damage(kind, None, None, None, share, message)


def _mistakes(record: Record, q: Array) -> Iterator[tuple[str, list[int], Array, str]]:
    """Each usual mistake: kind of damage, columns, the positions with it put right, and the remedy."""
    lengths = np.array(record.limits.lengths)
    every = list(range(record.q.start, record.q.stop))
    if not lengths.all():
        yield "angle-unit", every, np.where(lengths, q, q * DEGREE), "they fit as degrees: give the unit deg"
    if lengths.any():
        yield "length-unit", every, np.where(lengths, q * 1e-3, q), "they fit as millimetres: give the unit mm"
    yield "position-sign", every, -q, "they fit with all signs turned: set sign = -1, or the actuators' sign"
    for k in range(q.shape[1]):
        turned = q.copy()
        turned[:, k] *= -1
        yield "position-sign", [every[k]], turned, "they fit with this sign turned: set sign = -1"
    for a, b in itertools.combinations(range(q.shape[1]), 2):
        swapped = q.copy()
        swapped[:, [a, b]] = q[:, [b, a]]
        yield "swapped-positions", [every[a], every[b]], swapped, "they fit with these two columns exchanged"


def check_poses(record: Record, page: Page, tracker: PoseTracker) -> Iterator[Mark]:
    """Mark rows without a pose near the last one, rows at or beyond a singularity, and measured poses far off."""
    q = page.rows[:, record.q]
    finite = np.isfinite(q).all(axis=1)
    pose, status = np.full((len(q), len(record.robot.home)), np.nan), np.zeros(len(q), np.int32)
    if finite.any():
        _, pose[finite], status[finite] = tracker.track(q[finite])
    unreachable = (status == int(Status.UNREACHABLE)) | (status == int(Status.NOT_CONVERGED))
    nothing = np.zeros(len(q))
    yield from marks(page, Flaw("outside-workspace", None, "no pose has these positions"), unreachable, nothing)
    singular = status == int(Status.SINGULAR)
    yield from marks(page, Flaw("singular", None, "at a singularity, or on its other side"), singular, nothing)
    where = record.source.part("pose")
    if where.stop > where.start:
        weights = _distance_weights(record.robot)
        with np.errstate(invalid="ignore"):
            off = np.linalg.norm((page.rows[:, where] - pose) * weights, axis=1)
            far = off > FAR_POSE * record.robot.length
        message = "measured {value:.4g} m from where the actuators put it"
        yield from marks(page, Flaw("pose-mismatch", where.start, message), far, off)


def _distance_weights(robot: Robot) -> Array:
    """Weights of a pose's numbers in a distance [m]: positions count and orientations do not; angles of joints do."""
    kind = robot.motion_type
    if kind.of_joints:
        return np.array(kind.scale(robot.length))
    return np.array([float(unit == LENGTH.position) for unit in kind.units])
