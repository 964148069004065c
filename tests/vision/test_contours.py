"""Contours in closed form: round trips, surfaces that they touch, and the linear row against differences."""

from __future__ import annotations

import casadi as ca
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parakin.vision.rigs.contours import ContourStatus, contour_kernel, direction, tangency_kernel

ROUND_TRIP = 1e-14
"""How far a direction may be off when it comes back, times the angle [rad] under which the rod is seen: rounding."""
SLOPE = 3e-6
"""Relative to the row's size: differences of 1e-6, and rounding divided by them."""


def _rods(count: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = rng.uniform([-0.5, -0.5, 0.3], [0.5, 0.5, 1.5], (count, 3))
    x = rng.normal(size=(count, 3))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    distance = np.linalg.norm(np.cross(A, x), axis=-1)
    return {"A": A, "x": x, "radius": distance * rng.uniform(0.01, 0.6, count)}


def test_directions_come_back_from_contours() -> None:
    rods = _rods(500, 1)
    n = contour_kernel().evaluate(rods)["n"]
    n1, n2 = ca.SX.sym("n1", 3), ca.SX.sym("n2", 3)
    back = ca.Function("back", [n1, n2], [direction(n1, n2)])
    found = np.array([back(*pair).full().ravel() for pair in n])
    angle = 2 * rods["radius"] / np.linalg.norm(np.cross(rods["A"], rods["x"]), axis=-1)
    assert (angle * np.abs(found - rods["x"]).max(axis=-1)).max() < ROUND_TRIP


@given(seed=st.integers(0, 2**31))
def test_planes_touch_the_surface_and_leave_it_on_one_side(seed: int) -> None:
    """Points of the surface, made independently of the contours, lie on one side of both planes, and some on them."""
    rods = _rods(1, seed)
    A, x, r = rods["A"][0], rods["x"][0], rods["radius"][0]
    n = contour_kernel().evaluate(rods)["n"][0]
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y /= np.linalg.norm(y)
    angles = np.linspace(0, 2 * np.pi, 20_001)[:, None]
    circle = r * (np.cos(angles) * y + np.sin(angles) * np.cross(x, y))
    for t in (-0.3, 0.0, 0.8):
        heights = (A + t * x + circle) @ n.T
        assert heights.min() > -1e-12
        assert (heights.min(axis=0) < 1e-6 * r).all()


def test_the_row_is_the_derivative_of_the_distance() -> None:
    rods, rng = _rods(200, 3), np.random.default_rng(4)
    n = contour_kernel().evaluate(rods)["n"]
    side = rng.integers(0, 2, 200)
    normal = n[np.arange(200), side]
    t = rng.uniform(-0.2, 0.2, 200)
    P = rods["A"] + t[:, None] * rods["x"] - rods["radius"][:, None] * normal
    before = P[:, 2] > 0.1
    m = P[:, :2] / P[:, 2:]
    kernel = tangency_kernel()

    def distance(A: np.ndarray, x: np.ndarray, r: np.ndarray) -> np.ndarray:
        return kernel(A=A, x=x / np.linalg.norm(x, axis=-1, keepdims=True), radius=r, side=side * 1.0, m=m)["distance"]

    out = kernel.evaluate({**rods, "side": side * 1.0, "m": m})
    assert np.abs(out["distance"][before]).max() < 1e-14
    assert np.allclose(out["t"][before], t[before], atol=1e-11)
    size = np.linalg.norm(out["row"], axis=-1)
    dA, dx = rng.normal(size=(2, 200, 3))
    dx -= np.sum(dx * rods["x"], axis=-1, keepdims=True) * rods["x"]
    dr = rng.normal(size=200)
    h = 1e-6
    moved = [distance(rods["A"] + s * h * dA, rods["x"] + s * h * dx, rods["radius"] + s * h * dr) for s in (1.0, -1.0)]
    numeric = (moved[0] - moved[1]) / (2 * h)
    exact = np.sum(out["row"] * (dA + t[:, None] * dx), axis=-1) + size * dr
    scale = size * (1 + np.abs(t)) + rods["radius"] / np.abs(P[:, 2])
    assert (np.abs(numeric - exact)[before] < SLOPE * scale[before] / rods["radius"][before]).all()


def test_a_camera_inside_or_on_the_line_of_a_rod_has_no_contours() -> None:
    out = contour_kernel()(A=[[0.0, 0.0, 1.0], [0.0, 0.005, 0.5], [0.0, 0.01, 0.5]], x=[0.0, 0.0, 1.0], radius=0.005)
    assert out["status"].tolist() == [ContourStatus.TOUCHING, ContourStatus.TOUCHING, ContourStatus.GOOD]
    assert np.isnan(out["n"][:2]).all()
    behind = tangency_kernel()(A=[0.0, 0.1, -0.5], x=[1.0, 0.0, 0.0], radius=0.005, side=0.0, m=[[0.0, -0.2]])
    assert behind["status"].tolist() == [ContourStatus.BEHIND]
