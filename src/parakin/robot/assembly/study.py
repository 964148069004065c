"""Six closure equations as quadrics in the Study parameters of the platform's displacement.

y = (x, g) in C^8, up to a factor: x the quaternion of R_OE, g with w = 2 vec(g x*)/(x·x), where w takes u_1 to the
attachment of leg 1. With beta_i = b_i - b_1 and upsilon_i = u_i - u_1:

    4 g·g - lambda x·x = 0                                                  sphere 1, lambda = l_1^2
    x·g = 0                                                                 Study's quadric
    4 (x_0 G - g_0 X)·(beta - upsilon) - 4 (X x G)·(beta + upsilon)
        - 2 upsilon·R(x) beta + k x·x = 0,     i = 2 ... 6                  sphere i minus sphere 1
        k = |beta|^2 + |upsilon|^2 - l_i^2 + l_1^2

Poses are where x·x is not 0; x·x = 0 is what "at infinity" means. A platform is theta = (beta, upsilon, k, lambda),
36 numbers, on which the equations depend analytically.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.robot.assembly.closure import Numbers
from parakin.robot.assembly.pairs import ZERO, Pair, Pairs, cross, dot
from parakin.robot.assembly.result import Complex

LEGS = 5
"""After subtracting the first."""
PARAMETERS = 36
UNKNOWNS = 8


def platform_parameters(b: Numbers, u: Numbers, squared_length: Numbers) -> Complex:
    """theta (..., 36) of a platform: beta, upsilon by leg, k, lambda."""
    beta = b[..., 1:, :] - b[..., :1, :]
    upsilon = u[..., 1:, :] - u[..., :1, :]
    first = squared_length[..., :1]
    k = np.sum(beta**2, axis=-1) + np.sum(upsilon**2, axis=-1) - squared_length[..., 1:] + first
    batch = np.broadcast_shapes(beta.shape[:-2], k.shape[:-1])
    parts = [(beta, 15), (upsilon, 15), (k, 5), (first, 1)]
    columns = [np.broadcast_to(part.reshape(*part.shape[: part.ndim - (2 if size == 15 else 1)], size), (*batch, size))
               for part, size in parts]  # fmt: skip
    return np.concatenate(columns, axis=-1).astype(np.complex128)


@dataclass(frozen=True)
class Quadrics:
    """What the equations are made of: s = beta - upsilon, z = beta + upsilon, symmetric C (row-wise 4 x 4), lambda."""

    s: list[Pairs]
    z: list[Pairs]
    C: list[list[Pairs]]
    squared: Pair
    constant: float


def quadrics(theta: Pairs) -> Quadrics:
    """The equations of a platform."""
    beta, upsilon, k, squared = _split(theta)
    C = [_plus_diagonal(_turning(beta[i], upsilon[i]), k[i]) for i in range(LEGS)]
    return Quadrics(_differences(beta, upsilon), _sums(beta, upsilon), C, squared, 1.0)


def quadrics_rate(theta: Pairs, theta_dot: Pairs) -> Quadrics:
    """Their derivative while the platform changes at theta_dot."""
    beta, upsilon, _, _ = _split(theta)
    beta_dot, upsilon_dot, k_dot, squared_dot = _split(theta_dot)
    C: list[list[Pairs]] = []
    for i in range(LEGS):
        one, two = _turning(beta_dot[i], upsilon[i]), _turning(beta[i], upsilon_dot[i])
        both = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(one, two, strict=True)]
        C.append(_plus_diagonal(both, k_dot[i]))
    return Quadrics(_differences(beta_dot, upsilon_dot), _sums(beta_dot, upsilon_dot), C, squared_dot, 0.0)


def gradients(quadrics: Quadrics, y: Pairs) -> list[Pairs]:
    """Seven rows dF/dy; each equation is F = row·y/2."""
    x, X, x_0 = y[:4], y[1:4], y[0]
    g, G, g_0 = y[4:], y[5:], y[4]
    if quadrics.constant:
        sphere = [*((quadrics.squared * v).scaled(-2) for v in x), *(v.scaled(8) for v in g)]
        rows = [sphere, [*g, *x]]
    else:
        rows = [[*((quadrics.squared * v).scaled(-2) for v in x), *[ZERO] * 4], [ZERO] * 8]
    for s, z, C in zip(quadrics.s, quadrics.z, quadrics.C, strict=True):
        turned, crossed = cross(z, X), cross(G, z)
        dx_0 = dot(G, s).scaled(4)
        dX = [(-(g_0 * s[j]) - crossed[j]).scaled(4) for j in range(3)]
        dg_0 = -dot(X, s).scaled(4)
        dG = [(x_0 * s[j] - turned[j]).scaled(4) for j in range(3)]
        bent = [dot(row, x).scaled(2) for row in C]
        rows.append([a + b for a, b in zip([dx_0, *dX], bent, strict=True)] + [dg_0, *dG])
    return rows


def _split(theta: Pairs) -> tuple[list[Pairs], list[Pairs], Pairs, Pair]:
    return (
        [theta[3 * i : 3 * i + 3] for i in range(LEGS)],
        [theta[15 + 3 * i : 18 + 3 * i] for i in range(LEGS)],
        theta[30:35],
        theta[35],
    )


def _differences(a: list[Pairs], b: list[Pairs]) -> list[Pairs]:
    return [[x - y for x, y in zip(*pair, strict=True)] for pair in zip(a, b, strict=True)]


def _sums(a: list[Pairs], b: list[Pairs]) -> list[Pairs]:
    return [[x + y for x, y in zip(*pair, strict=True)] for pair in zip(a, b, strict=True)]


def _turning(beta: Pairs, upsilon: Pairs) -> list[Pairs]:
    """-2 M with x^T M x = upsilon·R(x) beta, symmetric 4 x 4."""
    inner = dot(upsilon, beta)
    skew = [v.scaled(-2) for v in cross(beta, upsilon)]
    rows = [[inner.scaled(-2), *skew]]
    for j in range(3):
        row = [(upsilon[j] * beta[m] + upsilon[m] * beta[j]).scaled(-2) for m in range(3)]
        row[j] = row[j] + inner.scaled(2)
        rows.append([skew[j], *row])
    return rows


def _plus_diagonal(C: list[Pairs], k: Pair) -> list[Pairs]:
    return [[value + k if i == j else value for j, value in enumerate(row)] for i, row in enumerate(C)]


def displacement(y: Complex) -> tuple[Complex, Complex]:
    """w (..., 3) and the quaternion (..., 4) with x·x = 1, both complex in general."""
    x, g = y[..., :4], y[..., 4:]
    norm = np.sum(x * x, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        w = 2 * (x[..., :1] * g[..., 1:] - g[..., :1] * x[..., 1:] + np.cross(x[..., 1:], g[..., 1:])) / norm
        return w, x / np.sqrt(norm)


def study(w: Numbers, quaternion: Numbers) -> Complex:
    """y of a displacement: g = (0, w) x / 2."""
    x_0, X = quaternion[..., :1], quaternion[..., 1:]
    g_0 = -np.sum(w * X, axis=-1, keepdims=True)
    return np.concatenate([quaternion, 0.5 * g_0, 0.5 * (x_0 * w + np.cross(w, X))], axis=-1).astype(np.complex128)
