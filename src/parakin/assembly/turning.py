"""Find the poses of platforms that turn about z: planar (up to 6 poses) and Schoenflies (up to 8)."""

from __future__ import annotations

import numpy as np

from parakin.arrays import frozen_arrays
from parakin.assembly import trigonometric
from parakin.assembly.closure import Spheres
from parakin.assembly.result import Array, Counts
from parakin.motions import PLANAR, SCHOENFLIES, MotionType

DEGREE = {PLANAR: 3, SCHOENFLIES: 4}
"""Degree of the polynomial in cos and sin of the platform's angle; it has twice as many zeros."""
VANISHING = 1e-13
"""Size of P, relative to its two terms, below which it vanishes everywhere: the platform moves, no pose is isolated."""
LARGEST_IMAGINARY_ANGLE = 0.02
"""Imaginary part of a zero [rad] above which it is not real. A four-fold zero is off by 1e-4; Newton decides later."""


@frozen_arrays(eq=True)
class Turned:
    """Candidates for poses of platforms that turn about z."""

    p_OE: Array
    """(..., K, 3) positions [m], NaN where there is no candidate."""
    angle: Array
    """(..., K) their angles [rad]."""
    complex_count: Counts
    """(...) number of finite complex zeros of P."""


def candidates(motion: MotionType, spheres: Spheres) -> Turned:
    """Return two candidates for each real zero of P, the polynomial that elimination of w leaves.

    With w = p_OE + R b_1 - u_1, sphere 1 is |w|^2 = l_1^2, and subtracting it from the others leaves them linear in w:

        a_i(angle)·w = rho_i(angle)        (in a plane also e_z·w = 0)
        w = N/D,   N = sum rho_i a_j x a_k,   D = det[a],        P(angle) = |N|^2 - l_1^2 D^2 = 0

    N has degree 2 and D degree 1 in cos and sin. Where the rows depend on each other, D = N = 0, w still has two
    values on the line that is left, so w is taken on the line of the two larger singular values, at both points where
    it meets sphere 1. For regular rows one of these is w, and the other leads Newton to a solution or nowhere. Where P
    vanishes everywhere there are no candidates: the platform moves with its actuators held, no pose is isolated.
    """
    zeros, finite = trigonometric.zeros(_polynomial(motion, spheres), DEGREE[motion])
    real = (np.abs(zeros.imag) < LARGEST_IMAGINARY_ANGLE) & np.isfinite(zeros.real)
    angle = np.where(real, zeros.real, 0.0)
    w = _on_sphere(*_linear(motion, spheres, angle), spheres.squared_length)
    p = w + (spheres.u[..., :1, :] - _turned(angle, spheres.b[0]))[..., None, :]
    p = np.where(real[..., None, None], p, np.nan)
    shape = (*angle.shape[:-1], 2 * angle.shape[-1], 3)
    return Turned(p.reshape(shape), np.repeat(angle, 2, axis=-1), finite)


def _polynomial(motion: MotionType, spheres: Spheres) -> Array:
    """Return P at the sample angles, (..., SAMPLES); NaN where it vanishes everywhere."""
    rows, rho = _linear(motion, spheres, trigonometric.angles())
    crossed = np.stack([np.cross(rows[..., j, :], rows[..., k, :]) for j, k in ((1, 2), (2, 0), (0, 1))], axis=-2)
    N = np.sum(rho[..., None] * crossed, axis=-2)
    D = np.sum(rows[..., 0, :] * crossed[..., 0, :], axis=-1)
    left, right = np.sum(N**2, axis=-1), spheres.squared_length[..., :1] * D**2
    size = np.max(left + right, axis=-1, keepdims=True)
    largest = np.max(np.abs(left - right), axis=-1, keepdims=True)
    return np.where(largest > VANISHING * size, left - right, np.nan)


def _linear(motion: MotionType, spheres: Spheres, angle: Array) -> tuple[Array, Array]:
    """Return rows a (..., K, 3, 3) and rho (..., K, 3) at angles (..., K).

    a_i = R (b_i - b_1) - (u_i - u_1),    rho_i = (l_i^2 - l_1^2 - |a_i|^2)/2
    """
    u, squared = spheres.u[..., None, :, :], spheres.squared_length[..., None, :]
    rows = _turned(angle[..., None], spheres.b[1:] - spheres.b[0]) - (u[..., 1:, :] - u[..., :1, :])
    rho = 0.5 * (squared[..., 1:] - squared[..., :1] - np.sum(rows**2, axis=-1))
    if motion.planar:
        rows = np.concatenate([rows, np.broadcast_to([0.0, 0.0, 1.0], (*rows.shape[:-2], 1, 3))], axis=-2)
        rho = np.concatenate([rho, np.zeros((*rho.shape[:-1], 1))], axis=-1)
    return rows, rho


def _turned(angle: Array, v: Array) -> Array:
    """Return R(angle) v, the vector turned about z."""
    c, s = np.cos(angle), np.sin(angle)
    z = np.broadcast_to(v[..., 2], np.broadcast_shapes(c.shape, v.shape[:-1]))
    return np.stack([c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1], z], axis=-1)


def _on_sphere(rows: Array, rho: Array, squared_length: Array) -> Array:
    """Return w (..., 2, 3): where the line of the two larger singular values meets sphere 1, or comes nearest."""
    U, sigma, Vt = np.linalg.svd(rows)
    along = np.einsum("...ij,...i->...j", U, rho)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(sigma > 0, along / sigma, 0.0)[..., :2]
    middle = np.einsum("...j,...jk->...k", weights, Vt[..., :2, :])
    h = np.sqrt(np.maximum(squared_length[..., :1] - np.sum(middle**2, axis=-1), 0.0))[..., None]
    return np.stack([middle + h * Vt[..., 2, :], middle - h * Vt[..., 2, :]], axis=-2)
