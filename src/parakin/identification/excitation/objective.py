"""What is minimised: a smooth measure of excitation, a penalty for what is beyond a limit, and their gradient.

With c(t) = Phi(t) x linear in the coefficients, and anything the robot does at time t a function of (c, c_dot, c_ddot)
there, differences in those 3n numbers give the whole gradient: as many batches of states as a motion has coordinates
and derivatives, however many harmonics. All states of all differences are one call of the regressor's kernel.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.identification.excitation.demands import Bounds, Placed, placed, shares, singularity
from parakin.identification.excitation.options import ExciteOptions
from parakin.identification.excitation.quality import Scaling
from parakin.identification.excitation.space import Space
from parakin.trajectory.motions.fourier import Blended, Series
from parakin.trajectory.profiles import Profile

SAMPLES_PER_HARMONIC = 16
"""Samples in a period of the highest harmonic: products of four harmonics are still integrated exactly."""
SHARPNESS = 6.0
"""p of the sums of lambda^p and lambda^-p that stand for the largest and the smallest eigenvalue lambda."""
LIMIT_MARGIN = 0.01
"""Part of every limit that is kept free in the search, for what happens between its samples."""
DIFFERENCE_STEP = 1e-7
"""Step of differences, as a part of a coordinate's size: friction bends within 1e-2 of it, rounding leaves 1e-9."""
FRICTION_SMOOTHING = 0.02
"""Rate over which Coulomb friction, whose jump has no gradient, is smoothed, relative to the coordinates' largest
rates.
"""


@frozen_arrays
class Basis:
    """The functions of time of which a coordinate is a linear combination."""

    phi: Profile
    """Values, slopes and curvatures of the functions, each (N, 1 + 2 harmonics)."""
    steady: NDArray[np.bool_]
    """Which of the N times count for the criterion, and not only for the limits (N,)."""


def basis_of(harmonics: int, frequency: float, rest: float) -> Basis:
    """Return the basis over one period and, if rest > 0 [s], both blends; each function is a Fourier series."""
    unit = np.eye(1 + 2 * harmonics)
    parts = Series(unit[:, 0], unit[:, 1 : 1 + harmonics], unit[:, 1 + harmonics :], frequency)
    step = 1 / (SAMPLES_PER_HARMONIC * harmonics * frequency)
    inside = rest + step * np.arange(SAMPLES_PER_HARMONIC * harmonics)
    ends = step * np.arange(int(np.ceil(rest / step)))
    t = np.asarray(np.concatenate([ends, inside, 2 * rest + 1 / frequency - ends]), float)
    steady = np.repeat([False, True, False], [len(ends), len(inside), len(ends)])
    return Basis(Blended(parts, rest, 1 / frequency)(t), steady)


Criterion = Callable[[Array], tuple[float, Array]]
"""Takes G = A^T A and gives a value, which is to be small, and its derivative by G, symmetric."""


def smooth_condition(G: Array) -> tuple[float, Array]:
    """Return a smooth version of log(condition number of A / its smallest singular value), and its derivative.

        (log sum lambda^p + 2 log sum lambda^-p)/2p        lambda: eigenvalues of G

    A ratio alone is also improved by showing less of what is seen best: hence the second factor.
    """
    values, vectors = _eigen(G)
    logs = SHARPNESS * np.log(values)
    up, down = np.logaddexp.reduce(logs), np.logaddexp.reduce(-logs)
    slope = 0.5 * (np.exp(logs - up) - 2 * np.exp(-logs - down)) / values
    return float(up + 2 * down) / (2 * SHARPNESS), (vectors * slope) @ vectors.T


def mean_log(G: Array) -> tuple[float, Array]:
    """Return -log det G / (2 rank), the mean log of 1/singular value of A, and its derivative."""
    values, vectors = _eigen(G)
    scale = -0.5 / len(values)
    return float(scale * np.sum(np.log(values))), (vectors * (scale / values)) @ vectors.T


def _eigen(G: Array) -> tuple[Array, Array]:
    values, vectors = np.linalg.eigh(G)
    return np.maximum(values, max(1e-15 * values[-1], np.finfo(float).tiny)), vectors


CRITERION: dict[str, Criterion] = {"condition": smooth_condition, "determinant": mean_log}
"""What is minimised for each criterion of the options."""


