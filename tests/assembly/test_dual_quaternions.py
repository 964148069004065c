"""Closure equations as quadrics in the dual quaternion of a displacement."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from parakin.assembly.closure import Spheres
from parakin.assembly.dual_quaternions import (
    displacement,
    dual_quaternion,
    gradients,
    platform_parameters,
    quadrics,
    residuals,
)
from parakin.motions import SPATIAL
from tests.assembly.expressions import expression, number
from tests.assembly.solutions import rotations

RNG = np.random.default_rng(8)
POSE = np.concatenate([[0.3, -0.2, 0.9], np.array([0.8, 0.3, -0.4, 0.3]) / np.sqrt(0.98)])


def platform(pose: np.ndarray = POSE) -> Spheres:
    """Return six spheres that hold a pose, and its w from u_1 to the attachment of leg 1."""
    u, b = RNG.normal(size=(2, 6, 3))
    r = pose[:3] + b @ rotations(SPATIAL, pose).T - u
    return Spheres(u, np.sum(r**2, axis=-1), b)


def solution(spheres: Spheres, pose: np.ndarray = POSE) -> np.ndarray:
    w = pose[:3] + rotations(SPATIAL, pose) @ spheres.b[0] - spheres.u[0]
    return dual_quaternion(w, pose[3:])


def test_displacement_and_back() -> None:
    w, x = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 4))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    factor = 0.3 - 2.0j
    w_back, x_back = displacement(factor * dual_quaternion(w, x))
    assert w_back == pytest.approx(w.astype(complex))
    assert np.einsum("ni,nj->nij", x_back, x_back) == pytest.approx(np.einsum("ni,nj->nij", x, x).astype(complex))


def test_a_pose_that_closes_is_a_zero() -> None:
    spheres = platform()
    theta = expression(platform_parameters(spheres))
    coefficients = quadrics(theta, theta).at(ca.SX(0.4))
    assert number(residuals(coefficients, expression(solution(spheres)))) == pytest.approx(np.zeros(7), abs=1e-12)
    longer = Spheres(spheres.u, spheres.squared_length + np.eye(6)[3] * 0.1, spheres.b)
    theta = expression(platform_parameters(longer))
    off = number(residuals(quadrics(theta, theta).at(ca.SX(0.4)), expression(solution(spheres))))
    assert np.flatnonzero(np.abs(off) > 1e-12).tolist() == [4], "the sphere of leg 4 alone is missed"


def test_between_two_platforms_theta_goes_straight() -> None:
    start, end = (platform_parameters(platform()) for _ in range(2))
    for t in (0.0, 0.3, 1.0):
        straight = expression(t * start + (1 - t) * end)
        expected = number(quadrics(straight, straight).constant)
        between = quadrics(expression(start), expression(end)).at(ca.SX(t))
        assert number(between) == pytest.approx(expected, abs=1e-12)


def test_gradients_are_derivatives_and_every_equation_is_homogeneous() -> None:
    theta, y = platform_parameters(platform()), RNG.normal(size=8) + 1j * RNG.normal(size=8)
    coefficients = quadrics(expression(theta), expression(theta)).at(ca.SX(0))
    rows = [number(row) for row in gradients(coefficients, expression(y))]
    values = number(residuals(coefficients, expression(y)))
    assert np.array(rows) @ y / 2 == pytest.approx(values)
    for direction in np.eye(8):
        h = 1e-6
        change = number(residuals(coefficients, expression(y + h * direction)))
        change = (change - number(residuals(coefficients, expression(y - h * direction)))) / (2 * h)
        assert np.array(rows) @ direction == pytest.approx(change, abs=1e-7)
