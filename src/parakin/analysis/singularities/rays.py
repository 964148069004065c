"""Singularities of types 1 and 2, and of a mechanism's loops, on straight ways from a pose.

Rays leave the pose in many directions and are followed until det A changes its sign (type 2), or a leg or loop opens
(type 1: it is stretched or folded there); the crossing is found by bisection. From the nearest crossings the surface
is then followed towards the pose: the foot of the perpendicular onto its tangent plane gives the next direction, whose
ray is followed anew. Every crossing is a singularity, so the shortest ray is an upper bound, and never an estimate.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.singularities.measures import platform_margin, scaled
from parakin.analysis.singularities.singularity import LIMITS, Singularity, in_words
from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.motions.offsets import displaced, in_space
from parakin.robot import Robot

Flags = NDArray[np.bool_]
"""One flag for each pose."""
Ended = Literal["type 1", "type 2", "loops"]
"""What can end a ray."""
DIRECTIONS = 96
"""Random directions of the first rays, beside those along the axes."""
FARTHEST = 4.0
"""How far rays go, in lengths of the robot."""
SAMPLES = 240
"""Poses on a ray at which it is looked at."""
BISECTIONS = 44
"""Halvings of a step of a ray: to the last digits of its length."""
FOLLOWED = 6
"""Crossings from which the surface is followed."""
ROUNDS = 12
"""Steps along the surface at most."""
TRIALS = (1.0, 0.5, 0.2, 0.05)
"""Shares of the way to the foot of the perpendicular that are tried in a step."""
BEYOND = 1e-9
"""Share of a ray by which a pose is taken beyond its crossing, to see what has changed."""
BEFORE_PLATFORM = 1e-7
"""Share of a ray by which J_qv is taken before a crossing of type 2, where it still has its rank."""
BEFORE_LEG = (1e-6, 1e-5, 1e-4, 1e-3)
"""The same before a leg is stretched, the first at which its rates are known: they grow beyond all bounds, and only
their direction counts."""
DIFFERENCE = 1e-5
"""Length of the differences that give a surface's normal, in lengths of the robot."""


def directions_of(n: int, count: int, seed: int) -> Array:
    """Return unit directions of rays: along the axes of n coordinates, and at random."""
    axes = np.concatenate([np.eye(n), -np.eye(n), np.random.default_rng(seed).normal(size=(count, n))])
    return axes / np.linalg.norm(axes, axis=1, keepdims=True)


def nearest_on_rays(robot: Robot, start: Array, kind: Ended, seed: int) -> Singularity | None:
    """Return the nearest singularity of a kind that rays and continuation find from a pose; None if none is."""
    rays = _Rays(robot, start, kind)
    directions = directions_of(robot.degrees_of_freedom, DIRECTIONS, seed)
    reaches = rays.reaches(directions)
    order = np.argsort(reaches)[:FOLLOWED]
    best = min((_followed(rays, directions[k], float(reaches[k])) for k in order), key=lambda pair: pair[1])
    return rays.described(*best) if np.isfinite(best[1]) else None