@frozen_arrays
class Objective:
    """Value and gradient of criterion + hardness × mean over the states of sum over limits of (share beyond)^2."""

    space: Space
    """Coordinates of the motion."""
    basis: Basis
    """Functions of time of which the coordinates are made."""
    scaling: Scaling
    """Scales rows by noise and columns by parameters."""
    bounds: Bounds
    """Limits that are kept."""
    criterion: Criterion
    """Measure of excitation."""
    sizes: Array
    """Natural unit of each coordinate (n,), for differences."""
    frequency: float
    """Frequency of the motion [Hz]."""

    def __call__(self, x: Array, hardness: float) -> tuple[float, Array]:
        """x (n, 1 + 2 harmonics)."""
        n, steady = len(x), self.basis.steady
        profile = Profile(*(phi @ x.T for phi in self.basis.phi))
        bumped, steps = self._bumped(profile)
        Psi, demanded = self._seen(bumped)
        A = self.scaling.rows(Psi[:, steady])
        flat = A[0].reshape(-1, A.shape[-1])
        value, dG = self.criterion(flat.T @ flat / len(A[0]))
        direction = (flat @ dG * (2 / len(A[0]))).reshape(A[0].shape)
        along = np.zeros(demanded.shape[:2])
        along[:, steady] = np.einsum("tmr,btmr->bt", direction, A, optimize=True)
        penalty: Array = np.sum(np.maximum(demanded - 1.0 + LIMIT_MARGIN, 0.0) ** 2, axis=2)
        along += hardness / len(steady) * penalty
        slopes = ((along[1:] - along[0]) / steps[:, None]).reshape(3, n, -1)
        gradient: Array = np.einsum("dnt,dth->nh", slopes, np.stack(self.basis.phi))
        return value + hardness * float(penalty[0].mean()), gradient

    def _bumped(self, profile: Profile) -> tuple[Profile, Array]:
        """The profile (1 + 3n, N, n) as it is, then with each coordinate, rate, acceleration a step off; the steps
        (3n,).
        """
        n = len(self.sizes)
        rate = 2 * np.pi * self.frequency
        steps = DIFFERENCE_STEP * np.concatenate([self.sizes, rate * self.sizes, rate**2 * self.sizes])
        copies = [np.repeat(part[None], 1 + 3 * n, axis=0) for part in profile]
        for k in range(3 * n):
            copies[k // n][1 + k, :, k % n] += steps[k]
        return Profile(*copies), steps

    def _seen(self, bumped: Profile) -> tuple[Array, Array]:
        """Psi (blocks, N, m, parameters) and shares (blocks, N, demands); a state that cannot be has no force."""
        robot = self.space.robot
        blocks, count, n = bumped.value.shape
        flat = Profile(*(part.reshape(-1, n) for part in bumped))
        state = self.space.states(lambda _: flat)(np.zeros(len(flat.value)))
        smoothing = FRICTION_SMOOTHING * 2 * np.pi * self.frequency * float(np.mean(self.sizes))
        Psi = np.nan_to_num(robot.regressors(*state, smoothing=np.full(1, smoothing)), posinf=0.0, neginf=0.0)
        pose = state.pose[: (1 + n) * count]
        where = placed(robot, pose, self._singularity(pose, count))
        tau = Psi @ robot.parameters + np.nan_to_num(robot.known_forces(state.pose))
        velocity = np.nan_to_num(state.velocity)
        demanded = shares(self.bounds, _repeated(where, count, 2 * n), velocity, tau)
        return Psi.reshape(blocks, count, *Psi.shape[1:]), demanded.reshape(blocks, count, -1)

    def _singularity(self, pose: Array, count: int) -> Array:
        """Share of singularity in blocks of `count` poses; the first stands for the others where it is far from the
        limit.
        """
        robot = self.space.robot
        share = np.tile(singularity(robot, self.bounds, pose[:count]), len(pose) // count)
        near = np.flatnonzero(share > 1.0 - 2 * LIMIT_MARGIN)
        share[near] = singularity(robot, self.bounds, pose[near])
        return share


def _repeated(where: Placed, count: int, more: int) -> Placed:
    """The first `count` states again for blocks in which only rates differ."""
    names = ("J_qv", "box", "stroke", "joint", "singularity", "reach")
    parts = {name: getattr(where, name) for name in names}
    return Placed(**{name: np.concatenate([part, *[part[:count]] * more]) for name, part in parts.items()})


def objective_of(space: Space, scaling: Scaling, bounds: Bounds, options: ExciteOptions, period: float) -> Objective:
    """Build the objective for motions of this period [s]."""
    basis = basis_of(options.harmonics, 1 / period, options.rest)
    return Objective(space, basis, scaling, bounds, CRITERION[options.criterion], space.sizes, 1 / period)
