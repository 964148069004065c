"""Write six closure equations as quadrics in the dual quaternion of the platform's displacement [Wampler1996].

The unknowns are Study's parameters y = (x, g) in C^8, up to a factor: x the quaternion of R_OE, g with
w = 2 vec(g x*)/(x·x), where w takes u_1 to the attachment of leg 1. With beta_i = b_i - b_1 and upsilon_i = u_i - u_1:

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

import casadi as ca
import numpy as np

from parakin.assembly.closure import Spheres
from parakin.assembly.pairs import ZERO, Pair, Pairs, combined, cross, dot
from parakin.assembly.result import Complex, Numbers

OTHER_LEGS = 5
"""Number of legs but the first, whose equation is subtracted from theirs."""
PLATFORM_PARAMETERS = 36
"""Numbers in theta: beta and upsilon of five legs (15 each), k of five legs, lambda."""
UNKNOWNS = 8
"""Number of Study parameters."""


def platform_parameters(spheres: Spheres) -> Complex:
    """Return theta (..., 36) of a platform: beta of each leg, upsilon of each leg, k of each leg, lambda."""
    upsilon = spheres.u[..., 1:, :] - spheres.u[..., :1, :]
    beta = np.broadcast_to(spheres.b[1:] - spheres.b[0], upsilon.shape)
    first = spheres.squared_length[..., :1]
    k = np.sum(beta**2, axis=-1) + np.sum(upsilon**2, axis=-1) - spheres.squared_length[..., 1:] + first
    flat = (*upsilon.shape[:-2], 3 * OTHER_LEGS)
    return np.concatenate([beta.reshape(flat), upsilon.reshape(flat), k, first], axis=-1).astype(np.complex128)


@dataclass(frozen=True)
class Quadrics:
    """Coefficients of the equations as polynomials in t, while theta goes from `end` at t = 0 to `start` at t = 1.

        coefficients = constant + t linear + t^2 square

    Each leg has the 16 coefficients of `_leg`; lambda comes last.
    """

    constant: Pairs
    """The 81 coefficients at t = 0."""
    linear: Pairs
    """The 81 factors of t."""
    square: Pairs
    """The factors of t^2, of each leg the last ten alone: no other coefficient is a product of two parts of theta."""

    def at(self, t: ca.SX) -> Pairs:
        """Return the 81 coefficients at t."""
        return combined(self.constant, t, combined(self.linear, t, self._padded()))

    def rate(self, t: ca.SX) -> Pairs:
        """Return the derivatives of the 81 coefficients with respect to t."""
        return combined(self.linear, 2 * t, self._padded())

    def _padded(self) -> Pairs:
        """Return the factors of t^2 of all 81 coefficients, zeros among them."""
        ten = [self.square[10 * i : 10 * i + 10] for i in range(OTHER_LEGS)]
        return [value for row in ten for value in [*[ZERO] * 6, *row]] + [ZERO]


def quadrics(start: Pairs, end: Pairs) -> Quadrics:
    """Return the equations between two platforms, theta = end + t (start - end)."""
    change = combined(start, -1, end)
    beta, upsilon, k, squared = _split(end)
    beta_dot, upsilon_dot, k_dot, squared_dot = _split(change)
    constant: Pairs = []
    linear: Pairs = []
    square: Pairs = []
    for i in range(OTHER_LEGS):
        mixed = combined(turning(beta_dot[i], upsilon[i]), 1, turning(beta[i], upsilon_dot[i]))
        constant += _leg(beta[i], upsilon[i], turning(beta[i], upsilon[i]), k[i])
        linear += _leg(beta_dot[i], upsilon_dot[i], mixed, k_dot[i])
        square += turning(beta_dot[i], upsilon_dot[i])
    return Quadrics([*constant, squared], [*linear, squared_dot], square)


def _split(theta: Pairs) -> tuple[list[Pairs], list[Pairs], Pairs, Pair]:
    """Return beta of each leg, upsilon of each leg, k of each leg and lambda."""
    return (
        [theta[3 * i : 3 * i + 3] for i in range(OTHER_LEGS)],
        [theta[15 + 3 * i : 18 + 3 * i] for i in range(OTHER_LEGS)],
        theta[30:35],
        theta[35],
    )


def _leg(beta: Pairs, upsilon: Pairs, turning: Pairs, k: Pair) -> Pairs:
    """Return the 16 coefficients (s, z, S) of a leg's equation s·(x_0 G - g_0 X) + z·(X x G) + x^T S x / 2 = 0.

    s = 4 (beta - upsilon),   z = -4 (beta + upsilon),   x^T S x / 2 = -2 upsilon·R(x) beta + k x·x
    """
    s = [(a - b).scaled(4) for a, b in zip(beta, upsilon, strict=True)]
    z = [(a + b).scaled(-4) for a, b in zip(beta, upsilon, strict=True)]
    S = [value + k.scaled(2) if place in DIAGONAL else value for place, value in enumerate(turning)]
    return [*s, *z, *S]


UPPER = [(i, j) for i in range(4) for j in range(i, 4)]
"""Row and column of each of the ten numbers by which a symmetric 4 x 4 matrix is kept."""
DIAGONAL = [place for place, (i, j) in enumerate(UPPER) if i == j]
"""Which of these ten are on the diagonal."""


def turning(beta: Pairs, upsilon: Pairs) -> Pairs:
    """Return the ten numbers of -4 M, where x^T M x = upsilon·R(x) beta."""
    inner, skew = dot(upsilon, beta), cross(beta, upsilon)
    values: Pairs = []
    for i, j in UPPER:
        if i == 0:
            value = inner if j == 0 else skew[j - 1]
        else:
            value = upsilon[i - 1] * beta[j - 1] + upsilon[j - 1] * beta[i - 1]
            value = value - inner if i == j else value
        values.append(value.scaled(-4))
    return values


def gradients(coefficients: Pairs, y: Pairs) -> list[Pairs]:
    """Return seven rows dF/dy: sphere 1, Study's quadric, the others minus sphere 1. Each equation is F = row·y/2."""
    x, g = y[:4], y[4:8]
    squared = coefficients[-1]
    rows = [[*((squared * v).scaled(-2) for v in x), *(v.scaled(8) for v in g)], [*g, *x]]
    return rows + [form_gradient(coefficients[16 * i : 16 * i + 16], y) for i in range(OTHER_LEGS)]


