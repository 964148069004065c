"""How well a motion shows the parameters: singular values of the weighted, scaled base regressor."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.robot import Robot
from parakin.robot.base_parameters import BaseParameters
from parakin.trajectory.states import State

SMALLEST_EFFECT = 0.01
"""Force of a parameter, relative to the robot's rms force, below which it is scaled as if it had this much."""


@frozen_arrays
class Scaling:
    """Scales the base regressor, A = weights Psi_b sizes: rows by force noise, columns by sizes of the parameters."""

    base: BaseParameters
    """The base parameters."""
    weights: Array
    """1/noise of each actuator (actuators,) [1/N or 1/(N m)]."""
    sizes: Array
    """Size of each base parameter (rank,), in its unit."""

    def rows(self, Psi: Array) -> Array:
        """Return A (..., actuators, rank) of Psi (..., actuators, parameters)."""
        return self.base.columns(Psi) * self.weights[:, None] * self.sizes


def scaling_of(robot: Robot, base: BaseParameters, noise: float, force: Array, state: State) -> Scaling:
    """Take the sizes of parameters from the robot file: |p_j|, or what has SMALLEST_EFFECT in a typical motion.

    noise: a part of the force limits (actuators,); where there is none, of the largest force of that motion.
    """
    tau: Array = robot.inverse_dynamics(*state)
    weights = 1.0 / (noise * np.where(np.isfinite(force), force, np.abs(tau).max(axis=0)))
    columns = base.columns(robot.regressor(*state)) * weights[:, None]
    effect = np.linalg.norm(columns.reshape(-1, base.rank), axis=0) / np.sqrt(len(columns))
    whole = float(np.linalg.norm(tau * weights)) / np.sqrt(len(tau))
    least = np.divide(SMALLEST_EFFECT * whole, effect, out=np.ones_like(effect), where=effect > 0)
    return Scaling(base, weights, np.maximum(np.abs(base.values), least))


@frozen_arrays
class Quality:
    """How well one motion shows the parameters."""

    R: Array
    """Triangle (rank, rank) with R^T R = mean over the states of A^T A."""
    singular_values: Array
    """Singular values of R (rank,), largest first."""
    angles: float
    """Condition number with columns of unit length, which says how nearly dependent they are, not how large."""

    @property
    def condition(self) -> float:
        """Condition number of R."""
        return float(self.singular_values[0] / self.singular_values[-1])

    @property
    def log_determinant(self) -> float:
        """Natural logarithm of det R^T R: the larger, the smaller the volume that noise leaves open."""
        return float(2 * np.sum(np.log(self.singular_values)))

    def cost(self, criterion: str) -> float:
        """Return what is made small: log(condition / smallest singular value), or mean log of 1/singular values."""
        logs = np.log(self.singular_values)
        return float(logs[0] - 2 * logs[-1] if criterion == "condition" else -np.mean(logs))

    def deviations(self, samples: float) -> Array:
        """Return the relative standard deviations (rank,) of the parameters after as many states, with white noise."""
        _, values, right = np.linalg.svd(self.R)
        return np.sqrt(np.sum((right / values[:, None]) ** 2, axis=0) / samples)


def quality_of(robot: Robot, scaling: Scaling, state: State) -> Quality:
    """Return how well the states of one period show the parameters, with exact friction."""
    A = scaling.rows(robot.regressor(*state))
    R = np.asarray(np.linalg.qr(A.reshape(-1, A.shape[-1]) / np.sqrt(len(A)), mode="r"), float)
    values = np.linalg.svd(R, compute_uv=False)
    lengths = np.linalg.norm(R, axis=0)
    unit = np.linalg.svd(R / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    tiny = np.finfo(float).tiny
    return Quality(R, np.maximum(values, tiny), float(unit[0] / max(unit[-1], tiny)))
