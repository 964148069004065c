"""Checks columns as a whole: dead, constant, equal, too coarse, without motion."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from parakin.identification.damage.kinds import Damage
from parakin.identification.damage.record import Record

FEWEST_ROWS = 50
"""Rows of a log, or states of a stretch, that there must be at least."""
COARSE = 1e-2
"""Smallest step of an encoder, as a part of its motion, that leaves no accelerations to speak of."""
RESTING = 3.0
"""Motion of an actuator, in quanta, up to which it is noise and no motion."""


def too_short(longest: int, least: int) -> Iterator[Damage]:
    """Report a log whose longest sound stretch has fewer rows than are needed."""
    if longest < least:
        message = f"the longest sound stretch has {longest} rows, {least} are needed: log longer, or raise the cut-off"
        yield Damage("too-short", None, None, None, float(longest), message)


def check_length(record: Record) -> Iterator[Damage]:
    """Report a log with fewer than FEWEST_ROWS rows."""
    yield from too_short(len(record.spool), FEWEST_ROWS)


def check_columns(record: Record) -> Iterator[Damage]:
    """Report columns that cannot be what they say: no motion, dead, coarse, constant, beyond the drive, or equal."""
    reach, headers = record.highest - record.lowest, record.source.headers
    resting = reach <= RESTING * record.quantum
    positions = range(record.q.start, record.q.stop)
    if all(resting[k] for k in positions):
        yield Damage("no-motion", None, None, None, float(reach[record.q].max()), "no actuator moves: nothing to learn")
        return
    for k in positions:
        if reach[k] == 0:
            message = (
                f"stays at {record.lowest[k]:.6g} all the time while others move: the encoder is dead or not logged"
            )
            yield Damage("dead-position", None, None, headers[k], float(record.lowest[k]), message)
        elif record.quantum[k] > COARSE * reach[k] and _counted(record, k):
            share = 100 * record.quantum[k] / reach[k]
            message = f"its smallest step is {record.quantum[k]:.4g}, {share:.2g} % of its motion"
            yield Damage("coarse-encoder", None, None, headers[k], float(record.quantum[k]), message)
    for k in range(record.tau.start, record.tau.stop):
        if reach[k] == 0:
            message = f"is {record.lowest[k]:.6g} all the time: no force was logged"
            yield Damage("constant-force", None, None, headers[k], float(record.lowest[k]), message)
    yield from _beyond(record)
    yield from _equal(record)


def _counted(record: Record, column: int) -> bool:
    """Tell whether values lie on a grid of the smallest step, or the motion was just never slower."""
    values = record.sampled()[:, column] / record.quantum[column]
    off = values - values[:1]
    return not np.count_nonzero(np.abs(off - np.rint(off)) > 0.01)


def _beyond(record: Record) -> Iterator[Damage]:
    """Report forces that are usually larger than their drives can give."""
    rows = record.sampled()
    usual = np.median(np.abs(rows[:, record.tau]), axis=0) if len(rows) else np.zeros(len(record.limits.force))
    for k, n in enumerate(range(record.tau.start, record.tau.stop)):
        if usual[k] > record.limits.force[k]:
            unit, limit = record.robot.actuator_units[k], record.limits.force[k]
            message = f"is usually {usual[k]:.4g} {unit} and its drive gives at most {limit:.4g} {unit}: check the unit"
            yield Damage("force-unit", None, None, record.source.headers[n], float(usual[k]), message)


def _equal(record: Record) -> Iterator[Damage]:
    """Report two positions, or two forces, with the same numbers throughout.

    Where positions and forces of two actuators are both equal, the motion is symmetric and nothing is wrong.
    """
    pairs = [
        (a, b)
        for part in (record.q, record.tau)
        for a, b in itertools.combinations(range(part.start, part.stop), 2)
        if record.highest[a] > record.lowest[a]
    ]
    for page in record.pages():
        pairs = [(a, b) for a, b in pairs if np.array_equal(page.rows[:, a], page.rows[:, b], equal_nan=True)]
    count = record.q.stop - record.q.start
    for a, b in pairs:
        shift = count if a < record.tau.start else -count
        if (a + shift, b + shift) in pairs:
            continue
        message = f"holds the same numbers as '{record.source.headers[a]}': one of them is not what it says"
        yield Damage("equal-columns", None, None, record.source.headers[b], None, message)
