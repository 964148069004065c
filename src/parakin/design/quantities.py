"""What can be wanted of a design: the table of quantities, each from outputs of models at many poses.

A quantity has a value, or one for each actuator, at every pose; the worst, the mean or the root of the mean square over
all poses is the design's. For optimisers a quantity also gives the slopes of a value by the outputs that it is made of;
those of the outputs by the parameters come from the exact model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from parakin.arrays import Array

Outputs = Mapping[str, Array]
"""Outputs of models by name, each (designs, poses, ...)."""


@dataclass(frozen=True)
class Setting:
    """What quantities know beside outputs: numbers that are the same for all designs."""

    scale: Array
    """Factors that count rotations as displacements at the robot's length, for the columns of J_qv."""
    stiffness: Array | None
    """Stiffness of each drive [N/m or N m/rad]; None where nobody said it."""


@dataclass(frozen=True)
class Quantity:
    """A row of the table."""

    name: str
    """What it is called in study files."""
    words: str
    """What it is, for figures."""
    unit: str
    """Its unit; empty for a number."""
    over: Literal["design", "volume", "region", "cycle"]
    """Over which poses it is taken; "design" for what no pose changes."""
    models: tuple[str, ...]
    """Models whose outputs it is made of."""
    goal: Literal["least", "most"]
    """Whether least or most of it is wanted, unless a study says otherwise; the worst is then the other end."""
    values: Callable[[Outputs, Setting], Array]
    """Values (designs, poses, channels) from outputs (designs, poses, ...)."""
    slopes: Callable[[Outputs, Setting, Array], Outputs]
    """Slopes (rows, ...) of the values of some rows by outputs (rows, 1, ...); the last argument says which channel."""
    needs_stiffness: bool = False
    """Whether it needs the stiffness of the drives."""


def _no_values(_outputs: Outputs, _setting: Setting) -> Array:
    raise AssertionError("quantities of the design itself are not made of outputs")


def _no_slopes(_outputs: Outputs, _setting: Setting, _channels: Array) -> Outputs:
    raise AssertionError("quantities of the design itself are not made of outputs")


def _sizes(name: str) -> Callable[[Outputs, Setting], Array]:
    return lambda outputs, _: np.abs(outputs[name])


def _size_slopes(name: str) -> Callable[[Outputs, Setting, Array], Outputs]:
    def slopes(outputs: Outputs, _: Setting, channels: Array) -> Outputs:
        values = outputs[name][:, 0]
        chosen = np.arange(values.shape[1]) == channels[:, None]
        return {name: np.where(chosen, np.sign(values), 0.0)}

    return slopes


def _powers(outputs: Outputs, _: Setting) -> Array:
    return np.abs(outputs["tau"] * outputs["q_dot"])


def _power_slopes(outputs: Outputs, _: Setting, channels: Array) -> Outputs:
    tau, rate = outputs["tau"][:, 0], outputs["q_dot"][:, 0]
    sign = np.where(np.arange(tau.shape[1]) == channels[:, None], np.sign(tau * rate), 0.0)
    return {"tau": sign * rate, "q_dot": sign * tau}