def form_gradient(form: Pairs, y: Pairs) -> Pairs:
    """Return d/dy of s·(x_0 G - g_0 X) + z·(X x G) + x^T S x / 2, from the 16 coefficients (s, z, S)."""
    x, X, x_0, G, g_0 = y[:4], y[1:4], y[0], y[5:8], y[4]
    s, z, S = form[:3], form[3:6], form[6:]
    along, across = cross(G, z), cross(z, X)
    dx = [dot(s, G), *(along[j] - g_0 * s[j] for j in range(3))]
    dg = [-dot(s, X), *(across[j] + x_0 * s[j] for j in range(3))]
    bent = [dot([S[UPPER.index((min(m, j), max(m, j)))] for j in range(4)], x) for m in range(4)]
    return [a + b for a, b in zip(dx, bent, strict=True)] + dg


def monomials(y: Pairs) -> Pairs:
    """Return the 16 products that the coefficients (s, z, S) of a form multiply."""
    x, X, x_0, G, g_0 = y[:4], y[1:4], y[0], y[5:8], y[4]
    turned = [x_0 * G[j] - g_0 * X[j] for j in range(3)]
    products = [(x[i] * x[j]).scaled(0.5 if i == j else 1) for i, j in UPPER]
    return [*turned, *cross(X, G), *products]


def rates(coefficients: Pairs, y: Pairs) -> Pairs:
    """Return the seven dF/dt from the coefficients' derivatives with respect to t."""
    x, values = y[:4], monomials(y)
    legs = [dot(coefficients[16 * i : 16 * i + 16], values) for i in range(OTHER_LEGS)]
    return [-(coefficients[-1] * dot(x, x)), ZERO, *legs]


def residuals(coefficients: Pairs, y: Pairs) -> Pairs:
    """Return the seven equations: sphere 1, Study's quadric, the others minus sphere 1."""
    x, g = y[:4], y[4:8]
    sphere, _, *legs = rates(coefficients, y)
    return [sphere + dot(g, g).scaled(4), dot(x, g), *legs]


def displacement(y: Complex) -> tuple[Complex, Complex]:
    """Return w (..., 3) and the quaternion (..., 4) with x·x = 1 of solutions y, both complex in general."""
    x, g = y[..., :4], y[..., 4:8]
    norm = np.sum(x * x, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        w = 2 * (x[..., :1] * g[..., 1:] - g[..., :1] * x[..., 1:] + np.cross(x[..., 1:], g[..., 1:])) / norm
        return w, x / np.sqrt(norm)


def dual_quaternion(w: Numbers, quaternion: Numbers) -> Complex:
    """Return y = (x, g) of a displacement, g = (0, w) x / 2: the inverse of `displacement`."""
    x_0, X = quaternion[..., :1], quaternion[..., 1:]
    g_0 = -np.sum(w * X, axis=-1, keepdims=True)
    return np.concatenate([quaternion, 0.5 * g_0, 0.5 * (x_0 * w + np.cross(w, X))], axis=-1).astype(np.complex128)
