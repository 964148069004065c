"""What is singular about configurations of a robot's graph, as conditions that vanish there, with their slopes.

    gained platform:   J v = 0, pose rates of v = 0, and v moves the platform        [Zlatanov2002]: constraint
    lost rank:         J loses rank: something moves while the pose stands still     constraint, of mechanisms
    universal joint:   x cross a = 0, the line of an element along axis 1 of its root joint

J are the closing conditions of all joints. A matrix M(c) has one more null vector v where L^T M(c) v = 0, with L an
orthonormal basis of what M leaves out when v may vary, so that the slope of the condition is L^T dM v. Redundant rows
and idle freedoms do no harm: they are in L and in null vectors at every configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parakin.analysis.singularities.chart import Chart, Seen, slopes
from parakin.analysis.singularities.singularity import Kind
from parakin.arrays import Array
from parakin.mechanism.assembling import null_space

RANK = 1e-7
"""Singular values, beside the largest, that count towards the rank of conditions."""
FREE = 1e-6
"""Singular values, beside the largest, of what is free at a singular configuration: it is found to 1e-9."""
NOTHING = 1e-9
"""Largest rate of a platform, free of units, that is rounding."""


def complement(A: Array) -> Array:
    """Return an orthonormal basis (m, m - rank) of what the columns of A (m, n) do not span."""
    U, sizes, _ = np.linalg.svd(A)
    return U[:, int(np.sum(sizes > RANK * sizes[:1].sum())) :]


@dataclass(frozen=True)
class PlatformGains:
    """The joints of a robot of legs let its platform do what is not its motion."""

    chart: Chart
    """The graph."""
    kind: ClassVar[Kind] = "constraint"
    """The kind of singularity."""

    def _matrices(self, seen: Seen) -> tuple[Array, Array]:
        """What must stand still (N, rows, v), and what the platform gains (N, gained, v)."""
        _, gained = self.chart.off_motion(seen)
        return np.concatenate([seen.J, self.chart.pose_rates(seen) / self.chart.tree.size], axis=1), gained

    @property
    def possible(self) -> bool:
        """Whether there is anything to gain: a platform that moves in all ways has nothing."""
        return self.chart.robot.degrees_of_freedom < (3 if self.chart.pin else 6)

    def margins(self, configurations: Array, /) -> Array:
        """Return the least residual of the conditions for a unit gain of the platform."""
        still, gained = self._matrices(self.chart.at(configurations))
        return np.array([_gain(M, F)[0] for M, F in zip(still, gained, strict=True)])

    def linearised(self, configuration: Array, /) -> tuple[Array, Array]:
        """Return L^T M v for the motion v that comes nearest to being free, and its slopes."""
        still, gained = self._matrices(self.chart.at(configuration[None]))
        M, F = still[0], gained[0]
        _, t, v = _gain(M, F)
        L = complement(M @ null_space((t @ F)[None], RANK * float(np.linalg.norm(t @ F))))
        ahead, _ = self._matrices(self.chart.at(self.chart.around(configuration)))
        v = v / np.linalg.norm(v)
        return L.T @ M @ v, slopes(ahead @ v @ L)

    def motion(self, configuration: Array, /) -> tuple[Array, int]:
        """Return the motion of the graph in which the platform gains most, and how many there are."""
        still, gained = self._matrices(self.chart.at(configuration[None]))
        v = _gain(still[0], gained[0])[2]
        free = null_space(still[0], FREE * float(np.linalg.norm(still[0], 2)))
        count = int(np.sum(np.linalg.svd(gained[0] @ free, compute_uv=False) > FREE))
        return v / np.linalg.norm(v), count


def _gain(M: Array, F: Array) -> tuple[float, Array, Array]:
    """Return the least |M v| for |F v| = 1, the gain F v, and v; gains that no v makes are left out."""
    U, sizes, V = np.linalg.svd(F)
    rank = int(np.sum(sizes > max(RANK * sizes[:1].sum(), NOTHING)))
    if not rank:  # the joints from the base to the platform let it gain nothing
        return np.inf, np.zeros_like(F[:, 0]), np.zeros_like(F[0])
    inverse, free = V[:rank].T / sizes[:rank], V[rank:].T
    inside = np.asarray(np.linalg.lstsq(M @ free, M @ inverse, rcond=RANK)[0], float)
    made: Array = inverse - free @ inside
    _, left, T = np.linalg.svd(M @ made)
    nearest = np.asarray(T[-1], float)
    return float(left[-1]), U[:, :rank] @ nearest, made @ nearest


@dataclass(frozen=True)
class RankLost:
    """The closing conditions of a mechanism lose rank."""

    chart: Chart
    """The graph."""
    kind: ClassVar[Kind] = "constraint"
    """The kind of singularity."""

    @property
    def rank(self) -> int:
        """The rank that the conditions have where nothing is singular."""
        return self.chart.tree.velocities - len(self.chart.plan.independent)

    @property
    def possible(self) -> bool:
        """Whether there are loops."""
        return self.rank > 0

    def margins(self, configurations: Array, /) -> Array:
        """Return the smallest singular value that counts, beside the largest."""
        sizes = np.linalg.svd(self.chart.at(configurations).J, compute_uv=False)
        return sizes[:, self.rank - 1] / sizes[:, 0]

    def linearised(self, configuration: Array, /) -> tuple[Array, Array]:
        """Return L^T J V, V being one null vector more than there are usually, and its slopes."""
        J = self.chart.at(configuration[None]).J[0]
        U, _, V = np.linalg.svd(J)
        L, free = U[:, self.rank - 1 :], V[self.rank - 1 :].T
        ahead = self.chart.at(self.chart.around(configuration)).J
        found = slopes(L.T @ ahead @ free)
        return (L.T @ J @ free).ravel(), found.reshape(-1, found.shape[-1])

    def motion(self, configuration: Array, /) -> tuple[Array, int]:
        """Return a motion of the mechanism while its pose stands still, and how many there are."""
        seen = self.chart.at(configuration[None])
        free = null_space(seen.J[0], FREE * float(np.linalg.norm(seen.J[0], 2)))
        still = self.chart.pose_rates(seen)[0] @ free
        v = free @ np.linalg.svd(still)[2][-1]
        return v / np.linalg.norm(v), free.shape[1] - len(self.chart.plan.independent)


@dataclass(frozen=True)
class AlongAxis:
    """The line of an element is along axis 1 of the universal joint at its root: the joint spins it about itself."""

    chart: Chart
    """The graph."""
    number: int
    """Which of the chart's universal joints it is."""
    kind: ClassVar[Kind] = "universal"
    """The kind of singularity."""

    def margins(self, configurations: Array, /) -> Array:
        """Return the sine between line and axis 1."""
        return np.linalg.norm(self.chart.at(configurations).across[:, self.number], axis=-1)

    def linearised(self, configuration: Array, /) -> tuple[Array, Array]:
        """Return x cross a, and its slopes."""
        here = self.chart.at(configuration[None]).across[0, self.number]
        return here, slopes(self.chart.at(self.chart.around(configuration)).across[:, self.number])


Condition = PlatformGains | RankLost | AlongAxis
"""Conditions that vanish at singular configurations of one kind."""


def conditions_of(chart: Chart) -> tuple[Condition, ...]:
    """Return the conditions that a robot can meet: of its platform or loops, and of each universal joint."""
    if not chart.robot.legs:
        lost = RankLost(chart)
        return (lost,) if lost.possible else ()
    gains = PlatformGains(chart)
    return (*([gains] if gains.possible else []), *(AlongAxis(chart, k) for k in range(len(chart.roots))))
