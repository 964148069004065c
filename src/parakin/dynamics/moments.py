"""Moments of a rigid body's mass, as numbers: which there are, and about which point they are taken."""

from __future__ import annotations

import numpy as np

SECOND_MOMENTS: tuple[tuple[str, int, int], ...] = (
    ("Ixx", 0, 0),
    ("Ixy", 0, 1),
    ("Ixz", 0, 2),
    ("Iyy", 1, 1),
    ("Iyz", 1, 2),
    ("Izz", 2, 2),
)
"""The six different entries of an inertia tensor. Products are entries of the tensor: Ixy = -integral of x y dm."""


def about_origin(mass: float, com: np.ndarray, inertia: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return m, m r and I_origin = I_S + m (|r|^2 1 - r r^T) from the inertia about the centre of mass at r."""
    return mass, mass * com, inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
