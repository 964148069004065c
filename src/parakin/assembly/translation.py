"""Find the two poses of a platform that does not turn: where three spheres, or two circles, meet."""

from __future__ import annotations

import numpy as np

from parakin.assembly.closure import Spheres
from parakin.assembly.result import Array

COLLINEAR = 1e-20
"""Squared sine between d_2 and d_3 below which the centres are in line: the spheres meet in a circle or nowhere."""

TANGENT = 1e-12
"""Squared height above the plane of the centres, as a part of l_1^2, below which the two points are one."""


def candidates(spheres: Spheres) -> Array:
    """Return both p_OE (..., 2, 3), NaN where the spheres do not meet. In a plane the third sphere is z = 0.

    Subtracting sphere 1, with w = p_OE - g_1, g_i = u_i - b_i, d_i = g_i - g_1:

        d_i·w = rho_i = (|d_i|^2 + l_1^2 - l_i^2)/2
        w = (rho_2 d_3 x n + rho_3 n x d_2)/|n|^2 +- n h,    n = d_2 x d_3,    |w|^2 = l_1^2
    """
    g, squared_length = spheres.u - spheres.b, spheres.squared_length
    d = g[..., 1:, :] - g[..., :1, :]
    rho = 0.5 * (np.sum(d**2, axis=-1) + squared_length[..., :1] - squared_length[..., 1:])
    if d.shape[-2] == 1:
        d = np.concatenate([d, np.broadcast_to([0.0, 0.0, 1.0], d.shape)], axis=-2)
        rho = np.concatenate([rho, np.zeros_like(rho)], axis=-1)
    d_2, d_3 = d[..., 0, :], d[..., 1, :]
    n = np.cross(d_2, d_3)
    n_squared = np.sum(n**2, axis=-1, keepdims=True)
    size = np.sum(d_2**2, axis=-1, keepdims=True) * np.sum(d_3**2, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (rho[..., :1] * np.cross(d_3, n) + rho[..., 1:] * np.cross(n, d_2)) / n_squared
        height_squared = squared_length[..., :1] - np.sum(middle**2, axis=-1, keepdims=True)
        height_squared = np.where(np.abs(height_squared) < TANGENT * squared_length[..., :1], 0.0, height_squared)
        h = np.sqrt(height_squared / n_squared)
    h = np.where(n_squared > COLLINEAR * size, h, np.nan)
    return g[..., :1, :] + np.stack([middle + h * n, middle - h * n], axis=-2)
