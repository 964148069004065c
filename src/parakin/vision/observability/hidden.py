"""Motions that cameras cannot see over a robot's box, and singular surfaces of what they see, each with one pose on it.

Poses are drawn from the box. Where rows are square, a surface on which a motion is lost lies between poses whose
determinants have different signs: a bisection on the way between two of them leads to it. Where all signs are alike,
descents from the poses with the smallest margins try to cross to the other sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import VisionError
from parakin.motions.offsets import displaced
from parakin.vision.observability.information import Observable, motion_words
from parakin.vision.observability.views import RANK, Views, chosen_rods, observed_rows, views_at
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import rod_lines

SAMPLES = 2000
"""Poses drawn from the box where nothing else is asked for."""
BISECTIONS = 60
"""Halvings of the way between two poses: down to rounding."""
ON_SURFACE = 1e-7
"""Largest margin of a pose that lies on a singular surface: what bisection in doubles leaves."""
TRIED_PAIRS = 20
"""Pairs of poses of different signs between which a surface is searched for, should some ways lead out of reach."""
DESCENTS, DESCENT_STEPS, DESCENT_TRIES = 8, 20, 40
"""Poses of small margins from which a surface is searched for where all samples have one sign; steps of such a
descent, and poses tried in each."""
SQUARED_ROUNDING = 1e-14
"""What rounding leaves of eigenvalues of squared rows, beside the largest."""


@frozen_arrays
class UnseenPose:
    """A pose at which a motion is not seen, or is seen least.

    >>> pk.vision.visibility(rig, observe="directions", rods=["first1.*"], count=50).worst.words.split(" ")[0]
    'turn'
    """

    pose: Array
    """The pose (coordinates,)."""
    margin: float
    """Its margin: see `Views.margin`."""
    motion: Array
    """The motion that is lost (n,): a displacement [m, rad]."""
    words: str
    """That motion in words; all of them where several are lost."""


@frozen_arrays
class Visibility:
    """What the chosen observations show of a platform's motion over the robot's box.

    >>> arms = pk.vision.rig_of(robot, camera, "*.arm", radius=0.02)
    >>> found = pk.vision.visibility(arms, observe="directions", count=200)
    >>> found.rank, found.degrees_of_freedom
    (4, 4)
    """

    rods: tuple[str, ...]
    """The rods that were observed."""
    observe: Observable
    """Whether contours or directions were."""
    degrees_of_freedom: int
    """How many motions the platform has."""
    poses: Array
    """Poses of the box that were looked at (samples, coordinates)."""
    views: Views
    """What is seen at each of them: the map."""
    rank: int
    """How many motions are seen at most poses."""
    unseen: str
    """Motions that are seen nowhere in the box, in words; empty where every motion is seen somewhere."""
    singular: UnseenPose | None
    """A pose on a singular surface inside the box; None where none was found."""
    worst: UnseenPose
    """The pose among those looked at where the least is seen."""


def visibility(
    rig: Rig,
    *,
    observe: Observable = "contours",
    rods: Sequence[str] | None = None,
    count: int = SAMPLES,
    seed: int = 0,
) -> Visibility:
    """Return which motions observations of some rods determine over a robot's box.

    observe: "contours" or "directions"; rods: names or patterns of those that count, all by default; count: poses drawn
    from the box.

    >>> hexaglide = pk.load("hexaglide")
    >>> bars = pk.vision.rig_of(hexaglide, camera, "*.bar", radius=0.01)
    >>> pk.vision.visibility(bars, observe="directions", count=200).unseen
    'move along x'
    """
    robot, n = rig.robot, rig.robot.degrees_of_freedom
    offsets = np.random.default_rng(seed).uniform(*robot.box, (count, n))
    poses = displaced(robot.motion_type, robot.home, offsets)
    views = views_at(rig, poses, observe=observe, rods=rods)
    reached = np.flatnonzero(views.rank >= 0)
    if not len(reached):
        raise VisionError(robot.name, "box", f"must have poses that can be reached, but none of {count} is")
    look = _Look(rig, observe, tuple(chosen_rods(rig, rods)))
    hidden = look.hidden(poses[reached])
    signs = views.signed and not hidden.shape[1]
    return Visibility(
        rods=tuple(rig.rod_names[k] for k in look.rods),
        observe=observe,
        degrees_of_freedom=n,
        poses=poses,
        views=views,
        rank=int(np.median(views.rank[reached])),
        unseen=motion_words(robot, robot.home, hidden) if hidden.shape[1] else "",
        singular=look.surface(offsets[reached], views.margin[reached]) if signs else None,
        worst=look.at(poses[reached[int(np.argmin(np.abs(views.margin[reached])))]]),
    )


@dataclass(frozen=True)
class _Look:
    """What is observed, and the searches for poses at which too little is."""

    rig: Rig
    observe: Observable
    rods: tuple[int, ...]

    def at(self, pose: Array) -> UnseenPose:
        """Return the motion that is seen least at a pose; its words name all that are lost where there are several."""
        robot = self.rig.robot
        names = [self.rig.rod_names[k] for k in self.rods]
        views = views_at(self.rig, pose, observe=self.observe, rods=names)
        motion = views.weakest / np.array(robot.motion_type.scale(robot.length))
        lost = self.hidden(pose[None])
        words = motion_words(robot, pose, lost if lost.shape[1] > 1 else views.weakest[:, None])
        return UnseenPose(pose, float(views.margin), motion, words)

    def hidden(self, poses: Array) -> Array:
        """Return a basis (n, hidden) of the motions that are seen at none of some poses, rotations at the length."""
        robot = self.rig.robot
        rows = observed_rows(self.rig, rod_lines(self.rig, poses), self.observe, self.rods)
        scaled = rows / np.array(robot.motion_type.scale(robot.length))
        values, vectors = np.linalg.eigh(np.einsum("pri,prj->ij", scaled, scaled) / len(poses))
        return vectors[:, values <= RANK**2 * values[-1] + SQUARED_ROUNDING * values[-1]]

    def margins(self, offsets: Array) -> Array:
        """Return the signed margins at offsets from home (..., n); NaN out of reach."""
        robot = self.rig.robot
        poses = displaced(robot.motion_type, robot.home, offsets)
        names = [self.rig.rod_names[k] for k in self.rods]
        return views_at(self.rig, poses, observe=self.observe, rods=names).margin

    def surface(self, offsets: Array, margins: Array) -> UnseenPose | None:
        """Return a pose of the box at which the determinant changes its sign; None where none was found."""
        positive, negative = offsets[margins > 0], offsets[margins < 0]
        if not (len(positive) and len(negative)):
            crossed = self._crossing(offsets, margins)
            if crossed is None:
                return None
            positive, negative = crossed
        # From every pose of the rarer sign to the nearest of the other: what lies between is seldom out of reach.
        few, many = (positive, negative) if len(positive) < len(negative) else (negative, positive)
        span = np.maximum(self.rig.robot.box[1] - self.rig.robot.box[0], np.finfo(float).tiny)
        for one in few[:TRIED_PAIRS]:
            other = many[int(np.argmin(np.sum(((many - one) / span) ** 2, axis=1)))]
            found = self._between(one, other)
            if found is not None:
                return found
        return None

    def _between(self, one: Array, other: Array) -> UnseenPose | None:
        """Return the singular pose on the way between two of different signs; None where the way is out of reach."""
        sign = np.sign(self.margins(one[None])[0])
        for _ in range(BISECTIONS):
            middle = 0.5 * (one + other)
            margin = self.margins(middle[None])[0]
            if np.isnan(margin):
                return None
            one, other = (middle, other) if np.sign(margin) == sign else (one, middle)
        found = self.at(displaced(self.rig.robot.motion_type, self.rig.robot.home, one))
        return found if abs(found.margin) < ON_SURFACE else None

    def _crossing(self, offsets: Array, margins: Array) -> tuple[Array, Array] | None:
        """Return offsets of both signs, found by descents from small margins inside the box; None where none are."""
        low, high = self.rig.robot.box
        sign = float(np.sign(margins[0]))
        best = offsets[np.argsort(np.abs(margins))[:DESCENTS]]
        values = sign * self.margins(best)
        rng = np.random.default_rng(0)
        for step in range(DESCENT_STEPS):
            away = rng.normal(size=(DESCENT_TRIES, *best.shape)) * (high - low) * 0.2 * 0.8**step
            tried = np.clip(best + away, low, high)
            margin = sign * self.margins(tried)
            if np.any(margin < 0):
                place = np.unravel_index(int(np.nanargmin(margin)), margin.shape)
                return (tried[place][None], offsets) if sign < 0 else (offsets, tried[place][None])
            least = np.nanargmin(np.where(np.isnan(margin), np.inf, margin), axis=0)
            own = np.arange(len(best))
            better = margin[least, own] < values
            best = np.where(better[:, None], tried[least, own], best)
            values = np.where(better, margin[least, own], values)
        return None
