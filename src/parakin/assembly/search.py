"""Assembly modes by search: forward kinematics from many random starts, each result kept once.

Unlike `assembly_modes`, which solves the equations of a robot completely, this finds what its starts happen to lead to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.assembling import closing_rows
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import Skeleton
from parakin.motions import MotionType

SAME_MODE = 1e-6
"""Largest distance of two results that are one [rad, and lengths in sizes of the robot]: searches end at 1e-9."""
FARTHEST_SLIDE = 1.0
"""How far from home the passive slides of random starts are, in sizes of the mechanism."""
LARGEST_OPENING = 1e-3
"""How far any row may be open [rad, and lengths in sizes], those that are redundant around home included: far more than
what rounded dimensions of a file leave, far less than the next assembly."""
LARGER_BOX = 4.0
"""How much wider than the robot's box the places of random starting poses are."""


@frozen_arrays
class SomeAssemblyModes:
    """Assembly modes that a search from many starts found: there may be more. `print` it for a sentence."""

    poses: Array
    """(..., K, coordinates) poses with the given actuator positions, NaN beyond `count`; the nearest to home first."""
    configurations: Array
    """(..., K, c) what other methods take as `near` to stay on a mode; of a robot of legs the poses themselves."""
    residuals: Array
    """(..., K) how far the loops of a mechanism, or the actuators of a robot of legs, are from right [m, rad]."""
    hits: NDArray[np.int64]
    """(..., K) how many starts led there: modes that few starts find are a sign that others were missed."""
    count: NDArray[np.int64]
    """(...) how many were found: all that there are, or fewer."""
    starts: int
    """From how many random starts each was searched, home apart."""

    def __str__(self) -> str:
        counts = self.count.ravel().tolist() or [0]
        number = f"{max(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        return f"{number} assembly modes found from {self.starts} random starts; the list may not be complete"


@frozen_arrays
class Arrivals:
    """Where searches for one set of actuator positions ended; those that failed are left out."""

    configurations: Array
    """(N, c) what they found."""
    poses: Array
    """(N, coordinates) the poses there."""
    residuals: Array
    """(N,) what is left to close [m, rad]."""
    places: Array
    """(N, numbers) vectors that are near each other where the robot stands alike, whatever its coordinates count."""
    home: Array
    """(numbers,) that of home."""
    hits: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """(N,) how many searches ended there, where equal ones have been put together."""

    def where(self, wanted: Callable[[Array], bool]) -> Arrivals:
        """Return those whose configurations are wanted."""
        return self._rows(np.array([k for k, one in enumerate(self.configurations) if wanted(one)], int), self.hits)

    def _rows(self, rows: NDArray[np.int64], hits: NDArray[np.int64]) -> Arrivals:
        return Arrivals(
            self.configurations[rows], self.poses[rows], self.residuals[rows], self.places[rows], self.home, hits[rows]
        )

    def once(self) -> Arrivals:
        """Return each result once, that with the least residual, nearest to home first, and how often it was found."""
        order = np.argsort(self.residuals, kind="stable")
        chosen: list[int] = []
        hits = np.zeros(len(order), np.int64)
        for k in order.tolist():
            away = np.max(np.abs(self.places[chosen] - self.places[k]), axis=-1, initial=0.0)
            same = np.flatnonzero(away < SAME_MODE)
            if not same.size:
                chosen.append(k)
            hits[chosen[int(same[0])] if same.size else k] += 1
        distances = np.linalg.norm(self.places[chosen] - self.home, axis=-1)
        return self._rows(np.array(chosen, np.int64)[np.argsort(distances, kind="stable")], hits)


