"""Which strokes and joint limits a robot comes to at all: a search for the pose that is nearest to each of them.

Poses are drawn around home, wider where those inside come to the edge; from the best of them a limit is then climbed
towards, by steps at random that grow smaller, among poses that break no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.judging import Demands, Judge, judge_of
from parakin.arrays import Array, frozen_arrays
from parakin.motions.offsets import displaced
from parakin.robot import Robot
from parakin.robot.limits import Bounds

DRAWN = 8_000
"""Poses drawn in a round."""
ROUNDS = 5
"""Rounds of drawing at most, each wider where poses inside come to the edge."""
WIDER = 1.6
"""By how much a side grows that poses inside come to."""
EDGE = 0.9
"""Share of a side beyond which a pose has come to its edge."""
CLIMBS = 14
"""Steps towards a limit."""
AROUND = 200
"""Poses tried in a step."""
NEVER = 0.02
"""Share of a range within which a limit counts as reached."""


@dataclass(frozen=True)
class Unreached:
    """A limit that no pose was found to come to."""

    name: str
    """The actuator or joint."""
    end: str
    """"lower" or "upper"."""
    what: str
    """"stroke" or "limit"."""
    limit: float
    """The limit [m or rad]."""
    nearest: float
    """The value nearest to it that was found [m or rad]."""
    unit: str
    """Its unit."""

    def __str__(self) -> str:
        where = f"the {self.end} end of its {self.what}, {self.limit:.4g} {self.unit}"
        return f"{self.name} was not found to come to {where}: the nearest is {self.nearest:.4g} {self.unit}"


def unreached_limits(robot: Robot, seed: int = 0) -> tuple[Unreached, ...]:
    """Return the strokes and joint limits that a robot was not found to come to, inside all its other limits.

    >>> pk.analysis.unreached_limits(pk.load("five_bar"))
    ()
    """
    rng = np.random.default_rng(seed)
    judge = judge_of(robot, Demands(one_aspect=False))
    offsets, spans = _drawn(robot, judge, rng)
    if not len(offsets):
        return ()
    search = _Climb(robot, judge, offsets, spans, rng)
    return (*search.unreached(robot.strokes, 0, "stroke"), *search.unreached(robot.joint_limits, 1, "limit"))


def _drawn(robot: Robot, judge: Judge, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return offsets from home of poses inside (N, n), and how wide they were drawn (n,)."""
    low, high = np.minimum(robot.box[0], -1e-9), np.maximum(robot.box[1], 1e-9)
    found: list[Array] = [np.zeros((1, len(low)))]
    for _ in range(ROUNDS):
        offsets = rng.uniform(low, high, (DRAWN, len(low)))
        inside = offsets[judge(displaced(robot.motion_type, robot.home, offsets)) == 0]
        found.append(inside)
        if not len(inside):
            break
        below, above = (inside < EDGE * low).any(axis=0), (inside > EDGE * high).any(axis=0)
        if not (below.any() or above.any()):
            break
        low, high = np.where(below, WIDER * low, low), np.where(above, WIDER * high, high)
    return np.concatenate(found), high - low


@frozen_arrays(eq=True)
class _Climb:
    robot: Robot
    judge: Judge
    offsets: Array
    spans: Array
    rng: np.random.Generator

    def unreached(self, bounds: Bounds, which: int, what: str) -> Iterator[Unreached]:
        """Tell the limits of some values that climbing does not come to."""
        if not bounds.any:
            return
        values = self.values(self.offsets, which)
        least, most = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        for k, name in enumerate(bounds.names):
            low, high = float(bounds.lower[k]), float(bounds.upper[k])
            span = high - low if np.isfinite(high - low) else float(most[k] - least[k])
            for end, limit, sign in (("lower", low, -1.0), ("upper", high, 1.0)):
                if not np.isfinite(limit):
                    continue
                start = int(np.nanargmax(sign * values[:, k]))
                nearest = self.climbed(start, which, k, limit, NEVER * span)
                if abs(nearest - limit) > NEVER * span:
                    yield Unreached(name, end, what, limit, nearest, bounds.units[k])

    def values(self, offsets: Array, which: int) -> Array:
        """The values that strokes (0) or joint limits (1) bound, at offsets from home."""
        poses = displaced(self.robot.motion_type, self.robot.home, offsets)
        near = self.robot.led_from_home(poses).configuration if self.robot.searches_from_near else None
        return self.robot.limited_values(poses, near=near)[which]

    def climbed(self, start: int, which: int, k: int, limit: float, enough: float) -> float:
        """The value nearest to a limit that steps at random from a pose come to."""
        best = self.offsets[start]
        value = float(self.values(best[None], which)[0, k])
        for step in range(CLIMBS):
            if abs(value - limit) <= enough:
                break
            tried = best + self.rng.normal(size=(AROUND, len(best))) * self.spans * 0.3 * 0.75**step
            inside = tried[self.inside(tried)]
            if len(inside):
                values = self.values(inside, which)[:, k]
                nearest = int(np.nanargmin(np.abs(values - limit)))
                if abs(values[nearest] - limit) < abs(value - limit):
                    best, value = inside[nearest], float(values[nearest])
        return value

    def inside(self, offsets: Array) -> NDArray[np.bool_]:
        return np.asarray(self.judge(displaced(self.robot.motion_type, self.robot.home, offsets)) == 0)
