"""Everything that limited motors can exert together: a zonotope, held as pairs of opposite faces.

Motors with |tau_i| <= t_i exert p = J_qv^T tau on the platform. The set of all p is a zonotope whose edges run along
the rows of J_qv. Each of its faces is spanned by n - 1 of these rows, so that its normals c are found by enumeration:

    J_i c = 0 for n - 1 of the motors i,        |c^T p| <= h(c) = sum over the others of t_i |J_i c|

With as many motors as freedoms these are n pairs of faces, |tau_i| <= t_i itself; with more motors they are the exact
answer of the linear program "is there a tau within its limits that exerts p".
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array

MOST_FACES = 5000
"""Pairs of faces up to which they are enumerated at every pose; 16 motors of a spatial platform have 4368."""


class Faces(NamedTuple):
    """Pairs of opposite faces of the zonotopes at N poses: |normal^T p| <= reach."""

    normals: Array
    """Normals (N, F, n), of unit length."""
    reach: Array
    """The largest normal^T p (N, F); infinite where a motor without a limit pushes that way."""

    def room(self, load: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return how far a load (N, n) is from the nearer face of each pair (N, F), and which loads are outside (N,).

        h(c) - |c^T p|
        """
        room = self.reach - np.abs(np.einsum("kfn,kn->kf", self.normals, load))
        return room, (room < 0).any(axis=1)


def face_count(motors: int, freedoms: int) -> int:
    """Return how many pairs of faces are enumerated."""
    return math.comb(motors, freedoms - 1)


def faces(jacobian: Array, limits: Array) -> Faces:
    """Return the faces of what motors with limits (m,) exert, for Jacobians J_qv (N, m, n) with m >= n."""
    motors, freedoms = int(jacobian.shape[1]), int(jacobian.shape[2])
    every: list[tuple[int, ...]] = list(combinations(range(motors), freedoms - 1))
    chosen = np.array(every, int).reshape(len(every), freedoms - 1)
    normals = _square(jacobian) if motors == freedoms else _orthogonal(jacobian[:, chosen])
    rates = np.abs(np.einsum("kmn,kfn->kfm", jacobian, normals))
    inside = np.zeros((len(chosen), motors), bool)
    inside[np.arange(len(chosen))[:, None], chosen] = True
    with np.errstate(invalid="ignore"):
        pushes = np.where(inside | (rates == 0), 0.0, rates * limits)
    return Faces(normals, pushes.sum(axis=2))


def _square(jacobian: Array) -> Array:
    """Return normals (N, n, n) for as many motors as freedoms: columns of J_qv^-1, that of the last motor first."""
    columns = np.swapaxes(np.linalg.inv(jacobian), 1, 2)[:, ::-1]
    return columns / np.linalg.norm(columns, axis=2, keepdims=True)


def _orthogonal(rows: Array) -> Array:
    """Return a unit vector (N, F, n) across the rows (N, F, n - 1, n)."""
    if rows.shape[2] == 0:
        return np.ones((*rows.shape[:2], 1))
    return np.linalg.svd(rows, full_matrices=True)[2][..., -1, :]
