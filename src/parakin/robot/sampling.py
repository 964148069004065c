"""Poses drawn from the box around home."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sample_poses(motion: str, home: Array, box: tuple[Array, Array], count: int, seed: int) -> Array:
    """Uniform in the box; for spatial robots rotation vectors are about home, in base axes."""
    offsets = np.random.default_rng(seed).uniform(*box, (count, len(box[0])))
    if motion != "spatial":
        return home + offsets
    turned = _product(_quaternion(offsets[:, 3:]), home[3:])
    return np.concatenate([home[:3] + offsets[:, :3], turned], axis=1)


def _quaternion(vector: Array) -> Array:
    """(cos a/2, sin a/2 n) of rotation vectors a n."""
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * vector], axis=-1)


def _product(a: Array, b: Array) -> Array:
    """The rotation b, then a."""
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)
