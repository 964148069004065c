"""How well a motion shows the parameters: singular values of the weighted, scaled base regressor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot
from parakin.robot.base_parameters import BaseParameters
from parakin.trajectory.states import State

SMALLEST_EFFECT = 0.01
"""Of the robot's rms force: a parameter whose force is smaller is scaled as if it were this large."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """A = weights Psi_b sizes: rows in units of force noise, columns in units of each parameter's own size.

    weights (m,) [1/N or 1/N m]: 1/noise; sizes (rank,): in the units of the base parameters.
    """

    base: BaseParameters
    weights: Array
    sizes: Array

    def rows(self, Psi: Array) -> Array:
        """(..., m, rank) of Psi (..., m, parameters)."""
        return self.base.columns(Psi) * self.weights[:, None] * self.sizes


def scaling_of(robot: Robot, base: BaseParameters, noise: float, force: Array, state: State) -> Scaling:
    """Sizes from the robot file: |p_j|, or what makes SMALLEST_EFFECT of the rms force of a typical motion.

    noise: a part of the force limits (m,); where there is none, of the largest force of that motion.
    """
    tau: Array = robot.inverse_dynamics(*state)
    weights = 1.0 / (noise * np.where(np.isfinite(force), force, np.abs(tau).max(axis=0)))
    columns = base.columns(robot.regressor(*state)) * weights[:, None]
    effect = np.linalg.norm(columns.reshape(-1, base.rank), axis=0) / np.sqrt(len(columns))
    whole = float(np.linalg.norm(tau * weights)) / np.sqrt(len(tau))
    least = np.divide(SMALLEST_EFFECT * whole, effect, out=np.ones_like(effect), where=effect > 0)
    return Scaling(base, weights, np.maximum(np.abs(base.values), least))


@dataclass(frozen=True, eq=False)
class Quality:
    """Of one motion: R^T R = mean over its states of A^T A; singular_values of R, largest first.

    angles: the condition number with columns of unit length, which says how nearly dependent they are, not how large.
    """

    R: Array
    singular_values: Array
    angles: float

    @property
    def condition(self) -> float:
        return float(self.singular_values[0] / self.singular_values[-1])

    @property
    def log_determinant(self) -> float:
        """Natural logarithm of det R^T R: volume of what the noise leaves open, upside down."""
        return float(2 * np.sum(np.log(self.singular_values)))

    def cost(self, criterion: str) -> float:
        """What a search makes small: log(condition / smallest singular value), or the mean log of 1/singular values."""
        logs = np.log(self.singular_values)
        return float(logs[0] - 2 * logs[-1] if criterion == "condition" else -np.mean(logs))

    def deviations(self, samples: float) -> Array:
        """Relative standard deviations (rank,) of the parameters after as many states, with white noise."""
        _, values, right = np.linalg.svd(self.R)
        return np.sqrt(np.sum((right / values[:, None]) ** 2, axis=0) / samples)


def quality_of(robot: Robot, scaling: Scaling, state: State) -> Quality:
    A = scaling.rows(robot.regressor(*state))
    R = np.asarray(np.linalg.qr(A.reshape(-1, A.shape[-1]) / np.sqrt(len(A)), mode="r"), float)
    values = np.linalg.svd(R, compute_uv=False)
    lengths = np.linalg.norm(R, axis=0)
    unit = np.linalg.svd(R / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    tiny = np.finfo(float).tiny
    return Quality(R, np.maximum(values, tiny), float(unit[0] / max(unit[-1], tiny)))
