"""Poses drawn from the box around home."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.robot.poses import quaternion_from_vector, quaternion_product


def sample_poses(motion: str, home: Array, box: tuple[Array, Array], count: int, seed: int) -> Array:
    """Uniform in the box; for spatial robots rotation vectors are about home, in base axes."""
    offsets = np.random.default_rng(seed).uniform(*box, (count, len(box[0])))
    if motion != "spatial":
        return home + offsets
    turned = quaternion_product(quaternion_from_vector(offsets[:, 3:]), home[3:])
    return np.concatenate([home[:3] + offsets[:, :3], turned], axis=1)
