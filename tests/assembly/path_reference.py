"""Six legs once more, in plain numpy and other equations: a yardstick for the compiled tracker.

With quaternions, |p + R b - u|^2 = l^2 times x·x is |2 g + x b - u x|^2 = l^2 x·x, where p = 2 g x*/(x·x): each leg is
the square of something linear in y = (x, g). Sphere 1 is not subtracted, and u and l^2 change linearly along a path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.assembly.closure import Closure, Spheres
from parakin.assembly.dual_quaternions import displacement
from parakin.assembly.start_set import StartSet

TOLERANCE = 1e-4


def left(a: np.ndarray) -> np.ndarray:
    """a y as a matrix on y, quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    rows = [[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def right(a: np.ndarray) -> np.ndarray:
    """y a as a matrix on y."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    rows = [[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def pure(v: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros((*v.shape[:-1], 1)), v], axis=-1)


@dataclass
class Legs:
    """V (..., 6, 4, 8) with v = V y = 2 g + x b - u x, and l^2 (..., 6)."""

    V: np.ndarray
    squared: np.ndarray

    @classmethod
    def of(cls, spheres: Spheres) -> Legs:
        V_x = right(pure(spheres.b)) - left(pure(spheres.u))
        V_g = np.broadcast_to(2 * np.eye(4), V_x.shape)
        return cls(np.concatenate([V_x, V_g], axis=-1), spheres.squared_length)


class Between:
    """Equations while one machine turns into another, t from 1 to 0."""

    def __init__(self, start: Legs, end: Legs) -> None:
        self.end, self.V_dot, self.squared_dot = end, start.V - end.V, start.squared - end.squared

    def matrix(self, y: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """H_y (..., 7, 8), H and H_t (..., 7)."""
        V = self.end.V + t[..., None, None, None] * self.V_dot
        squared = self.end.squared + t[..., None] * self.squared_dot
        x, g = y[..., :4], y[..., 4:]
        v = np.einsum("...imn,...n->...im", V, y)
        xx = np.sum(x * x, axis=-1, keepdims=True)
        rows = 2 * np.einsum("...im,...imn->...in", v, V)
        rows[..., :4] -= 2 * squared[..., None] * x[..., None, :]
        study = np.concatenate([g, x], axis=-1)[..., None, :]
        H = np.concatenate([np.sum(v * v, axis=-1) - squared * xx, np.sum(x * g, axis=-1, keepdims=True)], axis=-1)
        H_t = 2 * np.einsum("...im,...imn,...n->...i", v, self.V_dot, y) - self.squared_dot * xx
        return np.concatenate([rows, study], axis=-2), H, np.concatenate([H_t, np.zeros_like(xx)], axis=-1)

    def solved(self, rows: np.ndarray, y: np.ndarray, b: np.ndarray) -> np.ndarray:
        A = np.concatenate([rows, y.conj()[..., None, :]], axis=-2)
        b = np.concatenate([b, np.zeros((*b.shape[:-1], 1))], axis=-1)
        return np.linalg.solve(A, b[..., None])[..., 0]

    def slope(self, y: np.ndarray, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        rows, _, H_t = self.matrix(z, t)
        return self.solved(rows, y, -H_t)

    def correction(self, y: np.ndarray, z: np.ndarray, t: np.ndarray) -> np.ndarray:
        rows, H, _ = self.matrix(z, t)
        return self.solved(rows, y, -H)


def track(y: np.ndarray, between: Between, steps: int = 400) -> np.ndarray:
    """Runge and Kutta, then two Newton corrections, all paths side by side with step sizes of their own."""
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    t, h = np.ones(y.shape[:-1]), np.full(y.shape[:-1], 0.05)
    for _ in range(steps):
        step = h[..., None]
        v_1 = between.slope(y, y, t)
        v_2 = between.slope(y, y - 0.5 * step * v_1, t - 0.5 * h)
        v_3 = between.slope(y, y - 0.5 * step * v_2, t - 0.5 * h)
        v_4 = between.slope(y, y - step * v_3, t - h)
        z = y - step / 6 * (v_1 + 2 * v_2 + 2 * v_3 + v_4)
        first = between.correction(y, z, t - h)
        second = between.correction(y, z + first, t - h)
        z = z + first + second
        size_1, size_2 = np.linalg.norm(first, axis=-1), np.linalg.norm(second, axis=-1)
        taken = (size_1 < TOLERANCE) & ((size_2 < 0.05 * size_1) | (size_2 < 1e-11))
        y = np.where(taken[..., None], z / np.linalg.norm(z, axis=-1, keepdims=True), y)
        t = np.where(taken, t - h, t)
        factor = 0.9 * (0.5 * TOLERANCE / np.maximum(size_1, 1e-20)) ** 0.25
        h = np.minimum(h * np.where(taken, np.clip(factor, 0.5, 3), np.clip(factor, 0.1, 0.5)), t)
        if np.all(t == 0):
            break
    return y


def real_poses(closure: Closure, start: StartSet, q: np.ndarray) -> list[np.ndarray]:
    """Real poses (K, 7) for each q (N, 6) from the robot's start set."""
    spheres = closure.spheres_at(start.coordinates).measured_in(start.scale)
    w, x = displacement(start.y)
    p = w + spheres.u[0] - rotated(x, spheres.b[0])
    g = 0.5 * np.einsum("...mn,...n->...m", left(pure(p)), x)
    starts = np.broadcast_to(np.concatenate([x, g], axis=-1), (len(q), len(x), 8))
    ends = Legs.of(closure.surfaces(q).measured_in(start.scale))
    begin = Legs.of(spheres)
    end = Legs(ends.V[:, None], ends.squared[:, None])
    y = track(starts, Between(begin, end))
    p, x = displacement(y)
    real = (np.abs(p.imag).max(axis=-1) < 1e-7) & (np.abs(x.imag).max(axis=-1) < 1e-7)
    poses = np.concatenate([start.scale * p.real, x.real], axis=-1)
    poses[..., 3:] *= np.where(poses[..., 3:4] < 0, -1.0, 1.0)
    return [row[flags] for row, flags in zip(poses, real, strict=True)]


def rotated(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R v for complex quaternions with x·x = 1."""
    across = np.cross(x[..., 1:], v)
    return v + 2 * (x[..., :1] * across + np.cross(x[..., 1:], across))