def _conditions(outputs: Outputs, setting: Setting) -> Array:
    J = outputs["J_qv"] * setting.scale
    good = np.isfinite(J).all(axis=(-2, -1))
    usable = np.where(good[..., None, None], J, np.eye(*J.shape[-2:]))
    values = np.linalg.svd(usable, compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.where(good, values[..., 0] / values[..., -1], np.nan)[..., None]


def _condition_slopes(outputs: Outputs, setting: Setting, _: Array) -> Outputs:
    """dk = u_1^T dJ v_1/s_n - s_1/s_n^2 u_n^T dJ v_n of k = s_1/s_n."""
    U, s, Vt = np.linalg.svd(outputs["J_qv"][:, 0] * setting.scale, full_matrices=False)
    first = np.einsum("ri,rj->rij", U[:, :, 0], Vt[:, 0, :]) / s[:, -1, None, None]
    last = np.einsum("ri,rj->rij", U[:, :, -1], Vt[:, -1, :]) * (s[:, 0] / s[:, -1] ** 2)[:, None, None]
    return {"J_qv": (first - last) * setting.scale}


def _stiffness_matrices(outputs: Outputs, setting: Setting) -> Array:
    """K = J^T k J with rotations scaled [N/m]."""
    assert setting.stiffness is not None
    J = outputs["J_qv"] * setting.scale
    return np.einsum("...ki,k,...kj->...ij", J, setting.stiffness, J)


def _stiffnesses(outputs: Outputs, setting: Setting) -> Array:
    K = _stiffness_matrices(outputs, setting)
    good = np.isfinite(K).all(axis=(-2, -1))
    values = np.linalg.eigvalsh(np.where(good[..., None, None], K, np.eye(K.shape[-1])))[..., 0]
    return np.where(good, values, np.nan)[..., None]


def _stiffness_slopes(outputs: Outputs, setting: Setting, _: Array) -> Outputs:
    """d lambda = v^T dK v = 2 (k J v)^T dJ v."""
    assert setting.stiffness is not None
    J = outputs["J_qv"][:, 0] * setting.scale
    v = np.linalg.eigh(_stiffness_matrices(outputs, setting)[:, 0])[1][:, :, 0]
    forces = 2.0 * setting.stiffness * np.einsum("rki,ri->rk", J, v)
    return {"J_qv": np.einsum("rk,ri->rki", forces, v) * setting.scale}


def _lowest(K: Array, M: Array) -> tuple[Array, Array]:
    """Return lambda and v with K v = lambda M v, v^T M v = 1, of the lowest mode: by the Cholesky factor of M."""
    L = np.linalg.cholesky(M)
    inverse = np.linalg.inv(L)
    values, vectors = np.linalg.eigh(inverse @ K @ inverse.swapaxes(-2, -1))
    return values[..., 0], np.einsum("...ji,...j->...i", inverse, vectors[..., 0])


def _frequencies(outputs: Outputs, setting: Setting) -> Array:
    K, M = _stiffness_matrices(outputs, setting), outputs["M"] * np.outer(setting.scale, setting.scale)
    good = np.isfinite(K).all(axis=(-2, -1)) & np.isfinite(M).all(axis=(-2, -1))
    one = np.eye(K.shape[-1])
    K, M = (np.where(good[..., None, None], matrix, one) for matrix in (K, M))
    return np.where(good, np.sqrt(np.maximum(_lowest(K, M)[0], 0.0)) / (2 * math.pi), np.nan)[..., None]


def _frequency_slopes(outputs: Outputs, setting: Setting, _: Array) -> Outputs:
    """d lambda = v^T (dK - lambda dM) v, and f = sqrt(lambda)/2 pi."""
    assert setting.stiffness is not None
    J, scales = outputs["J_qv"][:, 0] * setting.scale, np.outer(setting.scale, setting.scale)
    value, v = _lowest(_stiffness_matrices(outputs, setting)[:, 0], outputs["M"][:, 0] * scales)
    by_value = 1.0 / (4 * math.pi * np.sqrt(value))
    forces = 2.0 * setting.stiffness * np.einsum("rki,ri->rk", J, v)
    by_J = np.einsum("rk,ri->rki", forces, v) * setting.scale
    by_M = -value[:, None, None] * np.einsum("ri,rj->rij", v, v) * scales
    return {"J_qv": by_value[:, None, None] * by_J, "M": by_value[:, None, None] * by_M}


_ROWS = (
    Quantity("mass", "mass of all that moves", "kg", "design", (), "least", _no_values, _no_slopes),
    Quantity("volume", "volume within reach", "", "volume", ("inverse_kinematics",), "most", _no_values, _no_slopes),
    Quantity(
        "force",
        "force of an actuator on the cycle",
        "N or N m",
        "cycle",
        ("inverse_dynamics",),
        "least",
        _sizes("tau"),
        _size_slopes("tau"),
    ),
    Quantity(
        "speed",
        "speed of an actuator on the cycle",
        "m/s or rad/s",
        "cycle",
        ("actuator_velocity",),
        "least",
        _sizes("q_dot"),
        _size_slopes("q_dot"),
    ),
    Quantity(
        "power",
        "power of an actuator on the cycle",
        "W",
        "cycle",
        ("inverse_dynamics", "actuator_velocity"),
        "least",
        _powers,
        _power_slopes,
    ),
    Quantity(
        "conditioning",
        "condition number of J_qv",
        "",
        "region",
        ("jacobian",),
        "least",
        _conditions,
        _condition_slopes,
    ),
    Quantity(
        "stiffness",
        "least stiffness of the platform",
        "N/m",
        "region",
        ("jacobian",),
        "most",
        _stiffnesses,
        _stiffness_slopes,
        needs_stiffness=True,
    ),
    Quantity(
        "frequency",
        "first frequency",
        "Hz",
        "region",
        ("jacobian", "mass_matrix"),
        "most",
        _frequencies,
        _frequency_slopes,
        needs_stiffness=True,
    ),
)
QUANTITIES: Mapping[str, Quantity] = {row.name: row for row in _ROWS}
"""What can be wanted, by its name in study files; a new one is a row."""


def reduced(values: Array, how: str, goal: str) -> Array:
    """Return one number for each design from values (designs, poses, channels): NaN where any value is."""
    with np.errstate(invalid="ignore"):
        match how:
            case "mean":
                return values.mean(axis=(1, 2))
            case "rms":
                return np.sqrt((values**2).mean(axis=(1, 2)))
            case _:
                return values.max(axis=(1, 2)) if goal == "least" else values.min(axis=(1, 2))