class _Rays:
    """Straight ways from a pose to singularities of a kind, in offsets whose rotations count at the robot's length."""

    def __init__(self, robot: Robot, start: Array, kind: Ended) -> None:
        self.robot, self.start = robot, start
        self.kind: Ended = kind
        self.scale = np.array(robot.motion_type.scale(1 / robot.length))
        self.farthest = FARTHEST * robot.length
        margin = platform_margin(scaled(robot, start[None]))[0]
        self.side = 1.0 if not margin < 0 else -1.0

    def poses(self, offsets: Array) -> Array:
        return displaced(self.robot.motion_type, self.start, offsets * self.scale)

    def looked_at(self, offsets: Array) -> tuple[Flags, Flags]:
        """Whether poses (N,) are closed, and whether they are on this side of every singularity of type 2.

        Just before a leg is stretched its rates are not known any more; such a pose is still closed, and on this side.
        """
        poses = self.poses(offsets)
        margin = platform_margin(scaled(self.robot, poses))
        if self.robot.legs:
            excess = self.robot.evaluate("inverse_kinematics", pose=poses).excess
            closed = np.asarray((excess <= 0).all(axis=-1))
        else:
            closed = np.asarray(~np.isnan(margin))
        with np.errstate(invalid="ignore"):
            return closed, ~(self.side * margin <= 0)

    def before(self, offsets: Array) -> Flags:
        """Whether poses (N,) are before any singularity of the kind that is looked for."""
        closed, side = self.looked_at(offsets)
        return closed & side if self.kind == "type 2" else closed

    def reaches(self, directions: Array) -> Array:
        """How far rays (N, n) go until they cross a singularity (N,); infinite where they do not."""
        shares: Array = np.linspace(0.0, self.farthest, SAMPLES + 1)[1:]
        offsets = directions[:, None, :] * shares[:, None]
        closed, side = (
            flags.reshape(len(directions), SAMPLES)
            for flags in self.looked_at(offsets.reshape(-1, directions.shape[1]))
        )
        good = closed & side if self.kind == "type 2" else closed
        first = np.argmin(good, axis=1)
        sought = ~good.all(axis=1)
        high: Array = shares[first]
        low: Array = high - shares[0]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            inside = self.before(directions * middle[:, None])
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        if self.kind == "type 2":  # what opens before det A changes its sign has another kind
            sought &= self.looked_at(directions * (low * (1 + BEYOND))[:, None])[0]
        return np.where(sought, low, np.inf)

    def opened(self, offset: Array) -> str:
        """The leg that opens just beyond a crossing; empty for a mechanism."""
        if not self.robot.legs:
            return ""
        excess = self.robot.evaluate("inverse_kinematics", pose=self.poses(offset[None] * (1 + BEYOND))).excess[0]
        return self.robot.legs[int(np.argmax(excess))].name

    def normal(self, offset: Array) -> Array:
        """The normal of the surface that a ray crosses at an offset (n,), in scaled offsets; zeros if it has none."""
        h, n = DIFFERENCE * self.robot.length, len(offset)
        steps = h * np.concatenate([np.eye(n), -np.eye(n)])
        if self.kind == "type 1":
            k = [one.name for one in self.robot.legs].index(self.opened(offset))
            values = self.robot.evaluate("inverse_kinematics", pose=self.poses(offset + steps)).excess[:, k]
        else:
            back = offset * (1 - 4 * h / np.linalg.norm(offset))
            values = platform_margin(scaled(self.robot, self.poses(back + steps)))
        gradient = (values[:n] - values[n:]) / (2 * h)
        size = float(np.linalg.norm(gradient))
        return gradient / size if np.isfinite(size) and size > 0 else np.zeros(n)

    def lost(self, leg: str, J: Array, offset: Array) -> Array:
        """The motion that a leg ends, of unit length: the one that its motors' rates grow most with.

        A leg without a motor has no rates; the motion is then across the surface that it ends at.
        """
        rows = J[[k for k, name in enumerate(self.robot.actuator_names) if name.startswith(f"{leg}.")]]
        if not len(rows):
            return self.normal(offset)
        most = rows[int(np.argmax(np.linalg.norm(rows, axis=1)))]
        motion = np.linalg.svd(rows)[2][0]
        return motion * np.copysign(1.0, motion @ most)

    def described(self, direction: Array, reach: float) -> Singularity:
        """What is lost where a ray ends."""
        robot, offset = self.robot, direction * reach
        leg = self.opened(offset) if self.kind == "type 1" else ""
        shares = np.array((BEFORE_PLATFORM,) if self.kind == "type 2" else BEFORE_LEG)
        before = scaled(robot, self.poses(offset * (1 - shares[:, None])))
        J = next((one for one in before if np.isfinite(one).all()), np.nan_to_num(before[-1]))
        motion = self.lost(leg, J, offset) if leg else np.linalg.svd(J)[2][-1]
        pose, velocity = self.poses(offset), motion * self.scale
        status = Status(int(robot.check(self.poses(offset * (1 - BEFORE_LEG[-1])))))
        words = in_words(robot, pose, velocity, self.kind, leg)
        twist = np.zeros(6) if robot.motion_type.of_joints else in_space(robot.motion_type, velocity)
        limit = LIMITS.get(status, "")
        return Singularity(self.kind, pose, reach, robot.length, leg, velocity, twist, np.zeros(0), words, limit)


def _followed(rays: _Rays, direction: Array, reach: float) -> tuple[Array, float]:
    """Follow the surface from where a ray crosses it towards the start, and return the shortest ray on the way."""
    for _ in range(ROUNDS):
        if not np.isfinite(reach):
            break
        normal = rays.normal(direction * reach)
        if not normal.any():
            break
        foot = normal * np.sign(normal @ direction)
        trials = np.array([direction + share * (foot - direction) for share in TRIALS])
        trials /= np.linalg.norm(trials, axis=1, keepdims=True)
        found = rays.reaches(trials)
        k = int(np.argmin(found))
        if not found[k] < reach * (1 - 1e-9):
            break
        direction, reach = trials[k], float(found[k])
    return direction, reach