def gathered(arrivals: list[Arrivals], shape: tuple[int, ...], starts: int) -> SomeAssemblyModes:
    """Return distinct results for sets of actuator positions, listed row by row of an array of this shape."""
    most = max(len(found.hits) for found in arrivals)

    def filled(rows: list[Array]) -> Array:
        table = np.full((len(rows), most, *rows[0].shape[1:]), np.nan)
        for k, row in enumerate(rows):
            table[k, : len(row)] = row
        return table.reshape(*shape, *table.shape[1:])

    hits = np.zeros((len(arrivals), most), np.int64)
    for k, found in enumerate(arrivals):
        hits[k, : len(found.hits)] = found.hits
    return SomeAssemblyModes(
        filled([found.poses for found in arrivals]),
        filled([found.configurations for found in arrivals]),
        filled([found.residuals for found in arrivals]),
        hits.reshape(*shape, most),
        np.array([len(found.hits) for found in arrivals], np.int64).reshape(shape),
        starts,
    )


# What a random start is, and when two results are one ---------------------------------------------------------------


def random_configurations(skeleton: Skeleton, home: Array, count: int, seed: int) -> Array:
    """Draw configurations (count, c) whose loops are open: any angle, any turn of a ball, slides about home's."""
    rng = np.random.default_rng(seed)
    columns: list[Array] = []
    for move, k in _moves(skeleton):
        if move is Move.BALL:
            quaternion = rng.normal(size=(count, 4))
            columns.append(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True))
        elif move is Move.SLIDE:
            columns.append(home[k] + FARTHEST_SLIDE * skeleton.size * rng.uniform(-1, 1, (count, 1)))
        else:
            columns.append(home[k] + rng.uniform(-np.pi, np.pi, (count, 1)))
    return np.concatenate(columns, axis=1)


def assembled(skeleton: Skeleton, configuration: Array) -> bool:
    """Tell whether a configuration, whose imposed rows are closed, is one that the joints can have.

    A search that starts far from home can close the imposed rows with a joint put in backwards, whose axes are along
    one line but point against each other, or where rows that are redundant around home say something else.
    """
    rows, _ = closing_rows(skeleton, configuration)
    return bool(np.max(np.abs(rows), initial=0.0) <= LARGEST_OPENING)


def random_poses(motion: MotionType, home: Array, box: tuple[Array, Array], count: int, seed: int) -> Array:
    """Draw poses (count, coordinates) from a box wider than the robot's, turned in any way that the platform can."""
    rng, lengths = np.random.default_rng(seed), len(motion.linear)
    wide = home[:lengths] + LARGER_BOX * rng.uniform(box[0][:lengths], box[1][:lengths], (count, lengths))
    if motion.quaternion is not None:
        quaternion = rng.normal(size=(count, 4))
        return np.concatenate([wide, quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)], axis=1)
    angles = home[lengths:] + rng.uniform(-np.pi, np.pi, (count, len(motion.angular)))
    return np.concatenate([wide, angles], axis=1)


def comparable_poses(motion: MotionType, length: float, poses: Array) -> Array:
    """Return vectors that are equal where platforms stand alike: lengths in that of the robot, directions of angles."""
    lengths = len(motion.linear)
    columns = [poses[:, :lengths] / length]
    if motion.quaternion is not None:
        columns.append(_without_sign(poses[:, motion.quaternion]))
    elif motion.turns:
        columns += [np.cos(poses[:, lengths:]), np.sin(poses[:, lengths:])]
    return np.concatenate(columns, axis=1)


def _without_sign(quaternions: Array) -> Array:
    """Return q q^T as rows of ten numbers: a quaternion and its negative are the same rotation."""
    row, column = np.triu_indices(4)
    return quaternions[:, row] * quaternions[:, column]


def _moves(skeleton: Skeleton) -> list[tuple[Move, int]]:
    """Return every move of the tree's joints with the place of its coordinate."""
    found: list[tuple[Move, int]] = []
    for link in skeleton.links:
        k = link.coordinate
        for move, _ in link.joint.kind.moves:
            found.append((move, k))
            k += 4 if move is Move.BALL else 1
    return found
